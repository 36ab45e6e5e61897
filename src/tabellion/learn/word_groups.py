"""Learning what words say of genuine tables: weights, clusters and neighbours (Wang, section 6.3.3).

In: the words of labelled tables. Out: a `WordGroups`. Words are clustered by what they say of the class (Baker and
McCallum 1998): they are taken in order of how much they tell; each starts a cluster of its own, and when there are
more than M the two that say most nearly the same become one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tabellion.weights.words import WordGroups

CLUSTERS = 120  # M, as in the paper
_LEAST_TABLES = 3  # tables that a word must occur in; a tenth of a per cent of the paper's are eleven
_STOPWORDS = frozenset(
    "the of and to in for is on that by with this be at are as from it was or an have has not you your we our".split()  # noqa: SIM905
)


def learn_words(tables: Sequence[Counter[str]], genuine: Sequence[bool]) -> WordGroups:
    """The weights of all words that are not too rare."""
    labels = np.array(genuine, dtype=bool)
    documents = Counter(word for counts in tables for word in counts)
    words = tuple(
        sorted(word for word, count in documents.items() if count >= _LEAST_TABLES and word not in _STOPWORDS)
    )
    place = {word: at for at, word in enumerate(words)}
    times, held = np.zeros((2, len(words))), np.zeros((2, len(words)))
    for counts, label in zip(tables, labels.tolist(), strict=True):
        for word, count in counts.items():
            if word in place:
                times[int(label), place[word]] += count
                held[int(label), place[word]] += 1
    of_layout, of_genuine = max(1, int((~labels).sum())), max(1, int(labels.sum()))
    cluster = _cluster(times, max(1, of_layout), max(1, of_genuine))
    count = int(cluster.max(initial=0)) + 1
    sums = np.stack([np.bincount(cluster, weights=row, minlength=count) for row in times])
    chance = (sums + 1) / (count + sums.sum(axis=1, keepdims=True))
    vectors = np.zeros((len(tables), count))
    for row, counts in zip(vectors, tables, strict=True):
        for word, number in counts.items():
            if word in place:
                row[cluster[place[word]]] += number
    lengths = np.maximum(1e-9, np.linalg.norm(vectors, axis=1, keepdims=True))
    return WordGroups(
        words=words,
        genuine=_weights(times[1], held[1], held[0], of_genuine, of_layout),
        layout=_weights(times[0], held[0], held[1], of_layout, of_genuine),
        cluster=cluster,
        odds=np.log(chance[1] / chance[0]),
        prior=math.log(of_genuine / of_layout),
        tables=(vectors / lengths).astype(np.float32),
        labels=np.where(labels, 1, -1).astype(np.float32),
    )


def _weights(
    times: NDArray[np.float64], held: NDArray[np.float64], others: NDArray[np.float64], own: int, other: int
) -> NDArray[np.float64]:
    """Equations 6.1 and 6.2."""
    ratio = np.where(others > 0, held / own * other / np.maximum(1, others), held / own * max(own, other))
    return np.asarray(times * np.log(ratio + 1))


def _cluster(times: NDArray[np.float64], of_layout: int, of_genuine: int) -> NDArray[np.int32]:
    """The cluster of each word, by the share of genuine tables that it speaks of."""
    total = times.sum(axis=0)
    share = (times[1] + 0.5) / (total + 1)
    base = of_genuine / (of_genuine + of_layout)
    telling = total * np.abs(share - base)
    groups: list[tuple[float, float, list[int]]] = []  # share of genuine, weight, words; in order of share
    for word in np.argsort(-telling, kind="stable").tolist():
        at = next((i for i, group in enumerate(groups) if group[0] > share[word]), len(groups))
        groups.insert(at, (float(share[word]), float(total[word]), [word]))
        if len(groups) > CLUSTERS:
            _merge_nearest(groups)
    cluster = np.zeros(times.shape[1], dtype=np.int32)
    for number, (_, _, members) in enumerate(groups):
        cluster[members] = number
    return cluster


def _merge_nearest(groups: list[tuple[float, float, list[int]]]) -> None:
    """Make one cluster of the two neighbours whose mean divergence from their mixture is least."""
    least, at = math.inf, 0
    for i in range(len(groups) - 1):
        cost = _divergence(groups[i], groups[i + 1])
        if cost < least:
            least, at = cost, i
    (first, weight, members), (second, other, more) = groups[at], groups.pop(at + 1)
    together = weight + other
    groups[at] = ((first * weight + second * other) / together, together, members + more)


def _divergence(one: tuple[float, float, list[int]], other: tuple[float, float, list[int]]) -> float:
    """The mean Kullback-Leibler divergence to the mixture, each weighted by how often it occurs."""
    mixed = (one[0] * one[1] + other[0] * other[1]) / (one[1] + other[1])
    return sum(weight * _relative(share, mixed) for share, weight, _ in (one, other))


def _relative(share: float, mixed: float) -> float:
    return share * math.log(share / mixed) + (1 - share) * math.log((1 - share) / (1 - mixed))
