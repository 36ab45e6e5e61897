"""The log of corrections in the catalogue, and the earlier editions that they were made in.

The log of corrections in the catalogue: appended to, never changed. In: a connection with a transaction. Out: the
corrections of documents in the order in which they were made. The log goes by the document's address, so that it
outlives new editions, rebuilding and removal.

Earlier editions of documents, by which the places of corrections are found again in the newest. In: the folder of
originals. Out: the texts of any edition that is kept there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import msgspec
from sqlalchemy import Connection, func, insert, select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import corrections
from tabellion.library.holdings import in_parts
from tabellion.library.originals import load_original
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings, read_source
from tabellion.repair.editions import Edition
from tabellion.repair.replay import Editions
from tabellion.repair.rereading import Rereading
from tabellion.weights import Weights


def editions_of(originals: Path, settings: Settings) -> Editions:
    """The texts of editions by their hash, as far as their originals are kept."""

    @cache
    def edition(sha256: str) -> Edition | None:
        try:
            data = load_original(originals, sha256)
        except LibraryError:
            return None
        return Rereading(read_source(data, settings, Weights(settings.weights)), settings).edition()

    return edition


def read_logs(connection: Connection, document_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """The corrections of some documents, of those that have any."""
    c = corrections.c
    found: dict[str, list[Correction]] = {}
    for some in in_parts(document_ids):
        wanted = select(c.document_id, c.body).where(c.document_id.in_(some))
        for document_id, body in connection.execute(wanted.order_by(c.sequence, c.place)):
            found.setdefault(document_id, []).append(msgspec.json.decode(body, type=Correction))
    return found


def count_logs(connection: Connection, document_ids: Iterable[str]) -> dict[str, int]:
    """How many corrections some documents have, of those that have any."""
    c = corrections.c
    found: dict[str, int] = {}
    for some in in_parts(document_ids):
        wanted = select(c.document_id, func.count()).where(c.document_id.in_(some)).group_by(c.document_id)
        found.update((document_id, int(count)) for document_id, count in connection.execute(wanted))
    return found


def append_log(connection: Connection, document_id: str, said: Sequence[Correction], sequence: int) -> None:
    """Add corrections of a document."""
    rows = [
        {
            "correction_id": one.id,
            "document_id": document_id,
            "made": one.made,
            "author": one.author,
            "sequence": sequence,
            "place": number,
            "body": msgspec.json.encode(one).decode(),
        }
        for number, one in enumerate(said)
    ]
    if rows:
        connection.execute(insert(corrections), rows)
