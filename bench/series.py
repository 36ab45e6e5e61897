"""How well the editions of a table are found, on series that were written down by hand.

    python bench/series.py [LIBRARY]

bench/series_pairs.json names tables of the corpora statsheets and saus-lines (file, sheet, number on the sheet) that
are editions of one; all other pairs of their tables are none. LIBRARY holds both corpora; without one it is made.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from itertools import combinations
from pathlib import Path, PurePath

from tabellion.learn.corpora import find_corpus
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.series.editions import SeriesFinder

PAIRS = Path(__file__).with_name("series_pairs.json")
CORPORA = ("statsheets", "saus-lines")
FEW = 4  # values below which a table has no editions to speak of
Pair = tuple[str, str]


def written_pairs(library: Library) -> set[Pair]:
    """The pairs that are editions of one, by the ids of their tables."""
    asked = (
        "select d.source, t.sheet, t.table_id from tables t join documents d using (document_id) order by t.table_id"
    )
    held: dict[tuple[str, str], list[str]] = {}
    for row in library.query(asked).to_pylist():
        held.setdefault((PurePath(row["source"]).name, row["sheet"]), []).append(row["table_id"])
    found: set[Pair] = set()
    for series in json.loads(PAIRS.read_text(encoding="utf-8")):
        tables = [
            (held.get((file, sheet), []) + [f"{file}/{sheet}/{number}"] * number)[number - 1]
            for file, sheet, number in series
        ]
        found |= {(min(pair), max(pair)) for pair in combinations(tables, 2)}
    return found


def found_pairs(library: Library) -> set[Pair]:
    """The pairs that any table of the library is said to be an edition in."""
    asked = library.query("select table_id, count(*) n from tuples group by 1").to_pylist()
    finder, found = SeriesFinder(library), set[Pair]()
    for table in sorted(row["table_id"] for row in asked if row["n"] >= FEW):
        members = [member.edition.table for member in finder.find(table)]
        found |= {(min(pair), max(pair)) for pair in combinations(members, 2)}
    return found


def report(library: Library) -> None:
    gold, began = written_pairs(library), time.perf_counter()
    found = found_pairs(library)
    right = len(gold & found)
    tables = sum(len(document.tables) for document in library.documents())
    print(f"{len(gold)} pairs among {tables:,} tables, {time.perf_counter() - began:.0f} s")
    print(f"found {len(found)}, right {right}: precision {right / len(found):.3f}, recall {right / len(gold):.3f}")
    for name, pairs in (("missed", gold - found), ("wrong", found - gold)):
        for pair in sorted(pairs):
            print(f"  {name}: {' '.join(pair)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?")
    given = parser.parse_args()
    if given.library:
        with open_library(given.library) as library:
            report(library)
        return
    with tempfile.TemporaryDirectory() as folder, open_library(folder, create=True) as library:
        for name in CORPORA:
            library.add(*sorted(path for path in (find_corpus(name) / "inputs").iterdir()))
        report(library)


if __name__ == "__main__":
    main()
