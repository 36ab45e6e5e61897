"""Documents read in a worker, under hard bounds of time and memory: bytes and settings in, an extraction out.

What a document may cost is `Settings.limits`; a worker that passes `seconds` or `memory` is ended and replaced, and the
document is refused with a `TooLargeError` that names the limit. One that brings its worker down gives a `CrashError`.
The command line and the servers read so; in Python `extract(..., isolated=True)` and `open_library(..., isolated=True)`
do. Workers of `readers` are kept from document to document, and end with this process.
"""

from __future__ import annotations

import atexit
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read import Watch
from tabellion.read.limits import Limits
from tabellion.read.sources import STANDARD_INPUT
from tabellion.workers import Crew, LimitPassedError, WorkerLostError, explain_reading, reading_bounds, tell_page

Made = TypeVar("Made")
_crews: dict[str, Crew] = {}
_lock = threading.Lock()
_OPENERS = 2  # so that a large document does not keep a small one waiting
_ASKERS = 8  # answers that one program may hold open at the same time


@atexit.register
def _clear_up() -> None:
    """Take away the profiles of Chromium, which workers leave: they are killed when all is done."""
    if any(Path(tempfile.gettempdir()).glob("tabellion-chromium-*")):
        from tabellion.read.chromium.process import sweep_folders

        sweep_folders()


def readers(*, fork: bool = False) -> Crew:
    """The workers of this process that read documents: one, which is started when it is first needed.

    With `fork` it is forked now, which costs next to nothing: for a command that has opened no library yet.
    """
    return _crew("readers", 1, fork=fork)


def openers() -> Crew:
    """The workers of this process that open documents to be looked at and repaired, whatever `readers` are at."""
    return _crew("openers", _OPENERS)


def askers() -> Crew:
    """The workers of this process that answer questions in SQL; each is started when it is first needed."""
    return _crew("askers", _ASKERS)


def _crew(name: str, count: int, *, fork: bool = False) -> Crew:
    with _lock:
        if name not in _crews or _crews[name].closed:
            _crews[name] = Crew(count, fork=fork)
            atexit.register(_crews[name].close)
        return _crews[name]


def extract_isolated(
    source: str | Path | bytes, settings: Settings = Settings(), watch: Watch | None = None, crew: Crew | None = None
) -> Extraction:
    """What `extract_document` gives, from a worker."""
    return do_reading(
        _extract, source, settings, watch is not None, limits=settings.limits, crew=crew, name=source, watch=watch
    )


def do_reading(
    work: Callable[..., Made],
    *given: object,
    limits: Limits,
    name: object,
    crew: Crew | None = None,
    watch: Watch | None = None,
    piece: Callable[[bytes], object] | None = None,
) -> Made:
    """What `work(*given)` returns in a worker that reads one document, called `name`, under its limits."""
    called = "<bytes>" if isinstance(name, bytes) else str(name)
    said = sys.stdin.buffer.read(limits.bytes + 1) if called == STANDARD_INPUT else None
    bounds = reading_bounds(limits, called)
    try:
        return (crew or readers()).do(work, *given, bounds=bounds, piece=piece, watch=watch, standard_input=said)
    except (LimitPassedError, WorkerLostError) as error:
        raise explain_reading(called, error, limits) from None


def read_in(crew: Crew | None, work: Callable[..., Made], *given: object, limits: Limits, name: object) -> Made:
    """What `work(*given)` returns: in a worker of the crew, or here where there is none."""
    return work(*given) if crew is None else do_reading(work, *given, limits=limits, name=name, crew=crew)


def _extract(source: str | Path | bytes, settings: Settings, watched: bool) -> Extraction:
    return extract_document(source, settings, tell_page if watched else None)
