"""What it costs to read a small document in a worker process, beside reading it in the same process.

    python bench/workers.py [--documents 100] [--rounds 5]

Small documents of the dev corpora (up to 100 kB) are read for a library, all of them in this process and then all by
the one worker of a crew, some rounds of each; of every document the smallest time of each way counts.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

from scale import KINDS, dev_documents
from tabellion.errors import TabellionError
from tabellion.isolated import do_reading
from tabellion.library.reading import Reading, read_for_library
from tabellion.read.limits import DEFAULT
from tabellion.settings import Settings
from tabellion.workers import Crew
from tabellion.workers.inside import COLLECTED_AFTER

MOST = 1.05  # times what reading in the same process takes
_SMALL = 100_000  # bytes
Read = Callable[[str, str, bytes, Settings], Reading]


def seconds_of(read: Read, name: str, data: bytes) -> float:
    """By the clock."""
    start = time.perf_counter()
    read(name, name, data, Settings())
    return time.perf_counter() - start


def readable(paths: list[Path], most: int) -> list[tuple[str, bytes]]:
    """Small documents that can be read, each read once before it is measured."""
    found: list[tuple[str, bytes]] = []
    for path in paths:
        if len(found) < most and path.stat().st_size <= _SMALL:
            data = path.read_bytes()
            try:
                read_for_library(str(path), str(path), data, Settings())
            except TabellionError:
                continue
            found.append((str(path), data))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, default=100, help="of each kind")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    gc.set_threshold(*COLLECTED_AFTER)  # as in a worker: what is left is what the other process costs
    rounds = given.rounds
    worst = 0.0
    with Crew(1) as crew:

        def in_worker(source: str, address: str, data: bytes, settings: Settings) -> Reading:
            return do_reading(read_for_library, source, address, data, settings, limits=DEFAULT, name=source, crew=crew)

        for kind in KINDS:
            documents = readable(dev_documents(kind), given.documents)
            times: dict[Read, list[list[float]]] = {read_for_library: [], in_worker: []}
            for _ in range(rounds):
                for read, taken in times.items():
                    taken.append([seconds_of(read, *document) for document in documents])
            here, there = (sum(map(min, zip(*taken, strict=True))) for taken in times.values())
            each = f"{1000 * here / len(documents):.2f} ms here, {1000 * there / len(documents):.2f} ms in a worker"
            print(f"{len(documents)} {kind}: {each}: {there / here:.3f} times", flush=True)
            worst = max(worst, there / here)
    print(f"at most {worst:.3f} times (aim: {MOST})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
