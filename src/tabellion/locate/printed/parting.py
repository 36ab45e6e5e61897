"""Pieces of print that are likely of tables, grouped, and parted into tables.

In: the facts of a page, the chance of each piece, and judges for cuts. Out: the pieces of each table. A cluster is cut
at its likeliest place as long as a cut is likely. Lattices overrule the judges: nothing is cut inside one, and two that
stand apart are always parted.

Pieces judged to be of tables, grouped: first into rows, then rows into tables. In: a page, the chance of each piece to
be of a table. Out: rows of pieces, and pairs of rows that touch. What is tied together may still be several tables.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.cuts import (
    LEVEL_FEATURES,
    level_cuts,
    level_features,
    rows_of,
    upright_cuts,
    upright_features,
)
from tabellion.locate.printed.rulings import join_sets
from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.arrays import median
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage

LIKELY = 0.5
_FARTHEST_MATE = 34.0  # type sizes between two cells of a row
_FARTHEST_ROW = 16.0  # type sizes between two rows of a table


class Row(msgspec.Struct, frozen=True, eq=False):
    """Pieces of one row of a table, from left to right, and the box around them."""

    pieces: tuple[int, ...]
    box: Box


class Link(msgspec.Struct, frozen=True):
    """Two rows that touch: the upper one and the lower one."""

    upper: int
    lower: int


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
        far = gap[nearest] >= _FARTHEST_MATE * size[k]
        if nearest in index and not (far and not _under_one_rule(page, box[k], box[nearest])):
            pairs.append((n, index[nearest]))
    rows = []
    for members in join_sets(len(likely), pairs):
        pieces = sorted((int(likely[m]) for m in members), key=lambda k: float(left[k]))
        rows.append(Row(tuple(pieces), hull(box[pieces])))
    return sorted(rows, key=lambda r: (r.box.top, r.box.left))


def _under_one_rule(page: PrintedPage, left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    """Whether a level rule of the page runs over the whole stretch from one piece to another."""
    rules = page.across
    return bool(((rules[:, 0] <= left[0] + 6) & (rules[:, 2] >= right[2] - 6)).any())


def find_links(page: PrintedPage, rows: list[Row]) -> list[Link]:
    """Pairs of rows in which a piece of the lower is the nearest one below a piece of the upper."""
    row_of = {k: n for n, row in enumerate(rows) for k in row.pieces}
    box = page.pieces.box.astype(np.float64)
    base = page.pieces.baseline.astype(np.float64)
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    left, top, right, bottom = box.T
    touching: set[tuple[int, int]] = set()
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
        if lower is not None:
            touching.add((n, lower))
    return [Link(upper, lower) for upper, lower in sorted(touching)]


FEWEST_PIECES, FEWEST_ROWS = 3, 2
_DEEPEST = 12  # cuts within cuts
_FEWEST_IN_LATTICE = 3
_LATTICE_TRUSTED = 0.5  # mean chance of a lattice's pieces from which all of them count as a table's
_RAISED = 0.9
_STRAYS, _OTHERS = 0.35, 8  # share of the pieces at a side below which a cluster has only strays there; others at least
_SAME_HEAD, _ALIGNED = 0.9, 0.5  # shares of a row that say the head again, and that stand in line with the rows above
_HEAD_ROWS = 3  # a part of so few rows may be the head of the part below it
_HEAD_GAP = 0.6  # type sizes between them
_HEAD_SHARE = 0.7  # of the narrower one that must stand over the other

_LABEL_LETTERS = 14  # of a caption's first piece, at most, where it is the label alone
_LABEL_GAP = 4.0  # type sizes from a label to the text of its caption
_CAPTION_STEP, _MOST_CAPTION_LINES = 1.9, 4  # type sizes from line to line of a caption below its label; how many

Judge = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Judges(msgspec.Struct, frozen=True):
    """How likely cuts are, given their features; and from which probability a cut is made."""

    level: Judge
    upright: Judge
    level_from: float = 0.4
    upright_from: float = 0.5


def settle_chances(facts: PieceFacts, chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chances, but none for captions, and a high one for all pieces of a lattice that is mostly a table's."""
    caption = (facts.caption == 1) | _captions_in_lattices(facts) | _after_labels(facts)
    settled = np.where(caption, 0.0, chance)
    for k in range(len(facts.lattices)):
        members = (facts.lattice == k) & ~caption
        if members.sum() >= _FEWEST_IN_LATTICE and settled[members].mean() > _LATTICE_TRUSTED:
            settled[members] = np.maximum(settled[members], _RAISED)
    return settled


