"""Lines inside one row that are really rows (Wang, sections 6.3.1 and 6.6.2: pseudo-rendering).

In: a table with slots. Out: the same table, but a row whose cells hold equally many lines (made by `<br>`, `<p>` or
`<div>`) is as many rows. Only where the lines can be nothing else: one cell at least holds a number in every line, or
there are four lines or more in every cell. A header set in two lines stays one row.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.slot_table import SlotTable

_NUMBER = re.compile(r"[^\w\n]*\d[\d.,'\s]*[^\w\n]{0,3}")
_SURE_LINES = 4  # lines in every cell that can hardly be chance
_LONG_LINE = 60  # letters; longer lines are prose that happens to have as many paragraphs


def part_rows(table: SlotTable) -> SlotTable:
    """Part the rows that are really several."""
    many = np.array(["\n" in text for text in table.text.tolist()], dtype=bool)
    if not many.any():
        return table
    parts = {row: count for row in np.unique(table.row[many]).tolist() if (count := _lines(table, row)) > 1}
    return _parted(table, parts) if parts else table


def _lines(table: SlotTable, row: int) -> int:
    """How many rows a row really is."""
    cells = np.flatnonzero(table.row == row)
    reaching = (table.row < row) & (table.row + table.down > row)
    if reaching.any() or (table.down[cells] > 1).any():
        return 1
    texts = [text.strip("\n").split("\n") for text in table.text[cells].tolist() if text.strip()]
    counts = {len(lines) for lines in texts}
    if len(texts) < 2 or len(counts) != 1:
        return 1
    count = counts.pop()
    numbers = any(all(_NUMBER.fullmatch(line.strip()) for line in lines) for lines in texts)
    short = all(len(line) <= _LONG_LINE for lines in texts for line in lines)
    return count if count > 1 and short and (numbers or count >= _SURE_LINES) else 1


def _parted(table: SlotTable, parts: dict[int, int]) -> SlotTable:
    counts = np.array([parts.get(row, 1) for row in range(len(table.row_of))], dtype=np.int32)
    starts: NDArray[np.int32] = (np.cumsum(counts) - counts).astype(np.int32)
    copies = counts[table.row]
    copies = np.where([not text.strip() for text in table.text.tolist()], 1, copies)
    at = np.repeat(np.arange(len(table)), copies)
    line = np.arange(len(at)) - np.repeat(np.cumsum(copies) - copies, copies)
    ends = np.append(starts, counts.sum())
    text = np.empty(len(at), dtype=object)
    text[:] = [
        table.text[cell].strip("\n").split("\n")[number] if copies[cell] > 1 else table.text[cell]
        for cell, number in zip(at.tolist(), line.tolist(), strict=True)
    ]
    down = np.where(copies[at] > 1, 1, ends[table.row[at] + table.down[at]] - starts[table.row[at]])
    return msgspec.structs.replace(
        table,
        row=(starts[table.row[at]] + line).astype(np.int32),
        column=table.column[at],
        down=down.astype(np.int32),
        across=table.across[at],
        text=text,
        style=table.style[at],
        marks=table.marks[at],
        content=table.content[at],
        box=None if table.box is None else table.box[at],
        row_of=np.arange(counts.sum(), dtype=np.int32),
    )
