"""`tabellion verify`, `rebuild`, `remove`, `backup`, `restore`: a library checked, made anew, thinned out, copied."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, JobsOption, LibraryOption, TraceOption, opened_library, reading_with

if TYPE_CHECKING:
    from tabellion.cli.batch import Outcome
    from tabellion.library.library import Library
    from tabellion.library.mending import Mending
    from tabellion.pipeline import Settings
    from tabellion.workers import Crew

REBUILD_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion rebuild [dim]· read every stored document again, then make the index anew[/dim]

[dim]$[/dim] tabellion rebuild --index [dim]· the index only[/dim]"""


@reading_with("weights", "limit")
def rebuild(
    library: LibraryOption = None,
    files: FilesOption = None,
    index: Annotated[bool, typer.Option("--index", help="Rebuild only the index.")] = False,
    shards: Annotated[
        int | None,
        typer.Option(
            "--shards",
            metavar="N",
            min=1,
            max=64,
            help="The number of parts of the index. Default: one for every 250,000 documents.",
        ),
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete originals that belong to no document.")] = False,
    jobs: JobsOption = 0,
    trace: TraceOption = False,
    *,
    settings: Settings,
) -> None:
    """Repair damage, read the stored documents again and rebuild the index."""
    from tabellion.library.files import make_way, take_away
    from tabellion.workers import Crew

    with Crew(0 if index else jobs or os.cpu_count() or 1, fork=True) as crew:  # forked before anything is opened
        failures = _salvage(library)
        with opened_library(library, files) as store:
            make_way(store.folder)
            store.folder.applied.unlink(missing_ok=True)  # so that the index is thrown away before it is looked into
            take_away(store.folder.graph)  # made anew when it is next asked
            if not index:
                job = partial(reread, library=library, files=files)
                failures += _read_all(store, job, settings, crew, forget=forget, trace=trace)
            store.index.rebuild(shards)
    raise typer.Exit(1 if failures else 0)


def _read_all(
    store: Library, job: partial[Outcome], settings: Settings, crew: Crew, *, forget: bool, trace: bool
) -> int:
    """Mend the rows of documents and read each again; how many could not be read, and what else is lost."""
    from tabellion.cli.batch import run_batch
    from tabellion.cli.messages import Progress
    from tabellion.library.mending import Mending, mend_rows, settle_rows
    from tabellion.library.reading import unpack_reading
    from tabellion.library.verify import sweep, tell_orphans

    settings = store.settle(settings)
    failures = _say_all(mend_rows(store))
    held = {document.id: document.sha256 for document in store.documents()}
    with (
        Progress(len(held), trace=trace) as progress,
        store.writing_documents(again=True, settings=settings) as writer,
        store.writing_documents(settings=settings) as other,
    ):
        for outcome in run_batch(partial(job, settings=settings), held, limits=settings.limits, crew=crew):
            if outcome.failure:
                failures += 1
            else:
                reading = unpack_reading(b"".join(outcome.text))
                (writer if held.get(reading.document_id) == reading.sha256 else other).write(reading)
            progress.advance(outcome)
        writer.flush()
        other.flush()
    settle_rows(store)
    sweep(store.folder, store.catalogue, always=True, forget=forget)
    return failures + _say_all(Mending([], tell_orphans(store)))


def _say_all(done: Mending) -> int:
    """Say what was mended and what is lost; how much is lost."""
    from tabellion.cli.messages import complain

    for note in (*done.notes, *done.lost):
        complain(note)
    return len(done.lost)


def _salvage(library: str | None) -> int:
    """Where the catalogue's file is damaged, make a new one of what can be read of it; how much is lost."""
    from pathlib import Path

    from tabellion.cli.messages import explained
    from tabellion.library import require_packages
    from tabellion.library.files import Folder, default_place

    place = library or default_place()
    if "://" in place:
        return 0
    with explained(place, trace=False):
        require_packages()
        from tabellion.library.salvage import salvage_catalogue

        return _say_all(salvage_catalogue(Folder(Path(place))))


def reread(document_id: str, *, library: str | None, files: str | None, settings: Settings) -> Outcome:
    """Read one stored document again; runs in a worker."""
    from tabellion.cli.batch import Outcome
    from tabellion.library.reading import pack_reading
    from tabellion.library.verify import read_whole

    store = _opened_once(library, files)
    record = store.find(document_id)
    log = store.corrections([document_id]).get(document_id, ())
    reading = read_whole(record, store.folder.originals, settings, log)
    return Outcome(
        record.source,
        text=[pack_reading(reading)],
        tables=len(reading.tables),
        tuples=sum(table.tuples for table in reading.tables),
    )


@cache
def _opened_once(library: str | None, files: str | None) -> Library:
    """The library, opened once per worker."""
    from tabellion.library import open_library

    return open_library(library, files)


VERIFY_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion verify --library shared/ [dim]· every hash and count, and the index[/dim]

Exit status: 0 if nothing is wrong, 1 if something is; each fault is a line."""


def verify(library: LibraryOption = None, files: FilesOption = None) -> None:
    """Check the library for damage: hashes, counts, index."""
    with opened_library(library, files) as store:
        from tabellion.library.verify import verify_library

        faults = 0
        for fault in verify_library(store):
            typer.echo(fault)
            faults += 1
    raise typer.Exit(1 if faults else 0)


REMOVE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion remove report.xlsx [dim]· its tables are gone; its history and its original stay[/dim]

[dim]$[/dim] tabellion remove 8d92834a6d95b55c --forget [dim]· by its id; nothing of it stays[/dim]"""


def remove(
    names: Annotated[list[str], typer.Argument(metavar="DOCUMENT", help="Ids, paths or addresses of documents.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Also delete its history, corrections and original.")
    ] = False,
) -> None:
    """Remove documents from the library."""
    from tabellion.cli.messages import complain
    from tabellion.errors import LibraryError

    failed = False
    with opened_library(library, files) as store:
        for name in names:
            try:
                store.remove(name, forget=forget)
            except LibraryError as error:
                complain(str(error))
                failed = True
    raise typer.Exit(1 if failed else 0)


BACKUP_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion backup /mnt/backups/2026-05-01 [dim]· while others go on reading and writing[/dim]

[dim]$[/dim] tabellion backup copy --library postgresql://host/tables --files /srv/tables [dim]· into a folder[/dim]

A backup is a library itself: `tabellion search WORDS --library copy`."""


def backup(
    to: Annotated[str, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Copy the library to a folder, also while it is in use."""
    with opened_library(library, files) as store:
        from tabellion.library.upkeep import copy_library

        count = copy_library(store, to)
    typer.echo(f"{count:,} documents are kept in {to}", err=True)


RESTORE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion restore /mnt/backups/2026-05-01 --library shared/ [dim]· where there is no library yet[/dim]"""


def restore(
    source: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a backup.")],
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Create a library from a backup."""
    from tabellion.library.files import default_place

    place = library or default_place()
    with opened_library(source, None) as store:
        from tabellion.library.upkeep import copy_library

        count = copy_library(store, place, files)
    typer.echo(f"{count:,} documents are in the library again", err=True)
