"""What a library holds, in figures, and what it knows of one document.

In: a library. Out: facts by name, plain enough to be printed or written as JSON.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import func, select

from tabellion.library.catalogue import corrections, documents, history, schema_version, segments, tables
from tabellion.library.files import count_bytes
from tabellion.library.library import Library
from tabellion.library.records import tables_of


def describe_library(library: Library) -> dict[str, Any]:
    """How much there is of everything, and how much room it takes."""
    with library.catalogue.reading() as connection:

        def count(chosen: Any) -> int:
            return int(connection.execute(select(chosen)).scalar() or 0)

        media = connection.execute(select(documents.c.medium, func.count()).group_by(documents.c.medium)).all()
        facts = {
            "library": library.catalogue.name,
            "files": library.folder.store or str(library.folder.root),
            "schema": schema_version(connection),
            "documents": count(func.count(documents.c.document_id)),
            **{f"documents, {medium}": int(number) for medium, number in sorted(media)},
            "tables": count(func.count(tables.c.table_id)),
            "tuples": count(func.sum(documents.c.tuples)),
            "versions in history": count(func.count(history.c.version)),
            "corrections": count(func.count(corrections.c.correction_id)),
            "segments": count(func.count(segments.c.segment_id)),
            "changes": library.catalogue.last_sequence(connection),
            "changes in the index": max(library.index.applied(), 0),
        }
    rooms = {"originals": library.folder.originals, "segments": library.folder.segments, "index": library.folder.index}
    for name, room in rooms.items():
        facts[f"bytes of {name}"] = count_bytes(room)
    if library.folder.catalogue.exists():
        facts["bytes of catalogue"] = library.folder.catalogue.stat().st_size
    return facts


def describe_document(library: Library, name: str) -> dict[str, Any]:
    """One document with its tables and its history."""
    record = library.find(name)
    with library.catalogue.reading() as connection:
        held = tables_of(connection, [record.document_id])
        mine = select(history).where(history.c.document_id == record.document_id).order_by(history.c.version)
        old = connection.execute(mine).all()
    return {
        "id": record.document_id,
        "source": record.source,
        "address": record.address,
        "medium": record.medium,
        "kind": record.kind,
        "sha256": record.sha256,
        "bytes": record.bytes,
        "title": record.title,
        "language": record.language,
        "added": record.added,
        "version": record.version,
        "tuples": record.tuples,
        "tables": [
            {"name": one.name, "id": one.table_id, "rows": one.rows, "columns": one.columns, "title": one.title}
            for one in held
        ],
        "issues": [{"note": note} for note in json.loads(record.issues)],
        "history": [
            {"version": one.version, "sha256": one.sha256, "added": one.added, "ended": one.ended, "how": one.how}
            for one in old
        ],
    }
