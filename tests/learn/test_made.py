"""Weights are made from the code as it is: what a card says of its making, and what makes weights old."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from tabellion.learn import parts
from tabellion.learn.corpora import remember_rows
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.learn.parts import PARTS, READ_FIRST, modules_of, outline, stale_weights
from tabellion.learn.training import Card, write_card
from tabellion.weights import SHIPPED

pytest.importorskip("lightgbm")

CODE = '''
def double(number):
    """Twice."""
    return 2 * number  # simple
'''


def shipped() -> set[str]:
    return {path.name.split(".")[0] for path in SHIPPED.iterdir() if path.suffix in (".npz", ".json")}


def test_every_shipped_file_is_written_by_one_part() -> None:
    """The network is trained apart, with PyTorch (`learn/interpret`)."""
    assert sorted(name for part in PARTS.values() for name in part.weights) == sorted(shipped() - {"reader"})


@pytest.mark.parametrize(
    "changed",
    [
        CODE.replace("Twice", "Two times"),
        CODE.replace("  # simple", ""),
        CODE.replace("(number)", "(number: int) -> int"),
    ],
)
def test_words_about_the_code_do_not_make_weights_old(changed: str) -> None:
    assert outline(ast.parse(changed)) == outline(ast.parse(CODE))


@pytest.mark.parametrize("changed", [CODE.replace("2 *", "3 *"), CODE.replace("2 *", "2 +"), CODE + "LIMIT = 3\n"])
def test_what_the_code_does_makes_weights_old(changed: str) -> None:
    assert outline(ast.parse(changed)) != outline(ast.parse(CODE))


def test_a_part_depends_on_its_features_and_its_trainer() -> None:
    part = PARTS["columns"]
    needed = modules_of(part.module, part.rooms)
    assert {"tabellion.label.columns", "tabellion.learn.sheets.frames", "tabellion.learn.fitting"} <= set(needed)
    assert not [name for name in needed if name.startswith(("tabellion.read", "tabellion.learn.training"))]


def test_what_parts_name_is_there() -> None:
    for part in PARTS.values():
        assert callable(getattr(import_module(part.module), part.trainer))
        assert [room for room in part.rooms if find_spec(room) is None] == []
    for place in chain.from_iterable(READ_FIRST.values()):
        module, _, function = place.rpartition(".")
        assert callable(getattr(import_module(f"tabellion.learn.{module}"), function))


def test_a_card_tells_when_its_features_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in shipped():
        write_card(tmp_path, Card(name, "method", {}))
    assert list(stale_weights(tmp_path)) == []
    tree = ast.parse("LIMIT = 3")
    before = parts._tree
    monkeypatch.setattr(parts, "_tree", lambda name: tree if name == "tabellion.label.columns" else before(name))
    found = list(stale_weights(tmp_path))
    assert ("columns", "columns", "features changed since it was made") in {(s.part, s.weights, s.why) for s in found}
    assert {one.part for one in found} <= {"columns", "edges", "confidence", "rows"}


def test_the_same_numbers_are_learned_from_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABELLION_LEARNED", str(tmp_path))
    rows = np.random.default_rng(1).random((200, 3))
    labels = (rows[:, 0] > rows[:, 1]).astype(np.int64)
    settings = BoostingSettings(rounds=5)
    first = train_boosted(rows, labels, ("a", "b", "c"), ("no", "yes"), settings=settings)
    [kept] = tmp_path.iterdir()
    again = train_boosted(rows, labels, ("a", "b", "c"), ("no", "yes"), settings=settings)
    assert np.array_equal(first.scores(rows), again.scores(rows))
    kept.write_bytes(b"damaged")
    mended = train_boosted(rows, labels, ("a", "b", "c"), ("no", "yes"), settings=settings)
    assert np.array_equal(first.scores(rows), mended.scores(rows))
    train_boosted(rows, labels, ("a", "b", "d"), ("no", "yes"), settings=settings)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_computed_of_a_file_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABELLION_LEARNED", str(tmp_path / "learned"))
    page = tmp_path / "page.html"
    page.write_text("one")
    asked: list[str] = []

    def compute(path: Path) -> dict[int, np.ndarray]:
        asked.append(path.read_text())
        return {3: np.array([1.0, 2.0])}

    for _ in range(2):
        found = remember_rows(page, "code", compute)
        assert {number: row.tolist() for number, row in found.items()} == {3: [1.0, 2.0]}
    remember_rows(page, "other code", compute)
    page.write_text("two")
    remember_rows(page, "code", compute)
    assert asked == ["one", "one", "two"]
