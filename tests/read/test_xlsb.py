"""Binary workbooks give their values, and say that this is all."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from tabellion.errors import MalformedError, TooLargeError, TruncatedError, UsageError
from tabellion.model.document import Stored
from tabellion.read import read_document
from tabellion.read.excel.xlsb import read_xlsb
from tabellion.read.limits import Limits

_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONSHIPS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
)


def record(code: int, data: bytes = b"") -> bytes:
    head = bytes([code]) if code < 128 else bytes([code & 0x7F | 0x80, code >> 7])
    size, rest = b"", len(data)
    while True:
        size += bytes([rest & 0x7F | (0x80 if rest > 127 else 0)])
        rest >>= 7
        if not rest:
            return head + size + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def cell(code: int, column: int, data: bytes) -> bytes:
    return record(code, struct.pack("<II", column, 0) + data)


def workbook(rows: dict[int, bytes], names: tuple[str, ...] = ("Data",)) -> bytes:
    sheets = b"".join(
        record(156, struct.pack("<II", 0, number) + wide(f"rId{number}") + wide(name))
        for number, name in enumerate(names, 1)
    )
    body = b"".join(record(0, struct.pack("<I", row) + bytes(21)) + cells for row, cells in rows.items())
    last = max(rows, default=0)
    sheet = record(129) + record(148, struct.pack("<IIII", 0, last, 0, 20)) + record(145) + body + record(146)
    targets = [
        f'<Relationship Id="rId{number}" Type="{_KIND}/worksheet" Target="worksheets/sheet{number}.bin"/>'
        for number in range(1, len(names) + 1)
    ]
    office = f'<Relationship Id="r" Type="{_KIND}/officeDocument" Target="xl/workbook.bin"/>'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": _RELATIONSHIPS.format(office),
        "xl/_rels/workbook.bin.rels": _RELATIONSHIPS.format("".join(targets)),
        "xl/workbook.bin": record(131) + record(143) + sheets + record(144) + record(132),
    }
    parts |= {f"xl/worksheets/sheet{number}.bin": sheet + record(130) for number in range(1, len(names) + 1)}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return file.getvalue()


SMALL = workbook(
    {
        0: cell(6, 0, wide("Year")) + cell(6, 1, wide("Rate")),
        3: cell(5, 0, struct.pack("<d", 1990)) + cell(5, 1, struct.pack("<d", 13.7)) + cell(4, 2, b"\x01"),
    }
)


def test_values_stand_where_they_stand_in_the_sheet() -> None:
    cells = read_xlsb(SMALL, Limits()).sheets[0].cells
    assert cells.row.tolist() == [0, 0, 3, 3, 3]
    assert cells.column.tolist() == [0, 1, 0, 1, 2]
    assert cells.text.tolist() == ["Year", "Rate", "1990", "13.7", "TRUE"]
    assert cells.stored.tolist() == [Stored.TEXT, Stored.TEXT, Stored.NUMBER, Stored.NUMBER, Stored.BOOLEAN]


def test_an_issue_says_that_looks_are_not_read() -> None:
    assert "no looks" in read_xlsb(SMALL, Limits()).issues[0].note


def test_the_format_is_told_by_content() -> None:
    assert read_document(SMALL).kind == "xlsb"


def test_one_sheet_is_read_by_name() -> None:
    data = workbook({0: cell(6, 0, wide("x"))}, ("A", "B"))
    assert [sheet.name for sheet in read_xlsb(data, Limits(), "B").sheets] == ["B"]
    with pytest.raises(UsageError, match="the sheets are: A, B"):
        read_xlsb(data, Limits(), "C")


def test_an_empty_sheet_has_no_cells() -> None:
    assert len(read_xlsb(workbook({}), Limits()).sheets[0].cells) == 0


def test_two_cells_at_far_corners_do_not_fill_the_memory() -> None:
    far = workbook({0: cell(6, 0, wide("x")), 1_048_575: cell(6, 16_383, wide("y"))})
    with pytest.raises(TooLargeError, match=r"Limits\.cells"):
        read_xlsb(far, Limits())


def test_a_row_without_its_place_is_refused_before_it_costs_memory() -> None:
    rows = {0: cell(6, 0, wide("x")) + record(57, b"9" * 57) + record(0) + record(4)}
    with pytest.raises(MalformedError, match="cut short"):
        read_xlsb(workbook(rows), Limits())


def test_a_file_cut_short_is_said_to_be_so() -> None:
    with pytest.raises(TruncatedError):
        read_xlsb(SMALL[: len(SMALL) // 2], Limits())


def test_a_package_without_its_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("xl/workbook.bin", b"\x00")
    with pytest.raises((MalformedError, TruncatedError)):
        read_xlsb(file.getvalue(), Limits())


def test_values_are_shown_by_their_number_formats() -> None:
    looks = b"".join(record(47, struct.pack("<HH", 0, number) + bytes(12)) for number in (0, 164, 17, 9))
    code = record(44, struct.pack("<H", 164) + wide("#,##0.0_);(#,##0.0)"))
    styles = record(615, struct.pack("<I", 1)) + code + record(616)
    styles += record(617, struct.pack("<I", 4)) + looks + record(618)
    cells = b"".join(
        record(5, struct.pack("<II", column, look) + struct.pack("<d", value))
        for column, (look, value) in enumerate([(0, 1234.5), (1, -1234.56), (2, 33000.0), (3, 0.125)])
    )
    data = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook({0: cells}))) as made, zipfile.ZipFile(data, "w") as written:
        for name in made.namelist():
            written.writestr(name, made.read(name))
        written.writestr("xl/styles.bin", record(278) + styles + record(279))
    (sheet,) = read_xlsb(data.getvalue(), Limits()).sheets
    assert sheet.cells.text.tolist() == ["1234.5", "(1,234.6)", "May-90", "13%"]
    assert [sheet.styles[style].number_format for style in sheet.cells.style.tolist()][1] == "#,##0.0_);(#,##0.0)"
