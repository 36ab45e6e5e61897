"""Writes the example documents of this folder, one for each layout that tabellion knows.

    python examples/make_examples.py [FOLDER]

The smoking rates are those of Figure 1 and the pilots those of Figure 5 of Chen and Cafarella 2013 (published by
the United States Census Bureau and Department of Transportation); the planets are facts; all else is invented.
The same bytes come out on every run, so that a change of an example shows in the history.
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from make_budget import write_budget
from make_report import write_report
from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet

Row = Sequence[str | int | float | None]

BOLD = Font(bold=True)
TITLE = Font(bold=True, size=14)
SMALL = Font(italic=True, size=9)
CENTRE = Alignment(horizontal="center", vertical="center", wrap_text=True)
LINE = Side(style="thin")
SHADE = PatternFill("solid", fgColor="DDE6F0")

SMOKING: list[Row] = [
    ("    Total smokers \\2", 25.5, 24.7, 24.1, 23.5, 23.2),
    ("Male, total", 28.4, 27.0, 26.4, 25.7, 25.6),
    ("..White, total", 28.0, 26.6, 26.3, 25.4, 25.7),
    ("....18 to 24 years", 27.4, 28.4, 34.1, 30.5, 30.4),
    ("....25 to 34 years", 31.6, 29.9, 29.2, 30.8, 29.7),
    ("....65 years and over", 13.7, 14.1, 10.0, 9.9, 9.8),
    ("..Black, total", 32.5, 28.5, 29.0, 28.7, 26.2),
    ("....18 to 24 years", 21.3, "\\3 14.6", 19.7, 23.8, 20.9),
    ("....25 to 34 years", 33.8, 25.1, 25.2, 22.5, 23.2),
    ("....65 years and over", 21.5, 28.5, 16.3, 16.8, 14.2),
    ("Female, total", 22.8, 22.6, 21.9, 21.5, 20.9),
    ("..White, total", 23.4, 23.1, 22.6, 22.1, 21.4),
    ("....18 to 24 years", 25.4, 24.9, 28.0, 29.5, 28.5),
    ("....25 to 34 years", 28.5, 27.3, 26.9, 25.5, 24.9),
    ("....65 years and over", 11.5, 11.7, 11.2, 10.4, 9.1),
    ("..Black, total", 21.2, 23.5, 21.0, 20.8, 20.8),
    ("....18 to 24 years", "\\3 10.0", "\\3 8.8", 8.3, 14.8, 14.2),
    ("....25 to 34 years", 29.1, 26.7, 21.5, 18.4, 15.5),
    ("....65 years and over", 11.1, 13.3, 11.5, 13.6, 10.2),
]

PILOTS: list[Row] = [
    ("Alabama", 7262, 1170, 3065, 1649, 1084, 294, 920),
    ("Alaska", 8636, 833, 3686, 2130, 1906, 63, 1118),
    ("Arizona", 17429, 2329, 6508, 3345, 4634, 393, 2617),
    ("Arkansas", 4988, 776, 2153, 1206, 788, 65, 634),
    ("California", 71053, 10173, 31571, 13448, 12786, 3075, 8984),
    ("Wisconsin", 11275, 1768, 5682, 1884, 1830, 111, 1455),
    ("Wyoming", 1812, 254, 901, 354, 273, 30, 195),
    ("United States, total", 593216, 87319, 244389, 112092, 134024, 15394, 78686),
]

PLANETS = """\
planet,kind,mean radius (km),length of day (hours),length of year (days),moons,known since
Mercury,rocky,2439.7,4222.6,88.0,0,antiquity
Venus,rocky,6051.8,2802.0,224.7,0,antiquity
Earth,rocky,6371.0,24.0,365.2,1,antiquity
Mars,rocky,3389.5,24.7,687.0,2,antiquity
Jupiter,gas giant,69911,9.9,4331,95,antiquity
Saturn,gas giant,58232,10.7,10747,146,antiquity
Uranus,ice giant,25362,17.2,30589,28,1781-03-13
Neptune,ice giant,24622,16.1,59800,16,1846-09-23
"""


def write_rows(sheet: Worksheet, rows: Iterable[Row], top: int, left: int = 1) -> int:
    """Put rows on the sheet from the given cell (counted from 1); returns the first row below them."""
    for row in rows:
        for column, value in enumerate(row, left):
            if value is not None:
                sheet.cell(top, column, value)
        top += 1
    return top


def write_head(sheet: Worksheet, labels: Row, row: int, left: int = 1) -> None:
    """A row of headers: bold, centred, on a shade, with a line below."""
    for column, label in enumerate(labels, left):
        cell = sheet.cell(row, column, label)
        cell.font, cell.alignment, cell.fill, cell.border = BOLD, CENTRE, SHADE, Border(bottom=LINE)


def new_sheet(name: str, widths: Sequence[float]) -> tuple[Workbook, Worksheet]:
    book = Workbook()
    book.properties.creator = "The tabellion project"
    sheet = book.active
    sheet.title = name
    for letter, width in zip("ABCDEFGHIJKL", widths, strict=False):
        sheet.column_dimensions[letter].width = width
    return book, sheet


def smoking() -> Workbook:
    """A left hierarchy told by leading dots and blanks; notes marked with a backslash."""
    book, sheet = new_sheet("Smoking", [28, 9, 9, 9, 9, 9])
    sheet["A1"] = "Table 1. Adults who smoke cigarettes, by sex, race and age: 1990 to 2000"
    sheet["A1"].font = TITLE
    sheet["A2"] = "[In percent of each group. Leading dots show what a line belongs to]"
    sheet["A2"].font = SMALL
    write_head(sheet, ("Sex, race and age", "1990 \\1", "1995 \\1", 1998, 1999, 2000), 4)
    end = write_rows(sheet, SMOKING, 5)
    for row in sheet.iter_rows(min_row=5, max_row=end - 1, min_col=2, max_col=6):
        for cell in row:
            cell.number_format = "0.0"
            cell.alignment = Alignment(horizontal="right")
    for cell in sheet[5]:
        cell.font = BOLD
    notes = (
        "\\1 Years before 1997 are not strictly comparable: the questionnaire was changed.",
        "\\2 Crude rates, not adjusted for age.",
        "\\3 Too few people were asked for a reliable figure.",
        "Source: National Health Interview Survey.",
    )
    for offset, note in enumerate(notes, 1):
        sheet.cell(end + offset, 1, note).font = SMALL
    return book


def pilots() -> Workbook:
    """A top hierarchy of three levels, centred over the columns that it heads by merges."""
    book, sheet = new_sheet("Pilots", [22, 11, 11, 11, 13, 11, 9, 12])
    sheet["A1"] = "Active pilots and flight instructors in selected states: 2000"
    sheet["A1"].font = TITLE
    write_head(sheet, ("State", "Airplane pilots \\1", None, None, None, None, None, "Flight instructors"), 3)
    write_head(sheet, (None, "Total", "Students", "Certificate held", None, None, "Other \\2", None), 4)
    write_head(sheet, (None, None, None, "Private", "Commercial", "Airline transport", None, None), 5)
    for merged in ("A3:A5", "B3:G3", "H3:H5", "B4:B5", "C4:C5", "D4:F4", "G4:G5"):
        sheet.merge_cells(merged)
    end = write_rows(sheet, PILOTS, 6)
    for row in sheet.iter_rows(min_row=6, max_row=end - 1, min_col=2):
        for cell in row:
            cell.number_format = "#,##0"
    for cell in sheet[end - 1]:
        cell.font, cell.border = BOLD, Border(top=LINE)
    write_rows(
        sheet, [("\\1 Includes pilots with an airplane certificate only.",), ("\\2 Glider, helicopter.",)], end + 1
    )
    return book


def stacked() -> Workbook:
    """Two frames one below the other on one sheet, each with a title and headers of its own."""
    book, sheet = new_sheet("Ferries", [24, 10, 10, 10, 10])
    sheet["A1"] = "Table 1. Passengers of the harbour ferries (thousands)"
    sheet["A1"].font = BOLD
    write_head(sheet, ("Line", "2021", "2022", "2023"), 2)
    first: list[Row] = [
        ("North Quay", 312, 405.5, 431), ("Old Town", 208.2, 251, 260.4), ("Islands", 96, 131.7, 140),
        ("All lines", 616.2, 788.2, 831.4),
    ]  # fmt: skip
    end = write_rows(sheet, first, 3)
    sheet.cell(end - 1, 1).font = BOLD
    sheet.cell(end + 2, 1, "Table 2. Departures by season and punctuality").font = BOLD
    write_head(sheet, ("Season", "Departures", "On time", "Late"), end + 3)
    second: list[Row] = [
        ("Winter", 4120, 3911, 209), ("Spring", 4480, 4375, 105),
        ("Summer", 5960, 5602, 358), ("Autumn", 4395, 4230, 165),
    ]  # fmt: skip
    end = write_rows(sheet, second, end + 4)
    sheet.cell(end + 1, 1, "Source: Harbour Office, invented for this example.").font = SMALL
    return book


def side_by_side() -> Workbook:
    """Two frames beside each other, an empty column between them."""
    book, sheet = new_sheet("Weather", [16, 9, 9, 9, 4, 16, 9, 9, 9])
    sheet["A1"], sheet["F1"] = "Rainfall (mm)", "Sunshine (hours)"
    sheet["A1"].font = sheet["F1"].font = BOLD
    for left in (1, 6):
        write_head(sheet, ("Station", "April", "May", "June"), 2, left)
    rain: list[Row] = [("Lighthouse", 41, 55, 38), ("Mill", 52, 61, 44), ("Observatory", 47, 58, 40)]
    sun: list[Row] = [("Lighthouse", 172, 214, 239), ("Mill", 165, 201, 228), ("Observatory", 169, 207, 233)]
    write_rows(sheet, rain, 3)
    write_rows(sheet, sun, 3, left=6)
    return book


def form() -> Workbook:
    """A form to be filled in by a person: no data frame."""
    book, sheet = new_sheet("Card", [26, 30, 14, 20])
    sheet["A1"] = "Application for a reader's card"
    sheet["A1"].font = TITLE
    asked = (
        "Family name:", "First name:", "Date of birth:", "Street and number:", "Town:", "Telephone:", "E-mail:",
    )  # fmt: skip
    for row, label in enumerate(asked, 3):
        sheet.cell(row, 1, label)
        sheet.cell(row, 2).border = Border(bottom=LINE)
    sheet["C3"], sheet["C4"] = "Card number:", "Valid until:"
    sheet["A11"] = "I have read the rules of the library and agree to them."
    sheet["A13"], sheet["C13"] = "Place, date:", "Signature:"
    sheet["A15"] = "Please return this form at the desk together with a proof of address."
    return book


def listing() -> Workbook:
    """A list of words: no data frame."""
    book, sheet = new_sheet("Packing", [44])
    sheet["A1"] = "For the field trip"
    sheet["A1"].font = BOLD
    things = (
        "boots", "rain jacket", "notebook and two pencils", "hand lens", "map of the valley", "sandwiches",
        "water bottle", "whistle", "first-aid kit", "spare socks",
    )  # fmt: skip
    write_rows(sheet, [(f"- {thing}",) for thing in things], 2)
    return book


def write_workbook(book: Workbook, path: Path) -> None:
    """Save with the dates in the file set to one day, so that the bytes depend on the content alone."""
    packed = io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            part = source.read(name)
            if name == "docProps/core.xml":
                part = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2024-01-01T00:00:00Z", part)
            target.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)


def write_examples(folder: Path) -> None:
    """Write all example documents into the folder."""
    makers = {
        "smoking": smoking, "pilots": pilots, "stacked": stacked, "side_by_side": side_by_side,
        "form": form, "list": listing,
    }  # fmt: skip
    for name, make in makers.items():
        write_workbook(make(), folder / f"{name}.xlsx")
    (folder / "flat.csv").write_text(PLANETS, encoding="utf-8")
    write_budget(folder / "budget.ods")
    write_report(folder / "report.pdf")


if __name__ == "__main__":
    write_examples(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
