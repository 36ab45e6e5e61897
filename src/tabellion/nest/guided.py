"""Parents of headers where people gave some of them: re-inference after a stroke.

In: a frame with its fixes, and the lessons of the frames of its sheet. Out: the parent of each label, those that are
given among them, and the others as the learned scores and the lessons have it. `teach_frames` draws the lessons.
Strands that are too long for scores have none: there only what is given changes.

What of candidate pairs is compared when one was given: the same numbers for the same look all over a sheet. In: the
labels of a strand, or header cells, with their candidate pairs. Out: `Traits`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.correction import Cell
from tabellion.model.frame import Frame
from tabellion.model.grid import Grid
from tabellion.model.methods import ParentMethod
from tabellion.nest.attributes import ROOT, Attributes, Indices, Numbers, Pairs, read_attributes
from tabellion.nest.follow import (
    Given,
    Lesson,
    Traits,
    draw_lessons,
    like_pairs,
    sibling_pairs,
    with_pairs,
    without_chains,
)
from tabellion.nest.pair_view import PairView
from tabellion.nest.rules import climb
from tabellion.nest.spread import HeaderCells, spread_headers
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.top_features import Head, TopView, top_pairs
from tabellion.nest.tree import LONG, enforce_tree, left_scores, left_view, outline, top_scores
from tabellion.weights import Weights

Whole = NDArray[np.int64]

# what a difference in each trait costs; set by hand, the looks first, then the places, then the words
LEFT_COST = {
    "child look": 2.0,
    "parent look": 2.0,
    "parent cell": 0.0,
    "indent": 1.0,
    "below": 3.0,
    "nearest": 0.7,
    "next": 0.2,
    "total": 1.0,
    "gap": 0.2,
    "child words": 0.15,
    "parent words": 0.15,
}
TOP_COST = {
    "child look": 2.0,
    "parent look": 2.0,
    "parent cell": 0.0,
    "starts": 0.7,
    "covers": 1.0,
    "left": 0.7,
    "child words": 0.15,
    "parent words": 0.15,
}
_OF_PARENT = ("parent look", "nearest", "next", "parent words", "starts", "left")


def left_traits(attributes: Attributes, looks: Indices, strand: Strand, pairs: Pairs, given: Given) -> Traits:
    """The traits of a strand's pairs."""
    up, down = pairs
    cells = strand.row * 100_000 + strand.column
    indent = np.round(2 * attributes.indent).astype(np.int64)
    total = attributes.said("starts_total").astype(np.int64)
    words = _spoken(attributes)
    above = (up < down) & (up != ROOT)
    columns = {
        "child look": looks[down],
        "parent look": _of_parent(looks, up, 0),
        "parent cell": _of_parent(cells, up, -1),
        "indent": np.where(up == ROOT, 99, indent[down] - _of_parent(indent, up, 0)),
        "below": up > down,
        "nearest": above & (_last_of_look(attributes.look, pairs) == up),
        "next": up == down - 1,
        "total": 2 * total[down] + _of_parent(total, up, 0),
        "gap": attributes.gap[down] > 0,
        "child words": words[down],
        "parent words": _of_parent(words, up, 0),
    }
    return _traits(columns, LEFT_COST, _sources(looks, cells, given)[down])


def top_traits(grid: Grid, cells: HeaderCells, pairs: Pairs, given: Given) -> Traits:
    """The traits of a header's pairs."""
    up, down = pairs
    looks = top_looks(cells)
    words = np.array([zlib.crc32(str(text).encode()) for text in grid.label[cells.row, cells.column]], dtype=np.int64)
    first, last, places = cells.column, cells.last_column, cells.row * 100_000 + cells.column
    parent_first, parent_last = _of_parent(first, up, 0), _of_parent(last, up, 1 << 30)
    columns = {
        "child look": looks[down],
        "parent look": _of_parent(looks, up, 0),
        "parent cell": _of_parent(places, up, -1),
        "starts": (parent_first == first[down]) & (up != ROOT),
        "covers": (parent_first <= first[down]) & (first[down] <= parent_last),
        "left": np.sign(parent_first - first[down]) * (up != ROOT),
        "child words": words[down],
        "parent words": _of_parent(words, up, 0),
    }
    return _traits(columns, TOP_COST, _sources(looks, places, given)[down])


