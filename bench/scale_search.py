"""Search over an index in many shards: by default 2,000,000 made tables in ten.

    python bench/scale_search.py [FOLDER] [--shards 10] [--tables 200000]

FOLDER keeps a made library of so many tables a shard (bench/library_made.py); without it one is made, which takes
minutes. The shards are copies of its index, since to make ten different ones takes an hour: each is searched as if it
were another, and the lists of every word are ten times as long. Printed are the milliseconds of a question for one
shard and for all of them, by the clock and of the processor, and the room on the disk.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import select

from library_made import make_library
from tabellion.library import open_library
from tabellion.library.catalogue import tables
from tabellion.library.files import count_bytes
from tabellion.library.library import Library

QUESTIONS = 300
_WORD = re.compile(r"[A-Za-z]{4,}")


def copy_shards(made: Path, folder: Path, shards: int) -> Path:
    """A library whose index has so many shards, each the index of a made library."""
    folder.mkdir()
    shutil.copyfile(made / "catalogue.sqlite", folder / "catalogue.sqlite")
    for room in ("segments", "originals"):
        (folder / room).symlink_to((made / room).absolute())
    for number in range(shards):
        shutil.copytree(made / "index", folder / "index" / f"{number:02}")
    noted = json.loads((made / "index.json").read_bytes())
    (folder / "index.json").write_text(json.dumps(noted | {"shards": shards, "meta": None}), encoding="utf-8")
    return folder


def make_questions(library: Library) -> list[str]:
    """About four words of the caption of some table."""
    with library.catalogue.reading() as connection:
        captions = connection.execute(select(tables.c.caption).limit(20_000)).scalars().all()
    choose, asked = random.Random(11), []  # noqa: S311 - the same questions every time
    for caption in choose.sample([one for one in captions if one], QUESTIONS):
        words = _WORD.findall(caption)
        asked.append(" ".join(choose.sample(words, min(4, len(words)))) or "population")
    return asked


def report(name: str, library: Library, asked: list[str]) -> None:
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
        print(f"{name}, {found:,} tables, {'with' if facets else 'without'} facets: {said}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--tables", type=int, default=200_000, help="of each shard")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        made = given.folder or Path(scratch) / "made"
        if not (made / "index.json").exists():
            make_library(made, given.tables).close()
        with open_library(str(made)) as library:
            asked = make_questions(library)
            report("one shard", library, asked)
        place = copy_shards(made, Path(scratch) / "many", given.shards)
        with open_library(str(place)) as library:
            report(f"{given.shards} shards", library, asked)
            size = count_bytes(library.folder.index)
        print(f"index: {size / 1e6:,.0f} MB, {size / (given.shards * given.tables):,.0f} bytes a table")
    return 0


if __name__ == "__main__":
    sys.exit(main())
