"""`tabellion metadata` as people and programs see it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from printing import protect, scanned_pdf
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


def test_a_password_opens_a_pdf_and_a_scan_is_told_of(tmp_path: Path) -> None:
    locked, scan = tmp_path / "locked.pdf", tmp_path / "scan.pdf"
    locked.write_bytes(protect(b"sesame"))
    scan.write_bytes(scanned_pdf())
    assert CliRunner().invoke(app, ["metadata", str(locked)]).exit_code == 1
    done = CliRunner().invoke(app, ["metadata", str(locked), str(scan), "--password", "sesame", "--format", "json"])
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])
    assert "scan.pdf: page 1: the page is a scan without text" in done.stderr
