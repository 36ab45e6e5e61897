"""How a delimited text is cut into fields: delimiter, quote and escape.

In: the first lines of a text. Out: a `Dialect`. Every delimiter is tried, with quotes and without; the one wins whose
lines agree best on the number of fields and whose fields look most like values, after the row and type patterns of
van den Burg, Nazábal and Sutton, "Wrangling messy CSV files by detecting row and type patterns" (2019), with simpler
patterns. Fails on files of one or two lines of prose, and on delimiters other than comma, semicolon, tab and bar.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from io import StringIO
from itertools import islice
from typing import Any

import msgspec

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 2**16  # characters looked at: some hundred lines of most tables
_MOST_LINES = 400
_ONE_COLUMN = 0.03  # what a text without any delimiter is worth: prose cut at its commas is worth less
_UNQUOTED = 0.6  # quotes are letters only where reading them as quotes spoils the lines
_LONGEST_RECORD = 20  # lines of one record, over which a wrong cut has likely left a quote open
_SWALLOWED = 0.1
_NUMBER = r"[-+−(]?\s*[$€£¥]?\s*\d[\d.,'\u00a0\u202f ]*\s*(?:%|[$€£¥]|[a-zA-Z]{1,3})?\)?"
_DATE = r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?(?:[T ][\d:.]+Z?)?"
_VALUE = re.compile(rf"\s*(?:{_NUMBER}|{_DATE})?\s*")
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
        for record in islice(reader, _MOST_LINES):
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
