"""A library written to another database, and only what changed since it was last written there.

In: a library and a database. Out: in that database the tables `documents`, `tables`, `columns` and `tuples`, and each
table of the library under its name as it is laid out, by `_row`, the number of the row in its source. A document is
replaced in one transaction; `tabellion_exports` says which edition of each is there, and from which library. What
others have there stays as it is: a name that is in use gets a part of the document's id after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.databases import DatabaseKind
from tabellion.library.databases.engines import open_database
from tabellion.library.databases.target import EXPORTS, MEANINGS, Column, Database, Shape, literal
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.library import Library
from tabellion.library.originals import open_segments
from tabellion.library.query import QueryLimits, open_closed
from tabellion.library.reading import SCHEMA
from tabellion.library.records import list_documents, tables_of
from tabellion.library.relations import SHOWN, column_rows, document_rows, laid_out_query, quoted, table_rows
from tabellion.library.stored_tables import named_documents
from tabellion.settings import Settings

_EXPORTED = pa.schema([("document_id", pa.string()), ("edition", pa.string()), ("library", pa.string())])
_TUPLES = pa.schema([SCHEMA.field(name) for name in SHOWN])
_NUMBER, _TEXT = 8, 18  # bytes that a value takes in its row, at most
_KEYS: dict[str, tuple[str, ...]] = {
    "documents": ("document_id",),
    "tables": ("table_id",),
    "columns": ("table_id", "position"),
    "tuples": ("table_id", "row", "column"),
    EXPORTS: ("document_id",),
}
_REFERENCES: dict[str, tuple[tuple[str, str], ...]] = {
    "tables": (("document_id", "documents"),),
    "columns": (("table_id", "tables"), ("document_id", "documents")),
    "tuples": (("table_id", "tables"), ("document_id", "documents")),
}


class DatabaseReport(msgspec.Struct):
    """What an export did; `passed_over`: relations that the database cannot hold, whose values are in `tuples`."""

    database: str
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    tables: int = 0
    tuples: int = 0
    passed_over: list[str] = []

    def summary(self) -> str:
        """What was done, in one line."""
        counts = {"written": self.written, "unchanged": self.unchanged, "removed": self.removed}
        said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing to write"
        return f"{said}: {self.tables:,} tables, {self.tuples:,} values in {self.database}"


def export_library(
    library: Library,
    url: str,
    kind: DatabaseKind | None = None,
    *,
    names: Sequence[str] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> DatabaseReport:
    """Write the library, or the tables and documents of these names, to a database; `tell` hears of each document.

    Of the whole library, documents that are no longer in it are taken out of the database too.
    """
    wanted: Wanted = {}
    if names:
        wanted = {one.document_id: (one, chosen) for one, chosen in named_documents(library, names)}
    else:
        with library.catalogue.reading() as connection:
            wanted = {one.document_id: (one, None) for one in list_documents(connection)}
    database = open_database(url, kind)
    try:
        return _Export(library, database).run(wanted, whole=not names, tell=tell)
    finally:
        database.close()


def export_documents(
    sources: Iterable[str],
    url: str,
    kind: DatabaseKind | None = None,
    *,
    settings: Settings = Settings(),
    tell: Callable[[str], None] = lambda _: None,
    failed: Callable[[str, Exception], None] | None = None,
) -> DatabaseReport:
    """Read documents that are in no library, in a worker under their limits, and write them to a database.

    `failed` hears of what cannot be read.
    """
    database = open_database(url, kind)
    try:
        with TemporaryDirectory() as folder, open_library(folder, create=True, isolated=True) as library:
            with library.writing_documents(settings=settings) as writer:
                for source in sources:
                    try:
                        writer.write(library.read(source, settings, (), None))
                    except Exception as error:
                        if failed is None:
                            raise
                        failed(source, error)
            with library.catalogue.reading() as connection:
                wanted: Wanted = {one.document_id: (one, None) for one in list_documents(connection)}
            return _Export(library, database, read_by=version("tabellion")).run(wanted, whole=False, tell=tell)
    finally:
        database.close()


def read_tuples(url: str, kind: DatabaseKind | None = None) -> pa.Table:
    """All tuples of a database that was written here, as the library's own `tuples` gives them, in order."""
    database = open_database(url, kind, create=False)
    try:
        with database.speaking_plainly():
            shown = ", ".join(map(quoted, SHOWN))
            return database.read(f'SELECT {shown} FROM tuples ORDER BY table_id, "row", "column"', _TUPLES)  # noqa: S608
    finally:
        database.close()


Wanted = dict[str, tuple[DocumentRecord, set[str] | None]]


