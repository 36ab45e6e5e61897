"""What the tables of an export mean, for the programs that show and transform them: dbt and Datasette.

In: a database that was written here. Out: a text, `sources` for dbt as YAML or metadata for Datasette as JSON, with the
title and source of each table and the labels and unit of each column.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

import msgspec
from sqlalchemy.engine import make_url

from tabellion.errors import LibraryError
from tabellion.library.databases import DatabaseKind
from tabellion.library.databases.engines import open_database
from tabellion.library.databases.export import EXPORTS, MEANINGS
from tabellion.library.databases.target import Database

Reader = Literal["dbt", "datasette"]
READERS: dict[str, Reader] = {".yml": "dbt", ".yaml": "dbt", ".json": "datasette"}
_UNIQUE = {"documents": "document_id", "tables": "table_id"}


class _Described(msgspec.Struct):
    """A table: its title, where it is from, and what each of its columns means."""

    title: str | None
    source: str | None
    columns: dict[str, str]


def write_description(url: str, path: Path, kind: DatabaseKind | None = None) -> None:
    """Describe a database to the program that the ending of the file names."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise LibraryError(f"{path}: name a file that ends in .yml (for dbt) or .json (for Datasette)")
    path.write_text(describe_database(url, reader, kind), encoding="utf-8")


def describe_database(url: str, reader: Reader, kind: DatabaseKind | None = None) -> str:
    """What a database holds, in the words of the program that reads it."""
    database = open_database(url, kind, create=False)
    try:
        with database.speaking_plainly():
            found = _describe(database)
            schema = _schema_of(database)
    finally:
        database.close()
    return _for_dbt(schema, found) if reader == "dbt" else _for_datasette(_stem(url), found)


def _describe(database: Database) -> dict[str, _Described]:
    found = {name: _Described(MEANINGS[name], None, {}) for name in ("documents", "tables", "columns", "tuples")}
    for place, meaning in MEANINGS.items():
        table, _, column = place.partition(".")
        if column and table in found:
            found[table].columns[column] = meaning
    held = database.execute(
        "SELECT t.table_id, t.name, coalesce(t.title, t.caption), d.source FROM tables t "
        "JOIN documents d ON d.document_id = t.document_id WHERE t.name IS NOT NULL ORDER BY t.name"
    )
    names = {table_id: str(name) for table_id, name, _, _ in held}
    for _, name, title, source in held:
        found[str(name)] = _Described(title, str(source), {"_row": "row in the document, from 0"})
    for table_id, name, path, unit in database.execute(
        "SELECT table_id, name, path, unit FROM columns ORDER BY table_id, position"
    ):
        if table_id in names:
            labels = json.loads(path) if isinstance(path, str) else path
            found[names[table_id]].columns[str(name)] = " | ".join(labels or []) + (f" [{unit}]" if unit else "")
    return found


def _schema_of(database: Database) -> str:
    if database.kind != "postgresql":
        return "main"
    ((schema,),) = database.execute("SELECT current_schema()::text")
    return str(schema)


def _stem(url: str) -> str:
    """What Datasette calls a database: its file without the ending."""
    return Path(make_url(url).database or url if "://" in url else url).stem


def _for_datasette(name: str, found: dict[str, _Described]) -> str:
    tables: dict[str, Any] = {EXPORTS: {"hidden": True}}
    for table, one in found.items():
        said: dict[str, Any] = {"title": one.title} if one.source and one.title else {"description": one.title}
        if one.source:
            said["source"] = one.source
            if "://" in one.source:
                said["source_url"] = one.source
        columns = {column: meaning for column, meaning in one.columns.items() if meaning}
        tables[table] = {key: value for key, value in said.items() if value} | {"columns": columns}
    tables["documents"]["label_column"] = "source"
    tables["tables"]["label_column"] = "name"
    return json.dumps({"databases": {name: {"tables": tables}}}, ensure_ascii=False, indent=2) + "\n"


def _for_dbt(name: str, found: dict[str, _Described]) -> str:
    """YAML whose texts are written as JSON writes them, which YAML reads alike."""
    lines = ["version: 2", "sources:", "  - name: tabellion", f"    schema: {_yaml(name)}", "    tables:"]
    for table, one in found.items():
        lines += [f"      - name: {_yaml(table)}"]
        said = "; from ".join(filter(None, (one.title, one.source)))
        lines += [f"        description: {_yaml(said)}"] if said else []
        lines += ["        columns:"]
        unique = _UNIQUE.get(table, "_row" if one.source else None)
        columns = {unique: "", **one.columns} if unique and unique not in one.columns else one.columns
        for column, meaning in columns.items():
            lines += [f"          - name: {_yaml(str(column))}", "            quote: true"]
            lines += [f"            description: {_yaml(meaning)}"] if meaning else []
            lines += ["            data_tests: [unique, not_null]"] if column == unique else []
    return "\n".join(lines) + "\n"


def _yaml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
