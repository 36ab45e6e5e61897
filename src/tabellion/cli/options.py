"""The options that several commands share, and how they become `Settings`.

The options that the commands of the library share, and how a library is opened for them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

import typer
from typer.core import TyperCommand

from tabellion.model.methods import STEPS, RenderChoice

if TYPE_CHECKING:
    from tabellion.library.library import Library
    from tabellion.read.limits import Limits
    from tabellion.settings import Settings


LibraryOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        metavar="DIR",
        envvar="TABELLION_LIBRARY",
        show_envvar=False,
        help="The folder of the library, or a PostgreSQL URL. Default: TABELLION_LIBRARY, else the user's data folder.",
    ),
]
FilesOption = Annotated[
    str | None,
    typer.Option(
        "--files",
        metavar="DIR",
        help="The folder, or the address in object storage (s3://…), of the library's files. Needed once for a "
        "PostgreSQL URL.",
    ),
]


@contextmanager
def opened_library(
    place: str | None, files: str | None, *, create: bool = False, asking: bool = False
) -> Iterator[Library]:
    """The library of a call; what goes wrong with it is one line and exit status 1.

    With `asking`, questions in SQL are answered in a worker; it is forked before anything is open.
    """
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.errors import TabellionError
    from tabellion.library import open_library, require_packages

    crew = None
    try:
        require_packages()
        if asking:
            from tabellion.library.asking import fork_asker  # what both processes need is loaded before the fork

            crew = fork_asker()
        with ending_quietly(), open_library(place, files, create=create) as library:
            library.askers = crew
            library.catalogue.tell = complain
            if library.outdated_weights:
                complain(library.outdated_weights)
            yield library
    except TabellionError as error:
        complain(str(error))
        raise typer.Exit(1) from None
    except OSError as error:  # a full disk, missing rights, a folder where a file was
        from tabellion.library.files import default_place

        complain(f"{place or default_place()}: the library cannot be read or written ({error})")
        raise typer.Exit(1) from None
    finally:
        if crew is not None:
            crew.close()


_METHODS = "Reading methods"
_PAGES = "Web pages"
_MULTIPLES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


class OptionalValues(TyperCommand):
    """A command some of whose options may stand without a value: `--render`."""

    alone: ClassVar[dict[str, tuple[str, re.Pattern[str]]]] = {
        "--render": ("always", re.compile("|".join(get_args(RenderChoice))))
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


Methods = dict[str, Any]


def choosing_methods(command: Callable[..., None]) -> Callable[..., None]:
    """A command with an option for every step of `STEPS`; it is given them together, as its argument `methods`."""
    return _with_options(command, "methods", _step_options(), dict)


def reading_with(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with the options of these names and one for every step; it is given the `settings` that they make."""

    def settings(**given: Any) -> Settings:
        methods = {name: given.pop(name) for name in STEPS}
        return build_settings(methods=methods, **given)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        shared = [_option(name, _SHARED[name][0], _SHARED[name][1]) for name in names]
        return _with_options(command, "settings", [*shared, *_step_options()], settings)

    return decorate


def _step_options() -> list[inspect.Parameter]:
    return [
        _option(
            name,
            Annotated[step.choice, typer.Option(f"--{name}", rich_help_panel=_METHODS, help=step.help)],
            step.default,
        )
        for name, step in STEPS.items()
    ]


def _option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _with_options(
    command: Callable[..., None], gathered: str, added: list[inspect.Parameter], gather: Callable[..., Any]
) -> Callable[..., None]:
    """A command with more options; what they gather to is given to it as one argument."""
    command.__annotations__.pop(gathered)
    own = inspect.signature(command, eval_str=True)
    kept = [one for one in own.parameters.values() if one.name != gathered]

    def call(**given: Any) -> None:
        chosen = {one.name: given.pop(one.name) for one in added}
        command(**given, **{gathered: gather(**chosen)})

    call.__name__, call.__doc__, call.__module__ = command.__name__, command.__doc__, command.__module__
    call.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in (*kept, *added)}
    return call


