"""What holds in every medium: the same table as a sheet, as text, on a web page and in print gives the same tuples."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from datetime import date

import pytest
from openpyxl import Workbook

from printing import PdfPage, lay_table, write_pdf
from tabellion import extract

HEAD = ("Bank Name", "2019", "2020", "2021")
ROWS = (
    ("Alder Bank", "512", "(X)", "530"),
    ("Birch Bank", "NA", "344", ".."),
    ("Cedar Bank", "77", "81", "(X)"),
    ("Dogwood Bank", "295", "301", "318"),
    ("Elm Bank", "402", "398", "411"),
)
MARKS = {("Alder Bank", "2020"), ("Birch Bank", "2019"), ("Birch Bank", "2021"), ("Cedar Bank", "2021")}


def as_text(rows: Sequence[Sequence[str]]) -> bytes:
    return "\n".join(",".join(row) for row in rows).encode()


def as_page(rows: Sequence[Sequence[str]]) -> bytes:
    head, *body = rows
    lines = ["".join(f"<th>{text}" for text in head), *("".join(f"<td>{text}" for text in row) for row in body)]
    return f"<title>Banks</title><table><tr>{'<tr>'.join(lines)}</table>".encode()


def as_sheet(rows: Sequence[Sequence[str]]) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append([int(text) if text.isdigit() else text for text in row])  # type: ignore[union-attr]
    return saved(book)


def as_print(rows: Sequence[Sequence[str]]) -> bytes:
    page = PdfPage()
    page.text(72, 92, "Table 1. Deposits by bank", 9)
    lay_table(page, [list(row) for row in rows], 100, [72.0, 200.0, 270.0, 340.0, 410.0])
    return write_pdf([page])


def saved(book: Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("written", [as_text, as_page, as_sheet, as_print])
def test_every_filled_cell_has_a_tuple_and_a_mark_for_a_missing_value_is_null(
    written: Callable[[Sequence[Sequence[str]]], bytes],
) -> None:
    found = extract(written((HEAD, *ROWS)))
    [table] = found
    values = [one for one in table.tuples if one.top[-1] != HEAD[0]]  # the key of a web relation is a field as well
    assert {(one.left[-1], one.top[-1]) for one in values if one.value is None} == MARKS
    told = {(one.left[-1], one.top[-1]): one.text for one in values}
    assert told == {(row[0], year): text for row in ROWS for year, text in zip(HEAD[1:], row[1:], strict=True)}
    assert json.loads(found.to_json())["tables"][0]["left_names"] == ["Bank Name"]


def test_the_text_of_a_value_is_what_the_sheet_shows() -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Item", "Rate", "Since", "Balance"])
    for name, rate, since, balance in (
        ("Rent", 2.0, date(2020, 3, 1), -500),
        ("Wages", 3.25, date(2021, 4, 1), 720),
        ("Fuel", 4.5, date(2022, 5, 1), -1250),
    ):
        sheet.append([name, rate, since, balance])
        for cell, code in zip(sheet[sheet.max_row][1:], ("0.0", "mmm-yy", "#,##0;(#,##0)"), strict=True):
            cell.number_format = code
    [table] = extract(saved(book))
    told = {(one.left[-1], one.top[-1]): (one.text, one.value) for one in table.tuples}
    assert told["Rent", "Rate"] == ("2.0", 2.0)
    assert told["Rent", "Balance"] == ("(500)", -500)
    assert told["Fuel", "Balance"] == ("(1,250)", -1250)
    assert told["Wages", "Since"][0] == "Apr-21"
