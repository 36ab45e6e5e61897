"""A region becomes a dense grid that remembers where each cell stands in the sheet."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.sheets import grid_of

from tabellion.model.grid import Content
from tabellion.model.style import Style


def test_texts_that_say_numbers_are_numbers_with_their_notes():
    grid = grid_of([["Year", "1990 \\1"], ["..65 years", "\\2 16.2"]])
    assert grid.content.tolist() == [[Content.TEXT, Content.NUMBER], [Content.TEXT, Content.NUMBER]]
    assert grid.number[1, 1] == 16.2
    assert grid.notes[3] == ("2",)
    assert grid.label[1, 0] == "65 years"


def test_indent_adds_style_and_leading_dots():
    plain = grid_of([["..a"]]).indent[0, 0]
    styled = grid_of([["..a"]], styles={(0, 0): Style(indent=2)}).indent[0, 0]
    assert plain > 0
    assert styled == plain + 2


def test_long_blank_runs_shrink_but_addresses_stay():
    grid = grid_of([["a"], *[[]] * 10, ["b"]])
    assert grid.shape == (4, 1)
    assert grid.address(3, 0) == "A12"


def test_merged_area_is_a_span_and_its_first_cell_speaks():
    grid = grid_of([["Pilots", "", "x"], [1, 2, 3]], merges=["A1:B1"])
    assert grid.spans.tolist() == [[0, 0, 1, 2]]
    assert grid.covered[0, 1]
    assert grid.home[0, 1] == grid.home[0, 0]


def test_merged_area_over_the_whole_sheet_does_not_blow_up_the_grid():
    grid = grid_of([["title"], [1, 2]], merges=["A1:XFD1048576"])
    assert grid.text.size < 10_000


@given(st.sets(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=30))
def test_every_cell_is_found_again_under_its_address(places):
    rows = [[None] * 21 for _ in range(61)]
    for row, column in places:
        rows[row][column] = f"r{row}c{column}"
    grid = grid_of(rows)
    found = {
        (int(grid.row_of[r]), int(grid.column_of[c])): grid.text[r, c]
        for r, c in zip(*np.nonzero(grid.filled), strict=True)
    }
    assert found == {(r, c): f"r{r}c{c}" for r, c in places}
