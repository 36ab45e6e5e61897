"""The names of ranges that state a table in a workbook: `table1.head`, `table1.values`, `table1.under.B4`.

In: a statement, which `state_table` makes of a table. Out: names and the areas that they mean, and back. The names are
for people too: `table1.values` in a formula means the values of the first table.

| name | means |
| --- | --- |
| `area` | all of the table, title and notes included |
| `head`, `body`, `title`, `notes`, `groups`, `totals` | its rows |
| `stub` (or `key`), `columns` | its columns of labels and of values |
| `values` | the cells that hold a value |
| `top`, `left` | the headers, each by its first cell |
| `label.B4` | all cells of the header in B4, where there are several |
| `under.B4`, `below.A6` | the headers that stand under the one in B4, or A6, on top or at the left |
| `over.B4`, `beside.A6` | the columns and rows that it is nearest to, where that is not the row it stands in |
| `again.B4` | the columns that it is nearest to on its own, where elsewhere it stands under another |
| `bare` | rows without a header, though one stands in them |

Sets of cells as few rectangles, and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tabellion.model.frame import HeaderTree
from tabellion.model.place import Rect, address, cell_at
from tabellion.model.stated import CellPlace, StatedHeader, StatedTable, finds_roots
from tabellion.model.table import Table


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


MOST_CELLS = 5_000_000  # that the names of one table may mean
Areas = dict[str, list[Rect]]


def name_ranges(stated: StatedTable) -> Areas:
    """The names that state a table, without the name of the table."""
    frame = _frame(stated)
    rows: dict[str, tuple[int, ...]] = {
        "head": stated.header_rows,
        "body": stated.body_rows,
        "title": stated.title_rows,
        "notes": stated.note_rows,
        "groups": stated.group_rows,
        "totals": stated.total_rows,
    }
    columns = {"key" if stated.keyed else "stub": stated.stub_columns, "columns": stated.value_columns}
    found: Areas = {"area": [stated.area]}
    found.update({name: _across(lines, frame) for name, lines in rows.items()})
    found.update({name: _down(lines, frame) for name, lines in columns.items()})
    found["values"] = cover_cells(stated.values)
    found.update(_name_headers("top", "under", stated.top))
    found.update(_name_headers("left", "below", stated.left))
    again: dict[CellPlace, list[int]] = {}
    over: dict[CellPlace, list[int]] = {}
    twice = _twice(stated.top)
    for line, headers in stated.column_headers.items():
        for header in headers:
            (again if header in twice else over).setdefault(stated.top[header].cells[0], []).append(line)
    found.update({f"again.{address(*cell)}": _down(lines, frame) for cell, lines in again.items()})
    found.update({f"over.{address(*cell)}": _down(lines, frame) for cell, lines in over.items()})
    found.update(_name_rows(stated, frame))
    return {name: areas for name, areas in found.items() if areas}


def state_ranges(named: Mapping[str, list[Rect]]) -> StatedTable | None:
    """The table that names state; None where they do not."""
    if not {"area", "body", "columns", "values"} <= set(named) or _size(named) > MOST_CELLS:
        return None
    body = _rows(named, "body")
    top = _headers(named, "top", "under")
    left = _headers(named, "left", "below")
    if top is None or left is None:
        return None
    named_top = {cell: number for number, cell in reversed(list(enumerate(one.cells[0] for one in top)))}
    columns = _lines_of(_each(named, "over"), named_top, 1)
    again = _each(named, "again")
    columns += _lines_of(again, {cell: len(top) + place for place, cell in enumerate(again)}, 1)
    top += [StatedHeader((cell,)) for cell in again]
    return StatedTable(
        area=named["area"][0],
        header_rows=_rows(named, "head"),
        body_rows=body,
        stub_columns=_columns(named, "stub") or _columns(named, "key"),
        value_columns=_columns(named, "columns"),
        values=frozenset(list_cells(named["values"])),
        top=tuple(top),
        left=tuple(left),
        column_headers=_gathered(columns),
        row_headers=_row_headers(left, body, named),
        title_rows=_rows(named, "title"),
        note_rows=_rows(named, "notes"),
        group_rows=_rows(named, "groups"),
        total_rows=_rows(named, "totals"),
        keyed="key" in named,
    )


def _frame(stated: StatedTable) -> Rect:
    rows = (*stated.header_rows, *stated.body_rows) or (stated.area.top,)
    columns = (*stated.stub_columns, *stated.value_columns) or (stated.area.left,)
    return Rect(min(rows), min(columns), max(rows), max(columns))


def _across(rows: Iterable[int], frame: Rect) -> list[Rect]:
    return [Rect(a.top, frame.left, a.bottom, frame.right) for a in cover_cells((row, 0) for row in rows)]


def _down(columns: Iterable[int], frame: Rect) -> list[Rect]:
    return [Rect(frame.top, a.left, frame.bottom, a.right) for a in cover_cells((0, column) for column in columns)]


def _twice(headers: tuple[StatedHeader, ...]) -> set[int]:
    """Headers whose cell another one before them has."""
    first: dict[CellPlace, int] = {}
    return {number for number, one in enumerate(headers) if first.setdefault(one.cells[0], number) != number}


def _name_headers(side: str, below: str, headers: tuple[StatedHeader, ...]) -> Areas:
    found: Areas = {side: cover_cells(one.cells[0] for one in headers)}
    children: dict[CellPlace, list[CellPlace]] = {}
    for one in headers:
        if one.parent is not None:
            children.setdefault(headers[one.parent].cells[0], []).append(one.cells[0])
        if len(one.cells) > 1:
            found[f"label.{address(*one.cells[0])}"] = cover_cells(one.cells)
    found.update({f"{below}.{address(*cell)}": cover_cells(under) for cell, under in children.items()})
    return found


def _name_rows(stated: StatedTable, frame: Rect) -> Areas:
    """The rows whose nearest headers are not those that stand in them."""
    usual = _usual(stated.left, stated.body_rows)
    beside: dict[CellPlace, list[int]] = {}
    bare: list[int] = []
    for row in stated.body_rows:
        headers = stated.row_headers.get(row, ())
        if headers == usual.get(row, ()):
            continue
        if not headers:
            bare.append(row)
        for header in headers:
            beside.setdefault(stated.left[header].cells[0], []).append(row)
    found = {f"beside.{address(*cell)}": _across(rows, frame) for cell, rows in beside.items()}
    return {**found, "bare": _across(bare, frame)}


def _usual(headers: Iterable[StatedHeader], body: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The headers that stand in each row of the body, from the left."""
    found: dict[int, list[tuple[int, int]]] = {row: [] for row in body}
    for number, one in enumerate(headers):
        row, column = one.cells[0]
        if row in found:
            found[row].append((column, number))
    return {row: tuple(number for _, number in sorted(held)) for row, held in found.items() if held}


