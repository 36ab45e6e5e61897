"""Frames and header trees of the corpora, to learn nesting from.

In: cases of troy200, senbazuru-left, hitab-top and stattrees. Out: gold frames with the edges between header cells, so
that nesting is learned and judged apart from the finding of frames. Senbazuru's stacked head rows part its sheets.

Headers with their merges undone, to learn from: the same trees, told by place alone. In: a gold frame. Out: two
variants of it, the texts of merged header cells at the left or in the middle of what they covered. Only cells merged
across columns of the header are undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.learn.sheets.gold import Case
from tabellion.model.frame import ROW_ROLES, Frame, RowLabels, RowRole
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect, cell_at, rect_at

Cell = tuple[int, int]

STAGGERED = 0.1  # a second stub column shares at most this part of its rows with the first


class GoldFrame(msgspec.Struct, frozen=True, eq=False):
    """A frame with the parent of each header cell, in the grid's rows and columns; a root has no entry."""

    case: Case
    frame: Frame
    left: dict[Cell, Cell]
    top: dict[Cell, Cell]
    untold: frozenset[str] = frozenset()  # sides whose trees the gold does not tell cell by cell


def gold_frames(case: Case) -> Iterator[GoldFrame]:
    """The frames of a case."""
    if case.corpus == "troy200":
        yield _troy(case)
    elif case.corpus == "senbazuru-left" and case.gold["scored"]:
        yield from _senbazuru(case)
    elif case.corpus == "hitab-top":
        yield _hitab(case)
    elif case.corpus == "stattrees":
        yield from _stattrees(case)


def make_frame(
    grid: Grid, header: Iterable[int], body: Iterable[int], stub: Iterable[int], values: Iterable[int]
) -> Frame:
    """A frame of the given rows and columns."""
    header, body, stub, values = tuple(header), tuple(body), tuple(stub), tuple(values)
    rows, columns = (*header, *body), (*stub, *values)
    roles: tuple[RowRole, ...] = tuple("header" if row in header else "data" for row in range(grid.shape[0]))
    labels = RowLabels(grid, roles, np.zeros((grid.shape[0], len(ROW_ROLES))))
    rect = Rect(min(rows), min(columns), max(rows), max(columns))
    return Frame(labels, rect, header, body, stub, values)


class _Places:
    """Sheet addresses as cells of a grid."""

    def __init__(self, grid: Grid) -> None:
        self.row = {int(r): i for i, r in enumerate(grid.row_of)}
        self.column = {int(c): i for i, c in enumerate(grid.column_of)}

    def __call__(self, address: str) -> Cell:
        row, column = cell_at(address)
        return self.row[row], self.column[column]


def _troy(case: Case) -> GoldFrame:
    (grid,), gold = case.grids, case.gold
    place = _Places(grid)
    edges: dict[str, dict[Cell, Cell]] = {"top": {}, "left": {}}
    for label in gold["labels"]:
        if label["parent"]:
            edges[label["axis"]][place(label["address"])] = place(label["parent"])
    top = [place(label["address"]) for label in gold["labels"] if label["axis"] == "top"]
    entries = [place(entry["address"]) for entry in gold["entries"]]
    first = min(row for row, _ in top)
    last = max(row + grid.span_at.get((row, column), (1, 1))[0] - 1 for row, column in top)
    left = [place(label["address"]) for label in gold["labels"] if label["axis"] == "left"]
    left = [cell for cell in left if cell[0] > last]
    bottom = max(row for row, _ in (*left, *entries))
    stub = sorted({column for _, column in left})
    values = [c for c in range(stub[0], max(c for _, c in entries) + 1) if c not in stub]
    frame = make_frame(grid, range(first, last + 1), range(last + 1, bottom + 1), stub, values)
    return GoldFrame(case, frame, edges["left"], edges["top"])


def _senbazuru(case: Case) -> Iterator[GoldFrame]:
    (grid,), gold = case.grids, case.gold
    place = _Places(grid)
    area = rect_at(gold["range"])
    named = [row for pair in (*gold["pairs"], *gold["root_pairs"]) for row in pair if row != gold["root_row"]]
    rows = np.nonzero((grid.row_of >= min(named)) & (grid.row_of <= area.bottom))[0]
    first = place.column[area.left]
    stub = [first, first + 1] if _is_staggered(grid, rows, first) else [first]
    edges: dict[Cell, Cell] = {}
    column_at = {row: _label_column(grid, row, stub) for row in rows.tolist()}
    for upper, lower in gold["pairs"]:
        parent, child = place.row[upper], place.row[lower]
        edges[child, column_at[child]] = (parent, column_at[parent])
    head = place.row.get(gold["root_row"], int(rows[0]) - 1)
    header = range(max(head, 0), int(rows[0]))
    for number, body in enumerate(_bodies(grid, rows, stub)):
        above = header if number == 0 else [body[0] - 1]
        frame = make_frame(grid, above, body, stub, range(stub[-1] + 1, grid.shape[1]))
        inside = {child: parent for child, parent in edges.items() if child[0] in body}
        yield GoldFrame(case, frame, inside, {})


def _is_staggered(grid: Grid, rows: NDArray[np.intp], first: int) -> bool:
    here, following = (grid.content[rows, column] for column in (first, first + 1))
    both = ((here == Content.TEXT) & (following == Content.TEXT)).sum()
    texts = (following == Content.TEXT).sum()
    return bool(texts and both <= STAGGERED * texts and not np.isin(following, (Content.NUMBER, Content.DATE)).any())


