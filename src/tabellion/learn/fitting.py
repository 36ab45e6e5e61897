"""Fitting of learned parts: boosted trees with LightGBM, chains with CRFsuite, handed on as plain weights.

Gradient-boosted trees become the plain arrays of `weights.boosted`. In: rows of numbers without gaps, labels, weights.
Out: a `Boosted`. The same rows always give the same trees: the seed is fixed and LightGBM is told to be deterministic.

Trees that stand on the judgement of other trees: what the second sees must be what the first says of the unseen. In:
examples by document, each with its fold. Out: trees over all of them, and for each document what trees that have not
seen its fold say of it. Chains of judges (a first look, a second look, a decision over both) are trained so.

Linear-chain conditional random fields become the plain weights of `weights.linear`. In: sequences of rows of noughts
and ones with a class each. Out: a `Chain`. Being first or last in a sequence is a feature of its own and becomes the
chain's start and end weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import msgspec
import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from tabellion.learn.corpora import remember
from tabellion.weights.boosted import Boosted
from tabellion.weights.linear import Chain


class BoostingSettings(msgspec.Struct, frozen=True):
    """How many trees, how large, how cautious. Kept small: the trees are shipped and run with numpy."""

    rounds: int = 100
    leaves: int = 15
    depth: int = -1  # of a tree at most; -1 for any. What is run costs as much as the deepest tree
    rate: float = 0.1
    least_rows: int = 10  # in a leaf
    ridge: float = 1.0
    columns: float = 0.5  # share of the features that each tree may see
    rows: float = 1.0  # share of the rows that each tree sees
    bins: int = 63
    random_splits: bool = False  # thresholds by chance: steadier where documents are few and rows look alike
    seed: int = 1
    members: int = 1  # models that differ in their seed, averaged: steadier than one of the same size


def train_boosted(
    rows: NDArray[np.floating],
    labels: NDArray[np.integer],
    features: Sequence[str],
    classes: Sequence[str],
    weights: NDArray[np.floating] | None = None,
    settings: BoostingSettings = BoostingSettings(),
) -> Boosted:
    """Trees for `labels` (numbers of `classes`): binary for two classes, else multiclass."""
    ingredients = (rows, labels, weights, features, classes, settings, f"lightgbm {lightgbm.__version__}")
    return remember(
        Boosted.load, ".npz", ingredients, lambda: _grow(rows, labels, features, classes, weights, settings)
    )


def _grow(
    rows: NDArray[np.floating],
    labels: NDArray[np.integer],
    features: Sequence[str],
    classes: Sequence[str],
    weights: NDArray[np.floating] | None,
    settings: BoostingSettings,
) -> Boosted:
    objective = "binary" if len(classes) == 2 else "multiclass"
    data = lightgbm.Dataset(rows, label=labels, weight=weights, params={"max_bin": settings.bins, "verbose": -1})
    boosters = [
        lightgbm.train(_parameters(objective, len(classes), settings, member), data, num_boost_round=settings.rounds)
        for member in range(settings.members)
    ]
    return boosted_of(boosters, features, classes, objective)


def boosted_of(
    boosters: Sequence[lightgbm.Booster], features: Sequence[str], classes: Sequence[str], objective: str
) -> Boosted:
    """The trees of LightGBM models as arrays; of several models the mean of what they say."""
    trees = [_flat(tree["tree_structure"]) for booster in boosters for tree in booster.dump_model()["tree_info"]]
    size = max(len(tree) for tree in trees)
    feature, left, right = (np.zeros((len(trees), size), dtype=np.int32) for _ in range(3))
    threshold, value = np.full((len(trees), size), np.inf), np.zeros((len(trees), size))
    for i, tree in enumerate(trees):
        for j, node in enumerate(tree):
            feature[i, j], threshold[i, j], left[i, j], right[i, j], value[i, j] = node
    return Boosted(
        features=tuple(features),
        classes=tuple(classes),
        objective=objective,
        feature=feature,
        threshold=threshold,
        left=left,
        right=right,
        value=value / len(boosters),
        depth=max(_depth(tree) for tree in trees),
    )


Node = tuple[int, float, int, int, float]


def _parameters(objective: str, classes: int, settings: BoostingSettings, member: int) -> dict[str, Any]:
    return {
        "objective": objective,
        **({"num_class": classes} if objective == "multiclass" else {}),
        "num_leaves": settings.leaves,
        "max_depth": settings.depth,
        "learning_rate": settings.rate,
        "min_data_in_leaf": settings.least_rows,
        "lambda_l2": settings.ridge,
        "feature_fraction": settings.columns,
        "bagging_fraction": settings.rows,
        "bagging_freq": int(settings.rows < 1),
        "max_bin": settings.bins,
        "extra_trees": settings.random_splits,
        "seed": settings.seed + member,
        "deterministic": True,
        "force_col_wise": True,
        "num_threads": 1,  # the same trees wherever it runs, and no slower beside other work
        "use_missing": False,
        "verbose": -1,
    }


def _flat(root: dict[str, Any]) -> list[Node]:
    """The nodes of a tree, the root first; a leaf leads to itself."""
    nodes: list[Node] = []

    def add(node: dict[str, Any]) -> int:
        at = len(nodes)
        nodes.append((0, np.inf, at, at, float(node.get("leaf_value", 0.0))))
        if "split_feature" in node:
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[at] = (int(node["split_feature"]), float(node["threshold"]), left, right, 0.0)
        return at

    add(root)
    return nodes


def _depth(nodes: list[Node]) -> int:
    def below(at: int) -> int:
        _, _, left, right, _ = nodes[at]
        return 0 if left == at else 1 + max(below(left), below(right))

    return below(0)


_PARTS = 3  # trees are trained so many times more, each time without a part of the folds


class Examples(msgspec.Struct, frozen=True, eq=False):
    """The examples of one document: what is seen, what is true, whether that is known; `weight` of each example."""

    fold: int
    rows: NDArray[np.floating]
    true: NDArray[np.bool_]
    known: NDArray[np.bool_]
    weight: float | NDArray[np.floating] = 1.0


def fit_trees(examples: Sequence[Examples], features: Sequence[str], settings: BoostingSettings) -> Boosted:
    """Trees over all known examples."""
    rows = np.concatenate([e.rows[e.known] for e in examples])
    labels = np.concatenate([e.true[e.known] for e in examples]).astype(np.int64)
    weights = np.concatenate([np.broadcast_to(e.weight, len(e.rows))[e.known] for e in examples])
    return train_boosted(rows, labels, features, ("no", "yes"), weights, settings)


class Across(msgspec.Struct, frozen=True, eq=False):
    """Trees over all examples, and trees that have each left out a part of the folds."""

    trees: Boosted
    without: tuple[Boosted, ...]

    def unseen(self, fold: int) -> Boosted:
        """Trees that have not seen a fold."""
        return self.without[fold % _PARTS]

    def figures(self, examples: Sequence[Examples]) -> dict[str, float]:
        """How well what is true is told of documents that were not seen."""
        chance = np.concatenate([said[e.known] for e, said in zip(examples, self.say(examples), strict=True)])
        true = np.concatenate([e.true[e.known] for e in examples])
        return judge_chances(chance, true)

    def say(self, examples: Sequence[Examples]) -> list[NDArray[np.float64]]:
        """The probabilities of each document's examples by trees that have not seen it."""
        return [self.unseen(e.fold).probabilities(e.rows) for e in examples]


