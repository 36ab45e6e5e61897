"""The options that several commands share, and how they become `Settings`.

The options that the commands of the library share, and how a library is opened for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from tabellion.library.library import Library
    from tabellion.pipeline import Settings
    from tabellion.read import Limits


LibraryOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        metavar="DIR",
        envvar="TABELLION_LIBRARY",
        show_envvar=False,
        help="The library's folder, or the URL of a PostgreSQL database; by default in the user's data folder.",
    ),
]
FilesOption = Annotated[
    str | None,
    typer.Option("--files", metavar="DIR", help="The folder for the files where the library is a PostgreSQL URL."),
]


@contextmanager
def opened_library(place: str | None, files: str | None, *, create: bool = False) -> Iterator[Library]:
    """The library of a call; what goes wrong with it is one line and exit status 1."""
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.errors import TabellionError
    from tabellion.library import open_library

    try:
        with ending_quietly(), open_library(place, files, create=create) as library:
            if library.outdated_weights:
                complain(library.outdated_weights)
            yield library
    except TabellionError as error:
        complain(str(error))
        raise typer.Exit(1) from None


_METHODS = "How it reads"
_PAGES = "Web pages"
_MULTIPLES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


class RowChoice(StrEnum):
    """The method that labels rows."""

    boosted = "boosted"
    crf = "crf"
    paper = "paper"


class RenderChoice(StrEnum):
    """Whether web pages are rendered."""

    never = "never"
    always = "always"
    auto = "auto"


class OptionalValues(TyperCommand):
    """A command some of whose options may stand without a value: `--render`."""

    alone: ClassVar[dict[str, tuple[str, re.Pattern[str]]]] = {
        "--render": (RenderChoice.always.value, re.compile("|".join(RenderChoice)))
    }
    """Option -> the value it has alone, and what a value of its own looks like."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[str] = []
        for place, argument in enumerate(args):
            given.append(argument)
            after = args[place + 1] if place + 1 < len(args) else ""
            if argument in self.alone and not self.alone[argument][1].fullmatch(after):
                given.append(self.alone[argument][0])
        return super().parse_args(ctx, given)


class ParentChoice(StrEnum):
    """The method that finds the parents of headers."""

    boosted = "boosted"
    svm = "svm"


SheetOption = Annotated[str | None, typer.Option("--sheet", "-s", metavar="NAME", help="Read only this sheet.")]
PagesOption = Annotated[
    str | None, typer.Option("--pages", metavar="FIRST-LAST", help="Read only these pages of a PDF, as in 3-9.")
]
PagesApartOption = Annotated[
    bool, typer.Option("--pages-apart", help="Keep the parts of a table that goes on over several pages apart.")
]
RowsOption = Annotated[
    RowChoice,
    typer.Option(
        "--rows",
        rich_help_panel=_METHODS,
        help="How rows are labelled: boosted trees, a CRF with all features, or the CRF of the paper.",
    ),
]
ParentsOption = Annotated[
    ParentChoice,
    typer.Option(
        "--parents",
        rich_help_panel=_METHODS,
        help="How the parents of headers are found: boosted trees or the linear SVM of the paper.",
    ),
]
WeightsOption = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        metavar="DIR",
        exists=True,
        file_okay=False,
        rich_help_panel=_METHODS,
        help="Use the learned weights of this folder before those that are shipped.",
    ),
]
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        rich_help_panel=_METHODS,
        help="Raise or lower what one document may cost, for example cells=50M; may be given again. An unknown NAME "
        "lists those there are.",
    ),
]

RenderOption = Annotated[
    RenderChoice,
    typer.Option(
        "--render",
        metavar="[auto]",
        rich_help_panel=_PAGES,
        help="Draw web pages in Chromium and find tables as a reader sees them; auto: only where the markup promises "
        "tables that it does not give.",
    ),
]
ScriptsOption = Annotated[
    bool, typer.Option("--scripts", rich_help_panel=_PAGES, help="Let rendered pages run their scripts.")
]
NetworkOption = Annotated[
    bool, typer.Option("--network", rich_help_panel=_PAGES, help="Let rendered pages load files from the network.")
]
TraceOption = Annotated[bool, typer.Option("--trace", help="Print where in the code a defect happened.")]


def build_settings(
    *,
    sheet: str | None,
    rows: RowChoice,
    parents: ParentChoice,
    weights: Path | None,
    limits: Sequence[str] | None,
    why: bool = False,
    pages: str | None = None,
    pages_apart: bool = False,
    render: RenderChoice = RenderChoice.never,
    scripts: bool = False,
    network: bool = False,
) -> Settings:
    """The settings that the options of a call name; a limit that does not exist is an error of the call."""
    from tabellion.pipeline import Settings

    if (scripts or network) and render is RenderChoice.never:
        raise typer.BadParameter("only a rendered page runs scripts or loads files", param_hint="--scripts, --network")
    return Settings(
        limits=build_limits(limits),
        rows=rows.value,
        parents=parents.value,
        weights=str(weights) if weights else None,
        sheet=sheet,
        why=why,
        pages=parse_pages(pages) if pages else None,
        pages_apart=pages_apart,
        render=render.value,
        scripts=scripts,
        network=network,
    )


def parse_pages(text: str) -> tuple[int, int]:
    """The first and the last page of a range.

    >>> parse_pages("3-9"), parse_pages("7")
    ((3, 9), (7, 7))
    """
    match = re.fullmatch(r"\s*(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?\s*", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise typer.BadParameter(f"{text!r} is no range of pages, such as 3-9", param_hint="--pages")
    return first, last


def build_limits(given: Sequence[str] | None) -> Limits:
    """The limits that the options of a call name."""
    import msgspec

    from tabellion.read import Limits

    chosen: dict[str, float] = {}
    for text in given or ():
        name, number = parse_limit(text)
        if name not in Limits.__struct_fields__:
            known = ", ".join(Limits.__struct_fields__)
            raise typer.BadParameter(f"no limit is called {name!r}; there are {known}", param_hint="--limit")
        chosen[name] = number
    try:
        return msgspec.convert(chosen, Limits, strict=False)
    except msgspec.ValidationError as error:
        raise typer.BadParameter(str(error), param_hint="--limit") from None


def parse_limit(text: str) -> tuple[str, float]:
    """A limit's name and number.

    >>> parse_limit("cells=50M")
    ('cells', 50000000)
    >>> parse_limit("seconds=2.5")
    ('seconds', 2.5)
    """
    match = re.fullmatch(r"\s*([a-z_-]+)\s*=\s*(\d+(?:\.\d+)?)([kmg]?)b?\s*", text, re.IGNORECASE)
    if not match:
        raise typer.BadParameter(f"{text!r} is not NAME=NUMBER, for example cells=50M", param_hint="--limit")
    number = float(match[2]) * _MULTIPLES[match[3].lower()]
    return match[1].lower().replace("-", "_"), int(number) if number.is_integer() else number
