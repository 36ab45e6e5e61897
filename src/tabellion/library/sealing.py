"""Seals on the rows of the catalogue, by which a letter that changed and a row that is gone are told.

In: a transaction that writes. Out: every row that it wrote has its seal, a hash of all that stands in it, and for each
table there is the sum of the seals of its rows: a row that changes no longer fits its seal, and where one is lost, put
in or put back by anybody else the sum no longer fits. What is written by way of this catalogue keeps both right by
itself. Adding a column that may be empty breaks no seal.

A seal also says what stood there: where one letter of a row was changed, or one bit of a number, the only row that fits
the seal is found by trying them all (`restore_row`).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from sqlalchemy import (
    Connection,
    Delete,
    Engine,
    Float,
    Insert,
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
_LARGEST = 2_000  # bytes of a row that is restored by trying: some seconds
_FEW = 6  # rows that do not fit their seals of which all that may have been is tried
_UNREADABLE = "\N{REPLACEMENT CHARACTER}".encode()  # what is read for a byte that is no text


def seal_of(table: Table, row: Mapping[Any, Any]) -> str:
    """The seal of a row: of every column that has a value."""
    told = _begin(table)
    for name, data in _pieces(table, row):
        told.update(_piece(name, data))
    return told.hexdigest()


def _begin(table: Table) -> hashlib.blake2b:
    return hashlib.blake2b(table.name.encode(), digest_size=_SIZE)


def _pieces(table: Table, row: Mapping[Any, Any]) -> Iterator[tuple[str, bytes]]:
    """The columns of a row that have a value, in the order in which they are sealed."""
    for column in sorted(table.columns, key=lambda one: one.name):
        value = row[column.name]
        if column.name == "seal" or value is None:
            continue
        if isinstance(column.type, Float):
            value = float(value)
        is_bytes = isinstance(value, bytes | memoryview)
        yield column.name, bytes(value) if is_bytes else str(value).encode("utf-8", "surrogatepass")


def _piece(name: str, data: bytes) -> bytes:
    return f"{name}:{len(data)}:".encode() + data


def restore_row(table: Table, row: Mapping[Any, Any]) -> dict[str, Any] | None:
    """What has to be put right in a row so that it fits its seal again; None where no one letter or bit does it.

    Nothing has to be where it is the seal that was changed.
    """
    seal, pieces = str(row["seal"] or ""), list(_pieces(table, row))
    if len(seal) == 2 * _SIZE and sum(map(str.__ne__, seal, seal_of(table, row))) <= 1:
        return {}
    if sum(len(data) for _, data in pieces) > _LARGEST:
        return None
    before = _begin(table)
    for number, (name, data) in enumerate(pieces):
        after = b"".join(_piece(*one) for one in pieces[number + 1 :])
        for told, right in _unlike_in_one(before, name, data, after, row[name]):
            if told == seal:
                return {name: int(right) if isinstance(row[name], int) else right.decode("utf-8", "surrogatepass")}
        before.update(_piece(name, data))
    return None


def fit_row(table: Table, row: Mapping[Any, Any], others: Mapping[str, Iterable[Any]]) -> dict[str, Any] | None:
    """Which of some other values, by their columns, makes a row fit its seal; None where none does."""
    for name, values in others.items():
        for value in values:
            if seal_of(table, {**row, name: value}) == row["seal"]:
                return {name: value}
    return None


def _unlike_in_one(
    before: hashlib.blake2b, name: str, data: bytes, after: bytes, value: object
) -> Iterator[tuple[str, bytes]]:
    """All that is unlike a value in one bit, if it is a number, or in one letter, each after the row's seal with it."""
    if isinstance(value, int):
        for bit in range(63):
            other = str(value ^ 1 << bit).encode()
            yield _told(before, _piece(name, other) + after), other
    if not isinstance(value, str):
        return
    at = data.find(_UNREADABLE)
    while at >= 0:
        for byte in range(1, 128):
            other = data[:at] + bytes([byte]) + data[at + len(_UNREADABLE) :]
            yield _told(before, _piece(name, other) + after), other
        at = data.find(_UNREADABLE, at + 1)
    begun = before.copy()
    begun.update(f"{name}:{len(data)}:".encode())
    for place in range(len(data)):
        behind = data[place + 1 :]
        for byte in range(256):
            yield _told(begun, bytes([byte]) + behind + after), data[:place] + bytes([byte]) + behind
        begun.update(data[place : place + 1])


def _told(before: hashlib.blake2b, rest: bytes) -> str:
    told = before.copy()
    told.update(rest)
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


def find_lost(connection: Connection, said: str | None = None) -> list[Table]:
    """The tables that lack what they had, by the sums of their seals; none where the sums themselves are lost.

    `said` are the sums, where they are not those that the catalogue has.
    """
    sums = _said(connection) if said is None else _decoded(said)
    lost = [one for one in SEALED if one.name in sums and not _is_complete(connection, one, _number(sums[one.name]))]
    if facts.name in sums and sums[facts.name] != _facts_seal(connection):
        lost.append(facts)
    return lost


def _is_complete(connection: Connection, table: Table, total: int) -> bool:
    """Whether a table has all its rows, be it that some were changed, with or without their seals, or one put in."""
    fit: set[int] = set()
    unfit: list[tuple[int, int, int]] = []  # the seal that a row has, the one that it should have, and none
    for row in connection.execute(select(table)).mappings():
        has, should = _number(row["seal"]), int(seal_of(table, row), 16)
        if has == should:
            fit.add(has)
            total -= has
        else:
            unfit.append((has, should, 0))
    tries = product(*unfit) if len(unfit) <= _FEW else zip(*unfit, strict=True)
    rest = {(total - sum(one)) % _WHOLE for one in tries}
    return 0 in rest or any(-one % _WHOLE in fit for one in rest)


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
    return _decoded(str(connection.execute(select(facts.c.value).where(facts.c.name == FACT)).scalar() or "{}"))


def _decoded(told: str) -> dict[str, Any]:
    try:
        said = json.loads(told)
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
