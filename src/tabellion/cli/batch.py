"""The documents that a call names, read one after the other or on several cores.

Many documents one after the other or on several cores, with the results in the order given. A document that cannot be
read, or that brings a worker down, gives an outcome with an error and the rest goes on. In: sources and one job to do
on each. Out: one outcome per source, as soon as it and all before it are done.

What the SOURCE arguments of a call name: files, folders, globs, and `-` for standard input. In: the arguments. Out: one
source per document, in the order given. A folder or a glob that holds no document is kept as it was given, so that it
is reported as one that could not be read and never silently dropped.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tabellion.errors import SourceMissingError, TabellionError

STANDARD_INPUT = "-"
ENDINGS = (
    *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlt", ".xlsb", ".ods", ".ots", ".csv", ".tsv", ".tab"),
    *(".html", ".htm", ".xhtml", ".mht", ".mhtml", ".pdf"),
)
PACKED = ".gz"


def expand_sources(given: Iterable[str]) -> Iterator[str]:
    """Every document that the arguments name."""
    for source in given:
        path = Path(source)
        if source == STANDARD_INPUT or path.is_file():
            yield source
        elif path.is_dir():
            yield from list_documents(path) or [source]
        elif glob.has_magic(source):
            yield from expand_glob(source) or [source]
        else:
            yield source


def list_documents(folder: Path) -> list[str]:
    """The documents under a folder by their endings, hidden files and lock files left out."""
    found = (
        path
        for path in folder.rglob("*")
        if path.name.lower().removesuffix(PACKED).endswith(ENDINGS)
        and not any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
        and path.is_file()
    )
    return sorted(str(path) for path in found)


def expand_glob(pattern: str) -> list[str]:
    """The files that a pattern names, and the documents of the folders it names."""
    found: list[str] = []
    for match in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        found.extend([match] if Path(match).is_file() else list_documents(Path(match)))
    return list(dict.fromkeys(found))


def why_nothing(source: str) -> str | None:
    """Why a source that names no file stands for nothing; None where it is a file or standard input."""
    path = Path(source)
    if source == STANDARD_INPUT or path.is_file():
        return None
    if path.is_dir():
        return "no spreadsheet, web page or PDF file in this folder"
    if glob.has_magic(source) and not path.exists():
        return "no file matches this pattern"
    return None


class Failure(NamedTuple):
    """Why a document gave nothing: a stable word, a line for people, and for our own defects where it was."""

    kind: str
    note: str
    trace: str = ""


class Outcome(NamedTuple):
    """What came of one document: the text to print, in pieces where it is very long, or a failure."""

    source: str
    text: Iterable[bytes] = ()
    tables: int = 0
    tuples: int = 0
    issues: int = 0
    failure: Failure | None = None
    unread: tuple[str, ...] = ()  # what could not be read of it, one line each


Job = Callable[[str], Outcome]


def run_batch(job: Job, sources: Iterable[str], cores: int = 1) -> Iterator[Outcome]:
    """The outcome of each source, in order."""
    if cores <= 1:
        return (attempt(job, source) for source in sources)
    from tabellion.cli.parallel import run_parallel  # one document costs no pool of processes

    return run_parallel(job, sources, cores)


def attempt(job: Job, source: str) -> Outcome:
    """Do the job on one source; whatever goes wrong becomes an outcome."""
    if nothing := why_nothing(source):
        return Outcome(source, failure=Failure(SourceMissingError.kind, f"{source}: {nothing}"))
    try:
        return job(source)
    except Exception as error:
        return Outcome(source, failure=explain(source, error))


def explain(source: str, error: Exception) -> Failure:
    """What is said of an exception: our own errors speak for themselves, anything else is a defect."""
    if isinstance(error, TabellionError):
        return Failure(error.kind, str(error))
    if isinstance(error, MemoryError):
        return Failure("memory", f"{source}: not enough memory to read it")
    import traceback

    note = f"{source}: a defect of tabellion, please report it ({type(error).__name__}: {error})"
    return Failure("defect", " ".join(note.split()), "".join(traceback.format_exception(error)))


def attempt_whole(job: Job, source: str) -> Outcome:
    """The same with the text as a whole, so that it can be handed from a worker to its parent."""
    outcome = attempt(job, source)
    return outcome._replace(text=[b"".join(outcome.text)])