def _captions_in_lattices(facts: PieceFacts) -> NDArray[np.bool_]:
    """The pieces of captions that stand inside a lattice: all of the ruled cell that a caption opens at its top."""
    found = np.zeros(len(facts.box), dtype=bool)
    x, y = (facts.box[:, 0] + facts.box[:, 2]) / 2, (facts.box[:, 1] + facts.box[:, 3]) / 2
    for k in np.flatnonzero((facts.caption == 1) & (facts.lattice >= 0)).tolist():
        lattice = facts.lattices[int(facts.lattice[k])].box
        over = (facts.rules[:, 0] <= x[k]) & (facts.rules[:, 2] >= x[k])
        ends = facts.rules[over & (facts.rules[:, 1] > y[k]), 1]
        if facts.box[k, 1] - lattice.top > 2 * facts.size[k] or not len(ends):
            continue
        foot = float(ends.min())
        at, top, bottom, _ = facts.uprights.T
        inner = (at > lattice.left + 2) & (at < lattice.right - 2) & (top < foot - 2) & (bottom > y[k])
        if not inner.any():
            found |= (facts.lattice == facts.lattice[k]) & (y >= y[k] - 1) & (y < foot)
    return found


def _after_labels(facts: PieceFacts) -> NDArray[np.bool_]:
    """The pieces of captions whose label stands alone: what follows it on its line, and the lines below it, each by
    itself, down to the rule that opens the table.
    """
    found = np.zeros(len(facts.box), dtype=bool)
    left, _, right, _ = facts.box.T
    for k in np.flatnonzero(facts.caption == 1).tolist():
        if len(facts.text[k]) > _LABEL_LETTERS:
            continue
        size = facts.size[k]
        level = np.abs(facts.base - facts.base[k]) < 0.35 * size
        beside = np.flatnonzero(level & (left > right[k] - 1) & (left - right[k] < _LABEL_GAP * size))
        found[beside[facts.letters[beside] > facts.letters[k]]] = True
        lines: list[int] = []
        last = k
        while len(lines) < _MOST_CAPTION_LINES:
            step = facts.base - facts.base[last]
            below = np.flatnonzero((step > 0.5 * size) & (step < _CAPTION_STEP * size) & (right > left[k]))
            below = below[np.abs(left[below] - left[k]) < 2 * size]
            if not len(below):
                break
            following = int(below[step[below].argmin()])
            mates = (np.abs(facts.base - facts.base[following]) < 0.35 * size) & (left < right[following] + 30 * size)
            if (mates & (left > right[following])).any() and not _column_beside(facts, following):
                break
            lines.append(following)
            last = following
            if _ruled_under(facts, following):
                found[lines] = True
                break
    return found


def _column_beside(facts: PieceFacts, k: int) -> bool:
    """Whether what stands right of a line on its level is running text: the next column of the page."""
    beside = (np.abs(facts.base - facts.base[k]) < 0.35 * facts.size[k]) & (facts.box[:, 0] > facts.box[k, 2])
    return bool(facts.prose[beside].all())


def _ruled_under(facts: PieceFacts, k: int) -> bool:
    """Whether a rule as wide as a line, or wider, runs right below it."""
    start, y, end, _ = facts.rules.T
    near = (y > facts.base[k]) & (y < facts.box[k, 3] + facts.size[k])
    return bool((near & (start < facts.box[k, 0] + 3) & (end > facts.box[k, 2] - 3)).any())


