"""Tests against the real Chromium: skipped where there is none, and failing in continuous integration."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.errors import MissingExtraError
from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read.chromium import find_chromium

Render = Callable[..., Extraction]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is."""
    try:
        return find_chromium()
    except MissingExtraError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def render(chromium: str, tmp_path: Path) -> Render:
    """Reads a page made of a body, rendered."""

    def read(body: str, head: str = "", **settings: object) -> Extraction:
        path = tmp_path / "page.html"
        path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
        return extract_document(path, Settings(render="always", **settings))  # type: ignore[arg-type]

    return read
