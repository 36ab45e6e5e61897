"""Runs on a cluster that are disturbed: a part of them is killed at a random point, and the end is looked at.

    make kills                                     # worker 20, scheduler 10, driver 10, connection to PostgreSQL 10
    python tests/scale/disturbing.py --worker 2 --scheduler 1 --driver 1 --connection 1

A run ends in the same library as an undisturbed one, with the same report, and `verify` finds nothing. The exit status
is 1 where one does not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from sqlalchemy import create_engine, make_url, text

from tabellion.library import open_library
from tabellion.library.verify import verify_library

LIBRARY_TESTS = Path(__file__).parents[1] / "library"
sys.path.insert(0, str(LIBRARY_TESTS))

from shelving import contents, write_documents  # noqa: E402 - beside the tests of libraries

DOCUMENTS = 48
TOGETHER = 3  # documents of a batch, so that there is much to disturb
KINDS = ("worker", "scheduler", "driver", "connection")
_PATIENCE = 120.0
_DRIVER = """
import sys, msgspec
from tabellion.library import open_library
from tabellion.scale import driver
driver.BATCH_DOCUMENTS = {together}
place, files, cluster, source = sys.argv[1:]
with open_library(place, files, create=True) as library:
    told = lambda done, report: print(done.source, flush=True)
    report = driver.run_sources([source], library, cluster, listen=told)
print("report", msgspec.json.encode(report).decode(), flush=True)
"""


class LocalCluster:
    """A scheduler and two workers, each a process of its own that can be killed and started again."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.mend()
        return self

    def __exit__(self, *_: object) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            process.kill()
            process.wait()

    def mend(self) -> None:
        """Start what does not run; workers end with their scheduler, some sooner and some later."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            for process in self.workers:
                process.kill()
                process.wait()
            self.scheduler = _dask("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
            until = time.monotonic() + _PATIENCE
            while not _answers(self.port) and time.monotonic() < until:
                time.sleep(0.1)
        self.workers = [process for process in self.workers if process.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(_dask("worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard"))


def _dask(part: str, *options: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


class Driver:
    """The process that makes a run, and what it says."""

    def __init__(self, place: str, files: str, cluster: str, source: Path) -> None:
        code = _DRIVER.format(together=TOGETHER)
        command = [sys.executable, "-c", code, place, files, cluster, str(source)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.report: dict[str, Any] = {}

    def documents(self) -> Iterator[str]:
        """The documents that are visible, as they are told."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("report "):
                self.report = json.loads(line.removeprefix("report "))
            else:
                yield line.strip()

    def end(self) -> int:
        """Its exit status, once all was said."""
        for _ in self.documents():
            pass
        return self.process.wait()

    def fault(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()[-2000:]


def disturb(kind: str, after: int, cluster: LocalCluster, place: str, files: str, source: Path) -> str:
    """One run that is disturbed when so many documents are visible, and resumed until it ends; what is wrong then."""
    driver = Driver(place, files, cluster.address, source)
    told = driver.documents()
    for _ in range(after):
        if next(told, None) is None:
            return f"the run ended before it was disturbed: {driver.fault()}"
    strike(kind, driver, cluster, place)
    status = driver.end()
    for _ in range(5):
        if status == 0:
            break
        cluster.mend()
        driver = Driver(place, files, cluster.address, source)
        status = driver.end()
    cluster.mend()
    if status:
        return f"the run does not end: {driver.fault()}"
    if driver.report["documents"] != {"added": DOCUMENTS}:
        return f"the report says {driver.report['documents']}"
    return ""


def strike(kind: str, driver: Driver, cluster: LocalCluster, place: str) -> None:
    """Kill a part of a run."""
    if kind == "connection":
        lose_connections(place)
        return
    processes = {"driver": driver.process, "scheduler": cluster.scheduler, "worker": cluster.workers[0]}
    process = processes[kind]
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def lose_connections(place: str) -> None:
    """End every connection to a database."""
    engine = create_engine(make_url(place).set(drivername="postgresql+pg8000"))
    with engine.connect() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        )
    engine.dispose()


def look_at(place: str, files: str, expected: dict[str, Any]) -> str:
    """What is wrong with a library that should be like an undisturbed one."""
    with open_library(place, files) as library:
        if faults := list(verify_library(library)):
            return f"verify says {faults[0]}"
        held = contents(library)
        if differing := [name for name in expected if held[name] != expected[name]]:
            return f"its {', '.join(differing)} are not those of an undisturbed run"
        with library.catalogue.reading() as connection:
            left = connection.execute(text("SELECT count(*) FROM batches")).scalar()
        return "lines are left in the manifest" if left else ""


def undisturbed(folder: Path, cluster: LocalCluster) -> tuple[Path, dict[str, Any]]:
    """Documents to read, and what the library of an undisturbed run holds."""
    source = folder / "documents"
    write_documents(source, DOCUMENTS)
    place = str(folder / "undisturbed")
    driver = Driver(place, place, cluster.address, source)
    if driver.end():
        raise RuntimeError(driver.fault())
    with open_library(place) as library:
        return source, contents(library)


def try_kills(counts: dict[str, int], folder: Path, database: Callable[[], str] | None, seed: int = 5) -> list[str]:
    """Disturb runs so many times by each kind; what is wrong, a line each. Every other library is in PostgreSQL."""
    choose, faults = random.Random(seed), []  # noqa: S311 - the same points every time
    with LocalCluster() as cluster:
        source, expected = undisturbed(folder, cluster)
        kinds = [kind for kind in KINDS for _ in range(counts.get(kind, 0))]
        choose.shuffle(kinds)
        for number, kind in enumerate(kinds):
            files = str(folder / f"shelf-{number}")
            on_server = database and (kind == "connection" or number % 2)
            place = database() if database and on_server else files
            after = choose.randrange(1, DOCUMENTS - 2 * TOGETHER)
            fault = disturb(kind, after, cluster, place, files, source) or look_at(place, files, expected)
            said = f"{number + 1}: {kind} killed after {after} documents, {'PostgreSQL' if on_server else 'SQLite'}"
            print(f"{said}: {fault or 'ends the same'}", flush=True)
            if fault:
                faults.append(f"{said}: {fault}")
    return faults


def has_server() -> bool:
    """Whether PostgreSQL is here."""
    return bool(_postgresql().find_binaries())


def _postgresql() -> Any:
    """The server that tests of libraries start."""
    found = spec_from_file_location("library_server", LIBRARY_TESTS / "conftest.py")
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


@contextlib.contextmanager
def databases() -> Iterator[Callable[[], str]]:
    """Makes empty databases on a server of PostgreSQL that is thrown away afterwards."""
    with _postgresql().started_server() as server:
        admin = create_engine(make_url(f"{server}/postgres").set(drivername="postgresql+pg8000"))

        def make() -> str:
            name = f"library_{uuid4().hex}"
            with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"CREATE DATABASE {name}")
            return f"{server}/{name}"

        yield make
        admin.dispose()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for kind, count in zip(KINDS, (20, 10, 10, 10), strict=True):
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"runs whose {kind} is killed")
    parser.add_argument("--seed", type=int, default=5, help="other points to kill at, for a piece of the whole")
    given = parser.parse_args()
    counts = {kind: getattr(given, kind) for kind in KINDS}
    began = time.monotonic()
    memory = Path("/dev/shm")  # noqa: S108 - processes are killed here, not machines: nothing need reach a disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder, databases() as make:
        faults = try_kills(counts, Path(folder), make, given.seed)
    print(f"{sum(counts.values())} runs, {len(faults)} faults, {time.monotonic() - began:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