def _label_column(grid: Grid, row: int, stub: list[int]) -> int:
    return next((column for column in stub if grid.filled[row, column]), stub[0])


def _bodies(grid: Grid, rows: NDArray[np.intp], stub: list[int]) -> Iterator[list[int]]:
    """The rows between heads: a row of texts beside an empty stub is a head of what follows."""
    body: list[int] = []
    for row in rows.tolist():
        content = grid.content[row, stub[-1] + 1 :]
        empty = not grid.filled[row, stub].any()
        if empty and (content == Content.TEXT).any() and not np.isin(content, (Content.NUMBER, Content.DATE)).any():
            if body:
                yield body
            body = []
        else:
            body.append(row)
    if body:
        yield body


def _hitab(case: Case) -> GoldFrame:
    (grid,), gold = case.grids, case.gold
    place = _Places(grid)
    top = {place(child): place(parent) for parent, child in gold["top"]}
    stubs = gold["header_columns"]
    if top:
        last = max(row + grid.span_at.get((row, c), (1, 1))[0] - 1 for row, c in (*top, *top.values()))
        last = max(last, _units_below(grid, last, stubs))
    else:
        last = gold["header_rows"] - 1
        numbers = np.isin(grid.content[last, stubs:], (Content.NUMBER, Content.MISSING)).sum()
        if 2 * numbers > grid.filled[last, stubs:].sum():
            last -= 1
    rows, columns = grid.shape
    frame = make_frame(grid, range(last + 1), range(last + 1, rows), range(stubs), range(stubs, columns))
    return GoldFrame(case, frame, {}, top)


def _units_below(grid: Grid, row: int, stubs: int) -> int:
    """The row itself, or the next where that is one cell over all values beside an empty stub."""
    following = row + 1
    if following >= grid.shape[0]:
        return row
    homes = np.unique(grid.home[following, stubs:])
    over_all = len(homes) == 1 and grid.shape[1] - stubs > 1
    return following if over_all and not grid.filled[following, :stubs].any() else row


def _stattrees(case: Case) -> Iterator[GoldFrame]:
    """The annotated range. Trees are told where labels are whole cells, left ones where one column has them."""
    gold, area = case.gold, rect_at(case.gold["range"])
    grid = next((one for one in case.grids if area.top in one.row_of and area.left in one.column_of), None)
    if grid is None:
        return
    place = _Places(grid)
    rows = np.flatnonzero((grid.row_of >= area.top) & (grid.row_of <= area.bottom))
    columns = np.flatnonzero((grid.column_of >= area.left) & (grid.column_of <= area.right))
    heads = grid.row_of[rows] < area.top + gold["header_rows"]
    stubs = grid.column_of[columns] < area.left + gold["stub_columns"]
    if heads.all() or not heads.any() or stubs.all() or not stubs.any():
        return
    stub = columns[stubs].tolist()
    body = rows[~heads].tolist()
    single = len(stub) == 1 or (len(stub) == 2 and _is_staggered(grid, rows[~heads], stub[0]))
    left: dict[Cell, Cell] = {}
    for upper, lower in gold["left"] if single else ():
        parent, child = place.row[upper - 1], place.row[lower - 1]
        left[child, _label_column(grid, child, stub)] = (parent, _label_column(grid, parent, stub))
    top = {place(child): place(parent) for parent, child in gold["top"]}
    frame = make_frame(grid, rows[heads].tolist(), body, stub, columns[~stubs].tolist())
    told = {"left": single and not gold["joined"], "top": not gold["joined"]}
    yield GoldFrame(case, frame, left, top, frozenset(side for side, whole in told.items() if not whole))


def unmerge_headers(gold: GoldFrame) -> Iterator[GoldFrame]:
    """The frame with its header texts at the left, and in the middle, of what was merged."""
    grid, header = gold.frame.grid, set(gold.frame.header_rows)
    wide = [
        (r, c, d, a) for r, c, d, a in grid.spans.tolist() if r in header and a > 1 and c in gold.frame.value_columns
    ]
    if not wide:
        return
    for middle in (False, True):
        moved: dict[Cell, Cell] = {(r, c): (r, c + (a - 1) // 2 if middle else c) for r, c, _, a in wide}
        spans = [(r, c, d, a) for r, c, d, a in grid.spans.tolist() if (r, c) not in moved]
        spans += [(*moved[r, c], d, 1) for r, c, d, _ in wide if d > 1]
        changed = {}
        for name, blank in (("text", ""), ("label", ""), ("content", Content.EMPTY)):
            array = getattr(grid, name).copy()
            for old in moved:
                array[old] = blank
            for old, new in moved.items():
                array[new] = getattr(grid, name)[old]
            changed[name] = array
        replaced = msgspec.structs.replace(
            grid, **changed, spans=np.array(sorted(spans), dtype=np.int32).reshape(-1, 4)
        )
        labels = msgspec.structs.replace(gold.frame.labels, grid=replaced)
        frame = msgspec.structs.replace(gold.frame, labels=labels)
        top = {moved.get(child, child): moved.get(parent, parent) for child, parent in gold.top.items()}
        yield GoldFrame(gold.case, frame, gold.left, top)
