"""The rows of a question in every form that they can be given away in."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from openpyxl import load_workbook

from tabellion import extract
from tabellion.library import open_library
from tabellion.library.answers import ANSWER_FORMS, AnswerForm
from tabellion.library.library import Library

SQL = (
    "select 'Lyon' as town, 5 as people, 1.5::double as share union all select '=1+1 <b>|', null, -2.25 order by people"
)
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = open_library(str(tmp_path_factory.mktemp("answers") / "shelf"), create=True)
    library.add(EXAMPLES / "pilots.xlsx")
    return library


def written(library: Library, form: AnswerForm, sql: str = SQL, *, safe: bool = False) -> bytes:
    file = io.BytesIO()
    with library.ask(sql) as answer:
        answer.write(form, file, safe=safe)
    return file.getvalue()


def test_every_form_holds_every_row(library: Library) -> None:
    rows = [{"town": "Lyon", "people": 5, "share": 1.5}, {"town": "=1+1 <b>|", "people": None, "share": -2.25}]
    assert msgspec.json.decode(written(library, "json")) == rows
    assert [msgspec.json.decode(line) for line in written(library, "jsonl").splitlines()] == rows
    assert pq.read_table(io.BytesIO(written(library, "parquet"))).to_pylist() == rows
    assert written(library, "csv").decode().splitlines()[1] == "Lyon,5,1.5"
    assert "| Lyon | 5 | 1.5 |" in written(library, "markdown").decode()
    values = [[one.text for one in row] for row in ElementTree.fromstring(written(library, "xml"))]  # noqa: S314
    assert values == [["Lyon", "5", "1.5"], ["=1+1 <b>|", "-2.25"]]


def test_no_text_becomes_a_formula_or_an_element(library: Library) -> None:
    sheet = load_workbook(io.BytesIO(written(library, "xlsx"))).active
    assert sheet is not None
    assert [[cell.value for cell in row] for row in sheet.rows][2] == ["=1+1 <b>|", None, -2.25]
    assert sheet["A3"].data_type == "s" and sheet["B2"].value == 5
    assert b"<b>" not in written(library, "html") and b"&lt;b&gt;" in written(library, "html")
    assert "'=1+1" in written(library, "csv", safe=True).decode()
    assert "\\|" in written(library, "markdown").decode()


@pytest.mark.parametrize("form", ["csv", "xlsx", "html"])
def test_what_is_written_is_read_again_as_a_table(library: Library, form: AnswerForm, tmp_path: Path) -> None:
    path = tmp_path / f"answer.{form}"
    path.write_bytes(written(library, form, "select * from pilots"))
    (table,) = extract(path)
    assert len(table.tuples) > 0


def test_there_is_a_writer_for_each_form(library: Library) -> None:
    assert all(written(library, form) for form in ANSWER_FORMS)
