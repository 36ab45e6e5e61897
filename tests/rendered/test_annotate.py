"""Ground truth is written that a person can correct and that measuring and learning read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.learn.web.cases import _annotated_cases

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def annotated(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("annotated")
    for _ in range(2):  # the second time replaces the first
        done = CliRunner().invoke(app, ["annotate", str(EXAMPLES / "lakes.html"), "-o", str(folder)])
        assert done.exit_code == 0
    return folder


def test_every_word_of_a_cell_is_named_and_in_the_page(annotated: Path) -> None:
    [gold] = [json.loads(line) for line in (annotated / "gold.jsonl").read_text().splitlines()]
    page = (annotated / "pages" / gold["file"]).read_text()
    words = dict(re.findall(r'<x id="(w\d+)">([^<]*)</x>', page))
    assert [table["found"] for table in gold["tables"]] == ["table", "definitions", "boxes"]
    for table in gold["tables"]:
        for cell in table["cells"]:
            if "ᵃ" not in cell["text"]:
                assert " ".join(words[word] for word in cell["words"]) == cell["text"]
                assert f'data-element="{cell["element"]}"' in page


def test_what_was_corrected_is_learned_from(annotated: Path) -> None:
    cases = _annotated_cases(annotated)
    assert [case.genuine for case in cases] == [False, False, True]
    assert (cases[2].gold["header_rows"], cases[2].gold["orientation"]) == (2, "row-column")


def test_only_web_pages_are_annotated(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["annotate", str(EXAMPLES / "flat.csv"), "-o", str(tmp_path)])
    assert done.exit_code == 1
    assert "only web pages" in done.stderr
