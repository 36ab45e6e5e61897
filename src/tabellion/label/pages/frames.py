"""The frames of web and printed tables.

The frames of web tables: their orientation, header rows and columns, groups, titles and notes. In: grids made from
markup or print. Out: a `Labelled` of each, with one frame, or several where header bands recur with other headers, or
attribute lists stand side by side. Attribute lists have their stub at the left and no header row, so that they become
one record. The key of a relation is its stub, so that every value carries the name of its row; so is a column of header
cells wherever it stands, at the right too. Rows that one cell fills
are titles above the table, notes in or below its foot, and groups in between.

Attribute lists that stand side by side in one table: attribute, value, attribute, value. In: a web table without header
rows. Out: the columns of each list, where every other column is set apart as that of attributes, by its tags, look or
colons. Fails where nothing but their meaning tells attributes from values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from operator import eq
from typing import NamedTuple

import msgspec
import numpy as np

from tabellion.label.keys import find_key
from tabellion.label.pages.headers import HeaderLines, find_headers
from tabellion.label.pages.view import EMPTY, WebView, view_tables
from tabellion.label.papers.ontominer import cluster_headers
from tabellion.model.document import Mark
from tabellion.model.frame import ROW_ROLES, Frame, Labelled, Orientation, RowLabels, RowRole, SheetKind
from tabellion.model.grid import Grid
from tabellion.model.methods import HeaderMethod
from tabellion.model.place import Rect
from tabellion.values.table_labels import read_caption
from tabellion.values.vocabulary import lexicon
from tabellion.weights import Weights

_MARKS = ("heading", "colon", "bold", "fill")
_NEARLY_ALL = 0.9
_PAIR = 2


def find_pairs(view: WebView) -> list[tuple[int, int]]:
    """The columns of attributes and of values of each list, by their numbers in the grid; none in other tables."""
    filled = view.kind != EMPTY
    height, width = filled.shape
    if height < _PAIR or width < 2 * _PAIR or width % _PAIR or width < len(view.columns):
        return []
    names, values = filled[:, ::_PAIR], filled[:, 1::_PAIR]
    if not (names[:, 0].all() and names.any(axis=0).all() and values.any() and (values <= names).all()):
        return []
    for mark in _MARKS:
        marked = view.trait(mark) > 0
        if marked[:, ::_PAIR][names].mean() >= _NEARLY_ALL and marked[:, 1::_PAIR][values].mean() <= 1 - _NEARLY_ALL:
            columns = view.columns.tolist()
            return list(zip(columns[::_PAIR], columns[1::_PAIR], strict=True))
    return []


_NOTE_MARK = re.compile(r"\W*(?:\*|†|‡|\(\w\)|\[\w\]|[¹²³⁴ᵃᵇᶜ])")
_NOTE, _TOTAL = lexicon("source", "note"), lexicon("total")
_KINDS: dict[tuple[bool, bool], SheetKind] = {
    (True, True): "data frame",
    (True, False): "relation",
    (False, True): "form",
    (False, False): "list",
}
_HEADING, _IN_FOOT = int(Mark.HEADING), int(Mark.IN_FOOT)
_SAME = 0.5  # the share of cells that a row must have in common with the header to be a repeat of it
_ENOUGH_ROWS = 3  # rows of a body that show whether its stub tells them apart
_LONG_GROUP = 120  # letters from which a cell over the full width is a note rather than the name of a group


class _Band(NamedTuple):
    """The lines of one frame."""

    header: list[int]
    rows: list[int]
    stub: list[int]
    values: list[int]


def label_tables(
    grids: Sequence[Grid], genuine: Sequence[float], weights: Weights, method: HeaderMethod = "boosted"
) -> list[Labelled]:
    """The frames of tables of one document that were judged to be some, each with the probability of that."""
    if not grids:
        return []
    views = view_tables(grids)
    if method == "ontominer":
        headers = [cluster_headers(view) for view in views.tables]
    else:
        headers = find_headers(views, weights)
    return [_label(*each) for each in zip(views.tables, headers, genuine, strict=True)]


def _label(view: WebView, headers: HeaderLines, genuine: float) -> Labelled:
    grid = view.grid
    header_rows = _header_rows(view, headers)
    repeated_heads = _repeated_heads(view, headers)
    roles = _row_roles(view, header_rows, repeated_heads)
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[np.arange(grid.shape[0]), [ROW_ROLES.index(role) for role in roles]] = 1.0
    labels = RowLabels(grid, tuple(roles), probability)
    frames = _frames(view, labels, headers, repeated_heads, genuine)
    kind = _KINDS[bool(headers.rows), bool(headers.columns)]
    return Labelled(labels=labels, frames=tuple(frames), kind=kind, kind_probability=headers.sure)


def _header_rows(view: WebView, headers: HeaderLines) -> list[int]:
    """The rows of the head. In print a row that one cell fills above it is of the head too, unless it is a caption."""
    head: list[int] = view.rows[: headers.rows].tolist()
    if view.grid.medium != "pdf" or not head:
        return head
    lone = [row for row in view.titles.tolist() if read_caption(" ".join(view.grid.text[row].tolist())) is None]
    return [*lone, *head]


def _repeated_heads(view: WebView, headers: HeaderLines) -> list[int]:
    """Rows of the body that say the header again, or set a new one in its look."""
    grid, later, columns = view.grid, view.rows[headers.rows :], view.columns
    if not headers.rows or not len(later):
        return []
    last = view.rows[headers.rows - 1]
    head = view.shown[last, columns]
    size = int(head.sum())
    if size < 2:
        return []
    below = (later[:, None], columns)
    label = grid.label[last, columns]
    same = ((grid.label[below] == label) & head & (label != "")).sum(axis=1)
    again = same >= max(2, _SAME * size)
    near = (same >= _SAME * size) & ~again
    if near.any():
        again |= near & (grid.style[below] == grid.style[last, columns]).all(axis=1)
    marks = grid.marks.ravel()
    if (marks[grid.home[last, columns]] & _HEADING)[head].all():
        heading, filled = (marks[grid.home[below]] & _HEADING) > 0, view.shown[below]
        if heading.mean() < _SAME:
            again |= (heading | ~filled).all(axis=1) & (filled.sum(axis=1) > 1)
    return later[again].tolist() if again.sum() <= len(view.rows) // 2 else []


def _row_roles(view: WebView, header_rows: list[int], repeated_heads: list[int]) -> list[RowRole]:
    grid = view.grid
    roles: list[RowRole] = ["blank"] * grid.shape[0]
    for row in view.rows.tolist():
        roles[row] = "derived" if _TOTAL.opens(str(grid.label[row, view.columns[0]])) else "data"
    for row in view.titles.tolist():
        roles[row] = "title"
    for row in (*header_rows, *repeated_heads):
        roles[row] = "header"
    last = int(view.rows[-1]) if len(view.rows) else 0
    for row in view.groups.tolist():
        text = str(grid.text[row][grid.filled[row]][0]) if grid.filled[row].any() else ""
        foot = bool((grid.marks[row] & _IN_FOOT).any())
        noted = foot or row > last or len(text) > _LONG_GROUP or _NOTE_MARK.match(text) or _NOTE.opens(text)
        roles[row] = "note" if noted else "group"
    for row in _closing_notes(view, header_rows) if grid.medium == "pdf" else ():
        roles[row] = "note"
    if not header_rows and len(view.titles):
        above = int(view.titles[-1])
        if any(role == "group" and _look_alike(grid, above, row) for row, role in enumerate(roles)):
            roles[above] = "group"  # the first of them: no header parts it from its rows
    return roles


def _closing_notes(view: WebView, header_rows: list[int]) -> list[int]:
    """The last rows of a printed table where each holds a text at the left and no value, and one opens as a note."""
    grid, columns = view.grid, view.columns
    lone = [bool(grid.filled[row, columns[0]]) and int(grid.filled[row].sum()) == 1 for row in view.rows.tolist()]
    count = 0 if all(lone) else lone[::-1].index(False)
    rows = [row for row in view.rows[len(lone) - count :].tolist() if row > max(header_rows, default=0)]
    texts = [str(grid.text[row, columns[0]]) for row in rows]
    marked = any(_NOTE_MARK.match(text) or _NOTE.opens(text) for text in texts)
    return rows if marked and len(columns) > 1 else []


def _look_alike(grid: Grid, one: int, other: int) -> bool:
    """Whether two rows have the same styles in the same cells."""
    return bool((grid.style[one] == grid.style[other]).all() and (grid.filled[one] == grid.filled[other]).all())


def _frames(
    view: WebView, labels: RowLabels, headers: HeaderLines, repeated_heads: list[int], genuine: float
) -> list[Frame]:
    """One frame, or one per band where bands have headers of their own, or attribute lists stand side by side."""
    grid = view.grid
    header = _header_rows(view, headers)
    body = [row for row, role in enumerate(labels.roles) if role in ("data", "group", "derived") and row not in header]
    columns: list[int] = view.columns.tolist()
    keys: tuple[int, ...] = ()
    sides = _side_columns(view, headers, body)
    if sides:
        headers = msgspec.structs.replace(headers, columns=max(1, sum(map(eq, sides, columns))))
    elif not headers.columns:
        keys = find_key(grid, [row for row in body if labels.roles[row] == "data"], columns)
    stub = list(keys) or sides or columns[: headers.columns]
    if grid.medium == "pdf":
        keys, stub = _printed_stub(view, labels, keys, stub)
    values = [column for column in columns if column not in stub]
    notes = tuple(row for row, role in enumerate(labels.roles) if role == "note")
    titles = tuple(row for row, role in enumerate(labels.roles) if role == "title")
    printed = grid.medium == "pdf"
    if keys and grid.undeclared:  # where no markup says what a cell is, the stub stands first
        headers = msgspec.structs.replace(headers, columns=1)
    orientation: Orientation = "multiple" if repeated_heads else orientation_of(headers)
    bands = [_Band(header, body, stub, values)]
    apart = not printed  # what is printed under one caption is one table
    other = [row for row in repeated_heads if apart and (grid.label[row] != grid.label[header[-1]]).any()]
    if other:
        bands = _parted(bands[0], repeated_heads, grid.shape[0])
    elif apart and not header:
        pairs = find_pairs(view)
        bands = [_Band([], body, [name], [value]) for name, value in pairs] or bands
        orientation = "row" if pairs else orientation
    found = []
    sure = sqrt(headers.sure) if grid.medium == "html" else headers.sure  # rows and columns go wrong together
    for number, band in enumerate(bands):
        if not band.rows or not len(view.columns):
            continue
        lines, columns = [*band.header, *band.rows], [*band.stub, *band.values]
        found.append(
            Frame(
                labels=labels,
                rect=Rect(min(lines), min(columns), max(lines), max(columns)),
                header_rows=tuple(band.header),
                body_rows=tuple(band.rows),
                stub_columns=tuple(band.stub),
                value_columns=tuple(band.values),
                title_rows=titles,
                note_rows=notes if number == len(bands) - 1 else (),
                orientation=orientation,
                genuine=genuine,
                confidence=round(genuine * sure, 4),
                keyed=bool(keys),
            )
        )
    return found


def _parted(whole: _Band, heads: list[int], end: int) -> list[_Band]:
    """A band cut before each header row that comes again; the last one goes on to the end."""
    starts = [whole.header, *([row] for row in heads)]
    ends = [*(start[0] for start in starts[1:]), end]
    return [
        _Band(start, [row for row in whole.rows if start[-1] < row < end], whole.stub, whole.values)
        for start, end in zip(starts, ends, strict=True)
    ]


def _printed_stub(
    view: WebView, labels: RowLabels, keys: tuple[int, ...], stub: list[int]
) -> tuple[tuple[int, ...], list[int]]:
    """The key and the stub of a printed table, whose first columns name its rows.

    What stands before a key is of it, but for numbers that follow words. A stub that does not tell the rows apart goes
    on to the columns that do, where those are of words.
    """
    columns: list[int] = view.columns.tolist()
    data = [row for row, role in enumerate(labels.roles) if role == "data"]
    if keys:
        before = columns[: columns.index(max(keys)) + 1]
        words = [column for column in before if _is_of_words(view.grid, data, column)]
        keys = tuple(column for column in before if column in (*keys, *words) or column < min(words, default=0))
        return keys, list(keys)
    if not stub or len(stub) + 1 >= len(columns) or len(data) < _ENOUGH_ROWS:
        return keys, stub
    found = find_key(view.grid, data, columns)
    if len(found) <= len(stub) or list(found[: len(stub)]) != stub:
        return keys, stub
    longer = columns[: columns.index(max(found)) + 1]
    added = (text for row in data for text in view.grid.label[row, longer[len(stub) :]] if text)
    return keys, longer if all(any(c.isalpha() for c in text) for text in added) else stub


def _is_of_words(grid: Grid, rows: list[int], column: int) -> bool:
    """Whether most texts of a column have letters."""
    texts = [text for text in grid.label[rows, column] if text]
    return 2 * sum(any(map(str.isalpha, text)) for text in texts) > len(texts)


def _side_columns(view: WebView, headers: HeaderLines, body: list[int]) -> list[int]:
    """The columns of header cells, where others stand before or between them: nearly all their cells are some.

    None where other columns have header cells too.
    """
    grid, columns = view.grid, view.columns
    if not headers.rows or grid.undeclared or len(body) < 2 or len(columns) < 2:
        return []
    marked = (grid.marks.ravel() & _HEADING) > 0
    if not marked.any():
        return []
    region = (np.asarray(body)[:, None], columns)
    share = (marked[grid.home[region]] & view.shown[region]).sum(axis=0) / len(body)
    found = np.flatnonzero(share >= _NEARLY_ALL)
    leading = len(found) == 0 or found[-1] == len(found) - 1
    if leading or len(found) == len(columns) or np.delete(share, found).max() > 1 - _NEARLY_ALL:
        return []
    return [int(column) for column in columns[found]]


def orientation_of(headers: HeaderLines) -> Orientation:
    """The direction that header lines give a table."""
    if headers.rows:
        return "row-column" if headers.columns else "column"
    return "row" if headers.columns else "none"
