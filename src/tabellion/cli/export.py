"""`tabellion export`: tables of documents or of a library, published in one file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import (
    FilesOption,
    LibraryOption,
    LimitOption,
    Methods,
    SheetOption,
    build_settings,
    choosing_methods,
)

if TYPE_CHECKING:
    from tabellion.pipeline import Extraction, Settings

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion export report.xlsx --to parquet -o report.parquet [dim]· one row per value[/dim]

[dim]$[/dim] tabellion export smoking --library store --to xml -o smoking.xml [dim]· a table of a library[/dim]

[dim]$[/dim] tabellion export --library store --to nquads -o store.nq [dim]· the whole library[/dim]

[dim]$[/dim] tabellion export --to xml --schema > tables.xsd [dim]· the schema of the form[/dim]"""


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


@choosing_methods
def export(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE|TABLE", help="Documents; with --library tables or documents of it, or nothing."),
    ] = None,
    form: Annotated[
        To | None, typer.Option("--to", "-t", help="The form to write; by default by the ending of FILE, else csv.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file; it appears once all is written."),
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
    sheet: SheetOption = None,
    base: Annotated[
        str, typer.Option("--base", metavar="ADDRESS", help="What the names of things in RDF begin with.")
    ] = "urn:tabellion:",
    schema: Annotated[bool, typer.Option("--schema", help="Print the schema of the form, and stop.")] = False,
    limit: LimitOption = None,
    methods: Methods | None = None,
) -> None:
    """Publish tables: files for programs, people and the web of data."""
    to = form or default_form(output)
    if schema:
        print_schema(to)
        return
    from tabellion.cli.extract import opened
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.errors import TabellionError
    from tabellion.export.csvw import write_csvw
    from tabellion.export.forms import write_export

    settings = build_settings(sheet=sheet, methods=methods, limits=limit)
    if not names and not library:
        raise typer.BadParameter("name a document, or a library with --library", param_hint="SOURCE|TABLE")
    if to is To.csvw and output is None:
        raise typer.BadParameter("csvw is a folder of files: name it with --output", param_hint="--output")
    check_base(base)
    failed: list[str] = []
    found = _gather(names or [], library, files, settings, failed)
    try:
        with ending_quietly():
            if to is To.csvw and output is not None:
                write_csvw(found, output, base)
            else:
                with opened(output) as file:
                    write_export(to.value, found, file, base)
                    file.flush()
    except TabellionError as error:
        complain(str(error))
        raise typer.Exit(1) from None
    raise typer.Exit(1 if failed else 0)


def default_form(output: Path | None) -> To:
    """The form that the ending of a file names, else CSV."""
    from tabellion.export.forms import form_of

    return To((form_of(output) if output else None) or To.csv)


def check_base(base: str) -> None:
    """An address that names can begin with ends in a sign that parts it from them."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|^`\\]*[:/#]", base):
        raise typer.BadParameter(f"{base!r} is not an address that ends in :, / or #", param_hint="--base")


def print_schema(to: To) -> None:
    """The schema of a form on standard output; a form without one is a wrong call."""
    from tabellion.export.forms import schema_of

    found = schema_of(to.value)
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
    from tabellion.cli.batch import STANDARD_INPUT, why_nothing
    from tabellion.errors import LibraryError
    from tabellion.library import open_library

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
    from tabellion.cli.batch import expand_sources, explain, why_nothing
    from tabellion.cli.messages import complain
    from tabellion.isolated import extract_isolated
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
