"""Old Excel workbooks are read with their values, looks, merged areas and formula marks."""

from __future__ import annotations

import contextlib
import io
import json
import struct
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import xlwt
from hypothesis import given, settings
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from tabellion.errors import EncryptedError, MalformedError, TooLargeError, TruncatedError, UnreadableError, UsageError
from tabellion.model.document import Mark, Sheet, Stored
from tabellion.model.place import Rect
from tabellion.read import read_document
from tabellion.read.excel.xls import read_xls
from tabellion.read.limits import Limits


def saved(book: xlwt.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def one_sheet(fill: Callable[[xlwt.Worksheet], None], book: xlwt.Workbook | None = None) -> Sheet:
    book = book or xlwt.Workbook()
    fill(book.add_sheet("Data"))
    return read_xls(saved(book), Limits()).sheets[0]


def index_of(sheet: Sheet, row: int, column: int) -> int:
    return int(np.nonzero((sheet.cells.row == row) & (sheet.cells.column == column))[0][0])


def styled(text: str) -> xlwt.XFStyle:
    return xlwt.easyxf(text)


def test_frozen_rows_are_marks_and_texts_centred_across_cells_are_known() -> None:
    def fill(sheet: xlwt.Worksheet) -> None:
        across = styled("alignment: horizontal center_across_selection")
        sheet.write(0, 1, "2020", across)
        sheet.write(0, 2, "", across)
        sheet.write(1, 1, "men")
        sheet.write(1, 2, "women")
        sheet.write(2, 1, 5)
        sheet.write(2, 2, 6)
        sheet.set_panes_frozen(True)
        sheet.set_horz_split_pos(2)

    sheet = one_sheet(fill)
    assert sheet.marked.heads == (1,)
    assert sheet.centred == (Rect(0, 1, 0, 2),)
    assert not sheet.merges


def test_values_are_typed_by_their_format() -> None:
    def fill(sheet: xlwt.Worksheet) -> None:
        sheet.write(0, 0, "name")
        sheet.write(0, 1, 1234.5)
        sheet.write(0, 2, 0.125, xlwt.easyxf(num_format_str="0.0%"))
        sheet.write(0, 3, date(2023, 3, 15), xlwt.easyxf(num_format_str="yyyy-mm-dd"))
        sheet.write(0, 4, True)
        sheet.write(0, 5, 1896)
        sheet.row(0).set_cell_error(6, 0x07)
        sheet.write(0, 7, "  ")

    cells = one_sheet(fill).cells
    assert cells.text.tolist() == ["name", "1234.5", "12.5%", "2023-03-15", "TRUE", "1896", "#DIV/0!"]
    stored = [Stored.TEXT, Stored.NUMBER, Stored.NUMBER, Stored.DATE, Stored.BOOLEAN, Stored.NUMBER, Stored.ERROR]
    assert cells.stored.tolist() == stored
    assert cells.number[2] == 0.125
    assert cells.number[3] == 45000


def test_dates_of_the_1904_epoch_are_the_same_days() -> None:
    book = xlwt.Workbook()
    book.dates_1904 = True
    style = xlwt.easyxf(num_format_str="yyyy-mm-dd")
    sheet = one_sheet(lambda s: s.write(0, 0, date(2023, 3, 15), style), book)
    assert sheet.cells.text[0] == "2023-03-15"
    assert sheet.cells.number[0] == 45000
    assert sheet.epoch_1904


def test_looks() -> None:
    look = (
        "font: bold on, italic on, underline on, height 280, colour red; pattern: pattern solid, fore_colour yellow;"
        "align: horiz right, vert top, wrap on, indent 2; borders: top thin, bottom double"
    )
    sheet = one_sheet(lambda s: s.write(0, 0, "x", styled(look)))
    style = sheet.styles[sheet.cells.style[0]]
    assert (style.bold, style.italic, style.underline, style.size) == (True, True, True, 14.0)
    assert (style.colour, style.fill) == ("#FF0000", "#FFFF00")
    assert (style.align, style.valign, style.wrap, style.indent) == ("right", "top", True, 2.0)
    assert (style.border_top, style.border_bottom, style.border_left, style.border_right) == (True, True, False, False)


def test_number_formats_are_kept_as_a_source_of_units() -> None:
    sheet = one_sheet(lambda s: s.write(0, 0, 5, xlwt.easyxf(num_format_str='"$"#,##0.00')))
    assert sheet.styles[sheet.cells.style[0]].number_format == '"$"#,##0.00'


def test_blank_cells_keep_their_look_inside_the_values_only() -> None:
    def fill(sheet: xlwt.Worksheet) -> None:
        sheet.write(0, 0, "x")
        sheet.write(2, 2, "y")
        sheet.write(1, 1, "", styled("pattern: pattern solid, fore_colour yellow"))
        sheet.write(9, 9, "", styled("pattern: pattern solid, fore_colour yellow"))

    sheet = one_sheet(fill)
    assert sheet.cells.row.tolist() == [0, 1, 2]
    assert sheet.styles[sheet.cells.style[1]].fill == "#FFFF00"


def test_rich_text_is_partly_bold_or_bold_throughout() -> None:
    bold, plain = xlwt.easyfont("bold on"), xlwt.easyfont("")

    def fill(sheet: xlwt.Worksheet) -> None:
        sheet.write_rich_text(0, 0, [("Total", bold), (" of all", plain)])
        sheet.write_rich_text(1, 0, [("Total", bold), (" ", plain)])

    sheet = one_sheet(fill)
    assert sheet.cells.text.tolist() == ["Total of all", "Total "]
    assert sheet.cells.marks.tolist() == [Mark.PARTLY_BOLD, Mark.NONE]
    assert [sheet.styles[s].bold for s in sheet.cells.style] == [False, True]


def test_formulas_and_aggregates_are_marked() -> None:
    formulas = [
        "A1+A2+A3",
        "SUM(A1:A3)",
        "A1*2",
        "AVERAGE(A1;A2)",
        "IF(A1>0;SUBTOTAL(9;A1:A3);0)",
        '"SUM(" & A1',
        "(A1+A2)/2",
    ]

    def fill(sheet: xlwt.Worksheet) -> None:
        for row in range(3):
            sheet.write(row, 0, row + 1)
        for column, formula in enumerate(formulas, 1):
            sheet.write(0, column, xlwt.Formula(formula))

    sheet = one_sheet(fill)
    marks = [Mark(int(sheet.cells.marks[index_of(sheet, 0, column)])) for column in range(len(formulas) + 1)]
    assert [bool(mark & Mark.FORMULA) for mark in marks] == [False] + [True] * 7
    assert [bool(mark & Mark.AGGREGATE) for mark in marks] == [False, True, True, False, True, True, False, True]


def test_merged_areas_and_what_is_hidden() -> None:
    book = xlwt.Workbook()

    def fill(sheet: xlwt.Worksheet) -> None:
        sheet.write_merge(0, 0, 0, 3, "title")
        sheet.write(1, 1, 5)
        sheet.row(1).hidden = True
        sheet.col(2).hidden = True
        sheet.col(0).width = 256 * 30

    book.add_sheet("secret").visibility = 1
    book.get_sheet(0).write(0, 0, 1)
    fill(book.add_sheet("shown"))
    book.active_sheet = 1
    secret, shown = read_xls(saved(book), Limits()).sheets
    assert secret.hidden
    assert not shown.hidden
    assert shown.merges == (Rect(0, 0, 0, 3),)
    assert shown.hidden_rows == {1}
    assert shown.hidden_columns == {2}
    assert shown.column_widths[0] == 30


def test_one_sheet_is_read_by_name_and_all_names_are_known() -> None:
    book = xlwt.Workbook()
    for name in ("A", "B"):
        book.add_sheet(name).write(0, 0, name)
    contents = read_xls(saved(book), Limits(), "B")
    assert [sheet.name for sheet in contents.sheets] == ["B"]
    assert contents.names == ("A", "B")
    with pytest.raises(UsageError, match="no sheet named 'C'; the sheets are: A, B"):
        read_xls(saved(book), Limits(), "C")


def test_an_empty_sheet_has_no_cells() -> None:
    assert len(one_sheet(lambda sheet: None).cells) == 0


def record(code: int, data: bytes) -> bytes:
    return struct.pack("<HH", code, len(data)) + data


def test_excel_2_without_a_container() -> None:
    look = b"\x00\x00\x00"
    stream = record(0x0009, struct.pack("<HH", 2, 0x10))
    stream += record(0x0004, struct.pack("<HH", 0, 0) + look + b"\x05Total")
    stream += record(0x0003, struct.pack("<HH", 0, 1) + look + struct.pack("<d", 12.5))
    stream += record(0x000A, b"")
    assert read_xls(stream, Limits()).sheets[0].cells.text.tolist() == ["Total", "12.5"]


def raw_stream() -> bytes:
    book = xlwt.Workbook()
    book.add_sheet("Data").write(0, 0, "kept")
    return bytes(book.get_biff_data())


def test_a_protected_workbook_is_said_to_be_so() -> None:
    stream = raw_stream()
    end = 4 + struct.unpack_from("<H", stream, 2)[0]
    with pytest.raises(EncryptedError, match="password"):
        read_xls(stream[:end] + record(0x2F, bytes(54)) + stream[end:], Limits())


def test_a_workbook_with_broken_looks_is_read_without_them() -> None:
    stream = bytearray(raw_stream())
    at = 0
    while struct.unpack_from("<H", stream, at)[0] != 0x31:
        at += 4 + struct.unpack_from("<H", stream, at + 2)[0]
    stream[at + 4 + 14] = 255  # a font name said to be longer than its record
    stream[at + 4 + 15] = 1
    contents = read_xls(bytes(stream), Limits())
    assert contents.sheets[0].cells.text.tolist() == ["kept"]
    assert "without them" in contents.issues[0].note


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
def test_a_file_cut_short_is_said_to_be_so(share: float) -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    for row in range(500):
        sheet.write(row, 0, f"row {row}")
    data = saved(book)
    with pytest.raises((TruncatedError, MalformedError)):
        read_xls(data[: int(len(data) * share)], Limits())


def test_sectors_too_small_for_a_number_are_said_to_be_broken() -> None:
    book = xlwt.Workbook()
    book.add_sheet("Data").write(0, 0, "x")
    data = bytearray(saved(book))
    data[30:32] = bytes(2)  # the size of a sector as a power of two
    with pytest.raises(TruncatedError, match="sectors are broken"):
        read_xls(bytes(data), Limits())


def test_limits_on_cells_are_kept() -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    for row in range(20):
        sheet.write(row, 0, row)
    with pytest.raises(TooLargeError, match=r"Limits\.cells"):
        read_xls(saved(book), Limits(cells=10))


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(saved_small())
    data += b"rubbish at the end"
    read_xls(bytes(data), Limits())
    assert capsys.readouterr() == ("", "")


def saved_small() -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    sheet.write_merge(0, 0, 0, 2, "Title", styled("font: bold on"))
    for row in range(1, 8):
        sheet.write(row, 0, f"label {row}")
        sheet.write(row, 1, row * 1.5)
        sheet.write(row, 2, xlwt.Formula(f"SUM(B2:B{row + 1})"))
    return saved(book)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5631), st.integers(0, 255)), min_size=1, max_size=6))
