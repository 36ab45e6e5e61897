"""Pages in points, from the top left: printed ones as they are read, and drawings that are made.

Of a printed page there are words with font and box, rulings, filled rectangles and images. Everything is columnar (one
array per property, boxes as (n, 4) arrays) and as a reader sees the page: crop and rotation applied. Text that is set
sideways on an upright page has a view of its own in which it reads from left to right; `turn` says by how much, and
`upright_box` leads back.

A `Scene` is what charts are made of before they become SVG or PNG.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.place import Box, Issue

MOST_PIECES = 4000  # of a page in which tables are looked for: every piece is compared with every other, in 1.3 GB
Boxes = NDArray[np.float32]  # (n, 4): left, top, right, bottom


class Font(msgspec.Struct, frozen=True):
    """A typeface as far as it can be seen: its name, and whether it is bold, italic, of fixed width."""

    name: str
    bold: bool = False
    italic: bool = False
    fixed: bool = False


class Shift(IntFlag):
    """How a word stands to the words beside it."""

    NONE = 0
    RAISED = 1  # a superscript
    LOWERED = 2  # a subscript
    GLUED = 4  # no blank before it


class Words(msgspec.Struct, frozen=True, eq=False):
    """The words of a page in the order of its content, one entry per word."""

    text: NDArray[np.object_]
    box: Boxes
    baseline: NDArray[np.float32]
    size: NDArray[np.float32]
    font: NDArray[np.int32]
    colour: NDArray[np.uint32]  # 0xRRGGBB
    shift: NDArray[np.uint8]
    piece: NDArray[np.int32]  # the piece of text that the word is in
    letters: NDArray[np.int32]  # how many characters it has

    def __len__(self) -> int:
        return len(self.text)


class Pieces(msgspec.Struct, frozen=True, eq=False):
    """Runs of words on one baseline with no more than a blank between them, in the order of the content.

    `words` gives the first word and the end of each piece in `order`, the word indices from left to right.
    """

    words: NDArray[np.int32]  # (n, 2)
    order: NDArray[np.int32]
    box: Boxes
    baseline: NDArray[np.float32]
    size: NDArray[np.float32]
    text: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.text)


class PrintedPage(msgspec.Struct, frozen=True, eq=False):
    """One page of a PDF, or the view of its sideways text (`turn` degrees clockwise make it upright)."""

    number: int  # from 1
    width: float
    height: float
    words: Words
    pieces: Pieces
    fonts: tuple[Font, ...]
    across: Boxes  # horizontal rulings: left, top, right, bottom
    down: Boxes  # vertical rulings
    fills: Boxes
    fill_colours: NDArray[np.uint32]
    images: Boxes
    drawings: Boxes  # curves and other paths that are no rulings: charts, mostly
    turn: int = 0
    sideways: tuple[PrintedPage, ...] = ()
    issues: tuple[Issue, ...] = ()

    def upright_box(self, box: Box) -> Box:
        """A box of this view on the page as it lies before the reader."""
        return turn_back(box, self.turn, self.width, self.height)


def turn_back(box: Box, turn: int, width: float, height: float) -> Box:
    """The box on the page of a box in a view of `width` and `height` that was turned clockwise.

    >>> turn_back(Box(10, 20, 30, 50), 90, 800, 600)
    Box(left=20, top=770, right=50, bottom=790)
    """
    left, top, right, bottom = box
    if turn == 90:
        return Box(top, width - right, bottom, width - left)
    if turn == 180:
        return Box(width - right, height - bottom, width - left, height - top)
    if turn == 270:
        return Box(height - bottom, left, height - top, right)
    return box


class DrawnBox(msgspec.Struct, frozen=True):
    """A filled rectangle."""

    left: float
    top: float
    width: float
    height: float
    colour: str  # #rrggbb
    said: str = ""


class DrawnLine(msgspec.Struct, frozen=True):
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0
    said: str = ""


class DrawnText(msgspec.Struct, frozen=True):
    """Words at a point: where they begin, have their middle or end."""

    x: float
    y: float
    text: str
    size: float = 11.0
    anchor: Literal["start", "middle", "end"] = "start"
    colour: str = "#202124"
    bold: bool = False


class Scene(msgspec.Struct, frozen=True):
    """A drawing: its size, and its parts in their order."""

    width: float
    height: float
    parts: tuple[DrawnBox | DrawnLine | DrawnText, ...]
