"""Whatever part of a run is killed, it ends the same; `make kills` does the same fifty times."""

from __future__ import annotations

from pathlib import Path

import disturbing
import pytest

pytest.importorskip("distributed")


@pytest.mark.parametrize("kind", ["worker", "scheduler", "driver"])
def test_a_run_ends_the_same_whatever_part_of_it_is_killed(kind: str, tmp_path: Path) -> None:
    assert disturbing.try_kills({kind: 1}, tmp_path, None) == []


def test_a_run_ends_the_same_when_its_connection_to_the_database_is_lost(tmp_path: Path) -> None:
    if not disturbing.has_server():
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    with disturbing.databases() as make:
        assert disturbing.try_kills({"connection": 1}, tmp_path, make) == []
