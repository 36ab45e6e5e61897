"""Names of documents and tables that are the same whenever and wherever the same bytes are read.

A document is named by the hash of its bytes; a table by that and its place. Paths, times and the order of reading do
not count. A table keeps its name as long as it is found at the same place of the same document.
"""

from __future__ import annotations

import hashlib
import json

from tabellion.model.document import Document
from tabellion.model.table import Table

_LETTERS = 20  # of a hash: 80 bits, so that two of a billion tables hardly ever meet


def document_name(document: Document) -> str:
    """The local name of a document.

    >>> document_name(Document("a.csv", "spreadsheet", "csv", "ab" * 32, ()))
    'dabababababababababab'
    """
    return f"d{document.sha256[:_LETTERS]}"


def table_name(document: Document, table: Table) -> str:
    """The local name of a table."""
    place, rect = table.place, table.grid.source_rect(table.frame.rect)
    box = [round(side) for side in place.box] if place.box else None
    facts = [document.sha256, place.sheet, place.page, place.path, place.table_index, box, list(rect)]
    return f"t{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:_LETTERS]}"
