"""Candidate pairs of one strand or more with what their features are computed from, on whole arrays.

In: attributes, the ladder's first reading, candidate pairs. Out: a view that gives any property of parent and child of
all pairs at once, counts of labels between them, and the tables of a strand as a whole. Everything is linear in the
number of pairs (times a logarithm), since a strand may have a hundred thousand labels. Many short strands are seen
together (`join_views`): what costs is then the labels, not the strands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import ROOT, Attributes, Flags, Indices, Numbers, Pairs, join_strands

Made = TypeVar("Made")


class PairView:
    """All candidate pairs of the strands; arrays have one entry per pair. The root has neutral properties."""

    def __init__(self, attributes: Attributes, ladder: Indices, pairs: Pairs) -> None:
        self.attributes, self.ladder = attributes, ladder
        self.up, self.down = pairs
        self.count = len(attributes)
        self._memory: dict[str, Any] = {}

    @cached_property
    def is_root(self) -> Flags:
        return np.asarray(self.up == ROOT)

    @cached_property
    def starts(self) -> Indices:
        """The first label of each strand."""
        return np.flatnonzero(self.attributes.first)

    @cached_property
    def lengths(self) -> Indices:
        """How many labels each strand has."""
        return np.diff(self.starts, append=self.count)

    @cached_property
    def strand(self) -> Indices:
        """For each label the number of its strand."""
        return np.cumsum(self.attributes.first) - 1

    @cached_property
    def start(self) -> Indices:
        """For each pair the first label of its strand."""
        return np.asarray(self.starts[self.strand[self.down]])

    @cached_property
    def above(self) -> Indices:
        """The parent of each pair; the root stands right above the first label of its strand."""
        return np.where(self.is_root, self.start - 1, self.up)

    @cached_property
    def _first(self) -> Indices:
        return np.minimum(self.above, self.down) + 1

    @cached_property
    def _last(self) -> Indices:
        return np.maximum(self.above, self.down)

    def once(self, name: str, compute: Callable[[], Made]) -> Made:
        """A table of the strands, computed at its first use."""
        memory: dict[str, Made] = self._memory
        if name not in memory:
            memory[name] = compute()
        return memory[name]

    def label(self, name: str) -> Numbers:
        """A property of every label, by name, looks and words alike."""
        return self.once(f"label {name}", lambda: self._property(name))

    def _property(self, name: str) -> Numbers:
        found = getattr(self.attributes, name, None)
        if found is None:
            found = self.attributes.said(name)
        return np.asarray(found, dtype=np.float64)

    def parent(self, name: str) -> Numbers:
        return self.once(f"parent {name}", lambda: self.of_parent(self.label(name)))

    def child(self, name: str) -> Numbers:
        return self.once(f"child {name}", lambda: self.label(name)[self.down])

    def of_parent(self, values: NDArray[Any], root: float = 0.0) -> Numbers:
        """A label's number at the parent of each pair; `root` where that is the root."""
        return np.where(self.is_root, root, values[self.up])

    def kind_of_parent(self, kind: Indices, root: int | Indices) -> Indices:
        """The same of a kind."""
        return np.where(self.is_root, root, kind[self.up])

    def of_strand(self, values: NDArray[Any]) -> NDArray[Any]:
        """A number of each strand at every pair of it."""
        return np.asarray(values[self.strand][self.down])

    def first_below(self, values: NDArray[Any]) -> Numbers:
        """A label's number at the label right below the parent of each pair: its first child if it has one."""
        return np.asarray(values[np.minimum(self.above + 1, self.down)], dtype=np.float64)

    def right_above(self, values: NDArray[Any], none: float = 0.0) -> Numbers:
        """A label's number at the label right above the child of each pair."""
        return np.where(self.attributes.first[self.down], none, values[self.down - 1])

    def between(self, flags: NDArray[Any]) -> Numbers:
        """How many labels strictly between parent and child have a flag (or the sum of a number)."""
        total = np.zeros(len(flags) + 1)
        np.cumsum(flags, dtype=np.float64, out=total[1:])
        return np.asarray(total[self._last] - total[self._first])

    def alike_between(self, kind: Indices, wanted: Indices) -> Numbers:
        """How many labels strictly between the pair are of the wanted kind (one per pair)."""
        keys = np.sort(kind * (self.count + 1) + np.arange(self.count))
        sought = wanted * (self.count + 1)
        counted = np.searchsorted(keys, sought + self._last) - np.searchsorted(keys, sought + self._first)
        return np.asarray(counted, dtype=np.float64)

    def least_between(self, values: Numbers) -> Numbers:
        """The smallest number strictly between parent and child; infinity where nothing stands between."""
        table = _minimum_table(values, int(self.lengths.max(initial=0)))
        low, high = self._first, self._last
        length = high - low
        level = np.zeros(len(length), dtype=np.intp)
        some = length > 0
        level[some] = np.log2(length[some]).astype(np.intp)
        result = np.full(len(length), np.inf)
        start, end = low[some], high[some] - (1 << level[some])
        result[some] = np.minimum(table[level[some], start], table[level[some], end])
        return result


def join_views(views: Sequence[PairView]) -> PairView:
    """The pairs of several views, one after the other."""
    if len(views) == 1:
        return views[0]
    before = list(accumulate((view.count for view in views[:-1]), initial=0))
    moved = list(zip(views, before, strict=True))
    return PairView(
        join_strands([view.attributes for view in views]),
        np.concatenate([_moved(view.ladder, labels) for view, labels in moved]),
        (
            np.concatenate([_moved(view.up, labels) for view, labels in moved]),
            np.concatenate([view.down + labels for view, labels in moved]),
        ),
    )


def _moved(labels: Indices, before: int) -> Indices:
    return np.where(labels == ROOT, ROOT, labels + before)


def count_each(keys: Indices, wanted: Indices) -> Indices:
    """How often each of the wanted keys occurs."""
    keys = np.sort(keys)
    return np.searchsorted(keys, wanted, "right") - np.searchsorted(keys, wanted)


def _minimum_table(values: Numbers, longest: int) -> Numbers:
    """Minima of all stretches whose length is a power of two, up to the longest."""
    rows = [values]
    width = 1
    while 2 * width <= longest:
        above = rows[-1]
        shorter = np.full(len(values), np.inf)
        shorter[: len(values) - width] = np.minimum(above[: len(values) - width], above[width:])
        rows.append(shorter)
        width *= 2
    return np.stack(rows)
