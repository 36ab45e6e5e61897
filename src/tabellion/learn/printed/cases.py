"""The printed documents that methods learn from: real ones with their gold laid over the words, and specimens.

In: the names of corpora. Out: cases with fold, views (pages, and their sideways text) and laid tables. Specimens are
printed when they are first asked for and kept beside the corpora (`TABELLION_SPECIMENS` names another folder).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import TabellionError
from tabellion.learn.corpora import FOLDS, assign_folds, corpora_root, corpus_folder
from tabellion.learn.memory import spread
from tabellion.learn.printed.gold import GoldTable, lay_tables
from tabellion.learn.printed.specimens import print_specimens, read_specimens
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.read.pdf.document import PrintedPages

PRINTED_CORPORA = ("icdar2013", "jats", "articles")
SPECIMENS = "specimens"
_SPECIMEN_COUNT = 270
_LATER_PAGES = 13  # a table of the gold may go on so many pages after the one it begins on
_AROUND = (12.0, 12.0, 25.0, 15.0)  # points around a gold box in which its words are looked for
_MOST_PAGES = 12  # specimens with more are left out
_EVERYWHERE = Box(-1e9, -1e9, 1e9, 1e9)


class PrintedCase(msgspec.Struct, frozen=True, eq=False):
    """A document with its gold tables laid over its views."""

    corpus: str
    name: str
    fold: int
    views: tuple[PrintedPage, ...]
    tables: tuple[GoldTable, ...]


def fold_of(corpus: str) -> dict[str, int]:
    """The fold of each document of a corpus; those of one journal, or else of one number, share theirs."""
    groups: dict[str, str] = {}
    for path in sorted((_folder(corpus) / "gold").glob("*.json")):
        journal = json.loads(path.read_text(encoding="utf-8")).get("journal")
        groups[path.stem] = journal or re.sub(r"(?<=\d)[a-z]$", "", path.stem)
    folds = assign_folds(corpus, groups.values())
    return {name: folds[group] for name, group in groups.items()}


@lru_cache(maxsize=4)
def printed_cases(corpus: str) -> tuple[PrintedCase, ...]:
    """All documents of a corpus."""
    if corpus == SPECIMENS:
        return tuple(_specimen_cases())
    folder, folds = _folder(corpus), fold_of(corpus)
    return tuple(spread(_case, [(corpus, folder, name, fold) for name, fold in folds.items()]))


def _folder(corpus: str) -> Path:
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    return folder


def _case(found: tuple[str, Path, str, int]) -> PrintedCase:
    corpus, folder, name, fold = found
    gold = json.loads((folder / "gold" / f"{name}.json").read_text(encoding="utf-8"))
    pages = PrintedPages((folder / "pdf" / gold["source"]).read_bytes())
    views = tuple(view for page in pages for view in (page, *page.sideways))
    tables = gold["alternatives"][0]["tables"] if "alternatives" in gold else gold["tables"]
    return PrintedCase(corpus, name, fold, views, tuple(lay_tables(views, tables, [_where(views, t) for t in tables])))


def _where(views: Iterable[PrintedPage], table: dict[str, Any]) -> dict[int, Box] | None:
    """The part of each view in which a gold table is looked for; None for all of all."""
    if "regions" not in table:
        page = table.get("page")
        if not page:
            return None
        return {k: _EVERYWHERE for k, v in enumerate(views) if page - 1 <= v.number <= page + _LATER_PAGES}
    found: dict[int, Box] = {}
    for region in table["regions"]:
        left, top, right, bottom = region["box"]
        box = Box(left - _AROUND[0], top - _AROUND[1], right + _AROUND[2], bottom + _AROUND[3])
        for k, view in enumerate(views):
            if view.number == region["page"] and not view.turn:
                old = found.get(k, box)
                found[k] = Box(
                    min(old.left, box.left),
                    min(old.top, box.top),
                    max(old.right, box.right),
                    max(old.bottom, box.bottom),
                )
    return found


def _specimen_cases() -> Iterable[PrintedCase]:
    folder = Path(os.environ.get("TABELLION_SPECIMENS") or corpora_root() / SPECIMENS)
    if len(list(folder.glob("*.json"))) < _SPECIMEN_COUNT:
        print_specimens(folder, _SPECIMEN_COUNT)
    for name, views, tables in read_specimens(folder):
        if len(views) <= _MOST_PAGES:
            yield PrintedCase(SPECIMENS, name, int(name) % FOLDS, tuple(views), tuple(tables))
