"""Workers: a task costs no more than it may, and what it does to its worker stays there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import hostile_files as hostile
import tabellion
from tabellion.errors import CrashError, TooLargeError, TruncatedError
from tabellion.isolated import extract_isolated
from tabellion.library import open_library, repairing
from tabellion.mine.sources import folder_site, open_sites
from tabellion.pipeline import extract_document
from tabellion.read.limits import Limits
from tabellion.settings import Settings
from tabellion.workers import Bounds, BusyError, Crew, LimitPassedError, WorkerLostError
from tabellion.workers.crew import _descendants

ROOM = Bounds(seconds=20, memory=2**30)
TIGHT = Settings(limits=Limits(seconds=1.0, memory=400 * 2**20))


def test_a_worker_goes_from_task_to_task() -> None:
    with Crew(1) as crew:
        first, second = crew.do(os.getpid, bounds=ROOM), crew.do(os.getpid, bounds=ROOM)
        assert first == second != os.getpid()


def test_a_worker_finds_files_where_its_parent_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Crew(1) as crew:
        crew.do(os.getpid, bounds=ROOM)
        monkeypatch.chdir(tmp_path)
        Path("here").write_text("it is", encoding="utf-8")
        assert crew.do(Path("here").read_text, "utf-8", bounds=ROOM) == "it is"


def test_an_error_comes_back_as_it_is_and_the_worker_stays() -> None:
    with Crew(1) as crew:
        before = crew.do(os.getpid, bounds=ROOM)
        with pytest.raises(ZeroDivisionError):
            crew.do(divmod, 1, 0, bounds=ROOM)
        assert crew.do(os.getpid, bounds=ROOM) == before


def test_at_its_time_a_worker_is_ended_and_replaced() -> None:
    with Crew(1) as crew:
        crew.do(os.getpid, bounds=ROOM)
        with pytest.raises(LimitPassedError, match="seconds"):
            crew.do(time.sleep, 60, bounds=Bounds(0.5, 2**30))
        assert crew.do(divmod, 7, 2, bounds=ROOM) == (3, 1)


@pytest.mark.parametrize("size", [600 * 2**20, 2**40], ids=["held", "asked for at once"])
def test_at_its_memory_a_worker_is_ended_and_replaced(size: int) -> None:
    with Crew(1) as crew, pytest.raises(LimitPassedError, match="memory"):
        crew.do(b"x".__mul__, size, bounds=Bounds(20, 300 * 2**20))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="memory of others is told by /proc")
def test_what_a_task_starts_counts_and_ends_with_it() -> None:
    code = "import time; held = b'x' * (500 * 2**20); time.sleep(60)"
    with Crew(1) as crew, pytest.raises(LimitPassedError, match="memory"):
        crew.do(subprocess.check_output, [sys.executable, "-c", code], bounds=Bounds(20, 300 * 2**20))


def test_a_task_that_kills_its_worker_is_told_by_the_signal() -> None:
    with Crew(1) as crew:
        with pytest.raises(WorkerLostError, match="SIGABRT"):
            crew.do(os.abort, bounds=ROOM)
        assert crew.do(divmod, 7, 2, bounds=ROOM) == (3, 1)


def test_what_the_parent_once_held_is_not_the_workers() -> None:
    code = (
        "import os; from tabellion.workers import Bounds, Crew, WorkerLostError\n"
        "held = bytearray(400 * 2**20); del held\n"
        "try:\n    Crew(1).do(os.abort, bounds=Bounds(20, 300 * 2**20))\n"
        "except WorkerLostError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "SIGABRT" in said.stdout


def test_more_than_may_wait_is_refused() -> None:
    with Crew(1, waiting=1) as crew:
        crew.warm()
        threads = [threading.Thread(target=crew.do, args=(time.sleep, 1.0), kwargs={"bounds": ROOM}) for _ in range(2)]
        for thread in threads:
            thread.start()
            time.sleep(0.2)
        with pytest.raises(BusyError):
            crew.do(os.getpid, bounds=ROOM)
        for thread in threads:
            thread.join()
        assert crew.do(divmod, 7, 2, bounds=ROOM) == (3, 1)


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = (
        "import os, time, threading; from tabellion.workers import Bounds, Crew\n"
        "crew = Crew(1); print(crew.do(os.getpid, bounds=Bounds(20, 2**30)), flush=True)\n"
        "crew.do(time.sleep, 60, bounds=Bounds(90, 2**30))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    until = time.monotonic() + 5
    while Path(f"/proc/{worker}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    with pytest.raises(ProcessLookupError):
        os.kill(worker, signal.SIG_DFL)


@pytest.mark.parametrize(
    "made",
    [
        hostile.form_that_draws_itself,
        hostile.forms_that_draw_each_other,
        hostile.many_tables,
        hostile.many_attributes,
    ],
)
def test_a_hostile_document_costs_no_more_than_it_may(made: object) -> None:
    data = made()  # type: ignore[operator]
    with Crew(1) as crew:
        crew.do(os.getpid, bounds=ROOM)
        with pytest.raises(TooLargeError, match=r"Limits\.(seconds|memory)"):
            extract_isolated(data, TIGHT, crew=crew)
        assert len(extract_isolated(b"a,b\nx,1\ny,2\n", crew=crew).tables) == 1


def test_a_document_that_brings_its_worker_down_is_an_error_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from tabellion import isolated

    monkeypatch.setattr(isolated, "_extract", _abort)
    with Crew(1) as crew, pytest.raises(CrashError, match="brought down the process"):
        extract_isolated(b"a,b\n1,2\n", crew=crew)


def _abort(*_: object) -> None:
    os.abort()


@pytest.mark.parametrize("name", ["smoking.xlsx", "lakes.html", "report.pdf", "budget.ods", "flat.csv"])
def test_what_a_worker_reads_is_what_this_process_reads(name: str) -> None:
    here, there = tabellion.extract(f"examples/{name}"), tabellion.extract(f"examples/{name}", isolated=True)
    assert here.to_json(every=True) == there.to_json(every=True)
    assert len(here.document.pages) == len(there.document.pages)
    assert type(here.document.pages[0]) is type(there.document.pages[0])


def test_an_unreadable_document_is_refused_in_the_same_words() -> None:
    with pytest.raises(TruncatedError) as here:
        tabellion.extract(b"%PDF-1.4\n1 0 obj")
    with pytest.raises(TruncatedError) as there:
        tabellion.extract(b"%PDF-1.4\n1 0 obj", isolated=True)
    assert str(here.value) == str(there.value)


def test_one_time_goes_through_all_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading itself is quick here; the time is up while tables are labelled."""
    from tabellion import pipeline

    def slow(*given: object) -> object:
        time.sleep(0.3)
        return recognise(*given)  # type: ignore[arg-type]

    recognise = pipeline.recognise_grid
    monkeypatch.setattr(pipeline, "recognise_grid", slow)
    rows = "".join(f"<table><tr><th>a<th>b<tr><td>{n}<td>2<tr><td>3<td>{n}</table>" for n in range(80))
    with pytest.raises(TooLargeError, match=r"Limits\.seconds"):
        extract_document(f"<html><body>{rows}".encode(), Settings(limits=Limits(seconds=1.0)))


