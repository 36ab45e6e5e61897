"""A document's format is told by its bytes: names and endings count for nothing."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.read import read_document
from tabellion.read.sniff import sniff_format

Maker = Callable[..., bytes]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"year;value\n1990;13.7\n", "csv"),
        (b"a\tb\n1\t2\n", "csv"),
        ("Jahr;Höhe\n1990;1\n".encode("latin-1"), "csv"),
        ("year,value\n".encode("utf-16"), "csv"),
        (b"<html><body><table><tr><td>1</td></tr></table></body></html>", "html"),
        (b"\xef\xbb\xbf  <!-- made by a program --><table><tr><td>1</td></tr></table>", "html"),
        ("<!DOCTYPE html><html></html>".encode("utf-16"), "html"),
        (b"\x09\x08\x10\x00\x00\x06\x05\x00", "xls"),
        (b"%PDF-1.7\n", "pdf"),
    ],
)
def test_the_bytes_say_what_it_is(data: bytes, kind: str) -> None:
    assert sniff_format(data) == kind


def test_a_workbook_is_read_under_any_name(xlsx_of: Maker, tmp_path: Path) -> None:
    data = xlsx_of('<row r="1"><c r="A1"><v>1</v></c></row>')
    for name in ("table", "table.csv", "table.xls"):
        path = tmp_path / name
        path.write_bytes(data)
        assert read_document(path).kind == "xlsx"


def test_an_xls_that_is_text_inside_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_bytes(b"year\tvalue\n1990\t13.7\n1991\t13.9\n")
    document = read_document(path)
    assert document.kind == "csv"
    assert document.pages[0].cells.text.tolist() == ["year", "value", "1990", "13.7", "1991", "13.9"]


def test_standard_input_is_read(xlsx_of: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    data = xlsx_of('<row r="1"><c r="A1"><v>1</v></c></row>')

    class Input:
        buffer = io.BytesIO(data)

    monkeypatch.setattr("sys.stdin", Input())
    document = read_document("-")
    assert (document.source, document.kind) == ("-", "xlsx")
