"""Reading xlsx with styles, against openpyxl's `load_workbook`: the ratio of the two in one run.

    python bench/read_xlsx.py [FOLDER ...] [--repeats N] [--cells N]

Each file is read by both in turn, so that a busy machine slows both alike; processor time is counted, the median over
the repeats is taken for each file, and the ratio is that of the sums. Without folders: the statsheets corpus.
`--cells` measures one made sheet of that many cells instead, with the peak of memory above the start.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import resource
import statistics
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl

from tabellion.learn.corpora import corpus_folder
from tabellion.read import read_document


def workbooks(folders: list[Path]) -> list[Path]:
    """The files that are xlsx by content."""
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if _is_workbook(path)]


def _is_workbook(path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            return False
    try:
        return "xl/workbook.xml" in zipfile.ZipFile(path).namelist()
    except zipfile.BadZipFile:
        return False


def seconds(read: Callable[[bytes], object], data: bytes) -> float:
    """Processor seconds of one reading; what the one before left behind is cleared first."""
    gc.collect()
    start = time.process_time()
    read(data)
    return time.process_time() - start


def by_openpyxl(data: bytes) -> None:
    openpyxl.load_workbook(io.BytesIO(data))


def compare(
    folders: list[Path], repeats: int, read: Callable[[bytes], object] = read_document, suffix: str = ""
) -> dict[str, float]:
    """Median seconds of both for every file whose name ends so, summed."""
    ours, theirs, cells, ratios = 0.0, 0.0, 0, []
    paths = [path for path in workbooks(folders) if path.name.endswith(suffix)]
    for path in paths:
        data = path.read_bytes()
        cells += sum(len(page.cells) for page in read_document(data).pages)
        pairs = [(seconds(read, data), seconds(by_openpyxl, data)) for _ in range(repeats)]
        own, other = (statistics.median(column) for column in zip(*pairs, strict=True))
        ours, theirs = ours + own, theirs + other
        ratios.append(other / own)
    return {
        "files": len(paths),
        "cells": cells,
        "tabellion_seconds": round(ours, 3),
        "openpyxl_seconds": round(theirs, 3),
        "ratio": round(theirs / ours, 2),
        "median_file_ratio": round(statistics.median(ratios), 2),
        "slowest_file_ratio": round(min(ratios), 2),
    }


def one_large(cells: int) -> dict[str, float]:
    """One made sheet with texts, whole numbers, decimals and styles, ten columns wide."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("large")
    for row in range(cells // 10):
        sheet.append([f"row {row}", row, row / 7, row * 1.5, "yes", row % 13, row / 3, row, row + 0.25, "no"])
    buffer = io.BytesIO()
    book.save(buffer)
    data = buffer.getvalue()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = seconds(read_document, data)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"cells": cells, "tabellion_seconds": round(spent, 3), "peak_mb_above_start": round((peak - before) / 1024)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--cells", type=int)
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    if chosen.cells:
        result = one_large(chosen.cells)
    else:
        corpus = corpus_folder("statsheets")
        folders = chosen.folders or ([corpus / "inputs"] if corpus else [])
        if not folders:
            sys.exit("no folder given, and the statsheets corpus is not there")
        result = compare(folders, chosen.repeats)
    for name, value in result.items():
        print(f"{name:24}{value:>14,}")
    print(json.dumps({"bench": "read_xlsx", **result}))


if __name__ == "__main__":
    main()