class _Export:
    """One library on its way to one database."""

    def __init__(self, library: Library, database: Database, read_by: str = "") -> None:
        """`read_by`: the version that read documents which are in no library, and so have no editions."""
        self.library, self.database, self.read_by = library, database, read_by
        self.origin = "" if read_by else library.catalogue.name
        self.layout = open_closed(QueryLimits(threads=1))  # where tables are laid out
        self.report = DatabaseReport(database.name, passed_over=[])

    def run(self, wanted: Wanted, *, whole: bool, tell: Callable[[str], None]) -> DatabaseReport:
        database, report = self.database, self.report
        with database.transaction():
            known = self._prepare()
        editions = {one: self._edition(record, chosen) for one, (record, chosen) in wanted.items()}
        for document_id, (edition, origin) in known.items():
            if whole and document_id not in wanted and origin == self.origin:
                with database.transaction():
                    self._remove(document_id, keep=())
                report.removed += 1
            report.unchanged += edition == editions.get(document_id)
        for document_id, (record, chosen) in wanted.items():
            if known.get(document_id, ("", ""))[0] != editions[document_id]:
                with database.transaction():
                    self._replace(record, chosen, editions[document_id])
                report.written += 1
                tell(record.source)
        ((report.tables,),) = database.execute("SELECT count(*) FROM tables")
        ((report.tuples,),) = database.execute("SELECT count(*) FROM tuples")
        return report

    def _prepare(self) -> dict[str, tuple[str, str]]:
        """The tables that every export has, made or brought up to date; returns the editions that are there."""
        database = self.database
        there = database.names()
        ours = EXPORTS in there
        grown = False
        for name, schema in _schemas(self.library).items():
            shape = _shape(name, schema)
            if name not in there:
                database.create(shape)
                continue
            if not ours:
                raise LibraryError(
                    f"{database.name}: there is a table {name} that tabellion did not write; name another database, or "
                    "another schema of PostgreSQL with ?schema=NAME"
                )
            have = {column for column, _ in database.columns_of(name)}
            for column in shape.columns:
                if column.name not in have:
                    grown = True
                    kind = database.sql_type(column.type)
                    database.execute(f"ALTER TABLE {quoted(name)} ADD COLUMN {quoted(column.name)} {kind}")
        rows = database.execute(f"SELECT document_id, edition, library FROM {EXPORTS}")  # noqa: S608 - a known name
        return {one: ("" if grown else edition, origin) for one, edition, origin in rows}

    def _replace(self, record: DocumentRecord, chosen: set[str] | None, edition: str) -> None:
        """One document as it is now, instead of what there was of it."""
        document_id, database = record.document_id, self.database
        with self.library.catalogue.reading() as connection:
            held = [one for one in tables_of(connection, [document_id]) if chosen is None or one.table_id in chosen]
            rows = {
                "documents": document_rows(connection, document_id),
                "tables": table_rows(connection, document_id),
                "columns": column_rows(connection, document_id),
            }
        rows["tuples"] = self._tuples(record)
        if chosen is not None:
            wanted = pa.array(sorted(chosen), pa.string())
            for name in ("tables", "columns", "tuples"):
                rows[name] = rows[name].filter(pc.is_in(rows[name]["table_id"], wanted))
        relations = [self._relation(one, record) for one in held]
        before = self._relations_of(document_id)
        named = self._name(held, before)
        self._remove(document_id, keep=named.values())
        rows["tables"] = _with(rows["tables"], "name", [named[one.table_id] for one in held])
        rows["tables"] = _with(rows["tables"], "labels", [_labels(one) for one in held])
        rows["columns"] = _with(
            rows["columns"], "name", [column.name for shape in relations for column in shape.columns[1:]]
        )
        database.insert("documents", rows["documents"])
        database.insert("tables", rows["tables"])
        database.insert("columns", rows["columns"])
        database.insert("tuples", rows["tuples"].select(SHOWN))
        self._write_relations(held, relations, named, rows["tuples"], set(before.values()))
        done = pa.table([[document_id], [edition], [self.origin]], schema=_EXPORTED)
        database.insert(EXPORTS, done)

    def _edition(self, record: DocumentRecord, chosen: set[str] | None) -> str:
        """What tells one state of a document from another."""
        state = self.read_by or f"{record.version}.{record.sequence}"
        return " ".join([record.sha256, state, *sorted(chosen or ())])

    def _tuples(self, record: DocumentRecord) -> pa.Table:
        if not record.segment_id:
            return SCHEMA.empty_table()
        here = pc.field("document_id") == record.document_id
        return open_segments(self.library.folder.segments, [record.segment_id]).to_table(filter=here)

    def _write_relations(
        self,
        held: Sequence[TableRecord],
        relations: Sequence[Shape],
        named: dict[str, str],
        tuples: pa.Table,
        before: set[str],
    ) -> None:
        """Each table as it is laid out; one that has the same columns as before stays, with what refers to it."""
        self.layout.register("_tuples", tuples)
        for table, shape in zip(held, relations, strict=True):
            name = named[table.table_id]
            if not name:
                self.report.passed_over.append(
                    f"{table.name}: {len(shape.columns) - 1:,} columns are more than {self.database.kind} holds; "
                    "its values are in tuples"
                )
                continue
            self.database.empty(msgspec.structs.replace(shape, name=name), there=name in before)
            laid = _laid_out(self.layout, table)
            self.database.insert(name, laid.rename_columns([column.name for column in shape.columns]))
        self.layout.unregister("_tuples")

    def _relation(self, table: TableRecord, record: DocumentRecord) -> Shape:
        """The shape of a table as it is laid out; its columns are named within what the database takes."""
        details = table.unpack()
        facts = (*details.stub, *details.columns)
        names = fit_names(["_row", *(one.name for one in facts)], self.database.longest)
        columns = [Column("_row", pa.int64(), "row in the document, from 0")]
        for one, name in zip(facts, names[1:], strict=True):
            said = " | ".join(one.path) + (f" [{one.unit}]" if one.unit else "")
            columns.append(Column(name, pa.float64() if one.number else pa.string(), said))
        title = table.title or table.caption
        where = ", ".join(filter(None, (table.sheet, f"page {table.page}" if table.page else None)))
        said = f"{title}; from {record.source}" if title else f"from {record.source}"
        return Shape("", tuple(columns), ("_row",), comment=said + (f", {where}" if where else ""))

    def _name(self, held: Sequence[TableRecord], before: dict[str, str]) -> dict[str, str]:
        """A name for each table that nothing else has there; empty where the database cannot hold it."""
        in_use = self.database.names() - set(before.values())
        found: dict[str, str] = {}
        for table in held:
            details = table.unpack()
            facts = (*details.stub, *details.columns)
            if _NUMBER + sum(_NUMBER if one.number else _TEXT for one in facts) > self.database.widest:
                found[table.table_id] = ""
                continue
            choices = [table.name, f"{table.name}_{table.table_id[:6]}", f"t_{table.table_id.replace('-', '_')}"]
            choices = [before.get(table.table_id, ""), *(fit_names([one], self.database.longest)[0] for one in choices)]
            name = next(one for one in choices if one and one not in in_use)
            found[table.table_id] = name
            in_use.add(name)
        return found

    def _relations_of(self, document_id: str) -> dict[str, str]:
        """The tables of a document that are there, with the names that they stand under."""
        mine = f"SELECT table_id, name FROM tables WHERE document_id = {literal(document_id)}"  # noqa: S608 - an id
        return {table_id: name for table_id, name in self.database.execute(mine) if name}

    def _remove(self, document_id: str, keep: Iterable[str]) -> None:
        """Take a document out, with its tables but those of these names."""
        for name in set(self._relations_of(document_id).values()) - set(keep):
            self.database.execute(f"DROP TABLE IF EXISTS {quoted(name)}")
        for name in ("tuples", "columns", "tables", "documents", EXPORTS):
            self.database.execute(f"DELETE FROM {quoted(name)} WHERE document_id = {literal(document_id)}")  # noqa: S608


