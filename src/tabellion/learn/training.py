"""Training all parts, or some: groups that share nothing beside each other, the parts of a group one after the other.

In: the names of parts, and a folder for weights by fold where they are wanted. Out: weights and cards in the folders.
Parts that learn from readings by fold (how far a reading can be trusted) come last; the folds are trained before them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tabellion.learn.cards import code_state
from tabellion.learn.corpora import FOLDS, corpora_root
from tabellion.learn.parts import PARTS, SHEETS, Part, stale_weights
from tabellion.weights import SHIPPED, forget_loaded

Target = tuple[Path, int | None]
"""A folder, and the fold whose documents its weights must not see."""


def default_folds() -> Path:
    """Where weights by fold are kept between runs."""
    return corpora_root().parent / "folds"


def fold_targets(folds: Path) -> list[Target]:
    """A folder for each fold."""
    return [(folds / f"fold{fold}", fold) for fold in range(FOLDS)]


def train_parts(names: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train parts into folders, groups beside each other where there are several and more than one processor."""
    groups: dict[str, list[str]] = {}
    for name, part in PARTS.items():
        if name in names and not part.from_readings:
            groups.setdefault(part.group, []).append(name)
    for folder, _ in targets:
        folder.mkdir(parents=True, exist_ok=True)
    workers = min(workers or os.cpu_count() or 1, len(groups))
    if workers <= 1:
        for group in groups.values():
            _train_group(group, targets)
        return
    with ProcessPoolExecutor(max_workers=workers) as pool:
        for done in [pool.submit(_train_group, group, targets) for group in groups.values()]:
            done.result()


def _train_group(names: Sequence[str], targets: Sequence[Target]) -> None:
    read_code(names)
    for folder, left_out in targets:
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


def train_missing(groups: Sequence[str], folds: Path) -> None:
    """Train by fold what is not there yet of some groups of parts, or is older than its code."""
    stale = {one.part for folder, _ in fold_targets(folds) for one in stale_weights(folder)}
    train_parts([name for name in stale if PARTS[name].group in groups], fold_targets(folds))


def train_shipped(names: Sequence[str], folds: Path, workers: int | None = None) -> None:
    """Train parts into the folder of the shipped weights; those that need weights by fold get them under `folds`."""
    train_parts(names, [(SHIPPED, None)], workers)
    later = [PARTS[name] for name in names if PARTS[name].from_readings]
    if later:
        sheets = [name for name, part in PARTS.items() if part.group == SHEETS]
        train_parts(sheets, fold_targets(folds), workers)
        for part in later:
            _train_later(part, folds)


def _train_later(part: Part, folds: Path) -> None:
    read_code([part.name])
    start = time.monotonic()
    part.train_from_readings(SHIPPED, folds)
    forget_loaded()
    sys.stderr.write(f"{SHIPPED}: {part.name} in {time.monotonic() - start:.0f} s\n")
