"""What is exported does no harm where it is opened: no formula in CSV, no raw HTML in Markdown."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import openpyxl
from starlette.testclient import TestClient
from typer.testing import CliRunner

import tabellion
from tabellion.cli import app
from tabellion.export.forms import write_export
from tabellion.library import open_library
from tabellion.web.app import build_app

ROWS = [["Name", "Sum", "Said"], ["=cmd|' /C calc'!A0", "-5.5", "@here"], ["+1+1", "-A1", "<script>alert(1)</script>"]]
FORMULA = ("=", "+", "@", "-A")


def written(rows: list[list[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows([*rows, ["York", "12", "plain"], ["Hull", "13", "plain"]])
    return file.getvalue().encode()


def cells(data: bytes) -> list[str]:
    return [cell for row in csv.reader(io.StringIO(data.decode())) for cell in row]


def test_no_cell_of_safe_csv_begins_a_formula() -> None:
    extraction = tabellion.extract(written(ROWS)).extraction
    file, plain = io.BytesIO(), io.BytesIO()
    write_export("csv", [extraction], file, safe=True)
    write_export("csv", [extraction], plain)
    assert any(cell.startswith(FORMULA) for cell in cells(plain.getvalue()))
    assert not any(cell.startswith(FORMULA) for cell in cells(file.getvalue()))
    assert "-5.5" in cells(file.getvalue())


def test_what_a_server_hands_out_is_safe(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(written(ROWS))
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(tmp_path / "a.csv")
        client = TestClient(build_app(library), base_url="http://127.0.0.1")
        said = client.get("/tables/a/export", params={"form": "csv"})
        assert said.status_code == 200 and not any(cell.startswith(FORMULA) for cell in cells(said.content))


def test_markdown_holds_no_raw_html() -> None:
    markdown = tabellion.extract(written(ROWS)).to_markdown()
    assert "<" not in markdown and "&lt;script>" in markdown


def test_the_name_of_a_document_that_cannot_be_read_is_no_html(tmp_path: Path) -> None:
    path = tmp_path / "<img src=x>.pdf"
    path.write_bytes(b"%PDF-1.4 broken")
    said = CliRunner().invoke(app, ["extract", str(path), "--format", "markdown"]).stdout
    assert "Could not be read" in said
    assert "<img" not in said


def test_a_far_off_cell_costs_a_table_nothing() -> None:
    book = openpyxl.Workbook()
    for row in (["Town", 1990, 1991], ["York", 1, 2], ["Hull", 3, 4], ["Ripon", 5, 6]):
        book.active.append(row)
    for place in ("XFD1048576", "ZZ9000"):
        book.active[place] = "x"
        file = io.BytesIO()
        book.save(file)
        found = tabellion.extract(file.getvalue())
        assert sum(len(table.tuples) for table in found) >= 6
        book.active[place] = None
