"""What a piece of text looks like where it stands on its page: the features that tell table from text.

In: a page view (and what stood on the page before). Out: one row of numbers per piece: its own look, its mates
in the same row, the pieces above and below, alignment, rulings and shading around it, captions nearby, drawings.
All relative to the type size, so that they mean the same on every page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

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
)  # fmt: skip
_RULE_FEATURES = (
    "rules near", "between twins", "twins", "rule above long", "rule below long", "boxed left", "boxed right",
    "uprights near", "filled", "fill height", "fill width",
)  # fmt: skip
_NUMERIC = re.compile(
    r"[(\[<>≤≥~≈±+\-−–—$€£¥]*\d[\d.,:/ ×±^\-−–%°()\[\]*]*[a-z*†‡§%]{0,2}\.?|[-–—−.…*•+]+|n/?a|n\.a\.|nd", re.I
)
_BULLET = re.compile(r"\s*(?:[•▪■●○◦‣∙·*–-]\s|\(?[0-9ivx]{1,4}[.)]\s|\[\d+\]|[a-z]\)\s)")
_SENTENCE = re.compile(r"[a-z)\]%”\"][.?!;:]$|[a-z]-$")
Put = Callable[[str, ArrayLike], None]
_FAR = 60.0  # what stands for "none near", in type sizes


class Earlier(msgspec.Struct, frozen=True):
    """What stood on the pages before: text and height of their outermost pieces, to tell running heads."""

    seen: Set[tuple[str, int]] = frozenset()


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


def is_number(text: str) -> bool:
    return bool(_NUMERIC.fullmatch(text.strip()))


def piece_features(page: PrintedPage, earlier: Earlier = Earlier()) -> NDArray[np.float32]:
    """One row per piece, one column per feature (PIECE_FEATURES)."""
    pieces, words = page.pieces, page.words
    count = len(pieces)
    rows = np.zeros((count, len(PIECE_FEATURES)), dtype=np.float32)
    if not count:
        return rows
    column = {name: k for k, name in enumerate(PIECE_FEATURES)}

    def put(name: str, values: ArrayLike) -> None:
        rows[:, column[name]] = values

    body = body_size(page)
    box = pieces.box.astype(np.float64)
    left, top, right, bottom = box.T
    size = np.maximum(pieces.size.astype(np.float64), 1.0)
    width = right - left
    middle = (left + right) / 2
    texts = pieces.text.tolist()
    letters = np.array([len(t.replace(" ", "")) for t in texts], dtype=np.float64)
    digits = np.array([sum(c.isdigit() for c in t) for t in texts])
    numeric = np.array([is_number(t) for t in texts])
    text_left, text_right = np.percentile(left, 2), np.percentile(right, 98)
    put("width", width / max(text_right - text_left, 1))
    put("letters", np.minimum(letters, 150))
    spans = pieces.words[:, 1] - pieces.words[:, 0]
    put("words", np.minimum(spans, 30))
    put("digits", digits / np.maximum(letters, 1))
    put("numeric", numeric)
    word_numeric = np.array([is_number(t) for t in words.text], dtype=np.float64)
    bold = np.array([f.bold for f in page.fonts], dtype=np.float64)[words.font]
    italic = np.array([f.italic for f in page.fonts], dtype=np.float64)[words.font]
    usual_colour = np.bincount(np.unique(words.colour, return_inverse=True)[1], weights=words.letters).argmax()
    other_colour = (words.colour != np.unique(words.colour)[usual_colour]).astype(np.float64)
    for name, values in (
        ("numeric words", word_numeric),
        ("bold", bold),
        ("italic", italic),
        ("colour differs", other_colour),
    ):
        put(name, np.bincount(words.piece, weights=values, minlength=count) / np.maximum(spans, 1))
    put("size to body", size / body)
    put("ends sentence", [bool(_SENTENCE.search(t)) for t in texts])
    put("opens bullet", [bool(_BULLET.match(t)) for t in texts])
    captions = [read_caption(t) for t in texts]
    put("opens label", [0 if c is None else 1 if c.kind == "table" else 2 for c in captions])
    put("capital", [t[:1].isupper() for t in texts])
    put("lower", [t[:1].islower() for t in texts])
    put("colon", [t.endswith(":") for t in texts])
    put("brackets", [t[:1] in "([" for t in texts])
    put("y", top / page.height)
    put("x", left / page.width)
    put("right x", right / page.width)

    overlap_y = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    mate = overlap_y > 0.5 * np.minimum((bottom - top)[:, None], bottom - top)
    np.fill_diagonal(mate, False)
    to_left = mate & (right[None, :] <= left[:, None] + 0.5)
    to_right = mate & (left[None, :] >= right[:, None] - 0.5)
    put("mates", np.minimum(mate.sum(1), 20))
    put("mates left", np.minimum(to_left.sum(1), 12))
    put("mates right", np.minimum(to_right.sum(1), 12))
    put("mates numeric", np.minimum((mate & numeric[None, :]).sum(1), 12))
    gap_left = np.where(to_left, left[:, None] - right[None, :], np.inf).min(1) / size
    gap_right = np.where(to_right, left[None, :] - right[:, None], np.inf).min(1) / size
    put("gap left", np.minimum(gap_left, _FAR))
    put("gap right", np.minimum(gap_right, _FAR))
    put("row width", (width + (mate * width[None, :]).sum(1)) / max(text_right - text_left, 1))
    put("row letters", np.minimum(letters + (mate * letters[None, :]).sum(1), 300))

    overlap_x = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    over = overlap_x > 0.0
    rise = top[:, None] - bottom[None, :]  # how far j ends above i
    base = pieces.baseline.astype(np.float64)
    fall = top[None, :] - bottom[:, None]
    drop = (base[None, :] - base[:, None]) / size[:, None]
    above_distance = np.where(over & (drop < -0.3) & ~mate, np.maximum(rise, 0), np.inf)
    below_distance = np.where(over & (drop > 0.3) & ~mate, np.maximum(fall, 0), np.inf)
    nearest: dict[str, NDArray[np.intp]] = {}
    lone = np.arange(count)
    for side, distance in (("above", above_distance), ("below", below_distance)):
        at = distance.argmin(1)
        none = ~np.isfinite(distance[lone, at])
        nearest[side] = np.where(none, -1, at)
        put(f"gap {side}", np.where(none, _FAR, np.minimum(distance[lone, at] / size, _FAR)))
        for name, edge in (("left", left), ("right", right), ("middle", middle)):
            off = np.abs(edge - edge[at]) / size
            put(f"{name} {side}", np.where(none, _FAR, np.minimum(off, _FAR)))
        wider = np.log(np.maximum(width[at], 1) / np.maximum(width, 1))
        put(f"wider {side}", np.where(none, 0, np.clip(wider, -4, 4)))
        put(f"mates {side}", np.where(none, 0, np.minimum(mate.sum(1)[at], 20)))
        put(f"letters {side}", np.where(none, 0, np.minimum(letters[at], 150)))
        put(f"step {side}", np.where(none, _FAR, np.minimum(np.abs(base - base[at]) / size, _FAR)))
        put(f"row pieces {side}", np.where(none, 0, np.minimum(mate.sum(1)[at] + 1, 20)))
        numbers = (mate & numeric[None, :]).sum(1)[at] + numeric[at]
        put(f"row numeric {side}", np.where(none, 0, np.minimum(numbers, 12)))
        same = (np.abs(left - left[at]) < 0.3 * size).astype(int) + (np.abs(right - right[at]) < 0.3 * size)
        put(f"same edges {side}", np.where(none, 0, same))
    steps = rows[:, column["step above"]], rows[:, column["step below"]]
    put("step alike", np.minimum(np.abs(steps[0] - steps[1]), 5))

    span = 14 * size[:, None]
    near = np.abs(base[None, :] - base[:, None]) < span
    np.fill_diagonal(near, False)
    close = 0.25 * size[:, None]
    put("same left", np.minimum((near & (np.abs(left[None, :] - left[:, None]) < close)).sum(1), 15))
    put("same right", np.minimum((near & (np.abs(right[None, :] - right[:, None]) < close)).sum(1), 15))
    put("same middle", np.minimum((near & (np.abs(middle[None, :] - middle[:, None]) < close)).sum(1), 15))
    local = np.abs(base[None, :] - base[:, None]) < 5 * size[:, None]
    amount = np.maximum(local.sum(1), 1)
    put("near pieces", np.minimum(local.sum(1), 60))
    put("near numeric", (local & numeric[None, :]).sum(1) / amount)
    put("near width", (local * width[None, :]).sum(1) / amount / max(text_right - text_left, 1))
    prose = (letters > 35) & (digits / np.maximum(letters, 1) < 0.2)
    put("near prose", (local & prose[None, :]).sum(1) / amount)
    put("page pieces", min(count, 400))
    put("page prose", letters[prose].sum() / max(letters.sum(), 1))
    put("page numeric", numeric.mean())
    above = nearest["above"]
    below = nearest["below"]
    paragraph = (above >= 0) & (np.abs(left - left[above]) < 0.3 * size) & prose[above]
    put("paragraph", paragraph.astype(int) + ((below >= 0) & (np.abs(left - left[below]) < 0.3 * size) & prose[below]))
    put("column width", _column_share(left, right, prose, width))
    put("indent", np.where(above >= 0, np.clip((left - left[above]) / size, -9, 9), 0))
    _put_blanks(page, put)
    _put_rules(page, put, box, size)
    _put_captions(put, captions, box, size)
    _put_drawings(page, put, box, size)
    put("repeated", [_head_key(page, k) in earlier.seen for k in range(count)])
    return rows


def _column_share(
    left: NDArray[np.float64], right: NDArray[np.float64], prose: NDArray[np.bool_], width: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How wide a piece is beside the widest lines of prose that it stands over or under."""
    if not prose.any():
        return np.zeros(len(left))
    wide = float(np.percentile(width[prose], 75))
    return np.minimum(width / max(wide, 1.0), 3.0)


