"""Corrections in a library: kept with what they change or not at all, replayed on every reading, never lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from shelving import contents, stroke_on
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.errors import ConflictError, LibraryError, RepairError
from tabellion.library import open_library
from tabellion.library.adding import read_source
from tabellion.library.library import Library
from tabellion.library.verify import verify_library
from tabellion.pipeline import Settings

Place = Callable[[str], tuple[str, str]]
KILLS = 8
BANDS = "Band,1990,1991\nAll,30,31\nHarbour band,10,11\nMill band,20,20\nLoans,7,8\n"


def write(folder: Path, text: str = BANDS, name: str = "bands.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def lefts(library: Library, address: str) -> list[str]:
    found = library.query('select address, "left" from tuples').to_pylist()
    return [str(one) for row in found if row["address"] == address for one in row["left"]]


def states(library: Library, table: str = "bands") -> list[str]:
    return [one.state for one in library.repair(table).history]


def test_a_stroke_is_seen_at_once_and_by_everybody(place: Place, tmp_path: Path) -> None:
    where = place("shelf")
    with open_library(*where, create=True) as library, open_library(*where) as other:
        library.add(write(tmp_path))
        library.repair("bands", author="ada").move_header("A3", under="A2")
        assert lefts(library, "B3") == lefts(other, "B3") == ["All", "Harbour band"]
        entry = other.repair("bands").history[0]
        assert (entry.state, entry.correction.author) == ("in force", "ada")
        assert list(verify_library(other)) == []


def test_corrections_outlive_reading_again_removal_and_new_editions(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        source = write(tmp_path)
        library.add(source)
        library.repair("bands").move_header("A3", under="A2")
        library.remove(source)
        library.add(source)
        assert lefts(library, "B3") == ["All", "Harbour band"]
        write(tmp_path, "Band,1990,1991,1992\nChoir,1,2,3\nAll,30,31,33\nHarbour band,10,11,12\nMill band,20,20,21\n")
        assert library.add(source)[0].status == "replaced"
        assert lefts(library, "B4") == ["All", "Harbour band"]
        assert lefts(library, "B2") == ["Choir"]
        assert states(library) == ["in force"]
        write(tmp_path, "Band,1990,1991\nAll,30,31\nMill band,20,20\nLoans,7,8\n")
        library.add(source)
        assert states(library) == ["does not fit"]
        issues = [issue for (issue,) in issues_of(library)]
        assert any("does not fit" in issue and "Harbour band" in issue for issue in issues)
        write(tmp_path)
        library.add(source)
        assert lefts(library, "B3") == ["All", "Harbour band"]


def issues_of(library: Library) -> list[tuple[str]]:
    from sqlalchemy import select

    from tabellion.library.catalogue import documents

    with library.catalogue.reading() as connection:
        return [(text,) for text in connection.execute(select(documents.c.issues)).scalars()]


def test_rebuilding_replays_the_log(tmp_path: Path) -> None:
    shelf = str(tmp_path / "shelf")
    with open_library(shelf, create=True) as library:
        library.add(write(tmp_path))
        library.repair("bands").set_text("title", "Bands of the town")
        before = contents(library)
    assert CliRunner().invoke(app, ["rebuild", "--library", shelf, "--jobs", "1"]).exit_code == 0
    with open_library(shelf) as library:
        assert contents(library) == before
        library.remove(library.documents()[0].id, forget=True)
        library.add(write(tmp_path))
        assert states(library) == []


def test_a_corrected_title_is_found_beside_the_caption(tmp_path: Path) -> None:
    page = "<table><caption>Town music</caption><tr><th>Band<th>Men<tr><td>Harbour<td>10<tr><td>Mill<td>20</table>"
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(write(tmp_path, f"<html><body>{page}</body></html>", "music.html"))
        library.repair("music").set_text("title", "Musicians of Whitby")
        for words in ("whitby", "town music"):
            (found,) = library.search(words).hits
            assert "caption" in found.highlights


def test_a_repair_made_while_a_new_edition_is_read_is_not_lost(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        source = write(tmp_path)
        library.add(source)
        write(tmp_path, BANDS.replace("Loans", "Lessons"))
        late = read_source(source, library.folder.originals, Settings())
        library.repair("bands").move_header("A3", under="A2")
        with library.writing_documents() as writer:
            writer.write(late)
        assert lefts(library, "B5")[-1] == "Lessons"
        assert lefts(library, "B3") == ["All", "Harbour band"]
        assert states(library) == ["in force"]
        assert list(verify_library(library)) == []


def test_two_people_at_the_same_table_are_told_of_each_other(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(write(tmp_path))
        ada, ben = library.repair("bands", author="ada"), library.repair("bands", author="ben")
        ada.move_header("A3", under="A2")
        ben.set_text("title", "Bands")
        assert len(ben.log) == 2
        with pytest.raises(ConflictError, match="ben"):
            ada.set_text("title", "Bands of the town")
        assert ada.table.title == "Bands"
        ada.set_text("title", "Bands of the town")
        assert states(library) == ["in force", "replaced", "in force"]


def test_undo_takes_back_ones_own_last_stroke_and_others_by_name(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(write(tmp_path))
        mine = library.repair("bands", author="ada").set_text("title", "Bands")
        library.repair("bands", author="ben").move_header("A3", under="A2")
        ada = library.repair("bands", author="ada")
        ada.undo()
        assert states(library)[:2] == ["undone", "in force"]
        with pytest.raises(RepairError, match="nothing of yours"):
            ada.undo()
        ada.undo(ada.log[1].id)
        assert states(library)[:2] == ["undone", "undone"]
        ada.undo(next(one.id for one in ada.log if getattr(one.operation, "correction", "") == mine.id))
        assert ada.table.title == "Bands"


def test_a_document_that_was_replaced_meanwhile_is_not_repaired_by_mistake(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        source = write(tmp_path)
        library.add(source)
        repair = library.repair("bands")
        write(tmp_path, BANDS.replace("Loans", "Lessons"))
        library.add(source)
        with pytest.raises(LibraryError, match="in the meantime"):
            repair.set_text("title", "Bands")
        assert states(library) == []
        assert list(verify_library(library)) == []


def test_killed_at_any_point_the_log_is_with_or_without_the_stroke(tmp_path: Path) -> None:
    shelf, written = str(tmp_path / "shelf"), tmp_path / "written"
    with open_library(shelf, create=True) as library:
        library.add(write(tmp_path))
    written.touch()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["shelving", "tabellion.library.library", "tabellion.label", "tabellion.read.delimited"]
    )
    choose = random.Random(5)  # noqa: S311 - the same points every time, as far as time is the same
    for _ in range(KILLS):
        told = len(written.read_text().split())
        process = context.Process(target=stroke_on, args=(shelf, shelf, "bands", str(written)))
        process.start()
        while len(written.read_text().split()) < told + 2 and process.is_alive():
            time.sleep(0.01)
        process.join(choose.uniform(0.0, 0.2))
        assert process.is_alive(), "the process ended by itself"
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        with open_library(shelf) as library:
            assert list(verify_library(library)) == []
            kept = [one.id for one in library.repair("bands").log]
            said = written.read_text().split()
            assert kept[: len(said)] == said, "a stroke that was told is lost"
            assert len(kept) <= len(said) + 1
            title = library.query("select title from tables").to_pylist()[0]["title"]
            assert title == library.repair("bands").table.title, "the log and what is shown differ"
            # a stroke that was kept but not told of is told now
            written.write_text("".join(f"{one}\n" for one in kept))


def test_corrections_travel_as_json(tmp_path: Path) -> None:
    one, other, paper = str(tmp_path / "one"), str(tmp_path / "other"), str(tmp_path / "paper.json")
    source = write(tmp_path)
    run = CliRunner().invoke
    for shelf in (one, other):
        with open_library(shelf, create=True) as library:
            library.add(source)
    bare = tmp_path / "bare.json"
    bare.write_text(
        json.dumps(
            [{"do": "move-header", "side": "left", "header": {"row": 2, "column": 0}, "to": {"row": 1, "column": 0}}]
        )
    )
    assert run(app, ["repair", "bands", "--library", one, "--apply", str(bare), "--author", "ada"]).exit_code == 0
    assert run(app, ["repair", "bands", "--library", one, "--export", paper]).exit_code == 0
    assert run(app, ["repair", "bands", "--library", other, "--apply", paper]).exit_code == 0
    assert run(app, ["repair", "bands", "--library", other, "--apply", paper]).exit_code == 0
    with open_library(other) as library:
        assert lefts(library, "B3") == ["All", "Harbour band"]
        assert [entry.correction.author for entry in library.repair("bands").history] == ["ada"]
    told = json.loads(run(app, ["history", "bands", "--library", other, "--format", "json"]).stdout)
    assert [entry["state"] for entry in told["corrections"]] == ["in force"]
    assert "ada" in run(app, ["history", "bands", "--library", other]).stdout
    bare.write_text("[{}]")
    wrong = run(app, ["repair", "bands", "--library", other, "--apply", str(bare)])
    assert wrong.exit_code == 1
    assert "correction 1" in wrong.stderr
    assert run(app, ["repair", "nothing", "--library", other, "--export", "-"]).exit_code == 1
