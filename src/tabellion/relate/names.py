"""The names of the levels of the two header trees, where the table gives them.

In: a nested frame. Out: for each level of the paths at the left, outermost first, the head over the stub column that
it stands in ("Bank Name"), and for each level on top what names it in the corner ("Year:"). A stub column with several
levels names the nearest of them; None where nothing names a level. Fails where one head names several levels at once.
"""

from __future__ import annotations

from itertools import islice, pairwise

from tabellion.model.tree import Nested

_LOOKED_AT = 1_000  # rows: longer tables do not nest deeper further down


def name_left_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths at the left."""
    frame, longest = nested.frame, list[int]()
    for held in islice(nested.row_nodes.values(), _LOOKED_AT):
        nodes = {node.id: node for one in held for node in nested.left.path(one)}.values()
        columns = [node.cells[0][1] for node in nodes if node.cells]
        longest = max(longest, columns, key=len)
    last = [column != after for column, after in pairwise([*longest, -1])]  # the nearest level of its column
    return tuple(
        _head(nested, column) if nearest and column in frame.stub_columns else None
        for column, nearest in zip(longest, last, strict=True)
    )


def name_top_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths on top: a corner that ends with a colon names its row."""
    frame, depth = nested.frame, nested.top.depth()
    if len(frame.header_rows) != depth or not frame.stub_columns:
        return (None,) * depth
    corners = [str(frame.grid.label[row, frame.stub_columns[-1]]) for row in frame.header_rows]
    return tuple(corner.rstrip(": ") if corner.endswith(":") else None for corner in corners)


def _head(nested: Nested, column: int) -> str | None:
    """What stands over a column in the head, each text once, without rows of the head that are labels."""
    grid, labels = nested.frame.grid, {cell for node in nested.left.nodes for cell in node.cells}
    rows = [row for row in nested.frame.header_rows if (row, column) not in labels]
    homes = dict.fromkeys(divmod(int(grid.home[row, column]), grid.shape[1]) for row in rows)
    said = [str(grid.label[home]) for home in homes if home[1] == column and home[0] in rows]
    return " ".join(text.rstrip(": ") for text in said if text) or None