def _put_blanks(page: PrintedPage, put: Put) -> None:
    """The blanks inside a piece: their usual width and the widest."""
    pieces, words = page.pieces, page.words
    usual, widest = np.zeros(len(pieces)), np.zeros(len(pieces))
    box = words.box
    for k, (start, end) in enumerate(pieces.words.tolist()):
        if end - start < 2:
            continue
        run = pieces.order[start:end]
        gaps = (box[run[1:], 0] - box[run[:-1], 2]) / max(float(pieces.size[k]), 1.0)
        usual[k], widest[k] = float(np.median(gaps)), float(gaps.max())
    put("blank words", np.clip(usual, -1, 2))
    put("widest gap", np.clip(widest, -1, 2))


def _put_rules(page: PrintedPage, put: Put, box: NDArray[np.float64], size: NDArray[np.float64]) -> None:
    """Level rules above and below, twins of one length around, upright rules beside, shading behind."""
    count = len(box)
    left, top, right, bottom = box.T
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    result = {name: np.zeros(count) for name in _RULE_FEATURES}
    for name in ("rule above", "rule below", "twin height"):
        result[name] = np.full(count, _FAR)
    rules = page.across.astype(np.float64)
    rules = rules[(rules[:, 2] - rules[:, 0]) > 12]
    if len(rules):
        y = (rules[:, 1] + rules[:, 3]) / 2
        covers = (rules[None, :, 0] <= middle_x[:, None] + 1) & (rules[None, :, 2] >= middle_x[:, None] - 1)
        for name, distance in (("above", middle_y[:, None] - y[None, :]), ("below", y[None, :] - middle_y[:, None])):
            d = np.where(covers & (distance > 0), distance, np.inf)
            at = d.argmin(1)
            value = d[np.arange(count), at]
            known = np.isfinite(value)
            result[f"rule {name}"] = np.where(known, np.minimum(value / size, _FAR), _FAR)
            result[f"rule {name} long"] = np.where(known, (rules[at, 2] - rules[at, 0]) / page.width, 0)
        close = covers & (np.abs(y[None, :] - middle_y[:, None]) < 15 * size[:, None])
        result["rules near"] = np.minimum(close.sum(1), 15)
        _put_twins(rules, y, covers, middle_y, size, result)
    uprights = page.down.astype(np.float64)
    uprights = uprights[(uprights[:, 3] - uprights[:, 1]) > 6]
    if len(uprights):
        x = (uprights[:, 0] + uprights[:, 2]) / 2
        beside = (uprights[None, :, 1] <= middle_y[:, None]) & (uprights[None, :, 3] >= middle_y[:, None])
        result["boxed left"] = (beside & (x[None, :] <= left[:, None] + 2)).any(1)
        result["boxed right"] = (beside & (x[None, :] >= right[:, None] - 2)).any(1)
        result["uprights near"] = np.minimum(beside.sum(1), 15)
    fills = page.fills.astype(np.float64)
    if len(fills):
        inside = (fills[None, :, 0] <= middle_x[:, None]) & (fills[None, :, 2] >= middle_x[:, None])
        inside &= (fills[None, :, 1] <= middle_y[:, None]) & (fills[None, :, 3] >= middle_y[:, None])
        result["filled"] = np.minimum(inside.sum(1), 3)
        heights = np.where(inside, (fills[:, 3] - fills[:, 1])[None, :], np.inf).min(1) / size
        widths = np.where(inside, (fills[:, 2] - fills[:, 0])[None, :], np.inf).min(1) / page.width
        result["fill height"] = np.where(np.isfinite(heights), np.minimum(heights, _FAR), 0)
        result["fill width"] = np.where(np.isfinite(widths), widths, 0)
    for name, values in result.items():
        put(name, values)


