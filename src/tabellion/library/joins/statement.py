"""The SQL that brings two tables together, and what comes of it.

In: two tables and how they are alike. Out: one SELECT over their relations with what it joins on, how many rows meet,
and whether any meets several. All labels that a row has are compared, level by level; where that brings fewer rows
together, the nearest one or the best single level is. Labels are compared without case, accents and punctuation; where
a label has another name in the other table, its plain form is written out. None is offered that gives no row.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import pyarrow as pa

from tabellion.library.holdings import Details, TableRecord
from tabellion.library.joins.likeness import STUB, TOP, Likeness, Near, near_labels
from tabellion.library.joins.sketch import plain_label
from tabellion.library.naming import differing_levels
from tabellion.library.query import plain_text
from tabellion.library.relations import TIDY, quoted, tidy_names

_LISTED = 400  # labels whose plain form is written out at most
Names = tuple[str, ...]
Plain = Callable[[str], str]  # a label to what is compared
Run = Callable[[str], pa.Table]  # a statement in SQL to its rows


class Statement(msgspec.Struct, frozen=True):
    """A SELECT over two tables, and what it gave when it was run.

    Of tables with the same columns `matched` and `unmatched` count columns, else rows.
    """

    sql: str
    on: list[tuple[str, str]]
    rows: int
    shared: int
    matched: int
    unmatched: int
    matched_theirs: int
    unmatched_theirs: int
    repeats: bool  # whether a row meets several
    nearly: list[Near] = []  # labels without a partner that nearly agree, to be accepted


class Labels(msgspec.Struct, frozen=True):
    """A column that can be joined on: its name, its SQL, and its text in each row."""

    name: str
    sql: str
    texts: list[str | None]


class Held(msgspec.Struct, frozen=True):
    """One of the two tables: the relation that is joined, and the columns that it can be joined on."""

    relation: str
    levels: list[Labels]
    nearest: Labels | None
    rows: int


Key = list[tuple[Labels, Labels]]


def write_statement(
    run: Run, one: TableRecord, other: TableRecord, likeness: Likeness, plain: Plain = plain_label
) -> Statement | None:
    """The best statement for two tables; None where none gives a row. `plain` makes of a label what is compared."""
    if likeness.way == "columns":
        return _write_union(run, one, other)
    mine, theirs = _hold(run, one, likeness.mine), _hold(run, other, likeness.theirs)
    keys = list(_keys(mine, theirs, plain))
    if not keys:
        return None
    key = max(keys, key=lambda one: _worth(one, plain))
    named = _other_names(key, plain)
    count = _count(key, lambda text: named.get(text, _simple(text)))
    sql = _write_join(mine, theirs, key, named)
    rows = _rows_of(run, sql)
    if not rows:
        return None
    return Statement(
        sql, [(a.name, b.name) for a, b in key], rows, count.shared, count.mine, mine.rows - count.mine, count.theirs,
        theirs.rows - count.theirs, count.repeats, _nearly(key, plain),
    )  # fmt: skip


def _nearly(key: Key, plain: Plain) -> list[Near]:
    """Labels under a key that have no partner but nearly one."""
    pairs = [near_labels(_told(mine), _told(theirs), plain) for mine, theirs in key]
    return [near for found in pairs for near in found]


def _told(labels: Labels) -> list[str]:
    return [text for text in labels.texts if text]


class Count(msgspec.Struct, frozen=True):
    """How many rows of both tables meet under one key."""

    shared: int
    mine: int
    theirs: int
    rows: int
    repeats: bool


def _hold(run: Run, table: TableRecord, where: int) -> Held:
    """A table with the texts of the columns that hold one set of its labels."""
    details = table.unpack()
    if where == TOP:
        relation, names = quoted(table.name + TIDY), tidy_names(details)[1]
        sql = [quoted(name) for name in names]
    elif where == STUB:
        relation, names = quoted(table.name), [column.name for column in details.stub]
        sql = [quoted(name) for name in names]
    else:
        column = details.columns[where]
        relation, names = quoted(table.name), [column.name]
        sql = [f"format('{{:.15g}}', {quoted(column.name)})" if column.number else quoted(column.name)]
    found = run(f"SELECT {', '.join(sql) or '0'} FROM {relation}")  # noqa: S608 - known names
    texts = [[plain_text(value) or None for value in column.to_pylist()] for column in found.columns]
    levels = [Labels(name, one, said) for name, one, said in zip(names, sql, texts, strict=False)]
    return Held(relation, levels, _nearest(levels) if where == STUB else None, found.num_rows)


def _nearest(levels: Sequence[Labels]) -> Labels | None:
    """The label that stands nearest to the values of each row, where they are not all of one level."""
    if len(levels) <= 1:
        return None
    said = [
        next((text for text in reversed(row) if text), None) for row in zip(*(one.texts for one in levels), strict=True)
    ]
    held = ", ".join(f"{{}}{one.sql}" for one in reversed(levels))
    return Labels("coalesce", f"coalesce({held})", said)


def _keys(mine: Held, theirs: Held, plain: Plain) -> Iterator[Key]:
    """What the two could be joined on: all levels that have labels in common, each alone, and the nearest labels."""
    pairs = _paired(mine.levels, theirs.levels, plain)
    if pairs:
        yield pairs
    for pair in pairs if len(pairs) > 1 else ():
        yield [pair]
    if mine.nearest or theirs.nearest:
        ours = [mine.nearest] if mine.nearest else mine.levels
        others = [theirs.nearest] if theirs.nearest else theirs.levels
        yield from ([pair] for pair in _paired(ours, others, plain))


def _paired(mine: Sequence[Labels], theirs: Sequence[Labels], plain: Plain) -> Key:
    """The columns that have most labels in common, each once."""
    ours = [_plain_labels(one, plain) for one in mine]
    others = [_plain_labels(one, plain) for one in theirs]
    shared = {(a, b): len(x & y) for a, x in enumerate(ours) for b, y in enumerate(others)}
    found: dict[int, int] = {}
    for (a, b), count in sorted(shared.items(), key=lambda one: (-one[1], one[0])):
        if count and a not in found and b not in found.values():
            found[a] = b
    return [(mine[a], theirs[b]) for a, b in sorted(found.items())]


def _plain_labels(one: Labels, plain: Plain) -> set[str]:
    return {plain(text) for text in set(one.texts) if text} - {""}


def _worth(key: Key, plain: Callable[[str], str]) -> tuple[int, int]:
    """How many rows meet, less those that come twice; of several alike the one with more levels."""
    count = _count(key, plain)
    return count.mine + count.theirs - 2 * max(0, count.rows - max(count.mine, count.theirs)), len(key)


def _count(key: Key, plain: Callable[[str], str]) -> Count:
    mine = _counted([a for a, _ in key], plain)
    theirs = _counted([b for _, b in key], plain)
    both = [(mine[one], theirs[one]) for one in mine.keys() & theirs.keys()]
    return Count(
        shared=len(both),
        mine=sum(a for a, _ in both),
        theirs=sum(b for _, b in both),
        rows=sum(a * b for a, b in both),
        repeats=any(a > 1 or b > 1 for a, b in both),
    )


def _counted(columns: Sequence[Labels], plain: Callable[[str], str]) -> Counter[tuple[str | None, ...]]:
    rows = zip(*(column.texts for column in columns), strict=True)
    keys = (tuple((plain(text) or None) if text else None for text in row) for row in rows)
    return Counter(key for key in keys if any(key))


def _other_names(key: Key, plain: Plain) -> dict[str, str]:
    """The labels that both tables have, of which SQL does not make the same by itself, with what is the same."""
    found: dict[str, str] = {}
    for mine, theirs in key:
        both = _plain_labels(mine, plain) & _plain_labels(theirs, plain)
        for text in sorted({text for text in (*mine.texts, *theirs.texts) if text}):
            said = plain(text)
            if said in both and _simple(text) != _simple(said):
                found[text] = _simple(said)
    return dict(list(found.items())[:_LISTED])


def _write_join(mine: Held, theirs: Held, key: Key, named: dict[str, str]) -> str:
    same = "".join(f", ({write_text(label)}, {write_text(plain)})" for label, plain in named.items())[2:]
    begin = f"WITH same (label, plain) AS (VALUES {same})\n" if same else ""
    sides = [(_key_of(a, "a", named), _key_of(b, "b", named)) for a, b in key]
    alone = len(key) == 1
    on = " AND ".join(f"{a} = {b}" if alone else f"{a} IS NOT DISTINCT FROM {b}" for a, b in sides)
    if not alone:
        on += f" AND coalesce({', '.join(a for a, _ in sides)}) IS NOT NULL"
    return f"{begin}SELECT a.*, b.*\nFROM {mine.relation} a\nJOIN {theirs.relation} b ON {on}"


def _key_of(labels: Labels, alias: str, named: dict[str, str]) -> str:
    """A label as it is compared, in SQL."""
    if "{}" in labels.sql:
        column = labels.sql.replace("{}", f"{alias}.")
    else:
        column = re.sub(r'(?=")', f"{alias}.", labels.sql, count=1)
    plain = f"nullif(regexp_replace(lower(strip_accents({column})), '[^\\p{{L}}\\p{{N}}]+', '', 'g'), '')"
    if not named.keys() & set(labels.texts):
        return plain
    return f"coalesce((SELECT plain FROM same WHERE label = {column}), {plain})"  # noqa: S608 - a known column


def _write_union(run: Run, one: TableRecord, other: TableRecord) -> Statement | None:
    """The rows of both tables under one another."""
    mine, theirs = one.unpack(), other.unpack()
    known = same_columns(mine, theirs)
    if not known:
        return None
    columns = dict(known)
    columns.update({b.name: a.name for a, b in zip(reversed(mine.stub), reversed(theirs.stub), strict=False)})
    taken = set(columns.values())
    shown = []
    for column in (*theirs.stub, *theirs.columns):
        name, number = columns.get(column.name, column.name), 2
        while column.name not in columns and name in taken:
            name, number = f"{column.name}_{number}", number + 1
        taken.add(name)
        shown.append(quoted(column.name) if name == column.name else f"{quoted(column.name)} AS {quoted(name)}")
    sql = (
        f"SELECT * FROM {quoted(one.name)}\nUNION ALL BY NAME\n"  # noqa: S608 - known names
        f"SELECT {', '.join(shown)} FROM {quoted(other.name)}"
    )
    rows = _rows_of(run, sql)
    if not rows:
        return None
    ours, others = _row_paths(run, one, mine), _row_paths(run, other, theirs)
    return Statement(
        sql, [(name, of) for of, name in known.items()], rows, len(known), len(known), len(mine.columns) - len(known),
        len(known), len(theirs.columns) - len(known), bool(ours & others - {()}),
    )  # fmt: skip


def _row_paths(run: Run, table: TableRecord, details: Details) -> set[Names]:
    names = ", ".join(quoted(column.name) for column in details.stub)
    if not names:
        return set()
    found = run(f"SELECT {names} FROM {quoted(table.name)}")  # noqa: S608 - known names
    rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
    return {tuple(plain_label(text) for text in row if text) for row in rows}


def same_columns(mine: Details, theirs: Details) -> dict[str, str]:
    """The columns of the other table that have one here, by name; by whole path, what differs in it, or its end."""
    found: dict[str, str] = {}
    for paths in (lambda all_paths: all_paths, differing_levels, lambda all_paths: [path[-1:] for path in all_paths]):
        ours = _once(paths([one.path for one in mine.columns]), [one.name for one in mine.columns])
        others = _once(paths([one.path for one in theirs.columns]), [one.name for one in theirs.columns])
        for path in ours.keys() & others.keys():
            if others[path] not in found and ours[path] not in found.values():
                found[others[path]] = ours[path]
    order = {column.name: number for number, column in enumerate(theirs.columns)}
    return dict(sorted(found.items(), key=lambda one: order[one[0]]))


def _once(paths: Iterable[Names], names: Iterable[str]) -> dict[Names, str]:
    """Names by plain paths that no other column has."""
    plain = [tuple(map(plain_label, path)) for path in paths]
    often = Counter(plain)
    return {path: name for path, name in zip(plain, names, strict=True) if any(path) and often[path] == 1}


def _rows_of(run: Run, sql: str) -> int:
    """How many rows a statement gives."""
    return int(run(f"SELECT count(*) AS n FROM ({sql})").column("n")[0].as_py())  # noqa: S608 - made here


def _simple(label: str) -> str:
    """What the SQL makes of a label."""
    flat = unicodedata.normalize("NFKD", label)
    return re.sub(r"[\W_]+", "", "".join(letter for letter in flat if not unicodedata.combining(letter)).lower())


def write_text(label: str) -> str:
    escaped = label.replace("'", "''")
    return f"'{escaped}'"
