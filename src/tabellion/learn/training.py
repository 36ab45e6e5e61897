"""Training all parts, or some: groups of parts beside each other, the parts of a group one after the other.

In: the names of parts, and targets: a folder for weights each, and what they must not see. Out: weights and cards in
the folders. Documents are read once, by all processes; then each process trains a group of parts for a target. Parts
that learn from readings (how far a reading can be trusted) come last; weights by fold are trained before them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

from tabellion.learn.cards import code_state
from tabellion.learn.corpora import FOLDS, KIN, LeftOut, corpora_root, without
from tabellion.learn.memory import FORK, use_processes
from tabellion.learn.parts import LEARNED_FROM, PARTS, READ_FIRST, SHEETS, Target, stale_weights
from tabellion.weights import SHIPPED, forget_loaded


def default_folds() -> Path:
    """Where weights by fold are kept between runs."""
    return corpora_root().parent / "folds"


def fold_targets(folds: Path) -> list[Target]:
    """A folder for each fold."""
    return [(folds / f"fold{fold}", fold) for fold in range(FOLDS)]


def corpus_targets(folds: Path, groups: Sequence[str] = tuple(LEARNED_FROM)) -> list[Target]:
    """A folder for each corpus that some groups of parts learn from: weights that have seen all the others."""
    corpora = (corpus for group in groups for corpus in LEARNED_FROM[group] if corpus not in KIN)
    return [(folds / without(corpus), corpus) for corpus in corpora]


def train_parts(names: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train parts into folders, by several processes where there are several processors."""
    for folder, _ in targets:
        folder.mkdir(parents=True, exist_ok=True)
    tasks = list(_tasks(names, targets))
    workers = min(workers or os.cpu_count() or 1, len(tasks))
    read_code(names)
    if workers <= 1:
        for task in tasks:
            _train(*task)
        return
    use_processes(workers)
    for group in dict.fromkeys(PARTS[parts[0]].group for parts, _, _ in tasks):
        for place in READ_FIRST[group]:
            module, _, function = place.rpartition(".")
            getattr(import_module(f"tabellion.learn.{module}"), function)()
    with ProcessPoolExecutor(max_workers=workers, mp_context=FORK) as pool:
        for done in [pool.submit(_train, *task) for task in tasks]:
            done.result()


def _tasks(names: Sequence[str], targets: Sequence[Target]) -> Iterator[tuple[list[str], Path, LeftOut]]:
    """Parts that are trained one after the other, with their folder; those that take longest come first."""
    for group in reversed(LEARNED_FROM):
        for folder, left_out in targets:
            parts = [
                name
                for name, part in PARTS.items()
                if name in names and part.group == group and not part.from_readings and part.can_leave_out(left_out)
            ]
            if parts:
                yield parts, folder, left_out


def _train(names: Sequence[str], folder: Path, left_out: LeftOut) -> None:
    for name in names:
        start = time.monotonic()
        PARTS[name].train(folder, left_out)
        forget_loaded()
        sys.stderr.write(f"{folder}: {name} in {time.monotonic() - start:.0f} s\n")


def read_code(names: Sequence[str]) -> None:
    """Take down the state of the code that runs: files may be edited while it trains, and cards must not tell that."""
    code_state()
    for name in names:
        _ = PARTS[name].digests


def train_missing(groups: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train what is not there yet of some groups of parts, or is older than its code."""
    stale = {
        one.part
        for folder, left_out in targets
        for one in stale_weights(folder)
        if PARTS[one.part].can_leave_out(left_out)
    }
    train_parts([name for name in stale if PARTS[name].group in groups], targets, workers)


def train_shipped(names: Sequence[str], folds: Path, workers: int | None = None) -> None:
    """Train parts into the folder of the shipped weights; those that need weights by fold get them under `folds`."""
    train_parts(names, [(SHIPPED, None)], workers)
    if any(PARTS[name].from_readings for name in names):
        train_missing([SHEETS], fold_targets(folds), workers)
        train_from_readings(names, [(SHIPPED, None)], folds, workers)


def train_from_readings(names: Sequence[str], targets: Sequence[Target], folds: Path, workers: int | None) -> None:
    """Train the parts that learn from readings by the weights under `folds`."""
    later = [name for name in names if PARTS[name].from_readings]
    read_code(later)
    use_processes(workers or os.cpu_count() or 1)
    for name in later:
        start = time.monotonic()
        PARTS[name].train_from_readings([t for t in targets if PARTS[name].can_leave_out(t[1])], folds)
        forget_loaded()
        sys.stderr.write(f"{name} for {len(targets)} folders in {time.monotonic() - start:.0f} s\n")
