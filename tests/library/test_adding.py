"""Keeping documents: added once, replaced when they change, removed, and read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from shelving import contents, write_documents
from sqlalchemy import Connection, select

from tabellion.errors import LibraryError, SourceMissingError
from tabellion.library import open_library
from tabellion.library.catalogue import corrections, history
from tabellion.library.verify import verify_library

Place = Callable[[str], tuple[str, str]]


def test_documents_are_added_then_unchanged_then_replaced(place: Place, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 3)
    with open_library(*place("shelf"), create=True) as library:
        assert [kept.status for kept in library.add(*sources)] == ["added"] * 3
        before = contents(library)
        assert [kept.status for kept in library.add(*sources)] == ["unchanged"] * 3
        assert contents(library) == before
        Path(sources[0]).write_text("Place,1950,1951\nTower,7,8\nBridge,9,10\n", encoding="utf-8")
        assert [kept.status for kept in library.add(*sources)] == ["replaced", "unchanged", "unchanged"]
        rows = library.query("select text from tuples where 'Tower' in \"left\" or 'Bridge' in \"left\" order by text")
        assert rows["text"].to_pylist() == ["10", "7", "8", "9"]
        assert library.search("Tower").total == 1
        assert list(verify_library(library)) == []
        assert len(list(library.folder.originals.glob("??/*"))) == 4  # the older version stays


def test_a_replaced_document_keeps_its_names_and_its_history(place: Place, tmp_path: Path) -> None:
    from tabellion.library.records import describe_document

    path = tmp_path / "a" / "report.csv"
    with open_library(*place("shelf"), create=True) as library:
        for folder in ("a", "b"):
            write = tmp_path / folder / "report.csv"
            write.parent.mkdir()
            write.write_text(f"Place,1950,1951\n{folder},1,2\nTower,3,4\n", encoding="utf-8")
            library.add(write)
        names = {row["name"] for row in library.query("select name from tables").to_pylist()}
        assert "report" in names and len(names) == 2
        path.write_text("Place,1950,1951\na,10,20\nTower,3,4\n", encoding="utf-8")
        library.add(path)
        assert {row["name"] for row in library.query("select name from tables").to_pylist()} == names
        assert library.query('select max("1950") as most from report').to_pylist() == [{"most": 10.0}]
        facts = describe_document(library, str(path))
        assert facts["version"] == 2
        assert [(old["version"], old["how"]) for old in facts["history"]] == [(1, "replaced")]


def test_a_removed_document_is_gone_but_not_forgotten(place: Place, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 4)
    with open_library(*place("shelf"), create=True) as library:
        library.add(*sources)
        library.remove(sources[1])
        assert len(library.documents()) == 3
        assert library.query("select count(distinct document_id) as n from tuples").to_pylist() == [{"n": 3}]
        assert library.search("", limit=10).total == 3
        assert len(list(library.folder.originals.glob("??/*"))) == 4
        library.remove(sources[2], forget=True)
        assert len(list(library.folder.originals.glob("??/*"))) == 3
        assert library.search("", limit=10).total == 2
        assert list(verify_library(library)) == []
        with pytest.raises(LibraryError, match="no such document"):
            library.remove(sources[2])
        assert [kept.status for kept in library.add(sources[1])] == ["added"]
        assert library.find(sources[1]).version == 2


@pytest.mark.parametrize("after", [1, 2])
def test_a_document_is_forgotten_where_the_first_call_was_cut_off(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """After each of its transactions: the same call made again ends it."""
    sources = write_documents(tmp_path / "documents", 3)
    with open_library(*place("shelf"), create=True) as library:
        library.add(*sources)
        wanted = next(one for one in library.documents() if one.source == sources[1])
        library.repair(wanted.tables[0], author="ada").set_text("title", "Secret")
        done, writing = 0, library.catalogue.writing

        @contextmanager
        def cut_off() -> Iterator[Connection]:
            nonlocal done
            with writing() as connection:
                yield connection
            done += 1
            if done == after:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(library.catalogue, "writing", cut_off)
            with pytest.raises(KeyboardInterrupt):
                library.remove(sources[1], forget=True)
        assert len(list(library.folder.originals.glob("??/*"))) == 3
        with suppress(LibraryError):  # where nothing but files was left, it says that there is no such document
            library.remove(sources[1], forget=True)
        assert len(list(library.folder.originals.glob("??/*"))) == 2
        with library.catalogue.reading() as connection:
            assert not connection.execute(select(history)).all()
            assert not connection.execute(select(corrections)).all()
        assert library.search("", limit=10).total == 2
        assert list(verify_library(library)) == []


def test_what_was_taken_out_can_be_forgotten_later(place: Place, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 2)
    with open_library(*place("shelf"), create=True) as library:
        library.add(*sources)
        assert library.remove(sources[0])
        assert library.remove(sources[0], forget=True) is None
        assert len(list(library.folder.originals.glob("??/*"))) == 1
        with pytest.raises(LibraryError, match="no such document"):
            library.remove(sources[0], forget=True)


def test_reading_again_changes_nothing_but_the_files(place: Place, tmp_path: Path) -> None:
    from tabellion.library.verify import read_again, sweep
    from tabellion.pipeline import Settings

    sources = write_documents(tmp_path / "documents", 5)
    with open_library(*place("shelf"), create=True) as library:
        library.add(*sources)
        before, added = contents(library), [one.added for one in library.documents()]
        with library.writing_documents(again=True) as writer:
            for source in sources:
                writer.write(read_again(library.find(source), library.folder.originals, Settings()))
        sweep(library.folder, library.catalogue, always=True)
        library.index.rebuild()
        assert contents(library) == before
        assert [one.added for one in library.documents()] == added
        assert len(list(library.folder.segments.glob("*.parquet"))) == 1
        assert list(verify_library(library)) == []


def test_a_document_that_cannot_be_read_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 2)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(sources[0])
        with pytest.raises(SourceMissingError):
            library.add(sources[1], str(tmp_path / "nothing.csv"))
        assert len(library.documents()) == 2  # what was read before the fault is kept
        assert list(verify_library(library)) == []


def test_there_is_no_library_where_none_was_made(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="there is no library here"):
        open_library(str(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("harm", ["original", "segment", "index", "lost segment"])
def test_verify_names_what_is_wrong(harm: str, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 3)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        assert list(verify_library(library)) == []
        segment = next(library.folder.segments.glob("*.parquet"))
        if harm == "original":
            next(library.folder.originals.glob("??/*")).write_bytes(b"something else")
        elif harm == "segment":
            data = bytearray(segment.read_bytes())
            data[100] ^= 1
            segment.write_bytes(data)
        elif harm == "lost segment":
            segment.unlink()
        else:
            writer = library.index.open().indexes[0].writer()
            writer.delete_documents_by_term("document_id", library.find(sources[0]).document_id)
            writer.commit()
        faults = list(verify_library(library))
        assert len(faults) == (2 if harm == "index" else 1)  # of the index its files, and what it lacks
        assert all(harm.split()[-1] in fault for fault in faults)
