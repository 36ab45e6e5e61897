"""Documents read on several cores, with the results in the order given.

In: sources and one job to do on each. Out: one outcome per source, as soon as it and all before it are done. A document
that brings its worker down is tried once more alone; the others go on in new workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess

from tabellion.cli.batch import STANDARD_INPUT, Failure, Job, Outcome, attempt, attempt_whole

AHEAD = 2  # documents in work for each core: enough to keep it busy, few enough to hold their results


def run_parallel(job: Job, sources: Iterable[str], cores: int) -> Iterator[Outcome]:
    """The outcome of each source, in order."""
    waiting: deque[tuple[str, Future[Outcome] | None]] = deque()
    pool = _pool(cores)
    try:
        todo = iter(sources)
        while True:
            while len(waiting) < cores * AHEAD and (source := next(todo, None)) is not None:
                waiting.append((source, None if source == STANDARD_INPUT else pool.submit(attempt_whole, job, source)))
            if not waiting:
                return
            source, future = waiting.popleft()
            try:
                yield attempt(job, source) if future is None else future.result()
            except BrokenProcessPool:
                yield _attempt_alone(job, source)
                pool.shutdown(cancel_futures=True)
                pool = _pool(cores)
                waiting = deque((s, f and pool.submit(attempt_whole, job, s)) for s, f in waiting)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if waiting:  # interrupted: nobody will read what the workers are still at
            for worker in multiprocessing.active_children():
                worker.terminate()


def _attempt_alone(job: Job, source: str) -> Outcome:
    """Once more in a worker of its own, to learn whether it was this document that brought the worker down."""
    with _pool(1) as pool:
        try:
            return pool.submit(attempt_whole, job, source).result()
        except BrokenProcessPool:
            return Outcome(source, failure=Failure("crash", f"{source}: the worker that read it was killed"))


def _pool(cores: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(cores, mp_context=context, initializer=_begin_worker)


def _begin_worker() -> None:
    """Ctrl-C is for the parent, which ends its workers; where the parent is killed, they end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
