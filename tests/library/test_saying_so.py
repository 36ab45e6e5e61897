"""What a library says of itself: why a table is found, where its files are, that it is locked or the disk full."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from shelving import write_documents

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.verify import verify_library

ENTRY = "from tabellion.cli import main; main()"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ENTRY, *words]
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def write(folder: Path, **texts: str) -> list[str]:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.csv") for name in texts]


def test_stop_words_do_not_count_as_hits(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        ships="Ships of the line,1800\nVictory,100\nTemeraire,98\n",
        bread="The price of bread,1800\nYork,3\nHull,4\n",
    )
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        found = library.search("the price of the bread")
        assert [hit.name for hit in found.hits] == ["bread"] and found.total == 1
        assert all("«of»" not in piece for hit in found.hits for pieces in hit.highlights.values() for piece in pieces)
        assert library.search("of the").total == 2  # nothing else was asked for


def test_every_hit_says_why_and_how_sure_its_reading_is(tmp_path: Path) -> None:
    lines = ["Place,1990,1991", *(f"Place number {number},{number * 7 + 3},{number * 5}" for number in range(400))]
    lines += ["Marmalade Street,1,2", "Later Street,4,77777"]
    sources = write(tmp_path, long="\n".join(lines) + "\n", short="Town,1990\nYork,1\nHull,2\n")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        for question in ("marmalade", "later", "york", "1990", "number", "77777"):
            hits = library.search(question).hits
            assert hits and all(hit.highlights for hit in hits), question
            assert all(0 <= hit.confidence <= 1 for hit in hits)


def test_tables_without_values_come_last(tmp_path: Path) -> None:
    from tabellion.library.reading import reading_of
    from tabellion.library.writing import write_readings
    from tabellion.pipeline import extract_document

    valued, hollow = write(
        tmp_path, valued="Town,Harbours 1990\nYork,1\nHull,2\n", hollow="Harbours,Harbours 1990\nYork,1\nHull,2\n"
    )
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(valued)
        import msgspec

        reading = reading_of(extract_document(hollow), hollow, hollow, 10)
        empty = tuple(msgspec.structs.replace(table, tuples=0) for table in reading.tables)
        from tabellion.library.originals import store_original
        from tabellion.library.reading import tidy_tables

        store_original(library.folder.originals, Path(hollow).read_bytes(), reading.sha256)
        nothing = msgspec.structs.replace(reading, tables=empty, tuples=tidy_tables(reading.document_id, ()))
        write_readings(library.folder, library.catalogue, [nothing])
        found = library.search("harbours")
        assert [hit.name for hit in found.hits] == ["valued", "hollow"] and found.total == 2
        pages = [library.search("harbours", limit=1, offset=at).hits[0].name for at in (0, 1)]
        assert pages == ["valued", "hollow"]
        assert found.facets["size"] == {"small": 1, "empty": 1}
        assert [hit.name for hit in library.search("harbours size:empty").hits] == ["hollow"]


def test_the_place_of_the_files_is_kept_in_postgresql(database: str, tmp_path: Path) -> None:
    (source,) = write(tmp_path, ships="Ships,1800\nVictory,100\nTemeraire,98\n")
    with pytest.raises(LibraryError, match="needs a folder for its files: --files"):
        open_library(database, create=True)
    with open_library(database, str(tmp_path / "files"), create=True) as library:
        library.add(source)
    with open_library(database) as library:
        assert library.folder.root == tmp_path / "files"
        assert library.search("victory").total == 1
    with pytest.raises(LibraryError, match="are not here"):
        open_library(database, str(tmp_path / "elsewhere"))
    (tmp_path / "files").rename(tmp_path / "moved")
    with pytest.raises(LibraryError, match="which is not here: name --files"):
        open_library(database)
    with open_library(database, str(tmp_path / "moved"), create=True) as library:
        assert library.search("victory").total == 1
    with open_library(database) as library:
        assert library.folder.root == tmp_path / "moved"


def test_an_older_library_in_postgresql_says_what_it_does_not_know(database: str, tmp_path: Path) -> None:
    with open_library(database, str(tmp_path / "files"), create=True) as library:
        library.catalogue.set_fact("files", "")
        with library.catalogue.writing() as connection:
            connection.exec_driver_sql("DELETE FROM library_facts WHERE name = 'files'")
    with pytest.raises(LibraryError, match="is not known: name --files"):
        open_library(database)
    open_library(database, str(tmp_path / "files")).close()
    open_library(database).close()


def test_a_locked_catalogue_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tabellion.library import catalogue

    monkeypatch.setattr(catalogue, "_PATIENCE", 2.0)
    (source,) = write(tmp_path, ships="Ships,1800\nVictory,100\nTemeraire,98\n")
    told: list[str] = []
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        holder = sqlite3.connect(library.folder.catalogue, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        library.catalogue.tell = told.append
        with pytest.raises(LibraryError, match="locked by another process"):
            library.catalogue.set_fact("x", "y")
        assert len(told) == 1 and "another process is writing" in told[0]
        holder.execute("ROLLBACK")
        library.add(source)
        assert library.search("victory").total == 1


def test_files_are_taken_by_content_and_others_counted(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    examples = Path(__file__).parents[2] / "examples"
    (folder / "download").write_bytes((examples / "smoking.xlsx").read_bytes())
    (folder / "report.dat").write_bytes((examples / "report.pdf").read_bytes())
    (folder / "page.aspx").write_text("<html><body><table><tr><td>a</table></body></html>", encoding="utf-8")
    (folder / "figures.txt").write_text("Town\t1990\nYork\t1\nHull\t2\n", encoding="utf-8")
    (folder / "notes.txt").write_text("Nothing here,\nbut words; and words, and words.\nNo table.\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    done = run("add", str(folder), "--library", str(tmp_path / "shelf"), "--format", "jsonl", "--jobs", "1")
    named = {Path(json.loads(line)["source"]).name for line in done.stdout.splitlines()}
    assert named == {"download", "report.dat", "page.aspx", "figures.txt"}
    assert done.stderr.splitlines()[-1].endswith("; 2 other files skipped")


def test_on_a_full_disk_every_document_is_reported_once(small_disk: Path, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 400)
    place = str(small_disk / "shelf")
    done = run("add", *sources, "--library", place, "--format", "jsonl", "--jobs", "1")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert sorted(line["source"] for line in lines) == sorted(sources)
    failed = [line["source"] for line in lines if line["status"] == "error"]
    assert failed and all(line["note"] for line in lines if line["status"] == "error")
    told = [line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("tabellion: ")]
    assert sorted(one for one in told if one in set(sources)) == sorted(failed)
    assert f"{len(failed)} not read" in done.stderr
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    with open_library(place) as library:
        assert {one.source for one in library.documents()} == set(sources) - set(failed)
        assert list(verify_library(library)) == []
        library.add(*sources)
        assert len(library.documents()) == 400
        originals = {path.name.removesuffix(".gz") for path in library.folder.originals.glob("??/*")}
        assert originals == {one.sha256 for one in library.documents()}