def _row_headers(
    left: list[StatedHeader], body: tuple[int, ...], named: Mapping[str, list[Rect]]
) -> dict[int, tuple[int, ...]]:
    numbers = {one.cells[0]: number for number, one in enumerate(left)}
    said = _lines_of(_each(named, "beside"), numbers, 0)
    return {**_usual(left, body), **dict.fromkeys(_rows(named, "bare"), ()), **_gathered(said)}


def _lines_of(
    named: Mapping[CellPlace, list[Rect]], numbers: Mapping[CellPlace, int], axis: int
) -> list[tuple[int, CellPlace, int]]:
    """Each line that names give a header: the line, what orders it among others, the header's number.

    On top a header comes before those in the rows below it, at the left before those in the columns after it.
    """
    return [
        (line, cell if axis else cell[::-1], numbers[cell])
        for cell, areas in named.items()
        if cell in numbers
        for line in sorted({place[axis] for place in list_cells(areas)})
    ]


def _gathered(lines: list[tuple[int, CellPlace, int]]) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for line, _, number in sorted(lines):
        found[line] = (*found.get(line, ()), number)
    return found


def _headers(named: Mapping[str, list[Rect]], side: str, below: str) -> list[StatedHeader] | None:
    firsts = list_cells(named.get(side, []))
    numbers = {cell: number for number, cell in enumerate(firsts)}
    parents: dict[CellPlace, int] = {}
    for cell, areas in _each(named, below).items():
        for child in list_cells(areas):
            if cell not in numbers or child not in numbers or child in parents:
                return None
            parents[child] = numbers[cell]
    if not finds_roots({numbers[child]: parent for child, parent in parents.items()}):
        return None
    wholes = _each(named, "label")
    found = []
    for cell in firsts:
        more = [one for one in list_cells(wholes.get(cell, [])) if one != cell]
        found.append(StatedHeader((cell, *more), parents.get(cell)))
    return found


def _each(named: Mapping[str, list[Rect]], kind: str) -> dict[CellPlace, list[Rect]]:
    """The areas of the names of one kind, by the cell that they are about."""
    return {cell_at(name.partition(".")[2]): areas for name, areas in named.items() if name.startswith(f"{kind}.")}


def _rows(named: Mapping[str, list[Rect]], name: str) -> tuple[int, ...]:
    return tuple(sorted({row for area in named.get(name, []) for row in range(area.top, area.bottom + 1)}))


def _columns(named: Mapping[str, list[Rect]], name: str) -> tuple[int, ...]:
    return tuple(sorted({column for area in named.get(name, []) for column in range(area.left, area.right + 1)}))


def _size(named: Mapping[str, list[Rect]]) -> int:
    return sum(area.height * area.width for name, areas in named.items() for area in areas if name != "area")


def state_table(table: Table) -> StatedTable | None:
    """What a table says of itself, in the rows and columns of its source; None where a header stands in no cell."""
    nested, frame, grid = table.nested, table.frame, table.grid
    if not all(node.cells for tree in (nested.top, nested.left) for node in tree.nodes):
        return None
    rows, columns, roles = grid.row_of.tolist(), grid.column_of.tolist(), frame.labels.roles

    def headers(tree: HeaderTree) -> tuple[StatedHeader, ...]:
        return tuple(
            StatedHeader(tuple((rows[r], columns[c]) for r, c in node.cells), node.parent) for node in tree.nodes
        )

    tuples = table.tuples
    values = zip(grid.row_of[tuples.rows].tolist(), grid.column_of[tuples.columns].tolist(), strict=True)
    return StatedTable(
        area=Rect(rows[0], columns[0], rows[-1], columns[-1]),
        header_rows=tuple(rows[row] for row in frame.header_rows),
        body_rows=tuple(rows[row] for row in frame.body_rows),
        stub_columns=tuple(columns[column] for column in frame.stub_columns),
        value_columns=tuple(columns[column] for column in frame.value_columns),
        values=frozenset(values),
        top=headers(nested.top),
        left=headers(nested.left),
        column_headers={columns[line]: nodes for line, nodes in nested.column_nodes.items()},
        row_headers={rows[line]: nodes for line, nodes in nested.row_nodes.items()},
        title_rows=tuple(rows[row] for row in frame.title_rows),
        note_rows=tuple(rows[row] for row in frame.note_rows),
        group_rows=tuple(rows[row] for row in frame.body_rows if roles[row] == "group"),
        total_rows=tuple(rows[row] for row in frame.body_rows if roles[row] == "derived"),
        keyed=frame.keyed,
    )
