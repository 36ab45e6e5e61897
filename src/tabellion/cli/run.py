"""`tabellion run`: many documents into the library, on the workers of a cluster."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tabellion.cli.options import (
    FilesOption,
    LimitOption,
    Methods,
    WeightsOption,
    build_settings,
    choosing_methods,
    opened_library,
)

Originals = Literal["keep", "refer"]
_DRAWN = 0.2  # seconds between two lines of progress

if TYPE_CHECKING:
    from tabellion.scale import ReadDocument, RunReport

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion run reports/ pages.warc.gz --into library/ [dim]· on all cores of this machine[/dim]

[dim]$[/dim] tabellion run @addresses.txt --into library/ --cluster local:2 [dim]· a list, two workers[/dim]

[dim]$[/dim] tabellion run s3://bucket/crawl.warc.gz --into postgresql://host/tables --files s3://bucket/tables \\
    --originals refer --cluster tcp://scheduler:8786 [dim]· workers on other machines; files in object storage[/dim]

Stop it at any time and call it again: it goes on where it was."""


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
        typer.Option(
            metavar="CLUSTER", help="local, local:N, the address of a Dask scheduler, or the file that it wrote."
        ),
    ] = "local",
    files: FilesOption = None,
    originals: Annotated[
        Originals,
        typer.Option(
            metavar="WHAT",
            help="keep: a copy of every document. refer: only where it lies, where it is read again when it is needed.",
        ),
    ] = "keep",
    report: Annotated[
        bool, typer.Option("--report", help="Print the whole report as JSON on standard output.")
    ] = False,
    weights: WeightsOption = None,
    limit: LimitOption = None,
    methods: Methods | None = None,
) -> None:
    """Read many documents into the library, on one machine or many."""
    settings = build_settings(methods=methods, weights=weights, limit=limit)
    from tabellion.scale import run_sources

    with opened_library(into, files, create=True) as store, _Progress(sources) as progress:
        done = run_sources(sources, store, cluster, settings, progress.advance, originals, progress.tell_cluster)
    _tell(done)
    if report:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
    raise typer.Exit(1 if done.failures else 0)


class _Progress:
    """How far a run is, on standard error: one line that changes at a terminal, a line for each failure."""

    def __init__(self, sources: list[str]) -> None:
        self.live = sys.stderr.isatty()
        self.start = self.drawn = time.monotonic()
        self.ahead = 0  # documents that there are, as far as they are counted
        self.counted = False
        self.sources = sources

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
                for _ in expand_places([source]):
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
