"""A sheet with its reading, in a form that can be changed: what composing, varying and hand-read gold have in common.

In: a grid and what a person read in it, or cells that were made up. Out: a `Draft`, and from it again a grid (as
reading a document would give it) and the targets of training. A draft holds for each filled cell its text, its look and
what it is: its role, its table, the label above it in its tree, and for values the head that names them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tabellion.interpret.evidence import Evidence
from tabellion.interpret.targets import DERIVED, FLAGS, GROUP, JOIN, KEY, LEVEL, STUB, VALUE
from tabellion.interpret.tokens import is_filled
from tabellion.model.document import Mark, Medium
from tabellion.model.grid import DATE, EMPTY, NUMBER, TEXT, Grid
from tabellion.model.place import Place
from tabellion.model.style import PLAIN, Style
from tabellion.values import read_texts
from tabellion.values.texts import read_text

Cell = tuple[int, int]
OUTSIDE = -1  # the table of a cell that is in none
UNKNOWN = -2  # of one that is not asked for
_REACH = 40  # lines up to which a span's own lines are kept


class Look(NamedTuple):
    """How a cell looks, and what the source says of it; `stored` is TEXT, NUMBER or DATE."""

    stored: int = TEXT
    bold: bool = False
    italic: bool = False
    indent: float = 0.0
    align: str | None = None
    across: bool = False
    fill: bool = False
    above: bool = False
    below: bool = False
    size: int = 0  # -1 smaller, 1 larger than usual
    marks: int = 0


class Draft:
    """A sheet that can be changed. `role`, `table`, `parent` and `head` say what the cells are, where that is known."""

    def __init__(self, medium: Medium = "spreadsheet", found: str | None = None) -> None:
        self.medium: Medium = medium
        self.found = found
        self.cells: dict[Cell, tuple[str, Look]] = {}
        self.spans: dict[Cell, tuple[int, int]] = {}
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.role: dict[Cell, int] = {}
        self.table: dict[Cell, int] = {}
        self.parent: dict[Cell, Cell | None] = {}
        self.head: dict[Cell, Cell | None] = {}
        self.derived: set[int] = set()  # rows that are totals or other results
        self.rows_judged = False  # whether `derived` is known
        self.keyed: dict[int, bool] = {}  # tables of which it is known whether their stub is the key of a relation
        self.name = ""

    def put(self, cell: Cell, text: str, look: Look, role: int, table: int = OUTSIDE) -> None:
        self.cells[cell] = (text, look)
        self.role[cell] = role
        self.table[cell] = table


def draft_of(grid: Grid) -> Draft:
    """A draft of a grid, in the source's rows and columns, without a reading."""
    draft = Draft(grid.medium, grid.found)
    usual = float(np.median(grid.look("size")[grid.filled])) if grid.filled.any() else 11.0
    row_of, column_of = grid.row_of.tolist(), grid.column_of.tolist()
    for row, column in zip(*(lines.tolist() for lines in np.nonzero(grid.filled & ~grid.covered)), strict=True):
        style = grid.styles[grid.style[row, column]]
        content = int(grid.content[row, column])
        stored = content if content in (NUMBER, DATE) else TEXT
        size = 1 if style.size > 1.15 * usual else -1 if style.size < 0.9 * usual else 0
        look = Look(
            stored, style.bold, style.italic, float(grid.indent[row, column]), style.align, style.across,
            is_filled(style.fill), style.border_top, style.border_bottom, size, int(grid.marks[row, column]),
        )  # fmt: skip
        draft.cells[row_of[row], column_of[column]] = (str(grid.text[row, column]), look)
    for row, column, down, across in grid.spans.tolist():
        cell = row_of[row], column_of[column]
        if cell in draft.cells:
            last = row_of[min(row + down, len(row_of)) - 1], column_of[min(column + across, len(column_of)) - 1]
            draft.spans[cell] = (last[0] - cell[0] + 1, last[1] - cell[1] + 1)
    draft.hidden_rows = {row_of[at] for at in np.flatnonzero(grid.hidden_rows).tolist()}
    draft.hidden_columns = {column_of[at] for at in np.flatnonzero(grid.hidden_columns).tolist()}
    return draft


