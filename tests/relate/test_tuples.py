"""One tuple per value, with its paths, unit and notes."""

from __future__ import annotations

import tracemalloc

import numpy as np
from tests.building import Cells, build_document, build_frame, build_grid, build_nested, smoking

import tabellion
from tabellion.model.frame import Frame, HeaderNode, HeaderTree, Nested, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Place, Rect
from tabellion.model.style import PLAIN, Style
from tabellion.model.table import Table
from tabellion.relate import relate_table


def related(nested: Nested) -> Table:
    return relate_table(nested, build_document(nested.frame.grid), "t1")


def test_a_value_has_its_paths_from_the_outermost_label() -> None:
    found = related(smoking()).tuples.at("B7")
    assert found is not None
    assert found.value == 14.6
    assert found.left == ("Male, total", "65 years and over")
    assert found.left_cells == ((4, 0), (6, 0))
    assert found.top == ("1990",)
    assert found.top_cells == ((2, 1),)
    assert (found.row, found.column, found.text) == (6, 1, "14.6")


def test_notes_say_what_their_marks_point_to() -> None:
    tuples = related(smoking()).tuples
    assert tuples.at("B7").notes == ("Data not strictly comparable with later years.",)  # type: ignore[union-attr]
    assert tuples.at("C7").notes == ("Figure does not meet standards.",)  # type: ignore[union-attr]
    assert tuples.at("C7").value == 14.3  # type: ignore[union-attr]


def test_a_mark_without_a_note_is_kept_as_it_is() -> None:
    nested = build_nested(build_frame(build_grid([["", "1990"], ["Total", "12.3 r"]]), "hd"))
    assert related(nested).tuples[0].notes == ("r",)


def test_every_filled_cell_is_told_and_a_mark_for_a_missing_value_has_none() -> None:
    tuples = {one.address: one.value for one in related(smoking()).tuples}
    assert set(tuples) == {"B4", "C4", "B6", "C6", "B7", "C7", "B8", "C8"}
    assert [address for address, value in tuples.items() if value is None] == ["B8", "C8"]


def test_a_lone_letter_is_a_value_in_a_column_of_texts() -> None:
    nested = build_nested(build_frame(build_grid([["", "Sex", "Age"], ["Ann", "F", 31], ["Bob", "M", "x"]]), "hdd"))
    assert [one.value for one in related(nested).tuples] == ["F", 31, "M", None]


def units(cells: Cells, roles: str) -> dict[str, str | None]:
    """The unit of the first value of each row, by its label."""
    found = related(build_nested(build_frame(build_grid(cells), roles))).tuples
    return {one.left[-1]: one.unit for one in found if one.column == 1}


def test_what_a_title_excepts_has_no_unit_by_it() -> None:
    rows: Cells = [
        ["Revenue", 512.5],
        ["Earnings per share", 1.25],
        ["Shares outstanding", 17.5],
        ["Margin, percent", 9.5],
    ]
    said = "Statements (in millions, except share and per share data)"
    told = {"Revenue": "million", "Earnings per share": None, "Shares outstanding": None, "Margin, percent": "%"}
    assert units([[said], ["Item", "2020"], *rows], "thdddd") == told
    assert units([["Statements"], [said, "2020"], *rows], "thdddd") == told


def test_what_is_stated_otherwise_takes_nothing_from_a_unit() -> None:
    for said in ("In thousands unless otherwise stated", "[In thousands, except as noted]"):
        assert units([[said], ["Item", "2020"], ["Imports", 5]], "thd") == {"Imports": "thousand"}


def test_texts_are_values_too() -> None:
    nested = build_nested(build_frame(build_grid([["State", "Ages"], ["Alabama", "7 to 16"]]), "hd"))
    assert related(nested).tuples[0].value == "7 to 16"


def test_a_value_without_headers_is_still_there() -> None:
    nested = build_nested(build_frame(build_grid([["Total", None], [None, 5]]), "hd"))
    (only,) = related(nested).tuples
    assert (only.value, only.top, only.left) == (5, (), ())


def test_several_stub_columns_are_joined_in_their_order() -> None:
    nested = build_nested(build_frame(build_grid([["", "", "1990"], ["Ohio", "Rural", 7]]), "hd", stub=2))
    assert related(nested).tuples[0].left == ("Ohio", "Rural")


def test_a_span_over_columns_heads_each_of_them() -> None:
    grid = build_grid([["", "Sales", None], ["", "1990", "1995"], ["Ohio", 1, 2]], merges=["B1:C1"])
    nested = build_nested(build_frame(grid, "hhd"), under={"B2": "B1", "C2": "B1"})
    assert [one.top for one in related(nested).tuples] == [("Sales", "1990"), ("Sales", "1995")]


def test_cells_covered_by_a_span_are_no_values() -> None:
    grid = build_grid([["", "1990", "1995"], ["Ohio", 1, None]], merges=["B2:C2"])
    assert len(related(build_nested(build_frame(grid, "hd"))).tuples) == 1


def test_a_label_centred_in_a_group_row_is_no_value() -> None:
    grid = build_grid([["", "1990", "1995"], [None, "MALE", None], ["Ohio", 1, 2]])
    assert [one.value for one in related(build_nested(build_frame(grid, "hgd"))).tuples] == [1, 2]


