"""How fast PDF files are read to tuples, beside pdfplumber, camelot and the bare reading of characters.

    python bench/pdf.py [--documents N]

In: the documents of icdar2013 and jats. Out: processor seconds of each way in one process, and the ratio that must
hold: pdfplumber's `extract_tables` takes at least 1.5 times as long. camelot is measured where it is installed. Then a
document of 1,000 pages: the memory it takes, in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2

from tabellion.learn.corpora import corpus_folder
from tabellion.pipeline import extract_document

PLUMBER_LIMIT = 1.5  # what must hold: at least so many times as fast
MEMORY_LIMIT = 1024  # MB for a document of 1,000 pages
CORPORA = ("icdar2013", "jats")


def documents(most: int | None) -> list[Path]:
    """The first documents of each corpus."""
    found: list[Path] = []
    for name in CORPORA:
        folder = corpus_folder(name)
        if folder is None:
            sys.exit(f"corpus {name} not found (docs/corpora.md)")
        found += sorted((folder / "pdf").glob("*.pdf"))[:most]
    return found


def by_tabellion(path: Path) -> None:
    for table in extract_document(path).tables:
        len(table.tuples)


def by_pdfplumber(path: Path) -> None:
    import pdfplumber

    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_tables()
            page.close()


def by_camelot(path: Path) -> None:
    import camelot

    camelot.read_pdf(str(path), pages="all", flavor="hybrid", suppress_stdout=True)


def bare(path: Path) -> None:
    """Every character and its box by PDFium, and nothing else."""
    document = pypdfium2.PdfDocument(path)
    for page in document:
        text = page.get_textpage()
        for number in range(text.count_chars()):
            text.get_charbox(number)


def seconds(read: Callable[[Path], None], paths: list[Path]) -> float:
    start = time.process_time()
    for path in paths:
        read(path)
    return time.process_time() - start


def memory_of(path: Path) -> tuple[int, float]:
    """Megabytes and seconds that a document takes in a process of its own."""
    start = time.perf_counter()
    subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, time.perf_counter() - start


def long_document(paths: list[Path], pages: int) -> bytes:
    """The pages of some documents over and over."""
    long = pypdfium2.PdfDocument.new()
    while len(long) < pages:
        for path in paths:
            with pypdfium2.PdfDocument(path) as part:
                long.import_pages(part, list(range(min(len(part), pages - len(long)))))
            if len(long) >= pages:
                break
    with tempfile.TemporaryFile() as file:
        long.save(file)
        file.seek(0)
        return file.read()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, help="of each corpus; all without it")
    parser.add_argument("--pages", type=int, default=1000, help="of the long document")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        by_tabellion(options.read)
        return
    paths = documents(options.documents)
    by_tabellion(paths[0])  # weights are loaded once
    own = seconds(by_tabellion, paths)
    print(f"{len(paths)} documents: tabellion {own:.1f} s, from file to tuples")
    plain = seconds(bare, paths)
    print(f"bare characters by PDFium {plain:.1f} s: tabellion takes {own / plain:.1f} times as long")
    for name, read in (("pdfplumber", by_pdfplumber), ("camelot", by_camelot)):
        try:
            __import__(name)
        except ImportError:
            print(f"{name} is not installed")
            continue
        taken = seconds(read, paths)
        print(f"{name} {taken:.1f} s: tabellion is {taken / own:.1f} times as fast")
        if name == "pdfplumber":
            assert taken / own >= PLUMBER_LIMIT, f"less than {PLUMBER_LIMIT} times as fast as pdfplumber"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        path.write_bytes(long_document(paths, options.pages))
        megabytes, taken = memory_of(path)
    print(f"{options.pages:,} pages: {megabytes:,} MB, {taken:.0f} s")
    assert megabytes < MEMORY_LIMIT, f"more than {MEMORY_LIMIT} MB"


if __name__ == "__main__":
    main()
