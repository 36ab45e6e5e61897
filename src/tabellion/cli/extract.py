"""`tabellion extract`: documents to tuples for programs, as the output contract says.

The forms that extractions are printed in, and what stands before, between and after the documents.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from tabellion.cli.options import JobsOption, SafeOption, TraceOption, reading_with

if TYPE_CHECKING:
    from tabellion.cli.batch import Failure, Outcome
    from tabellion.export.forms import TextForm
    from tabellion.model.document import Issue
    from tabellion.pipeline import Extraction, Settings


MANY_TUPLES = 100_000  # from here on a document is written piece by piece, so that it is not held twice


class Form(StrEnum):
    """The formats that tables can be printed in."""

    jsonl = "jsonl"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    html = "html"
    xml = "xml"
    turtle = "turtle"
    nquads = "nquads"
    rdfxml = "rdfxml"
    jsonld = "jsonld"


def format_extraction(extraction: Extraction, form: Form, *, every: bool, safe: bool = False) -> Iterable[bytes]:
    """One document in the given form: as a whole, or piece by piece where it holds very many tuples."""
    from tabellion.export import json_pieces

    if form in (Form.jsonl, Form.json):
        pieces: Iterable[bytes] = json_pieces(extraction, every=every)
    else:
        pieces = _text_form(form, safe=safe).pieces(extraction)
    return pieces if sum(len(table.tuples) for table in extraction.tables) > MANY_TUPLES else list(pieces)


class Writer:
    """Writes outcomes one after the other as one whole: lines, a JSON list, CSV under one head, one XML document."""

    def __init__(self, file: BinaryIO, form: Form) -> None:
        self.file, self.form = file, form
        self.count = 0

    def write(self, outcome: Outcome) -> None:
        """One document; it reaches the reader at once."""
        text = self._failed(outcome.source, outcome.failure) if outcome.failure else outcome.text
        self.file.write(self._before())
        self.file.writelines(text)
        if self.form is Form.jsonl:
            self.file.write(b"\n")
        self.file.flush()
        self.count += 1

    def close(self) -> None:
        """What stands after the last document."""
        self.file.write(_text_form(self.form).tail)
        self.file.flush()

    def _before(self) -> bytes:
        """What stands before a document: the first, or a later one."""
        form = _text_form(self.form)
        return form.between if self.count else form.head

    def _failed(self, source: str, failure: Failure) -> Iterable[bytes]:
        from tabellion.export import error_json

        if self.form is Form.markdown:
            from tabellion.export.html import plain_line

            said = f"# {plain_line(source)}\n\nCould not be read: {plain_line(failure.note)}\n"
            return (said.encode("utf-8", "replace"),)
        if self.form in (Form.jsonl, Form.json):
            return (error_json(source, failure.kind, failure.note),)
        return ()


def _text_form(form: Form, *, safe: bool = False) -> TextForm:
    from tabellion.export.forms import text_form

    found = text_form(form.value, safe=safe)
    if found is None:
        raise LookupError(form.value)
    return found


EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion extract report.xlsx [dim]· one line of JSON[/dim]

[dim]$[/dim] tabellion extract reports/ '*.ods' --jobs 4 -o tables.jsonl [dim]· folders and patterns, four cores[/dim]

[dim]$[/dim] tabellion extract report.xlsx --format csv > tuples.csv [dim]· one line per value[/dim]

[dim]$[/dim] cat report.xls | tabellion extract - --format markdown [dim]· tables to read[/dim]

Exit status: 0 if every document was read, 1 if some were not, 2 if the call was wrong."""


