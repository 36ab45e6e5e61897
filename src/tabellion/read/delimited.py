"""Delimited text (comma, semicolon, tab, bar) to one sheet.

In: bytes in any encoding. Out: a sheet without a name; every field is text as it stands ("007" stays "007"), and its
row is that of its record, blank lines counted; a field that holds line breaks is one field. A first line `sep=;` is
obeyed and left out, but its row is kept. Binary data is refused. A quote that is never closed is read as a letter,
with an issue. Fails where two delimiters cut equally well.
"""

from __future__ import annotations

import csv
from io import StringIO

import numpy as np

from tabellion.model.document import Issue, Sheet, SheetCells, Stored
from tabellion.model.place import Place
from tabellion.read.contents import Contents
from tabellion.read.dialect import Dialect, find_dialect
from tabellion.read.encoding import decode_text
from tabellion.read.limits import Deadline, Limits, check_count

_MOST_LINES = 100  # lines one quoted field may span; a longer one is a quote that was never closed
_MOST_UNCLOSED = 20  # after so many unclosed quotes, quotes are letters for the rest of the file
_CHECK_EVERY = 65_536  # records between two looks at the clock and the limits


def read_delimited(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The one sheet of a delimited file; it has no name, so `sheet` is not asked for."""
    decoded = decode_text(data)
    text = decoded.text.replace("\r\r\n", "\r\n")
    records = _Records(text, find_dialect(text), limits)
    unclosed = "a quote is never closed; it was read as a letter"
    issues = [Issue("read", note) for note in decoded.notes]
    issues += [Issue("read", unclosed, Place(range=f"A{row + 1}")) for row in records.unclosed]
    return Contents(sheets=(Sheet(name=None, cells=records.cells()),), issues=tuple(issues))


class _Records:
    """The fields of all records on end, how many each record has, and the rows whose quote is never closed."""

    def __init__(self, text: str, dialect: Dialect, limits: Limits) -> None:
        self.fields: list[str] = []
        self.widths: list[int] = []
        self.unclosed: list[int] = []
        self._limits, self._deadline = limits, Deadline(limits)
        if not self._read_plainly(text, dialect):
            self.fields, self.widths = [], []
            self._read_with_care(text, dialect)
        self._check()
        check_count(max(self.widths, default=0), limits.columns, "columns", "columns")
        if dialect.declared:
            del self.fields[: self.widths[0]]
            self.widths[0] = 0

    def cells(self) -> SheetCells:
        """The fields that hold more than blanks."""
        widths = np.array(self.widths, dtype=np.int64)
        starts = np.cumsum(widths) - widths
        filled = np.array([not field.isspace() and field != "" for field in self.fields], dtype=bool)
        count = int(filled.sum())
        texts = np.empty(len(self.fields), dtype=object)
        texts[:] = self.fields
        columns = np.arange(len(self.fields)) - np.repeat(starts, widths)
        return SheetCells(
            row=np.repeat(np.arange(len(widths), dtype=np.int32), widths)[filled],
            column=columns.astype(np.int32)[filled],
            text=texts[filled],
            stored=np.full(count, Stored.TEXT, dtype=np.uint8),
            number=np.full(count, np.nan),
            style=np.zeros(count, dtype=np.int32),
            marks=np.zeros(count, dtype=np.uint8),
        )

    def _read_plainly(self, text: str, dialect: Dialect) -> bool:
        """The quick way; False where quotes are not sound or swallow many lines."""
        fields, widths = self.fields, self.widths
        reader = dialect.reader(StringIO(text, newline=""), strict=True)
        line = 0
        try:
            for record in reader:
                fields += record
                widths.append(len(record))
                if reader.line_num - line > _MOST_LINES:
                    return False
                line = reader.line_num
                if not len(widths) % _CHECK_EVERY:
                    self._check()
        except csv.Error:
            return False
        return True

    def _read_with_care(self, text: str, dialect: Dialect) -> None:
        """Record by record, so that a quote that is never closed spoils no more than its own line."""
        lines = list(StringIO(text, newline=""))
        at = 0
        while at < len(lines):
            record, used = _next_record(lines, at, dialect)
            if not used:
                record, used = lines[at].rstrip("\r\n").split(dialect.delimiter), 1
                if len(self.unclosed) < _MOST_UNCLOSED:
                    self.unclosed.append(len(self.widths))
                else:
                    dialect = Dialect(dialect.delimiter, None)
            at += used
            self.fields += record
            self.widths.append(len(record))
            if not len(self.widths) % _CHECK_EVERY:
                self._check()

    def _check(self) -> None:
        self._deadline.check()
        check_count(len(self.widths), self._limits.rows, "rows", "rows")
        check_count(len(self.fields), self._limits.cells, "cells", "cells")


def _next_record(lines: list[str], at: int, dialect: Dialect) -> tuple[list[str], int]:
    """The record that starts at a line, and how many lines it takes; 0 where its quote is never closed."""
    for strict in (True, False):
        reader = dialect.reader((*lines[at : at + _MOST_LINES], "\n"), strict)
        try:
            record: list[str] = next(reader)
        except csv.Error:
            continue
        if strict or reader.line_num == 1:
            return record, reader.line_num
    return [], 0
