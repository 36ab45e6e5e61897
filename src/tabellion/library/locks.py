"""Locks between processes, by files: gone with the process that holds them, however it ends.

In: the path of a lock file. Out: a context. Writers share one lock, so that what looks like leavings of a killed
writer is cleared away only while nobody writes; the index has one that only one process holds.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 0.05  # seconds between two tries to get a lock


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: float = 0.0) -> Iterator[bool]:
    """Whether the lock was got within `wait` seconds; it is given back at the end."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield _acquire(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, time.monotonic() + wait)
    finally:
        os.close(handle)


def _acquire(handle: int, how: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(PATIENCE)
        else:
            return True