def left_looks(attributes: Attributes) -> Indices:
    """A number for the look of each label, the same in all strands of a sheet; never 0."""
    properties = (
        attributes.indent,
        attributes.raised,
        attributes.bold,
        attributes.italic,
        attributes.underline,
        attributes.centred,
        attributes.size,
        attributes.group,
        attributes.said("capitals").astype(bool) & (attributes.bold | attributes.group),
    )
    return _numbers(np.column_stack([np.asarray(one, dtype=np.float64) for one in properties]))


def top_looks(cells: HeaderCells) -> Indices:
    """The same for header cells: how deep in the head they stand, and how far they are merged."""
    return _numbers(np.column_stack([cells.level, cells.last_level - cells.level, cells.last_column > cells.column]))


def _numbers(table: NDArray[np.generic]) -> Indices:
    return np.array([zlib.crc32(row.tobytes()) + 1 for row in np.ascontiguousarray(table)], dtype=np.intp)


def _spoken(attributes: Attributes) -> Whole:
    said = [zlib.crc32(repr((w.first_word, w.last_word, w.stems, w.words)).encode()) for w in attributes.wordings]
    return np.array(said, dtype=np.int64)[attributes.wording]


def _of_parent(values: NDArray[np.integer], up: Indices, root: int) -> Whole:
    return np.asarray(np.append(values.astype(np.int64), root)[up])


def _sources(looks: Indices, cells: Indices, given: Given) -> Whole:
    """For each label the cell with a given parent that it goes by: the last of its look up to it, else the first."""
    found = np.full(len(looks), -1, dtype=np.int64)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for label, look in enumerate(looks.tolist()):
        if label in given:
            last[look] = int(cells[label])
            first.setdefault(look, int(cells[label]))
        found[label] = last.get(look, -1)
    for label, look in enumerate(looks.tolist()):
        if found[label] < 0:
            found[label] = first.get(look, -1)
    return found


def _traits(columns: dict[str, NDArray[np.generic]], cost: dict[str, float], source: Whole) -> Traits:
    table = np.column_stack([np.asarray(columns[name]).astype(np.int64) for name in cost])
    of_parent = tuple(number for number, name in enumerate(cost) if name in _OF_PARENT)
    return Traits(table, np.array(list(cost.values())), of_parent, source)


