"""Sheets laid out anew, to learn from variety: the same rows, other blanks and titles."""

from __future__ import annotations

from random import Random

from tests.sheets import Value, grid_of

from tabellion.learn.sheets.variants import Piece, closed, form_of, merge_titles
from tabellion.model.place import Rect

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


def test_a_row_of_a_relation_becomes_a_form() -> None:
    rows: list[list[Value]] = [["Name", "Town", "Staff"], ["Ash", "Oslo", 12], ["Elm", "Bergen", 7]]
    piece = Piece(grid_of(rows), Rect(0, 0, 2, 2), "fuste")
    form = form_of(piece, Random(1))  # noqa: S311
    assert form is not None
    assert form.grid.text.tolist() in (
        [["Name", "Ash"], ["Town", "Oslo"], ["Staff", "12"]],
        [["Name", "Elm"], ["Town", "Bergen"], ["Staff", "7"]],
    )
    assert form.rect == Rect(0, 0, 2, 1)


def test_rows_of_numbers_alone_make_no_form() -> None:
    rows: list[list[Value]] = [["Farms", "Hectares", "Staff"], [1, 2, 3], [4, 5, 6]]
    assert form_of(Piece(grid_of(rows), Rect(0, 0, 2, 2), "fuste"), Random(1)) is None  # noqa: S311