def grid_of(draft: Draft) -> Grid:
    """The grid of a draft: lines without cells and spans left out, texts understood as of a document just read."""
    reach = [(cell, draft.spans[cell]) for cell in draft.spans if cell in draft.cells]
    held_rows = {row for row, _ in draft.cells}
    held_rows.update(row for cell, (down, _) in reach if down < _REACH for row in range(cell[0], cell[0] + down))
    held_columns = {column for _, column in draft.cells}
    held_columns.update(c for cell, (_, across) in reach if across < _REACH for c in range(cell[1], cell[1] + across))
    row_of = np.array(sorted(held_rows), dtype=np.int32)
    column_of = np.array(sorted(held_columns), dtype=np.int32)
    rows = {row: at for at, row in enumerate(row_of.tolist())}
    columns = {column: at for at, column in enumerate(column_of.tolist())}
    shape = (len(rows), len(columns))
    text, label = np.full(shape, "", dtype=object), np.full(shape, "", dtype=object)
    content, number = np.zeros(shape, dtype=np.uint8), np.full(shape, np.nan)
    indent, style = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int32)
    marks = np.zeros(shape, dtype=np.uint8)
    styles: dict[Style, int] = {PLAIN: 0}
    said = read_texts(text for text, look in draft.cells.values() if look.stored == TEXT)
    for (row, column), (value, look) in draft.cells.items():
        cell = rows[row], columns[column]
        text[cell] = label[cell] = value
        marks[cell] = look.marks
        if look.stored == TEXT:
            saying = said[value]
            content[cell], number[cell], label[cell] = saying.content, saying.number, saying.label
            indent[cell] = look.indent
        else:
            content[cell] = look.stored
            number[cell] = _number(value)
        style[cell] = styles.setdefault(_style(look), len(styles))
    spans = []
    for (row, column), (down, across) in reach:
        last = bisect_left(row_of, row + down), bisect_left(column_of, column + across)
        spans.append((rows[row], columns[column], last[0] - rows[row], last[1] - columns[column]))
    spans = [span for span in spans if span[2] > 1 or span[3] > 1]
    for row, column, down, across in spans:
        covered = content[row : row + down, column : column + across]
        first = content[row, column]
        covered[...] = EMPTY
        content[row, column] = first
    return Grid(
        text=text, label=label, content=content, number=number, style=style, indent=indent, marks=marks, notes={},
        spans=np.array(spans, dtype=np.int32).reshape(-1, 4), styles=tuple(styles), row_of=row_of, column_of=column_of,
        hidden_rows=np.isin(row_of, list(draft.hidden_rows)),
        hidden_columns=np.isin(column_of, list(draft.hidden_columns)),
        place=Place(), medium=draft.medium, found=draft.found,
    )  # fmt: skip


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return read_text(text).number


def _style(look: Look) -> Style:
    return Style(
        bold=look.bold, italic=look.italic, size=11.0 + 3 * look.size, fill="cccccc" if look.fill else None,
        align=look.align, border_top=look.above, border_bottom=look.below, across=look.across,
    )  # fmt: skip


class Targets(NamedTuple):
    """What the network shall say of each token: -1 where nothing is asked; of pointers 0 is none, else 1 + token."""

    role: np.ndarray[tuple[int], np.dtype[np.int8]]
    pointers: np.ndarray[tuple[int, int], np.dtype[np.int16]]
    flags: np.ndarray[tuple[int, int], np.dtype[np.int8]]


