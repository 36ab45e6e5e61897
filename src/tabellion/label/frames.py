"""Blocks of rows to frames, and how sure the reading of each frame is.

Blocks of rows to frames: top, left and value rectangles (Chen and Cafarella 2013, section 3.1). In: labelled rows. Out:
frames, several where they stack or stand side by side (which the paper leaves out). The vertical extent of a frame
comes from the row labels, its horizontal extent from the cells of its head and body.

How sure the reading of a frame is: one calibrated probability. In: a frame. Out: the probability that the whole reading
(extent, headers, paths) is right, by boosted trees over `SIGNALS` of the finished reading.

What speaks for and against the reading of a frame, once it is finished.

In: a frame and the probability of each of its columns to be a stub. Out: one number a signal of `SIGNALS`: how sure row
and column labelling and the cuts at its edges were; whether labels tell the rows apart, columns hold one kind of thing,
a head or a column of labels comes again inside, halves of the frame have nothing to do with each other, filled cells
stand right beside it, its columns go on with numbers above or below, or its rows beside it.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.blocks import Block
from tabellion.label.columns import split_stub, stub_probabilities
from tabellion.label.keys import settle_stub
from tabellion.model.frame import ROW_ROLES, Frame, Orientation, RowLabels
from tabellion.model.grid import DATE, EMPTY, MISSING, NUMBER, TEXT, Content, Grid
from tabellion.model.place import Rect
from tabellion.weights import Weights

MOST_ROWS = 2000  # of a body are looked at
BEYOND = 4  # lines of a grid, blank ones included, in which a frame may go on
_TOLD = np.isin(np.arange(len(Content)), (NUMBER, MISSING))
_NUMERIC = np.isin(np.arange(len(Content)), (NUMBER, MISSING, DATE))
_BODY = [ROW_ROLES.index(role) for role in ("data", "group", "derived")]
_HEAD = [ROW_ROLES.index("header")]
_OUTSIDE = [ROW_ROLES.index("title"), ROW_ROLES.index("note")]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SIGNALS = (
    "rows", "doubtful rows", "head", "edges", "columns", "least column",
    "body rows", "head rows", "stub columns", "value columns",
    "rows told apart", "one kind", "texts among numbers", "head again", "labels again", "numbers in head",
    "lone heads", "headed", "filled", "widest gap", "blank columns", "unlike halves across", "unlike halves down",
    "beside", "above", "below", "rows without values", "first row fills", "last row fills",
    "goes on above", "goes on below", "goes on left", "goes on right", "title rows", "note rows",
    "lead of upper edge", "lead of lower edge",
)  # fmt: skip


def reading_signals(frame: Frame, stub: Floats) -> Floats:
    """The signals of a frame, as `SIGNALS` names them."""
    body = frame.body_rows[:MOST_ROWS]
    columns = np.arange(frame.rect.left, frame.rect.right + 1)
    content = frame.grid.content[list(body)][:, columns]
    return np.array(
        [
            *_sureness(frame, stub),
            *_size(frame),
            *_inside(frame, content),
            *_extent(frame, content),
            *_around(frame),
            *_going_on(frame),
            min(len(frame.title_rows), 9),
            min(len(frame.note_rows), 9),
            *frame.lead,
        ]
    )


def _sureness(frame: Frame, stub: Floats) -> list[float]:
    probability = frame.labels.probability
    body = probability[np.ix_(frame.body_rows, _BODY)].sum(axis=1)
    head = probability[np.ix_(frame.header_rows, _HEAD)].sum(axis=1) if frame.header_rows else np.zeros(1)
    outside = [*frame.title_rows[-2:], *frame.note_rows[:2]]
    edge = np.concatenate([body[:2], body[-2:], probability[np.ix_(outside, _OUTSIDE)].sum(axis=1), [1.0]])
    column = np.maximum(stub, 1 - stub)
    sure = [body.mean(), 1 - (body < 0.8).mean(), head.min(), edge.min(), column.mean(), column.min()]
    return [float(each) for each in sure]


def _size(frame: Frame) -> list[float]:
    rows = float(np.round(np.log2(len(frame.body_rows)), 1))
    return [rows, len(frame.header_rows), len(frame.stub_columns), min(len(frame.value_columns), 20)]


def _inside(frame: Frame, content: NDArray[np.uint8]) -> list[float]:
    """Labels that tell rows apart, columns of one kind, heads and labels that come again."""
    grid, body = frame.grid, list(frame.body_rows[:MOST_ROWS])
    filled = content != EMPTY
    count = np.maximum(filled.sum(axis=0), 1)
    numbers = _NUMERIC[content]
    numeric = numbers.sum(axis=0) > 0.6 * count
    text = content == TEXT
    among = (text & numeric)[:, numeric].mean(axis=1) > 0.5 if numeric.any() else np.zeros(len(content), bool)
    labels = [tuple(row) for row in grid.label[np.ix_(body, frame.stub_columns)].tolist()] if frame.stub_columns else []
    said = [label for label in labels if any(label)]
    one_kind = np.maximum(numbers.sum(axis=0), text.sum(axis=0)) / count
    heads = grid.label[list(frame.header_rows)][:, frame.rect.left : frame.rect.right + 1]
    head_content = grid.content[list(frame.header_rows)][:, frame.rect.left : frame.rect.right + 1]
    words = {str(each) for each in heads.ravel() if each}
    texts = grid.label[body][:, frame.rect.left : frame.rect.right + 1]
    again = np.mean([sum(map(words.__contains__, row)) > 1 for row in texts.tolist()])
    last = [str(each) for each in heads[-1] if each] if len(heads) else []
    dense_labels = (text.sum(axis=0) > 0.6 * count) & (count > 0.3 * len(content))
    inner = dense_labels & np.concatenate([[False], np.logical_or.accumulate(numeric)[:-1]])
    return [
        len(set(said)) / max(len(labels), 1) if labels else -1.0,
        float(one_kind[filled.any(axis=0)].mean()) if filled.any() else 0.0,
        float(among.mean()),
        float(again) if words else 0.0,
        float(min(inner.sum(), 5)),
        float((head_content == NUMBER).sum() / max((head_content != EMPTY).sum(), 1)),
        len(set(last)) / len(last) if last else -1.0,
    ]


def _extent(frame: Frame, content: NDArray[np.uint8]) -> list[float]:
    """How well head and body fill the frame, and whether its halves have to do with each other."""
    grid, rect = frame.grid, frame.rect
    said = grid.said
    over = said[list(frame.header_rows)][:, list(frame.value_columns)]
    headed = np.asarray(over.any(axis=0)) if frame.header_rows else None
    filled = content != EMPTY
    source = grid.row_of[[*frame.header_rows, *frame.body_rows[:MOST_ROWS]]]
    inside = said[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
    return [
        float(headed.mean()) if headed is not None and len(headed) else -1.0,
        float(filled.mean()),
        float(min(np.diff(np.sort(source)).max(initial=1), 9)),
        float(min((~inside.any(axis=0)).sum(), 5)),
        _unlike(filled),
        _unlike(filled.T),
    ]


def _unlike(filled: Bools) -> float:
    """Over all cuts between columns, the least share of rows that fill both sides, of those that fill either."""
    if filled.shape[1] < 4:
        return 1.0
    left = np.logical_or.accumulate(filled, axis=1)[:, 1:-2]
    right = np.logical_or.accumulate(filled[:, ::-1], axis=1)[:, ::-1][:, 2:-1]
    both, either = (left & right).sum(axis=0), (left | right).sum(axis=0)
    return float((both / np.maximum(either, 1)).min())


def _around(frame: Frame) -> list[float]:
    """What stands right beside, above and below the frame, and how its first and last rows look."""
    grid, rect = frame.grid, frame.rect
    filled = grid.filled
    rows = filled[rect.top : rect.bottom + 1]
    beside = rows[:, : rect.left].any(axis=1) | rows[:, rect.right + 1 :].any(axis=1)
    above = filled[rect.top - 1].sum() if rect.top else 0
    below = filled[rect.bottom + 1].sum() if rect.bottom + 1 < len(filled) else 0
    width = rect.right - rect.left + 1
    body = filled[list(frame.body_rows)]
    empty = ~body[:, list(frame.value_columns)].any(axis=1) if frame.value_columns else np.ones(len(body), bool)
    inside = slice(rect.left, rect.right + 1)
    return [
        float(beside.mean()),
        float(above / width),
        float(below / width),
        float(empty.mean()),
        float(filled[rect.top, inside].mean()),
        float(filled[rect.bottom, inside].mean()),
    ]


def _going_on(frame: Frame) -> list[float]:
    """How many of its value columns hold numbers in the next filled line above and below, of its rows beside it.

    Lines are looked for a little beyond blank ones; -1 where there is none.
    """
    grid, rect = frame.grid, frame.rect
    numbers = _TOLD[grid.content]
    rows = np.array(frame.body_rows[:MOST_ROWS])
    columns = np.array(frame.value_columns, dtype=np.intp)
    found = []
    sides: tuple[tuple[Bools, int, int, Bools], ...] = (
        (
            np.asarray(grid.filled[:, rect.left : rect.right + 1].any(axis=1)),
            rect.top,
            rect.bottom,
            numbers[:, columns],
        ),
        (np.asarray(grid.filled[rows].any(axis=0)), rect.left, rect.right, numbers[rows].T),
    )
    for lines, first, last, held in sides:
        before, after = range(first - 1, max(first - 1 - BEYOND, -1), -1), range(last + 1, last + 1 + BEYOND)
        for way in (before, (line for line in after if line < len(lines))):
            at = next((line for line in way if lines[line]), None)
            found.append(float(held[at].mean()) if at is not None and held.shape[1] else -1.0)
    return found


CONFIDENCE_WEIGHTS = "confidence"


def frame_signals(frame: Frame, weights: Weights) -> NDArray[np.float64]:
    """What speaks for and against the reading of a frame."""
    if frame.stub_odds:
        return reading_signals(frame, np.array(frame.stub_odds))
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


def split_sides(grid: Grid, block: Block) -> list[list[int]]:
    """The columns of the block, parted where tables stand side by side.

    A band of columns beyond a blank column is a table of its own if it has a head, a stub and values, or if it
    ends long before the rest does. Columns at the right without a head and with hardly a cell (note marks, remarks)
    belong to no table, nor does what stands beyond a blank column at either side and has nothing in the body.
    """
    rows = block.header + block.body
    used = grid.said[rows].any(axis=0)
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
    covered = grid.said
    cells = [int(covered[np.ix_(block.body, band)].sum()) for band in bands]
    headed = [bool(covered[np.ix_(block.header, band)].any()) for band in bands]
    valued = [count > 1 or (count == 1 and head) for count, head in zip(cells, headed, strict=True)]
    if not any(valued):
        return bands
    return bands[valued.index(True) : len(bands) - valued[::-1].index(True)]


def _stand_apart(grid: Grid, block: Block, left: list[int], right: list[int]) -> bool:
    if not _stands_alone(grid, block, right):
        return False
    heights = [(grid.content[np.ix_(block.body, band)] != EMPTY).any(axis=1).mean() for band in (left, right)]
    return _stands_alone(grid, block, left) or heights[0] < SHORT_SIDE * heights[1]


def _stands_alone(grid: Grid, block: Block, band: list[int]) -> bool:
    if len(band) < 2 or not block.header:
        return False
    content = grid.content[np.ix_(block.body, band)]
    texts = (content == TEXT).sum(axis=0)
    filled = np.maximum((content != EMPTY).sum(axis=0), 1)
    has_stub = texts[0] / filled[0] > 0.6 and filled[0] > 0.5 * len(block.body)
    has_values = (content[:, 1:] == NUMBER).any()
    headed = grid.said[np.ix_(block.header, band)].any(axis=0).mean() > 0.6
    return bool(has_stub and has_values and headed)


def _trimmed(grid: Grid, block: Block, columns: list[int]) -> list[int]:
    """The columns without those at the right that have no head and hardly a cell.

    What says there the same as columns without a head between the values flags the value before it.
    """
    if not block.header:
        return columns
    headed = np.asarray(grid.said[np.ix_(block.header, columns)].any(axis=0))
    filled = (grid.content[np.ix_(block.body, columns)] != EMPTY).mean(axis=0)
    own: Bools = np.asarray(grid.filled[np.ix_(block.header, columns)].any(axis=0))
    last = len(columns)
    while last > 2 and not headed[last - 1] and filled[last - 1] < REMARKS:
        if _flags(grid, block.body, columns[:last], own):
            break
        last -= 1
    return columns[:last]


def _flags(grid: Grid, body: list[int], columns: list[int], own: Bools) -> bool:
    """Whether the last column says only what others without a head of their own say, inside the table."""
    said = {label for label in grid.label[body, columns[-1]].tolist() if label}
    others = [column for column, head in zip(columns[1:-1], own[1:], strict=False) if not head]
    return bool(said) and said <= set(grid.label[np.ix_(body, others)].ravel().tolist())


def build_frame(
    labels: RowLabels, block: Block, columns: list[int], weights: Weights, rated: bool = True
) -> Frame | None:
    """One frame of a block's rows and some of its columns; where it is not rated its confidence says nothing."""
    grid = labels.grid
    used = np.asarray(grid.said[:, columns[0] : columns[-1] + 1].any(axis=1))
    header = [row for row in block.header if used[row]]
    body = [row for row in block.body if used[row]]
    if not body:
        return None
    columns = list(range(columns[0], columns[-1] + 1))
    probability = stub_probabilities(grid, header, body, columns, weights)
    stub = settle_stub(grid, header, body, columns, split_stub(probability))
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
        stub_odds=tuple(probability.tolist()),
    )
    return msgspec.structs.replace(frame, confidence=rate_confidence(frame, weights)) if rated else frame


def _orientation(has_header: bool, has_stub: bool) -> Orientation:
    if has_header and has_stub:
        return "row-column"
    if has_header:
        return "column"
    return "row" if has_stub else "none"
