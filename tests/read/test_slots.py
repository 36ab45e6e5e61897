"""Slots follow the HTML standard's algorithm for forming a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabellion.read.web.cells import Slots
from tabellion.read.web.page import read_markup


def slots_of(markup: str) -> dict[str, tuple[int, int, int, int]]:
    cells = read_markup(markup)[0].cells
    spans = zip(cells.row, cells.column, cells.row_span, cells.column_span, strict=True)
    return {str(text): tuple(map(int, span)) for text, span in zip(cells.text, spans, strict=True)}  # type: ignore[misc]


def test_a_cell_that_spans_rows_pushes_later_cells_aside() -> None:
    found = slots_of("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>")
    assert found == {"a": (0, 0, 2, 1), "b": (0, 1, 1, 1), "c": (1, 1, 1, 1)}


def test_a_row_span_of_nought_goes_to_the_end_of_its_group() -> None:
    found = slots_of("<table><tbody><tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d</tbody><tbody><tr><td>e<td>f</table>")
    assert found["a"] == (0, 0, 3, 1)
    assert found["e"] == (3, 0, 1, 1)


def test_a_row_span_ends_with_its_group_and_makes_no_rows() -> None:
    found = slots_of("<table><thead><tr><td rowspan=9>a<td>b</thead><tbody><tr><td>c<td>d</table>")
    assert found["a"] == (0, 0, 1, 1)
    assert found["c"] == (1, 0, 1, 1)


def test_where_cells_overlap_the_earlier_one_keeps_the_slot() -> None:
    found = slots_of("<table><tr><td>a<td rowspan=2>b<tr><td colspan=2>c<td>d</table>")
    assert found["b"] == (0, 1, 2, 1)
    assert found["c"] == (1, 0, 1, 1)
    assert found["d"] == (1, 2, 1, 1)


def test_the_foot_comes_last_wherever_it_stands() -> None:
    found = slots_of("<table><tfoot><tr><td>f</tfoot><tbody><tr><td>a<tr><td>b</table>")
    assert [found[text][0] for text in "abf"] == [0, 1, 2]


@pytest.mark.parametrize(("span", "width"), [("100000", 1000), ("0", 1), ("-3", 1), ("2x", 2), ("+2", 2), ("x", 1)])
def test_column_spans_are_read_as_the_standard_says(span: str, width: int) -> None:
    assert slots_of(f'<table><tr><td colspan="{span}">a<td>b</table>')["b"] == (0, width, 1, 1)


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=6), max_size=8))
def test_no_two_cells_share_a_slot(rows: list[list[tuple[int, int]]]) -> None:
    slots = Slots(1000, 100_000)
    for row in rows:
        slots.add_row(row)
    slots.end_group()
    taken: set[tuple[int, int]] = set()
    for row, column, down, across in slots.placed:
        own = {(row + r, column + c) for r in range(down) for c in range(across)}
        assert not own & taken
        taken |= own
    assert all(row < slots.rows and column < slots.width for row, column in taken)
    assert len(slots.placed) == sum(map(len, rows))