def fit_names(names: Sequence[str], longest: int) -> list[str]:
    """Names cut to so many bytes, each still once.

    >>> fit_names(["a_long_name_one", "a_long_name_two", "short"], 11)
    ['a_long_name', 'a_long_na_2', 'short']
    """
    found: dict[str, None] = {}
    for name in names:
        fitting, number = _cut(name, longest), 2
        while fitting in found:
            fitting, number = _cut(name, longest - len(f"_{number}")) + f"_{number}", number + 1
        found[fitting] = None
    return list(found)


def _cut(name: str, longest: int) -> str:
    return name.encode()[:longest].decode(errors="ignore")


def _laid_out(connection: duckdb.DuckDBPyConnection, table: TableRecord) -> pa.Table:
    source = f"(SELECT * FROM _tuples WHERE table_id = {literal(table.table_id)})"  # noqa: S608 - an id
    return connection.sql(laid_out_query(source, table.unpack(), numbered=True)).to_arrow_table()


def _labels(table: TableRecord) -> str:
    details = table.unpack()
    return " | ".join(dict.fromkeys((*details.header_words, *details.stub_words)))


def _with(rows: pa.Table, name: str, values: list[Any]) -> pa.Table:
    column = pa.array([value or None for value in values], pa.string())
    if name not in rows.column_names:
        return rows.append_column(name, column)
    return rows.set_column(rows.column_names.index(name), name, column)


def _schemas(library: Library) -> dict[str, pa.Schema]:
    """The columns of the tables that every export has, those that others refer to first."""
    nothing = "-"  # the id of no document
    with library.catalogue.reading() as connection:
        return {
            "documents": document_rows(connection, nothing).schema,
            "tables": table_rows(connection, nothing).schema.append(pa.field("labels", pa.string())),
            "columns": column_rows(connection, nothing).schema,
            "tuples": _TUPLES,
            EXPORTS: _EXPORTED,
        }


def _shape(name: str, schema: pa.Schema) -> Shape:
    columns = tuple(Column(one.name, one.type, MEANINGS.get(f"{name}.{one.name}", "")) for one in schema)
    return Shape(name, columns, _KEYS[name], _REFERENCES.get(name, ()), MEANINGS[name])
