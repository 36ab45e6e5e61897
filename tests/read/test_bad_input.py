"""Bad input: each is refused with one clear line that names the source, the reason and what to do, and soon."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tabellion.errors import (
    EncryptedError,
    HostileError,
    MalformedError,
    SourceMissingError,
    TabellionError,
    TooLargeError,
    TruncatedError,
    UnknownFormatError,
    UnreadableError,
)
from tabellion.pipeline import Settings, extract_document
from tabellion.read import Limits, read_document

Maker = Callable[..., bytes]

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
CELL = '<row r="1"><c r="A1"><v>1</v></c></row>'
BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1 if i > 1 else str()};" * 10}">' for i in range(1, 10))
    + f']><worksheet xmlns="{MAIN}"><sheetData><row><c><v>&a9;</v></c></row></sheetData></worksheet>'
)
QUADRATIC = (
    f'<!DOCTYPE w [<!ENTITY a "{"x" * 100_000}">]><worksheet xmlns="{MAIN}"><sheetData><row><c t="str"><v>'
    + "&a;" * 10_000
    + "</v></c></row></sheetData></worksheet>"
)
EXTERNAL = (
    f'<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet xmlns="{MAIN}"><sheetData><row>'
    '<c t="str"><v>&a;</v></c></row></sheetData></worksheet>'
)


def refusal(source: str | Path | bytes, kind: type[TabellionError], *words: str, limits: Limits | None = None) -> str:
    """The message of the refusal, after a check that it is of its kind and one line."""
    with pytest.raises(kind) as caught:
        read_document(source, limits or Limits())
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    return message


def test_a_password_is_named_as_the_reason() -> None:
    locked = OLE + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(1000)
    refusal(locked, EncryptedError, "protected by a password", "save it without one")


def test_a_package_with_locked_parts_is_named_as_such(xlsx_of: Maker) -> None:
    data = bytearray(xlsx_of(CELL))
    at = data.find(b"PK\x01\x02")
    while at >= 0:  # bit 0 of the flags in local and central headers: the part is encrypted
        local = int.from_bytes(data[at + 42 : at + 46], "little")
        data[at + 8] |= 1
        data[local + 6] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    refusal(bytes(data), EncryptedError, "protected by a password")


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.99])
def test_a_file_that_was_cut_short_is_said_to_be(xlsx_of: Maker, share: float) -> None:
    data = xlsx_of(CELL)
    refusal(data[: int(len(data) * share)], TruncatedError, "damaged or cut short", "fetch the file again")


def test_a_damaged_part_is_named(xlsx_of: Maker) -> None:
    data = bytearray(xlsx_of(CELL * 50))
    at = data.find(b"xl/worksheets/sheet1.xml") + 40
    data[at : at + 12] = bytes(12)
    refusal(bytes(data), TruncatedError, "sheet1.xml is damaged")


def test_a_zip_bomb_is_refused_by_its_ratio(xlsx_of: Maker) -> None:
    bomb = f'<worksheet xmlns="{MAIN}"><sheetData>'.encode() + b" " * (32 * 2**20) + b"</sheetData></worksheet>"
    refusal(xlsx_of(parts={SHEET: bomb}), HostileError, "zip bomb", "Limits.unpacked_ratio")


def test_parts_over_the_total_are_refused_by_the_limit(xlsx_of: Maker) -> None:
    data = xlsx_of(CELL * 1000)
    refusal(data, TooLargeError, "Limits.unpacked_bytes", limits=Limits(unpacked_bytes=20_000))
    refusal(data, TooLargeError, "Limits.part_bytes", limits=Limits(part_bytes=20_000))


@pytest.mark.parametrize("sheet", [BILLION_LAUGHS, QUADRATIC, EXTERNAL], ids=["laughs", "quadratic", "external"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_and_never_expanded(xlsx_of: Maker, sheet: str, encoding: str) -> None:
    refusal(xlsx_of(parts={SHEET: sheet.encode(encoding)}), HostileError, "document type")


def test_a_document_type_behind_comments_is_found_at_once(xlsx_of: Maker) -> None:
    hidden = "<?a ? b?><!-- - -- - -->" * 5_000 + EXTERNAL
    refusal(xlsx_of(parts={SHEET: hidden}), HostileError, "document type")


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"", UnreadableError, "the file is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), UnknownFormatError, "PNG"),
        (OLE + bytes(600) + "WordDocument".encode("utf-16-le"), UnknownFormatError, "no workbook"),
    ],
    ids=["empty", "image", "word"],
)
def test_what_is_no_workbook_is_told_by_its_bytes(data: bytes, kind: type[TabellionError], words: str) -> None:
    refusal(data, kind, words)


@pytest.mark.parametrize(
    ("parts", "words"), [(("word/document.xml",), "Word document"), (("readme.txt", "data.csv"), "zip archive")]
)
def test_other_zip_archives_are_told_apart(parts: tuple[str, ...], words: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name in parts:
            package.writestr(name, "x")
    refusal(buffer.getvalue(), UnknownFormatError, words)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    refusal(tmp_path / "none.xlsx", SourceMissingError, "none.xlsx", "no such file")
    refusal(tmp_path, UnreadableError, str(tmp_path), "is a folder")


def test_every_refusal_begins_with_the_source(tmp_path: Path) -> None:
    path = tmp_path / "half.xlsx"
    path.write_bytes(b"PK\x03\x04 and no more")
    assert refusal(path, TruncatedError).startswith(f"{path}: ")


def test_a_file_over_the_byte_limit_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(b"a,b\n" * 100)
    refusal(path, TooLargeError, "large.csv", "over the limit of 100 bytes", limits=Limits(bytes=100))


@pytest.mark.parametrize(
    ("limits", "setting"),
    [
        (Limits(cells=1), "cells"),
        (Limits(rows=1), "rows"),
        (Limits(columns=1), "columns"),
        (Limits(sheets=0), "sheets"),
    ],
)
def test_each_limit_names_itself(xlsx_of: Maker, limits: Limits, setting: str) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="B2"><v>1</v></c></row>'
    refusal(xlsx_of(rows), TooLargeError, f"Limits.{setting}", limits=limits)


def test_time_is_a_limit(xlsx_of: Maker) -> None:
    refusal(xlsx_of(CELL), TooLargeError, "Limits.seconds", limits=Limits(seconds=-1))


@pytest.mark.parametrize(
    "parts",
    [
        {SHEET: "<worksheet><sheetData><row>"},
        {SHEET: f'<worksheet xmlns="{MAIN}"><sheetData><row><c r="$$1"/></row></sheetData></worksheet>'},
        {SHEET: f'<worksheet xmlns="{MAIN}"><sheetData><row><c r="A0"/></row></sheetData></worksheet>'},
        {SHEET: "<a>" * 10_000 + "</a>" * 10_000},
        {SHEET: '<?xml version="1.0" encoding="punycode"?><worksheet/>'},
        {"xl/workbook.xml": "not XML"},
        {SHEET: "<worksheet>\x00</worksheet>"},
        {SHEET: '<a?><?xml version="1.0" encoding="UTF-8"?><worksheet/>'},
    ],
    ids=["cut", "address", "row 0", "deep", "encoding", "workbook", "zero", "declaration"],
)
def test_broken_xml_names_the_part(xlsx_of: Maker, parts: dict[str, str]) -> None:
    refusal(xlsx_of(parts=parts), MalformedError)


@pytest.mark.parametrize("part", ["xl/styles.xml", "xl/theme/theme1.xml"])
def test_broken_looks_leave_the_values_readable(xlsx_of: Maker, part: str) -> None:
    styles = f'<styleSheet xmlns="{MAIN}"><cellXfs><xf/></cellXfs></styleSheet>'
    document = read_document(xlsx_of(CELL, parts={"xl/styles.xml": styles, part: "<broken>"}))
    assert document.pages[0].cells.text.tolist() == ["1"]
    assert "looks are missing" in document.issues[0].note


def test_a_broken_sheet_leaves_the_others_readable(xlsx_of: Maker) -> None:
    book = f'<workbook xmlns="{MAIN}"><sheets><sheet name="One"/><sheet name="Two"/></sheets></workbook>'
    document = read_document(
        xlsx_of(CELL, parts={"xl/workbook.xml": book, "xl/worksheets/sheet2.xml": "<worksheet><sheetData><row>"})
    )
    assert [page.name for page in document.pages] == ["One"]
    assert "left out" in document.issues[0].note


@pytest.mark.parametrize(
    "parts",
    [
        {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">' + "<si><r><rPr>" * 40_000 + "</sst>"},
        {"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">' + "<si><rPh><rPh>" * 40_000 + "</sst>"},
        {SHEET: f'<worksheet xmlns="{MAIN}"><sheetData>' + '<c r="A1"><is><is>' * 40_000 + "</sheetData></worksheet>"},
        {SHEET: f'<worksheet xmlns="{MAIN}"><sheetData>' + '<c r="A1"><f ' * 40_000 + "</sheetData></worksheet>"},
        {SHEET: "<sheetData>" * 40_000 + "<!-- -->"},
    ],
    ids=["runs", "phonetic", "inline", "formula", "data"],
)
def test_markup_made_to_be_slow_is_refused(xlsx_of: Maker, parts: dict[str, str]) -> None:
    with pytest.raises(TabellionError):
        read_document(xlsx_of(CELL, parts=parts))


def test_a_number_made_to_be_wide_stays_short(xlsx_of: Maker) -> None:
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="200" formatCode="0.{"0" * 100_000}%"/></numFmts>'
        '<cellXfs><xf/><xf numFmtId="200"/></cellXfs></styleSheet>'
    )
    data = xlsx_of('<row r="1"><c r="A1" s="1"><v>0.5</v></c></row>', parts={"xl/styles.xml": styles})
    assert len(read_document(data).pages[0].cells.text[0]) < 30


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_anywhere_gives_a_document_or_one_clear_line(xlsx_of: Maker, data: st.DataObject) -> None:
    intact = xlsx_of(CELL, after='<mergeCells><mergeCell ref="A1:B2"/></mergeCells>')
    damaged = bytearray(intact)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(intact) - 1))] = data.draw(st.integers(0, 255))
    try:
        read_document(bytes(damaged))
    except TabellionError as error:
        assert "\n" not in str(error)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_xml_gives_a_document_or_one_clear_line(xlsx_of: Maker, data: st.DataObject) -> None:
    merged = '<mergeCells><mergeCell ref="A1:B2"/></mergeCells>'
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{CELL}</sheetData>{merged}</worksheet>'
    odd = ("<", ">", '"', "&", "\x00", "-1", "9" * 30, "nan", "<!--", "A0", "ZZZZ9", "&#0;", "<c", "é", "")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(sheet)))
        sheet = sheet[:at] + data.draw(st.sampled_from(odd)) + sheet[at + data.draw(st.integers(0, 8)) :]
    try:
        read_document(xlsx_of(parts={SHEET: sheet}))
    except TabellionError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["report.pdf", "smoking.xlsx", "lakes.html"])
def test_a_document_that_passes_its_time_is_named_whatever_stage_it_was_at(name: str) -> None:
    path = Path(__file__).parents[2] / "examples" / name
    with pytest.raises(TooLargeError, match=rf"^{re.escape(str(path))}: reading took longer") as told:
        extract_document(path, Settings(limits=Limits(seconds=1e-9)))
    assert str(told.value).count(name) == 1
    with pytest.raises(TooLargeError, match=r"^<bytes>: reading took longer"):
        extract_document(path.read_bytes(), Settings(limits=Limits(seconds=1e-9)))
