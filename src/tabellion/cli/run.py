"""`tabellion run`: many documents into the library, on the workers of a cluster."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from tabellion.scale import ReadDocument, RunReport

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion run reports/ pages.warc.gz --into library/ [dim]· on all cores of this machine[/dim]

[dim]$[/dim] tabellion run @addresses.txt --into library/ --cluster local:2 [dim]· a list, two workers[/dim]

[dim]$[/dim] tabellion run s3://bucket/crawl.warc.gz --into postgresql://host/tables --files /srv/tables \\
    --cluster tcp://scheduler:8786 [dim]· workers on other machines, which all see /srv/tables[/dim]

Stop it at any time and run it again: what the library has is passed over."""


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
    report: Annotated[
        bool, typer.Option("--report", help="Print the whole report as JSON on standard output.")
    ] = False,
    weights: WeightsOption = None,
    limit: LimitOption = None,
    methods: Methods | None = None,
) -> None:
    """Read many documents into the library, on one machine or many."""
    settings = build_settings(methods=methods, weights=weights, limits=limit)
    from tabellion.scale import run_sources

    with opened_library(into, files, create=True) as store, _Progress() as progress:
        done = run_sources(sources, store, cluster, settings, progress.advance)
    _tell(done)
    if report:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
    raise typer.Exit(1 if done.failures else 0)


class _Progress:
    """How far a run is, on standard error: one line that changes at a terminal, a line for each failure."""

    def __init__(self) -> None:
        self.documents = 0
        self.live = sys.stderr.isatty()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live:
            sys.stderr.write("\r\x1b[K")

    def advance(self, done: ReadDocument) -> None:
        from tabellion.cli.messages import complain

        self.documents += 1
        if done.kind:
            if self.live:
                sys.stderr.write("\r\x1b[K")
            complain(done.note)
        if self.live and self.documents % 10 == 0:
            sys.stderr.write(f"\r{self.documents:,} documents")
            sys.stderr.flush()


def _tell(report: RunReport) -> None:
    """What was done, in some lines on standard error."""
    counts = report.documents
    said = [f"{counts[status]:,} {status}" for status in ("added", "replaced", "unchanged") if counts[status]]
    if counts["error"]:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in report.failures.most_common())
        said.append(f"{counts['error']:,} not read ({kinds})")
    rate = sum(counts.values()) / max(report.seconds, 1e-9)
    typer.echo(
        f"{', '.join(said) or 'nothing to read'}: {report.tables:,} tables, {report.values:,} values "
        f"in {report.seconds:.0f} s ({rate:.1f} documents per second)",
        err=True,
    )
    for kind, count in report.kinds.most_common():
        typer.echo(f"  {kind}: {count:,}", err=True)
    for seconds, source in report.slowest[:3]:
        if seconds > 1:
            typer.echo(f"  slow: {source} took {seconds} s", err=True)
