"""Aligned text of a `<pre>` to a table with slots: a line a row, a range of letters a column."""

from __future__ import annotations

import re

import numpy as np

from tabellion.recognise.slot_table import SlotTable
from tabellion.values.aligned import cut_line, find_gaps

_RULE = re.compile(r"[\s\-=_+|.*~]+")


def cut_text(text: str) -> SlotTable:
    """The cells of aligned text; lines that only rule are left out."""
    lines = [line for line in text.split("\n") if line.strip() and not _RULE.fullmatch(line)]
    ranges = find_gaps(lines)
    cells = [
        (row, column, said)
        for row, line in enumerate(lines)
        for column, said in enumerate(cut_line(line, ranges) if ranges else [line.strip()])
        if said
    ]
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [said for _, _, said in cells]
    ones = np.ones(len(cells), dtype=np.int32)
    return SlotTable(
        row=np.array([row for row, _, _ in cells], dtype=np.int32),
        column=np.array([column for _, column, _ in cells], dtype=np.int32),
        down=ones,
        across=ones,
        text=texts,
        style=np.zeros(len(cells), dtype=np.int32),
        marks=np.zeros(len(cells), dtype=np.uint8),
        content=np.zeros(len(cells), dtype=np.uint8),
        row_of=np.arange(len(lines), dtype=np.int32),
        column_of=np.arange(max(1, len(ranges)), dtype=np.int32),
    )
