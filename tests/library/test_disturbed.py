"""A library survives what happens to it: killed writers, two at once, a reader all the while, a full disk."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from shelving import add_all, contents, write_documents

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.paging import GoneError, documents_after, tables_after
from tabellion.library.verify import verify_library

DOCUMENTS = 120
KILLS = 20  # `make soak` kills a thousand times
TOGETHER = 8  # documents that become visible together
Place = Callable[[str], tuple[str, str]]


def start(place: tuple[str, str], sources: list[str]) -> BaseProcess:
    """A real process that adds documents; forked from a server that has the imports, so that it begins at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["shelving", "tabellion.library.library", "tabellion.label", "tabellion.read.delimited"]
    )
    process = context.Process(target=add_all, args=(*place, sources, TOGETHER))
    process.start()
    return process


@pytest.mark.long
def test_killed_at_any_point_nothing_is_lost_and_the_run_resumes(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", DOCUMENTS)
    undisturbed = str(tmp_path / "undisturbed")
    began = time.monotonic()
    process = start((undisturbed, undisturbed), sources)
    process.join()
    whole = time.monotonic() - began
    with open_library(undisturbed) as library:
        expected = contents(library)
    assert len(expected["documents"]) == DOCUMENTS
    choose = random.Random(7)  # noqa: S311 - the same points every time, as far as time is the same
    round_, done, progress = 0, 0, 0
    while done < KILLS or (not progress and done < 10 * KILLS):  # on a busy machine many are killed before they begin
        place = str(tmp_path / f"shelf-{round_}")
        seen: set[str] = set()
        for _ in range(10):
            process = start((place, place), sources)
            # many short runs: each adds a part of what is left
            process.join(choose.uniform(0.0, whole / 4))
            if process.exitcode is not None:
                break
            os.kill(process.pid or 0, signal.SIGKILL)
            process.join()
            done += 1
            if not (Path(place) / "catalogue.sqlite").exists():
                continue
            try:
                library = open_library(place)
            except LibraryError as error:
                assert "there is no library here" in str(error)  # killed before its first transaction
                assert not seen
                continue
            with library:
                assert list(verify_library(library)) == []
                now = {one.id for one in library.documents()}
                assert seen <= now, "documents that were added before are lost"
                progress += len(now - seen)
                seen = now
        process = start((place, place), sources)
        process.join()
        assert process.exitcode == 0
        with open_library(place) as library:
            assert list(verify_library(library)) == []
            assert contents(library) == expected
            assert not (library.folder.root / "unfinished").exists()
            assert not list(library.folder.root.rglob("*.part"))
            named = {row.segment_id for row in segments_of(library)}
            assert {path.stem for path in library.folder.segments.glob("*.parquet")} == named
        round_ += 1
    assert progress > 0, "no run was killed while it had something to lose"


def segments_of(library: object) -> Iterator[object]:
    from tabellion.library.records import list_segments

    with library.catalogue.reading() as connection:  # type: ignore[attr-defined]
        yield from list_segments(connection)


def test_the_command_killed_with_its_workers_leaves_none_of_them_behind(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 60)
    place = tmp_path / "shelf"
    entry = "from tabellion.cli import main; main()"
    command = [sys.executable, "-c", entry, "add", *sources, "--library", str(place), "--jobs", "2", "-f", "jsonl"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    time.sleep(3)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 20
    while members(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert not members(process.pid), "workers outlive the command"
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    with open_library(str(place)) as library:
        assert len(library.documents()) == 60
        assert list(verify_library(library)) == []


def members(group: int) -> list[str]:
    """The processes of a session that are alive."""
    found = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(group)], capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "Z" not in line]


def test_two_processes_add_while_one_reads(place: Place, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 120)
    alone, shared = str(tmp_path / "alone"), place("shared")
    add_all(alone, alone, sources, TOGETHER)
    with open_library(alone) as library:
        expected = contents(library)
    with open_library(*shared, create=True) as library:
        pair = [start(shared, sources[:80]), start(shared, sources[:39:-1])]
        before, looks = 0, 0
        while any(process.is_alive() for process in pair):
            seen = library.query(
                "select (select count(*) from documents) as documents, (select count(*) from tables) as tables, "
                "(select count(distinct document_id) from tuples) as filled"
            ).to_pylist()[0]
            assert seen["documents"] == seen["tables"] == seen["filled"] >= before
            library.search("visitors")
            before, looks = seen["documents"], looks + 1
        assert [process.exitcode for process in pair] == [0, 0]
        assert looks > 1
        assert list(verify_library(library)) == []
        assert contents(library) == expected


def test_a_full_disk_is_a_clear_error_and_breaks_nothing(small_disk: Path, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 400)
    place = str(small_disk / "shelf")
    with open_library(place, create=True) as library:
        library.add(*sources[:5])
        with pytest.raises(LibraryError, match=r"[Nn]o space|disk is full|cannot be"):
            for first in range(5, 400, 20):
                library.add(*sources[first : first + 20])
    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    with open_library(place) as library:
        kept = {one.source for one in library.documents()}
        assert set(sources[:5]) <= kept
        assert list(verify_library(library)) == []
        library.add(*sources)
        assert len(library.documents()) == 400
        assert list(verify_library(library)) == []


@pytest.mark.parametrize("question", ["", "harbour visitors 1990"])
def test_pages_of_an_answer_hold_every_table_once_while_another_process_adds(question: str, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 60)
    there = str(tmp_path / "shelf"), str(tmp_path / "shelf")
    start(there, sources[:20]).join()
    with open_library(*there) as library:
        whole = [hit.table for hit in library.search(question, limit=1_000).hits]
        page = library.search(question, limit=5)
        seen = [hit.table for hit in page.hits]
        while page.next:
            adding = start(there, sources[: 20 + len(seen)])
            adding.join()
            moved = library.search(question, limit=5, offset=len(seen))
            page = library.search(question, limit=5, after=page.next)
            seen += [hit.table for hit in page.hits]
        assert seen == whole
        assert moved.total > len(whole), "nothing was added, so nothing was tested"


def test_lists_hold_every_table_once_while_another_process_adds(place: Place, tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 60)
    there = place("shared")
    start(there, sources[:12]).join()
    with open_library(*there) as library:
        adding = start(there, sources[12:])
        rounds = 0
        while not rounds or adding.is_alive():
            before = library.documents()
            tables, documents = [""], [""]
            while page := tables_after(library.catalogue, tables[-1], 3):
                tables += [one.table_id for one in page]
            while found := documents_after(library.catalogue, documents[-1], 3):
                documents += [one.document_id for one in found]
            assert len(tables) == len(set(tables)) and {table for one in before for table in one.tables} <= set(tables)
            assert len(documents) == len(set(documents)) and {one.id for one in before} <= set(documents)
            rounds += 1
        adding.join()
        assert adding.exitcode == 0
        assert len(library.documents()) == len(sources)


def test_a_page_of_a_state_that_no_process_holds_is_refused(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 12)
    there = str(tmp_path / "shelf")
    add_all(there, there, sources[:8], TOGETHER)
    with open_library(there) as library:
        first = library.search("", limit=3)
    with open_library(there) as library:  # nothing has changed: another process may go on
        second = library.search("", limit=3, after=first.next)
        assert not {hit.table for hit in first.hits} & {hit.table for hit in second.hits}
    add_all(there, there, sources, TOGETHER)
    with open_library(there) as library:
        with pytest.raises(GoneError, match="begin with the first page"):
            library.search("", limit=3, after=first.next)
        with pytest.raises(LibraryError, match="not where a page ended"):
            library.search("", after="7")
