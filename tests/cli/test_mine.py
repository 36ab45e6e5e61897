"""`tabellion mine` and `tabellion segment` print what the output contract says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabellion.cli import app

SITE = Path(__file__).parents[2] / "examples" / "site"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout


def test_segment_prints_all_leaves_and_a_tree() -> None:
    status, printed = run("segment", str(SITE / "pie.html"), "--format", "json")
    page = json.loads(printed)
    assert status == 0
    assert page["source"] == str(SITE / "pie.html")
    assert ["Ingredients", "1 kg apples", "200 g flour", "100 g butter", "80 g sugar"] in page["segments"]
    assert set(page["tree"]) == {"label", "children"}


def test_instances_are_a_line_a_page() -> None:
    status, printed = run("mine", "--format", "jsonl", "--instances", str(SITE))
    lines = [json.loads(line) for line in printed.splitlines()]
    assert status == 0
    assert [Path(line["source"]).name for line in lines] == ["pie.html", "soup.html"]
    served = next(each for each in lines[0]["attributes"] if each["label"] == ["Serves:"])
    assert served["value"] == "6"
    assert served["path"].startswith("body > ")


def test_facts_come_in_the_format_asked_for() -> None:
    status, printed = run("mine", "--format", "json", "--instances", str(SITE))
    made = json.loads(printed)
    assert status == 0
    assert [Path(each["source"]).name for each in made["instances"]] == ["pie.html", "soup.html"]
    assert "prov:wasDerivedFrom" in run("mine", "--format", "turtle", "--instances", str(SITE))[1]


def test_things_are_a_line_a_page_and_a_summary_is_told() -> None:
    result = CliRunner().invoke(app, ["mine", "--format", "jsonl", "--unified", str(SITE)])
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line["site"] for line in lines] == ["site", "site"]
    assert {"source", "site", "kind", "name", "key", "attributes"} <= set(lines[0])
    assert "2 pages of 1 sites" in result.stderr


def test_facts_end_with_a_summary_on_standard_error() -> None:
    result = CliRunner().invoke(app, ["mine", "--instances", str(SITE)])
    assert result.stderr.startswith("2 pages of 1 sites: 2 instances, ")


def test_a_page_is_explained_by_a_drawing_and_a_stranger_is_refused() -> None:
    status, printed = run("mine", "--explain", "pie.html", str(SITE))
    assert status == 0
    assert printed.startswith("<svg")
    assert "apples" in printed
    assert run("mine", "--explain", "none.html", str(SITE))[0] == 1


def test_a_drawing_is_a_picture_where_asked_for_and_a_line_for_each_text_without_chromium(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture = CliRunner().invoke(app, ["mine", "--explain", "pie.html", "--format", "png", str(SITE)])
    assert picture.stdout_bytes.startswith(b"\x89PNG")
    assert CliRunner().invoke(app, ["mine", "--format", "png", str(SITE)]).exit_code == 2
    monkeypatch.setattr("tabellion.cli.drawing.pages.render_page", lambda *_: None)
    status, printed = run("mine", "--explain", "pie.html", str(SITE))
    assert status == 0
    assert "1 kg apples" in printed


def test_pages_without_concepts_still_show_their_instances() -> None:
    result = CliRunner().invoke(app, ["mine", str(SITE)])
    assert "pie.html" in result.stdout
    assert "2 pages of 1 sites: 0 concepts, 2 instances" in result.stderr


def test_mining_prints_one_object() -> None:
    status, printed = run("mine", "--format", "json", str(SITE))
    made = json.loads(printed)
    assert status == 0
    assert made["sites"] == [{"site": "site", "pages": 2}]
    assert {Path(each["source"]).name for each in made["instances"]} == {"pie.html", "soup.html"}


def test_a_missing_source_is_an_error_of_one_line(tmp_path: Path) -> None:
    assert run("mine", str(tmp_path / "none"))[0] == 1
    assert run("segment", str(tmp_path / "none.html"))[0] == 1
    assert run("segment", str(SITE / "pie.html"), "--method", "guess")[0] == 2


def test_a_broken_page_does_not_end_the_others(tmp_path: Path) -> None:
    for name in ("pie.html", "soup.html"):
        (tmp_path / name).write_bytes((SITE / name).read_bytes())
    (tmp_path / "broken.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    status, printed = run("mine", "--format", "jsonl", "--instances", str(tmp_path))
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert status == 1
    assert [bool(line.get("error")) for line in lines] == [True, False, False]
