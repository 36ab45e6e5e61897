"""Whether SQLite, DuckDB and PostgreSQL give back the same tuples that a library has: all tables of three corpora.

    python bench/databases.py [--postgresql URL] [CORPUS...]     default: troy200, webtables, icdar2013

Without a URL a server of PostgreSQL is started and thrown away, where one is installed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.library.conftest import find_binaries, started_server

from tabellion.errors import TabellionError
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.adding import read_source
from tabellion.library.databases.export import read_tuples
from tabellion.library.library import Library
from tabellion.pipeline import Settings

ORDERED = 'select * from tuples order by table_id, "row", "column"'
ENDINGS = (".xlsx", ".xls", ".csv", ".html", ".pdf")


def corpus_library(corpus: str, folder: Path) -> Library | None:
    """The documents of a corpus in a library of their own."""
    home = corpus_folder(corpus)
    if home is None:
        return None
    library = open_library(str(folder / corpus), create=True)
    with library.writing_documents() as writer:
        for path in sorted(path for path in home.rglob("*") if path.suffix in ENDINGS):
            try:
                writer.write(read_source(str(path), library.folder.originals, Settings()))
            except TabellionError as error:
                print(f"  not read: {error}")
    return library


def check(library: Library, urls: dict[str, str]) -> None:
    expected = library.query(ORDERED)
    for name, url in urls.items():
        began = time.process_time()
        report = library.export_to(url)
        seconds = time.process_time() - began
        same = read_tuples(url).equals(expected)
        again = library.export_to(url)
        said = f"{report.tables:,} tables, {report.tuples:,} values, {seconds:.1f} s of processor time"
        kept = "nothing written again" if not again.written else f"{again.written} written again"
        print(f"  {name:10} {'the same tuples' if same else 'OTHER TUPLES'}: {said}; {kept}")
        for note in report.passed_over:
            print(f"             {note}")
        if not same or again.written:
            sys.exit(1)


@contextmanager
def postgresql(url: str | None) -> Iterator[str | None]:
    with nullcontext(url) if url or not find_binaries() else started_server() as found:
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=["troy200", "webtables", "icdar2013"])
    parser.add_argument("--postgresql", metavar="URL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, postgresql(given.postgresql) as server:
        for corpus in given.corpora:
            library = corpus_library(corpus, Path(scratch))
            if library is None:
                print(f"{corpus}: not at hand (docs/corpora.md)")
                continue
            urls = {"sqlite": f"{scratch}/{corpus}.db", "duckdb": f"{scratch}/{corpus}.duckdb"}
            if server:
                urls["postgresql"] = f"{server}/postgres?schema={corpus}"
            print(corpus)
            with library:
                check(library, urls)


if __name__ == "__main__":
    main()
