"""The gallery shows a dozen documents, three of them read wrong and fixed."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
LARGEST = 60_000  # bytes of a picture


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "figures" / "draw_gallery.py"))


def test_each_document_has_its_picture_and_its_verdict(script: dict[str, Any]) -> None:
    pictures = re.findall(r"\(images/(.+?)\)", PAGE)
    assert pictures == [script["picture"](one).name for one in script["EXHIBITS"]]
    assert len(pictures) == len(re.findall(r"^Read right\.$|^\*\*Read wrong\.\*\*", PAGE, re.MULTILINE)) == 12
    assert all((ROOT / "docs" / "images" / name).stat().st_size < LARGEST for name in pictures)


def test_what_is_read_wrong_is_fixed(script: dict[str, Any]) -> None:
    fixed = [one for one in script["EXHIBITS"] if one.fixes]
    assert len(fixed) == PAGE.count("These lines fix it:") == PAGE.count("```python") == 3
