"""Workers: processes that do one task after the other under hard bounds of time and memory.

`Crew(count).do(work, *given, bounds=...)` is the whole of it: a function of values in, its value out, in another
process. Documents and queries are strangers' work; in a worker they can cost no more than they may, whatever the
library that reads them does. A worker is no sandbox: it has the rights of its parent.
"""

from tabellion.workers.crew import Crew, Worker
from tabellion.workers.inside import (
    Bounds,
    BusyError,
    LimitPassedError,
    WorkerLostError,
    explain_reading,
    hand_over,
    reading_bounds,
    tell_page,
)

__all__ = [
    "Bounds",
    "BusyError",
    "Crew",
    "LimitPassedError",
    "Worker",
    "WorkerLostError",
    "explain_reading",
    "hand_over",
    "reading_bounds",
    "tell_page",
]
