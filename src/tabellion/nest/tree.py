"""From candidate pairs to trees: the score of each pair, and the parents that follow.

In: candidate pairs with their probabilities. Out: one parent for each label, -1 at the root. Two ways: the paper's
enforced tree (Chen and Cafarella 2013, algorithm 1: the most probable parent each, cycles broken at the least
probable pair), and the most probable reading as an outline, in which a label stands under the one before it or under
something that one stands under. A left header is nearly always such an outline. Parents that are given hold: no
reading without them is followed, unless they cannot all stand in one outline.

Scores of pairs. In: attributes (left) or header cells (top) and learned weights. Out: the parent of each label, -1 at
the root, and how sure that is. `svm` is the paper's way: its candidates, its features, a linear SVM with Platt's
sigmoid, its enforced tree (Chen and Cafarella 2013, section 3.2). `boosted` has more candidates and features, boosted
trees, and reads the left as an outline. Both are linear in the length of a strand; very long ones are read by rules
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import msgspec
import numpy as np

from tabellion.model.frame import HeaderNode, HeaderTree
from tabellion.model.methods import ParentMethod
from tabellion.nest.attributes import ROOT, Attributes, Indices, Numbers, Pairs
from tabellion.nest.left_features import LEFT_FEATURES
from tabellion.nest.pair_view import PairView, join_views
from tabellion.nest.papers.chen import PAPER_LEFT, climbing_pairs, compute_features, differing_pairs, paper_style
from tabellion.nest.rules import climb
from tabellion.nest.spread import NONE, HeaderCells
from tabellion.nest.top_features import PAPER_TOP, TOP_FEATURES, Head, TopView, compute_top_features, top_pairs
from tabellion.weights import Weights

Nearest = dict[int, tuple[int, ...]]
"""Row or column -> the nearest nodes of a header tree that speak for it."""

BEAM = 8  # readings kept side by side
_CERTAIN = 2.0  # above any probability
HOPELESS = 7.0  # a candidate this far (in logarithms) behind the best of its label is not tried


def enforce_tree(
    count: int, pairs: Pairs, probability: Numbers, given: Mapping[int, int] | None = None
) -> tuple[Indices, Numbers]:
    """The most probable parent of each label, cycles broken at their least probable pair (which goes to the root)."""
    parent = np.full(count, ROOT, dtype=np.intp)
    best = np.zeros(count)
    order = np.lexsort((-pairs[0], probability))  # the last of equals wins: the one further up
    for pair in order.tolist():
        child = pairs[1][pair]
        parent[child], best[child] = pairs[0][pair], probability[pair]
    for child, above in (given or {}).items():
        parent[child], best[child] = above, _CERTAIN
    done = np.zeros(count, dtype=bool)
    for start in range(count):
        path: list[int] = []
        at = start
        while at != ROOT and not done[at]:
            if at in path:
                ring = path[path.index(at) :]
                weakest = min(ring, key=lambda label: best[label])
                parent[weakest] = ROOT
                break
            path.append(at)
            at = int(parent[at])
        done[path] = True
    return parent, np.minimum(best, 1.0)


def outline(
    count: int, pairs: Pairs, score: Numbers, given: Mapping[int, int] | None = None
) -> tuple[Indices, Numbers]:
    """The outline with the highest sum of scores (log-odds made probabilities over each label's candidates)."""
    given = _in_one_outline(given or {})
    floor = _floors(count, given)
    chance = _log_shares(count, pairs, score).tolist()
    bounds = np.searchsorted(pairs[1], np.arange(count + 1)).tolist()
    parents = pairs[0].tolist()
    beam: list[tuple[float, _Link]] = [(0.0, _TOP)]
    for child in range(count):
        low, high = bounds[child], bounds[child + 1]
        options = {up: gain for up, gain in zip(parents[low:high], chance[low:high], strict=True) if up >= floor[child]}
        if child in given:
            options = {given[child]: 0.0}
        elif not options and floor[child] != ROOT:
            options = {floor[child]: -HOPELESS}
        least = max(options.values(), default=0.0) - HOPELESS
        options = {up: gain for up, gain in options.items() if gain >= least}
        found: list[tuple[float, _Link]] = []
        for total, link in beam:
            at: _Link | None = link
            best_of_link = False
            while at is not None:
                gain = options.get(at.label)
                if gain is not None:
                    found.append((total + gain, _Link(child, at, link, gain)))
                    best_of_link = True
                at = at.parent
            if not best_of_link:
                found.append((total - HOPELESS - 1, _Link(child, _TOP, link, -HOPELESS)))
        found.sort(key=itemgetter(0), reverse=True)
        beam = found[:BEAM]
    above = [ROOT] * count
    gains = [0.0] * count
    last: _Link | None = beam[0][1]
    while last is not None and last.parent is not None:
        above[last.label], gains[last.label] = last.parent.label, last.gain
        last = last.before
    return np.array(above, dtype=np.intp), np.exp(np.minimum(gains, 0.0))


def _in_one_outline(given: Mapping[int, int]) -> dict[int, int]:
    """The given parents that can stand in one outline together; of two that cannot, the one given first."""
    kept: dict[int, int] = {}
    for child, parent in given.items():
        if parent < child and not any(
            _cross(child, parent, *one) or _cross(*one, child, parent) for one in kept.items()
        ):
            kept[child] = parent
    return kept


def _cross(child: int, parent: int, other_child: int, other_parent: int) -> bool:
    """Whether a label between another pair stands under something outside it."""
    return other_parent < child < other_child and parent < other_parent


def _floors(count: int, given: Mapping[int, int]) -> list[int]:
    """For each label the last one that must stay open above it."""
    floor = [ROOT] * count
    for child, parent in given.items():
        for label in range(parent + 1, child):
            floor[label] = max(floor[label], parent)
    return floor


class _Link(msgspec.Struct, frozen=True, eq=False):
    """A label in one reading: what it stands under there, and the label read before it."""

    label: int
    parent: _Link | None
    before: _Link | None
    gain: float


_TOP = _Link(ROOT, None, None, 0.0)


def _log_shares(count: int, pairs: Pairs, score: Numbers) -> Numbers:
    """Scores as logarithms of shares among the candidates of each label."""
    if not len(score):
        return score
    top = np.full(count, -np.inf)
    np.maximum.at(top, pairs[1], score)
    power = np.exp(score - top[pairs[1]])
    total = np.zeros(count)
    np.add.at(total, pairs[1], power)
    return np.asarray(score - top[pairs[1]] - np.log(total[pairs[1]]))


class Label(msgspec.Struct, frozen=True):
    """A header before it is a node: its text, its cells and the note marks it carries."""

    text: str
    cells: tuple[tuple[int, int], ...]
    notes: tuple[str, ...] = ()


class Forest:
    """Grows a header tree out of several groups of labels; parents come before children."""

    def __init__(self) -> None:
        self._nodes: list[HeaderNode] = []

    def plant(self, labels: Sequence[Label], parents: Indices, sure: Numbers) -> Indices:
        """Add labels with their parents (places in `labels`, -1 at the root); gives the node of each."""
        nodes = [ROOT] * len(labels)
        above, chance = parents.tolist(), sure.tolist()
        for start in range(len(labels)):
            path = []
            at = start
            while at != ROOT and nodes[at] == ROOT:
                path.append(at)
                at = above[at]
            for place in reversed(path):
                parent = above[place]
                nodes[place] = self._add(labels[place], None if parent == ROOT else nodes[parent], chance[place])
        return np.array(nodes, dtype=np.intp)

    def add_root(self, label: Label, sure: float) -> int:
        return self._add(label, None, sure)

    def tree(self) -> HeaderTree:
        return HeaderTree(tuple(self._nodes))

    def _add(self, label: Label, parent: int | None, sure: float) -> int:
        self._nodes.append(HeaderNode(len(self._nodes), label.text, parent, label.cells, sure, label.notes))
        return len(self._nodes) - 1


LEFT_WEIGHTS = {"boosted": "left_parents", "svm": "left_parents_paper"}
TOP_WEIGHTS = {"boosted": "top_parents", "svm": "top_parents_paper"}
LEFT_NAMES = {"boosted": tuple(name for name, _ in LEFT_FEATURES), "svm": tuple(name for name, _ in PAPER_LEFT)}
TOP_NAMES = {"boosted": tuple(name for name, _ in TOP_FEATURES), "svm": tuple(name for name, _ in PAPER_TOP)}
LONG = 2_000  # labels; a longer strand lists records and is read by rules alone
BY_RULES = 0.95  # how sure that is


def left_view(attributes: Attributes, method: ParentMethod, ladder: Indices | None = None) -> PairView:
    """The candidate pairs of a strand by one method; the ladder may be given where it is known."""
    ladder = climb(attributes) if ladder is None else ladder
    paper = method == "svm"
    pairs = differing_pairs(paper_style(attributes)) if paper else climbing_pairs(attributes, ladder)
    return PairView(attributes, ladder, pairs)


def left_table(view: PairView, method: ParentMethod) -> Numbers:
    """The features of a strand's pairs by one method."""
    return compute_features(view, PAPER_LEFT if method == "svm" else LEFT_FEATURES)


def left_parents(
    strands: Sequence[Attributes], weights: Weights, method: ParentMethod
) -> Iterator[tuple[Indices, Numbers]]:
    """The parent of each label of each strand; all that need scores are scored together."""
    ladders = [climb(attributes) for attributes in strands]
    views: list[PairView | None] = []
    for attributes, ladder in zip(strands, ladders, strict=True):
        told = _is_plain(attributes, ladder) or len(attributes) > LONG
        views.append(None if told else left_view(attributes, method, ladder))
    open_views = [view for view in views if view]
    scores = left_scores(join_views(open_views), weights, method) if open_views else np.zeros(0)
    decode = enforce_tree if method == "svm" else outline
    first = 0
    for attributes, ladder, view in zip(strands, ladders, views, strict=True):
        if view is None:
            yield ladder, np.full(len(attributes), 1.0 if _is_plain(attributes, ladder) else BY_RULES)
            continue
        last = first + len(view.up)
        yield decode(len(attributes), (view.up, view.down), scores[first:last])
        first = last


def _is_plain(attributes: Attributes, ladder: Indices) -> bool:
    """Whether all labels look alike and none stands under another by the rules."""
    return not attributes.look.any() and bool((ladder == ROOT).all())


def left_scores(view: PairView, weights: Weights, method: ParentMethod) -> Numbers:
    """The score of each pair: a probability by the SVM, log-odds by the boosted trees."""
    if method == "svm":
        return weights.linear(LEFT_WEIGHTS[method], LEFT_NAMES[method]).probabilities(left_table(view, method))
    boosted = weights.boosted(LEFT_WEIGHTS[method], LEFT_NAMES[method])
    return boosted.scores(compute_features(view, LEFT_FEATURES, boosted.asked))[:, 0]


def top_table(view: TopView, method: ParentMethod) -> Numbers:
    """The features of the pairs of heads by one method."""
    return compute_top_features(view, PAPER_TOP if method == "svm" else TOP_FEATURES)


def top_parents(
    heads: Sequence[tuple[HeaderCells, Sequence[int]]], weights: Weights, method: ParentMethod
) -> Iterator[tuple[Indices, Numbers]]:
    """The parent of each header cell of frames with their value columns; all that need scores are scored together."""
    levelled = [Head(cells, values, top_pairs(cells)) for cells, values in heads if cells.level.any()]
    scores = top_scores(TopView(levelled), weights, method) if levelled else np.zeros(0)
    scored = iter(levelled)
    first = 0
    for cells, values in heads:
        if not cells.level.any():
            yield np.full(len(cells), ROOT, dtype=np.intp), np.ones(len(cells))
            continue
        pairs = next(scored).pairs
        last = first + len(pairs[0])
        common = _common_cells(cells, values) if method == "boosted" else {}
        yield enforce_tree(len(cells), pairs, scores[first:last], common)
        first = last


def _common_cells(cells: HeaderCells, values: Sequence[int]) -> dict[int, int]:
    """A cell of the last header row that lies over all values, below several others: it stands under none of them."""
    columns, bottom = list(values), len(cells.own) - 1
    common = {int(cell) for cell in cells.own[bottom, columns]} if columns else set()
    above = [{int(cell) for cell in row if cell != NONE} for row in cells.reach[:bottom, columns]]
    apart = all(len(row) > 1 for row in above if row) and any(above)
    (cell,) = common if len(common) == 1 else (NONE,)
    return {cell: ROOT} if cell != NONE and apart and cells.level[cell] == bottom else {}


def top_scores(view: TopView, weights: Weights, method: ParentMethod) -> Numbers:
    """The probability of each pair of heads."""
    load = weights.linear if method == "svm" else weights.boosted
    return load(TOP_WEIGHTS[method], TOP_NAMES[method]).probabilities(top_table(view, method))
