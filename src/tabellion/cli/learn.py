"""`tabellion learn`: what the corrections of a library teach, compared before it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from rich.table import Table

    from tabellion.learn.repair.teach import Comparison
    from tabellion.learn.sheets.nest_gold import GoldFrame

    Compare = Callable[[Sequence[GoldFrame]], list[Comparison]]
    Train = Callable[[Path, Sequence[GoldFrame]], list[Path]]

EXAMPLES = """[bold]Examples[/bold]

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
            "--export", metavar="FILE", help="Write the repaired tables as labelled data and stop; -: output."
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
    """Learn from the corrections of a library."""
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
            raise LibraryError("there is no correction in force to learn from; `tabellion repair` makes one")
        compare, train = _teachers(part)
        from rich.console import Console

        console = Console(highlight=False, emoji=False, markup=False)
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
