"""Learning genuine tables in the paper's own way (Wang, thesis chapter 6).

The paper's own way to genuine tables: sixteen features, a decision tree and an RBF support vector machine. In: the
labelled tables of webtables but those of the fold left out. Out: the weights `genuine_words`, `genuine_tree` and
`genuine_svm` (Wang, thesis chapter 6; Wang and Hu 2002). As in section 6.6, the word group feature of a training table
comes from words counted in other parts of the training set.

Learning what words say of genuine tables: weights, clusters and neighbours (Wang, section 6.3.3). In: the words of
labelled tables. Out: a `WordGroups`. Words are clustered by what they say of the class (Baker and McCallum 1998): they
are taken in order of how much they tell; each starts a cluster of its own, and when there are more than M the two that
say most nearly the same become one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tabellion.learn.corpora import FOLDS, LeftOut, is_seen
from tabellion.learn.training import Card, write_card
from tabellion.learn.web.cases import WebCase
from tabellion.learn.web.tables import figures, genuine_examples, material, weight_of
from tabellion.locate.papers.wang import PAPER_FEATURES, count_words, tamed
from tabellion.locate.web.genuine import PAPER_ROWS, SVM, TREE, WORDS
from tabellion.weights.boosted import Boosted
from tabellion.weights.linear import FORMS, Kernel, WordGroups

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
        genuine=_word_weights(times[1], held[1], held[0], of_genuine, of_layout),
        layout=_word_weights(times[0], held[0], held[1], of_layout, of_genuine),
        cluster=cluster,
        odds=np.log(chance[1] / chance[0]),
        prior=math.log(of_genuine / of_layout),
        tables=(vectors / lengths).astype(np.float32),
        labels=np.where(labels, 1, -1).astype(np.float32),
    )


def _word_weights(
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


LAYOUT = tuple(range(7))
CONTENT = tuple(range(7, 15))
GROUPS: dict[str, tuple[int, ...]] = {
    "L": LAYOUT,
    "T": CONTENT,
    "LT": LAYOUT + CONTENT,
    "LTW-VS": (*LAYOUT, *CONTENT, 15),
    "LTW-NB": (*LAYOUT, *CONTENT, 16),
    "LTW-KNN": (*LAYOUT, *CONTENT, 17),
}
"""The feature groups of Table 6.2, as columns of the fifteen features and the three forms of the word group."""

_DEPTH, _LEAF, _GAIN = 10, 3, 2e-3  # when a tree stops growing: deep enough, too few tables, too little gained
_COST, _GAMMA = 10.0, 0.02
_SMOOTH = 1.0  # added to the counts of a leaf
_SLOPE = 4.0  # of the sigmoid over distances from the border; the margin is at about 0.98

Rows = NDArray[np.float64]


def train_genuine_paper(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights of the words, the tree and the support vector machine."""
    scores = paper_scores() if left_out is None else {}
    seen, rows, words = _training(left_out)
    columns = list(GROUPS["LTW-VS"])
    words.save(folder / f"{WORDS}.npz")
    _tree(rows[:, columns], seen).save(folder / f"{TREE}.npz")
    _svm(tamed(rows[:, columns]), seen).save(folder / f"{SVM}.npz")
    methods = {
        WORDS: "word groups of Wang, section 6.3.3",
        TREE: "decision tree over the sixteen features of Wang, section 6.3",
        SVM: "RBF support vector machine over the sixteen features of Wang, section 6.3",
    }
    for name, method in methods.items():
        told = "tree LTW" if name == WORDS else name.removeprefix("genuine_")
        kept = {key: value for key, value in scores.items() if key.startswith(told)}
        write_card(folder, Card(name, method, {"webtables": material(left_out)["webtables"]}, left_out, kept))


def paper_scores() -> dict[str, float]:
    """F of every feature group with a tree, and of both classifiers with the best group, on sites not seen."""
    found: dict[str, float] = {}
    for name, columns in GROUPS.items():
        for kind in ("tree", "svm") if name == "LTW-VS" else ("tree",):
            result = figures(_chances(kind, list(columns)))
            for figure in ("sure precision", "sure recall", "sure F", "hand F"):
                found[f"{kind} {name} {figure}"] = result[figure]
    return found


