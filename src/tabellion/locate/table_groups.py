"""Pieces judged to be of tables, grouped: first into rows, then rows into tables.

Goes in: a page, the chance of each piece to be of a table. Comes out: rows of pieces, pairs of rows that touch with the
features that tell whether they are of one table, and the groups once that is judged. Two tables may stand side by side
or right under one another.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.piece_features import is_number
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.values.captions import read_caption

LINK_FEATURES = (
    "gap", "contacts", "blocked", "pieces upper", "pieces lower", "numeric upper", "numeric lower", "chance upper",
    "chance lower", "overlap", "left off", "right off", "rules between", "ruled share", "caption between",
    "others between", "letters between", "aligned", "size differs", "bold upper", "bold lower", "gap to above",
    "gap to below", "same frame", "upper rows", "lower rows", "width upper", "width lower", "boxed", "in gap",
    "italic lower", "first lower", "uprights through", "fills alike",
)  # fmt: skip
LIKELY = 0.5
_FARTHEST_MATE = 34.0  # type sizes between two cells of a row
_FARTHEST_ROW = 16.0  # type sizes between two rows of a table


class Row(msgspec.Struct, frozen=True, eq=False):
    """Pieces of one row of a table, from left to right, and the box around them."""

    pieces: tuple[int, ...]
    box: Box


class Link(msgspec.Struct, frozen=True):
    """Two rows that touch: the upper one, the lower one, how many pieces face each other."""

    upper: int
    lower: int
    contacts: int
    blocked: int


def hull(boxes: NDArray[np.floating]) -> Box:
    """The box around boxes."""
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def join_sets(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Sets of numbers below `count` that the pairs tie together, each in order."""
    parent = list(range(count))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in pairs:
        parent[root(a)] = root(b)
    sets: dict[int, list[int]] = {}
    for i in range(count):
        sets.setdefault(root(i), []).append(i)
    return list(sets.values())


def group_rows(page: PrintedPage, chance: NDArray[np.float64]) -> list[Row]:
    """Likely pieces side by side, with no other piece between them."""
    likely = np.flatnonzero(chance > LIKELY)
    box = page.pieces.box.astype(np.float64)
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    left, top, right, bottom = box.T
    pairs: list[tuple[int, int]] = []
    index = {int(k): n for n, k in enumerate(likely)}
    for n, k in enumerate(likely.tolist()):
        overlap = np.minimum(bottom, bottom[k]) - np.maximum(top, top[k])
        mate = overlap > 0.5 * np.minimum(bottom - top, bottom[k] - top[k])
        gap = left - right[k]
        ahead = np.flatnonzero(mate & (gap > -0.5 * size[k]) & (np.arange(len(left)) != k) & (left > left[k]))
        if not len(ahead):
            continue
        nearest = int(ahead[gap[ahead].argmin()])
        if nearest in index and gap[nearest] < _FARTHEST_MATE * size[k]:
            pairs.append((n, index[nearest]))
    rows = []
    for members in join_sets(len(likely), pairs):
        pieces = sorted((int(likely[m]) for m in members), key=lambda k: float(left[k]))
        rows.append(Row(tuple(pieces), hull(box[pieces])))
    return sorted(rows, key=lambda r: (r.box.top, r.box.left))


def find_links(page: PrintedPage, rows: list[Row]) -> list[Link]:
    """Pairs of rows in which a piece of the lower is the nearest one below a piece of the upper."""
    row_of = {k: n for n, row in enumerate(rows) for k in row.pieces}
    box = page.pieces.box.astype(np.float64)
    base = page.pieces.baseline.astype(np.float64)
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    left, top, right, bottom = box.T
    contacts: dict[tuple[int, int], int] = {}
    blocked: dict[int, int] = {}
    for k, n in row_of.items():
        below = (np.minimum(right, right[k]) > np.maximum(left, left[k])) & (base > base[k] + 0.3 * size[k])
        candidates = np.flatnonzero(below)
        candidates = candidates[[row_of.get(int(c)) != n for c in candidates]]
        if not len(candidates):
            continue
        nearest = int(candidates[(top[candidates] - bottom[k]).argmin()])
        if top[nearest] - bottom[k] > _FARTHEST_ROW * size[k]:
            continue
        lower = row_of.get(nearest)
        if lower is None:
            blocked[n] = blocked.get(n, 0) + 1
        else:
            contacts[n, lower] = contacts.get((n, lower), 0) + 1
    return [Link(a, b, c, blocked.get(a, 0)) for (a, b), c in sorted(contacts.items())]


