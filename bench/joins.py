"""How well and how fast tables that belong together are found, against plain overlap of the labels as written.

    python bench/joins.py [LIBRARY] [--cases N] [--large FOLDER]

LIBRARY holds the tables of the dev corpora (without one it is made); they are cut into cases (bench/join_cases.py). The
weights are those that ship, which saw the same corpora; bench/joins_weights.py gives the figures by folds. FOLDER is a
library of many tables (bench/library_made.py), over which the time is taken.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from join_cases import exact_overlap, make_cases, score
from library_relevance import corpora_library
from tabellion.library import open_library
from tabellion.library.joins.partners import find_partners
from tabellion.library.library import Library

TIMED = 200


def report_found(source: Library, folder: Path, count: int, *, bare: bool) -> None:
    library, cases = make_cases(source, folder, count, bare=bare)
    with library:
        tables = sum(len(document.tables) for document in library.documents())
        print(f"{len(cases)} cases among {tables:,} tables, {'without' if bare else 'with'} captions")
        ways = {
            "tabellion": lambda table: [one.table for one in find_partners(library, table, 5)],
            "labels as written": exact_overlap(library),
        }
        for name, find in ways.items():
            for cut in ("columns", "rows", ""):
                first, five = score(find, [case for case in cases if cut in (case.cut, "")])
                print(f"  {name:18} {f'cut by {cut}' if cut else 'all':15} first {first:.3f}  first five {five:.3f}")


def report_time(folder: Path) -> None:
    with open_library(str(folder)) as library:
        tables = sorted(table for document in library.documents() for table in document.tables)
        asked = random.Random(3).sample(tables, min(TIMED, len(tables)))  # noqa: S311
        for table in asked[:20]:
            find_partners(library, table)
        spent = []
        for table in asked:
            began, own = time.perf_counter(), time.process_time()
            find_partners(library, table)
            spent.append((1000 * (time.perf_counter() - began), 1000 * (time.process_time() - own)))
        wall, busy = (sorted(column) for column in zip(*spent, strict=True))
        late = int(len(asked) * 0.95)
        print(f"partners among {len(tables):,} tables, warm, milliseconds: median {statistics.median(wall):.1f}, "
              f"p95 {wall[late]:.1f}")  # fmt: skip
        print(f"  processor time: median {statistics.median(busy):.1f}, p95 {busy[late]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?")
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--large", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = open_library(given.library) if given.library else corpora_library(Path(folder) / "library")
        with source:
            for bare in (False, True):
                report_found(source, Path(folder) / f"cut-{bare}", given.cases, bare=bare)
    if given.large:
        report_time(given.large)


if __name__ == "__main__":
    main()