@reading_with(
    "sheet", "pages", "password", "pages_apart", "render", "scripts", "network", "private", "weights", "limit"
)
def extract(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE", help="Files, folders, patterns; - for standard input.")
    ],
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            "-f",
            help="jsonl: one line per document; json: one list; csv: one line per value; markdown, html, xml: tables "
            "to read; turtle, nquads, rdfxml, jsonld: RDF.",
        ),
    ] = Form.jsonl,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file. It appears when everything is written."
        ),
    ] = None,
    safe_csv: SafeOption = False,
    every: Annotated[bool, typer.Option("--all", help="Also list the candidates that were rejected, and why.")] = False,
    jobs: JobsOption = 1,
    trace: TraceOption = False,
    *,
    settings: Settings,
) -> None:
    """Print the tables of documents, each value with its full row and column headers."""
    import msgspec

    from tabellion.cli.batch import run_batch
    from tabellion.cli.messages import Progress, explained
    from tabellion.read.sources import expand_sources
    from tabellion.workers import Crew

    settings = msgspec.structs.replace(settings, why=every)
    todo = list(expand_sources(sources))
    cores = max(1, min(jobs or os.cpu_count() or 1, len(todo)))
    crew = Crew(cores, fork=True)
    kinds: list[str | None] = []
    with (
        explained(str(output or "-"), trace=trace),
        opened(output) as file,
        Progress(len(todo), trace=trace) as progress,
    ):
        watch = progress.turn_page if len(todo) == 1 else None
        job = partial(extract_one, settings=settings, form=form, every=every, safe=safe_csv, watched=watch is not None)
        writer = Writer(file, form)
        for outcome in run_batch(job, todo, cores, settings.limits, crew=crew, watch=watch):
            writer.write(outcome)
            progress.advance(outcome)
            kinds.append(outcome.failure and outcome.failure.kind)
        writer.close()
    raise typer.Exit(exit_status(kinds))


def extract_one(
    source: str, *, settings: Settings, form: Form, every: bool, safe: bool = False, watched: bool = False
) -> Outcome:
    """Read one document and put it into the form that is printed; runs in a worker."""
    from tabellion.cli.batch import Outcome
    from tabellion.pipeline import extract_document
    from tabellion.workers import tell_page

    extraction = extract_document(source, settings, tell_page if watched else None)
    return Outcome(
        source,
        text=format_extraction(extraction, form, every=every, safe=safe),
        tables=len(extraction.tables),
        tuples=sum(len(table.tuples) for table in extraction.tables),
        issues=len(extraction.issues),
        unread=unread_pages(extraction.issues),
    )


def unread_pages(issues: Sequence[Issue]) -> tuple[str, ...]:
    """What is said of the pages of a PDF that could not be read: a line for each reason, with the pages.

    >>> from tabellion.model.document import Issue
    >>> from tabellion.model.place import Place
    >>> unread_pages([Issue("read", "the page is damaged", Place(page=n)) for n in (2, 3, 4, 9)])
    ('pages 2-4, 9: the page is damaged',)
    """
    pages: dict[str, list[int]] = {}
    for issue in issues:
        if issue.stage == "read" and issue.place is not None and issue.place.page is not None:
            pages.setdefault(issue.note, []).append(issue.place.page)
    return tuple(f"page{'s' if len(these) > 1 else ''} {_ranges(these)}: {note}" for note, these in pages.items())


def _ranges(pages: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for page in sorted(set(pages)):
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def exit_status(kinds: Sequence[str | None]) -> int:
    """0 if every document was read, 1 if some were not, 2 if the call asked all for what they do not have.

    >>> exit_status([None, None]), exit_status([None, "truncated"]), exit_status(["usage"])
    (0, 1, 2)
    """
    if not any(kinds):
        return 0
    return 2 if all(kind == "usage" for kind in kinds) else 1


@contextmanager
def opened(path: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears under its name only once all is written.

    A pipe or a device (`/dev/null`) is written to as it is, never replaced; a link, where it leads.
    """
    if path is None:
        yield sys.stdout.buffer
        return
    try:
        aim = Path(os.path.realpath(path))
        special = aim.exists() and not aim.is_file()
        part = aim if special else aim.with_name(f".{aim.name}.part")
        file = part.open("wb")
    except OSError as error:
        raise typer.BadParameter(f"{path}: cannot be written ({error.strerror})", param_hint="--output") from None
    try:
        with file:
            yield file
        if not special:
            part.replace(aim)
    finally:
        if not special:
            part.unlink(missing_ok=True)
