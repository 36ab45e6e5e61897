"""Data tables of a page, read by the table pipeline, as labelled structures over the page's leaves.

In: a page tree and the page's bytes. Out: the page tree with its data tables: for each value its leaves and the leaves
of the labels over it. Texts tie cells to leaves, in document order; a cell whose text the page tree has not (parted
lines, joined amounts) is left out. OntoMiner takes data tables out before it partitions (section 4.2), and puts them
back as these structures. Fails where the pipeline does: tables without headers say nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tabellion.errors import TabellionError
from tabellion.model.page_tree import DataTable, PageTree, TableValue
from tabellion.model.table import Table
from tabellion.pipeline import Settings, extract_document
from tabellion.read.limits import DEFAULT, Limits

_SURE = 0.5  # share of the cells with text that must be found among the leaves
_ROWS, _OUTER_ROWS = 2, 4  # rows that a table must have; one that holds others is a layout where it has fewer
_AHEAD = 2_000  # letters that are looked through for the next cell

Cell = tuple[int, int]


def find_tables(page: PageTree, data: bytes, limits: Limits = DEFAULT) -> PageTree:
    """The page with its data tables."""
    if not _may_have_headers(page):
        return page
    try:
        found = extract_document(data, Settings(limits=limits)).tables
    except TabellionError:
        return page
    elements = [number for number, tag in enumerate(page.tags) if tag == "table"]
    values: dict[int, list[TableValue]] = {}
    for table in found:
        index = table.place.table_index
        if index is not None and index < len(elements):
            values.setdefault(elements[index], []).extend(_tie(page, elements[index], table))
    tables = [
        DataTable(element, int(page.first[element]), int(page.last[element]), tuple(told))
        for element, told in values.items()
        if told
    ]
    return msgspec.structs.replace(page, tables=tuple(tables)) if tables else page


def _may_have_headers(page: PageTree) -> bool:
    """Whether some table has enough rows of two filled cells or more: fewer do not stand under headers."""
    rows: dict[int, dict[int, int]] = {}
    outer: set[int] = set()
    around: list[int] = []  # for each element the table that it stands in
    parents, first, last = page.parents.tolist(), page.first.tolist(), page.last.tolist()
    for element, tag in enumerate(page.tags):
        parent = parents[element]
        table = around[parent] if parent >= 0 else -1
        if tag == "table":
            outer.add(table)
            table = element
        elif tag in ("td", "th") and table >= 0 and last[element] > first[element]:
            cells = rows.setdefault(table, {})
            cells[parent] = cells.get(parent, 0) + 1
        around.append(table)
    return any(
        sum(filled >= 2 for filled in cells.values()) >= (_OUTER_ROWS if table in outer else _ROWS)
        for table, cells in rows.items()
    )


def _tie(page: PageTree, element: int, table: Table) -> Iterator[TableValue]:
    """The values of a table as leaves, each with those of its labels; none where its texts are not the element's."""
    texts = _texts(table)
    spans = dict(_find_cells(page, element, texts))
    if len(spans) < _SURE * len(texts):
        return
    for each in table.tuples:
        span = spans.get((each.row, each.column))
        top = tuple(spans[cell][0] for cell in each.top_cells if cell in spans)
        left = tuple(spans[cell][0] for cell in each.left_cells if cell in spans)
        if span is not None and (top or left):
            yield TableValue(each.row, span[0], span[1], top, left)


def _texts(table: Table) -> dict[Cell, str]:
    """The texts of a grid in reading order, by their place in the source."""
    grid = table.grid
    rows, columns = grid.row_of.tolist(), grid.column_of.tolist()
    return {
        (rows[row], columns[column]): text
        for row, texts in enumerate(grid.text.tolist())
        for column, text in enumerate(texts)
        if text
    }


def _find_cells(page: PageTree, element: int, texts: dict[Cell, str]) -> Iterator[tuple[Cell, tuple[int, int]]]:
    """The leaves of each cell, found in the run of the element's letters."""
    first, last = int(page.first[element]), int(page.last[element])
    letters: list[str] = []
    owners: list[int] = []
    for leaf in range(first, last):
        bare = "".join(page.texts[leaf].split())
        letters.append(bare)
        owners += [leaf] * len(bare)
    run, at = "".join(letters), 0
    for cell, text in texts.items():
        bare = "".join(text.split())
        found = run.find(bare, at, at + _AHEAD + len(bare)) if bare else -1
        if found >= 0:
            at = found + len(bare)
            yield cell, (owners[found], owners[at - 1] + 1)
