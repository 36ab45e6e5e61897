"""A table written as a workbook or a page and read again has the same trees and tuples."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.building import build_extraction, build_frame, build_grid, build_nested, smoking

from tabellion import extract
from tabellion.export.forms import write_export
from tabellion.model.frame import HeaderTree
from tabellion.model.place import Rect
from tabellion.model.range_names import cover_cells, list_cells, name_ranges, state_ranges, state_table
from tabellion.model.stated import StatedHeader
from tabellion.model.table import Table
from tabellion.pipeline import Extraction, extract_document

EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLE = ("budget.ods", "flat.csv", "pilots.xlsx", "side_by_side.xlsx", "smoking.xlsx", "stacked.xlsx")


def written(form: str, extraction: Extraction) -> bytes:
    file = io.BytesIO()
    write_export(form, [extraction], file)  # type: ignore[arg-type]
    return file.getvalue()


def paths(tree: HeaderTree) -> Counter[tuple[str, ...]]:
    return Counter(tuple(one.text for one in tree.path(node.id)) for node in tree.nodes)


def said(table: Table) -> list[tuple[object, ...]]:
    return [(one.text, one.value, one.unit, one.top, one.left, one.notes) for one in table.tuples]


def places(table: Table) -> list[tuple[object, ...]]:
    return [(one.address, one.top_cells, one.left_cells) for one in table.tuples]


def check(form: str, extraction: Extraction) -> None:
    again = extract_document(written(form, extraction))
    assert len(again.tables) == len(extraction.tables)
    for before, after in zip(extraction.tables, again.tables, strict=True):
        assert said(after) == said(before)
        assert paths(after.top) == paths(before.top)
        assert paths(after.left) == paths(before.left)
        if form == "xlsx":
            assert places(after) == places(before)


@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.parametrize("form", ["xlsx", "html"])
def test_examples_are_read_as_they_were(form: str, name: str) -> None:
    check(form, extract(EXAMPLES / name).extraction)


@pytest.mark.parametrize("form", ["xlsx", "html"])
def test_what_no_reader_could_guess_is_stated(form: str) -> None:
    grid = build_grid([["x", "a", "b"], ["c", "d", "e"], ["f", "g", "h"], ["i", "j", "k"]])
    frame = build_frame(grid, "hddd")
    check(form, build_extraction(build_nested(frame, under={"A2": "A4", "C1": "B1"})))


@pytest.mark.parametrize("form", ["xlsx", "html"])
def test_titles_units_and_notes_come_along(form: str) -> None:
    before = build_extraction(smoking())
    check(form, before)
    [after] = extract_document(written(form, before)).tables
    assert after.metadata.affiliated.footnotes == before.tables[0].metadata.affiliated.footnotes
    assert after.metadata.affiliated.caption == before.tables[0].metadata.affiliated.caption


texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cn", "Co"]), min_size=1, max_size=6)
odd = st.sampled_from(["=1+1", "_x0041_", "<b>&amp;", "a\nb", "a  b", "1,234", "007", "12.5%", "2023-03-15", "NA", '"'])


@settings(max_examples=30)
@given(st.lists(st.one_of(odd, texts, st.floats(-1e9, 1e9).map(lambda x: round(x, 3))), min_size=4, max_size=4))
def test_any_cell_is_read_as_it_was_from_a_workbook(cells: list[str | float]) -> None:
    grid = build_grid([["", "p", "q"], ["r", *cells[:2]], ["s", *cells[2:]]])
    extraction = build_extraction(build_nested(build_frame(grid, "hdd")))
    if any(len(table.tuples) for table in extraction.tables):
        again = extract_document(written("xlsx", extraction))
        assert [one.text for one in again.tables[0].tuples] == [one.text for one in extraction.tables[0].tuples]


def test_spreadsheet_programs_open_the_workbook() -> None:
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx", extract(EXAMPLES / "pilots.xlsx").extraction)))
    sheet = book["Pilots"]
    assert sheet["B6"].value == 7262
    assert "B3:G3" in {str(area) for area in sheet.merged_cells.ranges}
    assert book.defined_names["table1.values"].attr_text == "'Pilots'!$B$6:$H$13"
    assert book.defined_names["table1.under.B3"].attr_text == "'Pilots'!$B$4:$D$4,'Pilots'!$G$4"


def test_the_same_tables_give_the_same_bytes() -> None:
    first, second = (written("xlsx", extract(EXAMPLES / "stacked.xlsx").extraction) for _ in range(2))
    assert first == second


def test_a_foreign_page_with_scopes_and_headers_is_read_by_them() -> None:
    page = b"""<table><thead><tr><th></th><th id=a scope=colgroup colspan=2>Sales</th></tr>
    <tr><th></th><th id=b scope=col>North</th><th id=c scope=col>South</th></tr></thead>
    <tbody><tr><th id=d scope=row>Tea</th><td headers="a b d">1</td><td headers="a c d">2</td></tr>
    <tr><th id=e scope=row>Milk</th><td headers="a b e">3</td><td headers="a c e">4</td></tr></tbody></table>"""
    [table] = extract_document(page).tables
    assert [(one.top, one.left, one.value) for one in table.tuples][:2] == [
        (("Sales", "North"), ("Tea",), 1),
        (("Sales", "South"), ("Tea",), 2),
    ]


@pytest.mark.parametrize("headers", ["zzz", "b b", "d d d"])
def test_a_page_that_states_nonsense_is_read_all_the_same(headers: str) -> None:
    page = f"""<table><tr><th></th><th id=b scope=col headers=c>North</th><th id=c scope=col headers=b>South</th></tr>
    <tr><th id=d scope=row headers=d>Tea</th><td headers="{headers}">1</td><td headers="{headers}">2</td></tr>
    <tr><th scope=row>Milk</th><td headers="">3</td><td>4</td></tr></table>"""
    assert len(extract_document(page.encode()).tables) <= 1


cells = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@given(cells)
def test_areas_hold_just_the_cells(given_cells: set[tuple[int, int]]) -> None:
    listed = list_cells(cover_cells(given_cells))
    assert sorted(listed) == sorted(given_cells)


def test_names_state_the_whole_table() -> None:
    stated = state_table(build_extraction(smoking()).tables[0])
    assert stated is not None
    again = state_ranges(name_ranges(stated))
    assert again is not None
    assert set(again.left) and {one.cells for one in again.left} == {one.cells for one in stated.left}
    assert (again.values, again.row_headers.keys()) == (stated.values, stated.row_headers.keys())


@pytest.mark.parametrize(
    "names",
    [
        {"area": [Rect(0, 0, 9, 9)], "body": [Rect(0, 0, 1_000_000, 16_000)], "columns": [], "values": []},
        {"area": [Rect(0, 0, 9, 9)], "body": [Rect(1, 0, 2, 1)]},
        {
            "area": [Rect(0, 0, 9, 9)], "body": [Rect(1, 0, 2, 1)], "columns": [Rect(0, 1, 2, 1)],
            "values": [Rect(1, 1, 2, 1)], "top": [Rect(0, 0, 0, 1)], "under.A1": [Rect(0, 1, 0, 1)],
            "under.B1": [Rect(0, 0, 0, 0)],
        },
    ],
)  # fmt: skip
def test_names_that_state_nonsense_state_nothing(names: dict[str, list[Rect]]) -> None:
    assert state_ranges(names) is None


def test_a_header_that_stands_twice_is_named_twice() -> None:
    stated = state_table(build_extraction(smoking()).tables[0])
    assert stated is not None
    twice = [*stated.top, StatedHeader(stated.top[0].cells)]
    import msgspec

    column_headers = {**stated.column_headers, 2: (1, 2)}
    again = state_ranges(name_ranges(msgspec.structs.replace(stated, top=tuple(twice), column_headers=column_headers)))
    assert again is not None
    assert [one.cells for one in again.top] == [one.cells for one in twice]


@pytest.mark.parametrize("form", ["xlsx", "html"])
def test_a_caption_outside_the_cells_comes_along(form: str) -> None:
    page = b"""<table><caption>Turnout (in %)</caption><tr><th></th><th>North</th><th>South</th></tr>
    <tr><th>2001</th><td>61.5</td><td>58.2</td></tr><tr><th>2005</th><td>60.1</td><td>57.7</td></tr></table>"""
    before = extract_document(page)
    check(form, before)
    assert {one.unit for one in before.tables[0].tuples} == {"%"}
    [after] = extract_document(written(form, before)).tables
    assert after.title == before.tables[0].title == "Turnout (in %)"
