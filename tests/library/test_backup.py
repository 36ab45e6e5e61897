"""A backup is the library, also where others write meanwhile, and restores it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shelving import contents, write_documents

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.upkeep import copy_library
from tabellion.library.verify import verify_library

DOCUMENTS = 6
Place = Callable[[str], tuple[str, str]]


def test_a_backup_is_the_library_and_restores_it(place: Place, tmp_path: Path) -> None:
    where = place("shelf")
    sources = write_documents(tmp_path / "documents", DOCUMENTS)
    with open_library(*where, create=True) as library:
        library.add(*sources)
        library.remove(sources[0])
        copy_library(library, str(tmp_path / "backup"))
        expected = contents(library)
        with pytest.raises(LibraryError, match="already"):
            copy_library(library, str(tmp_path / "backup"))
    with open_library(str(tmp_path / "backup")) as backup:
        assert contents(backup) == expected
        assert list(verify_library(backup)) == []
        copy_library(backup, str(tmp_path / "restored"))
    with open_library(str(tmp_path / "restored")) as restored:
        assert contents(restored) == expected
        assert list(verify_library(restored)) == []


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[str]:
    """A library that another thread adds documents to all the while."""
    shelf = str(tmp_path / "busy")
    sources = write_documents(tmp_path / "many", 60)
    with open_library(shelf, create=True) as library:
        library.add(*sources[:10])
    ended = threading.Event()

    def add() -> None:
        with open_library(shelf) as library:
            for source in sources[10:]:
                if ended.is_set():
                    return
                library.add(source)

    thread = threading.Thread(target=add)
    thread.start()
    yield shelf
    ended.set()
    thread.join()


def test_a_backup_made_while_others_write_is_whole(writing: str, tmp_path: Path) -> None:
    with open_library(writing) as library:
        for number in range(3):
            assert copy_library(library, str(tmp_path / f"backup-{number}")) >= 10
    for number in range(3):
        with open_library(str(tmp_path / f"backup-{number}")) as backup:
            assert list(verify_library(backup)) == []
