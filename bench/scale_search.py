"""Search over libraries of many tables: by default 200,000 and 2,000,000 made ones.

    python bench/scale_search.py [FOLDER] [--tables 200000 2000000]

FOLDER keeps the made libraries (bench/library_made.py), a folder for each number of tables; those that are not there
are made, which takes about four minutes per 200,000. The index of the larger one lies in shards, as that of every
library of its size. Printed are the milliseconds of a question by the clock and of the processor, and the room on the
disk.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import select

from library_made import make_library
from tabellion.library.catalogue import tables
from tabellion.library.files import count_bytes
from tabellion.library.library import Library

QUESTIONS = 300
_WORD = re.compile(r"[A-Za-z]{4,}")


def make_questions(library: Library) -> list[str]:
    """About four words of the caption of some table."""
    with library.catalogue.reading() as connection:
        captions = connection.execute(select(tables.c.caption).limit(20_000)).scalars().all()
    choose, asked = random.Random(11), []  # noqa: S311 - the same questions every time
    for caption in choose.sample([one for one in captions if one], QUESTIONS):
        words = _WORD.findall(caption)
        asked.append(" ".join(choose.sample(words, min(4, len(words)))) or "population")
    return asked


def report(library: Library, asked: list[str]) -> None:
    found = library.search("").total
    for facets in (True, False):
        for question in asked[:30]:
            library.search(question, facets=facets)
        spent = []
        for question in asked:
            clock, own = time.perf_counter(), time.process_time()
            library.search(question, facets=facets)
            spent.append((time.perf_counter() - clock, time.process_time() - own))
        wall, own_times = (sorted(1000 * one[at] for one in spent) for at in (0, 1))
        late = int(0.95 * len(asked))
        said = f"median {statistics.median(wall):.1f}, p95 {wall[late]:.1f} ms by the clock"
        said += f"; median {statistics.median(own_times):.1f}, p95 {own_times[late]:.1f} ms of the processor"
        print(f"{found:,} tables, {'with' if facets else 'without'} facets: {said}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--tables", type=int, nargs="+", default=[200_000, 2_000_000])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for tables in given.tables:
            with make_library((given.folder or Path(scratch)) / str(tables), tables) as library:
                report(library, make_questions(library))
                size = count_bytes(library.folder.index)
                room = f"{size / 1e6:,.0f} MB, {size / tables:,.0f} bytes a table"
                print(f"index: {len(library.index.rooms())} shards, {room}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
