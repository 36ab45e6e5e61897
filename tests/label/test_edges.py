"""Rows above a head: which of them cannot be a part of it, whatever was learned."""

from __future__ import annotations

import pytest
from tests.sheets import Value, grid_of

from tabellion.label.edge_features import view_edge
from tabellion.label.edge_laws import is_marked_note, is_ruled_off, states_unit, tells_nothing_apart
from tabellion.model.style import Style

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


@pytest.mark.parametrize(
    ("title", "styled", "ruled"),
    [
        (["Dependent variable:", "log of births", None, None], {1: Style(border_top=True)}, True),
        (["Dependent variable:", "log of births", None, None], {0: Style(border_bottom=True)}, True),
        (["Dependent variable:", "log of births", None, None], {0: Style(border_top=True, border_bottom=True)}, False),
        (["Dependent variable:", "log of births", None, None], {}, False),
        ([None, "Births", None, "Deaths"], {1: Style(border_top=True)}, False),
    ],
)
def test_a_line_over_the_whole_table_parts_what_stands_above_it(
    title: list[Value], styled: dict[int, Style], ruled: bool
) -> None:
    looks = {(row, column): style for row, style in styled.items() for column in range(4)}
    grid = grid_of([title, HEAD, *BODY], styles=looks)
    assert is_ruled_off(view_edge(grid, [2, 3, 4], [1, 0], above=True)[-1]) is ruled


@pytest.mark.parametrize(
    ("title", "merges", "stated"),
    [
        (["Table of accounts", None, None, "Billion euros"], [], True),
        (["その1　道府県税", None, None, "（単位　百万円）"], ["A1:C1"], True),
        (["Table of accounts", None, None, "All"], [], False),
        (["Millions", None, None, None], ["A1:D1"], False),
    ],
)
def test_a_unit_beside_a_title_is_no_head(title: list[Value], merges: list[str], stated: bool) -> None:
    grid = grid_of([title, HEAD, *BODY], merges)
    assert states_unit(view_edge(grid, [2, 3, 4], [1, 0], above=True)[-1]) is stated


def test_a_mark_and_a_text_below_a_table_are_a_note_unless_its_labels_are_such_marks() -> None:
    notes: list[list[Value]] = [[1, "Stands for unknown"], [2, "Not detectable"]]
    named: list[list[Value]] = [[name, "kind", *rest] for name, *rest in BODY]
    numbered: list[list[Value]] = [[row, "kind", *rest] for row, (_, *rest) in enumerate(BODY)]
    for body, expected in ((named, True), (numbered, False)):
        grid = grid_of([["Town", "Kind", "2019", "2020", "2021"], *body, *notes])
        assert [is_marked_note(row) for row in view_edge(grid, [1, 2, 3], [4, 5], above=False)] == [expected] * 2