def _last_of_look(look: Indices, pairs: Pairs) -> Indices:
    """For each pair the last label above the child that looks like the parent."""
    count = len(look)
    keys = np.sort(look * (count + 1) + np.arange(count))
    wanted = np.append(look, 0)[pairs[0]]
    place = np.searchsorted(keys, wanted * (count + 1) + pairs[1]) - 1
    found = keys[np.maximum(place, 0)]
    alike = (place >= 0) & (found // (count + 1) == wanted)
    return np.asarray(np.where(alike, found % (count + 1), ROOT))


TINY = 1e-9  # a probability that is as good as none


class Lessons(msgspec.Struct, frozen=True, eq=False):
    """What was learned from all given pairs of a sheet."""

    left: tuple[Lesson, ...] = ()
    top: tuple[Lesson, ...] = ()


class Contest(msgspec.Struct, frozen=True, eq=False):
    """Candidate pairs with their traits and log-odds."""

    pairs: Pairs
    traits: Traits
    odds: Numbers


def teach_frames(frames: Iterable[Frame], weights: Weights, method: ParentMethod) -> Lessons:
    """The lessons of all frames of a sheet, drawn in reading order."""
    left: list[Lesson] = []
    top: list[Lesson] = []
    for frame in frames:
        if not frame.fixes.follow:
            continue
        if frame.fixes.left and frame.stub_columns:
            for strand in find_strands(frame):
                if given := given_among(strand.row, strand.column, frame.fixes.left):
                    contest = _left_contest(read_attributes(frame, strand), strand, weights, method, given, left)
                    left += _lessons(contest, given, left)
        if frame.fixes.top:
            cells = spread_headers(frame)
            if given := given_among(cells.row, cells.column, frame.fixes.top):
                contest = _top_contest(frame, cells, weights, method, given, top)
                top += _lessons(contest, given, top)
    return Lessons(tuple(left), tuple(top))


def given_among(row: Indices, column: Indices, given: Mapping[Cell, Cell | None]) -> dict[int, int]:
    """The given parents of some cells, as places among them."""
    place = {cell: number for number, cell in enumerate(zip(row.tolist(), column.tolist(), strict=True))}
    return {
        place[child]: ROOT if parent is None else place[parent]
        for child, parent in given.items()
        if child in place and (parent is None or parent in place)
    }


def guided_left(
    attributes: Attributes,
    strand: Strand,
    weights: Weights,
    method: ParentMethod,
    given: Given,
    lessons: Sequence[Lesson],
) -> tuple[Indices, Numbers]:
    """The parent of each label of a strand."""
    contest = _left_contest(attributes, strand, weights, method, given, lessons)
    odds = contest.traits.taught(contest.odds, lessons)
    if method == "svm":
        return enforce_tree(len(attributes), contest.pairs, _probability(odds), given)
    return outline(len(attributes), contest.pairs, odds, given)


def guided_top(
    frame: Frame, cells: HeaderCells, weights: Weights, method: ParentMethod, given: Given, lessons: Sequence[Lesson]
) -> tuple[Indices, Numbers]:
    """The parent of each header cell."""
    contest = _top_contest(frame, cells, weights, method, given, lessons)
    return enforce_tree(len(cells), contest.pairs, _probability(contest.traits.taught(contest.odds, lessons)), given)


def can_guide(attributes: Attributes) -> bool:
    """Whether a strand is short enough for scores."""
    return 0 < len(attributes) <= LONG


def _lessons(contest: Contest, given: Given, before: Sequence[Lesson]) -> list[Lesson]:
    return draw_lessons(contest.pairs, contest.traits, contest.traits.taught(contest.odds, before), given)


def _left_contest(
    attributes: Attributes,
    strand: Strand,
    weights: Weights,
    method: ParentMethod,
    given: Given,
    lessons: Sequence[Lesson],
) -> Contest:
    ladder = climb(attributes)
    view = left_view(attributes, method, ladder)
    looks = left_looks(attributes)
    more = set(given.items()) | like_pairs(looks, lessons) | sibling_pairs(looks, given)
    pairs = with_pairs((view.up, view.down), more)
    scores = left_scores(PairView(attributes, ladder, pairs), weights, method)
    odds = without_chains(looks, pairs, _log_odds(scores) if method == "svm" else scores, given)
    return Contest(pairs, left_traits(attributes, looks, strand, pairs, given), odds)


def _top_contest(
    frame: Frame, cells: HeaderCells, weights: Weights, method: ParentMethod, given: Given, lessons: Sequence[Lesson]
) -> Contest:
    pairs = with_pairs(top_pairs(cells), set(given.items()) | like_pairs(top_looks(cells), lessons))
    scores = top_scores(TopView([Head(cells, frame.value_columns, pairs)]), weights, method)
    return Contest(pairs, top_traits(frame.grid, cells, pairs, given), _log_odds(scores))


def _log_odds(probability: Numbers) -> Numbers:
    return np.asarray(np.log(np.maximum(probability, TINY) / np.maximum(1 - probability, TINY)))


def _probability(odds: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-odds)))
