"""Where the labelled corpora lie, and how they are unpacked.

`TABELLION_CORPORA` names the folder. Without it: the user's cache, filled from the archives of a `shared/data`
folder beside the checkout where there is one.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHEET_CORPORA = ("troy200", "senbazuru-left", "saus-lines", "statsheets", "hitab-top")


def corpora_root() -> Path:
    """The folder that holds one folder a corpus."""
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


def archive_candidates(name: str) -> Iterator[Path]:
    """Where the packed corpus may lie: beside the checkout, or beside the working directory."""
    checkout = Path(__file__).resolve().parents[3]
    for base in (checkout.parent, Path.cwd().parent):
        yield base / "shared" / "data" / f"{name}.tar.xz"


def load_gold(folder: Path) -> list[dict[str, Any]]:
    """The gold lines of a corpus; the file of case i lies under `inputs/`."""
    with (folder / "gold.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
