"""From the space of a PDF page to the page as a reader sees it, and to views of sideways text."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

Boxes = NDArray[np.float32]


class Space(msgspec.Struct, frozen=True):
    """The visible box of a page in its own coordinates (y upwards) and its rotation in degrees clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def shown(
        self, x: NDArray[np.floating], y: NDArray[np.floating]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Points as shown: origin at the top left, y downwards."""
        across, up = x - self.left, y - self.bottom
        width, height = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            across, down = up, across
        elif self.rotation == 180:
            across, down = width - across, up
        elif self.rotation == 270:
            across, down = height - up, width - across
        else:
            down = height - up
        return across.astype(np.float32), down.astype(np.float32)

    def shown_boxes(self, corners: NDArray[np.floating]) -> Boxes:
        """Boxes given by two opposite corners (x, y, x, y) as shown."""
        if not len(corners):
            return np.zeros((0, 4), dtype=np.float32)
        x0, y0 = self.shown(corners[:, 0], corners[:, 1])
        x1, y1 = self.shown(corners[:, 2], corners[:, 3])
        return ordered(np.column_stack([x0, y0, x1, y1]))


def ordered(boxes: Boxes) -> Boxes:
    """Boxes with left before right and top before bottom."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    return np.column_stack([low, high]).astype(np.float32)


def turn_points(
    x: NDArray[np.floating], y: NDArray[np.floating], turn: int, width: float, height: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points of a shown page of `width` and `height` in the view turned clockwise by `turn`."""
    if turn == 90:
        x, y = height - y, x
    elif turn == 180:
        x, y = width - x, height - y
    elif turn == 270:
        x, y = y, width - x
    return x.astype(np.float32), y.astype(np.float32)


def turn_boxes(boxes: Boxes, turn: int, width: float, height: float) -> Boxes:
    """Boxes of a shown page in the view turned clockwise by `turn`."""
    if not turn or not len(boxes):
        return boxes
    x0, y0 = turn_points(boxes[:, 0], boxes[:, 1], turn, width, height)
    x1, y1 = turn_points(boxes[:, 2], boxes[:, 3], turn, width, height)
    return ordered(np.column_stack([x0, y0, x1, y1]))
