"""The documentation builds as a site, strictly, and the site needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("site")  # built once


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not built.returncode, built.stderr
    return folder


def test_every_page_is_built_and_reached_from_the_navigation(site: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    pages = [page.stem for page in (ROOT / "docs").glob("*.md")] + [
        "CONTRIBUTING",
        "CHANGELOG",
        "SECURITY",
        "CODE_OF_CONDUCT",
    ]
    assert [page for page in pages if f'href="{page}.html"' not in first and page != "index"] == []
    assert all((site / f"{page}.html").is_file() for page in pages)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"""<(?:script|img|iframe)[^>]+src=["']?(?:https?:)?//|<link[^>]+href=["']?(?:https?:)?//""")
    assert [page.name for page in site.rglob("*.html") if loaded.search(page.read_text(encoding="utf-8"))] == []


def test_the_reference_shows_the_docstrings(site: Path) -> None:
    reference = (site / "reference.html").read_text(encoding="utf-8")
    assert 'id="tabellion.api.extract"' in reference
    assert 'id="tabellion.library.library.Library"' in reference