def _chances(kind: str, columns: list[int]) -> dict[int, float]:
    chance: dict[int, float] = {}
    for fold in range(FOLDS):
        seen, rows, words = _training(fold)
        tested, test_rows = _tested(fold, words)
        if kind == "tree":
            odds = _tree(rows[:, columns], seen).probabilities(test_rows[:, columns])
        else:
            odds = _svm(tamed(rows[:, columns]), seen).probabilities(tamed(test_rows[:, columns]))
        chance |= {id(case): value for case, value in zip(tested, odds.tolist(), strict=True)}
    return chance


@lru_cache(maxsize=1)
def _examples() -> tuple[tuple[WebCase, ...], Rows, tuple[Counter[str], ...]]:
    """The cases of webtables with the paper's fifteen features and their words."""
    cases, rows = genuine_examples()
    kept = [at for at, case in enumerate(cases) if case.corpus == "webtables"]
    words = tuple(count_words(cases[at].page, cases[at].number) for at in kept)
    return tuple(cases[at] for at in kept), rows[kept][:, : len(PAPER_FEATURES)], words


@lru_cache(maxsize=FOLDS + 1)
def _training(left_out: LeftOut) -> tuple[tuple[WebCase, ...], Rows, WordGroups]:
    """The cases that may be seen, with all features; words are counted in the other parts, for each part in turn."""
    cases, rows, words = _examples()
    seen = [at for at, case in enumerate(cases) if is_seen(case.corpus, case.fold, left_out)]
    groups = np.zeros((len(cases), len(FORMS)))
    for part in range(FOLDS):
        own = [at for at in seen if cases[at].fold == part]
        others = [at for at in seen if cases[at].fold != part]
        if own:
            learned = learn_words([words[at] for at in others], [cases[at].genuine for at in others])
            groups[own] = learned.tell([words[at] for at in own])
    everything = learn_words([words[at] for at in seen], [cases[at].genuine for at in seen])
    return tuple(cases[at] for at in seen), np.hstack([rows, groups])[seen], everything


def _tested(fold: int, words: WordGroups) -> tuple[list[WebCase], Rows]:
    cases, rows, counted = _examples()
    tested = [at for at, case in enumerate(cases) if case.fold == fold]
    features = words.tell([counted[at] for at in tested])
    return [cases[at] for at in tested], np.hstack([rows[tested], features])


def _labels(cases: tuple[WebCase, ...]) -> NDArray[np.int64]:
    return np.array([case.genuine for case in cases], dtype=np.int64)


def _weights(cases: tuple[WebCase, ...]) -> Rows:
    return np.array([weight_of(case) for case in cases])


def _tree(rows: Rows, cases: tuple[WebCase, ...]) -> Boosted:
    """A decision tree (section 6.4.1) as one tree of log-odds."""
    learned = DecisionTreeClassifier(
        max_depth=_DEPTH, min_samples_leaf=_LEAF, min_impurity_decrease=_GAIN, random_state=1
    ).fit(rows, _labels(cases), sample_weight=_weights(cases))
    tree = learned.tree_
    leaf = tree.children_left < 0
    itself = np.arange(tree.node_count)
    counts = tree.value[:, 0] * tree.weighted_n_node_samples[:, None] / tree.value[:, 0].sum(axis=1, keepdims=True)
    odds = np.log((counts[:, 1] + _SMOOTH) / (counts[:, 0] + _SMOOTH))
    return Boosted(
        features=PAPER_ROWS,
        classes=("layout", "genuine"),
        objective="binary",
        feature=np.where(leaf, 0, tree.feature)[None].astype(np.int32),
        threshold=np.where(leaf, np.inf, tree.threshold)[None],
        left=np.where(leaf, itself, tree.children_left)[None].astype(np.int32),
        right=np.where(leaf, itself, tree.children_right)[None].astype(np.int32),
        value=np.where(leaf, odds, 0.0)[None],
        depth=int(tree.max_depth),
    )


def _svm(rows: Rows, cases: tuple[WebCase, ...]) -> Kernel:
    """A support vector machine with an RBF kernel (section 6.4.2); features are scaled to mean 0, deviation 1."""
    mean, scale = rows.mean(axis=0), np.maximum(1e-9, rows.std(axis=0))
    learned = SVC(C=_COST, gamma=_GAMMA, kernel="rbf")
    learned.fit((rows - mean) / scale, _labels(cases), sample_weight=_weights(cases))
    return Kernel(
        features=PAPER_ROWS,
        mean=mean,
        scale=scale,
        vectors=learned.support_vectors_,
        coefficients=learned.dual_coef_[0],
        intercept=float(learned.intercept_[0]),
        gamma=_GAMMA,
        slope=_SLOPE,
    )