def _put_twins(
    rules: NDArray[np.float64],
    y: NDArray[np.float64],
    covers: NDArray[np.bool_],
    middle_y: NDArray[np.float64],
    size: NDArray[np.float64],
    result: dict[str, NDArray[np.float64]],
) -> None:
    """Whether rules of one length lie above and below a piece: the mark of a three-line table."""
    twin = (np.abs(rules[:, None, 0] - rules[None, :, 0]) < 4) & (np.abs(rules[:, None, 2] - rules[None, :, 2]) < 4)
    long = (rules[:, 2] - rules[:, 0]) > 40
    twin &= long[:, None] & long[None, :]
    over = covers & (y[None, :] < middle_y[:, None])
    under = covers & (y[None, :] > middle_y[:, None])
    for k in range(len(middle_y)):
        a, b = np.flatnonzero(over[k]), np.flatnonzero(under[k])
        if not len(a) or not len(b):
            continue
        pairs = twin[np.ix_(a, b)]
        if not pairs.any():
            continue
        ups, downs = a[pairs.any(1)], b[pairs.any(0)]
        result["between twins"][k] = 1
        result["twins"][k] = min(len(ups) + len(downs), 15)
        result["twin height"][k] = min((y[downs].max() - y[ups].min()) / size[k], _FAR)


