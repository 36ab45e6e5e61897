"""`tabellion search`: the tables that answer a question, best first."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.holdings import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from rich.text import Text

    from tabellion.library.entries import Condition
    from tabellion.library.library import Library
    from tabellion.library.search import Found, Hit

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion search smoking rate men [dim]· anywhere in a table, its title or its notes[/dim]

[dim]$[/dim] tabellion search 'caption:smoking header:"18 to 24" -race year:1990..2000' [dim]· by field[/dim]

[dim]$[/dim] tabellion search 1,234.5 --medium spreadsheet --preview 5 [dim]· a number, with the first rows[/dim]"""


def search(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WORDS",
            help='Words, "phrases", numbers; caption: header: stub: cell: note: document: before one looks only there.',
        ),
    ],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="Hits shown.")] = 10,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Hits to skip.")] = 0,
    after: Annotated[str, typer.Option("--after", metavar="NEXT", help="The `next` of the page before.")] = "",
    preview: Annotated[int, typer.Option("--preview", "-p", metavar="N", min=0, help="Rows of each table shown.")] = 0,
    medium: Annotated[
        str | None, typer.Option("--medium", help="spreadsheet, html or pdf.", rich_help_panel="Narrow down")
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", help="The id or path of a document.", rich_help_panel="Narrow down")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="numerical, text, symbol, image, combination.", rich_help_panel="Narrow down"),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size", help="empty, small (below 30 values), medium, large, huge.", rich_help_panel="Narrow down"
        ),
    ] = None,
    year: Annotated[
        str | None, typer.Option("--year", help="A year, or 1990..2000.", rich_help_panel="Narrow down")
    ] = None,
) -> None:
    """Find tables by words, phrases and numbers."""
    said = {"medium": medium, "kind": kind, "size": size, "year": year}
    question = " ".join(words)
    if not (document or preview or after or files):
        from tabellion.cli.messages import ending_quietly

        with ending_quietly():
            found = search_quickly(library, question, said, limit, offset)
            if found is not None:
                _print(found, form, offset)
                return
    with opened_library(library, files) as store:
        if document:
            said["document_id"] = store.find(document).document_id
        found = store.search(question, conditions=_conditions(said), limit=limit, offset=offset, after=after)
        offset = int(after.rpartition(".")[2]) if after else offset
        _print(with_previews(store, found, preview) if preview else found, form, offset)


def search_quickly(
    place: str | None, question: str, said: Mapping[str, str | None], limit: int, offset: int
) -> Found | None:
    """The answer of a library in a folder whose index is up to date, without opening more of it; None of any other."""
    from tabellion.errors import TabellionError
    from tabellion.library import require_packages

    try:
        require_packages()
        from tabellion.library.search import quick_searcher

        with quick_searcher(place) as searcher:
            if searcher is not None:
                return searcher.search(question, conditions=_conditions(said), limit=limit, offset=offset)
    except TabellionError:
        pass  # what is wrong is said when the library is opened whole
    return None


def _conditions(said: Mapping[str, str | None]) -> list[Condition]:
    from tabellion.library.entries import parse_condition

    conditions = []
    for field, value in said.items():
        if value is None:
            continue
        condition = parse_condition(field, value)
        if condition is None:
            raise typer.BadParameter(f"{value!r} is not a number nor a range of numbers", param_hint=f"--{field}")
        conditions.append(condition)
    return conditions


def _print(found: Found, form: Listing, offset: int) -> None:
    if form is Listing.json:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    else:
        _draw(found, offset)


def with_previews(store: Library, found: Found, rows: int) -> Found:
    """The same hits with the first rows of each table, under a row of names."""
    import msgspec

    from tabellion.library.query import plain_text

    hits = []
    for hit in found.hits:
        table = store.preview(hit.table, rows)
        columns = [[plain_text(value) for value in column.to_pylist()] for column in table.columns]
        lines = [list(table.column_names), *map(list, zip(*columns, strict=True))]
        hits.append(msgspec.structs.replace(hit, preview=lines))
    return msgspec.structs.replace(found, hits=hits)


def _draw(found: Found, offset: int) -> None:
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
    if not found.total:
        console.print("No table was found.")
        return
    console.print(Text(f"{found.total:,} table{'s' if found.total > 1 else ''}", "bold"))
    for number, hit in enumerate(found.hits, offset + 1):
        where = " ".join(str(part) for part in (hit.place.get("sheet"), hit.place.get("range")) if part)
        where = where or (f"page {hit.place['page']}" if "page" in hit.place else hit.place.get("path", ""))
        console.print(Text.assemble(f"\n{number:>2}  ", (hit.title or hit.name, "bold")))
        console.print(Text(f"    {hit.source}  {where}  {hit.tuples:,} values  {hit.name}{_doubt(hit)}", "dim"))
        for field, pieces in hit.highlights.items():
            for piece in pieces:
                console.print(Text.assemble(f"    {field}: ", _marked(piece)))
        if hit.preview:
            _draw_preview(console, hit)
    for name in ("medium", "kind", "size", "year"):
        counts = found.facets.get(name, {})
        if len(counts) > 1:
            console.print(Text(f"\n{name}: " + ", ".join(f"{key} {n:,}" for key, n in counts.items()), "dim"))


def _doubt(hit: Hit) -> str:
    return f"  {hit.confidence:.0%} sure"


def _draw_preview(console: object, hit: Hit) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table

    if isinstance(console, Console) and hit.preview:
        lines = Table(*hit.preview[0][:8], box=None, pad_edge=False, header_style="dim")
        for row in hit.preview[1:]:
            lines.add_row(*row[:8])
        console.print(Padding(lines, (0, 0, 0, 4)))


def _marked(piece: str) -> Text:
    """A piece with the words that were found in bold instead of between marks, where there is colour."""
    from rich.text import Text

    text, rest = Text(), piece
    while "«" in rest:
        before, _, rest = rest.partition("«")
        word, _, rest = rest.partition("»")
        text.append(before)
        text.append(f"«{word}»", "bold yellow")
    return text.append(rest)
