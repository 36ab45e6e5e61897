"""Parents of headers where people gave some of them: re-inference after a stroke.

In: a frame with its fixes, and the lessons of the frames of its sheet. Out: the parent of each label, those that are
given among them, and the others as the learned scores and the lessons have it. `teach_frames` draws the lessons.
Strands that are too long for scores have none: there only what is given changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from tabellion.model.fixes import Cell
from tabellion.model.frame import Frame
from tabellion.nest.attributes import Attributes, Indices, Numbers, read_attributes
from tabellion.nest.candidates import ROOT, Pairs
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
from tabellion.nest.ladder import climb
from tabellion.nest.pair_view import PairView
from tabellion.nest.parents import LONG, Method, left_scores, left_view, top_scores
from tabellion.nest.spread import HeaderCells, spread_headers
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.top_features import Head, TopView, top_pairs
from tabellion.nest.traits import left_looks, left_traits, top_looks, top_traits
from tabellion.nest.tree import enforce_tree, outline
from tabellion.weights import Weights

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


def teach_frames(frames: Iterable[Frame], weights: Weights, method: Method) -> Lessons:
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
    method: Method,
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
    frame: Frame, cells: HeaderCells, weights: Weights, method: Method, given: Given, lessons: Sequence[Lesson]
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
    attributes: Attributes, strand: Strand, weights: Weights, method: Method, given: Given, lessons: Sequence[Lesson]
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
    frame: Frame, cells: HeaderCells, weights: Weights, method: Method, given: Given, lessons: Sequence[Lesson]
) -> Contest:
    pairs = with_pairs(top_pairs(cells), set(given.items()) | like_pairs(top_looks(cells), lessons))
    scores = top_scores(TopView([Head(cells, frame.value_columns, pairs)]), weights, method)
    return Contest(pairs, top_traits(frame.grid, cells, pairs, given), _log_odds(scores))


def _log_odds(probability: Numbers) -> Numbers:
    return np.asarray(np.log(np.maximum(probability, TINY) / np.maximum(1 - probability, TINY)))


def _probability(odds: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-odds)))
