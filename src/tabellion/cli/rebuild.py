"""`tabellion rebuild`: tuples and index made anew from the stored documents."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import (
    FilesOption,
    LibraryOption,
    LimitOption,
    Methods,
    TraceOption,
    WeightsOption,
    build_settings,
    choosing_methods,
    opened_library,
)

if TYPE_CHECKING:
    from tabellion.cli.batch import Outcome
    from tabellion.library.library import Library
    from tabellion.pipeline import Settings

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion rebuild [dim]· read every stored document again, then make the index anew[/dim]

[dim]$[/dim] tabellion rebuild --index [dim]· the index only[/dim]"""


@choosing_methods
def rebuild(
    library: LibraryOption = None,
    files: FilesOption = None,
    index: Annotated[bool, typer.Option("--index", help="Make only the index anew.")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=0, help="Documents read at the same time; 0: one per core.")
    ] = 0,
    weights: WeightsOption = None,
    limit: LimitOption = None,
    trace: TraceOption = False,
    methods: Methods | None = None,
) -> None:
    """Read the stored documents again and rebuild the index."""
    settings = build_settings(methods=methods, weights=weights, limits=limit)
    failures = 0
    with opened_library(library, files) as store:
        if not index:
            from tabellion.cli.batch import run_batch
            from tabellion.cli.messages import Progress
            from tabellion.library.reading import unpack_reading
            from tabellion.library.verify import sweep

            settings = store.settle(settings)
            todo = [document.id for document in store.documents()]
            job = partial(reread, library=library, files=files, settings=settings)
            with (
                Progress(len(todo), trace=trace) as progress,
                store.writing_documents(again=True, settings=settings) as writer,
            ):
                for outcome in run_batch(job, todo, jobs or os.cpu_count() or 1):
                    if outcome.failure:
                        failures += 1
                    else:
                        writer.write(unpack_reading(b"".join(outcome.text)))
                    progress.advance(outcome)
                writer.flush()
            sweep(store.folder, store.catalogue, always=True)
        store.index.rebuild()
    raise typer.Exit(1 if failures else 0)


def reread(document_id: str, *, library: str | None, files: str | None, settings: Settings) -> Outcome:
    """Read one stored document again; runs in a worker."""
    from tabellion.cli.batch import Outcome
    from tabellion.library.reading import pack_reading
    from tabellion.library.verify import read_again

    store = _shelf(library, files)
    record = store.find(document_id)
    log = store.logs([document_id]).get(document_id, ())
    reading = read_again(record, store.folder.originals, settings, log)
    return Outcome(
        record.source,
        text=[pack_reading(reading)],
        tables=len(reading.tables),
        tuples=sum(table.tuples for table in reading.tables),
    )


@cache
def _shelf(library: str | None, files: str | None) -> Library:
    """The library, opened once per worker."""
    from tabellion.library import open_library

    return open_library(library, files)
