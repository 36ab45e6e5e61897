"""A long delimited file to Parquet: processor seconds and peak memory of one run from file to file.

    python bench/delimited.py [--rows N]     default: 500,000 rows of 7 columns

The file is made for it, the same each time. What must hold: within 15 s of processor time and 1 GB.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from random import Random

from tabellion.export.forms import write_export
from tabellion.pipeline import extract_document

REGIONS = ("North", "South", "East", "West")


def write_rows(path: Path, rows: int) -> None:
    """A relation: a number, two words, a year and three measures."""
    chance = Random(1)  # noqa: S311
    with path.open("w", encoding="utf-8") as file:
        file.write("id,region,product,year,units,price,share\n")
        for number in range(rows):
            words = f"{number},{chance.choice(REGIONS)},item {chance.randrange(900)},{2000 + number % 20}"
            file.write(f"{words},{chance.randrange(10_000)},{chance.random() * 100:.2f},{chance.random():.4f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=500_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_rows(path, rows)
        start = time.process_time()
        extraction = extract_document(path)
        read = time.process_time()
        with (Path(folder) / "rows.parquet").open("wb") as file:
            write_export("parquet", [extraction], file)
        done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    tuples = sum(len(table.tuples) for table in extraction.tables)
    print(
        f"{rows:,} rows, {tuples:,} tuples: read {read - start:.1f} s, written {done - read:.1f} s, peak {peak:.2f} GB"
    )


if __name__ == "__main__":
    main()
