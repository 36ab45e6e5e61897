"""Raw columns of an xlsx sheet as typed cells: numbers, dates, percentages, texts, booleans, errors.

In: stretches of `RawCells`; out: `SheetCells`, in row order, one entry per cell that has a value, or a style inside the
range that values span. The number of a date is its serial day in the 1900 epoch, whatever the workbook's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import repeat
from math import isfinite
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.document import Issue, Mark, SheetCells, Stored
from tabellion.model.place import Place, address
from tabellion.model.style import Style
from tabellion.patterns import lazy_pattern
from tabellion.read.excel.xlsx_parts import AS_CELL, BOLD, NOT_BOLD, Text
from tabellion.read.excel.xlsx_scan import Formula, RawCells
from tabellion.read.spreadsheet.sheets import (
    NumberFormat,
    Shown,
    date_text,
    is_day,
    understand_format,
)
from tabellion.read.spreadsheet.shown_text import general_text, number_writer

_DAYS_1904 = 1462
_AGGREGATE = lazy_pattern(
    r"\b(?:SUM|SUMIFS?|SUMPRODUCT|SUBTOTAL|AGGREGATE|AVERAGE|AVERAGEIFS?|AVERAGEA|COUNT|COUNTA|COUNTIFS?)\s*\(", re.I
)
_REFERENCE = r"(?:(?:'[^']+'|[A-Za-z_.]\w*)!)?\$?[A-Za-z]{1,3}\$?[0-9]{1,7}"
_ADDITION = lazy_pattern(rf"\s*+[=+]*+\(?\s*+{_REFERENCE}(?:\s*+\+\s*+{_REFERENCE})++\s*+\)?(?:/[0-9]++)?\s*+")
_SHOWN_IN_FULL = 11  # digits and a point
_LONGEST_FORMULA = 8192  # letters; spreadsheet programs allow no more

# codes of cell types, and flags as plain numbers: an enum member is slow to reach in a loop over cells
_NONE, _NUMBER, _SHARED, _BOOLEAN, _ISO_DATE, _TEXT, _ERROR = range(7)
_KINDS = {None: _NUMBER, "": _NUMBER, "n": _NUMBER, "s": _SHARED, "b": _BOOLEAN, "d": _ISO_DATE, "e": _ERROR}
_FORMULA, _UNCACHED, _PARTLY_BOLD = int(Mark.FORMULA), int(Mark.UNCACHED), int(Mark.PARTLY_BOLD)
_AGGREGATED = int(Mark.FORMULA | Mark.AGGREGATE)
_STORED_TEXT, _STORED_DATE = int(Stored.TEXT), int(Stored.DATE)
_DAY, _TIMES = Shown.DATE, (Shown.DATE, Shown.TIME)


class Looks:
    """The styles of a workbook with what their number formats show."""

    def __init__(self, styles: Sequence[Style]) -> None:
        self.styles = styles
        self.formats = [understand_format(style.number_format) for style in styles]
        self.writers = [number_writer(style.number_format) for style in styles]


class Strings:
    """The shared strings of a workbook as arrays."""

    def __init__(self, entries: Sequence[Text]) -> None:
        self.text = np.array([entry.text for entry in entries], dtype=object)
        self.bold = np.array([entry.bold for entry in entries], dtype=np.uint8)
        filled = [_STORED_TEXT if entry.text and not entry.text.isspace() else 0 for entry in entries]
        self.filled = np.array(filled, dtype=np.uint8)


def is_aggregate(formula: str) -> bool:
    """Whether a formula sums or averages other cells.

    >>> is_aggregate("SUM(B2:B9)"), is_aggregate("B2+B3+B4"), is_aggregate("B2/B3")
    (True, True, False)
    """
    formula = formula[:_LONGEST_FORMULA]
    return bool(_AGGREGATE.search(formula) or _ADDITION.fullmatch(formula))


class CellTyper:
    """Types the cells of one sheet; the styles it hands out may grow by bold twins of the workbook's."""

    def __init__(self, looks: Looks, strings: Strings, epoch_1904: bool) -> None:
        self.looks, self.strings = looks, strings
        self.styles = list(looks.styles)
        self.shift = _DAYS_1904 if epoch_1904 else 0
        self.twins: dict[tuple[int, bool], int] = {}
        self.shared: dict[int, bool] = {}
        self.problems: dict[str, int] = {}
        self.uncached: list[tuple[int, int]] = []

    def typed(self, raw: RawCells) -> SheetCells:
        """One stretch of cells, typed."""
        count = len(raw.row)
        style = self._known(raw.style)
        cells = SheetCells(
            row=raw.row,
            column=raw.column,
            text=np.full(count, "", dtype=object),
            stored=np.zeros(count, dtype=np.uint8),
            number=np.full(count, np.nan),
            style=style,
            marks=np.zeros(count, dtype=np.uint8),
        )
        values = np.array(raw.value, dtype=object)
        kinds = np.array(list(map(_KINDS.get, raw.kind, repeat(_TEXT))), dtype=np.uint8)
        kinds[~values.astype(bool)] = _NONE
        for kind, fill in (
            (_NUMBER, self._numbers),
            (_SHARED, self._shared_texts),
            (_BOOLEAN, self._booleans),
            (_ISO_DATE, self._iso_dates),
            (_TEXT, partial(_texts, stored=Stored.TEXT)),
            (_ERROR, partial(_texts, stored=Stored.ERROR)),
        ):
            at = np.flatnonzero(kinds == kind)
            if len(at):
                fill(at, values[at].tolist(), cells)
        for i, inline in raw.inline.items():
            if inline.text and not inline.text.isspace():
                cells.text[i], cells.stored[i] = inline.text, _STORED_TEXT
                self._bold(i, inline.bold, cells)
        if raw.formula:
            self._formulas(raw, cells.marks)
        return cells

    def issues(self, sheet: str) -> list[Issue]:
        """The doubts met while typing the cells of a sheet."""
        found = [Issue("read", f"{count:,} {note}", Place(sheet=sheet)) for note, count in self.problems.items()]
        if self.uncached:
            first, many = address(*self.uncached[0]), len(self.uncached)
            note = "formulas have no stored result; open and save the file in a spreadsheet program to store them"
            found.append(Issue("read", f"{many:,} {note}", Place(sheet=sheet, range=first)))
        return found

    def _known(self, style: NDArray[np.int32]) -> NDArray[np.int32]:
        """Styles that the workbook does not have are plain."""
        known = (style >= 0) & (style < len(self.looks.styles))
        if known.all():
            return style
        self._problem("cells have a style that the workbook does not have", int((~known).sum()))
        return np.where(known, style, 0).astype(np.int32)

    def _numbers(self, at: NDArray[np.intp], values: list[str], cells: SheetCells) -> None:
        try:
            numbers = list(map(float, values))
        except ValueError:
            numbers = []
        if not numbers or not np.isfinite(numbers).all():
            at, values, numbers = self._only_numbers(at, values, cells)
        cells.number[at] = numbers
        cells.stored[at] = Stored.NUMBER
        styles = cells.style[at]
        for style in distinct(styles).tolist():
            mine = np.flatnonzero(styles == style)
            form, write = self.looks.formats[style], self.looks.writers[style]
            if form.shown in _TIMES:
                self._times(at[mine], form, cells)
            if write is general_text:
                cells.text[at[mine]] = [_as_written(values[one], numbers[one]) for one in mine.tolist()]
            else:
                cells.text[at[mine]] = list(map(write, cells.number[at[mine]].tolist()))

    def _times(self, at: NDArray[np.intp], form: NumberFormat, cells: SheetCells) -> None:
        """Days and times are dates, those of a workbook that counts from 1904 too."""
        if form.shown is _DAY:
            cells.number[at] += self.shift
        days = [is_day(number) for number in cells.number[at].tolist()]
        cells.stored[at[days]] = _STORED_DATE

    def _only_numbers(
        self, at: NDArray[np.intp], values: list[str], cells: SheetCells
    ) -> tuple[NDArray[np.intp], list[str], list[float]]:
        """Where a cell that should hold a number does not, it is kept as text, with a word on it."""
        good: list[tuple[int, str, float]] = []
        for i, value in zip(at.tolist(), values, strict=True):
            number = _finite(value)
            if number is not None:
                good.append((i, value, number))
            else:
                cells.text[i], cells.stored[i] = value, Stored.TEXT
                self._problem("cells said to be numbers hold something else and were read as text")
        return np.array([g[0] for g in good], dtype=np.intp), [g[1] for g in good], [g[2] for g in good]

    def _shared_texts(self, at: NDArray[np.intp], values: list[str], cells: SheetCells) -> None:
        count = len(self.strings.text)
        try:
            index = np.array(list(map(int, values)), dtype=np.int64)
        except (ValueError, OverflowError):
            index = np.array([int(v) if v.isdecimal() and len(v) < 10 else -1 for v in values], dtype=np.int64)
        if index.min() < 0 or index.max() >= count:
            known = (index >= 0) & (index < count)
            self._problem("texts point to shared strings that are not there and are empty", int((~known).sum()))
            at, index = at[known], index[known]
        cells.text[at] = self.strings.text[index]
        cells.stored[at] = self.strings.filled[index]
        runs = self.strings.bold[index]
        for j in np.flatnonzero(runs).tolist():
            self._bold(int(at[j]), int(runs[j]), cells)

    def _booleans(self, at: NDArray[np.intp], values: list[str], cells: SheetCells) -> None:
        cells.text[at] = ["TRUE" if v in ("1", "true") else "FALSE" for v in values]
        cells.stored[at] = Stored.BOOLEAN

    def _bold(self, i: int, bold: int, cells: SheetCells) -> None:
        """Mark a text of which a part is bold; one that is bold throughout, or not at all, has that style."""
        if not bold:
            return
        own = self.styles[cells.style[i]].bold
        some = bool(bold & BOLD) or bool(bold & AS_CELL and own)
        not_all = bool(bold & NOT_BOLD) or bool(bold & AS_CELL and not own)
        if some and not_all:
            cells.marks[i] |= _PARTLY_BOLD
        elif some != own:
            cells.style[i] = self._twin(int(cells.style[i]), some)

    def _twin(self, style: int, bold: bool) -> int:
        """The same style, bold or not bold."""
        key = (style, bold)
        if key not in self.twins:
            self.twins[key] = len(self.styles)
            self.styles.append(msgspec.structs.replace(self.styles[style], bold=bold))
        return self.twins[key]

    def _iso_dates(self, at: NDArray[np.intp], values: list[str], cells: SheetCells) -> None:
        for i, value in zip(at.tolist(), values, strict=True):
            try:
                moment = datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=None)
            except ValueError:
                cells.text[i], cells.stored[i] = value, Stored.TEXT
                continue
            serial = (moment - datetime(1899, 12, 30)).total_seconds() / 86400
            if not is_day(serial):
                cells.text[i], cells.stored[i] = value, Stored.TEXT
                continue
            cells.number[i] = serial
            cells.stored[i] = Stored.DATE
            style = int(cells.style[i])
            dated = self.looks.formats[style].shown in _TIMES
            cells.text[i] = self.looks.writers[style](serial) if dated else date_text(serial, Shown.DATE)

    def _formulas(self, raw: RawCells, marks: NDArray[np.uint8]) -> None:
        for i, formula in raw.formula.items():
            mark = _AGGREGATED if self._sums(formula) else _FORMULA
            if not raw.value[i] and raw.kind[i] != "str" and i not in raw.inline:
                mark |= _UNCACHED
                self.uncached.append((int(raw.row[i]), int(raw.column[i])))
            marks[i] |= mark

    def _sums(self, formula: Formula) -> bool:
        if formula.text:
            sums = is_aggregate(formula.text)
            if formula.shared is not None:
                self.shared[formula.shared] = sums
            return sums
        return formula.shared is not None and self.shared.get(formula.shared, False)

    def _problem(self, note: str, count: int = 1) -> None:
        self.problems[note] = self.problems.get(note, 0) + count


