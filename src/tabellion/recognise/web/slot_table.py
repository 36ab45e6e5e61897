"""The cells of one table with their slots, before they become a grid.

Aligned text of a `<pre>` to a table with slots: one line per row, one range of letters per column.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.values.aligned import cut_line, find_gaps, rule_runs

Ints = NDArray[np.int32]


class SlotTable(msgspec.Struct, frozen=True, eq=False):
    """Parallel arrays, one entry per cell, in row order; `content` says what a cell holds besides text.

    `row_of` and `column_of` give the table's own rows and columns, as the HTML standard counts them.
    """

    row: Ints
    column: Ints
    down: Ints
    across: Ints
    text: NDArray[np.object_]
    style: Ints
    marks: NDArray[np.uint8]
    content: NDArray[np.uint8]
    row_of: Ints
    column_of: Ints
    declared_headers: tuple[int, int] = (0, 0)  # leading header rows and columns that the source declares
    box: NDArray[np.float32] | None = None  # (n, 4): where each cell is drawn, on a rendered page

    def __len__(self) -> int:
        return len(self.row)

    def only(self, kept: NDArray[np.bool_]) -> SlotTable:
        """Some of the cells."""
        names = ("row", "column", "down", "across", "text", "style", "marks", "content")
        box = None if self.box is None else self.box[kept]
        return msgspec.structs.replace(self, box=box, **{name: getattr(self, name)[kept] for name in names})

    def first_rows(self, count: int) -> SlotTable:
        """The first rows alone."""
        part = self.only(self.row < count)
        return msgspec.structs.replace(
            part, down=np.minimum(part.down, count - part.row).astype(np.int32), row_of=self.row_of[:count]
        )


_MOST_HEADER_ROWS = 4
_RULE = re.compile(r"[\s\-=_+|.*~]+")


def cut_text(text: str) -> SlotTable:
    """The cells of aligned text.

    Lines that only rule are left out, but a run of dashes under a text spans its columns, and the first rule with a run
    for every column ends the header.
    """
    written = [line for line in text.split("\n") if line.strip()]
    ranges = find_gaps(written)
    lines: list[tuple[str, list[tuple[int, int]]]] = []  # each with the runs of the rule below it
    header = 0
    for line in written:
        if not _RULE.fullmatch(line):
            lines.append((line, []))
        elif lines and not lines[-1][1] and 0 < len(rule_runs(line)) < len(ranges):
            lines[-1] = (lines[-1][0], rule_runs(line))
        elif not header and len(rule_runs(line)) == len(ranges) > 1:
            header = len(lines)
    header = header if header <= _MOST_HEADER_ROWS and header < len(lines) else 0
    cells = [
        (row, column, across, said)
        for row, (line, runs) in enumerate(lines)
        for column, across, said in _cut(line, ranges, runs)
        if said
    ]
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [cell[3] for cell in cells]
    return SlotTable(
        row=np.array([cell[0] for cell in cells], dtype=np.int32),
        column=np.array([cell[1] for cell in cells], dtype=np.int32),
        down=np.ones(len(cells), dtype=np.int32),
        across=np.array([cell[2] for cell in cells], dtype=np.int32),
        text=texts,
        style=np.zeros(len(cells), dtype=np.int32),
        marks=np.zeros(len(cells), dtype=np.uint8),
        content=np.zeros(len(cells), dtype=np.uint8),
        row_of=np.arange(len(lines), dtype=np.int32),
        column_of=np.arange(max(1, len(ranges)), dtype=np.int32),
        declared_headers=(header, 0),
    )


def _cut(line: str, ranges: list[tuple[int, int]], runs: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """The cells of a line: column, how many it takes, text."""
    if not ranges:
        return [(0, 1, line.strip())]
    if not runs:
        return [(column, 1, said) for column, said in enumerate(cut_line(line, ranges)) if said]
    under = {at for at, (start, end) in enumerate(ranges) if any(a <= start and end <= b + 1 for a, b in runs)}
    cells = [(at, 1, said) for at, said in enumerate(cut_line(line, ranges)) if said and at not in under]
    for start, end in runs:
        covered = [at for at, (a, b) in enumerate(ranges) if start <= a and b <= end + 1]
        said = line.expandtabs(8)[start:end].strip()
        if covered and said:
            cells.append((covered[0], len(covered), said))
    return sorted(cells)
