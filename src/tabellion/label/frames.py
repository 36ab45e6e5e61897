"""Blocks of rows to frames, and how sure the reading of each frame is.

Blocks of rows to frames: top, left and value rectangles (Chen and Cafarella 2013, section 3.1). In: labelled rows. Out:
frames, several where they stack or stand side by side (which the paper leaves out). The vertical extent of a frame
comes from the row labels, its horizontal extent from the cells of its head and body.

How sure the reading of a frame is: one calibrated probability. In: a frame with the probabilities that row and column
labelling left. Out: the probability that the whole reading (extent, headers, paths) is right, by a logistic regression
that was fitted on cross-validated readings.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.blocks import Block
from tabellion.label.columns import split_stub, stub_probabilities
from tabellion.model.frame import ROW_ROLES, Frame, Orientation, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.weights import Weights

CONFIDENCE_WEIGHTS = "confidence"
SIGNALS = ("rows", "doubtful rows", "head", "edges", "columns", "least column", "size", "head rows", "stub columns")

_BODY = [ROW_ROLES.index(role) for role in ("data", "group", "derived")]
_HEAD = [ROW_ROLES.index("header")]
_OUTSIDE = [ROW_ROLES.index("title"), ROW_ROLES.index("note")]


def confidence_signals(frame: Frame, stub: NDArray[np.float64]) -> NDArray[np.float64]:
    """What speaks for and against a reading; `stub` holds the probability of each column to be a stub."""
    probability = frame.labels.probability
    body = probability[np.ix_(frame.body_rows, _BODY)].sum(axis=1)
    head = probability[np.ix_(frame.header_rows, _HEAD)].sum(axis=1) if frame.header_rows else np.zeros(1)
    outside = [*frame.title_rows[-2:], *frame.note_rows[:2]]
    edge = np.concatenate([body[:2], body[-2:], probability[np.ix_(outside, _OUTSIDE)].sum(axis=1), [1.0]])
    column = np.maximum(stub, 1 - stub)
    sure = np.clip([body.mean(), 1 - (body < 0.8).mean(), head.min(), edge.min(), column.mean(), column.min()], 1e-3, 1)
    size = [np.log(len(frame.body_rows)), len(frame.header_rows), len(frame.stub_columns)]
    return np.array([*np.log(sure), *size])


def rate_confidence(frame: Frame, stub: NDArray[np.float64], weights: Weights) -> float:
    """The probability that the reading of a frame is right."""
    signals = confidence_signals(frame, stub)
    return round(float(weights.linear(CONFIDENCE_WEIGHTS, SIGNALS).probabilities(signals[None, :])[0]), 3)


SHORT_SIDE = 0.1  # a left band with fewer rows than this share of the right one's is not its stub
REMARKS = 0.1  # of the rows: a headless column at the right that is less filled holds remarks


def find_frames(labels: RowLabels, blocks: list[Block], weights: Weights) -> list[Frame]:
    """The frames of a labelled grid, in reading order."""
    found = []
    for block in blocks:
        sides = split_sides(labels.grid, block)
        found += [build_frame(labels, block, columns, weights) for columns in sides]
    return [frame for frame in found if frame is not None]


def covered_cells(grid: Grid) -> NDArray[np.bool_]:
    """Cells that say something, those that a filled span covers included."""
    return np.asarray(grid.content.ravel()[grid.home] != Content.EMPTY)


def split_sides(grid: Grid, block: Block) -> list[list[int]]:
    """The columns of the block, parted where tables stand side by side.

    A band of columns beyond a blank column is a table of its own if it has a head, a stub and values, or if it
    ends long before the rest does. Columns at the right without a head and with hardly a cell (note marks, remarks)
    belong to no table.
    """
    rows = block.header + block.body
    used = covered_cells(grid)[rows].any(axis=0)
    if not used.any():
        return []
    columns = np.nonzero(used)[0]
    cuts = np.nonzero(np.diff(columns) > 1)[0] + 1
    bands = [band.tolist() for band in np.split(columns, cuts)]
    sides: list[list[int]] = [bands[0]]
    for band in bands[1:]:
        if _stand_apart(grid, block, sides[-1], band):
            sides.append(band)
        else:
            sides[-1] = list(range(sides[-1][0], band[-1] + 1))
    return [_trimmed(grid, block, side) for side in sides]


def _stand_apart(grid: Grid, block: Block, left: list[int], right: list[int]) -> bool:
    if not _stands_alone(grid, block, right):
        return False
    heights = [(grid.content[np.ix_(block.body, band)] != Content.EMPTY).any(axis=1).mean() for band in (left, right)]
    return _stands_alone(grid, block, left) or heights[0] < SHORT_SIDE * heights[1]


def _stands_alone(grid: Grid, block: Block, band: list[int]) -> bool:
    if len(band) < 2 or not block.header:
        return False
    content = grid.content[np.ix_(block.body, band)]
    texts = (content == Content.TEXT).sum(axis=0)
    filled = np.maximum((content != Content.EMPTY).sum(axis=0), 1)
    has_stub = texts[0] / filled[0] > 0.6 and filled[0] > 0.5 * len(block.body)
    has_values = (content[:, 1:] == Content.NUMBER).any()
    headed = covered_cells(grid)[np.ix_(block.header, band)].any(axis=0).mean() > 0.6
    return bool(has_stub and has_values and headed)


def _trimmed(grid: Grid, block: Block, columns: list[int]) -> list[int]:
    """The columns without those at the right that have no head and hardly a cell."""
    if not block.header:
        return columns
    headed = np.asarray(covered_cells(grid)[np.ix_(block.header, columns)].any(axis=0))
    filled = (grid.content[np.ix_(block.body, columns)] != Content.EMPTY).mean(axis=0)
    last = len(columns)
    while last > 2 and not headed[last - 1] and filled[last - 1] < REMARKS:
        last -= 1
    return columns[:last]


def build_frame(labels: RowLabels, block: Block, columns: list[int], weights: Weights) -> Frame | None:
    """One frame of a block's rows and some of its columns."""
    grid = labels.grid
    used = np.asarray(covered_cells(grid)[:, columns[0] : columns[-1] + 1].any(axis=1))
    header = [row for row in block.header if used[row]]
    body = [row for row in block.body if used[row]]
    if not body:
        return None
    columns = list(range(columns[0], columns[-1] + 1))
    probability = stub_probabilities(grid, header, body, columns, weights)
    stub, values = split_stub(probability)
    rows = header + body
    frame = Frame(
        labels=labels,
        rect=Rect(min(rows), columns[0], max(rows), columns[-1]),
        header_rows=tuple(header),
        body_rows=tuple(body),
        stub_columns=tuple(columns[i] for i in stub),
        value_columns=tuple(columns[i] for i in values),
        title_rows=tuple(block.title),
        note_rows=tuple(block.note),
        orientation=_orientation(bool(header), bool(stub)),
    )
    return msgspec.structs.replace(frame, confidence=rate_confidence(frame, probability, weights))


def _orientation(has_header: bool, has_stub: bool) -> Orientation:
    if has_header and has_stub:
        return "row-column"
    if has_header:
        return "column"
    return "row" if has_stub else "none"
