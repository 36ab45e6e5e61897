"""The labelled web tables that methods learn from: gold beside the pages that our own reader makes of the files.

In: the corpora webtables, t2dv2 and wiki-headers. Out: one `WebCase` a labelled table, with the fold of its site (of
its page, for the others). Gold whose convention contradicts that of the others is left out or turned, as said in
`header_gold`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import TabellionError
from tabellion.learn.corpora import assign_folds, corpus_folder, load_gold
from tabellion.model.markup import MarkupPage
from tabellion.read import read_document

ANNOTATED = "TABELLION_ANNOTATED"  # names a folder that `tabellion annotate` wrote and a person corrected
WEB_CORPORA = {"webtables": "site", "t2dv2": "file", "wiki-headers": "page"}
"""The corpora, and the gold field that says which pages belong together."""


class WebCase(msgspec.Struct, frozen=True, eq=False):
    """One labelled table of a page."""

    corpus: str
    file: str
    fold: int
    gold: dict[str, Any]
    page: MarkupPage
    number: int  # of the candidate in its page
    path: Path

    @property
    def genuine(self) -> bool:
        if self.corpus == "webtables":
            return bool(self.gold["label"] == "genuine")
        return bool(self.gold.get("genuine", True))

    @property
    def by_hand(self) -> bool:
        """Read by a person; the rest of webtables is layout by rule."""
        return bool(self.gold.get("source", "hand") == "hand")


@lru_cache(maxsize=1)
def web_cases() -> tuple[WebCase, ...]:
    """All labelled tables of all web corpora."""
    annotated = os.environ.get(ANNOTATED)
    corrected = _annotated_cases(Path(annotated)) if annotated else []
    return (*(case for corpus in WEB_CORPORA for case in _corpus_cases(corpus)), *corrected)


def _annotated_cases(folder: Path) -> list[WebCase]:
    """The tables of pages that were annotated and corrected: those of the gold, and all others as layout."""
    golds = load_gold(folder)
    folds = assign_folds("annotated", (gold["file"] for gold in golds))
    cases = []
    for gold in golds:
        path = folder / "pages" / gold["file"]
        page = read_document(path).pages[0]
        if not isinstance(page, MarkupPage):
            raise TabellionError(f"{gold['file']} was not read as a web page")
        told = {table["place"].get("table_index"): table for table in gold["tables"]}
        for number, candidate in enumerate(page.candidates):
            if candidate.table_index is not None:
                label = "genuine" if candidate.table_index in told else "layout"
                table = {"label": label, "sure": True, "orientation_sure": True, **told.get(candidate.table_index, {})}
                cases.append(WebCase("webtables", gold["file"], folds[gold["file"]], table, page, number, path))
    return cases


def _corpus_cases(corpus: str) -> list[WebCase]:
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    golds = load_gold(folder)
    key = WEB_CORPORA[corpus]
    folds = assign_folds(corpus, (gold[key] for gold in golds))
    cases = []
    for gold in golds:
        path = folder / "pages" / gold["file"]
        page = read_document(path).pages[0]
        if not isinstance(page, MarkupPage):
            raise TabellionError(f"{gold['file']} was not read as a web page")
        numbers = {candidate.table_index: number for number, candidate in enumerate(page.candidates)}
        for table in gold["tables"] if corpus == "webtables" else [{**gold, "table_index": 0}]:
            number = numbers[table["table_index"]]
            cases.append(WebCase(corpus, gold["file"], folds[gold[key]], table, page, number, path))
    return cases


def header_gold(case: WebCase) -> tuple[int | None, int | None]:
    """Header rows and columns; None where they are not known.

    Upstream's labels of t2dv2 are turned into the convention of the others: an attribute list with a header, whatever
    direction it was given, has it at the left; of one without, only the missing header row is believed.
    """
    gold = case.gold
    if case.corpus != "t2dv2":
        return gold["header_rows"], gold["header_columns"] if case.corpus == "webtables" else None
    position, direction = gold["header_position"], gold["orientation"]
    if position is None or direction is None:
        return None, None
    attributes = gold["type"] in ("ENTITY", "OTHER")
    if position == "none":
        return 0, None if attributes else 0
    if attributes and gold["columns"] == 2:
        return 0, 1
    return {"column": (1, 0), "row": (0, 1), "row-column": (1, 1)}[direction]
