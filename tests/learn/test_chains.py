"""A chain that is shipped decodes as the one that was trained."""

from __future__ import annotations

import numpy as np
import pytest

from tabellion.learn.fitting import train_chain
from tabellion.weights.linear import Chain

pytest.importorskip("pycrfsuite")

CLASSES = ("head", "body", "foot")


@pytest.fixture(autouse=True)
def no_memory(monkeypatch):
    """Train anew: what was learned before is no test of learning."""
    monkeypatch.setenv("TABELLION_LEARNED", "0")


def sequences(count: int = 60) -> list[tuple[np.ndarray, np.ndarray]]:
    """Head, body, foot in that order; only the first feature tells body apart, with noise."""
    chance = np.random.default_rng(3)
    made = []
    for _ in range(count):
        labels = np.repeat([0, 1, 2], chance.integers(1, 5, 3))
        rows = np.column_stack([(labels == 1) ^ (chance.random(len(labels)) < 0.1), chance.random(len(labels)) < 0.5])
        made.append((rows, labels))
    return made


def test_order_is_learned_where_features_do_not_tell(tmp_path):
    chain = train_chain(sequences(), ("is body", "noise"), CLASSES)
    chain.save(tmp_path / "chain.json")
    read = Chain.load(tmp_path / "chain.json")
    assert read == chain
    rows = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]], dtype=float)
    assert read.decode(read.emissions(rows)).tolist() == [0, 0, 1, 1, 2]


def test_marginals_agree_with_the_best_sequence_where_it_is_clear():
    chain = train_chain(sequences(), ("is body", "noise"), CLASSES)
    emission = chain.emissions(np.array([[0, 0], [1, 1], [1, 0], [0, 0]], dtype=float))
    likely = chain.marginals(emission)
    assert np.allclose(likely.sum(axis=1), 1)
    assert likely.argmax(axis=1).tolist() == chain.decode(emission).tolist()
