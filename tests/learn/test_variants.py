"""Sheets laid out anew, to learn from variety: the same rows, other blanks and titles."""

from __future__ import annotations

from tests.sheets import Value, grid_of

from tabellion.learn.sheets.variants import closed, merge_titles

ROWS: list[list[Value]] = [
    ["Deaths by town", None, None],
    [None, None, None],
    ["Town", "2019", "2020"],
    [None, None, None],
    ["Ash", 12, 13],
]


def test_blank_rows_are_taken_out() -> None:
    grid, kept = closed(grid_of(ROWS))
    assert kept.tolist() == [0, 2, 4]
    assert grid.text[:, 0].tolist() == ["Deaths by town", "Town", "Ash"]
    assert grid.row_of.tolist() == [0, 1, 2]


def test_merged_areas_keep_what_is_left_of_them() -> None:
    grid, _ = closed(grid_of([["Town", "2019"], [None, "men"], [None, None], ["Ash", 12]], ["A1:A2"]))
    assert grid.spans.tolist() == [[0, 0, 2, 1]]


def test_titles_are_merged_over_all_columns() -> None:
    grid = grid_of(ROWS)
    assert merge_titles(grid, [0, 2]).spans.tolist() == [[0, 0, 1, 3]]
