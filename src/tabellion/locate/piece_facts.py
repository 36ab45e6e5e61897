"""The pieces of a page as arrays that grouping asks for again and again.

In: a printed page. Out: for each piece its box, size and what it is: a number, a caption, a line of text. What counts
as a number is told by its letters alone, so a year in running text is one too.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.piece_features import is_number
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.values.captions import read_caption


class PieceFacts(msgspec.Struct, frozen=True, eq=False):
    """Boxes, sizes and looks of all pieces of a page; `caption` is 1 for a table's, 2 for a figure's opening line."""

    box: NDArray[np.float64]
    base: NDArray[np.float64]
    size: NDArray[np.float64]
    text: list[str]
    letters: NDArray[np.int64]
    numeric: NDArray[np.float64]
    bold: NDArray[np.float64]
    caption: NDArray[np.int64]
    prose: NDArray[np.bool_]
    rules: NDArray[np.float64]  # level rules: left, y, right, thickness
    uprights: NDArray[np.float64]  # x, top, bottom, thickness
    page: PrintedPage


def gather_facts(page: PrintedPage) -> PieceFacts:
    """What grouping wants to know of a page."""
    pieces, words = page.pieces, page.words
    texts = pieces.text.tolist()
    count = len(texts)
    fonts = np.array([f.bold for f in page.fonts], dtype=np.float64)
    each = np.maximum(np.bincount(words.piece, minlength=count), 1)
    bold = np.bincount(words.piece, weights=fonts[words.font], minlength=count) / each if count else np.zeros(0)
    labels = [read_caption(t) for t in texts]
    letters = np.array([len(t.replace(" ", "")) for t in texts], dtype=np.int64)
    digits = np.array([sum(c.isdigit() for c in t) for t in texts], dtype=np.int64)
    across, down = page.across.astype(np.float64), page.down.astype(np.float64)
    return PieceFacts(
        box=pieces.box.astype(np.float64),
        base=pieces.baseline.astype(np.float64),
        size=np.maximum(pieces.size.astype(np.float64), 1.0),
        text=texts,
        letters=letters,
        numeric=np.array([is_number(t) for t in texts], dtype=np.float64),
        bold=bold,
        caption=np.array([0 if c is None else 1 if c.kind == "table" else 2 for c in labels], dtype=np.int64),
        prose=(letters > 35) & (digits < 0.2 * letters),
        rules=np.column_stack(
            [across[:, 0], (across[:, 1] + across[:, 3]) / 2, across[:, 2], across[:, 3] - across[:, 1]]
        ),
        uprights=np.column_stack([(down[:, 0] + down[:, 2]) / 2, down[:, 1], down[:, 3], down[:, 2] - down[:, 0]]),
        page=page,
    )


def hull(boxes: NDArray[np.floating]) -> Box:
    """The box around boxes."""
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))
