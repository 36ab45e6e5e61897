"""Amounts that are cut into several columns: `$`, `(1,234` and `)%` in cells of their own, as in filings.

In: a table with slots. Out: the same table with such columns joined to the one that holds the number, whose text is
then the whole amount, and without the empty columns that keep amounts apart. Columns are joined where no row says
something in both but signs of money, per cent and brackets, and where the headers above them span both. Fails where a
column of signs stands for itself.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.slot_table import SlotTable

_BEFORE = re.compile(r"[(\[]?\s*(?:US|C|A|NZ|HK|R)?[$£€¥₹]\s*[(\[]?|[(\[]|(?:USD|EUR|GBP|CHF|Rs\.?)")
_AFTER = re.compile(r"[)\]]+\s*%?|%\s*[)\]]?|[)\]]?\s*(?:bps?|pts?|x|X|pp)|[*†‡]+|\(\w\)|\[\w\]")
_DIGIT = re.compile(r"\d")
_DASHES = frozenset("-–—−")
_LEAST = 2  # rows with a sign of its own that show the habit
_MANY_COLUMNS = 400  # wider tables are left as they are


def join_amounts(table: SlotTable) -> SlotTable:
    """Join the columns of amounts that are cut."""
    width = len(table.column_of)
    if width < 3 or width > _MANY_COLUMNS or not len(table):
        return table
    texts = [text.strip() for text in table.text.tolist()]
    distinct = set(texts)
    leading, trailing = {text for text in distinct if _BEFORE.fullmatch(text)}, set(filter(_AFTER.fullmatch, distinct))
    before = np.array([text in leading for text in texts])
    after = np.array([text in trailing for text in texts])
    if before.sum() + after.sum() < _LEAST:
        return table
    filled = np.array([bool(text) for text in texts])
    group = _groups(table, filled, before, after, texts)
    return _joined(table, group, texts) if group is not None else table


def _groups(
    table: SlotTable, filled: NDArray[np.bool_], before: NDArray[np.bool_], after: NDArray[np.bool_], texts: list[str]
) -> NDArray[np.int32] | None:
    """For each column the number of the column that it becomes; None where nothing is joined."""
    rows, width = len(table.row_of), len(table.column_of)
    grid = np.full((rows, width), -1, dtype=np.int64)  # the filled cell that begins in each slot
    grid[table.row[filled], table.column[filled]] = np.flatnonzero(filled)
    covers = np.zeros((rows, width), dtype=np.int32)  # the cell over each slot, empty ones too
    for cell, (row, column, down, across) in enumerate(
        zip(table.row.tolist(), table.column.tolist(), table.down.tolist(), table.across.tolist(), strict=True)
    ):
        covers[row : row + down, column : column + across] = cell + 1
    figures = {text for text in set(texts) if text in _DASHES or _DIGIT.search(text)}
    numeric = np.array([text in figures for text in texts])
    joined = np.zeros(width, dtype=bool)  # whether a column is one with the column before it
    start = 0
    empty: NDArray[np.bool_] = np.asarray((grid < 0).all(axis=0))
    over = np.append(numeric, False)[covers - 1]  # slots that a number covers
    for column in range(1, width):
        if empty[column]:
            joined[column] = bool((over[:, column] & (covers[:, column] == covers[:, column - 1])).any())
        else:
            joined[column] = _one_amount(grid, covers, start, column, before, after, numeric)
        if not joined[column]:
            start = column
    if not joined.any():
        return None
    return (np.cumsum(~joined) - 1).astype(np.int32)


def _one_amount(
    grid: NDArray[np.int64],
    covers: NDArray[np.int32],
    start: int,
    column: int,
    before: NDArray[np.bool_],
    after: NDArray[np.bool_],
    numeric: NDArray[np.bool_],
) -> bool:
    """Whether a column goes on with the amounts of the columns from `start` on."""
    signs = 0
    at = np.flatnonzero(grid[:, column] >= 0)
    beside = grid[at, start:column]
    for right, left in zip(grid[at, column].tolist(), beside.tolist(), strict=True):
        last = next((cell for cell in reversed(left) if cell >= 0), -1)
        if last < 0:
            continue
        leads = before[last] and (numeric[right] or before[right])
        if not (leads or (after[right] and (numeric[last] or after[last]))):
            return False
        signs += 1
    bridged = covers[:, column] == covers[:, column - 1]
    if signs < (1 if bridged.any() else _LEAST):
        return False
    # A column whose own texts stand under a header of its own is another field.
    alone = (grid[:, column] >= 0) & (grid[:, start:column] < 0).all(axis=1)
    strangers = [int(cell) for cell in grid[alone & ~bridged, column].tolist()]
    return all(numeric[cell] or before[cell] or after[cell] for cell in strangers)


def _joined(table: SlotTable, group: NDArray[np.int32], texts: list[str]) -> SlotTable:
    """The table with its columns put together; cells of one row and group become one."""
    first = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group))
    column = group[table.column]
    end = group[np.minimum(table.column + table.across - 1, len(group) - 1)] + 1
    key: dict[tuple[int, int], list[int]] = {}
    for cell, at in enumerate(zip(table.row.tolist(), column.tolist(), strict=True)):
        key.setdefault(at, []).append(cell)
    kept = np.zeros(len(table), dtype=bool)
    text = table.text.copy()
    for cells in key.values():
        told = [cell for cell in cells if texts[cell]]
        if len(told) > 1:
            main = max(told, key=lambda cell: (bool(_DIGIT.search(texts[cell])), len(texts[cell])))
            text[main] = _glue([texts[cell] for cell in told])
            kept[main] = True
        else:
            kept[(told or cells)[0]] = True
    small = msgspec.structs.replace(
        table,
        column=column,
        across=np.maximum(1, end - column).astype(np.int32),
        text=text,
        column_of=table.column_of[first[:-1]],
    )
    return _without_empty_columns(small.only(kept))


def _without_empty_columns(table: SlotTable) -> SlotTable:
    """The table without the columns that only keep amounts apart."""
    filled = np.array([bool(text.strip()) for text in table.text.tolist()]) | (table.content > 0)
    used = np.unique(table.column[filled])
    start = np.searchsorted(used, table.column)
    end = np.searchsorted(used, table.column + table.across)
    left = msgspec.structs.replace(
        table, column=start.astype(np.int32), across=(end - start).astype(np.int32), column_of=table.column_of[used]
    )
    return left.only(end > start)


def _glue(parts: list[str]) -> str:
    """The pieces of an amount as one text: `$` `(1,234` `)` is `$(1,234)`."""
    text = ""
    for part in parts:
        text += part if not text or _BEFORE.fullmatch(text) or _AFTER.fullmatch(part) else f" {part}"
    return text
