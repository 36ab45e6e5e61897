"""Tables that stand side by side on a sheet take each its own title."""

from __future__ import annotations

import io

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

from tabellion.model.table import Table
from tabellion.pipeline import extract_document

_LEFT = [("Region", "2001", "2002"), ("North", 5, 6), ("South", 7, 8), ("East", 9, 1), ("West", 4, 4)]
_RIGHT = [("Crop", "Area", "Yield"), ("Wheat", 51, 62), ("Rye", 73, 84), ("Oats", 95, 16), ("Rice", 41, 42)]
_GAP: tuple[str | int | None, ...] = (None,) * 7
_BOTH = ("Table 1. Sales of the shops ($)", None, None, None, "Table 2. Crops of the land (ha)", None, None)
_REPORT = ("Annual report", *(None,) * 6)


def side_by_side(*titles: tuple[str | int | None, ...], merged: tuple[str, ...] = ()) -> tuple[Table, Table]:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (*titles, _GAP, *((*left, None, *right) for left, right in zip(_LEFT, _RIGHT, strict=True))):
        sheet.append(row)
    for area in merged:
        sheet.merge_cells(area)
    for row in range(1, len(titles) + 1):
        for column in (1, 5):
            sheet.cell(row, column).font = Font(bold=True, size=14)
    file = io.BytesIO()
    book.save(file)
    left, right = extract_document(file.getvalue()).tables
    return left, right


@pytest.mark.parametrize("merged", [(), ("A1:C1", "E1:G1")])
def test_each_takes_the_title_over_its_own_columns(merged: tuple[str, ...]) -> None:
    left, right = side_by_side(_BOTH, merged=merged)
    assert (left.title, right.title) == ("Sales of the shops ($)", "Crops of the land (ha)")
    assert left.metadata.affiliated.caption == "Table 1. Sales of the shops ($)"
    assert (left.metadata.affiliated.index_number, right.metadata.affiliated.index_number) == ("Table 1", "Table 2")
    assert ({one.unit for one in left.tuples}, {one.unit for one in right.tuples}) == ({"$"}, {"ha"})


def test_a_title_over_all_belongs_to_both_and_names_neither() -> None:
    left, right = side_by_side(_REPORT, _BOTH)
    assert (left.title, right.title) == ("Sales of the shops ($)", "Crops of the land (ha)")
    assert right.metadata.affiliated.caption == "Annual report Table 2. Crops of the land (ha)"


def test_titles_in_rows_of_their_own_are_told_apart() -> None:
    left, right = side_by_side(("Sales by region", *_GAP[1:]), (*_GAP[:4], "Crops of the land", None, None))
    assert (left.metadata.affiliated.caption, right.metadata.affiliated.caption) == (
        "Sales by region",
        "Crops of the land",
    )


def test_one_title_is_the_title_of_both() -> None:
    left, right = side_by_side(_REPORT)
    assert (left.title, right.title) == ("Annual report", "Annual report")
