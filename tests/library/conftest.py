"""Libraries to test with, in SQLite and in a PostgreSQL server that is started here and thrown away afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, make_url

sys.path.insert(0, str(Path(__file__).parent))  # `shelving`, for the processes that tests start, too


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server on the loopback interface, without the name of a database."""
    if find_binaries() is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    with started_server() as url:
        yield url


@contextmanager
def started_server() -> Iterator[str]:
    """A server of PostgreSQL that is thrown away afterwards."""
    binaries = find_binaries()
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    folder.chmod(0o755)
    data = folder / "data"
    data.mkdir()
    become: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if not known_user("postgres"):
            pytest.skip("PostgreSQL's server does not run as root, and there is no user postgres")
        shutil.chown(data, "postgres")
        become = ["runuser", "-u", "postgres", "--"]
    port = free_port()
    run = lambda *command: subprocess.run([*become, *command], check=True, capture_output=True)  # noqa: E731
    run(f"{binaries}/initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync")
    options = f"-h 127.0.0.1 -p {port} -k {data} -F"
    run(f"{binaries}/pg_ctl", "-D", str(data), "-o", options, "-l", str(data / "log"), "-w", "start")
    try:
        yield f"postgresql://postgres@127.0.0.1:{port}"
    finally:
        run(f"{binaries}/pg_ctl", "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(server: str) -> str:
    """The URL of an empty database."""
    name = f"library_{uuid4().hex}"
    engine = create_engine(make_url(f"{server}/postgres").set(drivername="postgresql+pg8000"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return f"{server}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], tuple[str, str]]:
    """Makes the place and the folder of a new library by name, in each of the two catalogues."""

    def make(name: str) -> tuple[str, str]:
        folder = str(tmp_path / name)
        return (folder if request.param == "sqlite" else request.getfixturevalue("database")), folder

    return make


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with little room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a small file system can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def find_binaries() -> str | None:
    found = shutil.which("initdb")
    if found:
        return str(Path(found).resolve().parent)
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3])
    return str(folders[-1].parent) if folders else None


def known_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a history and corrections, closed."""
    from shelving import write_documents

    from tabellion.library import open_library

    folder = tmp_path_factory.mktemp("damage")
    sources = write_documents(folder / "documents", 6)
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sources)
        Path(sources[0]).write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
        library.add(sources[0])
        library.repair(library.documents()[1].tables[0], author="a").set_text("title", "Another title")
        library.search("york")
    with closing(sqlite3.connect(folder / "shelf" / "catalogue.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "shelf"


@pytest.fixture
def shelf(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "shelf"))
