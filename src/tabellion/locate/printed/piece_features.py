"""What a piece of text looks like where it stands on its page: the features that tell table from text.

In: a page view (and what stood on the page before). Out: one row of numbers per piece: its own look, its mates
in the same row, the pieces above and below, alignment, rulings and shading around it, captions nearby, drawings.
All relative to the type size, so that they mean the same on every page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from statistics import median

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.rulings import FAR, Columns, find_lattices, lattice_features, rule_features
from tabellion.model.printed import PrintedPage
from tabellion.values.table_labels import Caption, read_caption

PIECE_FEATURES = (
    "width", "letters", "words", "digits", "numeric", "numeric words", "bold", "italic", "size to body",
    "colour differs",
    "ends sentence", "opens bullet", "opens label", "capital", "lower", "colon", "brackets", "y", "x", "right x",
    "mates", "mates left", "mates right", "mates numeric", "gap left", "gap right", "row width", "row letters",
    "gap above", "gap below", "left above", "right above", "middle above", "left below", "right below", "middle below",
    "wider above", "wider below", "mates above", "mates below", "letters above", "letters below",
    "same left", "same right", "same middle", "near pieces", "near numeric", "near width", "near prose",
    "rule above", "rule below", "rule above long", "rule below long", "rules near", "between twins", "twin height",
    "twins", "boxed left", "boxed right", "uprights near", "filled", "fill height", "fill width",
    "caption above", "caption below", "figure above", "figure below", "drawings near", "in image", "in drawing",
    "repeated", "page pieces", "page prose", "page numeric", "step above", "step below", "step alike", "paragraph",
    "column width", "blank words", "widest gap", "row pieces above", "row pieces below", "row numeric above",
    "row numeric below", "same edges above", "same edges below", "indent",
    "lattice rows", "lattice columns", "lattice pieces",
)  # fmt: skip
_NUMERIC = re.compile(
    r"[(\[<>≤≥~≈±+\-−–—$€£¥]*\d[\d.,:/ ×±^\-−–%°()\[\]*]*[a-z*†‡§%]{0,2}\.?|[-–—−.…*•+]+|n/?a|n\.a\.|nd", re.I
)
_BULLET = re.compile(r"\s*(?:[•▪■●○◦‣∙·*–-]\s|\(?[0-9ivx]{1,4}[.)]\s|\[\d+\]|[a-z]\)\s)")
_SENTENCE = re.compile(r"[a-z)\]%”\"][.?!;:]$|[a-z]-$")
Floats = NDArray[np.float64]
_KNOWN = 8192  # texts whose kind is kept in mind: a page is looked at more than once
_PROSE = 35  # letters from which a piece is a line of running text, if few of them are digits


class Earlier(msgspec.Struct, frozen=True):
    """What stood on the pages before: text and height of the last one's outermost pieces, to tell running heads; how
    many captions of tables there were, which says whether this document captions its tables at all; how many letters of
    running text were set in each size.
    """

    seen: Set[tuple[str, int]] = frozenset()
    tables: int = 0
    sizes: tuple[tuple[float, int], ...] = ()

    def past(self, page: PrintedPage) -> Earlier:
        """What is known after one more page, or a sideways view of it."""
        captions = (read_caption(text) for text in page.pieces.text)
        tables = self.tables + sum(caption is not None and caption.kind == "table" for caption in captions)
        if page.turn:
            return msgspec.structs.replace(self, tables=tables)
        sizes = Counter(dict(self.sizes))
        for text, size in zip(page.pieces.text, page.pieces.size.tolist(), strict=True):
            if len(text) > _PROSE:
                sizes[round(2 * size) / 2] += len(text)
        return Earlier(outer_pieces(page), tables, tuple(sizes.items()))


def outer_pieces(page: PrintedPage) -> frozenset[tuple[str, int]]:
    """The pieces near the upper and lower edge of a page, as running heads are compared: digits do not count."""
    box = page.pieces.box
    edge = (box[:, 3] < 0.13 * page.height) | (box[:, 1] > 0.87 * page.height)
    return frozenset(_head_key(page, k) for k in np.flatnonzero(edge).tolist())


def _head_key(page: PrintedPage, k: int) -> tuple[str, int]:
    return re.sub(r"\d+", "#", page.pieces.text[k]), round(float(page.pieces.box[k, 1]) / 4)


def body_size(page: PrintedPage) -> float:
    """The type size that most letters are set in."""
    size, letters = np.round(page.words.size * 2) / 2, page.words.letters
    if not len(size):
        return 10.0
    sizes, where = np.unique(size, return_inverse=True)
    return float(sizes[np.bincount(where, weights=letters).argmax()])


@lru_cache(maxsize=_KNOWN)
def is_number(text: str) -> bool:
    return bool(_NUMERIC.fullmatch(text.strip()))


class _Look(msgspec.Struct, frozen=True, eq=False):
    """The pieces of a page as arrays, and what several groups of features ask for."""

    page: PrintedPage
    box: Floats
    base: Floats
    size: Floats
    texts: list[str]
    captions: list[Caption | None]
    letters: Floats
    digits: NDArray[np.int64]
    numeric: NDArray[np.bool_]
    prose: NDArray[np.bool_]
    mate: NDArray[np.bool_]  # pieces that stand in one row
    text_width: float

    @property
    def width(self) -> Floats:
        return np.asarray(self.box[:, 2] - self.box[:, 0])


def piece_features(page: PrintedPage, earlier: Earlier = Earlier()) -> NDArray[np.float32]:
    """One row per piece, one column per feature (PIECE_FEATURES)."""
    rows = np.zeros((len(page.pieces), len(PIECE_FEATURES)), dtype=np.float32)
    if not len(rows):
        return rows
    look = _look_at(page)
    told: Columns = {
        **_own_look(look),
        **_row_mates(look),
        **_above_and_below(look),
        **_around(look),
        **_blanks(page),
        **rule_features(page, look.box, look.size),
        **lattice_features(look.box, find_lattices(page)),
        **_captions(look.captions, look.box, look.size),
        **_drawings(page, look.box, look.size),
        **_document(look, earlier),
    }
    for number, name in enumerate(PIECE_FEATURES):
        rows[:, number] = told[name]
    return rows


def _look_at(page: PrintedPage) -> _Look:
    pieces = page.pieces
    box = pieces.box.astype(np.float64)
    left, top, right, bottom = box.T
    texts = pieces.text.tolist()
    letters = np.array([len(t.replace(" ", "")) for t in texts], dtype=np.float64)
    digits = np.array([sum(map(str.isdigit, t)) for t in texts])
    overlap = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    mate = overlap > 0.5 * np.minimum((bottom - top)[:, None], bottom - top)
    np.fill_diagonal(mate, False)
    return _Look(
        page=page,
        box=box,
        base=pieces.baseline.astype(np.float64),
        size=np.maximum(pieces.size.astype(np.float64), 1.0),
        texts=texts,
        captions=[read_caption(t) for t in texts],
        letters=letters,
        digits=digits,
        numeric=np.array([is_number(t) for t in texts]),
        prose=(letters > _PROSE) & (digits / np.maximum(letters, 1) < 0.2),
        mate=mate,
        text_width=max(float(np.percentile(right, 98) - np.percentile(left, 2)), 1.0),
    )


def _own_look(look: _Look) -> Columns:
    """What a piece says and how it is set, by itself."""
    page, texts, size = look.page, look.texts, look.size
    pieces, words = page.pieces, page.words
    left, top, right, _ = look.box.T
    spans = pieces.words[:, 1] - pieces.words[:, 0]
    usual_colour = np.bincount(np.unique(words.colour, return_inverse=True)[1], weights=words.letters).argmax()
    by_word = {
        "numeric words": np.array([is_number(t) for t in words.text], dtype=np.float64),
        "bold": np.array([f.bold for f in page.fonts], dtype=np.float64)[words.font],
        "italic": np.array([f.italic for f in page.fonts], dtype=np.float64)[words.font],
        "colour differs": (words.colour != np.unique(words.colour)[usual_colour]).astype(np.float64),
    }
    return {
        **{
            name: np.bincount(words.piece, weights=values, minlength=len(size)) / np.maximum(spans, 1)
            for name, values in by_word.items()
        },
        "width": look.width / look.text_width,
        "letters": np.minimum(look.letters, 150),
        "words": np.minimum(spans, 30),
        "digits": look.digits / np.maximum(look.letters, 1),
        "numeric": look.numeric.astype(np.float64),
        "size to body": size / body_size(page),
        "ends sentence": _each(bool(_SENTENCE.search(t)) for t in texts),
        "opens bullet": _each(bool(_BULLET.match(t)) for t in texts),
        "opens label": _each(0 if c is None else 1 if c.kind == "table" else 2 for c in look.captions),
        "capital": _each(t[:1].isupper() for t in texts),
        "lower": _each(t[:1].islower() for t in texts),
        "colon": _each(t.endswith(":") for t in texts),
        "brackets": _each(t[:1] in "([" for t in texts),
        "y": top / page.height,
        "x": left / page.width,
        "right x": right / page.width,
    }


def _each(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _row_mates(look: _Look) -> Columns:
    """The pieces in the same row: how many, on which side, how far."""
    left, _, right, _ = look.box.T
    mate, size, width = look.mate, look.size, look.width
    to_left = mate & (right[None, :] <= left[:, None] + 0.5)
    to_right = mate & (left[None, :] >= right[:, None] - 0.5)
    gap_left = np.where(to_left, left[:, None] - right[None, :], np.inf).min(1) / size
    gap_right = np.where(to_right, left[None, :] - right[:, None], np.inf).min(1) / size
    return {
        "mates": np.minimum(mate.sum(1), 20),
        "mates left": np.minimum(to_left.sum(1), 12),
        "mates right": np.minimum(to_right.sum(1), 12),
        "mates numeric": np.minimum((mate & look.numeric[None, :]).sum(1), 12),
        "gap left": np.minimum(gap_left, FAR),
        "gap right": np.minimum(gap_right, FAR),
        "row width": (width + (mate * width[None, :]).sum(1)) / look.text_width,
        "row letters": np.minimum(look.letters + (mate * look.letters[None, :]).sum(1), 300),
    }


def _above_and_below(look: _Look) -> Columns:
    """The nearest piece above and the nearest below: how far, how it stands to this one, and what its row holds."""
    left, top, right, bottom = look.box.T
    base, size, mate = look.base, look.size, look.mate
    over = np.minimum(right[:, None], right) - np.maximum(left[:, None], left) > 0.0
    drop = (base[None, :] - base[:, None]) / size[:, None]
    rise, fall = top[:, None] - bottom[None, :], top[None, :] - bottom[:, None]
    told: Columns = {}
    lone = np.arange(len(base))
    beside: Floats = np.zeros(len(base))
    for side, distance in (
        ("above", np.where(over & (drop < -0.3) & ~mate, np.maximum(rise, 0), np.inf)),
        ("below", np.where(over & (drop > 0.3) & ~mate, np.maximum(fall, 0), np.inf)),
    ):
        at = distance.argmin(1)
        none = ~np.isfinite(distance[lone, at])
        told[f"gap {side}"] = np.where(none, FAR, np.minimum(distance[lone, at] / size, FAR))
        told |= _neighbour(look, side, at, none)
        beside = beside + (~none & (np.abs(left - left[at]) < 0.3 * size) & look.prose[at])
        if side == "above":
            told["indent"] = np.where(none, 0, np.clip((left - left[at]) / size, -9, 9))
    told["paragraph"] = beside
    told["step alike"] = np.minimum(np.abs(told["step above"] - told["step below"]), 5)
    return told


def _neighbour(look: _Look, side: str, at: NDArray[np.intp], none: NDArray[np.bool_]) -> Columns:
    """How the piece `at` stands to each piece, and what stands in its row."""
    left, _, right, _ = look.box.T
    size, width, mate, base = look.size, look.width, look.mate, look.base
    edges = {"left": left, "right": right, "middle": (left + right) / 2}
    mates = mate.sum(1)
    numbers = (mate & look.numeric[None, :]).sum(1)[at] + look.numeric[at]
    same = (np.abs(left - left[at]) < 0.3 * size).astype(int) + (np.abs(right - right[at]) < 0.3 * size)
    wider = np.log(np.maximum(width[at], 1) / np.maximum(width, 1))
    return {
        **{
            f"{name} {side}": np.where(none, FAR, np.minimum(np.abs(edge - edge[at]) / size, FAR))
            for name, edge in edges.items()
        },
        f"wider {side}": np.where(none, 0, np.clip(wider, -4, 4)),
        f"mates {side}": np.where(none, 0, np.minimum(mates[at], 20)),
        f"letters {side}": np.where(none, 0, np.minimum(look.letters[at], 150)),
        f"step {side}": np.where(none, FAR, np.minimum(np.abs(base - base[at]) / size, FAR)),
        f"row pieces {side}": np.where(none, 0, np.minimum(mates[at] + 1, 20)),
        f"row numeric {side}": np.where(none, 0, np.minimum(numbers, 12)),
        f"same edges {side}": np.where(none, 0, same),
    }


def _around(look: _Look) -> Columns:
    """How many pieces around share an edge with this one, and what they are."""
    left, _, right, _ = look.box.T
    size, width = look.size, look.width
    away = np.abs(look.base[None, :] - look.base[:, None])
    near = away < 14 * size[:, None]
    np.fill_diagonal(near, False)
    close = 0.25 * size[:, None]
    local = away < 5 * size[:, None]
    amount = np.maximum(local.sum(1), 1)

    def sharing(edge: Floats) -> Floats:
        return np.asarray(np.minimum((near & (np.abs(edge[None, :] - edge[:, None]) < close)).sum(1), 15))

    return {
        "same left": sharing(left),
        "same right": sharing(right),
        "same middle": sharing((left + right) / 2),
        "near pieces": np.minimum(local.sum(1), 60),
        "near numeric": (local & look.numeric[None, :]).sum(1) / amount,
        "near width": (local * width[None, :]).sum(1) / amount / look.text_width,
        "near prose": (local & look.prose[None, :]).sum(1) / amount,
        "column width": _column_share(look.prose, width),
    }


def _document(look: _Look, earlier: Earlier) -> Columns:
    """What the page as a whole holds, and what stood on those before."""
    count = len(look.texts)
    whole = {
        "page pieces": min(count, 400),
        "page prose": look.letters[look.prose].sum() / max(look.letters.sum(), 1),
        "page numeric": look.numeric.mean(),
    }
    return {
        **{name: np.full(count, float(value)) for name, value in whole.items()},
        "repeated": _each(_head_key(look.page, k) in earlier.seen for k in range(count)),
    }


def _column_share(prose: NDArray[np.bool_], width: Floats) -> Floats:
    """How wide a piece is beside the widest lines of prose."""
    if not prose.any():
        return np.zeros(len(width))
    wide = float(np.percentile(width[prose], 75))
    return np.minimum(width / max(wide, 1.0), 3.0)


def _blanks(page: PrintedPage) -> Columns:
    """The blanks inside a piece: their usual width and the widest."""
    pieces, words = page.pieces, page.words
    usual, widest = np.zeros(len(pieces)), np.zeros(len(pieces))
    box = words.box[pieces.order]
    white = (box[1:, 0] - box[:-1, 2]).tolist()  # before each word but the first, in the order of pieces
    for k, (start, end) in enumerate(pieces.words.tolist()):
        if end - start > 1:
            size = max(float(pieces.size[k]), 1.0)
            usual[k], widest[k] = median(white[start : end - 1]) / size, max(white[start : end - 1]) / size
    return {"blank words": np.clip(usual, -1, 2), "widest gap": np.clip(widest, -1, 2)}


def _captions(captions: Sequence[Caption | None], box: Floats, size: Floats) -> Columns:
    """How far away the nearest caption of a table and of a figure is, above and below."""
    told: Columns = {}
    for kind, name in (("table", "caption"), ("figure", "figure")):
        above, below = np.full(len(box), FAR), np.full(len(box), FAR)
        for k in (k for k, c in enumerate(captions) if c is not None and c.kind == kind):
            beside = (box[:, 2] > box[k, 0] - 150) & (box[:, 0] < box[k, 2] + 150)
            drop = (box[:, 1] - box[k, 1]) / size
            above = np.where(beside & (drop >= 0), np.minimum(above, drop), above)
            below = np.where(beside & (drop < 0), np.minimum(below, -drop), below)
        told[f"{name} above"], told[f"{name} below"] = np.minimum(above, FAR), np.minimum(below, FAR)
    return told


def _drawings(page: PrintedPage, box: Floats, size: Floats) -> Columns:
    """Curves and pictures around and behind a piece."""
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    near = np.zeros(len(box))
    inside = np.zeros(len(box), dtype=bool)
    drawings = page.drawings.astype(np.float64)
    if len(drawings) > 400:
        drawings = drawings[:: len(drawings) // 400 + 1]
    reach = 8 * size
    for left, top, right, bottom in drawings.tolist():
        near += (x > left - reach) & (x < right + reach) & (y > top - reach) & (y < bottom + reach)
        inside |= (x > left) & (x < right) & (y > top) & (y < bottom)
    pictured = np.zeros(len(box), dtype=bool)
    for left, top, right, bottom in page.images.tolist():
        if (right - left) * (bottom - top) < 0.85 * page.width * page.height:
            pictured |= (x > left) & (x < right) & (y > top) & (y < bottom)
    return {
        "drawings near": np.minimum(near, 40),
        "in drawing": inside.astype(np.float64),
        "in image": pictured.astype(np.float64),
    }
