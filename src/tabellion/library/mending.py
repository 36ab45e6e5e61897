"""Mending the rows of a library before it is made anew.

Mending trusts nothing that is derived. In: a library whose catalogue can be opened. Out: a catalogue in which every
document whose original or source is whole is named as it was, and what was done and what is lost, a line each.
A row of a document says its address twice over (its id is a hash of it) and its bytes by their hash, and its seal says
what all of it was, so a change is found and put right; what else stands in it is read from the original again. A row
that is gone leaves its original, and its tables, which name it: where both are clear the row is made anew. Never fails
for what a row says: what cannot be mended is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Table, delete, func, insert, select, update

from tabellion.errors import LibraryError, TabellionError
from tabellion.library.catalogue import corrections, documents, facts, history, segments, tables
from tabellion.library.files import Folder, file_hash
from tabellion.library.holdings import document_address, document_id, unpack_details
from tabellion.library.library import Library
from tabellion.library.originals import list_originals, load_original
from tabellion.library.sealing import broken_rows, find_lost, fit_row, key_of, restore_row, seal_all
from tabellion.model.correction import Correction

_NOWHERE_ELSE = (documents, history, corrections)  # what cannot be read from anything else, or not all of it
_MOST_TRIED = 200  # rows that are put right by trying, some tenths of a second each; with more, it was no single letter
_ONLY_BACKUP = "only a backup has them (`tabellion restore`)"
_GONE = {
    documents.name: "documents are missing from the catalogue: restore a backup, or add them again",
    history.name: f"the history of former documents was lost in part: {_ONLY_BACKUP}",
    corrections.name: f"corrections were lost: {_ONLY_BACKUP}, or make them again",
    facts.name: f"facts about the library, such as saved queries, were changed or lost in part: {_ONLY_BACKUP}",
}


class Mending(NamedTuple):
    """What was put right, and what is lost or may be, a line each."""

    notes: list[str]
    lost: list[str]


def raise_sequence(connection: Connection) -> None:
    """Let the next change come after all that are known, where the number of the last one was lost."""
    known = [
        connection.execute(select(func.max(table.c.sequence))).scalar() for table in (documents, segments, history)
    ]
    most = max(int(number or 0) for number in known)
    said = connection.execute(select(facts.c.value).where(facts.c.name == "sequence")).scalar()
    if said is None:
        connection.execute(facts.insert().values(name="sequence", value=str(most)))
    elif not said.isdecimal() or int(said) < most:
        connection.execute(update(facts).where(facts.c.name == "sequence").values(value=str(most)))


def mend_rows(library: Library) -> Mending:
    """Put right the rows from which a library is made anew; derived ones are left, since they are written again."""
    done = Mending([], [])
    with library.catalogue.writing() as connection:
        broken = list(broken_rows(connection))
        if broken:
            # what looks like leavings may be of documents whose rows are lost
            library.folder.unfinished.unlink(missing_ok=True)
            raise_sequence(connection)
        lost = find_lost(connection)
        tried = 0
        for table, key in broken:
            if not key or table not in _NOWHERE_ELSE:
                continue
            tried += 1
            if tried <= _MOST_TRIED and _restore(library.folder, connection, table, key):
                done.notes.append(f"{table.name} {' '.join(map(str, key))}: was changed; put right by its seal")
            elif table is documents:
                done.notes.append(_mend_document(library.folder, connection, str(key[0])))
            elif table is corrections:
                done.lost.append(_mend_correction(connection, str(key[0])))
            else:
                named = " ".join(map(str, key))
                done.lost.append(f"history {named}: its row was changed; it is kept as it is: compare it with a backup")
        more = mend_losses(library.folder, connection, lost, indexed_tables(connection) if lost else ())
        held = select(documents.c.document_id)
        astray = ~tables.c.table_id.startswith(tables.c.document_id + "-")  # it would keep the name of the right one
        connection.execute(delete(tables).where(tables.c.document_id.not_in(held) | astray))
    return Mending(done.notes + more.notes, done.lost + more.lost)


def mend_losses(folder: Folder, connection: Connection, lost: Iterable[Table], addresses: Iterable[str]) -> Mending:
    """Where rows are gone: make those of documents anew, of which these addresses tell; what is lost is told."""
    found = Mending([], [])
    for table in lost:
        if table is documents:
            made, gone = _restore_documents(folder, connection, addresses)
            found.notes.extend(f"document {one}: its row was lost; made anew from its original" for one in made)
            found.lost.extend(f"document {one}: its row is lost; add it again" for one in gone)
            if gone or (made and not _orphans(folder, connection)):
                continue
        if table.name in _GONE:
            found.lost.append(_GONE[table.name])
    return found


def _orphans(folder: Folder, connection: Connection) -> list[str]:
    """The hashes of originals that no row names."""
    named = {one for table in (documents, history) for one in connection.execute(select(table.c.sha256)).scalars()}
    return list(dict.fromkeys(sha256 for sha256, _ in list_originals(folder.originals) if sha256 not in named))


def indexed_tables(connection: Connection) -> list[str]:
    """The addresses of documents that are gone, as their tables have them, whose ids are hashes of them."""
    known = connection.execute(select(documents.c.document_id, documents.c.address, documents.c.source)).all()
    held = {one for one, _, _ in known}
    beside = {address.removesuffix(source) for _, address, source in known if address.endswith(source)}
    found: dict[str, None] = {}
    for one, details in connection.execute(select(tables.c.document_id, tables.c.details)):
        if one in held:
            continue
        try:
            source = unpack_details(details).metadata.environment.document_address or ""
            tried = (document_address(source), *(folder + source for folder in beside))
        except TabellionError:
            continue
        found |= dict.fromkeys(address for address in tried if document_id(address) == one)
    return list(found)


def _restore_documents(folder: Folder, connection: Connection, addresses: Iterable[str]) -> tuple[list[str], list[str]]:
    """Put documents back whose rows are gone while their addresses are known; those, and the ones that are lost.

    What a row says beside is read from the original again.
    """
    there = set(connection.execute(select(documents.c.document_id)).scalars())
    orphans = _orphans(folder, connection)
    gone = [address for address in sorted(addresses) if document_id(address) not in there]
    found = {address: mine for address in gone if (mine := _hash_of(address)) in orphans}
    rest, left = [one for one in gone if one not in found], sorted(set(orphans) - set(found.values()))
    if len(rest) == len(left) == 1:
        found[rest.pop()] = left[0]
    for address, sha256 in found.items():
        connection.execute(insert(documents).values(_bare_row(folder, connection, address, sha256)))
    return list(found), rest


def _hash_of(address: str) -> str:
    """The hash of the file at an address; none where there is none."""
    try:
        return file_hash(Path(address))
    except (OSError, ValueError):
        return ""


def _bare_row(folder: Folder, connection: Connection, address: str, sha256: str) -> dict[str, Any]:
    """A row of a document that is yet to be read."""
    known = {"document_id": document_id(address), "address": address, "source": address, "sha256": sha256}
    empty = {"medium": "", "kind": "", "authors": "[]", "language": "", "issues": "[]", "tables": 0, "tuples": 0}
    size = len(load_original(folder.originals, sha256))
    mine = history.c.document_id == known["document_id"]
    version = connection.execute(select(func.max(history.c.version)).where(mine)).scalar() or 0
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return known | empty | {"bytes": size, "added": now, "version": version + 1, "sequence": 0}


def _restore(folder: Folder, connection: Connection, table: Table, key: tuple[Any, ...]) -> bool:
    """Put a row right that is wrong in one value or letter, from what it was sealed with; whether it could be."""
    mine = [column == value for column, value in zip(key_of(table), key, strict=True)]
    row = connection.execute(select(table).where(*mine)).mappings().first()
    if row is None:
        return False
    right = fit_row(table, row, _others(folder, connection, table, row))
    right = restore_row(table, row) if right is None else right
    if right:
        connection.execute(update(table).where(*mine).values(**right))
    return right is not None


def _others(folder: Folder, connection: Connection, table: Table, row: Mapping[Any, Any]) -> dict[str, list[Any]]:
    """What else may have stood in a row: the hash of another original, first of those that no row names; its source."""
    if table is corrections:
        return {}
    known = [sha256 for sha256, _ in list_originals(folder.originals)]
    return {
        "sha256": [*_orphans(folder, connection), *known],
        "source": [row["address"]],
        "address": [row["source"], document_address(row["source"])],
    }


def settle_rows(library: Library) -> None:
    """After all was read again: no segment that nothing names, and new seals for everything."""
    with library.catalogue.writing() as connection:
        used = select(documents.c.segment_id).where(documents.c.segment_id.is_not(None))
        connection.execute(delete(segments).where(segments.c.segment_id.not_in(used)))
        seal_all(connection)


def _mend_document(folder: Folder, connection: Connection, key: str) -> str:
    row = connection.execute(select(documents).where(documents.c.document_id == key)).mappings().one()
    address = next((one for one in (row["address"], document_address(row["source"])) if document_id(one) == key), None)
    right: dict[str, Any] = {"address": address or row["address"]}
    if address is None:
        right["document_id"] = document_id(row["address"])
    if document_id(document_address(row["source"])) != document_id(right["address"]):
        right["source"] = right["address"]
    if not _has_size(folder, row["sha256"], row["bytes"]):
        orphans = _orphans(folder, connection)
        alike = [one for one in orphans if one == _hash_of(right["address"])]
        alike = alike or [one for one in orphans if _has_size(folder, one, row["bytes"])]
        right["sha256"] = alike[0] if len(alike) == 1 else row["sha256"]
    if row["rendered"] not in (None, "always", "auto"):
        right["rendered"] = None
    wanted = right.get("document_id", key)
    taken = connection.execute(select(documents.c.document_id).where(documents.c.document_id == wanted)).first()
    if wanted != key and taken:
        connection.execute(delete(documents).where(documents.c.document_id == key))
    else:
        connection.execute(update(documents).where(documents.c.document_id == key).values(**right))
    return f"document {right.get('source', row['source'])}: its row was damaged; repaired, and read again"


def _mend_correction(connection: Connection, key: str) -> str:
    body = connection.execute(select(corrections.c.body).where(corrections.c.correction_id == key)).scalar()
    try:
        msgspec.json.decode(body or "", type=Correction)
    except msgspec.DecodeError:
        connection.execute(delete(corrections).where(corrections.c.correction_id == key))
        return f"correction {key}: was damaged and is taken out; make it again"
    return f"correction {key}: its row was changed; it is kept as it is: look at it with `tabellion history`"


def _has_size(folder: Folder, sha256: str, size: int) -> bool:
    try:
        return len(load_original(folder.originals, sha256)) == size
    except LibraryError:
        return False
