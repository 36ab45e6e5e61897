"""Damage to a library is told, wherever it is, and mended where it can be."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from shelving import change, contents, faults, fill_rooms, held, rebuild, write_documents

from tabellion.errors import LibraryError
from tabellion.learn.repair.teach import appearing
from tabellion.library import open_library
from tabellion.library.asking import list_queries
from tabellion.library.catalogue import NEWEST
from tabellion.library.files import summed_file, unlike_sums
from tabellion.library.graph import open_graph
from tabellion.library.library import Library
from tabellion.library.records import describe_document
from tabellion.library.upkeep import copy_library
from tabellion.library.verify import verify_library

Place = Callable[[str], tuple[str, str]]


def test_a_library_that_is_whole_has_no_fault(shelf: Path) -> None:
    assert faults(shelf) == []


MENDED = (
    "UPDATE documents SET language = language || 'x' WHERE row 0 of documents",
    "UPDATE documents SET source = replace(source, 'd', 'e') WHERE row 1 of documents",
    "UPDATE documents SET address = replace(address, 'd', 'e') WHERE row 2 of documents",
    "UPDATE documents SET sha256 = replace(sha256, 'a', 'b') WHERE row 3 of documents",
    "UPDATE documents SET document_id = '0123456789abcdef' WHERE row 4 of documents",
    "UPDATE tables SET name = name || 'x' WHERE row 0 of tables",
    "UPDATE tables SET details = x'00' WHERE row 1 of tables",
    "UPDATE tables SET document_id = '0123456789abcde0' WHERE row 2 of tables",
    "UPDATE tables SET table_id = replace(table_id, substr(table_id, 3, 1), ';') WHERE row 3 of tables",
    "DELETE FROM tables WHERE row 5 of tables",
    "UPDATE segments SET sha256 = replace(sha256, 'a', 'b')",
    "UPDATE segments SET dead = dead + 1",
    "UPDATE documents SET seal = replace(seal, substr(seal, 3, 1), ':') WHERE row 5 of documents",
    "UPDATE library_facts SET value = substr(value, 2) WHERE name = 'seals'",
)
RESTORED = (
    "UPDATE corrections SET body = replace(body, 'Another', 'Anoxher')",
    "UPDATE history SET source = replace(source, '-0000', '-00!0')",
    "UPDATE history SET version = version + 4",
    "UPDATE documents SET added = replace(added, 'T', 't') WHERE row 2 of documents",
)
LOST = (
    "UPDATE history SET source = source || 'x'",
    "DELETE FROM history",
    "DELETE FROM corrections",
    "UPDATE corrections SET body = '{' || body",
    "DELETE FROM documents WHERE row 1 of documents",
    "UPDATE library_facts SET value = '1' WHERE name = 'sequence'",
)


def test_a_letter_changed_or_a_row_lost_in_the_catalogue_is_told(whole: Path, tmp_path: Path) -> None:
    for number, statement in enumerate(MENDED + RESTORED + LOST):
        shelf = Path(shutil.copytree(whole, tmp_path / str(number)))
        change(shelf, statement)
        assert faults(shelf), statement


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tables SET details = x'789c00' WHERE row 1 of tables",
        "UPDATE documents SET authors = '[', issues = '[' WHERE row 1 of documents",
        "UPDATE corrections SET body = '{' || body",
        "INSERT INTO library_facts (name, value) VALUES ('query:one', '{')",
    ],
)
def test_a_damaged_row_is_one_line_to_whoever_asks_for_it(shelf: Path, statement: str) -> None:
    change(shelf, statement)
    shutil.rmtree(shelf / "index")
    said: list[str] = []
    for ask in (
        contents,
        lambda one: one.search("visitors"),
        lambda one: [describe_document(one, document.id) for document in one.documents()],
        lambda one: one.logs([document.id for document in one.documents()]),
        list_queries,
    ):
        try:
            with open_library(str(shelf)) as library:
                ask(library)
        except LibraryError as error:
            said.append(str(error))
    assert said
    assert all("`tabellion rebuild`" in one for one in said), said


def test_what_can_be_made_anew_is_as_it_was(shelf: Path, whole: Path) -> None:
    change(shelf, *MENDED)
    done = rebuild(shelf)
    assert done.returncode == 0, done.stderr
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def said_by(shelf: Path) -> tuple[object, ...]:
    """What nothing can be read from again: when documents came, their history, the corrections."""
    with closing(sqlite3.connect(shelf / "catalogue.sqlite")) as connection:
        asked = (
            "SELECT document_id, added FROM documents",
            "SELECT document_id, version, source FROM history",
            "SELECT body FROM corrections",
        )
        return tuple(sorted(connection.execute(one).fetchall()) for one in asked)


@pytest.mark.parametrize("statement", RESTORED)
def test_a_letter_that_is_nowhere_else_is_put_right_by_the_seal_of_its_row(
    shelf: Path, whole: Path, statement: str
) -> None:
    change(shelf, statement)
    assert said_by(shelf) != said_by(whole)
    assert "put right by its seal" in rebuild(shelf).stderr
    assert said_by(shelf) == said_by(whole)
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


@pytest.mark.parametrize("found", [b"added TEXT", b"name TEXT NOT NULL UNIQUE", b"seals{", b"schema"])
def test_a_letter_of_what_the_catalogue_says_of_itself_is_mended(shelf: Path, whole: Path, found: bytes) -> None:
    """SQLite calls a file whole in which a column is called by another name."""
    path = shelf / "catalogue.sqlite"
    data = bytearray(path.read_bytes())
    at = data.index(found) if found != b"schema" else data.index(b"schema%d" % NEWEST) + len(found)
    data[at] ^= 2
    path.write_bytes(data)
    assert faults(shelf)
    rebuild(shelf)
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def test_bytes_flipped_anywhere_are_told_and_what_can_be_is_whole_again(whole: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(whole / "catalogue.sqlite")) as connection:
        (old_original,) = connection.execute("SELECT sha256 FROM history").fetchone()
    choose = random.Random(3)  # noqa: S311 - the same flips every time
    files = [path for kind in ("originals/*/*", "segments/*", "index/[!.]*") for path in sorted(whole.glob(kind))]
    for number, chosen in enumerate(choose.sample([one for one in files if one.stat().st_size], 8)):
        shelf = Path(shutil.copytree(whole, tmp_path / str(number)))
        path = shelf / chosen.relative_to(whole)
        data = bytearray(path.read_bytes())
        data[choose.randrange(len(data))] ^= 0xFF
        path.write_bytes(bytes(data))
        assert faults(shelf), path
        if number in (0, 3):
            rebuild(shelf)
            gone = old_original in path.name  # of an edition that no source has any more
            assert gone or faults(shelf) == [], path


@pytest.mark.parametrize("place", [30, 101, 2675, 3200])
def test_a_byte_of_the_page_that_names_the_tables_is_mended(shelf: Path, whole: Path, place: int) -> None:
    path = shelf / "catalogue.sqlite"
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))
    rebuild(shelf)
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


@pytest.mark.parametrize("where", ["documents", "tables", "text"])
def test_rows_that_cannot_be_read_are_made_anew_and_no_original_is_thrown_away(
    shelf: Path, whole: Path, where: str
) -> None:
    """A page of the catalogue's file says that it has no rows; a text is none."""
    if where == "text":
        change(shelf, "UPDATE documents SET source = CAST(x'ff' AS TEXT) || source WHERE row 2 of documents")
    else:
        path = shelf / "catalogue.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [where]).fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
        data = bytearray(path.read_bytes())
        leaf = data[(page - 1) * size] == 13
        data[(page - 1) * size + 3 : (page - 1) * size + 5] = (2 if leaf else 0).to_bytes(2, "big")  # rows of the page
        path.write_bytes(data)
    assert faults(shelf)
    done = rebuild(shelf)
    assert done.returncode == 0, done.stderr
    assert "rows were taken over" in done.stderr
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


