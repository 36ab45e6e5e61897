"""Which header stands under which. `nest_headers` enters the room."""

from __future__ import annotations

from tabellion.model.frame import Frame
from tabellion.model.tree import Nested
from tabellion.nest.left import nest_left
from tabellion.nest.parents import Method
from tabellion.nest.top import nest_top
from tabellion.weights import Weights

__all__ = ["nest_headers"]


def nest_headers(frame: Frame, weights: Weights, method: Method = "boosted") -> Nested:
    """The two header trees of a frame (Chen and Cafarella 2013, section 3.2), and what they say of rows and columns."""
    top, column_nodes = nest_top(frame, weights, method)
    left, row_nodes = nest_left(frame, weights, method)
    return Nested(frame=frame, top=top, left=left, column_nodes=column_nodes, row_nodes=row_nodes)
