"""Many documents: order is kept, and one that fails does not stop the rest."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tabellion.cli.batch import Outcome, run_batch
from tabellion.errors import TruncatedError
from tabellion.workers.crew import _descendants


def job(source: str) -> Outcome:
    """Slow for early sources, so that the order of finishing is not that of starting."""
    if source.startswith("slow"):
        time.sleep(0.3)
    if source == "truncated":
        raise TruncatedError("truncated: ends too early")
    if source == "defect":
        raise KeyError("our own mistake")
    if source == "killer":
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome(source, text=[source.encode()])


@pytest.mark.parametrize("cores", [1, 2])
def test_outcomes_come_in_the_order_given(cores: int) -> None:
    sources = ["slow 1", "b", "c", "slow 2", "e"]
    assert [b"".join(outcome.text).decode() for outcome in run_batch(job, sources, cores)] == sources


@pytest.mark.parametrize("cores", [1, 2])
def test_a_failure_is_an_outcome_and_the_rest_goes_on(cores: int) -> None:
    outcomes = list(run_batch(job, ["a", "truncated", "defect", "z"], cores))
    assert [outcome.failure and outcome.failure.kind for outcome in outcomes] == [None, "truncated", "defect", None]
    assert "our own mistake" in outcomes[2].failure.note  # type: ignore[union-attr]
    assert "KeyError" in outcomes[2].failure.trace  # type: ignore[union-attr]


def test_a_document_that_kills_its_worker_does_not_take_the_others_along() -> None:
    outcomes = list(run_batch(job, ["a", "killer", "slow 1", "z"], 2))
    assert [outcome.failure and outcome.failure.kind for outcome in outcomes] == [None, "crash", None, None]


def test_leaving_a_run_early_ends_its_workers() -> None:
    before = set(_descendants(os.getpid()))  # of other tests in this process
    outcomes = run_batch(job, [f"slow {i}" for i in range(100)], 2)
    assert next(outcomes).source == "slow 0"
    assert len(set(_descendants(os.getpid())) - before) >= 2
    outcomes.close()  # type: ignore[attr-defined]
    assert not set(_descendants(os.getpid())) - before