BESIDE = ("annotations", "mined", "weights", "graph")


def test_damage_to_what_lies_beside_the_documents_is_told_and_costs_itself(tmp_path: Path) -> None:
    """Graphs and weights are derived or can be learned again; what annotators said is in the backup."""
    shelf, choose = tmp_path / "shelf", random.Random(4)  # noqa: S311 - the same flips every time
    with open_library(str(shelf), create=True) as library:
        library.add(*write_documents(tmp_path / "documents", 3))
        fill_rooms(library)
        expected = contents(library)
        assert list(verify_library(library)) == []
        copy_library(library, str(tmp_path / "backup"))
        assert {path.name for room in BESIDE[:3] for path in (tmp_path / "backup" / room).rglob("*")} == {
            path.name for room in BESIDE[:3] for path in (shelf / room).rglob("*") if path.suffix != ".lock"
        }
        files = [path for room in BESIDE[:3] for path in (shelf / room).rglob("*") if path.is_file()]
        for path in [*files, *(shelf / "graph").glob("*.sst")]:
            if path.suffix != ".lock":
                whole = path.read_bytes()
                damaged = bytearray(whole)
                damaged[choose.randrange(len(whole))] ^= 1 << choose.randrange(8)
                path.write_bytes(damaged)
                assert any(path.relative_to(shelf).parts[0] in fault for fault in verify_library(library)), path
                assert contents(library) == expected
                path.write_bytes(whole)
        assert list(verify_library(library)) == []


