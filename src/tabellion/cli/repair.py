"""`tabellion repair` and `history`: a table mended by a person, at the terminal or from a file; its corrections.

`tabellion learn`: what the corrections of a library teach, compared before it is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, current_user, opened_library

if TYPE_CHECKING:
    from rich.table import Table

    from tabellion.learn.repair.teach import Comparison
    from tabellion.learn.sheets.nest_gold import GoldFrame

    Compare = Callable[[Sequence[GoldFrame]], list[Comparison]]
    Train = Callable[[Path, Sequence[GoldFrame]], list[Path]]
    from tabellion.repair.replay import Standing
    from tabellion.repair.session import Repair


REPAIR_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion repair smoking [dim]· the table's trees and grid, and keys for each operation[/dim]

[dim]$[/dim] tabellion repair smoking --export fixes.json [dim]· all corrections of the table's document[/dim]

[dim]$[/dim] tabellion repair smoking --apply fixes.json [dim]· the same in another library[/dim]"""


def repair(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The id or the name of a table (see tabellion list).")],
    apply: Annotated[
        Path | None,
        typer.Option("--apply", metavar="FILE", help="Apply the corrections of this file; - for standard input."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", help="Write the corrections of the document here; - for standard output."
        ),
    ] = None,
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="The author of the corrections. Default: the user.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Fix a table in an editor in the terminal. Every fix is saved at once and can be undone."""
    refused = 0
    with opened_library(library, files) as store:
        bench = store.repair(table, author=author or current_user())
        if apply is not None:
            refused = apply_file(bench, apply)
        if export is not None:
            write_file(bench, export)
        if apply is None and export is None:
            from tabellion.cli.editor_screen import edit_table

            edit_table(bench, lambda: store.look_alikes(table, author=bench.author))
    raise typer.Exit(1 if refused else 0)


def apply_file(bench: Repair, path: Path) -> int:
    """Apply the corrections of a file one by one; what does not fit is told. Returns how many did not."""
    from tabellion.cli.messages import complain
    from tabellion.errors import RepairError
    from tabellion.model.correction import Correction, Undo, read_corrections

    refused = taken = known = 0
    for number, entry in enumerate(read_corrections(_read(path)), 1):
        try:
            if isinstance(entry, Correction):
                new = bench.add_correction(entry)
                taken, known = taken + new, known + (not new)
            elif isinstance(entry, Undo):
                bench.undo(entry.correction)
                taken += 1
            else:
                bench.apply(entry)
                taken += 1
        except RepairError as error:
            refused += 1
            complain(f"correction {number}: {error}")
    sys.stderr.write(f"applied {taken}, there already {known}, refused {refused}\n")
    return refused


def write_file(bench: Repair, path: Path) -> None:
    """Write all corrections of the document."""
    from tabellion.model.correction import write_corrections

    data = write_corrections(bench.log, bench.rereading.document.source)
    if str(path) == "-":
        sys.stdout.buffer.write(data)
    else:
        path.write_bytes(data)


def _read(path: Path) -> bytes:
    from tabellion.errors import SourceMissingError

    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceMissingError(f"{path}: {error.strerror}") from None


HISTORY_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion history smoking [dim]· who corrected what and when, and whether it holds[/dim]

[dim]$[/dim] tabellion history smoking --format json"""

_STYLES = {"in force": "green", "undone": "dim", "replaced": "dim", "conflict": "bold red", "does not fit": "yellow"}


class HistoryForm(StrEnum):
    """How the corrections are printed."""

    table = "table"
    json = "json"


def history(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The id or the name of a table.")],
    form: Annotated[
        HistoryForm, typer.Option("--format", "-f", help="For people or for programs.")
    ] = HistoryForm.table,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """List all corrections of a document, with their states."""
    with opened_library(library, files) as store:
        standings = store.repair(table).history
        if form is HistoryForm.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"corrections": standings}) + b"\n")
            return
        from tabellion.cli.messages import open_console

        open_console().print(draw_history(standings))


def draw_history(standings: tuple[Standing, ...]) -> Table:
    """Corrections as lines, the oldest first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tabellion.repair.places import describe

    lines = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    for name in ("id", "made", "by", "correction", "stands"):
        lines.add_column(name, no_wrap=name in ("id", "made"))
    for one in standings:
        said = one.correction
        state = Text(one.state, _STYLES[one.state])
        if one.note:
            state.append(f" {one.note}", "dim")
        lines.add_row(said.id, said.made[:16].replace("T", " "), said.author or "", describe(said.operation), state)
    return lines


LEARN_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion learn --export labelled.jsonl [dim]· the repaired tables as labelled data[/dim]

[dim]$[/dim] tabellion learn [dim]· train with them beside the corpora; show what gets better and worse[/dim]

[dim]$[/dim] tabellion learn --install [dim]· and use the new weights in this library from now on[/dim]"""


class Part(StrEnum):
    """What is learned."""

    parents = "parents"
    rows = "rows"


def learn(
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write the corrected tables as labelled data and stop; - for standard output.",
        ),
    ] = None,
    part: Annotated[
        Part, typer.Option("--part", help="What to learn: the parents of headers, or (slower) the roles of rows.")
    ] = Part.parents,
    install: Annotated[
        bool, typer.Option("--install", help="Put the new weights into the library; the shipped ones stay as they are.")
    ] = False,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Train the reader with the corrections of a library, and compare the results."""
    with opened_library(library, files) as store:
        from tabellion.learn.repair.teach import corrected_documents, corrected_gold, label_corrected

        if export is not None:
            import msgspec

            lines = [
                msgspec.json.encode(one) + b"\n"
                for document in corrected_documents(store)
                for one in label_corrected(document)
            ]
            _write(b"".join(lines), export)
            return
        from tabellion.errors import LibraryError

        golds = corrected_gold(store)
        if not golds:
            raise LibraryError("no correction to learn from; make one with `tabellion repair`")
        compare, train = _teachers(part)
        from tabellion.cli.messages import open_console

        console = open_console()
        console.print(draw_comparison(compare(golds)))
        if install:
            written = train(store.folder.weights, golds)
            sys.stderr.write(f"{len(written)} files in {store.folder.weights}; `tabellion rebuild` reads with them\n")


def _teachers(part: Part) -> tuple[Compare, Train]:
    """How to compare, and how to train, what is to be learned."""
    from tabellion.errors import MissingExtraError

    try:
        from tabellion.learn.repair.teach import compare_rows, compare_teaching, train_taught, train_taught_rows
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{error.name} is not installed: pip install 'tabellion[train]'") from error
    return (compare_teaching, train_taught) if part is Part.parents else (compare_rows, train_taught_rows)


def draw_comparison(found: list[Comparison]) -> Table:
    """Figures before and after, a line each."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    lines = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    for name in ("learned", "documents", "figure", "without", "with corrections", ""):
        lines.add_column(name, justify="right" if name.startswith("with") else "left")
    for one in found:
        gain = (one.after - one.before) * (-1 if one.figure.startswith("errors") else 1)
        word = Text("better", "green") if gain > 0 else Text("worse", "red") if gain < 0 else Text("")
        lines.add_row(one.part, one.corpus, one.figure, f"{one.before:.4f}", f"{one.after:.4f}", word)
    return lines


def _write(data: bytes, path: Path) -> None:
    if str(path) == "-":
        sys.stdout.buffer.write(data)
    else:
        path.write_bytes(data)
