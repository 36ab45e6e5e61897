"""Which of a frame's header rows are really labels of the rows below them.

In: a frame. Out: its header rows without the last ones that stand over no value but in the stub alone ("Province", or
the first group of the body), and the rows whose stub cells are labels: those and the body. Fails where the head of the
stub has a row of its own below all others: it then heads the rows as a label.
"""

from __future__ import annotations

import numpy as np

from tabellion.model.frame import Frame


def part_head(frame: Frame) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows of the head proper, and the rows of labels."""
    head = list(frame.header_rows)
    labels: list[int] = []
    while head and _labels_below(frame, head[-1]):
        labels.insert(0, head.pop())
    return tuple(head), (*labels, *frame.body_rows)


def _labels_below(frame: Frame, row: int) -> bool:
    """Whether a header row has one cell in the stub, and nothing over the values.

    Headers merged down from above count as something, one cell over all values (a unit) does not.
    """
    grid, stub, values = frame.grid, list(frame.stub_columns), list(frame.value_columns)
    if not frame.body_rows or row > frame.body_rows[0] or not values:
        return False
    if grid.filled[row, values].any() or int(grid.filled[row, stub].sum()) != 1:
        return False
    homes = np.unique(grid.home[row, values])
    under_headers = (homes // grid.shape[1] < row).any() and len(homes) > 1
    return not under_headers and not (grid.home[row, stub] // grid.shape[1] < row).any()
