"""The labelled corpora: where they lie, and which documents share a fold.

`TABELLION_CORPORA` names the folder. Without it: the user's cache, filled from the archives of a `shared/data` folder
beside the checkout where there is one.

Which documents are kept apart when a method is measured. The documents of a group (a workbook, an agency, a table name:
the split key of the corpus's README) always share a fold, and the fold is the same for all learned parts, so that the
whole flow can be scored on documents that none of its weights has seen.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError

FOLDS = 5

LeftOut = int | str | None
"""What weights must not see: the documents of a fold, those of a corpus and its kin, or nothing."""

KIN = {"stattrees": "statsheets", "sheetcuts": "statsheets"}
"""Corpora whose documents are of the same origin as those of another: who leaves the one out leaves out both."""


def without(corpus: str) -> str:
    """The name of the folder of weights that have not seen a corpus, nor its kin.

    >>> without("sheetcuts")
    'without-statsheets'
    """
    return f"without-{KIN.get(corpus, corpus)}"


def is_seen(corpus: str, fold: int, left_out: LeftOut) -> bool:
    """Whether weights that leave something out may see a document.

    >>> is_seen("troy200", 3, 3), is_seen("troy200", 3, "troy200"), is_seen("stattrees", 0, "statsheets")
    (False, False, False)
    >>> is_seen("troy200", 3, None), is_seen("troy200", 3, 4), is_seen("troy200", 3, "statsheets")
    (True, True, True)
    """
    if isinstance(left_out, str):
        return KIN.get(corpus, corpus) != KIN.get(left_out, left_out)
    return fold != left_out


def assign_folds(corpus: str, groups: Iterable[str]) -> dict[str, int]:
    """The fold of each group: groups in the order of a stable hash, dealt out in turn, so that folds are even.

    >>> assign_folds("statsheets", ["abs", "who", "ilo", "abs"])
    {'abs': 0, 'ilo': 1, 'who': 2}
    """
    ordered = sorted(set(groups), key=lambda group: sha256(f"{corpus}/{group}".encode()).hexdigest())
    return {group: place % FOLDS for place, group in enumerate(ordered)}


MEASURED = {
    "sheets": (
        "troy200", "senbazuru-left", "saus-lines", "statsheets", "hitab-top", "stattrees", "sheetcuts", "fuste",
    ),
    "web": ("webtables", "t2dv2", "wiki-headers", "visual"),
    "printed": ("icdar2013", "jats", "articles"),
    "sites": ("swde", "unified", "recipes", "news-front", "segments"),
}  # fmt: skip
"""The corpora that are measured, by what their documents are."""

RENDERED_CORPORA = ("visual",)
"""Those whose pages are always drawn."""

SHEET_CORPORA = ("troy200", "senbazuru-left", "saus-lines", "statsheets", "hitab-top", "fuste")


def corpora_root() -> Path:
    """The folder that holds one folder per corpus."""
    named = os.environ.get("TABELLION_CORPORA")
    if named:
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tabellion" / "corpora"


def corpus_folder(name: str) -> Path | None:
    """The unpacked corpus, unpacking it first where its archive is at hand; None where there is none."""
    folder = corpora_root() / name
    if any((folder / mark).exists() for mark in ("gold.jsonl", "corpus.json", "gold")):
        return folder
    for archive in archive_candidates(name):
        if archive.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tarfile.open(archive) as packed:
                packed.extractall(folder.parent, filter="data")
            return folder
    return None


def find_corpus(name: str) -> Path:
    """The unpacked corpus, or one line that says how to come by it."""
    folder = corpus_folder(name)
    if folder is None:
        raise TabellionError(f"corpus {name} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    return folder


def archive_candidates(name: str) -> Iterator[Path]:
    """Where the packed corpus may lie: beside the checkout, or beside the working directory."""
    checkout = Path(__file__).resolve().parents[3]
    for base in (checkout.parent, Path.cwd().parent):
        yield base / "shared" / "data" / f"{name}.tar.xz"


def load_gold(folder: Path) -> list[dict[str, Any]]:
    """The gold lines of a corpus; the file of case i lies under `inputs/`."""
    with (folder / "gold.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
