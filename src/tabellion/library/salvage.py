"""A catalogue whose file is damaged: what SQLite can still read of it, in a new one.

In: the folder of a library. Out: a catalogue that can be opened, and what was done and what is lost, a line each. Of a
SQLite file that is damaged, every row that can still be read is taken over into a new one; where the pages are damaged
that say what tables there are, those of the new one stand in for them. The damaged file stays beside it. A catalogue
that is gone while the originals are there is made anew, empty: they are told, and none of them is thrown away.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete

from tabellion.library.catalogue import Catalogue, catalogue, facts
from tabellion.library.files import PART, Folder, has_originals, take_away
from tabellion.library.holdings import NEWEST, is_locked
from tabellion.library.mending import Mending, indexed_tables, mend_losses, raise_sequence
from tabellion.library.sealing import FACT, find_lost, sum_seals

_SIDES = ("", "-wal", "-shm")
_HEADER = 100  # bytes at the beginning of a file of SQLite, which say how large it is
_TIMES, _MORE = 16, 2**26  # how much larger than it is a file can have been, and bytes beside
_SMALLEST = 512  # bytes of a page
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
        return "" if is_locked(error) else str(error)  # of a file that another process holds nothing can be told


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
        return f"its version is given as {version or 'none'} but is {NEWEST}"
    if version == str(NEWEST) and (lacking := sorted(wanted - held)):
        return f"{lacking[0][0]} has no column {lacking[0][1]}"
    return ""


def salvage_catalogue(folder: Folder) -> Mending:
    """Where the catalogue's file is damaged: put it aside and make a new one of all rows that can be read.

    Each keeps its seal, so that one that is not as it was written shows, and is mended.
    """
    for side in _SIDES[1:]:
        if (path := _side(folder.catalogue, side)).is_dir():
            take_away(path)  # a folder where SQLite wants a file: there is nothing of it to be lost
    if folder.catalogue.is_file():
        folder.catalogue.open("rb").close()  # a file that nobody may read is not damaged
    damage = find_damage(folder.catalogue)
    if not damage and (_has_tables(folder.catalogue) or not has_originals(folder)):
        return Mending([], [])
    aside = _free_name(folder.catalogue)
    _move(folder.catalogue, aside)
    try:
        return _make_anew(folder, aside, damage)
    except BaseException:
        _move(aside, folder.catalogue)
        raise


def _make_anew(folder: Folder, aside: Path, damage: str) -> Mending:
    folder.unfinished.unlink(missing_ok=True)  # what looks like leavings may be of documents whose rows are lost
    made = Catalogue(folder)
    try:
        made.prepare(create=True)
        if aside.is_file():
            _fill_up(aside)
            _mend_schema(aside, folder.catalogue)
        with made.writing() as connection:
            taken, said = _take_over(connection, aside)
            raise_sequence(connection)
            lost = find_lost(connection, said)
            done = mend_losses(folder, connection, lost, {*_indexed_addresses(aside), *indexed_tables(connection)})
            sum_seals(connection)
    finally:
        made.close()
    if not said:
        done.lost.append("it is unknown whether rows of the catalogue were lost: compare it with a backup")
    if not damage:
        return Mending(["the catalogue was gone: an empty one was made", *done.notes], done.lost)
    note = f"the catalogue was damaged ({damage}): {taken:,} rows were taken over from {aside}"
    return Mending([note, *done.notes], done.lost)


def _take_over(connection: Connection, aside: Path) -> tuple[int, str]:
    """Take over all rows that can be read; how many those were, and what the sums of their seals were."""
    taken, said = 0, ""
    for table in catalogue.sorted_tables:
        known = {column.name for column in table.columns}
        for row in _readable_rows(aside, table.name):
            kept = {name: value for name, value in row.items() if name in known}
            if table is facts:
                if not isinstance(kept.get("value"), str) or kept.get("name") == "schema":
                    continue
                if kept.get("name") == FACT:
                    said = kept["value"]
                    continue
                connection.execute(delete(facts).where(facts.c.name == kept["name"]))
            with contextlib.suppress(Exception), connection.begin_nested():  # a row that breaks a rule is lost
                connection.execute(table.insert().values(**kept))
                taken += 1
    return taken, said


def _side(path: Path, side: str) -> Path:
    return path.with_name(path.name + side)


def _free_name(path: Path) -> Path:
    """Where a damaged file is put aside; one that was put there before stays."""
    found, number = _side(path, ".damaged"), 1
    while found.exists():
        number += 1
        found = _side(path, f".damaged-{number}")
    return found


def _move(path: Path, to: Path) -> None:
    """Rename a file of SQLite with those beside it; what stands in their place goes."""
    for side in _SIDES:
        if _side(path, side).exists():
            take_away(_side(to, side))
            _side(path, side).replace(_side(to, side))


def _has_tables(path: Path) -> bool:
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None


def _fill_up(path: Path) -> None:
    """Give a file that was cut off the pages again that its header speaks of, empty: the others can be read then.

    A header that speaks of far more is damaged itself; it is to say what there is.
    """
    with path.open("r+b") as file:
        head, length = file.read(_HEADER), path.stat().st_size
        size = int.from_bytes(head[16:18], "big")
        size = 2**16 if size == 1 else size
        if len(head) < _HEADER or size < _SMALLEST:
            return
        pages, said = -(-length // size), int.from_bytes(head[28:32], "big")
        if said * size > _TIMES * length + _MORE:
            said = pages
            file.seek(28)
            file.write(pages.to_bytes(4, "big"))
        file.truncate(size * max(pages, said))


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
