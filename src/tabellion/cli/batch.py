"""The documents that a call names, read one after the other or on several cores.

Many documents one after the other or on several cores, each in a worker under its limits, with the results in the
order given. A document that cannot be read, or that brings a worker down, gives an outcome with an error and the rest
goes on. In: sources and one job to do on each. Out: one outcome per source, as soon as it and all before it are done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, NamedTuple

from tabellion.errors import SourceMissingError, TabellionError
from tabellion.isolated import do_reading
from tabellion.read import Watch
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.sources import why_nothing
from tabellion.workers import Crew, hand_over

if TYPE_CHECKING:
    from concurrent.futures import Future


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
_AHEAD = 2  # documents in work for each core: enough to keep it busy, few enough to hold their results
_IN_MEMORY = 32 * 2**20  # bytes of what is printed of a document; more of it waits on the disk
_TOGETHER = 1 << 20


def run_batch(
    job: Job,
    sources: Iterable[str],
    cores: int = 1,
    limits: Limits = DEFAULT,
    *,
    crew: Crew | None = None,
    watch: Watch | None = None,
    narrowed: Callable[[str], Job] | None = None,
) -> Iterator[Outcome]:
    """The outcome of each source, in order. `narrowed` gives a job for one source, where it need not know all."""
    with crew or Crew(cores) as workers:

        def work(source: str) -> Outcome:
            return attempt_apart(narrowed(source) if narrowed else job, source, limits, workers, watch)

        if workers.count == 1:
            yield from map(work, sources)
        else:
            yield from _in_order(work, sources, workers)


def _in_order(work: Job, sources: Iterable[str], workers: Crew) -> Iterator[Outcome]:
    """Several at a time; each comes once all before it have come."""
    from concurrent.futures import ThreadPoolExecutor  # one document needs no threads

    waiting: deque[Future[Outcome]] = deque()
    todo = iter(sources)
    pool = ThreadPoolExecutor(workers.count)
    try:
        while True:
            while len(waiting) < workers.count * _AHEAD and (source := next(todo, None)) is not None:
                waiting.append(pool.submit(work, source))
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        for one in waiting:
            one.cancel()
        workers.close()  # interrupted: nobody will read what the workers are still at
        pool.shutdown()


def attempt_apart(job: Job, source: str, limits: Limits, crew: Crew, watch: Watch | None = None) -> Outcome:
    """Do the job on one source in a worker; whatever goes wrong becomes an outcome."""
    if nothing := why_nothing(source):
        return Outcome(source, failure=Failure(SourceMissingError.kind, f"{source}: {nothing}"))
    text = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed once it was read
    try:
        outcome = do_reading(
            hand_over_outcome, job, source, limits=limits, name=source, crew=crew, watch=watch, piece=text.write
        )
    except Exception as error:
        text.close()
        return Outcome(source, failure=explain(source, error))
    return outcome._replace(text=_read_spool(text))


def _read_spool(file: SpooledTemporaryFile[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(_TOGETHER):
            yield piece


def hand_over_outcome(job: Job, source: str) -> Outcome:
    """Do the job in a worker; the text goes to the parent as it is made."""
    try:
        outcome = job(source)
        hand_over(outcome.text)
    except MemoryError:
        raise
    except Exception as error:
        return Outcome(source, failure=explain(source, error))
    return outcome._replace(text=())


def explain(source: str, error: Exception) -> Failure:
    """What is said of an exception: our own errors and those of the system speak for themselves, others are defects."""
    if isinstance(error, TabellionError):
        return Failure(error.kind, str(error))
    if isinstance(error, MemoryError):
        return Failure("memory", f"{source}: not enough memory to read it")
    import traceback

    if isinstance(error, OSError):  # a full disk, missing rights, a name that is too long
        return Failure("unreadable", f"{source}: {error}", "".join(traceback.format_exception(error)))
    note = f"{source}: a defect of tabellion, please report it ({type(error).__name__}: {error})"
    return Failure("defect", " ".join(note.split()), "".join(traceback.format_exception(error)))
