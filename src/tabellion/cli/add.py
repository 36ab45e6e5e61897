"""`tabellion add` and `run`: documents into the library, on this machine's cores or on the workers of a cluster."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tabellion.cli.options import (
    FilesOption,
    JobsOption,
    LibraryOption,
    LimitOption,
    Methods,
    TraceOption,
    WeightsOption,
    build_settings,
    choosing_methods,
    opened_library,
    reading_with,
)

if TYPE_CHECKING:
    from tabellion.cli.batch import Failure, Outcome
    from tabellion.library.adding import StoredSource
    from tabellion.library.holdings import AddResult
    from tabellion.model.correction import Correction
    from tabellion.pipeline import Settings


_READ = "read: "  # how the issues of reading begin, as a library keeps them
ADD_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion add reports/ '*.ods' [dim]· into the library in the user's data folder[/dim]

[dim]$[/dim] tabellion add reports/ --library shared/ --jobs 4 [dim]· into a library of its own, on four cores[/dim]

[dim]$[/dim] tabellion add pages/*.html --render auto [dim]· with tables that only the rendered page shows[/dim]

[dim]$[/dim] tabellion add reports/ --library postgresql://host/tables --files /srv/tables [dim]· a shared server[/dim]

Run it again after an interruption or a change: unchanged documents are skipped, changed ones are replaced."""

DOCUMENTS_A_WORKER = 8


class Report(StrEnum):
    """What is printed of a run."""

    none = "none"
    jsonl = "jsonl"