@pytest.mark.parametrize("sign", ["[", "\\", "0", "?", "#,"])
def test_a_long_number_format_costs_nothing(sign: str) -> None:
    extract_document(hostile.workbook_with_format(sign * 50_000), Settings(limits=Limits(seconds=20.0)))


def test_a_page_that_is_mined_costs_no_more_than_it_may(tmp_path: Path) -> None:
    good = b"<html><title>Lakes</title><body><h1>Como</h1><p>Depth: <b>410 m</b></p></body></html>"
    (tmp_path / "index.html").write_bytes(good)
    (tmp_path / "other.html").write_bytes(hostile.many_attributes())
    limits = Limits(seconds=1.0, memory=400 * 2**20)
    with Crew(1) as crew:
        (site,) = open_sites([str(tmp_path)], limits, crew=crew)
        with pytest.raises(TooLargeError, match=r"other\.html.*Limits\.(seconds|memory)"):
            site.load(str(tmp_path / "other.html"))
        here = folder_site(tmp_path).load(str(tmp_path / "index.html"))
        (site,) = open_sites([str(tmp_path)], Limits(), crew=crew)
        there = site.load(str(tmp_path / "index.html"))
    assert there.texts == here.texts == ["Como", "Depth:", "410 m"]


def test_a_document_is_opened_for_repair_in_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "flat.csv"
    page.write_bytes(Path("examples/flat.csv").read_bytes())
    with open_library(str(tmp_path / "shelf"), create=True, isolated=True) as library:
        library.add(page)
        (table,) = library.documents()[0].tables
        monkeypatch.setattr(repairing, "read_source", None)  # whoever reads it here fails
        repair = library.repair(table)
        repair.set_text("title", "Cities")
        assert library.query("select title from tables").to_pylist() == [{"title": "Cities"}]
        with pytest.raises(TooLargeError, match=r"flat\.csv.*Limits\.bytes"):
            library.repair(table, settings=Settings(limits=Limits(bytes=10)))


def test_a_process_that_ends_while_its_children_are_asked_for_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = 2**31 - 1
    assert _descendants(gone) == []
    monkeypatch.setattr(os, "listdir", lambda _: [str(gone)])  # it was there when its threads were listed
    assert _descendants(1) == []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="memory of others is told by /proc")
def test_a_task_that_aborts_with_much_of_its_memory_ran_out_of_it() -> None:
    code = "import os, time; held = bytearray(b'x') * (220 * 2**20); time.sleep(0.5); os.abort()"  # it is looked at
    with Crew(1) as crew, pytest.raises(LimitPassedError, match="memory"):
        crew.do(exec, code, bounds=Bounds(20, 300 * 2**20))
