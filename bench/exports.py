"""Whether every export of every table of the corpora reads back, and how fast a million tuples are written.

    python bench/exports.py [CORPUS...]     default: troy200, webtables, icdar2013, then a million tuples

Prints for each thing that must hold of how many tables or documents it holds, then seconds and memory for a million
tuples.
"""

from __future__ import annotations

import io
import logging
import resource
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.building import build_extraction, build_frame, build_grid, build_nested
from tests.export.round_trips import round_trips

from tabellion.errors import TabellionError
from tabellion.export.forms import FormName, write_export
from tabellion.learn.corpora import corpus_folder
from tabellion.pipeline import Extraction, extract_document

CORPORA = {"troy200": "inputs", "webtables": "pages", "icdar2013": "pdf"}
ROWS, COLUMNS = 50_000, 20


def extractions(corpus: str) -> Iterator[Extraction]:
    folder = corpus_folder(corpus)
    for path in sorted((folder / CORPORA[corpus]).iterdir()) if folder else ():
        try:
            yield extract_document(path)
        except TabellionError as error:
            print(f"  {error}")


def count(corpus: str) -> None:
    held: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    tables = tuples = 0
    for extraction in extractions(corpus):
        tables += len(extraction.tables)
        tuples += sum(len(table.tuples) for table in extraction.tables)
        for what, holds in round_trips(extraction):
            seen[what] += 1
            held[what] += holds
            if not holds:
                print(f"  {extraction.document.source}: {what}")
    print(f"{corpus}: {tables} tables, {tuples:,} tuples")
    for what in seen:
        print(f"  {held[what]:5} of {seen[what]:5}  {what}")


class Sink(io.RawIOBase):
    """Takes bytes and forgets them."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        return len(data)  # type: ignore[arg-type]


def time_a_million() -> None:
    cells: list[list[str | float | None]] = [["", *(f"c{n}" for n in range(COLUMNS))]]
    cells += [[f"r{n}", *(n * 20.5 + k for k in range(COLUMNS))] for n in range(ROWS)]
    extraction = build_extraction(build_nested(build_frame(build_grid(cells), "h" + "d" * ROWS)))
    forms: tuple[FormName, ...] = ("parquet", "turtle", "nquads", "csv", "xml", "xlsx")
    for form in forms:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, clock = time.process_time(), time.perf_counter()
        write_export(form, [extraction], io.BytesIO() if form in ("parquet", "xlsx") else Sink())  # type: ignore[arg-type]
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        seconds, wall = time.process_time() - start, time.perf_counter() - clock
        print(f"1,000,000 tuples to {form}: {seconds:.1f} s of processor, {wall:.1f} s by the clock, {more:+.0f} MB")


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for corpus in sys.argv[1:] or CORPORA:
        count(corpus)
    if not sys.argv[1:]:
        time_a_million()


if __name__ == "__main__":
    main()
