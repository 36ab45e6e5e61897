"""Mending a damaged library before it is made anew, and copying one as a whole.

Mending trusts nothing that is derived. In: a library, or the folder of one whose catalogue cannot be opened. Out: a
catalogue in which every document whose original or source is whole is named as it was, and what was done, a line each.
A row of a document says its address twice over (its id is a hash of it) and its bytes by their hash, so a changed
letter is found and put right; what else stands in it is read from the original again. Of a SQLite file that is damaged,
every row that can still be read is taken over into a new one; where the pages are damaged that say what tables there
are, those of the new one stand in for them. Never fails for what a row says: what cannot be mended is told.

Copying goes on while others write. In: a library, and a place where there is none: a folder, or a PostgreSQL URL with
a folder for the files. Out: a library there with the same documents, tables, history, corrections, weights, mined
things and annotations. The catalogue is copied as it is at one moment, and the files that it names then are never
changed; nobody clears files away meanwhile. The index is derived: the first search makes it anew.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, delete, func, insert, select, update

from tabellion.errors import LibraryError
from tabellion.library.catalogue import (
    FILES,
    Catalogue,
    catalogue,
    corrections,
    documents,
    facts,
    history,
    segments,
    tables,
)
from tabellion.library.files import PART, Folder, bring_to_disk, file_hash, locked, whole_file
from tabellion.library.holdings import NEWEST, document_address, document_id
from tabellion.library.library import Library
from tabellion.library.originals import find_original, is_whole, list_originals, load_original, segment_path
from tabellion.library.prepared import QUADS, view_path
from tabellion.library.sealing import broken_rows, key_of, restore_row, seal_all, sum_seals
from tabellion.model.correction import Correction

_SIDES = ("", "-wal", "-shm")
_NOWHERE_ELSE = (documents, history, corrections)  # what cannot be read from anything else, or not all of it
_MOST_TRIED = 200  # rows that are put right by trying, some tenths of a second each; with more, it was no single letter
_BROKEN = (sqlite3.DatabaseError, UnicodeDecodeError)  # the last: a message of SQLite names what is no text


def find_damage(path: Path) -> str:
    """What SQLite says of a file that is not whole; empty where it is, or where there is none."""
    if not path.exists():
        return ""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            said = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                for _ in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - tables of ours
                    pass  # a text that is none is told here
            return said if said != "ok" else _find_wrong_columns(connection)
    except _BROKEN as error:
        return str(error)


def _find_wrong_columns(connection: sqlite3.Connection) -> str:
    """What a file that SQLite calls whole says of its tables, and cannot be: a letter of a name was changed."""
    wanted = {(table.name, column.name) for table in catalogue.sorted_tables for column in table.columns}
    asked = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    held = set(connection.execute(asked).fetchall())
    if not held:
        return ""  # no catalogue yet
    if (facts.name, "value") not in held or (facts.name, "name") not in held:
        return f"there is no {facts.name}"
    (version,) = connection.execute(f"SELECT value FROM {facts.name} WHERE name = 'schema'").fetchone() or ("",)  # noqa: S608
    if version != str(NEWEST) and held == wanted:
        return f"it says that it is of version {version or 'none'} and is of {NEWEST}"
    if version == str(NEWEST) and (lacking := sorted(wanted - held)):
        return f"{lacking[0][0]} has no column {lacking[0][1]}"
    return ""


def salvage_catalogue(folder: Folder) -> list[str]:
    """Where the catalogue's file is damaged: put it aside and make a new one of all rows that can be read.

    Each keeps its seal, so that one that is not as it was written shows, and is mended.
    """
    if not (damage := find_damage(folder.catalogue)):
        return []
    aside = folder.catalogue.with_name(folder.catalogue.name + ".damaged")
    for side in _SIDES:
        path = folder.catalogue.with_name(folder.catalogue.name + side)
        if path.exists():
            path.replace(aside.with_name(aside.name + side))
    made = Catalogue(folder)
    made.prepare(create=True)
    _mend_schema(aside, folder.catalogue)
    taken = 0
    with made.writing() as connection:
        for table in catalogue.sorted_tables:
            known = {column.name for column in table.columns}
            for row in _readable_rows(aside, table.name):
                kept = {name: value for name, value in row.items() if name in known}
                if table is facts:
                    if kept.get("name") in ("schema", "seals") or not isinstance(kept.get("value"), str):
                        continue
                    connection.execute(delete(facts).where(facts.c.name == kept["name"]))
                with contextlib.suppress(Exception), connection.begin_nested():  # a row that breaks a rule is lost
                    connection.execute(table.insert().values(**kept))
                    taken += 1
        lost = _restore_documents(folder, connection, aside)
        _raise_sequence(connection)
        sum_seals(connection)
    made.close()
    return [f"the catalogue was damaged ({damage}): {taken:,} rows were taken over from {aside}", *lost]


def _mend_schema(damaged: Path, fresh: Path) -> None:
    """Where a damaged file does not say of its tables what an empty one says: put the empty one's pages in their place.

    Both were made in the same way, so every table begins on the same page of both. Where the file is not whole after
    that, as one that an older version made, it stays as it was.
    """
    schema = "SELECT type, name, rootpage, sql FROM sqlite_master ORDER BY rowid"
    with contextlib.closing(sqlite3.connect(fresh)) as connection:
        wanted, whole = connection.execute(schema).fetchall(), connection.serialize()
        size = int(connection.execute("PRAGMA page_size").fetchone()[0])
    held = bytearray(damaged.read_bytes())
    with contextlib.suppress(*_BROKEN), contextlib.closing(sqlite3.connect(damaged)) as connection:
        held = bytearray(connection.serialize())  # with what is not yet in the file itself
        if connection.execute(schema).fetchall() == wanted:
            return
    for number in (1, *_pages_below(whole[:size])):
        held[(number - 1) * size : number * size] = whole[(number - 1) * size : number * size]
    held[28:32] = (len(held) // size).to_bytes(4, "big")
    trial = damaged.with_name(damaged.name + PART)
    trial.write_bytes(held)
    if find_damage(trial):
        trial.unlink()
        return
    for side in _SIDES[1:]:
        damaged.with_name(damaged.name + side).unlink(missing_ok=True)
    trial.replace(damaged)


def _pages_below(first: bytes) -> list[int]:
    """The pages on which the schema of a database goes on, by its first page; none where all of it stands there."""
    if first[100] != 5:  # an inner page of a tree: SQLite's file format, 1.6
        return []
    cells = int.from_bytes(first[103:105], "big")
    at = [int.from_bytes(first[112 + 2 * one : 114 + 2 * one], "big") for one in range(cells)]
    return [*(int.from_bytes(first[place : place + 4], "big") for place in at), int.from_bytes(first[108:112], "big")]


def _restore_documents(folder: Folder, connection: Connection, aside: Path) -> list[str]:
    """Put documents back whose rows cannot be read while the index still has their addresses; those that are lost.

    What a row says beside is read from the original again.
    """
    there = set(connection.execute(select(documents.c.document_id)).scalars())
    named = {one for table in (documents, history) for one in connection.execute(select(table.c.sha256)).scalars()}
    orphans = [sha256 for sha256, _ in list_originals(folder.originals) if sha256 not in named]
    gone = [address for address in _indexed_addresses(aside) if document_id(address) not in there]
    found = {address: mine for address in gone if (mine := _hash_of(address)) in orphans}
    rest, left = [one for one in gone if one not in found], sorted(set(orphans) - set(found.values()))
    if len(rest) == len(left) == 1:
        found[rest.pop()] = left[0]
    for address, sha256 in found.items():
        connection.execute(insert(documents).values(_bare_row(folder, address, sha256)))
    return [f"document {address}: its row is lost; add it again" for address in rest]


def _hash_of(address: str) -> str:
    """The hash of the file at an address; none where there is none."""
    try:
        return file_hash(Path(address))
    except (OSError, ValueError):
        return ""


def _bare_row(folder: Folder, address: str, sha256: str) -> dict[str, Any]:
    """A row of a document that is yet to be read."""
    known = {"document_id": document_id(address), "address": address, "source": address, "sha256": sha256}
    empty = {"medium": "", "kind": "", "authors": "[]", "language": "", "issues": "[]", "tables": 0, "tuples": 0}
    size = len(load_original(folder.originals, sha256))
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return known | empty | {"bytes": size, "added": now, "version": 1, "sequence": 0}


def _indexed_addresses(path: Path) -> list[str]:
    """The addresses of documents as the index of a damaged file has them, which lies on other pages than the rows."""
    found: dict[str, None] = {}
    for order in ("ASC", "DESC"):
        with contextlib.suppress(*_BROKEN), contextlib.closing(sqlite3.connect(path)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            for _, name, *_ in connection.execute("PRAGMA index_list(documents)").fetchall():
                if [one[2] for one in connection.execute(f'PRAGMA index_info("{name}")')] == ["address"]:
                    wanted = f'SELECT address FROM documents INDEXED BY "{name}" ORDER BY address {order}'  # noqa: S608
                    for (address,) in connection.execute(wanted):
                        found[address] = None
    return list(found)


def _readable_rows(path: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of a table that can be read, from its beginning up to the damage and from its end back to it."""
    seen: set[Any] = set()
    for order in ("ASC", "DESC"):
        with contextlib.suppress(*_BROKEN), contextlib.closing(sqlite3.connect(path)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.row_factory = sqlite3.Row
            wanted = f"SELECT rowid AS row_number, * FROM {name} NOT INDEXED ORDER BY rowid {order}"  # noqa: S608 - ours
            for row in connection.execute(wanted):
                told = dict(row)
                number = told.pop("row_number")
                if number in seen:
                    break
                seen.add(number)
                yield told


def _raise_sequence(connection: Connection) -> None:
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


def mend_rows(library: Library) -> list[str]:
    """Put right the rows from which a library is made anew; derived ones are left, since they are written again."""
    notes: list[str] = []
    with library.catalogue.writing() as connection:
        broken = list(broken_rows(connection))
        if broken:
            _raise_sequence(connection)
        named = {one for table in (documents, history) for one in connection.execute(select(table.c.sha256)).scalars()}
        orphans = [sha256 for sha256, _ in list_originals(library.folder.originals) if sha256 not in named]
        tried = 0
        for table, key in broken:
            alone = bool(key) and table in _NOWHERE_ELSE
            tried += alone
            if alone and tried <= _MOST_TRIED and _restore(connection, table, key):
                notes.append(f"{table.name} {' '.join(map(str, key))}: a letter was changed; put right by its seal")
            elif not key and table is documents:
                notes.append("documents are missing from the catalogue: restore a backup, or add them again")
            elif key and table is documents:
                notes.append(_mend_document(library, connection, str(key[0]), orphans))
            elif key and table is corrections:
                notes += _mend_correction(connection, str(key[0]))
        held = select(documents.c.document_id)
        astray = ~tables.c.table_id.startswith(tables.c.document_id + "-")  # it would keep the name of the right one
        connection.execute(delete(tables).where(tables.c.document_id.not_in(held) | astray))
    return notes


def _restore(connection: Connection, table: Table, key: tuple[Any, ...]) -> bool:
    """Put a row right that is wrong in one letter, from what it was sealed with; whether that could be done."""
    mine = [column == value for column, value in zip(key_of(table), key, strict=True)]
    row = connection.execute(select(table).where(*mine)).mappings().first()
    right = restore_row(table, row) if row else None
    if right:
        connection.execute(update(table).where(*mine).values(**right))
    return right is not None


def settle_rows(library: Library) -> None:
    """After all was read again: no segment that nothing names, and new seals for everything."""
    with library.catalogue.writing() as connection:
        used = select(documents.c.segment_id).where(documents.c.segment_id.is_not(None))
        connection.execute(delete(segments).where(segments.c.segment_id.not_in(used)))
        seal_all(connection)


def _mend_document(library: Library, connection: Connection, key: str, orphans: list[str]) -> str:
    row = connection.execute(select(documents).where(documents.c.document_id == key)).mappings().one()
    address = next((one for one in (row["address"], document_address(row["source"])) if document_id(one) == key), None)
    right: dict[str, Any] = {"address": address or row["address"]}
    if address is None:
        right["document_id"] = document_id(row["address"])
    if document_id(document_address(row["source"])) != document_id(right["address"]):
        right["source"] = right["address"]
    if not is_whole(library.folder.originals, row["sha256"]):
        alike = [one for one in orphans if _has_size(library, one, row["bytes"])]
        right["sha256"] = alike[0] if len(alike) == 1 else row["sha256"]
    if row["rendered"] not in (None, "always", "auto"):
        right["rendered"] = None
    wanted = right.get("document_id", key)
    taken = connection.execute(select(documents.c.document_id).where(documents.c.document_id == wanted)).first()
    if wanted != key and taken:
        connection.execute(delete(documents).where(documents.c.document_id == key))
    else:
        connection.execute(update(documents).where(documents.c.document_id == key).values(**right))
    return f"document {right.get('source', row['source'])}: its row was changed; mended, and read again"


def _mend_correction(connection: Connection, key: str) -> list[str]:
    body = connection.execute(select(corrections.c.body).where(corrections.c.correction_id == key)).scalar()
    try:
        msgspec.json.decode(body or "", type=Correction)
    except msgspec.DecodeError:
        connection.execute(delete(corrections).where(corrections.c.correction_id == key))
        return [f"correction {key}: was damaged and is taken out; make it again"]
    return [f"correction {key}: its row was changed; it is kept as it is: look at it with `tabellion history`"]


def _has_size(library: Library, sha256: str, size: int) -> bool:
    try:
        return len(load_original(library.folder.originals, sha256)) == size
    except LibraryError:
        return False


_LONG_WAIT = 600.0  # seconds for which leavings may be being cleared away
_TOGETHER = 500  # rows that are written at once


def copy_library(source: Library, place: str, files: str | None = None) -> int:
    """Copy a library to a place where there is none yet; returns how many documents it has."""
    with locked(source.folder.write_lock, shared=True, wait=_LONG_WAIT), Library(place, files, create=True) as target:
        with target.catalogue.reading() as there:
            others = [table for table in catalogue.sorted_tables if table is not facts]
            if any(there.execute(select(table).limit(1)).first() for table in others):
                raise LibraryError(f"{place}: there is a library already; name a place where there is none")
        with source.catalogue.reading() as connection:
            held = {table: connection.execute(select(table)).mappings().all() for table in catalogue.sorted_tables}
        rows = {table.name: [dict(row) for row in found] for table, found in held.items()}
        _copy_files(source, target, rows)
        bring_to_disk(target.folder.root)
        with target.catalogue.writing() as there:
            for table in catalogue.sorted_tables:
                if table is facts:
                    kept = [row for row in rows[table.name] if row["name"] not in ("schema", FILES)]
                    there.execute(delete(facts).where(facts.c.name.in_([row["name"] for row in kept])))
                else:
                    kept = rows[table.name]
                for first in range(0, len(kept), _TOGETHER):
                    there.execute(insert(table), kept[first : first + _TOGETHER])
            seal_all(there)
        return len(rows["documents"])


def _copy_files(source: Library, target: Library, rows: dict[str, list[dict[str, object]]]) -> None:
    hashes = {str(row["sha256"]) for name in ("documents", "history") for row in rows[name]}
    held = [segment_path(source.folder.segments, str(row["segment_id"])) for row in rows["segments"]]
    held += [beside for path in held if (beside := path.with_suffix(QUADS)).exists()]
    shown = [(str(row["segment_id"]), str(row["document_id"])) for row in rows["documents"]]
    held += [view for one in shown if (view := view_path(source.folder.segments, *one)).exists()]
    wanted = [(path, target.folder.segments / path.name) for path in held]
    kept = [path for sha256 in hashes if (path := find_original(source.folder.originals, sha256))]
    wanted += [(path, target.folder.originals / path.name[:2] / path.name) for path in kept]
    try:
        for path, aim in wanted:
            aim.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(aim) as part, path.open("rb") as there, part.open("wb") as here:
                shutil.copyfileobj(there, here)
        for room in ("weights", "mined", "annotations"):
            if (source.folder.root / room).is_dir():
                _copy_room(source.folder.root / room, target.folder.root / room)
    except OSError as error:
        raise LibraryError(f"{target.folder.root}: cannot be copied ({error.strerror or error})") from error


def _copy_room(room: Path, aim: Path) -> None:
    """Copy the files of a room, and of those in it, each with its hash as it is at one moment."""
    aim.mkdir(parents=True, exist_ok=True)
    with locked(room / "sums.lock", wait=_LONG_WAIT):
        for path in sorted(room.iterdir()):
            if path.is_dir():
                _copy_room(path, aim / path.name)
            elif path.suffix not in (".lock", PART):
                shutil.copyfile(path, aim / path.name)
