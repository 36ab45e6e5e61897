"""Pages rendered by the real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.pipeline import Extraction, Settings, extract_document

Render = Callable[..., Extraction]


@pytest.fixture
def render(chromium: str, tmp_path: Path) -> Render:
    """Reads a page made of a body, rendered."""

    def read(body: str, head: str = "", **settings: object) -> Extraction:
        path = tmp_path / "page.html"
        path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
        return extract_document(path, Settings(render="always", **settings))  # type: ignore[arg-type]

    return read
