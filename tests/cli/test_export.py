"""Tables are published from documents and from a library, by one command."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tabellion import extract, read_export
from tabellion.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, ["export", *map(str, arguments)], env={"TABELLION_LIBRARY": "", **(env or {})})


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tabellion.library import open_library

    place = tmp_path_factory.mktemp("library") / "shelf"
    with open_library(str(place), create=True) as library:
        library.add(EXAMPLES / "pilots.xlsx", EXAMPLES / "stacked.xlsx")
    return place


def test_the_ending_names_the_form(tmp_path: Path) -> None:
    for ending, start in ((".xml", b"<?xml"), (".ttl", b"@prefix"), (".xlsx", b"PK"), (".html", b"<!doctype")):
        out = tmp_path / f"pilots{ending}"
        assert run(EXAMPLES / "pilots.xlsx", "-o", out).exit_code == 0
        assert out.read_bytes().startswith(start)


def test_a_table_of_a_library_is_that_of_its_document(shelf: Path, tmp_path: Path) -> None:
    out = tmp_path / "pilots.json"
    assert run("pilots", "--library", shelf, "-o", out).exit_code == 0
    [table] = read_export(out)
    assert table.tuples == tuple(extract(EXAMPLES / "pilots.xlsx")[0].tuples)
    assert table.source.endswith("pilots.xlsx")


def test_without_a_name_the_whole_library_is_written(shelf: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.parquet"
    assert run("--library", shelf, "-o", out).exit_code == 0
    assert len(read_export(out)) == 3


def test_a_file_is_read_though_there_is_a_library(shelf: Path, tmp_path: Path) -> None:
    out = tmp_path / "flat.csv"
    assert run(EXAMPLES / "flat.csv", "-o", out, env={"TABELLION_LIBRARY": str(shelf)}).exit_code == 0
    assert len(read_export(out)) == 1
    missing = {"TABELLION_LIBRARY": str(tmp_path / "none")}
    assert run(EXAMPLES / "flat.csv", "-o", out, env=missing).exit_code == 0


def test_an_unknown_name_is_said(shelf: Path) -> None:
    ran = run("no-such-table", "--library", shelf)
    assert ran.exit_code == 1
    assert "no table or document of this library, and no file" in ran.output


def test_a_document_that_cannot_be_read_does_not_stop_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    ran = run(tmp_path / "missing.xlsx", EXAMPLES / "pilots.xlsx", "-o", out)
    assert ran.exit_code == 1
    assert "missing.xlsx: no such file" in ran.output
    assert len(read_export(out)) == 1


@pytest.mark.parametrize(
    "arguments",
    [(), ("--to", "csvw", EXAMPLES / "pilots.xlsx"), ("--base", "no address", EXAMPLES / "pilots.xlsx"), ("--schema",)],
)
def test_a_wrong_call_ends_with_status_2(arguments: tuple[str | Path, ...]) -> None:
    assert run("--to", "csv", *arguments).exit_code == 2


def test_schemas_are_printed() -> None:
    assert "xs:schema" in run("--to", "xml", "--schema").output
    assert "sh:NodeShape" in run("--to", "turtle", "--schema").output


def test_csv_on_the_web_is_a_folder_and_names_begin_as_asked(tmp_path: Path) -> None:
    out = tmp_path / "web"
    base = "https://data.example/"
    assert run(EXAMPLES / "pilots.xlsx", "--to", "csvw", "-o", out, "--base", base).exit_code == 0
    assert f'"{base}t742d84a3e645c379dc9f-{{cell}}"' in (out / "csv-metadata.json").read_text(encoding="utf-8")
    assert run(EXAMPLES / "pilots.xlsx", "--to", "csvw", "-o", out).exit_code == 1, "what is there is not overwritten"
