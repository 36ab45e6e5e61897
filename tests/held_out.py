"""Weights by fold, which have not seen the documents that tests read with them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tabellion.learn.parts import PARTS, stale_weights
from tabellion.learn.training import fold_targets, train_parts

KEPT = Path(__file__).parent / "learn" / "held_out"


def weights_by_fold(folder: Path, parts: Sequence[str]) -> Path:
    """Those that are kept (`make keep-folds`), as far as they come from the code as it is; the rest is trained.

    Or those of TABELLION_FOLDS, for a quick look while working.
    """
    if os.environ.get("TABELLION_FOLDS"):
        return Path(os.environ["TABELLION_FOLDS"])
    names = {name for part in parts for name in PARTS[part].weights}
    targets = fold_targets(folder)
    for target, _ in targets:
        target.mkdir()
        for path in (KEPT / target.name).glob("*"):
            if path.name.partition(".")[0] in names:
                shutil.copy(path, target)
    stale = {one.part for target, _ in targets for one in stale_weights(target)}
    train_parts([part for part in parts if part in stale], targets, workers=1)
    return folder