def clusters(facts: PieceFacts, chance: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """Likely pieces that stand together, however many tables they are."""
    rows = group_rows(facts.page, chance)
    links = [(link.upper, link.lower) for link in find_links(facts.page, rows)]
    inside = facts.lattice
    first_of: dict[int, int] = {}
    for n, row in enumerate(rows):
        links += [(first_of.setdefault(int(inside[k]), n), n) for k in row.pieces if inside[k] >= 0]
    return [
        np.array(sorted(k for r in members for k in rows[r].pieces), dtype=np.intp)
        for members in join_sets(len(rows), links)
    ]


def part_tables(facts: PieceFacts, chance: NDArray[np.float64], judges: Judges) -> list[NDArray[np.intp]]:
    """The pieces of each table."""
    tables: list[NDArray[np.intp]] = []
    for cluster in clusters(facts, chance):
        tables += _part(facts, chance, cluster, facts.lattice, judges, 0)
    tables = _with_heads(facts, tables)
    return [t for t in tables if len(t) >= FEWEST_PIECES and len(rows_of(facts, t)) >= FEWEST_ROWS]


def _with_heads(facts: PieceFacts, tables: list[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
    """Tables, each with the few rows right above it that were cut off: no white parts a table from the next."""
    whole = sorted(tables, key=lambda t: float(facts.box[t, 1].min()))
    result: list[NDArray[np.intp]] = []
    while whole:
        upper = whole.pop(0)
        em = median(facts.size[upper])
        box = hull(facts.box[upper])
        few = len(rows_of(facts, upper)) <= _HEAD_ROWS
        for n, lower in enumerate(whole):
            below = hull(facts.box[lower])
            shared = min(box.right, below.right) - max(box.left, below.left)
            near = -em < below.top - box.bottom < _HEAD_GAP * em
            if few and near and shared > _HEAD_SHARE * min(box.right - box.left, below.right - below.left):
                whole[n] = np.sort(np.concatenate([upper, lower]))
                break
        else:
            result.append(upper)
    return result


def _part(
    facts: PieceFacts,
    chance: NDArray[np.float64],
    members: NDArray[np.intp],
    inside: NDArray[np.int64],
    judges: Judges,
    depth: int,
) -> list[NDArray[np.intp]]:
    if len(members) < FEWEST_PIECES or depth > _DEEPEST:
        return [members]
    halves = _cut_upright(facts, chance, members, inside, judges) or _cut_level(facts, chance, members, inside, judges)
    if halves is None:
        return [members]
    return [t for half in halves for t in _part(facts, chance, half, inside, judges, depth + 1)]


Halves = tuple[NDArray[np.intp], NDArray[np.intp]]


def _cut_upright(
    facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp], inside: NDArray[np.int64], judges: Judges
) -> Halves | None:
    cuts = upright_cuts(facts, members)
    if not cuts:
        return None
    likely = judges.upright(upright_features(facts, chance, members, cuts)).copy()
    for n, cut in enumerate(cuts):
        left = set(inside[members[facts.box[members, 0] < cut.x]].tolist()) - {-1}
        right = set(inside[members[facts.box[members, 0] >= cut.x]].tolist()) - {-1}
        if left & right:
            likely[n] = 0.0
        elif (left and right) or _strays_beside(facts, members, cut.x):
            likely[n] = max(likely[n], 1.0 + (cut.right - cut.left) / 1e4)
    best = int(likely.argmax())
    if likely[best] <= judges.upright_from:
        return None
    at_left = facts.box[members, 0] < cuts[best].x
    return members[at_left], members[~at_left]


def _strays_beside(facts: PieceFacts, members: NDArray[np.intp], x: float) -> bool:
    """Whether on one side of a place only strays of the cluster stand, among much that is not of it."""
    around = hull(facts.box[members])
    at_left = facts.box[members, 0] < x
    middle_x, middle_y = (facts.box[:, 0] + facts.box[:, 2]) / 2, (facts.box[:, 1] + facts.box[:, 3]) / 2
    level = (middle_y > around.top) & (middle_y < around.bottom)
    for side, low, high in ((at_left, around.left - 1, x), (~at_left, x, around.right + 1)):
        own = hull(facts.box[members[side]])
        there = int((level & (middle_x > min(low, own.left)) & (middle_x < max(high, own.right))).sum())
        if side.sum() < _STRAYS * there and there - side.sum() >= _OTHERS and 2 * side.sum() < len(members):
            return True
    return False


def _new_columns(features: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Cuts below which the header comes again, over columns at other places: the next table of the same kind."""
    match, aligned, gap, above = (
        features[:, LEVEL_FEATURES.index(name)] for name in ("header match", "aligned", "gap", "rows above")
    )
    return (match > _SAME_HEAD) & (aligned < _ALIGNED) & (gap > _HEAD_GAP) & (above > _HEAD_ROWS)


def _cut_level(
    facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp], inside: NDArray[np.int64], judges: Judges
) -> Halves | None:
    bands = rows_of(facts, members)
    cuts = level_cuts(facts, bands)
    if not cuts:
        return None
    features = level_features(facts, chance, members, bands, cuts)
    likely = np.where(_new_columns(features), 1.0, judges.level(features))
    above: list[set[int]] = []
    seen: set[int] = set()
    for band in bands:
        seen = seen | (set(inside[band].tolist()) - {-1})
        above.append(seen)
    below: list[set[int]] = [set() for _ in bands]
    seen = set()
    for k in range(len(bands) - 1, -1, -1):
        seen = seen | (set(inside[bands[k]].tolist()) - {-1})
        below[k] = seen
    for n, cut in enumerate(cuts):
        upper, lower = above[cut.above - 1], below[cut.above]
        if upper & lower:
            likely[n] = 0.0
        elif upper and lower:
            likely[n] = 1.0 + likely[n]
    best = int(likely.argmax())
    if likely[best] <= judges.level_from:
        return None
    n = cuts[best].above
    return np.concatenate(bands[:n]), np.concatenate(bands[n:])
