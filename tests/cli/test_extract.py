"""`tabellion extract` as its users call it: output, exit status, and what happens to bad input."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from printing import protect, scanned_pdf

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = [sys.executable, "-c", "from tabellion.cli import main; main()"]


def run(*arguments: object, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *map(str, arguments)], input=given, capture_output=True, check=False, timeout=120)


def lines(ran: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_a_document_is_one_line_with_its_tables() -> None:
    ran = run("extract", EXAMPLES / "smoking.xlsx")
    assert (ran.returncode, ran.stderr) == (0, b"")
    (line,) = lines(ran)
    assert (line["format"], line["source"], line["medium"]) == (1, str(EXAMPLES / "smoking.xlsx"), "spreadsheet")
    assert [table["place"] for table in line["tables"]] == [{"sheet": "Smoking", "range": "A4:F23"}]


def test_a_value_carries_its_whole_path_without_marks() -> None:
    (line,) = lines(run("extract", EXAMPLES / "smoking.xlsx"))
    found = {one["address"]: one for one in line["tables"][0]["tuples"]}["B10"]
    assert (found["value"], found["top"]) == (13.7, ["1990"])
    assert found["left"] == ["Total smokers", "Male, total", "White, total", "65 years and over"]
    assert any(note.startswith("Years before 1997") for note in found["notes"])


def test_documents_come_in_the_order_given_on_one_core_or_two() -> None:
    names = [EXAMPLES / name for name in ("stacked.xlsx", "flat.csv", "pilots.xlsx", "budget.ods")]
    one, two = run("extract", *names), run("extract", *names, "--jobs", 2)
    assert [line["source"] for line in lines(one)] == list(map(str, names))
    assert two.stdout == one.stdout


def test_a_pdf_under_a_password_is_opened_with_it_and_nothing_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(protect(b"sesame"))
    shut = run("extract", path)
    assert (shut.returncode, lines(shut)[0]["error"]["kind"]) == (1, "encrypted")
    assert b"--password" in shut.stderr
    opened = run("extract", path, "--password", "sesame")
    assert opened.returncode == 0
    assert b"sesame" not in opened.stdout + opened.stderr


def test_a_scanned_page_is_told_of_when_it_is_added(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned_pdf())
    ran = run("add", path, "--library", tmp_path / "shelf")
    assert "scan.pdf: the page is a scan without text: have its text recognised first" in ran.stderr.decode()


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown"])
def test_a_scanned_page_is_told_of_with_what_to_do(form: str, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned_pdf())
    ran = run("extract", path, "--format", form)
    assert ran.returncode == 0
    assert ran.stderr.decode().count("\n") == 1
    assert (
        "scan.pdf: page 1: the page is a scan without text: have its text recognised first (OCR)" in ran.stderr.decode()
    )


def test_standard_input_is_a_document() -> None:
    (line,) = lines(run("extract", "-", given=(EXAMPLES / "flat.csv").read_bytes()))
    assert line["source"] == "-"
    assert line["tables"]


def test_a_document_that_cannot_be_read_gives_a_line_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "cut.xlsx").write_bytes((EXAMPLES / "smoking.xlsx").read_bytes()[:3000])
    ran = run("extract", tmp_path / "cut.xlsx", tmp_path / "gone.xlsx", EXAMPLES / "flat.csv")
    first, second, third = lines(ran)
    assert ran.returncode == 1
    assert (first["error"]["kind"], second["error"]["kind"]) == ("truncated", "missing")
    assert third["tables"]
    said = ran.stderr.decode().splitlines()
    assert len(said) == 2
    assert all(line.startswith(f"tabellion: {tmp_path}") for line in said)


def test_a_folder_without_documents_is_an_error_and_not_silence(tmp_path: Path) -> None:
    ran = run("extract", tmp_path)
    assert ran.returncode == 1
    assert lines(ran)[0]["error"]["note"].endswith("no spreadsheet, web page or PDF file in this folder")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--format", "papyrus"),
        ("--limit", "wishes=3"),
        ("--limit", "cells"),
        ("--sheet", "No such sheet"),
        ("--weights", "no-such-folder"),
        ("--jobs", "-1"),
    ],
)
def test_a_wrong_call_ends_with_status_2(arguments: tuple[str, ...]) -> None:
    assert run("extract", EXAMPLES / "smoking.xlsx", *arguments).returncode == 2


def test_a_limit_is_kept_and_the_message_names_the_option_that_raises_it() -> None:
    ran = run("extract", EXAMPLES / "smoking.xlsx", "--limit", "cells=10")
    assert ran.returncode == 1
    assert lines(ran)[0]["error"]["kind"] == "too-large"
    assert b"--limit cells=NUMBER" in ran.stderr


@pytest.mark.parametrize("form", ["json", "xlsx", "sqlite"])
def test_numbers_too_large_to_add_are_no_noise(form: str, tmp_path: Path) -> None:
    (tmp_path / "huge.csv").write_text("k,v,w\n" + "".join(f"r{row},1e308,1e999\n" for row in range(6)))
    ran = run("export", tmp_path / "huge.csv", "--to", form, "-o", tmp_path / f"huge.{form}")
    assert (ran.returncode, ran.stderr[:9]) == (0, b"1 written" if form == "sqlite" else b"")


def test_json_is_one_list_of_the_same_objects() -> None:
    names = (EXAMPLES / "smoking.xlsx", EXAMPLES / "gone.xlsx")
    assert json.loads(run("extract", *names, "--format", "json").stdout) == lines(run("extract", *names))


def test_csv_is_one_line_a_value_under_one_head() -> None:
    names = (EXAMPLES / "smoking.xlsx", EXAMPLES / "side_by_side.xlsx")
    values = sum(len(table["tuples"]) for line in lines(run("extract", *names)) for table in line["tables"])
    rows = list(csv.DictReader(io.StringIO(run("extract", *names, "--format", "csv").stdout.decode())))
    assert len(rows) == values
    assert {row["source"] for row in rows} == set(map(str, names))


def test_markdown_holds_every_value() -> None:
    text = run("extract", EXAMPLES / "side_by_side.xlsx", "--format", "markdown").stdout.decode()
    assert all(f" {value} " in text for value in (41, 61, 172, 233))


def test_all_lists_what_was_judged_not_to_be_a_table() -> None:
    (line,) = lines(run("extract", EXAMPLES / "form.xlsx", "--all"))
    assert line["tables"] == []
    assert [candidate["place"]["sheet"] for candidate in line["rejected"]] == ["Card"]


def test_a_file_for_the_output_is_written_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    ran = run("extract", EXAMPLES / "flat.csv", "-o", target)
    assert ran.stdout == b""
    assert json.loads(target.read_text())["tables"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_pipe_for_the_output_stays_a_pipe_and_a_link_a_link(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    target.write_bytes(b"old")
    link.symlink_to(target)
    try:
        assert run("extract", EXAMPLES / "flat.csv", "-o", pipe).returncode == 0
        assert os.read(reader, 9) == b'{"format"'
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert run("extract", EXAMPLES / "flat.csv", "-o", link).returncode == 0
    assert link.is_symlink() and target.read_bytes().startswith(b'{"format"')


def test_an_output_that_cannot_be_written_is_a_wrong_call(tmp_path: Path) -> None:
    assert run("extract", EXAMPLES / "flat.csv", "-o", tmp_path / "no" / "out.jsonl").returncode == 2


@pytest.mark.parametrize("command", ["extract", "metadata", "export"])
def test_a_disk_that_is_full_is_told_in_one_line(command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*PROGRAM, command, str(EXAMPLES / "flat.csv")], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (ran.returncode, ran.stderr.count(b"\n")) == (1, 1)
    assert b"No space left" in ran.stderr


def test_a_standard_output_that_is_closed_is_no_defect() -> None:
    ran = subprocess.run(
        ["bash", "-c", f"{sys.executable} -c '{PROGRAM[2]}' extract {EXAMPLES / 'flat.csv'} >&-"],
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_link_that_leads_to_itself_gives_way_to_the_output(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").symlink_to(tmp_path / "out.jsonl")
    assert run("extract", EXAMPLES / "flat.csv", "-o", tmp_path / "out.jsonl").returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes().startswith(b'{"format"')


def test_a_reader_that_goes_away_ends_the_run_quietly() -> None:
    names = " ".join([str(EXAMPLES)] * 20)
    ran = subprocess.run(
        ["bash", "-c", f"{sys.executable} -c '{PROGRAM[2]}' extract {names} | head -c 10"],
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ran.stderr == b""


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_run_with_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")
    running = subprocess.Popen([*PROGRAM, "extract", str(tmp_path / "never")], stderr=subprocess.PIPE)
    with (tmp_path / "never").open("wb"):  # waits until the program waits for the other end
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=30)
    assert (running.returncode, said) == (130, b"tabellion: interrupted\n")