def test_damage_gives_a_reading_or_a_clear_refusal(changes: list[tuple[int, int]]) -> None:
    data = bytearray(saved_small())
    for at, value in changes:
        data[at % len(data)] = value
    with contextlib.suppress(UnreadableError):
        read_xls(bytes(data), Limits())


def test_an_xls_that_is_delimited_text_inside_is_read_as_such(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_bytes("année\tvaleur\n1990\t12,5\n1991\t13,5\n".encode("cp1252"))
    document = read_document(path)
    assert document.kind == "csv"
    assert document.pages[0].cells.text[0] == "année"


OLD = (b"\xd0\xcf\x11\xe0", b"\x09\x04\x06\x00")


def test_real_files_agree_with_the_annotated_grid(
    corpora: Callable[[str], Path], agreement: Callable[..., float]
) -> None:
    folder = corpora("statsheets")
    checked = 0
    for line in (folder / "gold.jsonl").read_text().splitlines():
        gold = json.loads(line)
        data = (folder / "inputs" / gold["file"]).read_bytes()
        if data.startswith(OLD):
            assert agreement(read_xls(data, Limits()), gold) >= 0.995, gold["file"]
            checked += 1
    assert checked == 82


def test_real_files_hold_what_another_reader_finds(corpora: Callable[[str], Path]) -> None:
    for path in sorted((corpora("statsheets") / "inputs").glob("*.xls"))[::4]:
        data = path.read_bytes()
        if not data.startswith(OLD[0]):
            continue
        other = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for sheet in read_xls(data, Limits()).sheets:
            rows = other.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
            for row, column, stored, text, number in zip(
                sheet.cells.row,
                sheet.cells.column,
                sheet.cells.stored,
                sheet.cells.text,
                sheet.cells.number,
                strict=True,
            ):
                if stored == Stored.TEXT:
                    assert rows[row][column] == text, (path.name, sheet.name, row, column)
                elif stored == Stored.NUMBER:
                    assert rows[row][column] == pytest.approx(number), (path.name, sheet.name, row, column)