def all_facts(library: Library) -> set[str]:
    with open_graph(library) as store:
        return {str(one) for one in store}


def test_a_damaged_graph_is_made_anew_and_damaged_weights_are_passed_over(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*write_documents(tmp_path / "documents", 2))
        fill_rooms(library)
        facts = all_facts(library)
        (library.folder.graph / "CURRENT").write_bytes(b"MANIFEST-999999\n")
        assert all_facts(library) == facts
        (library.folder.graph / "CURRENT").write_bytes(b"MANIFEST-999999\n")
        (more,) = write_documents(tmp_path / "more", 1, seed=7)
        assert [one.status for one in library.add(more)] == ["added"]
        assert library.settle().weights
        (library.folder.weights / "left_parents.card.json").write_bytes(b"\xff")
        assert library.settle().weights is None


def test_weights_come_together_whatever_ends_the_process_that_writes_them(tmp_path: Path) -> None:
    folder = tmp_path / "weights"
    with appearing(folder) as made:
        (made / "one.json").write_text("1", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), appearing(folder) as made:
        (made / "one.json").write_text("2", encoding="utf-8")
        raise KeyboardInterrupt
    assert (folder / "one.json").read_text(encoding="utf-8") == "1"
    folder.rename(tmp_path / ".weights.old")  # killed between the two renames
    with appearing(folder) as made:
        (made / "two.json").write_text("2", encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", "one.json", "two.json"]
    assert unlike_sums(folder) == []
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def test_a_file_that_is_replaced_while_killed_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    with summed_file(path) as part:
        part.write_bytes(b"1")
    with pytest.raises(KeyboardInterrupt), summed_file(path) as part:
        part.write_bytes(b"2")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"1"
    assert unlike_sums(tmp_path) == []
    path.write_bytes(b"3")
    assert unlike_sums(tmp_path) == ["one.json"]


@pytest.mark.parametrize("share", [0.5])
def test_a_truncated_catalogue_is_one_line_and_what_can_be_read_is_taken_over(shelf: Path, share: float) -> None:
    path = shelf / "catalogue.sqlite"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert faults(shelf)
    done = rebuild(shelf)
    assert "Traceback" not in done.stderr
    assert "rows were taken over" in done.stderr


def test_a_damaged_index_stops_neither_verify_nor_rebuild(shelf: Path, whole: Path) -> None:
    for path in (shelf / "index").iterdir():
        path.write_bytes(b"damaged")
    assert any("rebuild --index" in fault for fault in faults(shelf))
    assert rebuild(shelf).returncode == 0
    assert faults(shelf) == []
    assert held(shelf) == held(whole)


def test_adding_again_replaces_a_damaged_original(tmp_path: Path) -> None:
    (source,) = write_documents(tmp_path / "documents", 1)
    shelf = tmp_path / "shelf"
    with open_library(str(shelf), create=True) as library:
        library.add(source)
        (original,) = (shelf / "originals").glob("*/*")
        original.write_bytes(b"damaged")
        assert list(verify_library(library))
        assert library.add(source)[0].status == "unchanged"
        assert list(verify_library(library)) == []


@pytest.mark.parametrize("noted", ['{"form": 6, "sequfnce": 1}', '{"form": 6, "sequence": 1, "shards": "a"}', "[]", ""])
def test_a_damaged_note_of_the_index_costs_the_index_alone(tmp_path: Path, noted: str) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*write_documents(tmp_path / "documents", 2))
        library.folder.applied.write_text(noted, encoding="utf-8")
        assert library.search("").total == 2
        assert list(verify_library(library)) == []


def test_an_index_whose_writer_was_killed_within_its_commit_goes_on(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 4)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        library.search("york")
        index = library.folder.index
        before = {path: path.read_bytes() for path in (index / "meta.json", library.folder.applied)}
        names = {path.name for path in index.iterdir()}
        library.repair(library.documents()[0].tables[0], author="a").set_text("title", "Another title")
        library.search("york")
    assert [path for path in index.glob("*.del") if path.name not in names]  # written before the commit was noted
    for path, data in before.items():
        path.write_bytes(data)
    with open_library(str(tmp_path / "shelf")) as library:
        assert library.search("another title").total >= 1
        assert faults(tmp_path / "shelf") == []
