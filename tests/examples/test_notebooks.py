"""The notebooks of examples/ run from the first cell to the last and show what their text says."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = {
    "sheet": ["B10 is 13.7 % for Total smokers › Male, total › White, total › 65 years and over in 1990"],
    "report": ["Table 1", "Sopranos, 2024: 17 (Table 1, page 1, at ", "(Table 2, page 1, at ", "(Table 2, page 2, at "],
    "library": ["Adults who smoke cigarettes", "'medium': 'pdf', 'tables': 2", "'address': 'B10'"],
}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.ipynb")))
def test_a_notebook_runs_and_shows_what_it_tells_of(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, startup_timeout=180, resources={"metadata": {"path": folder}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    shown = "".join(str(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs)
    assert [text for text in SHOWN[name] if text not in shown] == [], shown


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
