"""The library as relations: catalogue views, all tuples, and each table twice, as laid out and tidy.

In: the names that a query may mean. Out: those relations registered with a connection of DuckDB, as Arrow data that it
scans by itself, so that it never needs to open a file. A relation that no query names costs nothing.

Names that complete what a person has begun to type at a SQL prompt. In: the beginning of a name and the question so
far. Out: relations that begin so, and columns of the relations that the question names.

Functions that SQL can ask of labels and numbers, made known to a connection where a query names them:

| function | gives |
| --- | --- |
| `period(label)` | the time that a label names, in ISO 8601: `2009-Q1` |
| `period_start(label)`, `period_end(label)` | its first and its last day |
| `place_code(label)`, `place_code(label, 'state')` | the ISO 3166 code of a place, where it is certain |
| `in_unit(value, unit, 'kg')` | a number in another unit |

Each gives NULL where there is no answer; a unit that is none is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import FunctionNullHandling, PythonUDFType
from sqlalchemy import Connection, select

from tabellion.export.columns import SPREAD
from tabellion.library.catalogue import Catalogue, documents, tables
from tabellion.library.files import Folder
from tabellion.library.holdings import ColumnFacts, Details, TableRecord, unpack_details
from tabellion.library.naming import is_plain_name, once_each
from tabellion.library.originals import open_segments
from tabellion.library.reading import SCHEMA
from tabellion.library.records import documents_by_id, list_segments, tables_by_name
from tabellion.values.convert import check_unit, converter
from tabellion.values.periods import place_code, read_period

if TYPE_CHECKING:
    from tabellion.library.library import Library


_PLACE_MACRO = (
    "CREATE OR REPLACE MACRO place_code(label) AS _place_code(label, ''), (label, kind) AS _place_code(label, kind)"
)


def register_functions(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    """Make the functions of these names known to a connection; other names are passed over."""
    wanted = set(names)

    def define(name: str, work: Callable[..., pa.Array], taken: list[Any], given: str) -> None:
        connection.create_function(
            name, work, taken, given, type=PythonUDFType.ARROW, null_handling=FunctionNullHandling.SPECIAL
        )

    for name, (work, kind) in _OF_A_LABEL.items():
        if name in wanted:
            define(name, _by_label(work, kind), ["VARCHAR"], _SQL[kind])
    if "place_code" in wanted:
        define("_place_code", _place_codes, ["VARCHAR", "VARCHAR"], "VARCHAR")
        connection.execute(_PLACE_MACRO)
    if "in_unit" in wanted:
        define("in_unit", _in_unit, ["DOUBLE", "VARCHAR", "VARCHAR"], "DOUBLE")


def _period(label: str) -> Any:
    found = read_period(label)
    return found.code if found else None


def _start(label: str) -> Any:
    found = read_period(label)
    return found.start if found else None


def _end(label: str) -> Any:
    found = read_period(label)
    return found.end if found else None


_OF_A_LABEL: dict[str, tuple[Callable[[str], Any], pa.DataType]] = {
    "period": (_period, pa.string()),
    "period_start": (_start, pa.date32()),
    "period_end": (_end, pa.date32()),
}
_SQL = {pa.string(): "VARCHAR", pa.date32(): "DATE"}


def _by_label(work: Callable[[str], Any], kind: pa.DataType) -> Callable[[pa.ChunkedArray], pa.Array]:
    """A function of labels that is asked once for each of them, however often it comes."""

    def ask(labels: pa.ChunkedArray) -> pa.Array:
        told = labels.combine_chunks().dictionary_encode()
        answers = pa.array([work(label) if label is not None else None for label in told.dictionary.to_pylist()], kind)
        return pc.take(answers, told.indices)

    return ask


def _place_codes(labels: pa.ChunkedArray, kinds: pa.ChunkedArray) -> pa.Array:
    pairs = zip(labels.to_pylist(), kinds.to_pylist(), strict=True)
    return pa.array(
        [place_code(label, kind or None) if label is not None else None for label, kind in pairs], pa.string()
    )


def _in_unit(values: pa.ChunkedArray, units: pa.ChunkedArray, wanted: pa.ChunkedArray) -> pa.Array:
    """Numbers in other units; each pair of units is looked up once."""
    numbers = values.to_pylist()
    one, other = units.combine_chunks().dictionary_encode(), wanted.combine_chunks().dictionary_encode()
    for name in other.dictionary.to_pylist():
        check_unit(name or "")
    ways = [
        [
            converter(unit, name) if unit is not None and name is not None else None
            for name in other.dictionary.to_pylist()
        ]
        for unit in one.dictionary.to_pylist()
    ]
    places = zip(numbers, one.indices.to_pylist(), other.indices.to_pylist(), strict=True)
    found = [way(value) if None not in (value, a, b) and (way := ways[a][b]) else None for value, a, b in places]
    return pa.array(found, pa.float64())


KEYWORDS = (
    "select", "from", "where", "group", "order", "by", "having", "limit", "join", "left", "using", "on", "as", "and",
    "or", "not", "in", "between", "like", "is", "null", "distinct", "count", "sum", "avg", "min", "max", "case",
    "when", "then", "else", "end", "with", "union", "all",
)  # fmt: skip
_MOST = 50  # names offered
_OWN_NAMES = {
    "documents": ("document_id", "source", "medium", "sha256", "title", "added"),
    "tables": ("table_id", "document_id", "name", "sheet", "page", "title", "caption", "orientation", "rows",
               "columns", "genuine", "confidence"),
    "columns": ("table_id", "document_id", "position", "name", "path", "role", "type", "unit"),
    "tuples": tuple(field.name for field in SCHEMA if field.name != "left_columns"),
}  # fmt: skip


def complete_name(library: Library, begun: str, question: str) -> list[str]:
    """Names that begin so: columns of what the question names first, then relations."""
    named = named_in(question)
    columns = [column for view in VIEWS if view in named for column in _OWN_NAMES[view]]
    with library.catalogue.reading() as connection:
        meant = {name.removesuffix(TIDY) for name in named}
        for table in tables_by_name(connection, sorted(meant)).values():
            details = table.unpack()
            columns += [column.name for column in (*details.stub, *details.columns)]
        like = tables.c.name.startswith(begun, autoescape=True)
        relations = connection.execute(select(tables.c.name).where(like).order_by(tables.c.name).limit(_MOST)).scalars()
        found = [*columns, *VIEWS, *relations]
    names = dict.fromkeys(name for name in found if name.startswith(begun))
    return [name if is_plain_name(name) else quoted(name) for name in names][:_MOST]


TIDY = "_tidy"  # the ending of a table's tidy relation
ROW = '"row" AS "_row"'  # under a name that no column of a table has
VIEWS = ("documents", "tables", "columns", "tuples")
SHOWN = tuple(field.name for field in SCHEMA if field.name != "left_columns")  # columns of `tuples`
_OWN = (
    "value",
    "text",
    "unit",
    "note",
    "address",
    "row",
    "column",
    "confidence",
    "sheet",
    "page",
    "box",
    "path",
    *SPREAD,
)  # columns of a tidy relation
_LITERAL = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r'"((?:[^"]|"")+)"|([^\W\d]\w*)')


def named_in(sql: str) -> set[str]:
    r"""Every name in a query, whatever it stands for, in lower case.

    >>> sorted(named_in("select 'not this' from \"My table\" -- nor this"))
    ['from', 'my table', 'select']
    """
    found = _NAME.findall(_LITERAL.sub(" ", sql))
    return {(quoted.replace('""', '"') or plain).lower() for quoted, plain in found}


def register_relations(
    connection: duckdb.DuckDBPyConnection, folder: Folder, catalogue: Catalogue, names: Iterable[str]
) -> None:
    """Make the relations of these names known to a connection; unknown names are passed over."""
    wanted = set(names)
    register_functions(connection, wanted)
    with catalogue.reading() as held:
        if "documents" in wanted:
            connection.register("documents", document_rows(held))
        if "tables" in wanted:
            connection.register("tables", table_rows(held))
        if "columns" in wanted:
            connection.register("columns", column_rows(held))
        if "tuples" in wanted:
            _register_tuples(connection, folder, held)
        meant = wanted | {name.removesuffix(TIDY) for name in wanted if name.endswith(TIDY)}
        found = tables_by_name(held, sorted(meant - set(VIEWS)))
        segments = _segments_of(held, found.values())
    for name, table in found.items():
        details = table.unpack()
        source = _register_table(connection, folder, table, segments.get(table.document_id))
        if name in wanted:
            connection.execute(f"CREATE VIEW {quoted(name)} AS {laid_out_query(source, details)}")
        if name + TIDY in wanted and name + TIDY not in found:
            connection.execute(f"CREATE VIEW {quoted(name + TIDY)} AS {tidy_query(source, details)}")


def laid_out_query(source: str, details: Details, *, numbered: bool = False) -> str:
    """A table as it is laid out: one row for each of its rows, the levels of its stub first, then its columns.

    Where a row holds but one tuple it is that; else the tuples of a row are brought together. `numbered`: the number of
    the row in its source comes first, as `_row`.
    """
    labels = stub_labels(details)
    if details.rows_are_tuples:
        (column,) = details.columns
        shown = [ROW] if numbered else []
        shown += [f"{label} AS {quoted(name)}" for name, label in labels.items()]
        shown.append(f'"{"value" if column.number else "text"}" AS {quoted(column.name)}')
        return f"SELECT {', '.join(shown)} FROM {source}"
    gathered = [f"any_value({label}) AS {quoted(name)}" for name, label in labels.items()]
    gathered += [
        f'any_value("{"value" if column.number else "text"}") FILTER (WHERE "column" = {column.column}) '
        f"AS {quoted(column.name)}"
        for column in details.columns
    ]
    names = [quoted(column.name) for column in (*details.stub, *details.columns)]
    names = ['"_row"', *names] if numbered or not names else names
    inner = f'SELECT {", ".join([ROW, *gathered])} FROM {source} GROUP BY "row"'
    return f'SELECT {", ".join(names)} FROM ({inner}) ORDER BY "_row"'


def tidy_query(source: str, details: Details) -> str:
    """A table with one row for each value: the levels of its paths, then the value and what is known of it."""
    left, top = tidy_names(details)
    labels = list(stub_labels(details).values()) if _by_levels(details) else _numbered("left", len(left))
    pairs = zip((*left, *top), (*labels, *_numbered("top", len(top))), strict=True)
    paths = [f"{label} AS {quoted(name)}" for name, label in pairs]
    note = "nullif(array_to_string(notes, '; '), '') AS note"
    rest = ['"value"', '"text"', "unit", note, "address", '"row"', '"column"', "confidence"]
    rest += ["sheet", "page", "box", '"path"', *(f'"{name}"' for name in SPREAD)]
    return f"SELECT {', '.join([*paths, *rest])} FROM {source}"


def tidy_names(details: Details) -> tuple[list[str], list[str]]:
    """The names of the levels of left and top paths in a tidy relation."""
    left = [column.name for column in details.stub]
    if not _by_levels(details):
        left = [f"left_{level}" for level in range(1, details.left_depth + 1)]
    top = [f"top_{level + 1}" for level in range(max((len(column.path) for column in details.columns), default=0))]
    names = once_each([*_OWN, *left, *top])[len(_OWN) :]
    return names[: len(left)], names[len(left) :]


def quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def stub_labels(details: Details) -> dict[str, str]:
    """What each column of the stub holds, in SQL over tuples."""
    alone = len({column.column for column in details.stub}) == 1
    return {column.name: _label_in(column, alone=alone) for column in details.stub}


def _by_levels(details: Details) -> bool:
    """Whether the stub is known by levels, as in all but libraries of older form."""
    return all(column.level for column in details.stub)


def _numbered(side: str, count: int) -> list[str]:
    return [f'"{side}"[{level}]' for level in range(1, count + 1)]


def _label_in(column: ColumnFacts, *, alone: bool) -> str:
    """The label of one level; `alone`: all labels stand in this column of the source."""
    if alone:
        return f'"left"[{column.level or -1}]'
    here = f"{column.column}::INTEGER"
    if column.level == 0:
        return f'"left"[len(left_columns) + 1 - list_position(list_reverse(left_columns), {here})]'
    if column.level == 1:
        return f'"left"[list_position(left_columns, {here})]'
    return f'list_where("left", list_transform(left_columns, lambda x: x = {here}))[{column.level}]'


def _register_table(
    connection: duckdb.DuckDBPyConnection, folder: Folder, table: TableRecord, segment_id: str | None
) -> str:
    """The tuples of one table as a relation to select from."""
    if not segment_id:
        connection.register("_no_tuples", SCHEMA.empty_table())
        return "_no_tuples"
    connection.register(f"_segment_{segment_id}", open_segments(folder.segments, [segment_id]))
    return f"(SELECT * FROM \"_segment_{segment_id}\" WHERE table_id = '{table.table_id}')"


def _register_tuples(connection: duckdb.DuckDBPyConnection, folder: Folder, held: Connection) -> None:
    """All visible tuples: whole segments, and of those with dead rows the documents that are still there."""
    listed = list_segments(held)
    parts = []
    whole = [segment.segment_id for segment in listed if not segment.dead]
    if whole:
        connection.register("_whole", open_segments(folder.segments, whole))
        parts.append("_whole")
    partly = [segment.segment_id for segment in listed if 0 < segment.dead < segment.rows]
    for segment_id in partly:
        here = documents.c.segment_id == segment_id
        alive = held.execute(select(documents.c.document_id).where(here)).scalars().all()
        connection.register(f"_segment_{segment_id}", open_segments(folder.segments, [segment_id]))
        among = ", ".join(f"'{one}'" for one in alive)
        parts.append(f'(SELECT * FROM "_segment_{segment_id}" WHERE document_id IN ({among}))')
    if not parts:
        connection.register("_whole", SCHEMA.empty_table())
        parts.append("_whole")
    union = " UNION ALL ".join(f"SELECT {', '.join(map(quoted, SHOWN))} FROM {part}" for part in parts)
    connection.execute(f"CREATE VIEW tuples AS {union}")


def _segments_of(held: Connection, found: Iterable[TableRecord]) -> dict[str, str | None]:
    records = documents_by_id(held, {table.document_id for table in found})
    return {one.document_id: one.segment_id for one in records.values()}


def document_rows(held: Connection, only: str | None = None) -> pa.Table:
    """The rows of `documents`; `only` of one document."""
    names = ("document_id", "source", "medium", "sha256", "title", "added")
    wanted = select(*(documents.c[name] for name in names)).order_by(documents.c.address)
    rows = held.execute(wanted.where(documents.c.document_id == only) if only else wanted).all()
    schema = pa.schema([(name, pa.timestamp("ms") if name == "added" else pa.string()) for name in names])
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]
    columns[-1] = [datetime.fromisoformat(added).replace(tzinfo=None) for added in columns[-1]]
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def table_rows(held: Connection, only: str | None = None) -> pa.Table:
    """The rows of `tables`; `only` of one document."""
    types = {"page": pa.int32(), "rows": pa.int32(), "columns": pa.int32(), "genuine": pa.float64()}
    types["confidence"] = pa.float64()
    names = (
        "table_id", "document_id", "name", "sheet", "page", "title", "caption", "orientation", "rows", "columns",
        "genuine", "confidence",
    )  # fmt: skip
    ordered = select(*(tables.c[name] for name in names)).order_by(tables.c.document_id, tables.c.number)
    rows = held.execute(ordered.where(tables.c.document_id == only) if only else ordered).all()
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    arrays = [pa.array(c, types.get(name, pa.string())) for name, c in zip(names, columns, strict=True)]
    return pa.table(arrays, names=list(names))


def column_rows(held: Connection, only: str | None = None) -> pa.Table:
    """The rows of `columns`; `only` of one document."""
    rows: list[dict[str, Any]] = []
    wanted = select(tables.c.table_id, tables.c.document_id, tables.c.details)
    wanted = wanted.where(tables.c.document_id == only) if only else wanted
    for table_id, document_id, packed in held.execute(wanted.order_by(tables.c.document_id, tables.c.number)):
        details = unpack_details(packed)
        for position, column in enumerate((*details.stub, *details.columns)):
            rows.append(
                {
                    "table_id": table_id,
                    "document_id": document_id,
                    "position": position,
                    "name": column.name,
                    "path": list(column.path),
                    "role": "stub" if position < len(details.stub) else "value",
                    "type": "number" if column.number else "text",
                    "unit": column.unit,
                    "kind": column.kind,
                }
            )
    texts = ("table_id", "document_id", "name", "role", "type", "unit", "kind")
    kinds = {**dict.fromkeys(texts, pa.string()), "position": pa.int32(), "path": pa.list_(pa.string())}
    order = ("table_id", "document_id", "position", "name", "path", "role", "type", "unit", "kind")
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, kinds[name]) for name in order]))
