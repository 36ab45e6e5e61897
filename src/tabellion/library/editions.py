"""Earlier editions of documents, by which the places of corrections are found again in the newest.

In: the folder of originals. Out: the texts of any edition that is kept there.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tabellion.errors import LibraryError
from tabellion.library.originals import load_original
from tabellion.pipeline import Settings, read_source
from tabellion.repair.reanchor import Edition
from tabellion.repair.replay import Editions
from tabellion.repair.workpiece import Workpiece
from tabellion.weights import Weights


def editions_of(originals: Path, settings: Settings) -> Editions:
    """The texts of editions by their hash, as far as their originals are kept."""

    @cache
    def edition(sha256: str) -> Edition | None:
        try:
            data = load_original(originals, sha256)
        except LibraryError:
            return None
        return Workpiece(read_source(data, settings, Weights(settings.weights)), settings).edition()

    return edition