def judge_unseen(examples: Sequence[Examples], features: Sequence[str], settings: BoostingSettings) -> dict[str, float]:
    """How well trees over some of these documents judge the others."""
    return fit_across(examples, features, settings).figures(examples)


def judge_chances(chance: NDArray[np.float64], true: NDArray[np.bool_]) -> dict[str, float]:
    """Precision, recall and F of what is said with a chance of one half and more, and the Brier score.

    >>> judge_chances(np.array([0.9, 0.8, 0.1]), np.array([True, False, False]))
    {'precision': 0.5, 'recall': 1.0, 'F': 0.6667, 'Brier score': 0.22}
    """
    said = chance >= 0.5
    hits = int((said & true).sum())
    precision, recall = hits / max(1, int(said.sum())), hits / max(1, int(true.sum()))
    return {
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "F": round(2 * precision * recall / max(1e-9, precision + recall), 4),
        "Brier score": round(float(((chance - true) ** 2).mean()), 4),
    }


def fit_across(examples: Sequence[Examples], features: Sequence[str], settings: BoostingSettings) -> Across:
    """Trees over all examples, and those that have not seen a part of them."""
    without = [
        fit_trees([e for e in examples if e.fold % _PARTS != part], features, settings) for part in range(_PARTS)
    ]
    return Across(fit_trees(examples, features, settings), tuple(without))


START, END = "^", "$"


class ChainSettings(msgspec.Struct, frozen=True):
    """How cautious, how long."""

    ridge: float = 1.0
    iterations: int = 80


DEFAULT = ChainSettings()

Labelled = tuple[NDArray[np.bool_], NDArray[np.integer]]
"""One sequence: (rows, features) and the number of the class of each row."""


def train_chain(
    sequences: Sequence[Labelled],
    features: Sequence[str],
    classes: Sequence[str],
    settings: ChainSettings = DEFAULT,
    inputs: Sequence[str] | None = None,
) -> Chain:
    """A chain for the given sequences; `inputs`: what its features are made from, where they are not put in as such."""
    told = (*(rows for rows, _ in sequences), *(labels for _, labels in sequences), features, classes, settings, inputs)
    return remember(Chain.load, ".json", told, lambda: _fit(sequences, features, classes, settings, inputs))


def _fit(
    sequences: Sequence[Labelled],
    features: Sequence[str],
    classes: Sequence[str],
    settings: ChainSettings,
    inputs: Sequence[str] | None,
) -> Chain:
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {"c2": settings.ridge, "max_iterations": settings.iterations, "feature.possible_transitions": True}
    )
    names = np.array([str(i) for i in range(len(features))], dtype=object)
    for rows, labels in sequences:
        if len(rows):
            items = [names[row].tolist() for row in rows]
            items[0].append(START)
            items[-1].append(END)
            trainer.append(items, [str(label) for label in labels.tolist()])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "chain")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        learned = tagger.info()
        tagger.close()
    chain = _chain_of(learned.state_features, learned.transitions, features, classes)
    return chain if inputs is None else msgspec.structs.replace(chain, inputs=tuple(inputs))


def _chain_of(
    states: dict[tuple[str, str], float],
    transitions: dict[tuple[str, str], float],
    features: Sequence[str],
    classes: Sequence[str],
) -> Chain:
    state = np.zeros((len(features), len(classes)))
    between = np.zeros((len(classes), len(classes)))
    ends = {START: np.zeros(len(classes)), END: np.zeros(len(classes))}
    for (feature, label), weight in states.items():
        if feature in ends:
            ends[feature][int(label)] = weight
        else:
            state[int(feature), int(label)] = weight
    for (before, after), weight in transitions.items():
        between[int(before), int(after)] = weight
    return Chain(
        inputs=tuple(features),
        features=tuple(features),
        classes=tuple(classes),
        state=_rounded(state),
        transition=_rounded(between),
        start=_rounded(ends[START][None])[0],
        end=_rounded(ends[END][None])[0],
    )


def _rounded(weights: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(weight, 4) for weight in row) for row in weights.tolist())
