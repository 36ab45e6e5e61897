"""What every reader of spreadsheets gives, and what is the same in all formats.

What every format module under `read` gives: sheets and the facts of the document. A format module has one entry,
`read_NAME(data: bytes, limits: Limits, sheet: str | None = None) -> Contents` (xlsx, xls, ods, xlsb, xml2003,
delimited), and raises the errors of `tabellion.errors` without a file name: `read_document` adds it. With `sheet` it
may leave the other sheets unread, but `names` lists them all.

Merged areas made tidy, the same for every format: in reading order, cut far beyond the cells, none overlapping. A text
that is centred over blank cells (centre across selection) is as good as merged.

What the runs of a rich text say of its cell: bold in part, throughout, or not at all.

Tables that a workbook states by the names of its ranges, in the words of `model.range_names`. Names that state no whole
table mean nothing here.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
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
