"""Raw columns of an xlsx sheet as typed cells: numbers, dates, percentages, texts, booleans, errors.

In: stretches of `RawCells`; out: `SheetCells`, in row order, one entry a cell that has a value, or a style inside the
range that values span. The number of a date is its serial day in the 1900 epoch, whatever the workbook's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import msgspec

from tabellion.model.document import Mark, SheetCells, Stored
from tabellion.model.style import Style
from tabellion.read.number_format import Shown, date_text, number_text, percent_text, understand_format
from tabellion.read.xlsx_scan import Formula, RawCells
from tabellion.read.xlsx_strings import Bold, Text

_DAYS_1904 = 1462
_AGGREGATE = re.compile(
    r"\b(?:SUM|SUMIFS?|SUMPRODUCT|SUBTOTAL|AGGREGATE|AVERAGE|AVERAGEIFS?|AVERAGEA|COUNT|COUNTA|COUNTIFS?)\s*\(", re.I
)
_REFERENCE = r"(?:(?:'[^']+'|[A-Za-z_.]\w*)!)?\$?[A-Za-z]{1,3}\$?[0-9]{1,7}"
_ADDITION = re.compile(rf"\s*[=+]*\(?\s*{_REFERENCE}(?:\s*\+\s*{_REFERENCE})+\s*\)?(?:/[0-9]+)?\s*")


def is_aggregate(formula: str) -> bool:
    """Whether a formula sums or averages other cells.

    >>> is_aggregate("SUM(B2:B9)"), is_aggregate("B2+B3+B4"), is_aggregate("B2/B3")
    (True, True, False)
    """
    return bool(_AGGREGATE.search(formula) or _ADDITION.fullmatch(formula))


class CellTyper:
    """Types the cells of one sheet; the styles it hands out may grow by bold twins of the workbook's."""

    def __init__(self, styles: Sequence[Style], strings: Sequence[Text], epoch_1904: bool) -> None:
        self.styles, self.strings = list(styles), strings
        self.shift = _DAYS_1904 if epoch_1904 else 0
        self.formats = [understand_format(style.number_format) for style in styles]
        self.special = {i for i, f in enumerate(self.formats) if f.shown not in (Shown.NUMBER, Shown.TEXT)}
        self.has_runs = any(text.bold for text in strings)
        self.twins: dict[tuple[int, bool], int] = {}
        self.shared: dict[int, bool] = {}
        self.problems: dict[str, int] = {}
        self.uncached: list[tuple[int, int]] = []

    def typed(self, raw: RawCells) -> SheetCells:
        """One stretch of cells, typed."""
        count = len(raw.row)
        text: NDArray[np.object_] = np.full(count, "", dtype=object)
        stored = np.zeros(count, dtype=np.uint8)
        number = np.full(count, np.nan)
        marks = np.zeros(count, dtype=np.uint8)
        style = raw.style
        top = len(self.styles)
        if style and max(style) >= top:
            style = [s if s < top else 0 for s in style]
        style_ids = np.array(style, dtype=np.int32)
        by_kind: dict[str, list[int]] = {}
        for i, kind in enumerate(raw.kind):
            if raw.value[i]:
                by_kind.setdefault(kind, []).append(i)
        for kind, at in by_kind.items():
            values = [raw.value[i] for i in at]
            if kind in ("", "n"):
                self._numbers(at, values, style, text, stored, number)
            elif kind == "s":
                self._shared_texts(at, values, text, stored, style_ids, marks)
            elif kind == "b":
                text[at] = ["TRUE" if v in ("1", "true") else "FALSE" for v in values]
                stored[at] = Stored.BOOLEAN
            elif kind == "d":
                self._iso_dates(at, values, text, stored, number)
            else:
                text[at] = values
                stored[at] = Stored.ERROR if kind == "e" else Stored.TEXT
        for i, inline in raw.inline.items():
            if inline.text:
                text[i], stored[i] = inline.text, Stored.TEXT
                self._bold(i, inline.bold, style_ids, marks)
        if raw.formula:
            self._formulas(raw, marks)
        return SheetCells(
            np.array(raw.row, dtype=np.int32), np.array(raw.column, dtype=np.int32), text, stored, number, style_ids, marks
        )

    def _numbers(
        self,
        at: list[int],
        values: list[str],
        style: list[int],
        text: NDArray[np.object_],
        stored: NDArray[np.uint8],
        number: NDArray[np.float64],
    ) -> None:
        try:
            numbers = list(map(float, values))
        except ValueError:
            at, values, numbers = self._only_numbers(at, values, text, stored)
        number[at] = numbers
        stored[at] = Stored.NUMBER
        shown = [
            v if len(v) < 16 and v.isdigit() else number_text(x) for v, x in zip(values, numbers, strict=True)
        ]
        if self.special:
            for j, i in enumerate(at):
                if style[i] in self.special:
                    shown[j] = self._special(i, style[i], numbers[j], stored, number)
        text[at] = shown

    def _special(
        self, i: int, style: int, value: float, stored: NDArray[np.uint8], number: NDArray[np.float64]
    ) -> str:
        """The text of a percentage, a date or a time."""
        form = self.formats[style]
        if form.shown is Shown.PERCENT:
            return percent_text(value, form.places)
        if form.shown is Shown.DATE:
            value += self.shift
            number[i] = value
        stored[i] = Stored.DATE
        return date_text(value, form.shown)

    def _only_numbers(
        self, at: list[int], values: list[str], text: NDArray[np.object_], stored: NDArray[np.uint8]
    ) -> tuple[list[int], list[str], list[float]]:
        """Where a cell that should hold a number does not, it is kept as text, with a word on it."""
        good: list[tuple[int, str, float]] = []
        for i, value in zip(at, values, strict=True):
            try:
                good.append((i, value, float(value)))
            except ValueError:
                text[i], stored[i] = value, Stored.TEXT
                self._problem("cells said to be numbers hold something else and were read as text")
        return [g[0] for g in good], [g[1] for g in good], [g[2] for g in good]

    def _shared_texts(
        self,
        at: list[int],
        values: list[str],
        text: NDArray[np.object_],
        stored: NDArray[np.uint8],
        style: NDArray[np.int32],
        marks: NDArray[np.uint8],
    ) -> None:
        strings = self.strings
        try:
            found = [strings[int(v)] for v in values]
        except (ValueError, IndexError):
            self._problem("texts point to shared strings that are not there and are empty")
            found = [strings[int(v)] if v.isdigit() and int(v) < len(strings) else Text("") for v in values]
        text[at] = [t.text for t in found]
        stored[at] = [Stored.TEXT if t.text else Stored.EMPTY for t in found]
        if self.has_runs:
            for i, t in zip(at, found, strict=True):
                if t.bold:
                    self._bold(i, t.bold, style, marks)

    def _bold(self, i: int, bold: Bold, style: NDArray[np.int32], marks: NDArray[np.uint8]) -> None:
        """Mark a text of which a part is bold; one that is bold throughout, or not at all, has that style."""
        own = self.styles[style[i]].bold
        some = bool(bold & Bold.BOLD) or bool(bold & Bold.CELL and own)
        not_all = bool(bold & Bold.PLAIN) or bool(bold & Bold.CELL and not own)
        if some and not_all:
            marks[i] |= Mark.PARTLY_BOLD
        elif bold and some != own:
            style[i] = self._twin(int(style[i]), some)

    def _twin(self, style: int, bold: bool) -> int:
        """The same style, bold or not bold."""
        key = (style, bold)
        if key not in self.twins:
            self.twins[key] = len(self.styles)
            self.styles.append(msgspec.structs.replace(self.styles[style], bold=bold))
        return self.twins[key]

    def _iso_dates(
        self,
        at: list[int],
        values: list[str],
        text: NDArray[np.object_],
        stored: NDArray[np.uint8],
        number: NDArray[np.float64],
    ) -> None:
        for i, value in zip(at, values, strict=True):
            try:
                moment = datetime.fromisoformat(value.removesuffix("Z"))
            except ValueError:
                text[i], stored[i] = value, Stored.TEXT
                continue
            serial = (moment.replace(tzinfo=None) - datetime(1899, 12, 30)).total_seconds() / 86400
            number[i], stored[i] = serial, Stored.DATE
            text[i] = moment.date().isoformat() if moment.time() == time() else moment.isoformat(timespec="seconds")

    def _formulas(self, raw: RawCells, marks: NDArray[np.uint8]) -> None:
        for i, formula in raw.formula.items():
            marks[i] |= Mark.FORMULA
            if self._sums(formula):
                marks[i] |= Mark.AGGREGATE
            if not raw.value[i] and raw.kind[i] != "str" and i not in raw.inline:
                marks[i] |= Mark.UNCACHED
                self.uncached.append((raw.row[i], raw.column[i]))

    def _sums(self, formula: Formula) -> bool:
        if formula.text:
            sums = is_aggregate(formula.text)
            if formula.shared is not None:
                self.shared[formula.shared] = sums
            return sums
        return formula.shared is not None and self.shared.get(formula.shared, False)

    def _problem(self, note: str) -> None:
        self.problems[note] = self.problems.get(note, 0) + 1


def join_cells(stretches: list[SheetCells]) -> SheetCells:
    """All stretches as one, in row order; a cell that is given twice counts as it was given last.

    Cells with a style but no value are kept only inside the range that the others span.
    """
    if not stretches:
        none = np.zeros(0)
        return SheetCells(*(none.astype(t) for t in (np.int32, np.int32, object, np.uint8, float, np.int32, np.uint8)))
    arrays: list[NDArray[Any]] = []
    for field in SheetCells.__struct_fields__:
        arrays.append(np.concatenate([getattr(s, field) for s in stretches]))
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