def test_addresses_are_the_sheets_own() -> None:
    nested = build_nested(build_frame(build_grid([["", "1990"], ["Ohio", 7]], first="C10"), "hd"))
    table = related(nested)
    (only,) = table.tuples
    assert (only.address, only.row, only.column, only.left_cells) == ("D11", 10, 3, ((10, 2),))
    assert (table.place.sheet, table.place.range) == ("Sheet1", "C10:D11")


def test_dates_are_values_in_iso_form() -> None:
    nested = build_nested(build_frame(build_grid([["", "Born"], ["Ann", "15 March 2023"]]), "hd"))
    assert related(nested).tuples[0].value == "2023-03-15"


class TestUnits:
    """The unit of a value, by who says it."""

    @staticmethod
    def units(cells: list[list[str | float | None]], roles: str, **about: dict[str, Style]) -> list[str | None]:
        return [one.unit for one in related(build_nested(build_frame(build_grid(cells, **about), roles))).tuples]

    def test_the_value_itself_speaks_first(self) -> None:
        assert self.units([["in thousands", "Dollars", "Percent"], ["Ohio", "€5", "$7"]], "hd") == [
            "thousand €",
            "thousand $",
        ]

    def test_then_its_number_format(self) -> None:
        styles = {"B2": Style(number_format="0.0%"), "C2": Style(number_format='"$"#,##0')}
        assert self.units([["", "1990", "1995"], ["Ohio", 0.5, 7]], "hd", styles=styles) == ["%", "$"]

    def test_then_the_nearest_label_on_top_then_at_the_left(self) -> None:
        cells = [["", "Number (1,000)", "Share"], ["Men, %", 1, 2], ["Women", 3, 4]]
        assert self.units(cells, "hdd") == ["thousand", "%", "thousand", None]

    def test_then_the_title(self) -> None:
        cells = [["[In millions of dollars, except percent]", None, None], ["", "1990", "Percent"], ["Ohio", 7, 8]]
        assert self.units(cells, "thd") == ["million $", "%"]

    def test_texts_have_none(self) -> None:
        assert self.units([["", "Percent"], ["Ohio", "low"]], "hd") == [None]


def large(rows: int, columns: int) -> Nested:
    """A plain table of numbers, built from arrays."""
    shape = (rows + 1, columns + 1)
    text = np.full(shape, "7.5", dtype=object)
    text[0], text[:, 0] = "head", "row"
    content = np.full(shape, Content.NUMBER, dtype=np.uint8)
    content[0] = content[:, 0] = Content.TEXT
    nothing = np.zeros(shape, dtype=np.int32)
    grid = Grid(
        text, text, content, np.full(shape, 7.5), nothing, nothing.astype(np.float32), nothing.astype(np.uint8), {},
        np.zeros((0, 4), np.int32), (PLAIN,), np.arange(shape[0], dtype=np.int32), np.arange(shape[1], dtype=np.int32),
        np.zeros(shape[0], bool), np.zeros(shape[1], bool), Place(sheet="S"),
    )  # fmt: skip
    labels = RowLabels(grid, ("header", *["data"] * rows), np.zeros((shape[0], 7)))
    body, values = tuple(range(1, shape[0])), tuple(range(1, shape[1]))
    frame = Frame(labels, Rect(0, 0, rows, columns), (0,), body, (0,), values)
    top = HeaderTree(tuple(HeaderNode(c - 1, "head", None, ((0, c),)) for c in values))
    left = HeaderTree(tuple(HeaderNode(r - 1, "row", None, ((r, 0),)) for r in body))
    return Nested(frame, top, left, {c: (c - 1,) for c in values}, {r: (r - 1,) for r in body})


def test_many_values_are_related() -> None:
    nested = large(20_000, 10)
    table = related(nested)
    assert len(table.tuples) == 200_000
    assert table.tuples[-1].left == ("row",)
    tracemalloc.start()
    again = related(nested)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(again.tuples) == 200_000
    assert held < 10e6
    assert peak < 60e6


def units_of(text: str) -> dict[str, str | None]:
    (table,) = tabellion.extract(text.encode())
    return {one.text: one.unit for one in table.tuples}


def test_a_column_of_units_says_those_of_its_rows() -> None:
    scenarios = "Region,Variable,Unit,2000,2010,Change (%)\n"
    scenarios += "World,Forcing,W/m2,1.72,2.08,21\nWorld,Gas,EJ/yr,8.25,9.5,15\nAsia,Gas,EJ/yr,3.25,4.5,38\n"
    found = units_of(scenarios)
    assert {found["1.72"], found["2.08"]} == {"W/m²"}
    assert {found["8.25"], found["4.5"]} == {"EJ/yr"}
    assert {found["21"], found["38"]} == {"%"}


def test_the_head_of_numbers_that_name_rows_is_no_unit_of_values() -> None:
    found = units_of("% of cycle,Hip,Knee\n0,12.5,3.5\n10,13.5,4.25\n20,14.5,5.75\n30,15.5,6.5\n")
    assert found["12.5"] is None
    found = units_of("State,2001,2002\nAcre,4072,4056\nBahia,8064,8069\nGoiás,5294,5472\nPará,3629,3636\n")
    assert set(found.values()) == {None}
