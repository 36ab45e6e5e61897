"""How fast pages are cut into segments and their hierarchy is found.

    python bench/mine.py [FOLDER]      pages under a folder (default: the corpora segments and news-front)

Prints pages per second of one core (seconds of its own work, whatever else runs), reading and data tables included, and
the time of a made page of 5,000 leaves by both methods.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tabellion.learn.corpora import corpus_folder
from tabellion.mine.hierarchy import SegmentMethod, segment_page
from tabellion.mine.sources import find_tables
from tabellion.read.web.page_tree import load_page, parse_page_tree

METHODS: tuple[SegmentMethod, ...] = ("blocks", "ontominer")


def made_page(parts: int = 100, things: int = 25) -> str:
    """A page of headed lists, two texts a thing."""
    entries = "".join(f"<li><a href='/{n}'>Thing {n}</a> <span>{n} EUR</span>" for n in range(things))
    return "".join(f"<div><h2>Part {n}</h2><ul>{entries}</ul></div>" for n in range(parts))


def main() -> None:
    given = [Path(name) for name in sys.argv[1:]]
    folders = given or [folder for name in ("segments", "news-front") if (folder := corpus_folder(name))]
    pages = sorted(path for folder in folders for path in folder.rglob("*.htm*"))
    start = time.process_time()
    leaves = sum(len(segment_page(find_tables(*load_page(path))).page) for path in pages)
    seconds = time.process_time() - start
    if pages:
        print(f"{len(pages)} pages, {leaves} leaves: {len(pages) / seconds:.1f} pages per second")
    page = parse_page_tree(made_page())
    for method in METHODS:
        start = time.process_time()
        segment_page(page, method)
        print(f"{method}: {len(page)} leaves in {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
