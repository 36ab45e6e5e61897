"""The app as it is shipped: built from the source beside it, small, without inline script or addresses of others."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "tabellion" / "web" / "static"
MOST = 300_000  # bytes of the first page, packed


def test_the_build_is_of_this_source() -> None:
    own = [path.relative_to(FRONTEND).as_posix() for path in (FRONTEND / "src").rglob("*") if path.is_file()]
    own += ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"]
    whole = hashlib.sha256()
    for name in sorted(own):
        whole.update(f"{name}\n".encode() + (FRONTEND / name).read_bytes())
    said = (STATIC / "source.sha256").read_text().strip()
    assert said == whole.hexdigest(), "frontend/ has changed since it was built: `make app`, and commit both"


def test_the_first_page_is_small() -> None:
    page = (STATIC / "index.html").read_text()
    named = [*re.findall(r'(?:src|href)="/([^"]+)"', page), "index.html"]
    assert sum(len(gzip.compress((STATIC / name).read_bytes())) for name in named) < MOST


def test_no_script_stands_in_the_page_itself() -> None:
    page = (STATIC / "index.html").read_text()
    assert all(body.strip() == "" for body in re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL))
    assert not re.search(r"\son\w+=", page) and "style=" not in page


def test_the_lock_file_names_no_server() -> None:
    assert not re.search(r'"(resolved|url)":', (FRONTEND / "package-lock.json").read_text())


@pytest.mark.parametrize("path", sorted((FRONTEND / "src").rglob("*.ts*")), ids=lambda path: path.name)
def test_a_module_is_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 400
