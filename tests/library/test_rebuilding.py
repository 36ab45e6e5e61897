"""A library that lost something: what is gone is told, no original goes with it, and what can be is made anew."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from shelving import change, faults, fill_rooms, held, rebuild, write_documents

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.files import mark_unfinished, take_away
from tabellion.library.verify import sweep, verify_library


def originals(shelf: Path) -> list[str]:
    return sorted(path.name for path in shelf.glob("originals/??/*"))


def cut(path: Path, pages: int) -> None:
    path.write_bytes(path.read_bytes()[: -4096 * pages])


@pytest.mark.parametrize("pages", [1, 4, 14])
def test_a_catalogue_that_was_cut_off_costs_what_stood_there_and_no_original(
    shelf: Path, whole: Path, pages: int
) -> None:
    cut(shelf / "catalogue.sqlite", pages)
    done = rebuild(shelf)
    rebuild(shelf)
    assert originals(shelf) == originals(whole)
    assert faults(shelf) == []
    assert done.returncode == (0 if pages < 14 else 1), done.stderr
    if pages < 14:
        assert held(shelf) == held(whole)
    else:
        assert "history" in done.stderr and "corrections were lost" in done.stderr


def test_a_catalogue_that_is_gone_is_told_and_no_original_goes_with_it(shelf: Path, whole: Path) -> None:
    (shelf / "catalogue.sqlite").unlink()
    (said,) = faults(shelf)
    assert "`tabellion rebuild`" in said and "`tabellion add`" not in said
    (added,) = write_documents(shelf.parent / "more", 1, seed=9)
    with open_library(str(shelf), create=True) as library:
        library.add(added)
    done = rebuild(shelf)
    assert done.returncode == 1
    assert all(name in done.stderr for name in originals(whole))
    assert set(originals(whole)) < set(originals(shelf))
    assert rebuild(shelf, "--forget").returncode == 0
    assert len(originals(shelf)) == 1


def test_an_empty_catalogue_is_made_anew(shelf: Path, whole: Path) -> None:
    (shelf / "catalogue.sqlite").write_bytes(b"")
    assert "`tabellion rebuild`" in faults(shelf)[0]
    assert rebuild(shelf).returncode == 1
    assert originals(shelf) == originals(whole)
    assert faults(shelf) == []


GONE = {
    "DELETE FROM corrections": "corrections were lost",
    "DELETE FROM history": "history",
    "UPDATE history SET ended = 'never'": "history",
    "DELETE FROM library_facts WHERE name LIKE 'query:%'": "saved queries",
}


@pytest.mark.parametrize("statement", GONE)
def test_what_nothing_can_bring_back_is_told_and_no_original_goes_with_it(
    shelf: Path, whole: Path, statement: str
) -> None:
    with open_library(str(shelf)) as library:
        library.save_query("all", "SELECT 1")
    change(shelf, statement)
    done = rebuild(shelf)
    assert done.returncode == 1
    assert GONE[statement] in done.stderr
    assert "documents are missing" not in done.stderr
    rebuild(shelf)
    assert originals(shelf) == originals(whole)
    assert faults(shelf) == []


def test_a_document_that_names_the_bytes_of_another_one_is_put_right(shelf: Path, whole: Path) -> None:
    other = "(SELECT sha256 FROM documents ORDER BY rowid LIMIT 1 OFFSET 1)"
    change(shelf, f"UPDATE documents SET sha256 = {other} WHERE row 2 of documents")  # noqa: S608 - ours
    assert rebuild(shelf).returncode == 0
    assert held(shelf) == held(whole)


@pytest.mark.parametrize("known", [True, False])
def test_a_document_whose_row_is_gone_is_made_anew_or_its_original_is_told(
    shelf: Path, whole: Path, known: bool
) -> None:
    """Its tables say where it came from."""
    one = "document_id = (SELECT document_id FROM documents ORDER BY rowid LIMIT 1 OFFSET 2)"
    if not known:
        change(shelf, f"DELETE FROM tables WHERE {one}")  # noqa: S608 - ours
    change(shelf, f"DELETE FROM documents WHERE {one}")  # noqa: S608 - ours
    done = rebuild(shelf)
    assert done.returncode == (0 if known else 1)
    assert originals(shelf) == originals(whole)
    if known:
        assert held(shelf) == held(whole)
    else:
        assert "documents are missing" in done.stderr
        assert "no document names it" in done.stderr and "csv" in done.stderr
        assert rebuild(shelf).returncode == 1  # it still is


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM library_facts WHERE name = 'seals'",
        "UPDATE documents SET seal = substr(seal, 2) || 'f' WHERE row 1 of documents",
        "INSERT INTO history SELECT document_id, version + 7, address, source, sha256, added, ended, how, tables,"
        " tuples, sequence, seal FROM history",
    ],
)
def test_nothing_is_said_to_be_missing_where_nothing_is(shelf: Path, whole: Path, statement: str) -> None:
    change(shelf, statement)
    assert faults(shelf)
    said = rebuild(shelf).stderr
    assert "missing" not in said and "lost" not in said
    assert held(shelf) == held(whole)


def test_only_what_an_unfinished_run_wrote_is_cleared_away(shelf: Path) -> None:
    """A row that was lost leaves its original; so does a run that was killed."""
    before, after, forgotten = (shelf / "originals" / "ab" / ("ab" + letter * 62) for letter in "012")
    before.parent.mkdir(exist_ok=True)
    for path in (before, forgotten):
        path.write_bytes(b"1")
        os.utime(path, (1, 1))
    with open_library(str(shelf)) as library:
        sweep(library.folder, library.catalogue, always=True)
        assert before.exists() and forgotten.exists()
        library.folder.unfinished.touch()
        after.write_bytes(b"2")
        mark_unfinished(library.folder, [forgotten.name])
        sweep(library.folder, library.catalogue)
        assert before.exists() and not after.exists() and not forgotten.exists()


def of_another_kind(path: Path) -> None:
    """A folder where there was a file, and the other way round."""
    is_folder = path.is_dir()
    take_away(path)
    if is_folder:
        path.write_bytes(b"x")
    else:
        path.mkdir()


KINDS: dict[str, Callable[[Path], Path]] = {
    "segments": lambda shelf: shelf / "segments",
    "a segment": lambda shelf: next(shelf.glob("segments/*.parquet")),
    "facts": lambda shelf: next(shelf.glob("segments/*.quads")),
    "index": lambda shelf: shelf / "index",
    "note": lambda shelf: shelf / "index.json",
    "lock": lambda shelf: shelf / "index.lock",
    "meta": lambda shelf: shelf / "index" / "meta.json",
    "graph": lambda shelf: shelf / "graph",
    "log": lambda shelf: shelf / "catalogue.sqlite-wal",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_of_the_wrong_kind_is_made_anew(shelf: Path, whole: Path, kind: str) -> None:
    (shelf / "graph").mkdir()
    of_another_kind(KINDS[kind](shelf))
    told = faults(shelf)
    assert all("tabellion rebuild" in one for one in told), told
    done = rebuild(shelf)
    assert done.returncode == 0, done.stderr
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def test_an_original_of_the_wrong_kind_comes_from_its_source(shelf: Path, whole: Path) -> None:
    with closing(sqlite3.connect(shelf / "catalogue.sqlite")) as connection:
        (first,), (second,) = connection.execute("SELECT sha256 FROM documents ORDER BY rowid DESC LIMIT 2").fetchall()
    of_another_kind(next(shelf.glob(f"originals/??/{first}*")))
    of_another_kind(shelf / "originals" / second[:2])
    assert len(faults(shelf)) >= 2
    assert rebuild(shelf).returncode == 0
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def test_a_catalogue_that_cannot_be_made_anew_stays_where_it_was(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabellion.library import salvage
    from tabellion.library.files import Folder

    path = shelf / "catalogue.sqlite"
    path.write_bytes(b"damaged")

    def fail(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(salvage, "_take_over", fail)
    with pytest.raises(OSError, match="no"):
        salvage.salvage_catalogue(Folder(shelf))
    assert path.read_bytes() == b"damaged"
    assert not list(shelf.glob("*.damaged*"))


def test_what_lies_beside_the_documents_is_checked_without_its_sums_too(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    with open_library(str(shelf), create=True) as library:
        library.add(*write_documents(tmp_path / "documents", 2))
        library.add(*write_documents(tmp_path / "more", 2, seed=5))
        fill_rooms(library)
        assert list(verify_library(library)) == []
        first, second, *_ = shelf.glob("segments/*.quads")
        held = first.read_bytes(), second.read_bytes()
        first.write_bytes(held[1])
        second.write_bytes(held[0])
        assert sum("facts for SPARQL" in one for one in verify_library(library)) == 2
        first.write_bytes(held[0])
        second.write_bytes(held[1])
        (shelf / "mined" / "stray").write_bytes(b"x")
        assert any("mined, stray" in one for one in verify_library(library))
        for room in ("mined", "graph"):
            (shelf / room / "SHA256SUMS").unlink()
            assert any(one.startswith(room) for one in verify_library(library))
            of_another_kind(shelf / room)
            assert any(one.startswith(room) for one in verify_library(library))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM library_facts",
        "UPDATE library_facts SET value = '3' WHERE name = 'schema'",
        "UPDATE library_facts SET value = 'abc' WHERE name = 'schema'",
        "UPDATE library_facts SET value = 'abc' WHERE name = 'sequence'",
        "DELETE FROM tables WHERE row 1 of tables",
        "DELETE FROM segments",
        "UPDATE segments SET dead = dead + 1",
    ],
)
def test_every_fault_is_told_with_what_to_do(shelf: Path, whole: Path, statement: str) -> None:
    change(shelf, statement)
    told = faults(shelf)
    assert told
    assert all("`tabellion rebuild" in one or "`tabellion restore" in one for one in told), told
    assert not any("create one with `tabellion add`" in one for one in told)
    rebuild(shelf)
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def test_text_where_bytes_belong_is_one_line_that_says_what_to_do(shelf: Path) -> None:
    change(shelf, "UPDATE tables SET details = 'abc'")
    shutil.rmtree(shelf / "index")
    with open_library(str(shelf)) as library, pytest.raises(LibraryError, match="`tabellion rebuild`"):
        library.search("visitors")
