"""Candidates of web pages become grids without losing or doubling what they say."""

from __future__ import annotations

import pytest

from tabellion.model.document import MarkupRegion
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Place
from tabellion.read.web.page import read_markup
from tabellion.recognise import recognise_grid


def grid_of(markup: str, number: int = 0) -> Grid:
    return recognise_grid(MarkupRegion(read_markup(markup)[0], Place(table_index=number), number))


def rows_of(grid: Grid) -> list[list[str]]:
    return [[str(text) for text in row] for row in grid.text]


def test_columns_that_only_spans_reach_are_left_out_but_keep_their_numbers() -> None:
    grid = grid_of("<table><tr><td colspan=3>a<td>b<tr><td colspan=3>c<td>d</table>")
    assert rows_of(grid) == [["a", "b"], ["c", "d"]]
    assert grid.column_of.tolist() == [0, 3]
    assert not len(grid.spans)


def test_columns_that_a_blank_row_makes_for_their_widths_are_left_out() -> None:
    widths = "<tr>" + "<td style='width:9%'></td>" * 7
    rows = "<tr><td colspan=3><td colspan=3>2023<td><tr><td colspan=3>Sales<td colspan=2>5<td><td>"
    grid = grid_of(f"<table>{widths}{rows}<tr><td colspan=3>Costs<td colspan=2>3<td><td></table>")
    assert rows_of(grid) == [["", "2023", ""], ["Sales", "5", ""], ["Costs", "3", ""]]
    assert grid.column_of.tolist() == [0, 3, 6]
    assert not len(grid.spans)


def test_lines_of_a_row_that_are_rows_are_parted() -> None:
    grid = grid_of("<table><tr><th>Place<th>ng/kg<tr><td>Dump<br>Factory<br>Plant<td><p>4.4<p>34.7<p>2.2</table>")
    assert rows_of(grid) == [["Place", "ng/kg"], ["Dump", "4.4"], ["Factory", "34.7"], ["Plant", "2.2"]]


def test_a_header_in_two_lines_stays_one_row() -> None:
    grid = grid_of("<table><tr><th>Net<br>income<th>Total<br>assets<tr><td>1<td>2</table>")
    assert rows_of(grid)[0] == ["Net\nincome", "Total\nassets"]


def test_amounts_cut_into_columns_are_joined() -> None:
    grid = grid_of(
        "<table><tr><td><td colspan=3>2024<td><td colspan=3>2023"
        "<tr><td>Net income<td>$<td>27<td><td><td>$<td>(112<td>)"
        "<tr><td>Tax<td colspan=2>(31<td>)<td><td colspan=2>9<td>"
        "<tr><td>Rate<td colspan=2>33<td>%<td><td colspan=2>31<td>%</table>"
    )
    assert rows_of(grid) == [
        ["", "2024", "2023"],
        ["Net income", "$27", "$(112)"],
        ["Tax", "(31)", "9"],
        ["Rate", "33%", "31%"],
    ]
    assert grid.value(1, 2) == -112


def test_columns_with_headers_of_their_own_are_not_joined() -> None:
    markup = "<table><tr><td>Sign<td>Rate<td>Mark<tr><td>$<td>5<td>*<tr><td>$<td>6<td>*</table>"
    assert rows_of(grid_of(markup)) == [["Sign", "Rate", "Mark"], ["$", "5", "*"], ["$", "6", "*"]]


def test_pictures_fields_and_links_are_told_by_their_kind() -> None:
    grid = grid_of(
        "<table><tr><td><img src=a alt=Flag><td><input><td><a href=/>Bern</a><td><a href=/>12</a><td></table>"
    )
    kinds = [Content.IMAGE, Content.FORM, Content.LINK, Content.NUMBER, Content.EMPTY]
    assert grid.content[0].tolist() == kinds
    assert grid.text[0, 0] == "Flag"


def test_a_word_for_missing_is_a_word_among_words_and_missing_among_numbers() -> None:
    pairs = (("NA", "1"), ("DE", "NA"), ("NO", "3"), ("FR", "4"))
    rows = "".join(f"<tr><td>{word}<td>{number}" for word, number in pairs)
    grid = grid_of(f"<table>{rows}</table>")
    assert grid.content[0, 0] == Content.TEXT
    assert grid.content[1, 1] == Content.MISSING


def test_padding_and_hard_blanks_make_one_indent() -> None:
    grid = grid_of(
        "<table><tr><td>All<td>3<tr><td style='padding-left:24px'>men<td>1"
        "<tr><td>&nbsp;&nbsp;&nbsp;&nbsp;women<td>2</table>"
    )
    assert grid.indent[:, 0].tolist() == [0.0, 2.0, 2.0]


def test_aligned_text_becomes_a_grid() -> None:
    grid = grid_of(
        "<pre>Name     Born  Died\n-------  ----  ----\nAda      1815  1852\n"
        "Mary     1797  1851\nJane     1775  1817</pre>"
    )
    assert rows_of(grid)[:2] == [["Name", "Born", "Died"], ["Ada", "1815", "1852"]]


@pytest.mark.parametrize("lines", [
    ["SELECT name, born FROM people ORDER BY born;", " name | born ", "------+------", " Mary | 1797", " Ada  | 1815"],
    ["| name | born |", "|------|------|", "| Mary | 1797 |", "| Ada  | 1815 |"],
    ["+------+------+", "| name | born |", "+------+------+", "| Mary | 1797 |", "| Ada  | 1815 |", "+------+------+"],
])  # fmt: skip
def test_bars_part_the_columns_of_aligned_text(lines: list[str]) -> None:
    grid = grid_of("<pre>" + "\n".join(lines) + "</pre>")
    assert rows_of(grid)[-3:] == [["name", "born"], ["Mary", "1797"], ["Ada", "1815"]]
    assert all(row[0].startswith("SELECT") for row in rows_of(grid)[:-3])


def test_a_rule_under_a_whole_line_spans_none_of_its_texts() -> None:
    grid = grid_of("<pre>name      born\n--------------\nMary      1797\nAda       1815\nEmmy      1882</pre>")
    assert rows_of(grid)[0] == ["name", "born"]


def test_a_slash_and_a_number_are_a_mark_only_where_a_note_begins_so() -> None:
    rows = "<tr><th>Name<th>Speed<tr><td>crypt-bf/8<td>1792<tr><td>crypt-bf/7<td>3648"
    assert grid_of(f"<table>{rows}</table>").label[1:, 0].tolist() == ["crypt-bf/8", "crypt-bf/7"]
    noted = grid_of(f"<table>{rows}<tr><td colspan=2>8/ Measured once.<tr><td colspan=2>7/ Measured twice.</table>")
    assert noted.label[1:3, 0].tolist() == ["crypt-bf", "crypt-bf"]


def test_a_grid_too_large_to_hold_is_cut_with_an_issue() -> None:
    rows = "".join(f"<tr>{f'<td colspan={i % 997 + 1}>x</td>' * 12}</tr>" for i in range(1200))
    grid = grid_of(f"<table>{rows}</table>")
    assert grid.shape[0] * grid.shape[1] <= 4_000_000
    assert "only the first" in grid.issues[0].note
