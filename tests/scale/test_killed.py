"""Whatever part of a run is killed, it ends the same; `make kills` does the same fifty times."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import disturbing
import pytest

pytest.importorskip("distributed")


def test_a_run_ends_the_same_whatever_part_of_it_is_killed(tmp_path: Path) -> None:
    counts = {"worker": 1, "scheduler": 1, "driver": 1}
    if disturbing.has_server():  # else there is no connection to a database that could be lost
        counts["connection"] = 1
    with disturbing.databases() if disturbing.has_server() else nullcontext() as databases:
        assert disturbing.try_kills(counts, tmp_path, databases) == []
