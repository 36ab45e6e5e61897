"""`tabellion metadata` as people and programs see it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tabellion.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_it_names_caption_notes_and_mentions() -> None:
    said = CliRunner().invoke(app, ["metadata", str(EXAMPLES / "report.pdf")]).stdout
    for words in ("Table 1. Singers by voice", "* Provisional", "Eight concerts were sung"):
        assert words in " ".join(said.split())


def test_programs_get_a_list_of_all_tables_of_all_media() -> None:
    sources = [str(EXAMPLES / name) for name in ("report.pdf", "pilots.xlsx")]
    found = json.loads(CliRunner().invoke(app, ["metadata", *sources, "--format", "json"]).stdout)
    assert [table["environment"]["document_type"] for table in found] == ["pdf", "pdf", "xlsx"]


def test_a_missing_file_does_not_stop_the_others() -> None:
    done = CliRunner().invoke(app, ["metadata", "missing.pdf", str(EXAMPLES / "report.pdf")])
    assert done.exit_code == 1
    assert "Table 2" in done.stdout
