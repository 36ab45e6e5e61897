"""`tabellion export`: tables of documents or of a library, published in one file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tabellion.cli.options import (
    FilesOption,
    LibraryOption,
    SafeOption,
    opened_library,
    reading_with,
)

if TYPE_CHECKING:
    from tabellion.export.forms import FormName
    from tabellion.library.databases import DatabaseKind
    from tabellion.pipeline import Extraction, Settings

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion export report.xlsx --to parquet -o report.parquet [dim]· one row per value[/dim]

[dim]$[/dim] tabellion export smoking --library store --to xml -o smoking.xml [dim]· a table of a library[/dim]

[dim]$[/dim] tabellion export --library store --to nquads -o store.nq [dim]· the whole library[/dim]

[dim]$[/dim] tabellion export --library store --to sqlite tables.db [dim]· ordinary tables of a database; only what \
changed is written[/dim]

[dim]$[/dim] tabellion export --library store --to postgresql 'postgresql://host/name?schema=raw' --describe sources.yml

[dim]$[/dim] tabellion export --to xml --schema > tables.xsd [dim]· the schema of a format[/dim]"""


class To(StrEnum):
    """The forms that tables are published in."""

    csv = "csv"
    xlsx = "xlsx"
    parquet = "parquet"
    json = "json"
    jsonl = "jsonl"
    html = "html"
    markdown = "markdown"
    xml = "xml"
    turtle = "turtle"
    nquads = "nquads"
    rdfxml = "rdfxml"
    jsonld = "jsonld"
    csvw = "csvw"
    sqlite = "sqlite"
    duckdb = "duckdb"
    postgresql = "postgresql"


NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="SOURCE|TABLE", help="Documents; with --library tables or documents of it, or nothing."),
]
ToOption = Annotated[
    To | None, typer.Option("--to", "-t", help="The format. Default: the one that the ending of FILE names, else csv.")
]
PlaceOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE|URL",
        help="Write to this file, which appears once all is written, or to this database: tables.db, "
        "tables.duckdb, postgresql://host/name. Without it a database is the last argument.",
    ),
]
DescribeOption = Annotated[
    Path | None,
    typer.Option(
        "--describe",
        metavar="FILE",
        help="With a database: also describe its tables and columns, for dbt (FILE.yml) or Datasette (FILE.json).",
    ),
]


@reading_with("sheet", "limit")
def export(
    names: NamesArgument = None,
    form: ToOption = None,
    output: PlaceOption = None,
    describe: DescribeOption = None,
    library: LibraryOption = None,
    files: FilesOption = None,
    base: Annotated[
        str, typer.Option("--base", metavar="ADDRESS", help="The start of all identifiers in RDF.")
    ] = "urn:tabellion:",
    safe_csv: SafeOption = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of the format, and stop.")] = False,
    *,
    settings: Settings,
) -> None:
    """Write tables to a file or a database: CSV, Parquet, Excel, RDF, DuckDB, PostgreSQL and others."""
    to = form or default_form(output)
    if schema:
        print_schema(to)
        return
    from tabellion.cli.extract import opened
    from tabellion.cli.messages import explained
    from tabellion.export.csv import write_csvw
    from tabellion.export.forms import write_export

    if to in (To.sqlite, To.duckdb, To.postgresql):
        export_to_database(
            list(names or []), cast("DatabaseKind", to.value), output, describe, library, files, settings
        )
        return
    if describe is not None:
        raise typer.BadParameter("only the tables of a database are described", param_hint="--describe")
    if not names and not library:
        raise typer.BadParameter("name a document, or a library with --library", param_hint="SOURCE|TABLE")
    if to is To.csvw and output is None:
        raise typer.BadParameter("csvw is a folder of files: name it with --output", param_hint="--output")
    check_base(base)
    failed: list[str] = []
    found = _gather(names or [], library, files, settings, failed)
    with explained(output or to.value, trace=False):
        if to is To.csvw and output is not None:
            write_csvw(found, Path(output), base)
        else:
            with opened(Path(output) if output else None) as file:
                write_export(cast("FormName", to.value), found, file, base, safe=safe_csv)
                file.flush()
    raise typer.Exit(1 if failed else 0)


