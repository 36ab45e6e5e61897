"""The log of corrections in the catalogue: appended to, never changed.

In: a connection with a transaction. Out: the corrections of documents in the order in which they were made. The log
goes by the document's address, so that it outlives new editions, rebuilding and removal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection, func, insert, select

from tabellion.library.records import in_parts
from tabellion.library.schema import corrections
from tabellion.model.correction import Correction


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
