"""Sets of cells as few rectangles, and back."""

from __future__ import annotations

from collections.abc import Iterable

from tabellion.model.place import Rect


def cover_cells(cells: Iterable[tuple[int, int]]) -> list[Rect]:
    """Rectangles that together hold just these cells: runs of columns, joined over rows that have the same runs.

    >>> cover_cells([(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)])
    [Rect(top=1, left=1, bottom=2, right=2), Rect(top=4, left=1, bottom=4, right=1)]
    """
    by_row: dict[int, list[int]] = {}
    for row, column in cells:
        by_row.setdefault(row, []).append(column)
    found: list[Rect] = []
    above: dict[tuple[int, int], Rect] = {}
    last = -2
    for row in sorted(by_row):
        if row != last + 1:
            found += above.values()
            above = {}
        runs = _runs(sorted(set(by_row[row])))
        here = {run: Rect(above[run].top if run in above else row, run[0], row, run[1]) for run in runs}
        found += [rect for run, rect in above.items() if run not in here]
        above, last = here, row
    return sorted([*found, *above.values()])


def list_cells(areas: Iterable[Rect]) -> list[tuple[int, int]]:
    """The cells of some rectangles."""
    return [(row, column) for area in areas for row in range(area.top, area.bottom + 1) for column in _span(area)]


def _span(area: Rect) -> range:
    return range(area.left, area.right + 1)


def _runs(columns: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for column in columns:
        if runs and runs[-1][1] == column - 1:
            runs[-1] = (runs[-1][0], column)
        else:
            runs.append((column, column))
    return runs
