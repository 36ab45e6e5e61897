"""Making what can be made again: tuples and catalogue facts from the stored originals, the index from both.

In: a library. Out: the same documents, read by this tabellion. A document that this one cannot read keeps the reading
that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tabellion.library.editions import editions_of
from tabellion.library.originals import load_original
from tabellion.library.reading import Reading
from tabellion.library.records import DocumentRecord
from tabellion.library.take import as_kept, read_for_library
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings


def read_again(record: DocumentRecord, originals: Path, settings: Settings, log: Sequence[Correction] = ()) -> Reading:
    """Read a document once more from its original, with the corrections that were made of it."""
    settings = as_kept(settings, record.rendered)
    data, editions = load_original(originals, record.sha256), editions_of(originals, settings)
    return read_for_library(record.source, record.address, data, settings, log, editions)
