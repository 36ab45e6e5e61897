"""Commands that write to a library, killed at any point: the end state is that of runs that were not disturbed.

Each round has a library of its own, in SQLite or PostgreSQL, and goes through `add`, `repair`, `remove`, `rebuild`,
`mine --update` and `learn --install`. Every one of them is killed some times and then let end; after each the library
must be as it was there in a round without kills, and `verify` must find nothing.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from shelving import contents, write_documents

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "library")]

from scale.disturbing import databases, has_server
from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.records import read_logs
from tabellion.library.verify import verify_library

DOCUMENTS, REPAIRED, REMOVED = 24, 6, 5
KILLS = 4  # of each command in a round
_LOADED = ("soak_kills", "soak_warm", "tabellion.cli.add", "tabellion.cli.upkeep", "tabellion.cli.mine")
_LOADED += ("tabellion.cli.mined", "tabellion.library.library", "tabellion.label", "tabellion.read.delimited")
_LOADED += ("tabellion.learn.repair.teach",)


class Round(NamedTuple):
    """Where a round works: its library, the folder of its files, and what it reads."""

    place: str
    files: str
    documents: str
    site: str
    history: str


def command(*arguments: str) -> None:
    """A command of tabellion, as the shell calls it; in a process of its own."""
    from tabellion.cli import main

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.argv = ["tabellion", *arguments]
    main()


def add(at: Round) -> None:
    from tabellion.library import writing

    writing.READINGS_TOGETHER = 4  # so that there is much to disturb
    sources = sorted(map(str, Path(at.documents).iterdir()))
    command("add", *sources, "-l", at.place, "--files", at.files, "-j", "1")


def repair(at: Round) -> None:
    """Say something of some tables, each once."""
    with open_library(at.place, at.files) as library:
        wanted = library.documents()[:REPAIRED]
        said = library.logs([one.id for one in wanted])
        for number, document in enumerate(wanted):
            if not said.get(document.id):
                one = library.repair(document.tables[0], author="ada")
                one.set_text("title", f"Repaired {number}")


def remove(at: Round) -> None:
    """Take some documents out and forget some of them; one that is gone is called for again all the same."""
    with open_library(at.place, at.files) as library:
        for number, source in enumerate(sorted(map(str, Path(at.documents).iterdir()))[-REMOVED:]):
            with contextlib.suppress(LibraryError):
                library.remove(source, forget=number % 2 == 0)


def rebuild(at: Round) -> None:
    command("rebuild", "-l", at.place, "--files", at.files, "-j", "1")


def mine(at: Round) -> None:
    kept = ("--library", at.place, "--files", at.files, "--name", "lakes")
    command("mine", "--unified", at.site, "--update", at.history, *kept, "-f", "jsonl")


def learn(at: Round) -> None:
    """Install weights that were learned from the corrections; from them alone, since the corpora take minutes."""
    from tabellion.learn.repair import teach

    teach.CORPORA = dict.fromkeys(teach.SIDES, ())
    with open_library(at.place, at.files) as library:
        teach.train_taught(library.folder.weights, teach.corrected_gold(library))


OPERATIONS: tuple[Callable[[Round], None], ...] = (add, repair, remove, rebuild, mine, learn)


def write_site(folder: Path) -> str:
    """The pages of a small site, all of one template."""
    folder.mkdir(parents=True)
    for name, depth, area in (("Como", 410, 146), ("Garda", 346, 370), ("Maggiore", 372, 212), ("Iseo", 251, 65)):
        facts = f"<table><tr><th>Depth<td>{depth} m<tr><th>Area<td>{area} km²</table>"
        page = f"<html><title>{name} - Lakes</title><body><h1>{name}</h1><h2>Facts</h2>{facts}<p>A lake.</body></html>"
        (folder / f"{name.lower()}.html").write_text(page, encoding="utf-8")
    return str(folder)


def state(at: Round) -> dict[str, Any]:
    """All that a round has made so far."""
    with open_library(at.place, at.files) as library:
        held = contents(library)
        with library.catalogue.reading() as connection:
            logs = read_logs(connection, [one.id for one in library.documents()])
        weights = library.folder.weights
        files = {path.name: _learned(path) for path in sorted(weights.glob("*"))} if weights.is_dir() else {}
        left = sorted(path.name for path in library.folder.root.glob(".*"))
    history = Path(at.history).read_bytes() if Path(at.history).exists() else b""
    told = {document: [msg.operation for msg in log] for document, log in logs.items()}
    return held | {"corrections": told, "weights": files, "history": history, "left": left}


def _learned(path: Path) -> Any:
    """What a file of weights holds; a card without the state of the code, which may change meanwhile."""
    if not path.name.endswith(".card.json"):
        return path.read_bytes()
    return json.loads(path.read_bytes()) | {"commit": None}


def start(operation: Callable[[Round], None], at: Round) -> BaseProcess:
    """Forked from a server that has the imports and the weights, so that it begins at once."""
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, sys.path)))  # the server looks there alone
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    process = context.Process(target=operation, args=(at,))
    process.start()
    return process


def _nothing(_: Round) -> None:
    """What a process does that is only started."""


def undisturbed(at: Round) -> dict[str, tuple[float, dict[str, Any]]]:
    """How long each command takes, and what there is after it."""
    start(_nothing, at).join()  # so that the imports are no part of what the first command takes
    found = {}
    for operation in OPERATIONS:
        begun = time.monotonic()
        process = start(operation, at)
        process.join()
        if process.exitcode:
            raise RuntimeError(f"{operation.__name__} ended with status {process.exitcode}")
        found[operation.__name__] = time.monotonic() - begun, state(at)
    return found


def disturb(
    operation: Callable[[Round], None], at: Round, seconds: float, choose: random.Random, killed: Counter[str]
) -> str:
    """Kill a command some times and let it end; what `verify` says after the last kill and at the end."""
    for _ in range(KILLS):
        process = start(operation, at)
        process.join(choose.uniform(0.0, seconds))
        if process.exitcode is not None:
            break
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        killed[operation.__name__] += 1
    fault = verified(at, made=operation is not add)
    process = start(operation, at)
    process.join()
    return fault or (f"it ends with status {process.exitcode}" if process.exitcode else verified(at, made=True))


def verified(at: Round, *, made: bool) -> str:
    """The first fault of a library; a command that made it may have been killed before there was one."""
    try:
        with open_library(at.place, at.files) as library:
            return next(iter(verify_library(library)), "")
    except LibraryError as error:
        return str(error) if made or "no library" not in str(error) else ""


@contextlib.contextmanager
def places(folder: Path) -> Iterator[list[tuple[str, Callable[[int], Round]]]]:
    """Makes rounds by number, for each kind of catalogue that there is here."""
    write_documents(folder / "documents", DOCUMENTS)
    site = write_site(folder / "site")

    def make(number: int, place: str | None = None) -> Round:
        files = folder / f"round-{number}"
        return Round(
            place or str(files), str(files), str(folder / "documents"), site, str(folder / f"history-{number}")
        )

    with databases() if has_server() else contextlib.nullcontext() as database:
        kinds = [("SQLite", make)]
        if database is not None:
            kinds.append(("PostgreSQL", lambda number: make(number, database())))
        yield kinds


def soak_kills(count: int, folder: Path, seed: int = 4) -> int:
    """Rounds until so many commands were killed, in turn on each kind of catalogue; how many things were wrong."""
    choose, faults, number = random.Random(seed), 0, 1  # noqa: S311
    killed: dict[str, Counter[str]] = {}
    with places(folder) as kinds:
        expected = undisturbed(kinds[0][1](0))
        while sum(one.total() for one in killed.values()) < count:
            kind, make = kinds[number % len(kinds)]
            at = make(number)
            for operation in OPERATIONS:
                seconds, wanted = expected[operation.__name__]
                fault = disturb(operation, at, seconds, choose, killed.setdefault(kind, Counter()))
                held = state(at)
                differing = [name for name in wanted if held[name] != wanted[name]]
                if fault or differing:
                    faults += 1
                    print(f"kills, round {number}, {kind}, {operation.__name__}: {fault} {differing}", flush=True)
            told = "; ".join(f"{kind}: {dict(counts)}" for kind, counts in killed.items())
            print(f"kills after {number} rounds: {told}; {faults} faults", flush=True)
            number += 1
    return faults
