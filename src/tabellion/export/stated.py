"""What a table says of itself, as a statement that another medium can carry.

In: a table. Out: a `Stated` in the rows and columns of its source, or None where a header stands in no cell.
"""

from __future__ import annotations

from tabellion.model.place import Rect
from tabellion.model.stated import Stated, StatedHeader
from tabellion.model.table import Table
from tabellion.model.tree import HeaderTree


def state_table(table: Table) -> Stated | None:
    """The statement of a table."""
    nested, frame, grid = table.nested, table.frame, table.grid
    if not all(node.cells for tree in (nested.top, nested.left) for node in tree.nodes):
        return None
    rows, columns, roles = grid.row_of.tolist(), grid.column_of.tolist(), frame.labels.roles

    def headers(tree: HeaderTree) -> tuple[StatedHeader, ...]:
        return tuple(
            StatedHeader(tuple((rows[r], columns[c]) for r, c in node.cells), node.parent) for node in tree.nodes
        )

    tuples = table.tuples
    values = zip(grid.row_of[tuples.rows].tolist(), grid.column_of[tuples.columns].tolist(), strict=True)
    return Stated(
        area=Rect(rows[0], columns[0], rows[-1], columns[-1]),
        header_rows=tuple(rows[row] for row in frame.header_rows),
        body_rows=tuple(rows[row] for row in frame.body_rows),
        stub_columns=tuple(columns[column] for column in frame.stub_columns),
        value_columns=tuple(columns[column] for column in frame.value_columns),
        values=frozenset(values),
        top=headers(nested.top),
        left=headers(nested.left),
        column_headers={columns[line]: nodes for line, nodes in nested.column_nodes.items()},
        row_headers={rows[line]: nodes for line, nodes in nested.row_nodes.items()},
        title_rows=tuple(rows[row] for row in frame.title_rows),
        note_rows=tuple(rows[row] for row in frame.note_rows),
        group_rows=tuple(rows[row] for row in frame.body_rows if roles[row] == "group"),
        total_rows=tuple(rows[row] for row in frame.body_rows if roles[row] == "derived"),
        keyed=frame.keyed,
    )
