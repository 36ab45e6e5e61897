"""What the SOURCE arguments name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tabellion.errors import SourceMissingError
from tabellion.read.fetch import fetch_bytes, fetch_source
from tabellion.read.limits import DEFAULT
from tabellion.read.sources import expand_sources, why_nothing


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (
        "b.xlsx",
        "a.csv",
        "deep/c.ODS",
        "deep/d.pdf",
        "e.html.gz",
        "notes.txt",
        "x.gz",
        ".hidden.xlsx",
        "~$b.xlsx",
        ".git/d.csv",
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_stands_for_the_documents_under_it_in_order(folder: Path) -> None:
    assert list(expand_sources(["."])) == ["a.csv", "b.xlsx", "deep/c.ODS", "deep/d.pdf", "e.html.gz"]


def test_a_file_is_taken_whatever_its_ending(folder: Path) -> None:
    assert list(expand_sources(["notes.txt", ".hidden.xlsx"])) == ["notes.txt", ".hidden.xlsx"]


def test_a_pattern_stands_for_the_files_it_matches(folder: Path) -> None:
    assert list(expand_sources(["*.xlsx"])) == ["b.xlsx", "~$b.xlsx"]
    assert list(expand_sources(["**/*.ODS"])) == ["deep/c.ODS"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path) -> None:
    (folder / "q[1].csv").write_text("x")
    assert list(expand_sources(["q[1].csv"])) == ["q[1].csv"]


def test_the_order_given_is_kept_and_standard_input_is_one_of_them(folder: Path) -> None:
    assert list(expand_sources(["deep", "-", "a.csv"])) == ["deep/c.ODS", "deep/d.pdf", "-", "a.csv"]


def test_what_names_nothing_is_kept_with_a_reason(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert list(expand_sources(["empty", "*.xls", "gone.xlsx"])) == ["empty", "*.xls", "gone.xlsx"]
    assert why_nothing("empty") == "no spreadsheet, web page or PDF file in this folder"
    assert why_nothing("*.xls") == "no file matches this pattern"
    assert why_nothing("gone.xlsx") is None  # reading it says that there is no such file


def test_an_address_is_no_pattern_and_may_be_longer_than_a_name() -> None:
    asked = f"http://127.0.0.1:1/tables?year=2001&of[]={'x' * 300}"
    assert list(expand_sources([asked])) == [asked]
    assert why_nothing(asked) is None
    assert list(expand_sources(["y" * 300])) == ["y" * 300]  # reading it says that the name is too long


def test_a_file_whose_name_begins_like_a_tag_is_a_file(folder: Path) -> None:
    (folder / "<b>.csv").write_bytes(b"a,b\n")
    assert fetch_source("<b>.csv", DEFAULT).data == b"a,b\n"
    assert fetch_source("<b>", DEFAULT).name == "<markup>"


def test_a_name_that_is_no_utf8_is_written_as_its_bytes(folder: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9.csv")).write_text("a,b\n1,2\n")
    assert r"caf\xe9.csv" in list(expand_sources(["."]))
    with pytest.raises(SourceMissingError, match="no UTF-8 must be changed"):
        fetch_bytes(r"caf\xe9.csv", DEFAULT)
