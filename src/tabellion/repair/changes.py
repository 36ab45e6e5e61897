"""What differs between two readings of a document, for a preview.

In: the reading before and after. Out: a line a difference: headers under other parents, rows with other roles, tables
that came or went, and how many values changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabellion.model.table import Table
from tabellion.pipeline import Extraction


def describe_changes(before: Extraction, after: Extraction) -> list[str]:
    """The differences in words."""
    old, new = ({table.id: table for table in one.tables} for one in (before, after))
    lines = [f"{name}: no table any more" for name in old if name not in new]
    lines += [f"{name}: a new table at {_where(new[name])}" for name in new if name not in old]
    for name in old:
        if name in new:
            lines += [f"{name}: {line}" for line in _differences(old[name], new[name])]
    return lines


def _differences(old: Table, new: Table) -> Iterator[str]:
    if _where(old) != _where(new):
        yield f"{_where(old)} becomes {_where(new)}"
    if old.orientation != new.orientation:
        yield f"orientation {old.orientation} becomes {new.orientation}"
    if old.title != new.title:
        yield f"title {old.title!r} becomes {new.title!r}"
    for side in ("left", "top"):
        before, after = _parents(old, side), _parents(new, side)
        for cell in sorted({*before, *after}):
            if before.get(cell, "no header") != after.get(cell, "no header"):
                address, text = cell[2:]
                yield f"{address} {text!r}: {before.get(cell, 'no header')} becomes {after.get(cell, 'no header')}"
    roles = zip(old.frame.labels.roles, new.frame.labels.roles, strict=False)
    for row, (was, now) in enumerate(roles):
        if was != now:
            yield f"row {int(old.grid.row_of[row]) + 1}: {was} becomes {now}"
    values = {(one.address, one.left, one.top, one.unit, one.notes) for one in old.tuples}
    changed = sum((one.address, one.left, one.top, one.unit, one.notes) not in values for one in new.tuples)
    if changed or len(old.tuples) != len(new.tuples):
        yield f"{changed:,} of {len(new.tuples):,} values read otherwise (before: {len(old.tuples):,})"


def _parents(table: Table, side: str) -> dict[tuple[int, int, str, str], str]:
    tree = table.left if side == "left" else table.top
    return {
        (*node.cells[0], table.grid.address(*node.cells[0]), node.text): (
            "at the root" if node.parent is None else f"under {tree.nodes[node.parent].text!r}"
        )
        for node in tree.nodes
    }


def _where(table: Table) -> str:
    return table.place.range or f"{table.grid.shape[0]} rows"
