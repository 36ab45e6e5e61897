"""Features of tables that only show once a page is drawn.

In: a `RenderedPage`, a way to the words of its elements, and elements that are tables. Out: one row of numbers per
table; `DRAWN_FEATURES` names them. Only cells that show words count. VENTex names learning from visual features as the
way to better judgements (section 5.1); of some sixty that were tried these are the ones that helped on sites not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import Boxes, RenderedPage

Floats = NDArray[np.float64]
_STRAIGHT = 2.0  # pixels within which edges are aligned
_NEW_LINE = 4.0  # pixels by which the next word stands higher or lower on another line
_MOST_CELLS = 20_000  # cells of a table that are looked at


class DrawnTable(msgspec.Struct, frozen=True, eq=False):
    """The cells of a table that show words: their boxes, where their text begins and ends, how many lines it has."""

    width: float
    cell: Boxes
    left: Floats
    right: Floats
    lines: Floats


def _beside(table: DrawnTable) -> float:
    """How many cells show words in a row, in the mean."""
    return len(table.cell) / len(np.unique(np.round(table.cell[:, 1])))


def _unaligned(table: DrawnTable) -> float:
    """The share of columns whose texts neither begin nor end together, of those with two texts or more."""
    _, column, counts = np.unique(np.round(table.cell[:, 0]), return_inverse=True, return_counts=True)

    def spread(edges: Floats) -> Floats:
        mean = np.bincount(column, weights=edges) / counts
        return np.sqrt(np.bincount(column, weights=(edges - mean[column]) ** 2) / counts)

    ragged = (spread(table.left) >= _STRAIGHT) & (spread(table.right) >= _STRAIGHT)
    return float(ragged[counts > 1].mean()) if (counts > 1).any() else 0.0


def _widths(table: DrawnTable) -> Floats:
    return (table.cell[:, 2] - table.cell[:, 0]).astype(np.float64)


_TELL: dict[str, Callable[[DrawnTable], float]] = {
    "texts beside each other": _beside,
    "column width spread": lambda t: float(_widths(t).std() / max(1.0, _widths(t).mean())),
    "narrowest cell": lambda t: float(_widths(t).min()),
    "widest cell share": lambda t: float(_widths(t).max() / max(1.0, t.width)),
    "one line share": lambda t: float((t.lines <= 1).mean()),
    "unaligned columns": _unaligned,
}
DRAWN_FEATURES: tuple[str, ...] = tuple(_TELL)


def drawn_features(page: RenderedPage, words_of: Callable[[int], tuple[int, int]], tables: Sequence[int]) -> Floats:
    """One row per table (the number of its node), in the order of DRAWN_FEATURES; `words_of` a node: first and end."""
    own = _own_cells(page, set(tables))
    top = page.words.box[:, 1]
    changes = np.concatenate([[0], np.cumsum(np.abs(np.diff(top)) > _NEW_LINE)]) if len(top) else np.zeros(0, int)
    rows = np.zeros((len(tables), len(_TELL)))
    for at, table in enumerate(tables):
        spans = [(cell, *words_of(cell)) for cell in own[table][:_MOST_CELLS]]
        if spans := [span for span in spans if span[1] < span[2]]:
            cells, first, end = np.array(spans, dtype=np.intp).T
            drawn = DrawnTable(
                width=float(page.nodes.box[table, 2] - page.nodes.box[table, 0]),
                cell=page.nodes.box[cells],
                left=_over(np.minimum, page.words.box[:, 0], first, end),
                right=_over(np.maximum, page.words.box[:, 2], first, end),
                lines=(changes[end - 1] - changes[first] + 1).astype(np.float64),
            )
            rows[at] = [tell(drawn) for tell in _TELL.values()]
    return rows


def _own_cells(page: RenderedPage, tables: set[int]) -> dict[int, list[int]]:
    """The cells of each table, those of tables within it left out."""
    found: dict[int, list[int]] = {table: [] for table in tables}
    around: list[int] = []  # the table that each node stands in
    for node, (name, parent) in enumerate(zip(page.nodes.name.tolist(), page.nodes.parent.tolist(), strict=True)):
        table = around[parent] if parent >= 0 else -1
        if name in ("TD", "TH") and table in found:
            found[table].append(node)
        around.append(node if name == "TABLE" else table)
    return found


def _over(reduce: np.ufunc, values: NDArray[np.float32], first: NDArray[np.intp], end: NDArray[np.intp]) -> Floats:
    """The least or the largest of the values of each range."""
    ranges = np.column_stack([first, end]).ravel()
    return np.asarray(reduce.reduceat(np.append(values, values[-1:]), ranges)[::2], dtype=np.float64)
