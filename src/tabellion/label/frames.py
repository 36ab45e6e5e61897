"""Blocks of rows to frames, and how sure the reading of each frame is.

Blocks of rows to frames: top, left and value rectangles (Chen and Cafarella 2013, section 3.1). In: labelled rows. Out:
frames, several where they stack or stand side by side (which the paper leaves out). The vertical extent of a frame
comes from the row labels, its horizontal extent from the cells of its head and body.

How sure the reading of a frame is: one calibrated probability. In: a frame. Out: the probability that the whole reading
(extent, headers, paths) is right, by boosted trees over signals of the finished reading (`reading_signals`).
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.blocks import Block
from tabellion.label.columns import split_stub, stub_probabilities
from tabellion.label.keys import narrow_stub
from tabellion.label.reading_signals import SIGNALS, reading_signals
from tabellion.model.frame import Frame, Orientation, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.weights import Weights

CONFIDENCE_WEIGHTS = "confidence"


def frame_signals(frame: Frame, weights: Weights) -> NDArray[np.float64]:
    """What speaks for and against the reading of a frame."""
    columns = list(range(frame.rect.left, frame.rect.right + 1))
    stub = stub_probabilities(frame.grid, list(frame.header_rows), list(frame.body_rows), columns, weights)
    return reading_signals(frame, stub)


def rate_confidence(frame: Frame, weights: Weights) -> float:
    """The probability that the reading of a frame is right."""
    signals = frame_signals(frame, weights)
    return round(float(weights.boosted(CONFIDENCE_WEIGHTS, SIGNALS).probabilities(signals[None, :])[0]), 3)


SHORT_SIDE = 0.1  # a left band with fewer rows than this share of the right one's is not its stub
REMARKS = 0.1  # of the rows: a headless column at the right that is less filled holds remarks


def find_frames(labels: RowLabels, blocks: list[Block], weights: Weights, rated: bool = True) -> list[Frame]:
    """The frames of a labelled grid, in reading order."""
    found = []
    for block in blocks:
        sides = split_sides(labels.grid, block)
        found += [build_frame(labels, block, columns, weights, rated) for columns in sides]
    return [frame for frame in found if frame is not None]


def covered_cells(grid: Grid) -> NDArray[np.bool_]:
    """Cells that say something, those that a filled span covers included."""
    return np.asarray(grid.content.ravel()[grid.home] != Content.EMPTY)


def split_sides(grid: Grid, block: Block) -> list[list[int]]:
    """The columns of the block, parted where tables stand side by side.

    A band of columns beyond a blank column is a table of its own if it has a head, a stub and values, or if it
    ends long before the rest does. Columns at the right without a head and with hardly a cell (note marks, remarks)
    belong to no table, nor does what stands beyond a blank column at either side and has nothing in the body.
    """
    rows = block.header + block.body
    used = covered_cells(grid)[rows].any(axis=0)
    if not used.any():
        return []
    columns = np.nonzero(used)[0]
    cuts = np.nonzero(np.diff(columns) > 1)[0] + 1
    bands = _with_body(grid, block, [band.tolist() for band in np.split(columns, cuts)])
    sides: list[list[int]] = [bands[0]]
    for band in bands[1:]:
        if _stand_apart(grid, block, sides[-1], band):
            sides.append(band)
        else:
            sides[-1] = list(range(sides[-1][0], band[-1] + 1))
    return [_trimmed(grid, block, side) for side in sides]


def _with_body(grid: Grid, block: Block, bands: list[list[int]]) -> list[list[int]]:
    """The bands of columns without first and last ones that say nothing in the body, or one thing without a head."""
    covered = covered_cells(grid)
    cells = [int(covered[np.ix_(block.body, band)].sum()) for band in bands]
    headed = [bool(covered[np.ix_(block.header, band)].any()) for band in bands]
    valued = [count > 1 or (count == 1 and head) for count, head in zip(cells, headed, strict=True)]
    if not any(valued):
        return bands
    return bands[valued.index(True) : len(bands) - valued[::-1].index(True)]


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


def build_frame(
    labels: RowLabels, block: Block, columns: list[int], weights: Weights, rated: bool = True
) -> Frame | None:
    """One frame of a block's rows and some of its columns; where it is not rated its confidence says nothing."""
    grid = labels.grid
    used = np.asarray(covered_cells(grid)[:, columns[0] : columns[-1] + 1].any(axis=1))
    header = [row for row in block.header if used[row]]
    body = [row for row in block.body if used[row]]
    if not body:
        return None
    columns = list(range(columns[0], columns[-1] + 1))
    probability = stub_probabilities(grid, header, body, columns, weights)
    stub = narrow_stub(grid, body, columns, split_stub(probability))
    values = [at for at in range(len(columns)) if at not in stub]
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
        lead=block.lead,
    )
    return msgspec.structs.replace(frame, confidence=rate_confidence(frame, weights)) if rated else frame


def _orientation(has_header: bool, has_stub: bool) -> Orientation:
    if has_header and has_stub:
        return "row-column"
    if has_header:
        return "column"
    return "row" if has_stub else "none"