def _put_captions(
    put: Put, captions: Sequence[Caption | None], box: NDArray[np.float64], size: NDArray[np.float64]
) -> None:
    """How far away the nearest caption of a table and of a figure is, above and below."""
    for kind in ("table", "figure"):
        name = "caption" if kind == "table" else "figure"
        at = [k for k, c in enumerate(captions) if c is not None and c.kind == kind]
        above, below = np.full(len(box), _FAR), np.full(len(box), _FAR)
        for k in at:
            beside = (box[:, 2] > box[k, 0] - 150) & (box[:, 0] < box[k, 2] + 150)
            drop = (box[:, 1] - box[k, 1]) / size
            above = np.where(beside & (drop >= 0), np.minimum(above, drop), above)
            below = np.where(beside & (drop < 0), np.minimum(below, -drop), below)
        put(f"{name} above", np.minimum(above, _FAR))
        put(f"{name} below", np.minimum(below, _FAR))


def _put_drawings(page: PrintedPage, put: Put, box: NDArray[np.float64], size: NDArray[np.float64]) -> None:
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
    put("drawings near", np.minimum(near, 40))
    put("in drawing", inside)
    pictured = np.zeros(len(box), dtype=bool)
    for left, top, right, bottom in page.images.tolist():
        if (right - left) * (bottom - top) < 0.85 * page.width * page.height:
            pictured |= (x > left) & (x < right) & (y > top) & (y < bottom)
    put("in image", pictured)
