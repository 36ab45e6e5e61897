"""Rows above a head: which of them cannot be a part of it, whatever was learned."""

from __future__ import annotations

import pytest
from tests.sheets import Value, grid_of

from tabellion.label.edge_features import view_edge
from tabellion.label.edge_laws import tells_nothing_apart

BODY: list[list[Value]] = [["Ash", 12, 13, 14], ["Birch", 22, 23, 24], ["Cedar", 32, 33, 34]]
HEAD: list[Value] = ["Town", "2019", "2020", "2021"]


@pytest.mark.parametrize(
    ("above", "merges", "apart"),
    [
        ([["Deaths by town", None, None, None]], ["A1:D1"], False),
        ([["Deaths by town"] * 4], [], False),
        ([[None, None, None, "(thousands)"]], [], False),
        ([["Deaths by town", None, None, None], [None] * 4], [], False),
        ([["Deaths by town", None, None, "in 1,000"], [None] * 4], [], False),
        ([[None, "Deaths", None, None]], ["B1:D1"], True),
        ([["Place", None, None, None]], [], True),
        ([["Town", "Men", None, "All"]], [], True),
    ],
)
def test_a_head_parts_the_columns(above: list[list[Value]], merges: list[str], apart: bool) -> None:
    grid = grid_of([*above, HEAD, *BODY], merges)
    head = len(above)
    rows = [head, *[row for row in range(head - 1, -1, -1) if grid.filled[row].any()]]
    outermost = view_edge(grid, [head + 1, head + 2, head + 3], rows, above=True)[-1]
    assert tells_nothing_apart(outermost) is not apart
