"""Printed specimens: PDF pages made with Chromium, with the place of every cell.

Goes in: a number of documents and a folder to keep them in. Comes out: for each document its pages and its tables laid
over their words, as `printed_gold` gives for real documents. Needs Chromium (`chromium` on the path).
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tabellion.errors import MissingExtraError
from tabellion.learn.printed_gold import GoldCell, GoldTable, Laid
from tabellion.learn.specimen_pages import HOST, write_document
from tabellion.learn.specimen_tables import Specimen
from tabellion.model.printed import PrintedPage
from tabellion.read.pdf import PrintedPages

_SECONDS = 60  # for one document


def print_specimens(folder: Path, count: int, first: int = 0) -> None:
    """Print documents that the folder does not hold yet."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise MissingExtraError("printing specimens needs Chromium on the path")
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        target = folder / f"{seed:05d}.pdf"
        if target.exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            page = Path(scratch) / "page.html"
            page.write_text(write_document(seed)[0], encoding="utf-8")
            command = [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={scratch}/u",
                f"--print-to-pdf={target}", page.as_uri(),
            ]  # fmt: skip
            subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)  # noqa: S603


def read_specimens(folder: Path) -> Iterator[tuple[str, list[PrintedPage], list[GoldTable]]]:
    """The name, the pages and the laid tables of each printed document."""
    for path in sorted(folder.glob("*.pdf")):
        tables = write_document(int(path.stem))[1]
        pages = PrintedPages(path.read_bytes())
        views = list(pages)
        yield path.stem, views, _lay(views, pages, tables)


def _lay(views: list[PrintedPage], pages: PrintedPages, tables: list[Specimen]) -> list[GoldTable]:
    """Each table's cells with the words that lie in their links."""
    words: list[dict[tuple[int, int], list[Laid]]] = [{} for _ in tables]
    notes: list[dict[str, list[Laid]]] = [{} for _ in tables]
    for k, view in enumerate(views):
        x = (view.words.box[:, 0] + view.words.box[:, 2]) / 2
        y = (view.words.box[:, 1] + view.words.box[:, 3]) / 2
        for address, (left, top, right, bottom) in pages.links(view.number):
            if not address.startswith(HOST):
                continue
            number, *rest = address.removeprefix(HOST).split("/")
            inside = np.flatnonzero((x > left - 0.5) & (x < right + 0.5) & (y > top - 1) & (y < bottom + 1))
            if not len(inside):
                continue
            place = Laid(k, tuple(inside.tolist()))
            if len(rest) == 2:
                words[int(number)].setdefault((int(rest[0]), int(rest[1])), []).append(place)
            else:
                notes[int(number)].setdefault(rest[0], []).append(place)
    return [_table(t, w, n) for t, w, n in zip(tables, words, notes, strict=True)]


def _table(table: Specimen, words: dict[tuple[int, int], list[Laid]], notes: dict[str, list[Laid]]) -> GoldTable:
    cells = tuple(GoldCell(*c) for c in table.cells if c[4].strip())
    places: list[Laid | None] = []
    for cell in cells:
        found = words.get((cell.row, cell.column), [])
        same = [f for f in found if f.view == found[0].view]
        places.append(Laid(found[0].view, tuple(sorted({w for f in same for w in f.words}))) if found else None)
    got = sum(p is not None for p in places) / max(len(places), 1)
    gold = {
        "cells": [
            {"row": c.row, "column": c.column, "row_span": c.row_span, "column_span": c.column_span, "text": c.text}
            for c in cells
        ],
        "header_rows": table.header_rows,
        "beside": notes,
    }
    return GoldTable(gold, cells, tuple(places), got)
