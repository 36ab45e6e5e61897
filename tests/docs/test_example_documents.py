"""The example documents are what their script writes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def contents(path: Path) -> dict[str, bytes]:
    """What is in a file: the parts of a packed one, whatever the compression made of them."""
    if not zipfile.is_zipfile(path):
        return {path.name: path.read_bytes()}
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_the_script_writes_the_committed_documents(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "make_examples.py", tmp_path], check=True)
    written = {path.name: contents(path) for path in tmp_path.iterdir()}
    committed = {
        path.name: contents(path) for path in EXAMPLES.iterdir() if path.suffix in (".xlsx", ".ods", ".csv", ".pdf")
    }
    assert written == committed


def test_the_script_writes_the_documents_of_the_gallery(tmp_path: Path) -> None:
    gallery = EXAMPLES.parent / "docs" / "gallery"
    subprocess.run([sys.executable, gallery.parent / "figures" / "make_gallery.py", tmp_path], check=True)
    for folder in (gallery, gallery / "shop"):
        written = tmp_path / folder.relative_to(gallery)
        assert {one.name: contents(one) for one in written.iterdir() if one.is_file()} == {
            one.name: contents(one) for one in folder.iterdir() if one.is_file()
        }
