"""Whether the relations of the dev corpora tell rows apart wherever their sources do: all tables, one line at the end.

    python bench/relations.py [LIBRARY]

LIBRARY holds the tables of the dev corpora (without one it is made).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "library"))

from tests.library.test_relations import untold_tables

from library_relevance import corpora_library
from tabellion.library import open_library


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(sys.argv[1]) if sys.argv[1:] else corpora_library(Path(folder) / "library")
        with library:
            untold, count = untold_tables(library), library.query("select count(*) n from tables").to_pylist()[0]["n"]
    for name in untold:
        print(name)
    print(f"{count:,} tables, of which {len(untold)} do not tell rows apart that their source tells apart")


if __name__ == "__main__":
    main()
