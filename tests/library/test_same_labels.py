"""Labels that nearly agree: offered with a join, accepted as a correction, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.errors import RepairError
from tabellion.library import open_library
from tabellion.library.joins.likeness import near_labels
from tabellion.library.library import Library

WARDS = "Ward,Beds\nSt. Barnabas,11\nGreen Meadow,12\nHigh Wood,13\nLong Acre,14\nMill Lane North,15\nUpton 1,16\n"
NURSES = "Ward,Nurses\nSaint Barnabas,1\nGreen Meadows,2\nHigh Wood,3\nLong Acre,4\nMill Lane,5\nUpton 2,6\n"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    for name, text in (("wards", WARDS), ("nurses", NURSES)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(tmp_path / "wards.csv", tmp_path / "nurses.csv")
        yield library


def test_labels_that_nearly_agree_are_offered_and_not_taken(library: Library) -> None:
    (best,) = library.joins("wards")
    assert best.matched == 2
    assert {(mine, theirs) for mine, theirs, _ in best.nearly} == {
        ("Green Meadow", "Green Meadows"), ("St. Barnabas", "Saint Barnabas"), ("Mill Lane North", "Mill Lane"),
    }  # fmt: skip


def test_accepted_labels_join_and_can_be_taken_back(library: Library) -> None:
    (best,) = library.joins("wards")
    kept = library.repair("wards", author="ada").set_labels({mine: theirs for mine, theirs, _ in best.nearly})
    (after,) = library.joins("wards")
    assert (after.matched, after.nearly) == (5, [])
    assert library.query(after.sql).num_rows == 5
    (there,) = library.joins("nurses")
    assert there.matched == 5
    history = library.repair("wards").history
    assert [one.state for one in history] == ["in force"] * 3
    assert library.repair("wards").undo(kept[0].id)
    assert library.joins("wards")[0].matched == 4


def test_a_label_keeps_what_was_said_of_it_when_the_document_is_read_again(library: Library) -> None:
    library.repair("wards").set_labels({"Upton 1": "Upton 2"})
    before = library.query("select * from wards").to_pylist()
    library.add(library.documents()[0].source, library.documents()[1].source)
    assert library.query("select * from wards").to_pylist() == before
    assert library.joins("wards")[0].matched == 3
    with pytest.raises(RepairError, match="so already"):
        library.repair("wards").set_labels({"Upton 1": "Upton 2"})


def test_the_command_accepts_and_takes_back(library: Library) -> None:
    run, place = CliRunner(), ["--library", str(library.folder.root)]
    assert "nearly the same:" in run.invoke(app, ["joins", "wards", *place]).output
    accepted = run.invoke(app, ["joins", "wards", "--accept", "nurses", "--same", "Upton 1=Upton 2", *place])
    assert "gives 6 rows" in accepted.stdout
    identity = accepted.stderr.partition(":")[0]
    assert "gives 5 rows" in run.invoke(app, ["joins", "wards", "--take-back", identity, *place]).output


def test_other_numbers_and_short_labels_are_never_near() -> None:
    assert near_labels(["Upton 1", "Ely"], ["Upton 2", "Eli"]) == []
