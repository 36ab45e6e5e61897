"""What follows from a parent that a person gave: the pair itself, and pairs that look like it.

What looks like a pair that a person gave follows it: low-effort repair (Chen and Cafarella 2013, section 6). In:
candidate pairs with their traits (looks, indents, words, places) and scores, and the parents that are given. Out:
lessons, after which each given pair beats the other candidates of its child by a margin. A lesson is added to the score
of every pair as far as its traits are those of the right pair, and taken away as far as they are those of the one that
was beaten: a kernel perceptron over the pairs of a sheet, started from what was learned. Fails where the given pair is
an exception, and where nothing tells its look from that of others.

Header trees in which every given pair stands, to the letter. In: a tree, the nearest nodes of rows or columns, and the
parents that are given, by the first cells of headers. Out: the same with those pairs. What a header moves under
something that stood under it itself, that takes the header's old place. A given parent that would close a ring of given
pairs is left out: it is for the caller to see that it does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.correction import Cell
from tabellion.model.frame import HeaderTree
from tabellion.nest.attributes import ROOT, Indices, Numbers, Pairs
from tabellion.nest.tree import Nearest


def regraft(tree: HeaderTree, nearest: Nearest, given: Mapping[Cell, Cell | None]) -> tuple[HeaderTree, Nearest]:
    """The tree with the given pairs."""
    if not given:
        return tree, nearest
    place: dict[Cell, int] = {}
    for node in tree.nodes:
        for cell in node.cells:
            place.setdefault(cell, node.id)
    parents = [node.parent for node in tree.nodes]
    before = list(parents)
    fixed: set[int] = set()
    for child, parent in given.items():
        if child in place and (parent is None or parent in place):
            _graft(parents, place[child], None if parent is None else place[parent], fixed)
    return (tree, nearest) if parents == before else _rebuilt(tree, parents, nearest)


def _graft(parents: list[int | None], child: int, parent: int | None, fixed: set[int]) -> None:
    """Put a node under another; a ring is opened at the first pair below the child that is not given."""
    ring: list[int] = []
    at = parent
    while at is not None and at != child:
        ring.append(at)
        at = parents[at]
    if at == child:
        loose = [node for node in reversed(ring) if node not in fixed]
        if not loose:
            return
        parents[loose[0]] = parents[child]
    parents[child] = parent
    fixed.add(child)


def _rebuilt(tree: HeaderTree, parents: list[int | None], nearest: Nearest) -> tuple[HeaderTree, Nearest]:
    """The nodes again with parents before children, and the nearest nodes without those above another of them."""
    order: list[int] = []
    seen: set[int] = set()
    for start in range(len(parents)):
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in seen:
            path.append(at)
            seen.add(at)
            at = parents[at]
        order.extend(reversed(path))
    number = {old: new for new, old in enumerate(order)}
    nodes = []
    for old in order:
        parent = parents[old]
        above = None if parent is None else number[parent]
        nodes.append(msgspec.structs.replace(tree.nodes[old], id=number[old], parent=above))
    grown = HeaderTree(tuple(nodes))
    return grown, {line: _outermost(grown, tuple(number[node] for node in held)) for line, held in nearest.items()}


def _outermost(tree: HeaderTree, nodes: tuple[int, ...]) -> tuple[int, ...]:
    above = {upper.id for node in nodes for upper in tree.path(node)[:-1]}
    return tuple(node for node in nodes if node not in above)


Given = Mapping[int, int]
"""Label -> the label that it stands under, -1 at the root, as places in the same list."""

MARGIN = 3.0  # log-odds by which a given pair beats the others
ROUNDS = 12
ENOUGH = 0.01  # what may be lacking of the margin
SCORE_LIMIT = 12.0  # log-odds beyond which learned scores say nothing more
FADED = 0.2  # of a lesson where a given parent nearer by says otherwise
LEAST_STEP = 0.5  # of the difference that a lesson makes to its own pair: keeps lessons on twins small


class Lesson(msgspec.Struct, frozen=True, eq=False):
    """The traits of a pair, what is added to pairs that are like it, and the cell whose given parent it is from."""

    traits: NDArray[np.int64]
    amount: float
    source: int


class Traits(msgspec.Struct, frozen=True, eq=False):
    """Pairs as whole numbers, one column a trait, and what a difference in each takes from their likeness.

    The first columns are the look of the child, the look of the parent (0 at the root), and the parent's cell: two
    children of one parent are alike whatever else is to be said of that parent (`of_parent` are those columns).
    `source` is for each pair the cell with a given parent that its child goes by: the last of its look before it, or
    the first after it; -1 where there is none.
    """

    table: NDArray[np.int64]
    cost: Numbers
    of_parent: tuple[int, ...]
    source: NDArray[np.int64]

    def likeness(self, wanted: NDArray[np.int64], source: int) -> Numbers:
        """How alike every pair is to a wanted one, 1 where all traits are the same and no other source is nearer."""
        differs = self.table != wanted
        same_parent = (self.table[:, PARENT_CELL] == wanted[PARENT_CELL]) & (wanted[PARENT_CELL] >= 0)
        differs[np.ix_(same_parent, self.of_parent)] = False
        nearer = (self.source != source) & (self.source >= 0) & (source in self.source)
        return np.asarray(np.exp(-(differs @ self.cost)) * np.where(nearer, FADED, 1.0))

    def taught(self, scores: Numbers, lessons: Sequence[Lesson]) -> Numbers:
        """The scores after some lessons."""
        scores = np.clip(scores, -SCORE_LIMIT, SCORE_LIMIT)
        for lesson in lessons:
            scores = scores + lesson.amount * self.likeness(lesson.traits, lesson.source)
        return np.asarray(scores)


CHILD_LOOK, PARENT_LOOK, PARENT_CELL = 0, 1, 2


def draw_lessons(pairs: Pairs, traits: Traits, scores: Numbers, given: Given) -> list[Lesson]:
    """What must be learned for the given pairs to win."""
    scores = np.clip(scores, -SCORE_LIMIT, SCORE_LIMIT)
    lessons: list[Lesson] = []
    contests = [_contest(pairs, child, parent) for child, parent in given.items()]
    for _ in range(ROUNDS):
        before = len(lessons)
        for right, others in contests:
            if right is None or not len(others):
                continue
            wrong = int(others[scores[others].argmax()])
            lack = float(scores[wrong] + MARGIN - scores[right])
            if lack > ENOUGH:
                source = int(traits.source[right])
                change = traits.likeness(traits.table[right], source) - traits.likeness(traits.table[wrong], source)
                amount = lack / max(float(change[right] - change[wrong]), LEAST_STEP)
                scores = scores + amount * change
                lessons.append(Lesson(traits.table[right], amount, source))
                lessons.append(Lesson(traits.table[wrong], -amount, source))
        if len(lessons) == before:
            break
    return lessons


def _contest(pairs: Pairs, child: int, parent: int) -> tuple[int | None, Indices]:
    mine = np.flatnonzero(pairs[1] == child)
    right = mine[pairs[0][mine] == parent]
    return (int(right[0]) if len(right) else None), mine[pairs[0][mine] != parent]


def with_pairs(pairs: Pairs, wanted: set[tuple[int, int]]) -> Pairs:
    """The candidates with some more (child, parent), in order."""
    every = sorted(set(zip(pairs[1].tolist(), pairs[0].tolist(), strict=True)) | wanted)
    return (
        np.array([parent for _, parent in every], dtype=np.intp),
        np.array([child for child, _ in every], dtype=np.intp),
    )


def like_pairs(looks: Indices, lessons: Sequence[Lesson]) -> set[tuple[int, int]]:
    """(child, parent) of the looks of what was right in some lesson: the nearest such parent above each such child."""
    wanted: set[tuple[int, int]] = set()
    seen = looks.tolist()
    for child_look, parent_look in {
        (int(lesson.traits[CHILD_LOOK]), int(lesson.traits[PARENT_LOOK])) for lesson in lessons if lesson.amount > 0
    }:
        above = ROOT
        for label, look in enumerate(seen):
            if look == child_look and (above != ROOT or parent_look == 0):
                wanted.add((label, above))
            if look == parent_look:
                above = label
    return wanted


def sibling_pairs(looks: Indices, given: Given) -> set[tuple[int, int]]:
    """(child, parent) of labels that look like one with a given parent and come after it, while the parent is open.

    It is closed by a label whose given parent stands above it.
    """
    wanted: set[tuple[int, int]] = set()
    for child, parent in given.items():
        for label in range(child + 1, len(looks)):
            if label in given and given[label] < parent:
                break
            if looks[label] == looks[child]:
                wanted.add((label, parent))
    return wanted


def without_chains(looks: Indices, pairs: Pairs, scores: Numbers, given: Given) -> Numbers:
    """Scores in which labels that look alike stand beside each other, where one was given a parent of its own look.

    Only what was given as a parent has such children: else each would hang under the one before.
    """
    alike = [looks[child] for child, parent in given.items() if parent != ROOT and looks[child] == looks[parent]]
    if not alike:
        return scores
    up, down = pairs
    nested = (up != ROOT) & (looks[up] == looks[down]) & np.isin(looks[down], alike)
    return np.where(nested & ~np.isin(up, list(given.values())), -SCORE_LIMIT, scores)
