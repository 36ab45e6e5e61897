"""What is shipped says the same as what was trained."""

from __future__ import annotations

import numpy as np
import pytest

from tabellion.errors import WeightsError
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.weights.boosted import Boosted

lightgbm = pytest.importorskip("lightgbm")

SMALL = BoostingSettings(rounds=20, leaves=8)


@pytest.fixture(autouse=True)
def no_memory(monkeypatch):
    """Train anew: what was learned before is no test of learning."""
    monkeypatch.setenv("TABELLION_LEARNED", "0")


def examples(classes: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(7)
    rows = np.round(chance.normal(size=(2000, 6)), 1).astype(np.float32)
    labels = np.digitize(rows[:, 0] + rows[:, 1] * rows[:, 2], np.linspace(-1, 1, classes - 1))
    return rows, labels


@pytest.mark.parametrize(("classes", "members", "leaves"), [(2, 1, 8), (4, 1, 15), (2, 2, 24), (4, 2, 64)])
def test_numpy_says_what_lightgbm_says(classes, members, leaves, tmp_path, monkeypatch):
    rows, labels = examples(classes)
    made = []
    train = lightgbm.train
    monkeypatch.setattr(lightgbm, "train", lambda *given, **named: made.append(train(*given, **named)) or made[-1])
    settings = BoostingSettings(rounds=20, leaves=leaves, members=members)
    trained = train_boosted(rows, labels, "abcdef", [str(i) for i in range(classes)], settings=settings)
    trained.save(tmp_path / "some.npz")
    ours = Boosted.load(tmp_path / "some.npz").scores(rows)
    theirs = np.mean([booster.predict(rows, raw_score=True) for booster in made], axis=0)
    assert len(made) == members
    assert np.abs(ours - theirs.reshape(ours.shape)).max() < 1e-5


def test_the_same_rows_give_the_same_trees():
    rows, labels = examples(3)
    first, second = (train_boosted(rows, labels, "abcdef", "xyz", settings=SMALL) for _ in range(2))
    assert np.array_equal(first.value, second.value)
    assert np.array_equal(first.threshold, second.threshold)


def test_trees_that_are_too_large_to_run_are_told():
    rows, labels = examples(2)
    with pytest.raises(WeightsError, match="at most 64"):
        train_boosted(rows, labels, "abcdef", "xy", settings=BoostingSettings(rounds=2, leaves=90)).scores(rows)


def test_depth_is_bounded():
    rows, labels = examples(3)
    assert train_boosted(rows, labels, "abcdef", "xyz", settings=BoostingSettings(rounds=5, depth=3)).depth <= 3


def test_probabilities_of_rows_that_are_alike_are_the_same():
    rows, labels = examples(3)
    likely = train_boosted(rows, labels, "abcdef", "xyz", settings=SMALL).probabilities(np.tile(rows[:50], (3, 1)))
    assert np.array_equal(likely[:50], likely[50:100])
    assert np.allclose(likely.sum(axis=1), 1)
