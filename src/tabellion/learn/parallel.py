"""Work on many documents by several processes, where the command was given several.

In: a function of the top level of a module, and what it is to be called with. Out: the results, in order. Nothing is
spread unless `use_processes` was called, and never from within a process that is itself one of several.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

FORK = multiprocessing.get_context("fork")
"""Children see what their parent has read: documents are read once."""

_processes = 1


def use_processes(count: int) -> None:
    """From now on work is spread over so many processes."""
    global _processes
    _processes = count


def spread(task: Callable[[Item], Result], items: Iterable[Item], chunk: int = 4) -> list[Result]:
    """What a function makes of each item."""
    todo = list(items)
    if _processes == 1 or len(todo) < 2 or multiprocessing.parent_process() is not None:
        return [task(item) for item in todo]
    with ProcessPoolExecutor(max_workers=min(_processes, len(todo)), mp_context=FORK) as pool:
        return list(pool.map(task, todo, chunksize=chunk))
