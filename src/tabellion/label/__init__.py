"""What each row of a grid is for, and the frames among them. `label_grid` enters the room."""

from __future__ import annotations

from typing import Literal

from tabellion.model.frame import Labelled
from tabellion.model.grid import Grid
from tabellion.weights import Weights


def label_grid(grid: Grid, weights: Weights, method: Literal["boosted", "crf", "paper"] = "boosted") -> Labelled:
    """Label the rows of a grid and find its frames; what is no table of data yields none."""
    from tabellion.label.frames import find_frames
    from tabellion.label.kind import judge_kind, keeps_frames
    from tabellion.label.row_labels import label_rows

    labels = label_rows(grid, weights, method)
    frames = find_frames(labels, weights)
    kind, probability = judge_kind(labels, frames)
    return Labelled(
        labels=labels,
        frames=tuple(frames) if keeps_frames(kind) else (),
        kind=kind,
        kind_probability=probability,
    )
