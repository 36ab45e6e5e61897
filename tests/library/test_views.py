"""Large documents are looked at without being read again: what is kept says the same as the document itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.prepared import VIEW
from tabellion.library.verify import verify_library
from tabellion.model.place import Rect
from tabellion.web.looking import Looking

EXAMPLES = Path(__file__).parents[2] / "examples"
FIELDS = (
    "row", "column", "address", "text", "value", "unit", "top", "left", "notes", "confidence", "left_cells",
    "top_cells",
)  # fmt: skip


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library that takes every document for a large one."""
    monkeypatch.setattr("tabellion.library.prepared._LARGE", 1)
    monkeypatch.setattr("tabellion.library.prepared._BATCH", 40)
    return open_library(str(tmp_path / "shelf"), create=True)


def views(library: Library) -> list[Path]:
    return sorted(library.folder.segments.glob(f"*{VIEW}"))


def looked(looking: Looking, name: str) -> dict[str, Any]:
    """All that is seen of a table: its description, its cells, and what is known of each."""
    cells = looking.cells(name, Rect(0, 0, 200, 60))
    shown = [
        msgspec.to_builtins(cell) | {"style": msgspec.to_builtins(cells.styles[cell.style])} for cell in cells.cells
    ]
    for cell in shown:
        cell["box"] = None if cell.get("box") is None else [round(edge, 2) for edge in cell["box"]]
    facts = [looking.cell(name, cell["row"], cell["column"]) for cell in shown if cell.get("role")]
    for one in facts:
        one["tuple"] = one["tuple"] and {field: one["tuple"][field] for field in FIELDS}
    return msgspec.json.decode(msgspec.json.encode([looking.reading(name), shown, facts]))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("source", "table"),
    [("smoking.xlsx", "smoking"), ("stacked.xlsx", "stacked_ferries"), ("lakes.html", "lakes_t1"),
     ("report.pdf", "report_page1_2")],
)  # fmt: skip
def test_what_is_kept_is_what_the_document_says(library: Library, source: str, table: str) -> None:
    library.add(EXAMPLES / source)
    kept, opened = Looking(library), Looking(library)
    with opened.open.table(table):
        pass  # from now on it lies open
    assert kept.open.stored(table) is not None and opened.open.stored(table) is None
    for one, other in zip(looked(kept, table), looked(opened, table), strict=True):
        assert one == other
    assert not kept.open.holds(library.find(str(EXAMPLES / source)).document_id)


def test_a_stroke_opens_the_document_and_keeps_it_anew(library: Library) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    (first,) = views(library)
    looking = Looking(library)
    assert looking.cell("smoking", 7, 1)["role"] == "value"
    looking.correct("smoking", [{"do": "row-role", "row": {"row": 7}, "to": "derived"}], "ada", 0)
    (second,) = views(library)
    assert second != first
    again = Looking(library)
    kept = again.open.stored("smoking")
    assert kept is not None and kept.version == 1 and again.reading("smoking")["version"] == 1
    assert again.cell("smoking", 7, 1)["role"] == "derived"


def test_a_damaged_view_is_told_of_and_the_document_is_opened_instead(library: Library) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    (path,) = views(library)
    assert list(verify_library(library)) == []
    path.write_bytes(path.read_bytes()[:32] + bytes(200))
    assert any("view of" in line for line in verify_library(library))
    assert Looking(library).cell("smoking", 8, 1)["text"] == "31.6"


def test_views_go_with_their_documents_and_small_documents_have_none(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    library.remove(str(EXAMPLES / "smoking.xlsx"))
    assert views(library) == []
    monkeypatch.setattr("tabellion.library.prepared._LARGE", 50_000)
    library.add(EXAMPLES / "smoking.xlsx")
    assert views(library) == []
