"""The paper's own way to genuine tables: sixteen features, a decision tree and an RBF support vector machine.

In: the labelled tables of webtables but those of the fold left out. Out: the weights `genuine_words`, `genuine_tree`
and `genuine_svm` (Wang, thesis chapter 6; Wang and Hu 2002). As in section 6.6, the word group feature of a training
table comes from words counted in other parts of the training set.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from tabellion.learn.cards import Card, write_card
from tabellion.learn.folds import FOLDS
from tabellion.learn.genuine import figures, genuine_examples, material, weight_of
from tabellion.learn.web_cases import WebCase
from tabellion.learn.word_groups import learn_words
from tabellion.locate.genuine import PAPER_ROWS, SVM, TREE, WORDS
from tabellion.locate.paper_features import PAPER_FEATURES, tamed
from tabellion.locate.table_words import count_words
from tabellion.weights.boosted import Boosted
from tabellion.weights.kernel import Kernel
from tabellion.weights.words import FORMS, WordGroups

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


def train_genuine_paper(folder: Path, left_out: int | None = None) -> None:
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
        kept = {key: value for key, value in scores.items() if key.startswith(name.removeprefix("genuine_"))}
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
def _training(left_out: int | None) -> tuple[tuple[WebCase, ...], Rows, WordGroups]:
    """The cases that may be seen, with all features; words are counted in the other parts, for each part in turn."""
    cases, rows, words = _examples()
    seen = [at for at, case in enumerate(cases) if case.fold != left_out]
    groups = np.zeros((len(cases), len(FORMS)))
    for part in range(FOLDS):
        own = [at for at in seen if cases[at].fold == part]
        others = [at for at in seen if cases[at].fold != part]
        if own:
            learned = learn_words([words[at] for at in others], [cases[at].genuine for at in others])
            groups[own] = learned.features([words[at] for at in own])
    everything = learn_words([words[at] for at in seen], [cases[at].genuine for at in seen])
    return tuple(cases[at] for at in seen), np.hstack([rows, groups])[seen], everything


def _tested(fold: int, words: WordGroups) -> tuple[list[WebCase], Rows]:
    cases, rows, counted = _examples()
    tested = [at for at, case in enumerate(cases) if case.fold == fold]
    features = words.features([counted[at] for at in tested])
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
