"""Whether every join that is offered gives rows, and says so where it multiplies them: all tables of two corpora.

    python bench/joins_offered.py [LIBRARY]

LIBRARY holds the tables that are asked for (without one it is made from troy200 and saus-lines).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "library"))

from tests.library.test_joins import find_untrue_joins

from library_relevance import corpora_library
from tabellion.library import open_library

CORPORA = ("troy200", "saus-lines")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(sys.argv[1]) if sys.argv[1:] else corpora_library(Path(folder) / "library", CORPORA)
        with library:
            names = [one["name"] for one in library.query("select name from tables order by name").to_pylist()]
            offered, untrue = find_untrue_joins(library, names)
    for fault in untrue:
        print(fault)
    print(f"{len(names):,} tables, {offered:,} joins offered, {len(untrue)} of them untrue")
    sys.exit(1 if untrue else 0)


if __name__ == "__main__":
    main()
