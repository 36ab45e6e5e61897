"""The library at scale: search, reopening, room on the disk, joins and adding, beside SQLite FTS5 and plain DuckDB.

    python bench/library.py [FOLDER] [--tables N] [--rows N]

FOLDER keeps the made library of N tables (bench/library_made.py) from run to run; without it one is made and thrown
away, which takes some minutes. Times are of this machine as it is; where other things run on it, the processor time
beside them says what they would be without.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from library_made import make_library
from library_relevance import Entry, read_entries
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.library import Library

QUESTIONS, TIMES = 400, 6  # each question counts with the best of its times: other work may share the cores
_OPEN = """
import sys, time
from tabellion.library import open_library
began, own = time.perf_counter(), time.process_time()
with open_library(sys.argv[1]) as library:
    library.search("population by age")
    print(time.perf_counter() - began, time.process_time() - own)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--tables", type=int, default=200_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch) / "made"
        with make_library(folder, given.tables) as library:
            report_search(library, Path(scratch))
            report_room(library)
        report_open(folder)
        report_join(Path(scratch), given.rows)
        report_add(Path(scratch))


def report_search(library: Library, scratch: Path) -> None:
    entries = read_entries(library)
    choose = random.Random(11)  # noqa: S311
    asked = []
    for entry in choose.sample(entries, min(QUESTIONS, len(entries))):
        words = [w for w in " ".join([entry.caption, *entry.labels()]).replace('"', " ").split() if w.isalpha()]
        asked.append(" ".join(choose.sample(words, min(4, len(words)))) or "population")
    peer = full_text(entries, scratch / "fts5.sqlite")
    print(f"search, {len(entries):,} tables, {len(asked)} questions of four words, warm, best of {TIMES}, milliseconds")
    ways: dict[str, Callable[[str], object]] = {
        "tabellion": lambda text: library.search(text),
        "without facets": lambda text: library.search(text, facets=False),
        "SQLite FTS5": peer,
    }
    for name, search in ways.items():
        for text in asked[:50]:
            search(text)
        spent = [(9e9, 9e9)] * len(asked)
        for _ in range(1 if search is peer else TIMES):
            spent = [
                (min(a, c), min(b, d)) for (a, b), (c, d) in zip(spent, (busy(search, t) for t in asked), strict=True)
            ]
        wall, own = (sorted(1000 * one[at] for one in spent) for at in (0, 1))
        late = int(len(asked) * 0.95)
        print(f"  {name:16} median {statistics.median(wall):7.2f}  p95 {wall[late]:7.2f}  (processor time: "
              f"median {statistics.median(own):7.2f}  p95 {own[late]:7.2f})")  # fmt: skip


def full_text(entries: list[Entry], path: Path) -> Callable[[str], object]:
    """The same text in SQLite's own full-text index, ranked by its BM25."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE held USING fts5(id UNINDEXED, caption, labels, cells, tokenize='porter')")
    rows = ((e.table.table_id, e.caption, " ".join(e.labels()), " ".join(e.texts)) for e in entries)
    connection.executemany("INSERT INTO held VALUES (?, ?, ?, ?)", rows)
    connection.commit()

    def search(text: str) -> object:
        words = " OR ".join(f'"{word}"' for word in text.split())
        found = "SELECT id, snippet(held, -1, '<', '>', '...', 20) FROM held WHERE held MATCH ? ORDER BY rank LIMIT 10"
        return connection.execute(found, (words,)).fetchall()

    return search


def report_room(library: Library) -> None:
    rooms = ["originals", "segments", "index", "catalogue.sqlite"]
    sizes = {name: room(library.folder.root / name) for name in rooms}
    print("room, megabytes: " + ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.items()))
    print(f"  all together {sum(sizes.values()) / sizes['originals']:.2f} times the compressed originals")


def room(path: Path) -> int:
    return path.stat().st_size if path.is_file() else sum(p.stat().st_size for p in path.rglob("*") if p.is_file())


def report_open(folder: Path) -> None:
    command = [sys.executable, "-c", _OPEN, str(folder)]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(9)]
    wall, own = (statistics.median(map(float, times)) for times in zip(*said, strict=True))
    print(f"opening and a first search in a fresh process: {wall:.3f} s ({own:.3f} s of processor time)")


def report_join(scratch: Path, rows: int) -> None:
    """Two tables of a million rows each, joined on a label."""
    with open_library(str(scratch / "join"), create=True) as library:
        made = make_pair(library, scratch, rows)
        own = "select count(*) as n, sum(a.amount * b.price) as s from left_side a join right_side b using (item)"
        plain = own.replace("left_side", f"'{made[0]}'").replace("right_side", f"'{made[1]}'")
        times, peer = [], []
        connection = duckdb.connect()
        for _ in range(7):  # by turns, so that both see the same machine
            times.append(busy(library.query, own))
            peer.append(busy(lambda: connection.execute(plain).fetchall()))
    for name, spent in {"tabellion": times, "DuckDB over plain Parquet files": peer}.items():
        wall, busily = (statistics.median(column) for column in zip(*spent, strict=True))
        print(f"join {rows:,} x {rows:,}, {name}: {wall:.3f} s ({busily:.3f} s of processor time)")


def make_pair(library: Library, scratch: Path, rows: int) -> tuple[Path, Path]:
    """Two documents with one relation each, in the library and as plain files."""
    from library_pair import add_relation

    choose = np.random.default_rng(1)
    paths = []
    for name, column in (("left_side", "amount"), ("right_side", "price")):
        items = pa.array([f"item {number}" for number in choose.permutation(rows)])
        values = choose.random(rows)
        add_relation(library, name, column, items, values)
        path = scratch / f"{name}.parquet"
        pq.write_table(pa.table({"item": items, column: values}), path)
        paths.append(path)
    return paths[0], paths[1]


def report_add(scratch: Path) -> None:
    """Small documents of the corpora, one after the other in this process."""
    folder = corpus_folder("hitab-top")
    if folder is None:
        print("add: no corpora found (docs/corpora.md)")
        return
    sources = sorted(folder.rglob("*.xlsx"), key=lambda path: path.stat().st_size)[:150]
    with open_library(str(scratch / "added"), create=True) as library:
        library.add(sources[0])
        began = time.process_time()
        kept = library.add(*sources)
        seconds = time.process_time() - began
    tuples = sum(one.tuples for one in kept)
    print(
        f"add: {len(sources) / seconds:.0f} documents per second, processor time ({tuples / len(kept):.0f} values each)"
    )


def busy(work: Callable[..., object], *given: object) -> tuple[float, float]:
    """Seconds that passed, and seconds that this process was at it."""
    began, own = time.perf_counter(), time.process_time()
    work(*given)
    return time.perf_counter() - began, time.process_time() - own


if __name__ == "__main__":
    main()