def link_features(
    page: PrintedPage, chance: NDArray[np.float64], rows: list[Row], links: list[Link]
) -> NDArray[np.float64]:
    """One row a link, one column a feature (LINK_FEATURES)."""
    result = np.zeros((len(links), len(LINK_FEATURES)))
    box = page.pieces.box.astype(np.float64)
    texts = page.pieces.text.tolist()
    numeric = np.array([is_number(t) for t in texts], dtype=np.float64)
    captions = np.array([read_caption(t) is not None for t in texts], dtype=bool)
    letters = np.array([len(t) for t in texts])
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    fonts_bold = np.array([f.bold for f in page.fonts], dtype=np.float64)
    fonts_italic = np.array([f.italic for f in page.fonts], dtype=np.float64)
    counts = np.maximum(np.bincount(page.words.piece, minlength=len(texts)), 1)
    bold = np.bincount(page.words.piece, weights=fonts_bold[page.words.font], minlength=len(texts)) / counts
    italic = np.bincount(page.words.piece, weights=fonts_italic[page.words.font], minlength=len(texts)) / counts
    owned = {k for row in rows for k in row.pieces}
    others = np.array([k for k in range(len(texts)) if k not in owned], dtype=np.intp)
    up_gap: dict[int, float] = {}
    down_gap: dict[int, float] = {}
    for link in links:
        gap = rows[link.lower].box.top - rows[link.upper].box.bottom
        up_gap[link.lower] = min(up_gap.get(link.lower, 1e9), gap)
        down_gap[link.upper] = min(down_gap.get(link.upper, 1e9), gap)
    for n, link in enumerate(links):
        upper, lower = rows[link.upper], rows[link.lower]
        a, b = list(upper.pieces), list(lower.pieces)
        em = float(np.median(size[a + b]))
        low, high = upper.box.bottom, lower.box.top
        gap = (high - low) / em
        start, end = min(upper.box.left, lower.box.left), max(upper.box.right, lower.box.right)
        shared = min(upper.box.right, lower.box.right) - max(upper.box.left, lower.box.left)
        zone = others[
            (box[others, 1] < high + 1) & (box[others, 3] > low - 1) & (box[others, 0] < end) & (box[others, 2] > start)
        ]
        rules, share, frame = _rules_between(page, upper.box, lower.box)
        edges = np.array([[box[k, 0], (box[k, 0] + box[k, 2]) / 2, box[k, 2]] for k in a])
        aligned = np.mean(
            [
                float(np.abs(edges - np.array([box[k, 0], (box[k, 0] + box[k, 2]) / 2, box[k, 2]])).min() < 0.3 * em)
                for k in b
            ]
        )
        result[n] = (
            np.clip(gap, -3, 30),
            link.contacts,
            link.blocked,
            len(a),
            len(b),
            numeric[a].mean(),
            numeric[b].mean(),
            chance[a].mean(),
            chance[b].mean(),
            shared / max(end - start, 1),
            np.clip((lower.box.left - upper.box.left) / em, -20, 20),
            np.clip((lower.box.right - upper.box.right) / em, -20, 20),
            rules,
            share,
            bool(captions[zone].any()),
            min(len(zone), 10),
            min(int(letters[zone].sum()), 300),
            aligned,
            abs(float(np.median(size[a]) - np.median(size[b]))) / em,
            bold[a].mean(),
            bold[b].mean(),
            np.clip(gap - up_gap.get(link.upper, 0.0) / em, -20, 20) if link.upper in up_gap else -9.0,
            np.clip(gap - down_gap.get(link.lower, 0.0) / em, -20, 20) if link.lower in down_gap else -9.0,
            frame,
            min(link.upper, 20),
            min(len(rows) - link.lower, 20),
            (upper.box.right - upper.box.left) / page.width,
            (lower.box.right - lower.box.left) / page.width,
            _boxed(page, upper.box, lower.box),
            captions[b].any(),
            italic[b].mean(),
            bool(texts[b[0]][:1].isupper()),
            _uprights_through(page, low, high, start, end),
            _fill_of(page, upper.box) == _fill_of(page, lower.box),
        )
    return result


def _rules_between(page: PrintedPage, upper: Box, lower: Box) -> tuple[int, float, bool]:
    """Level rules between two rows: how many, the longest's share of the width, and whether twins frame both rows."""
    rules = page.across.astype(np.float64)
    if not len(rules):
        return 0, 0.0, False
    y = (rules[:, 1] + rules[:, 3]) / 2
    left, right = min(upper.left, lower.left), max(upper.right, lower.right)
    over = np.minimum(rules[:, 2], right) - np.maximum(rules[:, 0], left)
    between = (y > upper.bottom - 3) & (y < lower.top + 3) & (over > 6)
    share = float(over[between].max() / max(right - left, 1)) if between.any() else 0.0
    wide = over > 0.6 * (right - left)
    above, below = rules[wide & (y < upper.top + 3)], rules[wide & (y > lower.bottom - 3)]
    twins = (np.abs(above[:, None, 0] - below[None, :, 0]) < 4) & (np.abs(above[:, None, 2] - below[None, :, 2]) < 4)
    return int(between.sum()), min(share, 1.0), bool(twins.any())


def _boxed(page: PrintedPage, upper: Box, lower: Box) -> int:
    """How many upright rules run beside or through both rows."""
    down = page.down.astype(np.float64)
    if not len(down):
        return 0
    through = (down[:, 1] <= upper.bottom + 2) & (down[:, 3] >= lower.top - 2)
    near = (down[:, 0] > min(upper.left, lower.left) - 30) & (down[:, 2] < max(upper.right, lower.right) + 30)
    return min(int((through & near).sum()), 12)


def _uprights_through(page: PrintedPage, low: float, high: float, left: float, right: float) -> bool:
    """Whether any upright rule crosses the white between two rows."""
    down = page.down.astype(np.float64)
    if not len(down):
        return False
    middle = (low + high) / 2
    crosses = (down[:, 1] < middle) & (down[:, 3] > middle)
    return bool((crosses & (down[:, 0] > left - 12) & (down[:, 2] < right + 12)).any())


def _fill_of(page: PrintedPage, box: Box) -> int:
    """The colour behind a row, or -1."""
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    fills = page.fills
    behind = (fills[:, 0] <= x) & (fills[:, 2] >= x) & (fills[:, 1] <= y) & (fills[:, 3] >= y)
    at = np.flatnonzero(behind)
    return int(page.fill_colours[at[-1]]) if len(at) else -1
