"""What is told of each cell of a page's candidates, summed up over some of the cells of each: many sums in one go.

In: the candidates of a page. Out: `CellSums`: of each fact that a feature asks for, its sum and its mean over all cells
of a candidate, or over those of some part of it (the first row, what is below it, ...). A page has a few dozen
candidates of a few cells each, so that the number of calls is what costs time. Fails to stay small on huge pages:
facts × cells are held at once, so callers ask for some candidates at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import CandidateView, Floats
from tabellion.locate.cell_kinds import Kind
from tabellion.locate.line_views import LineViews

EVERY = "every"  # the part that has all cells
Pair = tuple[str, str]  # a fact, and the part over which it is summed up
Tell = Callable[[CandidateView, LineViews], NDArray[np.generic]]


def _styled(number: int) -> Tell:
    """A fact of the style of each cell."""
    return lambda view, _: view.once("styled", lambda: _tell_styles(view))[number]


def _tell_styles(view: CandidateView) -> NDArray[np.bool_]:
    """Of the style of each cell: bold, filled, set at the right, set at the top, bordered; facts × cells."""
    told = [
        (s.bold, s.fill is not None, s.align == "right", s.valign == "top", s.border_bottom or s.border_top)
        for s in view.page.styles
    ]
    return np.asarray(np.array(told, dtype=bool)[view.cells.style].T)


def _line_counts(view: CandidateView) -> NDArray[np.generic]:
    texts = view.cells.text.tolist()
    if not any("\n" in text for text in texts):
        return np.ones(len(texts))
    return np.array([text.count("\n") + 1 for text in texts])


def is_figure(view: CandidateView) -> NDArray[np.bool_]:
    """Whether each cell is a number or a date."""
    return view.once("figure", lambda: (view.kind == int(Kind.NUMBER)) | (view.kind == int(Kind.DATE)))


FACTS: dict[str, Tell] = {
    EVERY: lambda v, _: np.ones(len(v.of)),
    "filled": lambda v, _: v.filled,
    "counts": lambda _, n: n.counts,
    "top": lambda _, n: n.top,
    "below": lambda _, n: n.below,
    "left": lambda _, n: n.left,
    "beside": lambda _, n: n.beside,
    "corner": lambda _, n: n.top & n.in_first_column,
    "full width": lambda v, n: v.filled & ~n.counts,
    "spanning": lambda v, _: v.spanning,
    "heading": lambda v, _: v.heading,
    "nested": lambda v, _: v.cells.nested,
    "length": lambda v, _: v.cells.length,
    "left length": lambda v, n: v.cells.length * n.left,
    "top length": lambda v, n: v.cells.length * n.top,
    "prose length": lambda v, _: v.cells.length * (v.kind == int(Kind.PROSE)),
    "linked": lambda v, _: v.cells.linked,
    "links": lambda v, _: v.cells.links,
    "has links": lambda v, _: v.cells.links > 0,
    "many links": lambda v, _: v.cells.links > 2,
    "images": lambda v, _: v.cells.images,
    "has images": lambda v, _: v.cells.images > 0,
    "forms": lambda v, _: v.cells.forms,
    "items": lambda v, _: v.cells.items,
    "lines": lambda v, _: _line_counts(v),
    "figure": lambda v, _: is_figure(v),
    "label": lambda v, _: v.kind == int(Kind.LABEL),
    "bold": _styled(0),
    "fill": _styled(1),
    "right": _styled(2),
    "set at the top": _styled(3),
    "bordered": _styled(4),
}


class CellSums(msgspec.Struct, frozen=True, eq=False):
    """Sums of facts over the cells of each candidate."""

    rows: dict[Pair, int]
    sums: Floats  # pairs × candidates
    means: Floats  # over parts, in the order of the plan; nought where a part has no cells

    def sum(self, fact: str) -> Floats:
        """The sum over all cells."""
        return np.asarray(self.sums[self.rows[fact, EVERY]])


class SumPlan:
    """Which means over parts and which sums over all cells are wanted; drawn up once."""

    def __init__(self, means: tuple[Pair, ...], sums: tuple[str, ...]) -> None:
        parts = dict.fromkeys(part for _, part in means)
        pairs = dict.fromkeys([*means, *((name, EVERY) for name in (*parts, *sums))])
        facts = list(dict.fromkeys(name for pair in pairs for name in pair))
        self._rows = {pair: row for row, pair in enumerate(pairs)}
        self._tell = [FACTS[name] for name in facts]
        self._facts, self._parts = np.array([[facts.index(name) for name in pair] for pair in pairs]).T
        self._means = np.array([self._rows[pair] for pair in means])
        self._sizes = np.array([self._rows[part, EVERY] for _, part in means])

    def sum_up(self, view: CandidateView, lines: LineViews) -> CellSums:
        told = np.empty((len(self._tell), len(view.of)))
        for row, tell in zip(told, self._tell, strict=True):
            row[:] = tell(view, lines)
        sums = np.add.reduceat(told[self._facts] * told[self._parts], view.starts, axis=1)
        return CellSums(self._rows, sums, sums[self._means] / np.maximum(1e-9, sums[self._sizes]))
