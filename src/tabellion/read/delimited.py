"""Delimited text (comma, semicolon, tab, bar) to one sheet.

In: bytes in any encoding. Out: a sheet without a name; every field is text as it stands ("007" stays "007"), and its
row is that of its record, blank lines counted; a field that holds line breaks is one field. A first line `sep=;` is
obeyed and left out, but its row is kept. First lines that begin with `#` above a head are remarks: each is one field.
Binary data is refused. A quote that is never closed is read as a letter, with
an issue. Fails where two delimiters cut equally well.

How a delimited text is cut into fields: delimiter, quote and escape. In: the first lines of a text. Out: a `Dialect`.
Every delimiter is tried, with quotes and without; the one wins whose lines agree best on the number of fields and whose
fields look most like values, after the row and type patterns of van den Burg, Nazábal and Sutton, "Wrangling messy CSV
files by detecting row and type patterns" (2019), with simpler patterns. Fails on files of one or two lines of prose,
and on delimiters other than comma, semicolon, tab and bar.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from io import StringIO
from itertools import accumulate, chain, islice, pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Issue, Sheet, SheetCells, Stored
from tabellion.model.place import Place
from tabellion.patterns import short_pattern
from tabellion.read.encoding import decode_text
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.spreadsheet.sheets import Contents

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 2**16  # characters looked at: some hundred lines of most tables
_SAMPLE_LINES = 400
_ONE_COLUMN = 0.03  # what a text without any delimiter is worth: prose cut at its commas is worth less
_UNQUOTED = 0.6  # quotes are letters only where reading them as quotes spoils the lines
_LONGEST_RECORD = 20  # lines of one record, over which a wrong cut has likely left a quote open
_SWALLOWED = 0.1
_NUMBER = r"[-+−(]?\s*[$€£¥]?\s*\d[\d.,'\u00a0\u202f ]*\s*(?:%|[$€£¥]|[a-zA-Z]{1,3})?\)?"
_DATE = r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:[T ][\d:.]+Z?)?"
_VALUE = short_pattern(rf"\s*(?:{_NUMBER}|{_DATE})?\s*")
_JOINED = re.compile(r"[;|\t]")
_APOSTROPHES = re.compile(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|]|$)", re.M)
_SEPARATOR_LINE = re.compile(r'\A"?sep=(.)"?\s*(?=[\r\n]|\Z)', re.I)


class Dialect(msgspec.Struct, frozen=True):
    """How to cut: `quote` None means that quotes are letters like any other; `declared` that the file says so."""

    delimiter: str
    quote: str | None = '"'
    escape: str | None = None
    declared: bool = False

    def reader(self, lines: Iterable[str], strict: bool = False) -> Any:
        """A reader of the standard library that cuts lines in this way; a strict one raises on unsound quotes."""
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            escapechar=self.escape,
            strict=strict,
        )


def find_dialect(text: str) -> Dialect:
    r"""The dialect that cuts a text best.

    >>> find_dialect("Jahr;Wert\n1990;1,5\n1991;1,7\n").delimiter
    ';'
    """
    declared = _SEPARATOR_LINE.match(text)
    sample = _sample(text[declared.end() :] if declared else text)
    quotes = _quotes(sample)
    delimiters = (declared[1],) if declared else tuple(d for d in DELIMITERS if d in sample)
    candidates = [
        Dialect(delimiter, quote, _escape(sample) if quote else None, declared is not None)
        for delimiter in delimiters
        for quote in quotes
    ]
    best, best_worth = candidates[0] if declared else Dialect(",", quotes[0]), _ONE_COLUMN
    for candidate in candidates:
        worth = _worth(sample, candidate) * (1.0 if candidate.quote else _UNQUOTED)
        if worth > best_worth:
            best, best_worth = candidate, worth
    return best


def _sample(text: str) -> str:
    """The first lines, none of them cut off where there is more than one."""
    head = text[:_SAMPLE]
    if len(text) > _SAMPLE:
        end = max(head.rfind("\n"), head.rfind("\r"))
        head = head[: end + 1] if end > 0 else head
    return head


def _quotes(sample: str) -> tuple[str | None, ...]:
    if '"' in sample:
        return '"', None
    if len(_APOSTROPHES.findall(sample)) > 1:
        return "'", None
    return ('"',)


def _escape(sample: str) -> str | None:
    """A backslash, where it is what keeps quotes inside quoted fields."""
    return "\\" if re.search(r'\\"[^,;\t|\r\n"]', sample) and '""' not in sample.replace('\\"', "") else None


def _worth(sample: str, dialect: Dialect) -> float:
    """How well the lines agree on a number of fields, times how many of the fields look like values."""
    reader = dialect.reader(StringIO(sample, newline=""))
    records: list[list[str]] = []
    longest = line = 0
    try:
        for record in islice(reader, _SAMPLE_LINES):
            records.append(record)
            longest, line = max(longest, reader.line_num - line), reader.line_num
    except csv.Error:
        return 0.0
    widths = Counter(len(record) for record in records if record)
    cut = Counter({width: count for width, count in widths.items() if width > 1})
    if not cut:
        return 0.0
    agreement = sum((count / cut.total()) ** 2 for count in cut.values())
    gain = sum(count / widths.total() * (1 - 1 / width) for width, count in cut.items())
    fields = [field for record in records if len(record) > 1 for field in record]
    likely = sum(map(_likely, fields)) / len(fields)
    return agreement * gain * likely * (_SWALLOWED if longest > _LONGEST_RECORD else 1.0)


def _likely(field: str) -> float:
    """How much a field looks like one value: a number, a date, nothing at all, or some words."""
    if _VALUE.fullmatch(field):
        return 1.0
    if _JOINED.search(field):
        return 0.2
    if field.startswith(" ") or field.count('"') % 2:
        return 0.3
    return 0.9


_MOST_LINES = 100  # lines one quoted field may span; a longer one is a quote that was never closed
_MOST_UNCLOSED = 20  # after so many unclosed quotes, quotes are letters for the rest of the file
_TOGETHER = 512  # records that are taken at once: few enough to stay close to the processor
_FEWEST_PADDED = 3  # records from which fields of one length show that they are filled up with blanks
_MOST_REMARKS = 200  # first records among which remarks are looked for
_BELOW = 3  # records below a head that show what it heads
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
        self._blanks = f"{dialect.delimiter}  " in text or "\n  " in text
        self._limits, self._deadline = limits, Deadline(limits)
        if not self._read_plainly(text, dialect):
            self.fields, self.widths = [], []
            self._read_with_care(text, dialect)
        self._check()
        check_count(max(self.widths, default=0), limits.columns, "columns", "columns")
        if dialect.declared:
            del self.fields[: self.widths[0]]
            self.widths[0] = 0
        self._join_remarks(dialect.delimiter)

    def _join_remarks(self, delimiter: str) -> None:
        """Make one field of each first line that begins with a hash, where the line after them is the head."""
        ends = accumulate(self.widths[:_MOST_REMARKS], initial=0)
        records = [self.fields[start:end] for start, end in pairwise(ends)]
        count = next((at for at, record in enumerate(records) if record and not _is_remark(record)), 0)
        if not count or max(self.widths[:count]) < 2:
            return
        head, below = records[count], records[count + 1 : count + 1 + _BELOW]
        headed = any(
            not _VALUE.fullmatch(name) and all(at < len(row) and _counts(row[at]) for row in below)
            for at, name in enumerate(head)
        )
        if below and headed:
            self.fields[: sum(self.widths[:count])] = [delimiter.join(record) for record in records[:count] if record]
            self.widths[:count] = [min(1, width) for width in self.widths[:count]]

    def _strip_padding(self, widths: NDArray[np.int64], starts: NDArray[np.int64]) -> None:
        """Take the blanks from fields that are filled up with them to one length, column by column: no indents."""
        usual = int(np.bincount(widths).argmax())
        first = starts[widths == usual]
        for column in range(usual if len(first) >= _FEWEST_PADDED else 0):
            places = (first + column).tolist()
            if len({len(self.fields[at]) for at in places}) == 1:
                for at in places:
                    self.fields[at] = self.fields[at].strip(" ")

    def cells(self) -> SheetCells:
        """The fields that hold more than blanks."""
        widths = np.array(self.widths, dtype=np.int64)
        starts = np.cumsum(widths) - widths
        if self._blanks:
            self._strip_padding(widths, starts)
        size = len(self.fields)
        filled = np.fromiter(map(bool, self.fields), dtype=bool, count=size)
        filled &= ~np.fromiter(map(str.isspace, self.fields), dtype=bool, count=size)
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
        reader = dialect.reader(StringIO(text, newline=""), strict=True)
        line = longest = 0
        try:
            while records := list(islice(reader, _TOGETHER)):
                if reader.line_num - line >= len(records) + _MOST_LINES:
                    longest = longest or self._longest(text, dialect)
                if longest > _MOST_LINES:
                    return False
                line = reader.line_num
                self.fields += chain.from_iterable(records)
                self.widths += map(len, records)
                self._check()
        except csv.Error:
            return False
        return True

    @staticmethod
    def _longest(text: str, dialect: Dialect) -> int:
        """How many lines the longest record has."""
        reader = dialect.reader(StringIO(text, newline=""), strict=True)
        ends = [0, *(int(reader.line_num) for _ in reader)]
        return max(end - start for start, end in pairwise(ends))

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


def _is_remark(record: list[str]) -> bool:
    return record[0].startswith("#") and record[0] != "#"


def _counts(field: str) -> bool:
    """Whether a field is a number or a date."""
    return field.strip() != "" and _VALUE.fullmatch(field) is not None


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
