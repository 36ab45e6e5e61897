"""The page that shows ten made PDF pages as they are read."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tabellion.pipeline import extract_document

ROOT = Path(__file__).parents[2]
LARGEST = 60_000  # bytes of a picture


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "figures" / "draw_pdf_pages.py"))


def test_ten_pages_are_shown_each_with_its_picture(script: dict[str, Any]) -> None:
    text = (ROOT / "docs" / "pdf-pages.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\(images/(.+?)\)", text)
    assert pictures == [f"pdf-{name}.svg" for name in script["PAGES"]]
    assert len(pictures) == text.count("\nRight: ") == text.count("\nWrong: ") == 10
    assert all((ROOT / "docs" / "images" / name).stat().st_size < LARGEST for name in pictures)


def test_what_is_wrong_is_told_by_the_reading(script: dict[str, Any]) -> None:
    made = script["three_rules"]()
    read = extract_document(script["write_pdf"](made.pages))
    right, wrong = script["judge"](made, read)
    assert (right, wrong) == ("24 of 24 cells, 1 row of heads, the caption", "nothing")
    made.rows[1][1] = "a number that is not there"
    right, wrong = script["judge"](made, read)
    assert right.startswith("23 of 24 cells")
    assert "“a number that is not there” is read as" in wrong
