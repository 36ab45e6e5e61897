"""Small tables made by hand, for tests of what comes after nesting.

`build_nested` takes the cells as rows of texts (None: empty; numbers stay numbers) and says by addresses which header
stands under which; nothing is guessed, so that a test shows all that it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabellion.model.document import Document, Mark, Sheet, SheetCells, Stored
from tabellion.model.frame import ROW_ROLES, Frame, HeaderNode, HeaderTree, Nested, Orientation, RowLabels, RowRole
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Place, Rect, cell_at, rect_at
from tabellion.model.style import PLAIN, Style
from tabellion.pipeline import Extraction
from tabellion.relate import relate_table
from tabellion.values import read_texts

Cells = Sequence[Sequence[str | float | None]]
ROLE_OF_LETTER: dict[str, RowRole] = {role[0]: role for role in ROW_ROLES if role != "derived"} | {"v": "derived"}


def build_grid(
    cells: Cells,
    *,
    merges: Sequence[str] = (),
    styles: Mapping[str, Style] | None = None,
    aggregates: Sequence[str] = (),
    first: str = "A1",
    sheet: str | None = "Sheet1",
) -> Grid:
    """A grid of the given cells, its first cell at the address `first` of the sheet."""
    shape = (len(cells), max(map(len, cells)))
    text = np.full(shape, "", dtype=object)
    label = np.full(shape, "", dtype=object)
    content = np.zeros(shape, dtype=np.uint8)
    number = np.full(shape, np.nan)
    indent = np.zeros(shape, dtype=np.float32)
    notes: dict[int, tuple[str, ...]] = {}
    said = read_texts(cell for row in cells for cell in row if isinstance(cell, str))
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            if isinstance(cell, str):
                saying = said[cell]
                text[i, j], label[i, j], content[i, j] = cell, saying.label, saying.content
                number[i, j], indent[i, j] = saying.number, saying.indent
                if saying.notes:
                    notes[i * shape[1] + j] = saying.notes
            elif cell is not None:
                text[i, j] = label[i, j] = f"{cell:g}"
                content[i, j], number[i, j] = Content.NUMBER, cell
    top, left = cell_at(first)
    style_ids = np.zeros(shape, dtype=np.int32)
    table = [PLAIN]
    for area, style in (styles or {}).items():
        rect = rect_at(area)
        table.append(style)
        style_ids[rect.top - top : rect.bottom - top + 1, rect.left - left : rect.right - left + 1] = len(table) - 1
    marks = np.zeros(shape, dtype=np.uint8)
    for address in aggregates:
        row, column = cell_at(address)
        marks[row - top, column - left] = Mark.FORMULA | Mark.AGGREGATE
    spans = [(r.top - top, r.left - left, r.height, r.width) for r in map(rect_at, merges)]
    return Grid(
        text=text,
        label=label,
        content=content,
        number=number,
        style=style_ids,
        indent=indent,
        marks=marks,
        notes=notes,
        spans=np.array(spans, dtype=np.int32).reshape(-1, 4),
        styles=tuple(table),
        row_of=np.arange(top, top + shape[0], dtype=np.int32),
        column_of=np.arange(left, left + shape[1], dtype=np.int32),
        hidden_rows=np.zeros(shape[0], dtype=bool),
        hidden_columns=np.zeros(shape[1], dtype=bool),
        place=Place(sheet=sheet),
    )


def build_frame(
    grid: Grid, roles: str, *, stub: int = 1, orientation: Orientation = "row-column", confidence: float = 0.9
) -> Frame:
    """The frame of a grid by one letter a row: t, h, d, g, v (derived), n, b; the first `stub` columns label rows."""
    words = tuple(ROLE_OF_LETTER[letter] for letter in roles)
    rows = {role: tuple(i for i, word in enumerate(words) if word == role) for role in ROW_ROLES}
    body = tuple(i for i, word in enumerate(words) if word in ("data", "group", "derived"))
    framed = (*rows["header"], *body)
    probability = np.zeros((len(words), len(ROW_ROLES)))
    return Frame(
        labels=RowLabels(grid, words, probability),
        rect=Rect(min(framed), 0, max(framed), grid.shape[1] - 1),
        header_rows=rows["header"],
        body_rows=body,
        stub_columns=tuple(range(stub)),
        value_columns=tuple(range(stub, grid.shape[1])),
        title_rows=rows["title"],
        note_rows=rows["note"],
        orientation=orientation,
        genuine=0.95,
        confidence=confidence,
    )


def build_nested(frame: Frame, under: Mapping[str, str] | None = None) -> Nested:
    """Header trees of a frame. `under`: address of a header -> address of its parent."""
    parents = dict(under or {})
    top = _build_tree(frame.grid, frame.header_rows, frame.value_columns, parents)
    left = _build_tree(frame.grid, frame.body_rows, frame.stub_columns, parents)
    at_top = {cell: node.id for node in top.nodes for cell in node.cells}
    at_left = {cell: node.id for node in left.nodes for cell in node.cells}
    width = frame.grid.shape[1]
    columns: dict[int, tuple[int, ...]] = {}
    for column in frame.value_columns:
        above = [divmod(int(frame.grid.home[row, column]), width) for row in frame.header_rows]
        nearest = [at_top[cell] for cell in above if cell in at_top]
        columns[column] = tuple(nearest[-1:])
    rows = {r: tuple(at_left[r, c] for c in frame.stub_columns if (r, c) in at_left) for r in frame.body_rows}
    return Nested(frame, top, left, columns, rows)


def _build_tree(grid: Grid, rows: Sequence[int], columns: Sequence[int], parents: Mapping[str, str]) -> HeaderTree:
    cells = [(r, c) for r in rows for c in columns if grid.filled[r, c]]
    ids = {grid.address(*cell): number for number, cell in enumerate(cells)}
    width = grid.shape[1]
    nodes = []
    for number, (row, column) in enumerate(cells):
        parent = ids.get(parents.get(grid.address(row, column), ""))
        notes = grid.notes.get(row * width + column, ())
        nodes.append(HeaderNode(number, str(grid.label[row, column]), parent, ((row, column),), 0.9, notes))
    return HeaderTree(tuple(nodes))


def build_sheet(name: str | None, *lines: str) -> Sheet:
    """A sheet with one text a row."""
    count = len(lines)
    row = np.arange(count, dtype=np.int32)
    zero, byte = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.uint8)
    text = np.array([*lines, None], dtype=object)[:-1]
    return Sheet(name=name, cells=SheetCells(row, zero, text, byte + Stored.TEXT, np.full(count, np.nan), zero, byte))


def build_document(*grids: Grid, kind: str = "xlsx", source: str = "some/report.xlsx") -> Document:
    """A document with one empty sheet for each grid: what tables say of their document."""
    pages = tuple(build_sheet(grid.place.sheet) for grid in grids)
    return Document(source, "spreadsheet", kind, "0" * 64, pages, title="A report", authors=("A. Writer",))


def smoking() -> Nested:
    """A table with two levels at the left and one on top, a title, a unit and notes (figures are of public record)."""
    grid = build_grid(
        [
            ["Table 204. Cigarette Smoking by Sex and Age", None, None],
            ["[In percent. Based on a survey]", None, None],
            ["Sex and age", r"1990 \1", "1995"],
            ["Total smokers", 25.5, 24.7],
            ["Male, total", None, None],
            ["..18 to 24 years", 26.6, "27.8"],
            ["..65 years and over", 14.6, r"\2 14.3"],
            ["Female, total", "(NA)", "F"],
            [r"\1 Data not strictly comparable", None, None],
            ["with later years.", None, None],
            [r"\2 Figure does not meet standards.", None, None],
            ["Source: National Health Interview Survey.", None, None],
        ],
        first="A1",
    )
    frame = build_frame(grid, "tthdgdddnnnn")
    return build_nested(frame, under={"A6": "A5", "A7": "A5"})


def build_extraction(*nested: Nested, source: str = "some/report.xlsx", **more: Any) -> Extraction:
    """A document with the given tables, in their order."""
    document = build_document(*(one.frame.grid for one in nested), source=source)
    tables = tuple(relate_table(one, document, f"t{number}") for number, one in enumerate(nested, 1))
    return Extraction(document, tables, **more)