@reading_with("password", "render", "network", "private", "weights", "limit")
def add(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE", help="Files, folders, patterns, addresses on the web.")
    ],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: Annotated[
        Report, typer.Option("--format", "-f", help="jsonl: one line per document with its status.")
    ] = Report.none,
    jobs: JobsOption = 0,
    trace: TraceOption = False,
    *,
    settings: Settings,
) -> None:
    """Read documents and store their tables in the library."""
    from tabellion.cli.batch import Outcome, run_batch
    from tabellion.read.sources import expand_sources
    from tabellion.workers import Crew

    report = AddReport(form)
    todo = list(expand_sources(sources, report.passed_over))
    # a worker takes about as long to start as some documents to read; it knows nothing of the open library
    crew = Crew(min(jobs or os.cpu_count() or 1, len(todo) // DOCUMENTS_A_WORKER + 1), fork=True)
    with crew, opened_library(library, files, create=True) as store, report.summed_up():
        from tabellion.cli.messages import Progress
        from tabellion.library.adding import is_unchanged
        from tabellion.library.holdings import document_address
        from tabellion.library.reading import unpack_reading

        settings = store.settle(settings)
        todo = list({document_address(source): source for source in todo}.values())
        known, logs = store.known(todo), store.corrections(todo)
        job = partial(read_one, originals=store.folder.originals, settings=settings)
        narrowed = lambda source: partial(job, log=logs.get(source, ()), known=known.get(source))  # noqa: E731
        with Progress(len(todo), trace=trace) as progress, store.writing_documents(settings=settings) as writer:

            def changed() -> Iterator[str]:
                for source in todo:
                    report.expect(source)
                    have = known.get(source)
                    if have and is_unchanged(source, have, settings, store.folder.originals):
                        report.done([have.result])
                        progress.advance(Outcome(source))
                    else:
                        yield source

            for outcome in run_batch(job, changed(), limits=settings.limits, crew=crew, narrowed=narrowed):
                if outcome.failure:
                    report.failed(outcome.source, outcome.failure)
                else:
                    report.doubted += bool(outcome.issues)
                    reading = unpack_reading(b"".join(outcome.text))
                    report.written(partial(writer.write, reading))
                progress.advance(outcome)
            report.written(writer.flush)
    raise typer.Exit(1 if report.failures else 0)


def read_one(
    source: str,
    *,
    originals: Path,
    settings: Settings,
    log: Sequence[Correction] = (),
    known: StoredSource | None = None,
) -> Outcome:
    """Read one document for the library; runs in a worker."""
    from tabellion.cli.batch import Outcome
    from tabellion.errors import UsageError
    from tabellion.library.adding import read_source
    from tabellion.library.reading import pack_reading

    if source == "-":
        raise UsageError("-: a library keeps documents by their address; standard input has none")
    reading = read_source(source, originals, settings, log, known)
    return Outcome(
        source,
        text=[pack_reading(reading)],
        tables=len(reading.tables),
        tuples=sum(table.tuples for table in reading.tables),
        issues=len(reading.issues),
        unread=tuple(dict.fromkeys(one[len(_READ) :] for one in reading.issues if one.startswith(f"{_READ}the page "))),
    )


class AddReport:
    """One line per document, in the order given, printed once what it says is safe on the disk."""

    def __init__(self, form: Report) -> None:
        self.form = form
        self.failures = self.doubted = 0
        self.passed_over: list[str] = []  # files of folders that are no documents
        self._counts: Counter[str] = Counter()
        self._order: deque[str] = deque()
        self._lines: dict[str, dict[str, object]] = {}

    def expect(self, source: str) -> None:
        self._order.append(source)

    def failed(self, source: str, failure: Failure) -> None:
        self.failures += 1
        self._tell(source, "error", 0, 0, failure.note)

    def done(self, results: list[AddResult]) -> None:
        for one in results:
            self._tell(one.source, one.status, one.tables, one.tuples, None)

    def written(self, write: Callable[[], list[AddResult]]) -> None:
        """What became of documents as they are written; where that fails, each of them is told of."""
        from tabellion.cli.batch import Failure
        from tabellion.cli.messages import complain
        from tabellion.library.writing import UnwrittenError

        try:
            self.done(write())
        except UnwrittenError as error:
            for source in error.sources:
                complain(f"{source}: not kept: {error}")
                self.failed(source, Failure(error.kind, f"{source}: not kept: {error}"))

    @contextmanager
    def summed_up(self) -> Iterator[None]:
        """Whatever ends the run, what was done until then is said in a line."""
        try:
            yield
        finally:
            typer.echo(self.summary(), err=True)

    def summary(self) -> str:
        """What was done, in one line."""
        counts = self._counts
        said = [f"{counts[status]:,} {status}" for status in ("added", "replaced", "unchanged") if counts[status]]
        if self.failures:
            said.append(f"{self.failures:,} not read")
        held = f"{counts['tables']:,} tables, {counts['values']:,} values"
        doubts = f"; {self.doubted:,} with doubts (`tabellion info DOCUMENT`)" if self.doubted else ""
        others = f"; {len(self.passed_over):,} other files skipped" if self.passed_over else ""
        return f"{', '.join(said) or 'nothing to add'}: {held}{doubts}{others}"

    def _tell(self, source: str, status: str, tables: int, tuples: int, note: str | None) -> None:
        self._counts.update({status: 1, "tables": tables, "values": tuples})
        line = {"source": source, "status": status, "tables": tables, "tuples": tuples, "note": note}
        self._lines[source] = line
        while self._order and self._order[0] in self._lines:
            self._print(self._lines.pop(self._order.popleft()))

    def _print(self, line: dict[str, object]) -> None:
        if self.form is Report.jsonl:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
            sys.stdout.buffer.flush()


Originals = Literal["keep", "refer"]
_DRAWN = 0.2  # seconds between two lines of progress

if TYPE_CHECKING:
    from tabellion.scale import ReadDocument, RunReport

RUN_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion run reports/ pages.warc.gz --into library/ [dim]· on all cores of this machine[/dim]

[dim]$[/dim] tabellion run @addresses.txt --into library/ --cluster local:2 [dim]· a list, two workers[/dim]

[dim]$[/dim] tabellion run s3://bucket/crawl.warc.gz --into postgresql://host/tables --files s3://bucket/tables \\
    --originals refer --cluster tcp://scheduler:8786 [dim]· workers on other machines; files in object storage[/dim]

Stop it at any time and call it again: it continues where it stopped."""


@choosing_methods
def run(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Files, folders, patterns, addresses, @FILE with a list of them, WARC and WACZ archives, "
            "or Parquet files of Common Crawl's index.",
        ),
    ],
    into: Annotated[str, typer.Option("--into", metavar="LIBRARY", help="The library: a folder or a PostgreSQL URL.")],
    cluster: Annotated[
        str,
        typer.Option(metavar="CLUSTER", help="local, local:N, the address of a Dask scheduler, or its scheduler file."),
    ] = "local",
    files: FilesOption = None,
    originals: Annotated[
        Originals,
        typer.Option(
            metavar="WHAT",
            help="keep: store a copy of every document. refer: store only its address.",
        ),
    ] = "keep",
    archives: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="Where the archives lie that a list or an index names without an address, such as "
            "https://data.commoncrawl.org. Else the nearest folder above it that has them.",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Print the whole report as JSON on standard output.")
    ] = False,
    weights: WeightsOption = None,
    limit: LimitOption = None,
    methods: Methods | None = None,
) -> None:
    """Read many documents into the library, on one machine or on a cluster."""
    settings = build_settings(methods=methods, weights=weights, limit=limit)
    from tabellion.scale import run_sources

    with opened_library(into, files, create=True) as store, _Progress(sources, archives) as progress:
        done = run_sources(
            sources, store, cluster, settings, progress.advance, originals, progress.tell_cluster, archives
        )
    _tell(done)
    if report:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
    raise typer.Exit(1 if done.failures else 0)


class _Progress:
    """How far a run is, on standard error: one line that changes at a terminal, a line for each failure."""

    def __init__(self, sources: list[str], archives: str | None) -> None:
        self.live = sys.stderr.isatty()
        self.start = self.drawn = time.monotonic()
        self.ahead = 0  # documents that there are, as far as they are counted
        self.counted = False
        self.sources, self.archives = sources, archives

    def __enter__(self) -> _Progress:
        if self.live:  # counted beside the run: only so is it known how long it takes
            threading.Thread(target=self._count, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K")

    def tell_cluster(self, dashboard: str) -> None:
        """Where the cluster can be watched."""
        if self.live:
            typer.echo(f"the cluster at work: {dashboard}", err=True)

    def advance(self, done: ReadDocument, report: RunReport) -> None:
        from tabellion.cli.messages import complain

        if done.kind:
            if self.live:
                sys.stderr.write("\r\x1b[K")
            complain(done.note)
        now = time.monotonic()
        if self.live and now > self.drawn + _DRAWN:
            self.drawn = now
            sys.stderr.write(f"\r\x1b[K{describe_progress(report, now - self.start, self.counted and self.ahead)}")
            sys.stderr.flush()

    def _count(self) -> None:
        from tabellion.errors import TabellionError
        from tabellion.scale import expand_places

        for source in self.sources:
            try:
                for _ in expand_places([source], self.archives):
                    self.ahead += 1
            except TabellionError:  # the run tells it
                self.ahead += 1
        self.counted = True


def describe_progress(report: RunReport, seconds: float, ahead: int) -> str:
    """How far a run is; `ahead` is how many documents there are, 0 as long as they are being counted.

    >>> from tabellion.scale import RunReport
    >>> from collections import Counter
    >>> describe_progress(RunReport(Counter(added=90, error=10), tables=120), 50.0, 400)
    '100 of 400 documents, 120 tables, 2.0 a second, 10 not read, 2:30 left'
    """
    done = sum(report.documents.values())
    rate = done / max(seconds, 1e-9)
    said = [
        f"{done:,}{f' of {ahead:,}' if ahead else ''} documents",
        f"{report.tables:,} tables",
        f"{rate:.1f} a second",
    ]
    if report.documents["error"]:
        said.append(f"{report.documents['error']:,} not read")
    if ahead and done:
        left = int(max(0, ahead - done) / rate)
        hours, minutes = divmod(left // 60, 60)
        said.append(f"{f'{hours}:{minutes:02}' if hours else minutes}:{left % 60:02} left")
    return ", ".join(said)


def _tell(report: RunReport) -> None:
    """What was done, in some lines on standard error."""
    counts = report.documents
    said = [f"{counts[status]:,} {status}" for status in ("added", "replaced", "unchanged") if counts[status]]
    if counts["error"]:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.failures.most_common())
        said.append(f"{counts['error']:,} not read ({kinds})")
    if counts["passed over"]:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.unfit.most_common(5))
        said.append(f"{counts['passed over']:,} records passed over ({kinds})")
    rate = sum(counts.values()) / max(report.seconds, 1e-9)
    typer.echo(
        f"{', '.join(said) or 'nothing to read'}: {report.tables:,} tables, {report.values:,} values "
        f"in {report.seconds:.0f} s ({rate:.1f} documents per second)",
        err=True,
    )
    if report.resumed:
        typer.echo(f"  {report.resumed:,} batches had been done by an earlier call", err=True)
    for kind, count in report.kinds.most_common():
        each = report.kind_seconds[kind] / count
        typer.echo(f"  {kind}: {count:,}, {each:.3f} s and {report.kind_bytes[kind] // count:,} bytes each", err=True)
    for seconds, source in report.slowest[:3]:
        if seconds > 1:
            typer.echo(f"  slow: {source} took {seconds} s", err=True)
