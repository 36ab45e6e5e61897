"""What the tests of the format modules share."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from tabellion.model.document import Sheet, Stored
from tabellion.model.place import address
from tabellion.read.spreadsheet.sheets import Contents

_RUN = re.compile(r"(\d+)([A-Z.])")


@pytest.fixture(scope="session")
def agreement() -> Callable[[Contents, dict[str, Any]], float]:
    """The share of a sheet's cells that are filled in a reading just where the annotated grid has them filled."""

    def compare(contents: Contents, gold: dict[str, Any]) -> float:
        sheet = next(s for s in contents.sheets if gold["sheet"] in (None, s.name))
        filled = sheet.cells.stored != Stored.EMPTY
        found = set(zip(sheet.cells.row[filled].tolist(), sheet.cells.column[filled].tolist(), strict=True))
        for area in sheet.merges:
            if (area.top, area.left) in found:
                rows, columns = range(area.top, area.bottom + 1), range(area.left, area.right + 1)
                found.update((row, column) for row in rows for column in columns)
        expected = set()
        for row, line in enumerate(gold["rows"]):
            column = 0
            for count, kind in _RUN.findall(line):
                if kind != ".":
                    expected.update((row, column + step) for step in range(int(count)))
                column += int(count)
        width = max((column for _, column in found | expected), default=0) + 1
        return 1 - len(found ^ expected) / max(len(gold["rows"]) * width, 1)

    return compare


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


@pytest.fixture(scope="session")
def xlsx_of() -> Callable[..., bytes]:
    """A workbook of one sheet from bare XML: `xlsx_of(rows, around=..., **{part: text})`.

    `rows` is what stands in `sheetData`, `after` what follows it; any part may be given, replaced, or left out (None).
    """

    def make(
        rows: str = "", before: str = "", after: str = "", parts: dict[str, str | bytes | None] | None = None
    ) -> bytes:
        given: dict[str, str | bytes | None] = {
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" '
            f'Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{_RELATED}"><sheets>'
            '<sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" '
            f'Type="{_RELATED}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}" xmlns:r="{_RELATED}">{before}'
            f"<sheetData>{rows}</sheetData>{after}</worksheet>",
            **(parts or {}),
        }
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
            for name, text in given.items():
                if text is not None:
                    package.writestr(name, text)
        return buffer.getvalue()

    return make


@pytest.fixture(scope="session")
def cells_of() -> Callable[[Sheet], dict[str, str]]:
    """The texts of a sheet by address."""

    def texts(sheet: Sheet) -> dict[str, str]:
        cells = sheet.cells
        places = zip(cells.row.tolist(), cells.column.tolist(), cells.text, cells.stored.tolist(), strict=True)
        return {address(row, column): text for row, column, text, stored in places if stored}

    return texts
