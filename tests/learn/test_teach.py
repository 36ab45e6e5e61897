"""Corrections become labelled data and weights; a library uses its own weights only once they are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.errors import TabellionError
from tabellion.learn.repair import teach
from tabellion.learn.repair.teach import corrected_gold, corrected_rows
from tabellion.learn.sheets import parents
from tabellion.learn.sheets.gold import ROLES, load_cases
from tabellion.library import open_library
from tabellion.pipeline import Settings
from tabellion.weights import SHIPPED

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def shelf(tmp_path: Path) -> str:
    place = str(tmp_path / "shelf")
    with open_library(place, create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "stacked.xlsx")
        library.repair("smoking").move_header("A8", under="A6")
    return place


def test_repaired_tables_are_exported_as_labelled_data(shelf: str) -> None:
    ran = CliRunner().invoke(app, ["learn", "--library", shelf, "--export", "-"])
    (line,) = [json.loads(text) for text in ran.stdout.splitlines()]
    assert (line["sheet"], line["range"], line["corrections"]) == ("Smoking", "A4:F23", 1)
    assert [[5, 0], [7, 0]] in line["left"]
    assert line["row_roles"]["3"] == "header"


def test_the_rows_of_a_repaired_sheet_are_examples(shelf: str) -> None:
    with open_library(shelf) as library:
        library.repair("smoking").set_row_role("9", "derived")
        (example,) = corrected_rows(corrected_gold(library))
    roles = [ROLES[place] for place in example.allowed.argmax(axis=1)]
    assert roles[:3] == ["title", "title", "header"]
    assert roles[7] == "derived"
    assert (example.allowed.sum(axis=1) == 1).all()


def test_without_corrections_there_is_nothing_to_learn(tmp_path: Path) -> None:
    place = str(tmp_path / "empty")
    with open_library(place, create=True) as library:
        library.add(EXAMPLES / "flat.csv")
    ran = CliRunner().invoke(app, ["learn", "--library", place])
    assert ran.exit_code == 1
    assert "no correction to learn from" in ran.stderr


def test_teaching_is_compared_and_installed_beside_the_shipped_weights(
    shelf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        load_cases("senbazuru-left")
    except TabellionError as error:
        pytest.skip(str(error))
    for module in (parents, teach):
        monkeypatch.setattr(module, "CORPORA", {"left": ("senbazuru-left",), "top": ()})
    monkeypatch.setattr(teach, "JUDGED", {"left": ("senbazuru-left",), "top": ()})
    monkeypatch.setattr(teach, "SIDES", ("left",))
    before = {path.name: path.read_bytes() for path in SHIPPED.glob("left_parents*")}
    with open_library(shelf) as library:
        golds = corrected_gold(library)
        found = teach.compare_teaching(golds)
        assert {one.corpus for one in found} == {"senbazuru-left", "corrections"}
        assert all(one.before >= 0.9 for one in found if one.figure == "F1" and one.corpus == "senbazuru-left")
        assert library.settle().weights is None
        teach.train_taught(library.folder.weights, golds)
        assert library.settle().weights == str(library.folder.weights)
        assert library.settle(Settings(weights="mine")).weights == "mine"
        card = json.loads((library.folder.weights / "left_parents.card.json").read_text())
        assert card["trained_on"]["corrections"]["documents"] == 1
        library.add(EXAMPLES / "pilots.xlsx")
        assert library.repair("smoking").rereading.settings.weights == str(library.folder.weights)
    assert {path.name: path.read_bytes() for path in SHIPPED.glob("left_parents*")} == before