def export_to_database(
    names: list[str],
    kind: DatabaseKind,
    place: str | None,
    describe: Path | None,
    library: str | None,
    files: str | None,
    settings: Settings,
) -> None:
    """Write a library, or documents that are in none, to a database, and say what was done."""
    from tabellion.cli.batch import explain
    from tabellion.cli.messages import complain, explained
    from tabellion.errors import SourceMissingError
    from tabellion.read.sources import expand_sources, why_nothing

    if place is None:
        if not names:
            raise typer.BadParameter(f"name the {kind} database: a file or a URL", param_hint="URL")
        place = names.pop()
    if not names and not library:
        raise typer.BadParameter("name a document, or a library with --library", param_hint="SOURCE|TABLE")
    failed: list[str] = []

    def fail(source: str, error: Exception) -> None:
        failed.append(source)
        complain(explain(source, error).note)

    with explained(place, trace=False):
        if library and not _are_elsewhere(names, library, files):
            with opened_library(library, files) as store:
                report = store.export_to(place, kind, names=names)
        else:
            from tabellion.library.databases.export import export_documents

            sources = list(expand_sources(names))
            for source in [one for one in sources if why_nothing(one)]:
                fail(source, SourceMissingError(f"{source}: {why_nothing(source)}"))
            found = [one for one in sources if one not in failed]
            report = export_documents(found, place, kind, settings=settings, failed=fail)
        if describe:
            from tabellion.library.databases.engines import write_description

            write_description(place, describe, kind)
    for note in report.passed_over:
        complain(note)
    typer.echo(report.summary(), err=True)
    raise typer.Exit(1 if failed else 0)


def _are_elsewhere(names: list[str], library: str, files: str | None) -> bool:
    """Whether the names are files that the library does not have."""
    from tabellion.errors import LibraryError
    from tabellion.library import open_library

    if not names or not all(Path(name).exists() for name in names):
        return False
    try:
        with open_library(library, files) as store:
            from tabellion.library.stored_tables import knows

            return not any(knows(store, name) for name in names)
    except LibraryError:
        return True


def default_form(output: str | None) -> To:
    """The form that the ending of a file or the beginning of a URL names, else CSV."""
    from tabellion.export.forms import form_of
    from tabellion.library.databases import database_kind

    return To((database_kind(output) or form_of(Path(output)) if output else None) or To.csv)


def check_base(base: str) -> None:
    """An address that names can begin with ends in a sign that parts it from them."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|^`\\]*[:/#]", base):
        raise typer.BadParameter(f"{base!r} is not an address that ends in :, / or #", param_hint="--base")


def print_schema(to: To) -> None:
    """The schema of a form on standard output; a form without one is a wrong call."""
    from tabellion.export.forms import schema_of

    found = schema_of(cast("FormName", to.value))
    if found is None:
        raise typer.BadParameter(f"{to.value} has no schema", param_hint="--schema")
    sys.stdout.buffer.write(found)


def _gather(
    names: list[str], library: str | None, files: str | None, settings: Settings, failed: list[str]
) -> Iterator[Extraction]:
    """What the names mean: tables and documents of the library where it has them, else files."""
    if not library:
        yield from _read(names, settings, failed)
        return
    from tabellion.errors import LibraryError
    from tabellion.library import open_library
    from tabellion.read.sources import STANDARD_INPUT, why_nothing

    elsewhere: list[str] = []
    try:
        with open_library(library, files) as store:
            from tabellion.library.stored_tables import knows, stored_extractions

            elsewhere = [name for name in names if not knows(store, name)]
            if not names or len(elsewhere) < len(names):
                yield from stored_extractions(store, [name for name in names if name not in elsewhere], settings)
    except LibraryError:
        if not names or not all(Path(name).exists() for name in names):
            raise
        elsewhere = names
    missing = [name for name in elsewhere if name != STANDARD_INPUT and why_nothing(name) is None]
    for name in (name for name in missing if not Path(name).exists() and "://" not in name):
        raise LibraryError(f"{name}: no table or document of this library, and no file")
    yield from _read(elsewhere, settings, failed)


def _read(names: list[str], settings: Settings, failed: list[str]) -> Iterator[Extraction]:
    """The documents one after the other; one that cannot be read is told of and passed over."""
    from tabellion.cli.batch import explain
    from tabellion.cli.messages import complain
    from tabellion.isolated import extract_isolated
    from tabellion.read.sources import expand_sources, why_nothing
    from tabellion.workers import Crew

    with Crew(1) as crew:
        for source in expand_sources(names):
            try:
                if nothing := why_nothing(source):
                    complain(f"{source}: {nothing}")
                    failed.append(source)
                    continue
                yield extract_isolated(source, settings, crew=crew)
            except Exception as error:
                failed.append(source)
                complain(explain(source, error).note)