def _as_written(value: str, number: float) -> str:
    """A number without a format: most stand in the file as they are shown."""
    short = len(value) <= _SHOWN_IN_FULL and "E" not in value and (value[-1] != "0" or value.isdigit())
    return value if short and value[0] not in "+." else general_text(number)


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _texts(at: NDArray[np.intp], values: list[str], cells: SheetCells, stored: Stored) -> None:
    cells.text[at] = values
    cells.stored[at] = [Stored.EMPTY if value.isspace() else stored for value in values]


def join_cells(stretches: list[SheetCells]) -> SheetCells:
    """All stretches as one, in row order; a cell that is given twice counts as it was given last.

    Cells with a style but no value are kept only inside the range that the others span.
    """
    if not stretches:
        none = np.zeros(0)
        return SheetCells(*(none.astype(t) for t in (np.int32, np.int32, object, np.uint8, float, np.int32, np.uint8)))
    arrays: list[NDArray[Any]] = [
        np.concatenate([getattr(s, field) for s in stretches]) for field in SheetCells.__struct_fields__
    ]
    row, column, _, stored, _, style, marks = arrays
    key = row.astype(np.int64) << 14 | column
    if len(key) > 1 and not (key[1:] > key[:-1]).all():
        order = np.argsort(key, kind="stable")
        last = np.append(key[order][1:] != key[order][:-1], True)
        arrays = [a[order[last]] for a in arrays]
        row, column, _, stored, _, style, marks = arrays
    filled = (stored != Stored.EMPTY) | (marks & Mark.FORMULA != 0)
    keep = filled.copy()
    if filled.any():
        keep |= (style != 0) & (row <= row[filled].max()) & (column <= column[filled].max())
    if not keep.all():
        arrays = [a[keep] for a in arrays]
    return SheetCells(*arrays)