SheetOption = Annotated[str | None, typer.Option("--sheet", "-s", metavar="NAME", help="Read only this sheet.")]
PagesOption = Annotated[
    str | None, typer.Option("--pages", metavar="FIRST-LAST", help="Read only these pages of a PDF, as in 3-9.")
]
PasswordOption = Annotated[
    str | None,
    typer.Option(
        "--password",
        metavar="TEXT",
        envvar="TABELLION_PASSWORD",
        show_envvar=False,
        help="The password of an encrypted PDF. It is never stored. Also read from TABELLION_PASSWORD.",
    ),
]
PagesApartOption = Annotated[
    bool, typer.Option("--pages-apart", help="Do not join the parts of a table that continues over several pages.")
]
WeightsOption = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        metavar="DIR",
        exists=True,
        file_okay=False,
        rich_help_panel=_METHODS,
        help="Use the weights in this folder instead of the shipped ones.",
    ),
]
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        rich_help_panel=_METHODS,
        help="Change a limit for one document, for example cells=50M; may be given again. An unknown NAME lists all "
        "limits.",
    ),
]

RenderOption = Annotated[
    RenderChoice,
    typer.Option(
        "--render",
        metavar="[auto]",
        rich_help_panel=_PAGES,
        help="Render web pages in Chromium and find the tables that a reader sees; auto: only if the markup suggests "
        "tables that it does not contain.",
    ),
]
ScriptsOption = Annotated[
    bool, typer.Option("--scripts", rich_help_panel=_PAGES, help="Run the scripts of rendered pages.")
]
NetworkOption = Annotated[
    bool,
    typer.Option(
        "--network", rich_help_panel=_PAGES, help="Load style sheets and pictures of rendered pages from the network."
    ),
]
PrivateChoice = Literal["yes", "no"]
PrivateOption = Annotated[
    PrivateChoice,
    typer.Option(
        "--private",
        metavar="yes|no",
        rich_help_panel=_PAGES,
        help="Allow addresses of this computer and its network, also through redirects.",
    ),
]
SafeOption = Annotated[
    bool,
    typer.Option("--safe-csv", help="Put an apostrophe before CSV cells that a spreadsheet would run as formulas."),
]
TraceOption = Annotated[bool, typer.Option("--trace", help="Print a stack trace of internal errors.")]
JobsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", min=0, help="Number of documents to read in parallel; 0: one per core."),
]

_SHARED: dict[str, tuple[Any, Any]] = {
    "sheet": (SheetOption, None),
    "pages": (PagesOption, None),
    "password": (PasswordOption, None),
    "pages_apart": (PagesApartOption, False),
    "render": (RenderOption, "never"),
    "scripts": (ScriptsOption, False),
    "network": (NetworkOption, False),
    "private": (PrivateOption, "yes"),
    "weights": (WeightsOption, None),
    "limit": (LimitOption, None),
}
"""The options that say how documents are read, by the names that `reading_with` knows, with their defaults."""


def build_settings(
    *,
    sheet: str | None = None,
    methods: Methods | None = None,
    weights: Path | None = None,
    limit: Sequence[str] | None = None,
    pages: str | None = None,
    pages_apart: bool = False,
    render: RenderChoice = "never",
    scripts: bool = False,
    network: bool = False,
    password: str | None = None,
    private: PrivateChoice = "yes",
) -> Settings:
    """The settings that the options of a call name; a limit that does not exist is an error of the call."""
    from tabellion.settings import Settings

    if (scripts or network) and render == "never":
        raise typer.BadParameter("--scripts and --network need --render", param_hint="--scripts, --network")
    if render != "never":
        _tell_of_sandbox()
    return Settings(
        limits=build_limits(limit),
        **(methods or {}),
        weights=str(weights) if weights else None,
        sheet=sheet,
        pages=parse_pages(pages) if pages else None,
        pages_apart=pages_apart,
        render=render,
        scripts=scripts,
        network=network,
        password=password,
        private=private == "yes",
    )


def parse_pages(text: str) -> tuple[int, int]:
    """The first and the last page of a range."""
    from tabellion.errors import UsageError
    from tabellion.settings import read_pages

    try:
        return read_pages(text)
    except UsageError as error:
        raise typer.BadParameter(str(error), param_hint="--pages") from None


def build_limits(given: Sequence[str] | None) -> Limits:
    """The limits that the options of a call name."""
    from tabellion.errors import UsageError
    from tabellion.settings import read_limits

    try:
        return read_limits(dict(parse_limit(text) for text in given or ()))
    except UsageError as error:
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


def current_user() -> str | None:
    """Who runs the command, where the system knows."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


def _tell_of_sandbox() -> None:
    """Say it where pages are drawn without the sandbox of Chromium."""
    from tabellion.cli.messages import complain
    from tabellion.read.chromium.process import has_sandbox

    if not has_sandbox():
        complain("Chromium runs without its sandbox as root; render pages from unknown sources as another user")
