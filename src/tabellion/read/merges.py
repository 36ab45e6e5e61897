"""Merged areas made tidy: none is one cell only, none overlaps another."""

from __future__ import annotations

from collections.abc import Iterable

from tabellion.model.document import Issue, SheetCells
from tabellion.model.place import Place, Rect, range_text


def tidy_merges(found: Iterable[Rect], cells: SheetCells, name: str | None, issues: list[Issue]) -> tuple[Rect, ...]:
    """The areas that can stand; one that overlaps an earlier one inside the used range becomes an issue."""
    bottom = int(cells.row.max()) if len(cells) else 0
    right = int(cells.column.max()) if len(cells) else 0
    kept: list[Rect] = []
    taken: dict[int, list[Rect]] = {}
    for area in found:
        if area.top == area.bottom and area.left == area.right:
            continue
        cut = Rect(area.top, area.left, min(area.bottom, max(bottom, area.top)), min(area.right, max(right, area.left)))
        rows = range(cut.top, cut.bottom + 1)
        if any(other.left <= cut.right and cut.left <= other.right for row in rows for other in taken.get(row, ())):
            note = "a merged range overlaps another and was left out"
            issues.append(Issue("read", note, Place(sheet=name, range=range_text(area))))
            continue
        for row in rows:
            taken.setdefault(row, []).append(cut)
        kept.append(area)
    return tuple(kept)
