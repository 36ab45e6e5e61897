"""What the readers of all spreadsheet formats give, and what is the same in all of them: merges, looks, number formats.

What every format module under `read` gives: sheets and the facts of the document. A format module has one entry,
`read_NAME(data: bytes, limits: Limits, sheet: str | None = None) -> Contents` (xlsx, xls, ods, xlsb, xml2003,
delimited), and raises the errors of `tabellion.errors` without a file name: `read_document` adds it. With `sheet` it
may leave the other sheets unread, but `names` lists them all.

Merged areas made tidy: in reading order, cut far beyond the cells, none overlapping. A text that is centred over blank
cells (centre across selection) is as good as merged.

What the runs of a rich text say of its cell: bold in part, throughout, or not at all.

Tables that a workbook states by the names of its ranges, in the words of `model.range_names`. Names that state no whole
table mean nothing here.

What a number format says: is it a date, a percentage, a plain number, and how is a value shown. In: a format code such
as `0.0%` or `yyyy-mm-dd`, or the number of a built-in one. Out: a `NumberFormat`, which shows a number as text;
`shown_text.py` writes a number as the whole code says. The built-in days 14 and 22 follow the country of the reader;
they are given as in the United States.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from heapq import heappop, heappush

import msgspec
import numpy as np

from tabellion.model.document import Issue, Sheet, SheetCells, Stored
from tabellion.model.markup import MarkupPage, RenderedPage
from tabellion.model.place import Place, Rect, range_text, rect_at
from tabellion.model.range_names import state_ranges
from tabellion.model.stated import StatedTable
from tabellion.model.style import Style
from tabellion.patterns import lazy_pattern, short_pattern

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)', 7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
    27: "yyyy-mm", 28: "mm-dd", 29: "mm-dd", 30: "m-d-yy", 31: "yyyy-mm-dd", 32: "h:mm", 33: "h:mm:ss",
    34: "h:mm", 35: "h:mm:ss", 36: "yyyy-mm", 37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)", 41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)', 43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", 50: "yyyy-mm", 51: "mm-dd", 52: "yyyy-mm", 53: "mm-dd", 54: "mm-dd", 55: "yyyy-mm",
    56: "mm-dd", 57: "yyyy-mm", 58: "mm-dd",
}  # fmt: skip

_LITERAL = short_pattern(r'"[^"]*"?|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.I)
_DATE = re.compile(r"[dy]|am/pm|a/p|h|s|(?<![a-z])m+(?![a-z])|e(?![+-])|g{1,3}(?!e)", re.I)
LONGEST = 255  # letters of a code; spreadsheets take 255, and a longer one is made to cost time
_MOST_PLACES = 15  # a number has no more digits than that
_LAST_DAY = 2_958_466  # the day after 9999-12-31
_PLACES = re.compile(r"[0#?]\.([0#?]+)")


class Shown(IntEnum):
    """What kind of value a format shows."""

    NUMBER = 0
    PERCENT = 1
    DATE = 2  # a day, with or without a time
    TIME = 3  # a time of day or a span of time, without a day
    TEXT = 4


class NumberFormat(msgspec.Struct, frozen=True):
    """A format code as it was understood; `places` is the number of decimals of a percentage."""

    shown: Shown
    places: int = 0


@lru_cache(maxsize=4096)
def understand_format(code: str | None) -> NumberFormat:
    """What a format code shows.

    >>> understand_format("0.0%").shown.name, understand_format("d-mmm-yy").shown.name
    ('PERCENT', 'DATE')
    >>> understand_format('#,##0" days"').shown.name
    'NUMBER'
    """
    if not code or len(code) > LONGEST or code.lower() == "general":
        return NumberFormat(Shown.NUMBER)
    bare = _LITERAL.sub("", code.split(";", 1)[0] if not code.startswith(";") else code)
    if "general" in bare.lower():
        return NumberFormat(Shown.NUMBER)
    if bare.strip() == "@":
        return NumberFormat(Shown.TEXT)
    if "%" in bare:
        places = _PLACES.search(bare)
        return NumberFormat(Shown.PERCENT, min(len(places[1]), _MOST_PLACES) if places else 0)
    if not re.search(r"[0#?]", re.sub(r"(?<=s\b)\.0+|(?<=s\])\.0+", "", bare, flags=re.I)) and _DATE.search(bare):
        dated = re.search(r"[dyeg]", bare, re.I) or (re.search("m", bare, re.I) and not re.search("[hs]", bare, re.I))
        return NumberFormat(Shown.DATE if dated else Shown.TIME)
    return NumberFormat(Shown.NUMBER)


def number_text(number: float) -> str:
    """The shortest form of a number in at most 15 digits, all that a spreadsheet program ever shows.

    >>> number_text(1896.0), number_text(0.1), number_text(1112.7179999999998)
    ('1896', '0.1', '1112.718')
    """
    return f"{number:.15g}" if abs(number) < 1e15 or not number.is_integer() else str(int(number))


def percent_text(number: float, places: int) -> str:
    """A fraction as the percentage a reader sees.

    >>> percent_text(0.125, 1)
    '12.5%'
    """
    return f"{number * 100:.{places}f}%"


def is_day(serial: float) -> bool:
    """Whether a number is within the days that a spreadsheet knows: 1900 to 9999."""
    return 0 <= serial < _LAST_DAY


def date_text(serial: float, shown: Shown) -> str:
    """An Excel serial day (1900 epoch) in ISO form; a span of time as hours, minutes and seconds.

    A number that is no day is shown as a number.

    >>> date_text(45000.5, Shown.DATE), date_text(0.25, Shown.TIME), date_text(1.5, Shown.TIME)
    ('2023-03-15T12:00:00', '06:00:00', '36:00:00')
    """
    if not is_day(serial):
        return number_text(serial)
    seconds = round(serial * 86400)
    if shown is Shown.TIME:
        hours, rest = divmod(seconds, 3600)
        return f"{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    # Excel counts a 29 February 1900 that never was: days before it are one later
    moment = datetime(1899, 12, 31 if serial < 60 else 30) + timedelta(seconds=min(seconds, _LAST_DAY * 86400 - 1))
    if seconds % 86400 == 0:
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds")


BEYOND = 256  # rows or columns a merge may reach beyond the last cell: titles do; whole sheets are cut there


def tidy_merges(found: Iterable[Rect], cells: SheetCells, name: str | None, issues: list[Issue]) -> tuple[Rect, ...]:
    """The areas that can stand; what was cut or left out becomes an issue."""
    bottom = (int(cells.row.max()) if len(cells) else 0) + BEYOND
    right = (int(cells.column.max()) if len(cells) else 0) + BEYOND
    areas: list[Rect] = []
    cut: list[Rect] = []
    for whole in found:
        area = Rect(whole.top, whole.left, min(whole.bottom, bottom), min(whole.right, right))
        if area != whole:
            cut.append(whole)
        if area.height > 0 and area.width > 0 and (area.height > 1 or area.width > 1):
            areas.append(area)
    kept, overlapping = _apart(sorted(areas))
    for lost, note in (
        (cut, "merged ranges reach far beyond the cells and were cut"),
        (overlapping, "merged ranges overlap others and were left out"),
    ):
        if lost:
            place = Place(sheet=name, range=range_text(lost[0]))
            issues.append(Issue("read", f"{len(lost):,} {note}", place))
    return kept


def across_areas(cells: SheetCells, styles: Sequence[Style], merges: Sequence[Rect]) -> tuple[Rect, ...]:
    """Texts that are centred over the blank cells at their right, as merged areas are, where none of those is."""
    centred = np.array([style.across for style in styles], dtype=bool)
    if not centred.any():
        return ()
    found: list[Rect] = []
    at = np.flatnonzero(centred[cells.style])
    places = zip(cells.row[at].tolist(), cells.column[at].tolist(), cells.stored[at].tolist(), strict=True)
    for row, column, stored in places:
        last = found[-1] if found else None
        if stored == Stored.TEXT:
            found.append(Rect(row, column, row, column))
        elif stored == Stored.EMPTY and last and (last.top, last.right + 1) == (row, column):
            found[-1] = Rect(row, last.left, row, column)
    return tuple(area for area in found if area.width > 1 and not any(area.meets(one) for one in merges))


def _apart(ordered: list[Rect]) -> tuple[tuple[Rect, ...], list[Rect]]:
    """Those that overlap none before them, and the others.

    A sweep down the rows: the ranges open at a row have disjoint columns, so a sorted list tells an overlap.
    """
    kept: list[Rect] = []
    overlapping: list[Rect] = []
    opened: list[tuple[int, int]] = []  # left and right of the ranges open at this row, in order
    ends: list[tuple[int, int, int]] = []  # bottom, left, right of the same
    for rect in ordered:
        while ends and ends[0][0] < rect.top:
            _, left, right = heappop(ends)
            del opened[bisect(opened, (left, right)) - 1]
        at = bisect(opened, (rect.right, rect.right))
        if (at and opened[at - 1][1] >= rect.left) or (at < len(opened) and opened[at][0] <= rect.right):
            overlapping.append(rect)
            continue
        opened.insert(at, (rect.left, rect.right))
        heappush(ends, (rect.bottom, rect.left, rect.right))
        kept.append(rect)
    return tuple(kept), overlapping


def bold_of_runs(runs: Iterable[tuple[str, bool]]) -> tuple[bool, bool]:
    """Whether some of the text is bold, and whether some of it is not; blanks do not count.

    >>> bold_of_runs([("Total", True), (" ", False)])
    (True, False)
    """
    looks = {bold for text, bold in runs if text and not text.isspace()}
    return True in looks, False in looks


def twin_style(styles: list[Style], twins: dict[tuple[int, bool], int], style: int, bold: bool) -> int:
    """The number of the same style, bold or not bold; added to the styles where it is new."""
    key = style, bold
    if key not in twins:
        twins[key] = len(styles)
        styles.append(msgspec.structs.replace(styles[style], bold=bold))
    return twins[key]


class Contents(msgspec.Struct, frozen=True, eq=False):
    """Sheets in workbook order, the names of all sheets, title and authors, and the doubts met while reading."""

    sheets: tuple[Sheet, ...]
    names: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    pages: tuple[MarkupPage | RenderedPage, ...] = ()  # of a web page, which has no sheets


_NAME = lazy_pattern(r"table(\d{1,6})\.([a-z]+(?:\.[A-Z]{1,3}\d{1,7})?)(?:\.\d{1,5})?")


_MOST_TABLES = 1_000  # that one sheet may state; a person's sheet has some few


_AREA = short_pattern(
    r"(?:'((?:[^']|'')+)'|([^'!,]+))!(\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?)(?:,|$)", longest=8_192
)


def state_tables(names: Iterable[tuple[str, str]]) -> dict[str, tuple[StatedTable, ...]]:
    """Sheet -> the tables that names and what they refer to state there, in the order of their numbers."""
    named: dict[int, dict[str, list[Rect]]] = {}
    sheets: dict[int, set[str]] = {}
    for name, means in names:
        match = _NAME.fullmatch(name)
        if not match:
            continue
        number = int(match[1])
        for quoted, plain, area in _AREA.findall(means):
            sheets.setdefault(number, set()).add(quoted.replace("''", "'") or plain)
            named.setdefault(number, {}).setdefault(match[2], []).append(rect_at(area))
    found: dict[str, list[StatedTable]] = {}
    for number, areas in sorted(named.items()):
        stated = state_ranges(areas) if len(sheets[number]) == 1 else None
        if stated:
            found.setdefault(next(iter(sheets[number])), []).append(stated)
    return {sheet: tuple(tables) for sheet, tables in found.items() if len(tables) <= _MOST_TABLES}


def with_statements(sheets: Iterable[Sheet], stated: Mapping[str, tuple[StatedTable, ...]]) -> tuple[Sheet, ...]:
    """The sheets with the tables that are stated of each."""
    return tuple(msgspec.structs.replace(one, stated=stated.get(one.name or "", ())) for one in sheets)
