"""What words say of genuine tables (Wang, thesis chapter 6, section 6.3.3): three forms of one feature.

In: the words of a table with their counts. Out: the word group feature in its vector-space form (equation 6.3), its
naive Bayes form (6.11, as a logarithm: the product of many words leaves every number behind) and its weighted
nearest-neighbour form (6.12).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.weights.contract import VERSION, read_arrays, write_arrays

FORMS = ("word group, vector space", "word group, naive Bayes", "word group, nearest neighbours")
_NEIGHBOURS = 15  # the paper names no number
_ONLY_GENUINE = 10.0  # the value where no word speaks for layout (equation 6.3)


class WordGroups(msgspec.Struct, frozen=True, eq=False):
    """Weights of words for genuine and for layout tables, their clusters, and the tables they were counted in."""

    words: tuple[str, ...]
    genuine: NDArray[np.float64]  # equation 6.1
    layout: NDArray[np.float64]  # equation 6.2
    cluster: NDArray[np.int32]
    odds: NDArray[np.float64]  # of each cluster: the logarithm of equation 6.4 over 6.5
    prior: float  # the logarithm of the ratio of genuine to layout tables
    tables: NDArray[np.float32]  # one row per table seen: counts of clusters, scaled to length 1
    labels: NDArray[np.float32]  # 1 for genuine, -1 for layout

    inputs: tuple[str, ...] = FORMS  # the forms that are told, in order: what goes in are words
    version: int = VERSION

    @classmethod
    def load(cls, path: Path) -> WordGroups:
        about, arrays = read_arrays(path)
        told: dict[str, Any] = {"inputs": tuple(about.get("features", ())), "version": about["version"]}
        return cls(tuple(about["words"]), prior=about["prior"], **told, **arrays)

    def save(self, path: Path) -> None:
        names = ("genuine", "layout", "cluster", "odds", "tables", "labels")
        about = {"words": self.words, "prior": self.prior, "features": self.inputs}
        write_arrays(path, about, {name: getattr(self, name) for name in names})

    def tell(self, tables: list[Counter[str]]) -> NDArray[np.float64]:
        """One row per table, in the order of FORMS."""
        place = {word: at for at, word in enumerate(self.words)}
        found = np.zeros((len(tables), len(FORMS)))
        for row, counts in zip(found, tables, strict=True):
            known = [(place[word], count) for word, count in counts.items() if word in place]
            at = np.array([number for number, _ in known], dtype=np.intp)
            times = np.array([count for _, count in known], dtype=np.float64)
            row[0] = self._vector_space(at, times)
            row[1] = self.prior + float(self.odds[self.cluster[at]] @ times)
            row[2] = self._nearest(at, times)
        return found

    def _vector_space(self, at: NDArray[np.intp], times: NDArray[np.float64]) -> float:
        speaks, against = (_cosine(weights[at], times) for weights in (self.genuine, self.layout))
        if against:
            return speaks / against
        return _ONLY_GENUINE if speaks else 1.0

    def _nearest(self, at: NDArray[np.intp], times: NDArray[np.float64]) -> float:
        vector = np.bincount(self.cluster[at], weights=times, minlength=self.tables.shape[1])
        length = float(np.linalg.norm(vector))
        if not length or not len(self.tables):
            return 0.0
        likeness = self.tables @ (vector / length)
        nearest = np.argsort(-likeness)[:_NEIGHBOURS]
        total = float(likeness[nearest].sum())
        return float((likeness[nearest] * self.labels[nearest]).sum()) / total if total else 0.0


def _cosine(weights: NDArray[np.float64], times: NDArray[np.float64]) -> float:
    length = float(np.linalg.norm(weights))
    return float(times @ weights) / length if length else 0.0