def targets_of(draft: Draft, grid: Grid, evidence: Evidence) -> Targets:
    """The targets of training for the tokens of a draft's grid, pointers in the order of `POINTERS`."""
    tokens = evidence.tokens
    rows = grid.row_of[tokens.rows[tokens.at[0]]].tolist()
    columns = grid.column_of[tokens.columns[tokens.at[1]]].tolist()
    cells = list(zip(rows, columns, strict=True))
    token_at = {cell: token for token, cell in enumerate(cells)}
    role = np.full(len(cells), -1, dtype=np.int8)
    flags = np.full((len(FLAGS), len(cells)), -1, dtype=np.int8)
    pointers = np.full((4, len(cells)), -1, dtype=np.int16)
    first: dict[int, int] = {}
    stubs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for token, cell in enumerate(cells):
        table, role[token] = draft.table.get(cell, UNKNOWN), draft.role.get(cell, -1)
        if table >= 0:
            pointers[0, token] = first.setdefault(table, token) + 1
        elif table == OUTSIDE:
            pointers[0, token] = 0
        if role[token] in (STUB, GROUP):
            for row in range(cell[0], cell[0] + draft.spans.get(cell, (1, 1))[0]):
                stubs.setdefault((table, row), []).append((cell[1], token))
        if cell in draft.parent:
            pointers[3, token] = _target(draft.parent[cell], token_at)
        if draft.rows_judged and table >= 0 and role[token] in (STUB, GROUP, VALUE):
            flags[DERIVED, token] = cell[0] in draft.derived
        if table in draft.keyed and role[token] == STUB:
            flags[KEY, token] = draft.keyed[table]
    for token, cell in enumerate(cells):
        if role[token] != VALUE:
            continue
        if cell in draft.head:
            pointers[1, token] = _target(draft.head[cell], token_at)
        before = [label for column, label in stubs.get((draft.table[cell], cell[0]), []) if column < cell[1]]
        pointers[2, token] = before[-1] + 1 if before else 0
    return Targets(role, pointers, flags)


def _target(cell: Cell | None, token_at: dict[Cell, int]) -> int:
    if cell is None:
        return 0
    return token_at[cell] + 1 if cell in token_at else -1


def without_lines(draft: Draft, rows: Iterable[int] = (), columns: Iterable[int] = ()) -> Draft:
    """The draft without some rows and columns; what pointed to a label that is gone points to that label's parent."""
    gone_rows, gone_columns = sorted(set(rows)), sorted(set(columns))
    row_set, column_set = set(gone_rows), set(gone_columns)
    made = Draft(draft.medium, draft.found)
    made.name, made.rows_judged, made.keyed = draft.name, draft.rows_judged, dict(draft.keyed)

    def moved(cell: Cell) -> Cell:
        return cell[0] - bisect_left(gone_rows, cell[0]), cell[1] - bisect_left(gone_columns, cell[1])

    stays = {cell: moved(cell) for cell in draft.cells if cell[0] not in row_set and cell[1] not in column_set}
    for cell, place in stays.items():
        made.cells[place] = draft.cells[cell]
        if cell in draft.role:
            made.role[place] = draft.role[cell]
        if cell in draft.table:
            made.table[place] = draft.table[cell]
        if cell in draft.spans:
            down, across = draft.spans[cell]
            last = moved((cell[0] + down, cell[1] + across))
            made.spans[place] = max(1, last[0] - place[0]), max(1, last[1] - place[1])
        if cell in draft.parent:
            above, known = draft.parent[cell], True
            while above is not None and above not in stays:
                known = known and above in draft.parent
                above = draft.parent.get(above)
            if known:
                made.parent[place] = None if above is None else stays[above]
        if cell in draft.head:
            over = draft.head[cell]
            if over is None or over in stays:
                made.head[place] = None if over is None else stays[over]
    made.hidden_rows = {moved((row, 0))[0] for row in draft.hidden_rows if row not in row_set}
    made.hidden_columns = {moved((0, column))[1] for column in draft.hidden_columns if column not in column_set}
    made.derived = {moved((row, 0))[0] for row in draft.derived if row not in row_set}
    return made


__all__ = ["GROUP", "JOIN", "LEVEL", "OUTSIDE", "STUB", "UNKNOWN", "VALUE", "Cell", "Draft", "Look", "Mark", "Targets",
           "draft_of", "grid_of", "targets_of", "without_lines"]  # fmt: skip
