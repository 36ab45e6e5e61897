"""What changed between two tables: values, labels and structure.

In: two tables of a library, mostly two editions of one. Out: a `Comparison`. Rows and columns are the same where their
paths are, level by level in plain form; those that are left go together where their labels are written nearly alike,
and are said to be renamed. A value changed where the two numbers, or the two texts, differ; numbers of another unit are
compared once they are converted. Fails where labels repeat and nothing but their order tells rows apart: they are
taken in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import msgspec

from tabellion.library.holdings import Details, DocumentRecord, TableRecord
from tabellion.library.joins.likeness import likeness
from tabellion.library.joins.sketch import plain_label
from tabellion.library.library import Library
from tabellion.library.originals import open_segments
from tabellion.library.records import documents_by_id, table_called
from tabellion.library.series.editions import bare_label
from tabellion.values.convert import convert
from tabellion.values.periods import read_period

NEARLY = 0.75  # share of the letters of two paths that are the same where one was renamed to the other
_TRIED = 40_000  # pairs of paths that are compared letter by letter
_EXACT = 1e-9  # relative difference of two numbers that are the same
Path = tuple[str, ...]


class Side(msgspec.Struct, frozen=True):
    """One of the two tables."""

    table: str
    name: str
    document: str
    source: str
    sha256: str
    title: str | None
    rows: int
    columns: int


class Change(msgspec.Struct, frozen=True):
    """A value that is another in the second table."""

    left: list[str]
    top: list[str]
    address: str | None
    text: str
    value: float | None
    other_address: str | None
    other_text: str
    other_value: float | None
    difference: float | None  # of the second from the first, in the first's unit
    share: float | None  # the difference as a share of the first


class Lines(msgspec.Struct, frozen=True):
    """What became of the rows, or of the columns: paths of labels."""

    same: int
    renamed: list[tuple[list[str], list[str]]]
    only_first: list[list[str]]
    only_second: list[list[str]]


class Facet(msgspec.Struct, frozen=True):
    """One thing of the structure that differs."""

    what: str
    first: str | None
    second: str | None


class Comparison(msgspec.Struct, frozen=True):
    """What changed between two tables."""

    first: Side
    second: Side
    rows: Lines
    columns: Lines
    structure: list[Facet]
    compared: int  # values that stand in both
    unchanged: int
    changed: list[Change]


class Matched(msgspec.Struct, frozen=True):
    """Lines of two tables that are the same, by their numbers, with those of them that were renamed."""

    pairs: dict[int, int]
    renamed: list[tuple[int, int]]


def compare_tables(library: Library, first: str, second: str) -> Comparison:
    """What changed from the first table to the second."""
    with library.catalogue.reading() as connection:
        tables = [table_called(connection, name) for name in (first, second)]
        held = documents_by_id(connection, {table.document_id for table in tables})
    documents = [held[table.document_id] for table in tables]
    values = [_values(library, table, document) for table, document in zip(tables, documents, strict=True)]
    rows = [_lines(one, "row", "left") for one in values]
    columns = [_lines(one, "column", "top") for one in values]
    same_rows, same_columns = (
        match_lines(list(one.items()), list(other.items())) for one, other in (rows, _by_distance(columns))
    )
    moved = [(a, b) for a, b in same_columns.pairs.items() if _times(columns[0][a]) != _times(columns[1][b])]
    same_columns = Matched(same_columns.pairs, sorted({*same_columns.renamed, *moved}))
    compared, changed = _changes(values, same_rows.pairs, same_columns.pairs)
    return Comparison(
        first=_side(tables[0], documents[0]),
        second=_side(tables[1], documents[1]),
        rows=_told(rows, same_rows),
        columns=_told(columns, same_columns),
        structure=_structure(tables, [table.unpack() for table in tables]),
        compared=compared,
        unchanged=compared - len(changed),
        changed=changed,
    )


def match_lines(one: Sequence[tuple[int, Path]], other: Sequence[tuple[int, Path]]) -> Matched:
    """Which lines are the same: by whole path, by the nearest label where it is alone, then by nearly the same letters.

    >>> match_lines([(1, ("A", "Men")), (2, ("A", "Women"))], [(5, ("A", "men")), (6, ("A", "Womens"))])
    Matched(pairs={1: 5, 2: 6}, renamed=[(2, 6)])
    """
    pairs: dict[int, int] = {}
    renamed: list[tuple[int, int]] = []
    ways: tuple[Callable[[Path], Path], ...] = (_plain, _bare, lambda path: _plain(path[-1:]))
    for way in ways:
        mine, theirs = (_by_path(_left(lines, taken), way) for lines, taken in _sides(one, other, pairs))
        for path in mine:
            if path in theirs and (way is _plain or (any(path) and len(mine[path]) == len(theirs[path]) == 1)):
                pairs.update(zip(mine[path], theirs[path], strict=False))
    (mine_left, theirs_left) = (_left(lines, taken) for lines, taken in _sides(one, other, pairs))
    if len(mine_left) * len(theirs_left) <= _TRIED:
        tried = [
            (_alike(path, their_path), line, their_line)
            for line, path in mine_left
            for their_line, their_path in theirs_left
        ]
        for score, line, their_line in sorted(tried, key=lambda found: (-found[0], found[1], found[2])):
            if score >= NEARLY and line not in pairs and their_line not in pairs.values():
                pairs[line] = their_line
                renamed.append((line, their_line))
    return Matched(pairs, sorted(renamed))


def _sides(
    one: Sequence[tuple[int, Path]], other: Sequence[tuple[int, Path]], pairs: dict[int, int]
) -> tuple[tuple[Sequence[tuple[int, Path]], set[int]], tuple[Sequence[tuple[int, Path]], set[int]]]:
    return (one, set(pairs)), (other, set(pairs.values()))


def _left(lines: Sequence[tuple[int, Path]], taken: set[int]) -> list[tuple[int, Path]]:
    return [(line, path) for line, path in lines if line not in taken]


def _by_path(lines: Sequence[tuple[int, Path]], way: Callable[[Path], Path]) -> dict[Path, list[int]]:
    found: dict[Path, list[int]] = {}
    for line, path in lines:
        found.setdefault(way(path), []).append(line)
    return found


def _plain(path: Path) -> Path:
    return tuple(map(plain_label, path))


def _bare(path: Path) -> Path:
    return tuple(map(bare_label, path))


def _alike(one: Path, other: Path) -> float:
    return likeness(*(" / ".join(map(plain_label, path)) for path in (one, other)))


def _by_distance(lines: Sequence[dict[int, Path]]) -> list[dict[int, Path]]:
    """Columns by how far they are from the last time of their table, where the two tables have no time in common."""
    times = [[time for path in one.values() for time in map(read_period, path) if time and time.end] for one in lines]
    last = [max((time.end for time in one if time.end), default=None) for one in times]
    if not all(last) or {time.code for time in times[0]} & {time.code for time in times[1]}:
        return list(lines)
    return [
        {line: tuple(_distance(label, end) if end else label for label in path) for line, path in one.items()}
        for one, end in zip(lines, last, strict=True)
    ]


def _times(path: Path) -> list[str]:
    return [time.code for time in map(read_period, path) if time]


def _distance(label: str, end: date) -> str:
    time = read_period(label)
    if time is None or time.end is None:
        return label
    return f"{(end.year - time.end.year) * 12 + end.month - time.end.month} months before"


def _values(library: Library, table: TableRecord, document: DocumentRecord) -> list[dict[str, Any]]:
    if not document.segment_id:
        return []
    import pyarrow.compute as pc

    wanted = ["row", "column", "address", "text", "value", "unit", "top", "left"]
    here = pc.field("table_id") == table.table_id
    found = open_segments(library.folder.segments, [document.segment_id]).to_table(columns=wanted, filter=here)
    rows: list[dict[str, Any]] = found.sort_by([("row", "ascending"), ("column", "ascending")]).to_pylist()
    return rows


def _lines(values: Sequence[dict[str, Any]], number: str, path: str) -> dict[int, Path]:
    """The rows, or columns, of a table with their paths."""
    return {one[number]: tuple(one[path]) for one in sorted(values, key=lambda one: int(one[number]))}


def _changes(
    values: Sequence[Sequence[dict[str, Any]]], rows: dict[int, int], columns: dict[int, int]
) -> tuple[int, list[Change]]:
    theirs = {(one["row"], one["column"]): one for one in values[1]}
    compared, changed = 0, list[Change]()
    for mine in values[0]:
        other = theirs.get((rows.get(mine["row"], -1), columns.get(mine["column"], -1)))
        if other is None:
            continue
        compared += 1
        if change := _change(mine, other):
            changed.append(change)
    return compared, changed


def _change(mine: dict[str, Any], other: dict[str, Any]) -> Change | None:
    value, other_value = mine["value"], other["value"]
    brought = other_value
    if None not in (value, other_value, mine["unit"], other["unit"]) and mine["unit"] != other["unit"]:
        converted = convert(other_value, other["unit"], mine["unit"])
        brought = converted if converted is not None else other_value
    if value is None or brought is None:
        if " ".join(mine["text"].split()) == " ".join(other["text"].split()):
            return None
        difference = None
    else:
        difference = brought - value
        if abs(difference) <= _EXACT * max(abs(value), abs(brought)):
            return None
    return Change(
        left=mine["left"],
        top=mine["top"],
        address=mine["address"],
        text=mine["text"],
        value=value,
        other_address=other["address"],
        other_text=other["text"],
        other_value=other_value,
        difference=None if difference is None else float(f"{difference:.12g}"),
        share=round(difference / abs(value), 6) if difference is not None and value else None,
    )


def _told(lines: Sequence[dict[int, Path]], matched: Matched) -> Lines:
    mine, theirs = lines
    taken = set(matched.pairs.values())
    return Lines(
        same=len(matched.pairs) - len(matched.renamed),
        renamed=[(list(mine[a]), list(theirs[b])) for a, b in matched.renamed],
        only_first=[list(path) for line, path in mine.items() if line not in matched.pairs],
        only_second=[list(path) for line, path in theirs.items() if line not in taken],
    )


def _structure(tables: Sequence[TableRecord], details: Sequence[Details]) -> list[Facet]:
    """Title, orientation, size, depth of the header trees, units: what of them differs."""
    told: list[tuple[str, list[str | None]]] = [
        ("title", [table.title or table.caption for table in tables]),
        ("orientation", [table.orientation for table in tables]),
        ("rows", [str(table.rows) for table in tables]),
        ("columns", [str(table.columns) for table in tables]),
        ("levels of row labels", [str(one.left_depth) for one in details]),
        ("levels of column labels", [str(max((len(c.path) for c in one.columns), default=0)) for one in details]),
        ("units", [", ".join(sorted({c.unit for c in one.columns if c.unit})) or None for one in details]),
        ("notes", ["; ".join(one.metadata.affiliated.footnotes) or None for one in details]),
    ]
    return [Facet(what, first, second) for what, (first, second) in told if first != second]


def _side(table: TableRecord, document: DocumentRecord) -> Side:
    return Side(
        table=table.table_id,
        name=table.name,
        document=document.document_id,
        source=document.source,
        sha256=document.sha256,
        title=table.title or table.caption,
        rows=table.rows,
        columns=table.columns,
    )
