"""Agreement with openpyxl, cell by cell, on real workbooks and on made ones; and of the two ways to read a sheet."""

from __future__ import annotations

import io
import math
import unicodedata
import warnings
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.styles import Alignment, Font
from openpyxl.utils.datetime import to_excel
from openpyxl.worksheet.worksheet import Worksheet

from tabellion.model.document import Sheet, Stored
from tabellion.model.style import Style
from tabellion.read import read_document
from tabellion.read.excel import xlsx as xlsx_sheet
from tabellion.read.excel import xlsx_parts

SAMPLE = {"troy200": 5, "senbazuru-left": 2, "statsheets": 4}  # every so many files: some seconds in all


def workbooks(folder: Path, step: int) -> list[Path]:
    found = [path for path in sorted((folder / "inputs").iterdir()) if path.read_bytes()[:4] == b"PK\x03\x04"]
    found = [
        path for path in found if zipfile.is_zipfile(path) and "xl/workbook.xml" in zipfile.ZipFile(path).namelist()
    ]
    return [path for path in found[::step] if path.stat().st_size < 100_000]


def by_address(sheet: Sheet) -> dict[tuple[int, int], tuple[str, Stored, float, Style]]:
    cells = sheet.cells
    rows = zip(
        cells.row.tolist(),
        cells.column.tolist(),
        cells.text,
        cells.stored.tolist(),
        cells.number.tolist(),
        cells.style.tolist(),
        strict=True,
    )
    return {(r, c): (text, Stored(kind), number, sheet.styles[style]) for r, c, text, kind, number, style in rows}


def folded(text: str) -> str:
    """Text without the difference between a superscript and a plain letter."""
    return unicodedata.normalize("NFKC", text.replace("_x000D_", ""))


def same_value(value: Any, text: str, kind: Stored, number: float) -> bool:
    if isinstance(value, bool):
        return kind == Stored.BOOLEAN and text == str(value).upper()
    if isinstance(value, int | float):
        return kind == Stored.NUMBER and math.isclose(number, value, rel_tol=1e-14)
    if isinstance(value, datetime | date | time | timedelta):
        return kind == Stored.DATE and math.isclose(number, to_excel(value), abs_tol=2e-5)
    return kind in (Stored.TEXT, Stored.ERROR) and folded(text) == folded(value)


def same_look(cell: Cell, style: Style) -> bool:
    return (
        bool(cell.font.b) == style.bold
        and bool(cell.font.i) == style.italic
        and (cell.font.sz or 11) == style.size
        and cell.alignment.indent == style.indent
        and (cell.fill.fill_type is None) == (style.fill is None)
        and cell.number_format == (style.number_format or "General")
    )


def disagreements(sheet: Sheet, oracle: Worksheet) -> list[str]:
    """What the two readings of a sheet say differently."""
    ours, wrong = by_address(sheet), []
    for (row, column), cell in oracle._cells.items():
        if isinstance(cell, MergedCell):
            continue
        text, kind, number, style = ours.get((row - 1, column - 1), ("", Stored.EMPTY, math.nan, None))
        if cell.value is None or (isinstance(cell.value, str) and not cell.value.strip()):
            if kind != Stored.EMPTY:
                wrong.append(f"{cell.coordinate}: {text!r} where there is nothing")
        elif style is None and cell.hyperlink is not None:
            continue  # openpyxl puts the address of a link into an empty cell
        elif style is None or not same_value(cell.value, text, kind, number):
            wrong.append(f"{cell.coordinate}: {text!r} for {cell.value!r}")
        elif not same_look(cell, style):
            wrong.append(f"{cell.coordinate}: {style}")
    merges = {(m.min_row - 1, m.min_col - 1, m.max_row - 1, m.max_col - 1) for m in oracle.merged_cells.ranges}
    if merges != set(sheet.merges):
        wrong.append(f"merges {merges ^ set(sheet.merges)}")
    hidden = {row - 1 for row, dimension in oracle.row_dimensions.items() if dimension.hidden}
    if hidden != sheet.hidden_rows:
        wrong.append(f"hidden rows {hidden ^ sheet.hidden_rows}")
    return wrong


