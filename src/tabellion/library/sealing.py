"""Seals on the rows of the catalogue, by which a letter that changed and a row that is gone are told.

In: a transaction that writes. Out: every row that it wrote has its seal, a hash of all that stands in it, and for each
table there is the sum of the seals of its rows: a row that changes no longer fits its seal, and where one is lost, put
in or put back by anybody else the sum no longer fits. What is written by way of this catalogue keeps both right by
itself. Adding a column that may be empty breaks no seal.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import (
    Connection,
    Delete,
    Engine,
    Float,
    Insert,
    RowMapping,
    Select,
    Table,
    Update,
    bindparam,
    event,
    insert,
    select,
    update,
)

from tabellion.library.catalogue import corrections, documents, facts, history, segments, tables

SEALED: tuple[Table, ...] = (documents, tables, segments, history, corrections)
_WATCHED = frozenset(table.name for table in (*SEALED, facts))
FACT = "seals"
_KEYS = {"history": ("document_id", "version")}
_SIZE = 16  # bytes of a seal
_WHOLE = 2 ** (8 * _SIZE)
_TOGETHER = 2_000  # rows that are sealed at once
_QUIETLY = {"sealing": True}


def seal_of(table: Table, row: RowMapping) -> str:
    """The seal of a row: of every column that has a value."""
    told = hashlib.blake2b(table.name.encode(), digest_size=_SIZE)
    for column in sorted(table.columns, key=lambda one: one.name):
        value = row[column.name]
        if column.name == "seal" or value is None:
            continue
        if isinstance(column.type, Float):
            value = float(value)
        data = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode("utf-8", "surrogatepass")
        told.update(f"{column.name}:{len(data)}:".encode() + data)
    return told.hexdigest()


def key_of(table: Table) -> list[Any]:
    """The columns that name a row."""
    return [table.c[name] for name in _KEYS[table.name]] if table.name in _KEYS else list(table.primary_key)


def watch_seals(engine: Engine) -> None:
    """From now on know what each transaction writes, takes away or changes."""

    @event.listens_for(engine, "before_execute", retval=True)
    def note(connection: Connection, clause: Any, many: Any, one: Any, options: Any) -> Any:
        if isinstance(clause, Select) or options.get("sealing"):
            return clause, many, one
        written: set[str] = connection.info.setdefault("written", set())
        if not isinstance(clause, Delete | Insert | Update):  # a statement of words may write anything
            written.update(_WATCHED)
            return clause, many, one
        table: Any = clause.table
        written.add(table.name)
        if isinstance(clause, Delete | Update) and table in SEALED:
            wanted = select(table.c.seal).where(table.c.seal.is_not(None))
            if clause.whereclause is not None:
                wanted = wanted.where(clause.whereclause)
            gone = connection.execute(wanted).scalars().all()
            connection.info.setdefault("seals", Counter())[table.name] -= sum(map(_number, gone))
            if isinstance(clause, Update):
                clause = clause.values(seal=None)
        return clause, many, one

    @event.listens_for(engine, "begin")
    def forget(connection: Connection) -> None:
        connection.info.pop("seals", None)
        connection.info.pop("written", None)


def wrote_sealed(connection: Connection) -> bool:
    """Whether this transaction wrote anything that seals are for."""
    return not connection.info.get("written", set()).isdisjoint(_WATCHED)


def seal_rows(connection: Connection) -> None:
    """Seal what this transaction wrote, and bring the sums up to it."""
    changed: Counter[str] = connection.info.pop("seals", None) or Counter()
    written: set[str] = connection.info.pop("written", None) or set()
    for table in SEALED:
        if table.name not in written:
            continue
        mine = update(table).where(*(column == bindparam(f"of_{column.name}") for column in key_of(table)))
        while rows := connection.execute(select(table).where(table.c.seal.is_(None)).limit(_TOGETHER)).mappings().all():
            seals = [seal_of(table, row) for row in rows]
            changed[table.name] += sum(int(seal, 16) for seal in seals)
            told = [
                {"seal": seal} | {f"of_{column.name}": row[column.name] for column in key_of(table)}
                for seal, row in zip(seals, rows, strict=True)
            ]
            connection.execute(mine, told, execution_options=_QUIETLY)
    _write_sums(connection, {name: sums + changed[name] for name, sums in _read_sums(connection).items()})


def seal_all(connection: Connection) -> None:
    """Seal everything as it stands, whatever was there before."""
    for table in SEALED:
        connection.execute(update(table).values(seal=None), execution_options=_QUIETLY)
    connection.info["seals"], connection.info["written"] = Counter(), {table.name for table in SEALED}
    _write_sums(connection, dict.fromkeys((table.name for table in SEALED), 0))
    seal_rows(connection)


def sum_seals(connection: Connection) -> None:
    """Take the seals of all rows for granted that have one: for rows that were brought over with theirs."""
    sums = {}
    for table in SEALED:
        held = connection.execute(select(table.c.seal).where(table.c.seal.is_not(None))).scalars()
        sums[table.name] = sum(map(_number, held))
    _write_sums(connection, sums)


def broken_rows(connection: Connection) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    """The rows that do not fit their seals, each by its table and key; no key where the sum of a table does not fit."""
    sums = _read_sums(connection)
    for table in SEALED:
        key, total = key_of(table), 0
        for row in connection.execute(select(table)).mappings():
            total += _number(row["seal"])
            if row["seal"] != seal_of(table, row):
                yield table, tuple(row[column.name] for column in key)
        if total % _WHOLE != sums[table.name]:
            yield table, ()
    if _facts_seal(connection) != _said(connection).get(facts.name):
        yield facts, ()


def _number(seal: object) -> int:
    """A seal, or a sum of seals; nothing where it is damaged itself."""
    try:
        return int(str(seal or "0"), 16)
    except ValueError:
        return 0


def _read_sums(connection: Connection) -> dict[str, int]:
    said = _said(connection)
    return {table.name: _number(said.get(table.name)) for table in SEALED}


def _said(connection: Connection) -> dict[str, Any]:
    """The sums as they are kept; none where that is damaged."""
    try:
        said = json.loads(str(connection.execute(select(facts.c.value).where(facts.c.name == FACT)).scalar() or "{}"))
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _write_sums(connection: Connection, sums: Mapping[str, int]) -> None:
    said = {name: f"{number % _WHOLE:x}" for name, number in sums.items()} | {facts.name: _facts_seal(connection)}
    value = {"value": json.dumps(said)}
    mine = update(facts).where(facts.c.name == FACT).values(value)
    if not connection.execute(mine, execution_options=_QUIETLY).rowcount:
        connection.execute(insert(facts).values(name=FACT, **value), execution_options=_QUIETLY)


def _facts_seal(connection: Connection) -> str:
    """Of what the catalogue says of its library."""
    held = connection.execute(select(facts.c.name, facts.c.value).where(facts.c.name != FACT).order_by(facts.c.name))
    return hashlib.blake2b(json.dumps([list(row) for row in held]).encode(), digest_size=_SIZE).hexdigest()
