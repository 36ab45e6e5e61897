"""What a table is about and of which time it is, told apart: by that, two tables are editions of one or not.

In: a table of the library with its document. Out: a `Subject`: the words of its title and the labels of its rows and
columns without the times that they name, and those times by where they stand. Fails where a title names a time that
the table is not of, such as that of a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import PurePath
from urllib.parse import unquote

import msgspec

from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.joins.sketch import plain_label
from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.values.periods import Period, part_periods
from tabellion.values.places import find_places
from tabellion.values.unit import find_unit
from tabellion.values.vocabulary import either_of

_WORD = re.compile(r"[^\W\d_]+")
_INDEX = lazy_pattern(rf"(?<!\W)\W*+{either_of('table', 'figure')}[\s.]*(?:\d[\w.-]*)?\W*", re.IGNORECASE)
_UNITED = re.compile(r"\bU\.\s?S\.(?!\w)")
_BRACKET = short_pattern(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_ENDING = re.compile(r"\.[A-Za-z]\w{0,4}$")


class Subject(msgspec.Struct, frozen=True):
    """What a table is about, and the times that its title, its sheet, its file and its labels name."""

    table: TableRecord
    document: DocumentRecord
    title: tuple[str, ...]
    caption: tuple[str, ...]  # the title with all that stands over the table
    sheet: tuple[str, ...]
    file: tuple[str, ...]
    left: frozenset[str]
    top: frozenset[str]
    times: dict[str, tuple[Period, ...]]

    def latest(self, *fields: str) -> Period | None:
        """The last time that some fields name; of those that end together the shortest."""
        return last_of(time for field in fields for time in self.times[field])


def describe_subject(document: DocumentRecord, table: TableRecord) -> Subject:
    """What a table is about."""
    details = table.unpack()
    title, title_times = part_periods(table.title or table.caption or "")
    caption, caption_times = part_periods(table.caption or "")
    sheet, sheet_times = part_periods(table.sheet or "")
    name = unquote(PurePath(document.source).name)
    file, file_times = part_periods(_ENDING.sub("", name))
    left, left_times = _labels(details.stub_words)
    top, top_times = _labels(details.header_words)
    return Subject(
        table,
        document,
        title=_words(title),
        caption=_words(caption),
        sheet=tuple(re.findall(r"\w+", sheet.casefold())),
        file=tuple(re.findall(r"[^\W_]+", file.casefold())),
        left=left,
        top=top,
        times={
            "title": title_times or caption_times,
            "sheet": sheet_times,
            "file": file_times,
            "document": part_periods(document.title or "")[1],
            "labels": (*left_times, *top_times),
        },
    )


def last_of(times: Iterable[Period]) -> Period | None:
    """The last of some times; of those that end together the shortest."""
    dated = [time for time in times if time.start and time.end]
    return max(dated, key=lambda time: (time.end, time.start), default=None)


def differ(one: Iterable[Period], other: Iterable[Period]) -> bool:
    """Whether the last year, quarter, month or day that two sets of times have is another."""
    mine, theirs = list(one), list(other)
    for kind in ("year", "quarter", "month", "date"):
        a, b = (last_of(time for time in times if time.kind == kind) for times in (mine, theirs))
        if a and b and a != b:
            return True
    return False


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_UNITED.sub("united states", _INDEX.sub(" ", text)).casefold()))


def _labels(texts: Iterable[str]) -> tuple[frozenset[str], tuple[Period, ...]]:
    """Labels in their plain form without times and bare numbers, and the times."""
    plain: set[str] = set()
    times: list[Period] = []
    for text in texts:
        rest, found = part_periods(text)
        times += found
        label = plain_label(rest)
        if label and not label.replace(" ", "").isdecimal():
            plain.add(label)
    return frozenset(plain), tuple(dict.fromkeys(times))


def bare_label(label: str) -> str:
    """A label in plain form without the unit that it has in brackets.

    >>> bare_label("Visitors (thousand)"), bare_label("Visitors (men)")
    ('visitors', 'visitors men')
    """
    rest = _BRACKET.sub("", label)
    return plain_label(rest if rest != label and rest.strip() and find_unit(label) else label)


def share(one: frozenset[str], other: frozenset[str]) -> float | None:
    """How much two sets of labels have in common, 0 to 1; None where neither has any."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else None


def word_likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """How much two sequences of words have in common, 0 to 1."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if one or other else 1.0


def name_other_places(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one title names a place where the other has other words."""
    here, there = set(one) - set(other), set(other) - set(one)
    return bool(here and there) and any(find_places(word) for word in here | there)
