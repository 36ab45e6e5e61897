"""Linear-chain conditional random fields: trained with CRFsuite, handed on as the plain weights of `weights.linear`.

In: sequences of rows of noughts and ones with a class each. Out: a `Chain`. Being first or last in a sequence is a
feature of its own and becomes the chain's start and end weights.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pycrfsuite
from numpy.typing import NDArray

from tabellion.learn.memory import remember
from tabellion.weights.linear import Chain

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
