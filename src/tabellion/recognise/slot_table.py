"""The cells of one table with their slots, before they become a grid."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]


class SlotTable(msgspec.Struct, frozen=True, eq=False):
    """Parallel arrays, one entry a cell, in row order; `content` says what a cell holds besides text.

    `row_of` and `column_of` give the table's own rows and columns, as the HTML standard counts them.
    """

    row: Ints
    column: Ints
    down: Ints
    across: Ints
    text: NDArray[np.object_]
    style: Ints
    marks: NDArray[np.uint8]
    content: NDArray[np.uint8]
    row_of: Ints
    column_of: Ints
    declared_headers: tuple[int, int] = (0, 0)  # leading header rows and columns that the source declares
    box: NDArray[np.float32] | None = None  # (n, 4): where each cell is drawn, on a rendered page

    def __len__(self) -> int:
        return len(self.row)

    def only(self, kept: NDArray[np.bool_]) -> SlotTable:
        """Some of the cells."""
        names = ("row", "column", "down", "across", "text", "style", "marks", "content")
        box = None if self.box is None else self.box[kept]
        return msgspec.structs.replace(self, box=box, **{name: getattr(self, name)[kept] for name in names})

    def first_rows(self, count: int) -> SlotTable:
        """The first rows alone."""
        part = self.only(self.row < count)
        return msgspec.structs.replace(
            part, down=np.minimum(part.down, count - part.row).astype(np.int32), row_of=self.row_of[:count]
        )
