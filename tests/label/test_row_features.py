"""What is seen of a row."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sheets import grid_of

from tabellion.label.papers.chen_rows import PAPER_FEATURES, paper_features
from tabellion.label.rows.features import feature_names, row_features
from tabellion.label.rows.looks import QUESTIONS, ask_texts
from tabellion.label.rows.view import view_rows
from tabellion.model.style import Style

SHEET = [
    ["Table 1. Smoking by age"],
    ["See notes"],
    [],
    ["Age", 2000, 2001],
    ["Total", 3600.5, 3700.5],
    ["  18 to 24", 1200.5, 1300.5],
    ["  25 and over", 2400, 2400],
    ["Source: survey."],
]


def seen(grid, name):
    return row_features(view_rows(grid))[:, feature_names().index(name)].tolist()


def asked(text, question):
    return ask_texts([text], [text])[0, list(QUESTIONS).index(question)]


def test_names_are_told_once_and_fit_the_table():
    names = feature_names()
    assert len(set(names)) == len(names) == row_features(view_rows(grid_of(SHEET))).shape[1]


def test_blank_rows_are_left_out_and_told_as_a_gap():
    assert seen(grid_of(SHEET), "gap before") == [0, 0, 1, 0, 0, 0, 0]


def test_years_above_the_numbers_are_heads_not_values():
    view = view_rows(grid_of(SHEET))
    assert view.valued.tolist() == [False, False, False, True, True, True, False]


def test_years_below_other_numbers_are_values():
    rows = [["", "a", "b"], ["Printing", 1310, 1404], ["Distribution", 2024, 2094], ["Other", 1783, 1856]]
    assert view_rows(grid_of(rows)).valued.tolist() == [False, True, True, True]


def test_column_numbers_above_the_numbers_are_heads():
    rows = [["State", "a", "b", "c"], [1, 2, 3, 4], ["Ohio", 10.5, 20, 30], ["Utah", 11.5, 21, 31]]
    assert view_rows(grid_of(rows)).valued.tolist() == [False, False, True, True]


def test_a_total_is_known_by_its_sum():
    assert [number > 0 for number in seen(grid_of(SHEET), "sum after evidence")] == [False] * 3 + [True] + [False] * 3


def test_a_group_has_a_stub_and_nothing_else():
    rows = [["", "a", "b"], ["Men:"], ["young", 1.5, 2], ["old", 3, 4]]
    assert seen(grid_of(rows), "stub only") == [0, 1, 0, 0]
    assert seen(grid_of(rows), "colon end") == [0, 1, 0, 0]


def test_neighbours_are_seen():
    assert seen(grid_of(SHEET), "note word +1") == [0, 0, 0, 0, 0, 1, -1]


def test_indent_by_blanks_and_by_style_is_one():
    rows = [["", "a"], ["Total", 3.5], ["  Men", 1.5], ["Women", 2]]
    grid = grid_of(rows, styles={(3, 0): Style(indent=1)})
    indents = seen(grid, "indent")
    assert indents[2] == indents[3] > indents[1]


@pytest.mark.parametrize("cells", [[], [[1]], [["alone"]], [["a", "b"]]])
def test_the_smallest_sheets_have_features(cells):
    grid = grid_of(cells) if cells else None
    if grid is not None:
        table = row_features(view_rows(grid))
        assert np.isfinite(table).all()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Table 12. Births", "caption word"),
        ("表1 人口", "caption word"),
        ("Source: U.S. Census Bureau", "note word"),
        ("資料：総務省", "note word"),
        ("المصدر : المسح", "note word"),
        ("1/ Includes others", "numbered mark"),
        ("* Estimate", "symbol mark"),
        ("(a) Estimate", "lettered mark"),
        ("Persons, total", "total"),
        ("Ensemble", "total"),
        ("合計", "total"),
        ("(1,000 dollars)", "parentheses"),
        ("Age of householder:", "colon end"),
        ("for at least part of the", "ends open"),
        ("Fiscal 2004", "year"),
        ("within some range", "starts lower"),
    ],
)
def test_a_question_is_answered_yes(text, question):
    assert asked(text, question) == 1


@pytest.mark.parametrize(
    ("text", "question"),
    [("Tables and chairs sold", "note word"), ("Totally different", "total"), ("Note the colon: here", "colon end")],
)
def test_a_question_is_answered_no(text, question):
    assert asked(text, question) == 0


def test_the_paper_has_eighteen_features_and_each_says_yes_or_no():
    assert len(PAPER_FEATURES) == 18
    table = paper_features(view_rows(grid_of(SHEET)))
    assert set(np.unique(table)) <= {0, 1}


def test_features_of_the_paper():
    table = paper_features(view_rows(grid_of(SHEET, styles={(0, 0): Style(bold=True)})))
    rows = {name: table[:, i].tolist() for i, name in enumerate(PAPER_FEATURES)}
    assert rows["has a bold cell"] == [1, 0, 0, 0, 0, 0, 0]
    assert rows["has only one column"] == [1, 1, 0, 0, 0, 0, 1]
    assert rows["numbers are years"] == [0, 0, 1, 0, 0, 0, 0]
    assert rows["cells are numbers"] == [0, 0, 1, 1, 1, 1, 0]
    assert rows["words start with table"] == [1, 0, 0, 0, 0, 0, 0]
    assert rows["is blank"] == [0] * 7
