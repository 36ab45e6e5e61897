"""What is said to people beside the output: one line each on standard error, and a bar at a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from tabellion.cli.batch import Outcome


# what a terminal takes for an order: control characters but for tab and line feed
_STEERING = dict.fromkeys((*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)), "\N{REPLACEMENT CHARACTER}")


def complain(note: str, trace: str = "") -> None:
    """One line that says what is wrong; a limit is named by the option that raises it."""
    line = re.sub(r"\bLimits\.(\w+)", r"--limit \1=NUMBER", " ".join(note.split())).translate(_STEERING)
    sys.stderr.write(f"tabellion: {line}\n{trace}")
    sys.stderr.flush()


def open_console(**how: Any) -> Console:
    """What is drawn on. Texts of a document cannot move the cursor, clear the screen or name the window."""
    from rich import control
    from rich.console import Console

    control._CONTROL_STRIP_TRANSLATE.update(dict.fromkeys(_STEERING))  # rich itself leaves out five of them
    return Console(highlight=False, emoji=False, markup=False, **how)


@contextmanager
def ending_quietly() -> Iterator[None]:
    """A reader that goes away and Ctrl-C end a command without a trace, with the status that shells expect."""
    try:
        yield
    except BrokenPipeError:
        # what was not written cannot be: keep the interpreter from trying again when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(141) from None
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(130) from None


@contextmanager
def explained(source: str, *, trace: bool, wrong_call: int = 1) -> Iterator[None]:
    """Whatever goes wrong with a source is said in one line and ends the command; `wrong_call` is for a wrong call."""
    try:
        with ending_quietly():
            yield
    except (typer.Exit, typer.BadParameter):
        raise
    except Exception as error:
        from tabellion.cli.batch import explain

        failure = explain(source, error)
        complain(failure.note, failure.trace if trace else "")
        raise typer.Exit(wrong_call if failure.kind == "usage" else 1) from None


_LONG = 20  # pages of a document from which it is told how far reading is


class Progress:
    """How far a run is: a bar on standard error where that is a terminal, and a line for each failure."""

    def __init__(self, total: int, *, trace: bool = False) -> None:
        self.trace = trace
        self.tables = self.tuples = 0
        self.bar: Bar | None = None
        self.task: TaskID | None = None
        if total > 1 and sys.stderr.isatty():
            self.bar, self.task = _bar(total)

    def __enter__(self) -> Progress:
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.bar:
            self.bar.stop()

    def advance(self, outcome: Outcome) -> None:
        """One document is done."""
        self.tables += outcome.tables
        self.tuples += outcome.tuples
        if outcome.failure:
            complain(outcome.failure.note, outcome.failure.trace if self.trace else "")
        for note in outcome.unread:
            complain(f"{outcome.source}: {note}")
        if self.bar and self.task is not None:
            self.bar.update(self.task, advance=1, found=f"{self.tables:,} tables, {self.tuples:,} tuples")

    def turn_page(self, done: int, total: int) -> None:
        """So many pages of the one document that is read are done; of a long one a bar is drawn."""
        if self.bar is None and total >= _LONG and sys.stderr.isatty():
            self.bar, self.task = _bar(total)
            self.bar.start()
        if self.bar and self.task is not None:
            self.bar.update(self.task, completed=done, found="pages")


def _bar(total: int) -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[found]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    return bar, bar.add_task("", total=total, found="")
