"""The commands of the library, as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ENTRY = "from tabellion.cli import main; main()"


def run(*words: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ENTRY, *words]
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, input=given, env=environment, check=False)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("cli") / "shelf")
    done = run("add", str(EXAMPLES / "smoking.xlsx"), str(EXAMPLES / "flat.csv"), "--library", place)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "2 added: 2 tables, 143 values\n")
    return place


def test_add_tells_what_became_of_each_document(shelf: str, tmp_path: Path) -> None:
    sources = [str(EXAMPLES / "smoking.xlsx"), str(tmp_path / "missing.xlsx"), str(EXAMPLES / "pilots.xlsx")]
    done = run("add", *sources, "--library", str(tmp_path / "shelf"), "--format", "jsonl", "--jobs", "2")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["source"] for line in lines] == sources
    assert [line["status"] for line in lines] == ["added", "error", "added"]
    assert set(lines[0]) == {"source", "status", "tables", "tuples", "note"}
    assert "no such file" in lines[1]["note"] and done.returncode == 1
    again = run("add", *sources, "--library", str(tmp_path / "shelf"), "--format", "jsonl")
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    assert [line["status"] for line in lines] == ["unchanged", "error", "unchanged"]
    assert lines[0]["tables"] == 1
    assert again.stderr.splitlines()[-1].startswith("2 unchanged, 1 not read: 2 tables, ")


def test_what_is_wrong_with_a_document_is_said_with_its_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04junk")
    done = run("add", str(broken), "--library", str(tmp_path / "shelf"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"tabellion: {broken}: the zip container is damaged")


def test_list_prints_the_contract(shelf: str) -> None:
    listed = json.loads(run("list", "--library", shelf, "--format", "json").stdout)["documents"]
    assert [Path(document["source"]).name for document in listed] == ["flat.csv", "smoking.xlsx"]
    assert set(listed[0]) == {"id", "source", "medium", "sha256", "title", "added", "tables"}
    assert listed[0]["tables"] == [f"{listed[0]['id']}-t1"]


def test_search_prints_the_contract(shelf: str) -> None:
    found = json.loads(run("search", "smoking", "white", "--library", shelf, "--format", "json", "-p", "2").stdout)
    assert {"total", "hits", "facets"} <= set(found)
    assert {"table", "document", "source", "place", "score", "title", "highlights"} <= set(found["hits"][0])
    assert found["hits"][0]["place"] == {"sheet": "Smoking", "range": "A4:F23"}
    assert len(found["hits"][0]["preview"]) == 3
    assert "Adults who smoke" in run("search", "smoking", "--library", shelf).stdout
    assert run("search", "smoking", "--year", "soon", "--library", shelf).returncode == 2


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_query_prints_rows(shelf: str, form: str) -> None:
    done = run("query", 'select "1990" from smoking limit 1', "--library", shelf, "--format", form)
    assert done.returncode == 0 and "25.5" in done.stdout


def test_query_writes_parquet(shelf: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = tmp_path / "rows.parquet"
    done = run("query", "select * from tuples", "--library", shelf, "--format", "parquet", "-o", str(path))
    assert done.returncode == 0 and pq.read_table(path).num_rows == 143


def test_a_wrong_question_is_one_line(shelf: str) -> None:
    done = run("query", "drop table tuples", "--library", shelf)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and "can only read" in done.stderr


def test_sql_answers_what_is_piped_in(shelf: str) -> None:
    done = run("sql", "--library", shelf, given="select 1 +\n 1 as two;\nselect wrong;\nselect 3 as three;\n")
    assert "two" in done.stdout and "three" in done.stdout
    assert "wrong" in done.stderr and done.returncode == 0


def test_export_writes_a_database_and_says_what_it_did(shelf: str, tmp_path: Path) -> None:
    place, notes = str(tmp_path / "tables.db"), tmp_path / "metadata.json"
    first = run("export", "--library", shelf, "--to", "sqlite", place, "--describe", str(notes))
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr.startswith("2 written: 2 tables, ") and first.stderr.endswith(f" values in {place}\n")
    assert run("export", "--library", shelf, "-o", place).stderr.startswith("2 unchanged: 2 tables")
    said = json.loads(notes.read_text(encoding="utf-8"))["databases"]["tables"]["tables"]
    assert said["smoking"]["title"].startswith("Adults who smoke") and "1990" in said["smoking"]["columns"]["1990"]
    sources = tmp_path / "sources.yml"
    run("export", "--library", shelf, "smoking", "-o", str(tmp_path / "a.duckdb"), "--describe", str(sources))
    assert '- name: "smoking"' in sources.read_text(encoding="utf-8")


def test_documents_that_are_in_no_library_go_to_a_database_too(tmp_path: Path) -> None:
    place, missing = str(tmp_path / "tables.db"), str(tmp_path / "missing.csv")
    done = run("export", str(EXAMPLES / "flat.csv"), missing, "--to", "sqlite", place)
    assert done.returncode == 1 and "no such file" in done.stderr and "1 written: 1 tables" in done.stderr
    again = run("export", str(EXAMPLES / "flat.csv"), "--to", "sqlite", place)
    assert again.returncode == 0 and again.stderr.startswith("1 unchanged")
    assert run("export", "--to", "sqlite", place).returncode == 2
    wrong = run("export", str(EXAMPLES / "flat.csv"), "--to", "sqlite", str(tmp_path / "nowhere" / "x.db"))
    assert wrong.returncode == 1 and wrong.stderr.count("\n") == 1 and "no folder" in wrong.stderr


def test_verify_and_rebuild(shelf: str) -> None:
    assert run("rebuild", "--library", shelf, "--jobs", "1").returncode == 0
    done = run("verify", "--library", shelf)
    assert (done.returncode, done.stdout) == (0, "")


def test_where_there_is_no_library_every_command_says_so(tmp_path: Path) -> None:
    for command in (["list"], ["verify"], ["search", "x"], ["query", "select 1"]):
        done = run(*command, "--library", str(tmp_path / "nowhere"))
        assert done.returncode == 1 and "there is no library here" in done.stderr


def test_names_are_completed(shelf: str) -> None:
    from tabellion.library import open_library
    from tabellion.library.relations import complete_name

    with open_library(shelf) as library:
        assert complete_name(library, "smo", "select * from smo") == ["smoking"]
        assert '"1990"' in complete_name(library, "19", "select 19 from smoking")
        assert "table_id" in complete_name(library, "table_", "select table_ from tuples")


def test_joins_prints_tables_and_the_sql_that_joins_them(tmp_path: Path) -> None:
    for name, head in (("wages", "Wage"), ("rents", "Rent")):
        lines = [f"Town,{head},Year", "York,1,1990", "Ripon,2,1990", "Leeds,3,1990"]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    place = str(tmp_path / "shelf")
    run("add", str(tmp_path), "--library", place)
    done = run("joins", "wages", "--library", place, "--format", "json")
    (found,) = json.loads(done.stdout)["partners"]
    assert (found["name"], found["way"], found["shared"]) == ("rents", "rows", 3)
    rows = json.loads(run("query", found["sql"], "--library", place, "--format", "json").stdout)
    assert sorted((row["wage"], row["rent"]) for row in rows) == [(1, 1), (2, 2), (3, 3)]
    assert "the same rows, 3 labels in common" in run("joins", "wages", "--library", place).stdout
    missing = run("joins", "nothing", "--library", place)
    assert missing.returncode == 1 and "no such table" in missing.stderr


@pytest.mark.parametrize("command", ["info", "remove", "history", "joins", "query"])
def test_an_argument_that_is_no_utf8_is_one_line(command: str, shelf: str) -> None:
    done = run(command, os.fsdecode(b"caf\xe9"), "--library", shelf)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "defect" not in done.stderr


def test_links_in_a_circle_and_names_that_are_too_long_are_one_line(shelf: str, tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for words in (
        ("info", str(tmp_path / "circle"), "--library", shelf),
        ("export", "y" * 300, "--library", shelf),
        ("list", "--library", "y" * 300),
    ):
        done = run(*words)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "defect" not in done.stderr
