"""How fast web pages are read to tuples, beside `pandas.read_html` and the bare parse by lexbor.

    python bench/web_tables.py [--pages N]

In: the pages of the corpus webtables. Out: seconds of each way (the best of three rounds, in one process), and the two
ratios that must hold: pandas over tabellion, tabellion over the bare parse. Then a page of 20 MB, and pages of 5, 10
and 20 MB to see that time grows with the page and not faster; memory is measured in a process of its own.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from tabellion.learn.corpora import corpus_folder
from tabellion.pipeline import extract_document

ROUNDS = 3
BARE_LIMIT, PANDAS_LIMIT = 8.0, 2.0  # what must hold: at most so many bare parses, at least so many times pandas
PLAIN_LIMIT = 2.0  # bare parses of a page without any candidate
_WITHOUT = re.compile(rb"<(/?)(?:table|dl|pre)(?=[\s/>])", re.I)
MEMORY_LIMIT = 1024  # MB for a page of 20 MB


def best_of(work: Callable[[], object]) -> float:
    """The shortest processor time of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def read_by_pandas(pages: list[bytes]) -> int:
    import pandas

    found = 0
    for page in pages:
        try:
            found += len(pandas.read_html(io.BytesIO(page), flavor="lxml"))  # its fast way
        except ValueError:
            continue  # pandas says so where it finds no table
    return found


def large_page(megabytes: float) -> str:
    """A page of many plain tables."""
    rows = "".join(f"<tr><td>name {i}</td><td>{i * 7}</td><td><b>{i}</b>.5</td></tr>" for i in range(200))
    part = f"<p>{'lorem ipsum ' * 20}</p><table><tr><th>Name<th>Count<th>Rate</tr>{rows}</table>"
    return "<html><body>" + part * round(megabytes * 1e6 / len(part))


def compare_pages(pages: list[bytes]) -> bool:
    texts = [page.decode("utf-8", "replace") for page in pages]
    bare = best_of(lambda: [LexborHTMLParser(page) for page in pages])
    bare_text = best_of(lambda: [LexborHTMLParser(text) for text in texts])
    ours = best_of(lambda: sum(len(extract_document(page).tables) for page in pages))  # held by neither
    peers = best_of(lambda: read_by_pandas(pages))
    print(f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.1f} MB")
    print(f"bare parse by lexbor        {bare:7.2f} s  ({bare_text:.2f} s from text)")
    print(f"tabellion, to tuples        {ours:7.2f} s  {ours / bare:5.1f} bare parses (must: {BARE_LIMIT:g}, goal: 4)")
    print(f"pandas.read_html, to frames {peers:7.2f} s  {peers / bare:5.1f} bare parses")
    print(f"pandas over tabellion       {peers / ours:7.2f}    (must: {PANDAS_LIMIT:g}, goal: 5)")
    return ours / bare <= BARE_LIMIT and peers / ours >= PANDAS_LIMIT


def compare_plain_pages(pages: list[bytes]) -> bool:
    """Pages that have no candidate for a table: the same pages with their tables and lists made plain boxes."""
    swapped = [_WITHOUT.sub(rb"<\1div", page) for page in pages]
    bare = best_of(lambda: [LexborHTMLParser(page) for page in swapped])
    ours = best_of(lambda: sum(len(extract_document(page).tables) for page in swapped))
    print(f"pages without candidates    {ours:7.2f} s  {ours / bare:5.1f} bare parses (must: {PLAIN_LIMIT:g})")
    return ours / bare <= PLAIN_LIMIT


def compare_sizes() -> bool:
    within = True
    for megabytes in (5, 10, 20):
        page = large_page(megabytes)
        start = time.process_time()
        tables = len(extract_document(page).tables)
        seconds = time.process_time() - start
        print(f"{megabytes:3d} MB, {tables:5d} tables   {seconds:7.2f} s  {seconds / megabytes:5.2f} s a MB")
    command = [sys.executable, __file__, "--memory"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    print(f"20 MB: {done.stdout.strip()} MB of memory (must: {MEMORY_LIMIT})")
    return within and int(done.stdout) <= MEMORY_LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, help="only so many pages of the corpus")
    parser.add_argument("--memory", action="store_true", help="print the memory that a page of 20 MB takes, and end")
    options = parser.parse_args()
    if options.memory:
        extract_document(large_page(20))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        return 0
    folder = corpus_folder("webtables")
    if folder is None:
        print("corpus webtables not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
        return 2
    paths = sorted(Path(folder / "pages").iterdir())[: options.pages]
    pages = [path.read_bytes() for path in paths]
    return 0 if compare_pages(pages) & compare_plain_pages(pages) & compare_sizes() else 1


if __name__ == "__main__":
    sys.exit(main())
