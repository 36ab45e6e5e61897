"""Pages saved whole with their words numbered, and ground truth that a person can correct (VENTex, section 6).

In: a web page. Out: `pages/NAME.html` in a folder, one file with its style sheets and pictures in it, and a line in the
folder's `gold.jsonl` with what is read from it now. The folder has the form of the corpus `visual`: once corrected, the
measuring script scores against it, and learning takes the tables of its markup (`TABELLION_ANNOTATED`). A page that is
annotated again replaces its page and its line, so corrections are best kept under version control.

Ground truth is one object in the form of the corpus `visual`: the tables with their cells, each with its role, the
identifiers of its words and of the element that holds them; tuples where headers stand on both sides. Words are found
by their texts in the order of the page, so a cell whose text was changed in reading (superscripts) may name none.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tabellion.errors import UsageError
from tabellion.export.json import to_json
from tabellion.model.markup import RenderedPage
from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import Limits
from tabellion.read.sniff import sniff_format, unpack_gzip
from tabellion.read.web.page import open_page
from tabellion.read.web.saved import ask_for_files, number_page

_HEADERS = ("header", "stub", "group")
_KEPT = ("row", "column", "row_span", "column_span", "text", "role")


def ground_truth(extraction: Extraction, file: str) -> dict[str, Any]:
    """The current reading of a page as ground truth."""
    document = msgspec.json.decode(to_json(extraction))
    [page] = extraction.document.pages
    finder = _Words(page) if isinstance(page, RenderedPage) else None
    return {
        "file": file,
        "realisation": "page",
        "style": "",
        "key": file,
        "origin": extraction.document.source,
        "tables": [_table(table, finder) for table in document["tables"]],
    }


def _table(table: dict[str, Any], finder: _Words | None) -> dict[str, Any]:
    crossed = table["orientation"] == "row-column"
    cells = []
    for cell in table["cells"]:
        told = {name: cell[name] for name in _KEPT} | {"header": cell["role"] in _HEADERS}
        cells.append(told | (finder.name(cell["text"], table["place"].get("box")) if finder else {}))
    return {
        "place": table["place"],
        "found": table.get("found"),
        **{name: table[name] for name in ("rows", "columns", "header_rows", "header_columns", "orientation")},
        "cells": cells,
        "tuples": [{name: each[name] for name in ("row", "column", "text", "top", "left")} for each in table["tuples"]]
        if crossed
        else None,
    }


class _Words:
    """Finds the numbered words of a text, each once."""

    def __init__(self, page: RenderedPage) -> None:
        self._page = page
        self._text: list[str] = page.words.text.tolist()
        self._free = [True] * len(self._text)
        self._at: dict[str, list[int]] = {}
        for number, word in enumerate(self._text):
            self._at.setdefault(word, []).append(number)

    def name(self, text: str, box: list[float] | None) -> dict[str, Any]:
        """The identifiers of the words of a cell in a table that lies in `box`, and of the element that holds them."""
        wanted = text.split()
        for start in self._at.get(wanted[0], []) if wanted else []:
            span = range(start, start + len(wanted))
            if (
                self._text[start : span.stop] == wanted
                and all(self._free[at] for at in span)
                and self._lies(start, box)
            ):
                for at in span:
                    self._free[at] = False
                return {"words": [self._identifier(at) for at in span], "element": self._element(span)}
        return {"words": [], "element": None}

    def _lies(self, word: int, box: list[float] | None) -> bool:
        if box is None:
            return True
        left, top, right, bottom = self._page.words.box[word].tolist()
        x, y = (left + right) / 2, (top + bottom) / 2
        return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])

    def _identifier(self, word: int) -> str:
        return str(self._page.nodes.identifier[self._page.words.node[word]])

    def _element(self, span: range) -> str | None:
        """The smallest numbered element around some words."""
        nodes = self._page.nodes
        inside = self._page.words.node[span.start : span.stop]
        at, last = int(np.min(inside)), int(np.max(inside))
        while at >= 0 and (nodes.last[at] < last or nodes.name[at] == "X"):
            at = int(nodes.parent[at])
        return str(nodes.identifier[at]) or None if at >= 0 else None


_NAME = re.compile(r"[^\w.-]+")


def annotate_page(source: str, folder: Path, limits: Limits, *, network: bool = False) -> tuple[str, int]:
    """Save a page and its ground truth; its name in the folder, and how many tables were read."""
    name, raw, charset, address = fetch_source(source, limits)
    data = unpack_gzip(raw, limits)
    if sniff_format(data) not in ("html", "mhtml"):
        raise UsageError(f"{name}: only web pages can be annotated")
    opened = open_page(data, charset, address)
    path = Path(source) if address is None and source != "-" else None
    shown_at, ask = ask_for_files(opened, path, limits, network=network)
    page = number_page(opened.text, shown_at, ask)
    file = f"{_NAME.sub('-', Path(name).stem)[:60]}-{hashlib.sha256(raw).hexdigest()[:8]}.html"
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    saved = folder / "pages" / file
    saved.write_text(page, encoding="utf-8")
    gold = ground_truth(extract_document(saved, Settings(limits=limits, render="always")), file)
    gold["origin"] = name
    _replace_line(folder / "gold.jsonl", gold)
    (folder / "corpus.json").write_text(json.dumps({"corpus": "visual"}), encoding="utf-8")
    return file, len(gold["tables"])


def _replace_line(path: Path, gold: dict[str, object]) -> None:
    """Write a line of gold in place of the one of the same page, or at the end."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [line for line in lines if line.strip() and json.loads(line)["file"] != gold["file"]]
    kept.append(json.dumps(gold, ensure_ascii=False))
    path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
