"""The labelled sheets that methods learn from: gold beside the grids that our own reader makes of the file.

In: the name of a sheet corpus. Out: its cases with fold and grids. A file that cannot be read is an error: gold must
not go missing in silence.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import TabellionError
from tabellion.learn.corpora import corpus_folder, load_gold
from tabellion.learn.folds import assign_folds
from tabellion.locate import locate_regions
from tabellion.model.document import Sheet
from tabellion.model.grid import Grid
from tabellion.read import read_document
from tabellion.recognise import recognise_grid

SPLIT_KEYS = {
    "troy200": "name",
    "senbazuru-left": "file",
    "saus-lines": "file_name",
    "statsheets": "agency",
    "hitab-top": "id",
}
"""The gold field that says which cases belong together (the README of each corpus)."""


class Case(msgspec.Struct, frozen=True, eq=False):
    """One annotated sheet."""

    corpus: str
    file: str
    path: Path
    fold: int
    gold: dict[str, Any]
    grids: tuple[Grid, ...]


@lru_cache(maxsize=8)
def load_cases(corpus: str) -> tuple[Case, ...]:
    """All cases of a corpus, with the grids of the annotated sheet."""
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    golds = load_gold(folder)
    key = SPLIT_KEYS[corpus]
    folds = assign_folds(corpus, (gold[key] for gold in golds))
    return tuple(
        Case(
            corpus=corpus,
            file=gold["file"],
            path=folder / "inputs" / gold["file"],
            fold=folds[gold[key]],
            gold=gold,
            grids=grids_of(folder / "inputs" / gold["file"], gold.get("sheet")),
        )
        for gold in golds
    )


def grids_of(path: Path, sheet: str | None) -> tuple[Grid, ...]:
    """The grids of one sheet; of the first where none is named."""
    pages = read_document(path, sheet=sheet).pages
    page = next(page for page in pages if isinstance(page, Sheet) and sheet in (None, page.name))
    return tuple(recognise_grid(region) for region in locate_regions(page))
