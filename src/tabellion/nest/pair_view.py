"""Candidate pairs of a strand with what their features are computed from, on whole arrays.

In: attributes, the ladder's first reading, candidate pairs. Out: a view that gives any property of parent and child of
all pairs at once, counts of labels between them, and the tables of a strand as a whole. Everything is linear in the
number of pairs (times a logarithm), since a strand may have a hundred thousand labels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import Attributes, Flags, Indices, Numbers
from tabellion.nest.candidates import ROOT, Pairs


class PairView:
    """All candidate pairs of one strand; arrays have one entry a pair. The root has neutral properties."""

    def __init__(self, attributes: Attributes, ladder: Indices, pairs: Pairs) -> None:
        self.attributes, self.ladder = attributes, ladder
        self.up, self.down = pairs
        self.is_root: Flags = self.up == ROOT
        self.count = len(attributes)
        self._first, self._last = np.minimum(self.up, self.down) + 1, np.maximum(self.up, self.down)
        self._memory: dict[str, NDArray[Any]] = {}

    def once(self, name: str, compute: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """A table of the strand, computed at its first use."""
        if name not in self._memory:
            self._memory[name] = compute()
        return self._memory[name]

    def label(self, name: str) -> Numbers:
        """A property of every label of the strand, by name, looks and words alike."""
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
        held = np.empty(len(values) + 1)
        held[:-1], held[-1] = values, root
        return held[self.up]

    def first_below(self, values: NDArray[Any]) -> Numbers:
        """A label's number at the label right below the parent of each pair: its first child if it has one."""
        return np.asarray(values.astype(np.float64)[np.minimum(self.up + 1, self.down)])

    def right_above(self, values: NDArray[Any], none: float = 0.0) -> Numbers:
        """A label's number at the label right above the child of each pair."""
        return np.asarray(np.concatenate([[none], values.astype(np.float64)[:-1]])[self.down])

    def between(self, flags: NDArray[Any]) -> Numbers:
        """How many labels strictly between parent and child have a flag (or the sum of a number)."""
        total = np.zeros(len(flags) + 1)
        np.cumsum(flags, dtype=np.float64, out=total[1:])
        return np.asarray(total[self._last] - total[self._first])

    def alike_between(self, kind: Indices, wanted: Indices) -> Numbers:
        """How many labels strictly between the pair are of the wanted kind (one a pair)."""
        keys = np.sort(kind * (self.count + 1) + np.arange(self.count))
        sought = wanted * (self.count + 1)
        counted = np.searchsorted(keys, sought + self._last) - np.searchsorted(keys, sought + self._first)
        return np.asarray(counted, dtype=np.float64)

    def least_between(self, values: Numbers) -> Numbers:
        """The smallest number strictly between parent and child; infinity where nothing stands between."""
        table = _minimum_table(values)
        low, high = self._first, self._last
        length = high - low
        level = np.zeros(len(length), dtype=np.intp)
        some = length > 0
        level[some] = np.log2(length[some]).astype(np.intp)
        result = np.full(len(length), np.inf)
        start, end = low[some], high[some] - (1 << level[some])
        result[some] = np.minimum(table[level[some], start], table[level[some], end])
        return result


def _minimum_table(values: Numbers) -> Numbers:
    """Minima of all stretches whose length is a power of two."""
    rows = [values]
    width = 1
    while 2 * width <= len(values):
        above = rows[-1]
        shorter = np.full(len(values), np.inf)
        shorter[: len(values) - width] = np.minimum(above[: len(values) - width], above[width:])
        rows.append(shorter)
        width *= 2
    return np.stack(rows)
