"""One table written in the ways that publishers write tables: its labels are the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import openpyxl
import pytest
from openpyxl.styles import Alignment
from openpyxl.worksheet.worksheet import Worksheet

from tabellion.pipeline import Settings, extract_document

ROWS = [
    (0, "Households", 940, 982), (1, "Owners", 610, 640), (2, "Outright", 250, 262), (2, "With a mortgage", 360, 378),
    (1, "Tenants", 330, 342), (2, "Of a council", 120, 118), (2, "Of others", 210, 224),
    (0, "Dwellings", 1010, 1043), (1, "Houses", 700, 722), (1, "Flats", 240, 251), (1, "Boats", 70, 70),
]  # fmt: skip
"""Level, label, and the values of two years, for men and for women."""


def _head(sheet: Worksheet, first: int, row: int = 3) -> None:
    """Two header rows over four columns from the first on."""
    sheet.cell(1, 1, "Table 7. Households and dwellings, by sex of the reference person")
    for place, sex in enumerate(("Men", "Women")):
        sheet.cell(row, first + 2 * place, sex)
        sheet.merge_cells(start_row=row, end_row=row, start_column=first + 2 * place, end_column=first + 2 * place + 1)
        for step, year in enumerate((2019, 2020)):
            sheet.cell(row + 1, first + 2 * place + step, year)


def _body(sheet: Worksheet, first: int, lacking: tuple[int, ...] = ()) -> None:
    for place, (_, _, one, other) in enumerate(ROWS):
        if place not in lacking:
            for step, value in enumerate((one, other, one // 2 + 3, other // 2 + 3)):
                sheet.cell(5 + place, first + step, value)


def _labelled(sheet: Worksheet, write: Callable[[int, str], str], column: int = 1) -> None:
    for place, (level, label, _, _) in enumerate(ROWS):
        sheet.cell(5 + place, column, write(level, label))


def blanks(sheet: Worksheet) -> int:
    _labelled(sheet, lambda level, label: "   " * level + label)
    return 2


def wide_blanks(sheet: Worksheet) -> int:
    _labelled(sheet, lambda level, label: "\u3000" * level + label)
    return 2


def leaders(sheet: Worksheet) -> int:
    _labelled(sheet, lambda level, label: "  " * level + label + " " + "." * 30)
    return 2


def formats(sheet: Worksheet) -> int:
    for place, (level, label, _, _) in enumerate(ROWS):
        sheet.cell(5 + place, 1, label).alignment = Alignment(indent=level)
    return 2


def staggered(sheet: Worksheet) -> int:
    for place, (level, label, _, _) in enumerate(ROWS):
        sheet.cell(5 + place, 1 + level, label)
    sheet.cell(3, 1, "Item")
    sheet.merge_cells("A3:C4")
    return 4


def behind_codes(sheet: Worksheet) -> int:
    for place in range(len(ROWS)):
        sheet.cell(5 + place, 1, f"H{place + 1:02d}")
    _labelled(sheet, lambda level, label: "  " * level + label, column=2)
    sheet.cell(4, 1, "Code")
    return 3


def coded(sheet: Worksheet) -> int:
    """Nothing but numbers tells the levels."""
    counts = [0, 0, 0]
    for place, (level, label, _, _) in enumerate(ROWS):
        counts = [*counts[:level], counts[level] + 1, 0, 0][:3]
        sheet.cell(5 + place, 1, f"{'.'.join(map(str, counts[: level + 1]))} {label}")
    return 2


def paths(sheet: Worksheet) -> dict[int, tuple[str, ...]]:
    """The labels of each row of `ROWS` that has values, from the outermost, without codes."""
    file = BytesIO()
    assert sheet.parent is not None
    sheet.parent.save(file)
    [table] = extract_document(file.getvalue(), Settings(reader="staged")).tables
    names = [label for _, label, _, _ in ROWS]
    found = {}
    for one in table.tuples:
        found[one.row - 4] = tuple(name for text in one.left for name in names if text.endswith(name))
    return found


def expected() -> dict[int, tuple[str, ...]]:
    path: tuple[str, ...] = ()
    found = {}
    for place, (level, label, _, _) in enumerate(ROWS):
        path = (*path[:level], label)
        found[place] = path
    return found


WAYS = (blanks, wide_blanks, leaders, formats, staggered, behind_codes, coded)


@pytest.mark.parametrize("way", WAYS)
def test_labels_are_the_same_however_levels_are_written(way: Callable[[Worksheet], int]) -> None:
    sheet = openpyxl.Workbook().active
    assert isinstance(sheet, Worksheet)
    first = way(sheet)
    _head(sheet, first)
    _body(sheet, first)
    assert paths(sheet) == expected()


@pytest.mark.parametrize("way", [way for way in WAYS if way is not coded])
def test_a_row_that_lacks_its_values_changes_no_other_labels(way: Callable[[Worksheet], int]) -> None:
    sheet = openpyxl.Workbook().active
    assert isinstance(sheet, Worksheet)
    first = way(sheet)
    _head(sheet, first)
    _body(sheet, first, lacking=(9,))
    wanted = expected()
    del wanted[9]
    assert paths(sheet) == wanted
