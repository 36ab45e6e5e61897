"""Making what can be made again: tuples and catalogue facts from the stored originals, the index from both.

In: a library. Out: the same documents, read by this tabellion. A document that this one cannot read keeps the reading
that it has.
"""

from __future__ import annotations

from pathlib import Path

from tabellion.library.originals import load_original
from tabellion.library.reading import Reading, read_for_library
from tabellion.library.records import DocumentRecord
from tabellion.pipeline import Settings


def read_again(record: DocumentRecord, originals: Path, settings: Settings) -> Reading:
    """Read a document once more from its original."""
    return read_for_library(record.source, record.address, load_original(originals, record.sha256), settings)