@pytest.mark.parametrize("name", SAMPLE)
def test_real_workbooks_read_as_openpyxl_reads_them(corpora: Callable[[str], Path], name: str) -> None:
    paths = workbooks(corpora(name), SAMPLE[name])
    assert len(paths) > 5
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle = openpyxl.load_workbook(io.BytesIO(path.read_bytes()), data_only=True)
        document = read_document(path)
        assert [page.name for page in document.pages] == [sheet.title for sheet in oracle.worksheets]
        for page, sheet in zip(document.pages, oracle.worksheets, strict=True):
            assert page.hidden == (sheet.sheet_state != "visible")
            assert disagreements(page, sheet) == [], f"{path.name} {page.name}"


@pytest.mark.parametrize("name", SAMPLE)
def test_the_pattern_and_the_parser_read_the_same(
    corpora: Callable[[str], Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in workbooks(corpora(name), SAMPLE[name] * 2):
        fast = read_document(path)
        with monkeypatch.context() as patched:
            patched.setattr(xlsx_sheet, "split_sheet", lambda xml: None)
            patched.setattr(xlsx_parts, "_ENTRY", xlsx_parts.re.compile("(?!)()()"))
            careful = read_document(path)
        assert fast.issues == careful.issues
        for ours, theirs in zip(fast.pages, careful.pages, strict=True):
            for field in ours.cells.__struct_fields__:
                left, right = getattr(ours.cells, field), getattr(theirs.cells, field)
                assert np.array_equal(left, right, equal_nan=field == "number"), f"{path.name} {ours.name} {field}"
            assert ours.styles == theirs.styles
            assert (ours.merges, ours.hidden_rows) == (theirs.merges, theirs.hidden_rows)


TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), min_size=1, max_size=20
).filter(lambda text: text.strip() and not text.startswith("=") and text not in openpyxl.cell.cell.ERROR_CODES)
VALUES = st.one_of(
    TEXTS,
    st.integers(-(10**14), 10**14),
    st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-300),
    st.booleans(),
    st.datetimes(datetime(1901, 1, 1), datetime(9999, 12, 30)).map(lambda moment: moment.replace(microsecond=0)),
    st.sampled_from(["#N/A", "#DIV/0!"]),
)
CELLS = st.dictionaries(
    st.tuples(st.integers(1, 40), st.integers(1, 30)),
    st.tuples(VALUES, st.booleans(), st.integers(0, 5)),
    max_size=25,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CELLS, st.sampled_from(["", " ", "\n"]))
def test_what_openpyxl_writes_is_read_back(cells: dict[tuple[int, int], tuple[Any, bool, int]], space: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for (row, column), (value, bold, indent) in cells.items():
        cell = sheet.cell(row, column, value)
        cell.font, cell.alignment = Font(bold=bold), Alignment(indent=indent)
    buffer = io.BytesIO()
    book.save(buffer)
    (page,) = read_document(spaced(buffer.getvalue(), space)).pages
    read = {place: value for place, value in by_address(page).items() if value[1] != Stored.EMPTY}
    assert read.keys() == {(row - 1, column - 1) for row, column in cells}
    for (row, column), (value, bold, indent) in cells.items():
        text, kind, number, style = read[row - 1, column - 1]
        assert same_value(value, text, kind, number), (value, text)
        assert (style.bold, style.indent) == (bold, indent)


def spaced(data: bytes, space: str) -> bytes:
    """The same workbook with blanks between the cells of its sheet, which the pattern does not know."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                text = text.replace(b"</v></c>", b"</v>" + space.encode() + b"</c>")
            new.writestr(name, text)
    return buffer.getvalue()
