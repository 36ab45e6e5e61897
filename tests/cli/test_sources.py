"""What the SOURCE arguments name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabellion.read.fetch import expand_sources, why_nothing


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
