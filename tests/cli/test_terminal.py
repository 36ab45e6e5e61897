"""What a document or a file's name says cannot steer the terminal that it is shown on."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.cli.messages import complain

CLEARS = "x_x001B_[2Jy"  # as a workbook writes an escape character


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("name", "n"), (CLEARS, 1), ("yy", 2), ("z", 3)):
        sheet.append(row)
    book.save(tmp_path / "a\x1b]0;b.xlsx")
    return tmp_path / "a\x1b]0;b.xlsx"


@pytest.mark.parametrize("command", ["show", "list", "info", "search", "query", "repair"])
def test_no_escape_of_a_document_reaches_the_terminal(workbook: Path, tmp_path: Path, command: str) -> None:
    run, shelf = CliRunner(), ["--library", str(tmp_path / "shelf")]
    run.invoke(app, ["add", str(workbook), *shelf])
    given = {
        "show": [str(workbook)],
        "info": [str(workbook), *shelf],
        "search": ["yy", *shelf],
        "query": ["select * from tuples", "--format", "table", *shelf],
        "repair": [str(workbook)],
    }.get(command, shelf)
    drawn = run.invoke(app, [command, *given]).output
    assert drawn
    assert "\x1b" not in drawn


def test_no_escape_of_a_name_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\x1b[2J\x9b1A.csv: no such file")
    assert capsys.readouterr().err == "tabellion: a\ufffd[2J\ufffd1A.csv: no such file\n"
