"""What gathers while a page is walked: the text and contents of one cell, the rows of one candidate, and their slots.

Slots are taken by the HTML standard's algorithm for forming a table, to the letter (4.9.12). In: rows of spans, group
by group (a `thead`, `tbody` or `tfoot` each). Out: the first row and column of each cell and how many rows and columns
it takes. `rowspan=0` grows to the end of its group, spans are cut at 1,000 columns and 65,534 rows, and a column
covered by a cell of an earlier row is passed over. Where the standard lets two cells overlap, the earlier one keeps the
slot; rows that only spans reach are not made, as in browsers. What is held is one number per column, whatever the spans
say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import TypeAlias

import numpy as np

from tabellion.model.document import Mark
from tabellion.model.markup import CandidateKind, Heading, Section
from tabellion.read.web.looks import LINK, Looks
from tabellion.read.web.stated import CellWord, Declared, declare_headers, read_word

MOST_ACROSS = 1000
MOST_DOWN = 65534


class SlotsFullError(Exception):
    """The table takes more columns than the limit, or its covered slots cost too much time."""


class Slots:
    """The slots of one table, filled row by row; `placed` holds row, column, row span, column span of each cell."""

    def __init__(self, most_columns: int, most_steps: int) -> None:
        self.placed: list[tuple[int, int, int, int]] = []
        self.rows = 0
        self.width = 0
        self._until: list[int] = []  # for each column: the row at which it is free again
        self._most_columns = most_columns
        self._steps = most_steps
        self._growing: list[int] = []  # numbers of the cells whose row span is settled at the end of the group

    def add_row(self, spans: list[tuple[int, int]]) -> None:
        """Place the cells of one row: (row span, column span) each, row span 0 for "to the end of the group"."""
        row, until, placed = self.rows, self._until, self.placed
        column = 0
        width = len(until)
        for down, across in spans:
            while column < width and until[column] > row:
                column += 1
            if down == 1 and across == 1:
                if column == width:
                    until.append(0)
                    width += 1
                until[column] = row + 1
                placed.append((row, column, 1, 1))
                column += 1
                continue
            self._steps -= across
            if column + across > self._most_columns or self._steps < 0:
                raise SlotsFullError
            if width < column + across:
                until.extend([0] * (column + across - width))
                width = len(until)
            if down != 1:
                self._growing.append(len(placed))
            end = row + (down or MOST_DOWN)
            free = 0
            while free < across and until[column + free] <= row:
                until[column + free] = end
                free += 1
            placed.append((row, column, down or MOST_DOWN, free))
            column += across
        if column > self._most_columns:
            raise SlotsFullError
        self._steps -= width
        if self._steps < 0:
            raise SlotsFullError
        self.rows += 1
        self.width = width

    def end_group(self) -> None:
        """Cut the row spans at the end of a row group, and free all columns."""
        for number in self._growing:
            row, column, down, across = self.placed[number]
            self.placed[number] = (row, column, max(1, min(down, self.rows - row)), across)
        self._growing.clear()
        self._until = [0] * len(self._until)


def read_span(value: str | None, most: int, least: int = 1) -> int:
    """A span by the standard's rules for reading whole numbers: leading digits count, the rest does not.

    >>> read_span("3abc", 1000), read_span("-1", 1000), read_span("100000", 1000), read_span("0", 65534, 0)
    (3, 1, 1000, 0)
    """
    if not value:
        return 1
    text = value.lstrip(" \t\n\f\r").removeprefix("+")
    digits = 0
    while digits < len(text) and text[digits] in "0123456789":
        digits += 1
    if not digits:
        return 1
    number = int(text[: min(digits, 9)])
    return 1 if number < least else min(number, most)


LINE_END = "\x00"  # cannot occur in a parsed page: the standard replaces it
_BLANK = f" \t\n\r\f\xa0{LINE_END}"
_RAISED = str.maketrans("0123456789+-=()abcdefnpr", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠⁿᵖʳ")
_CAN_RAISE = re.compile(r"[\d+\-−=()]{1,6}|[a-fnpr](?:\s*,\s*[a-fnpr])*|\d(?:\s*,\s*\d)+|\[(?:\d{1,3}|[a-fnpr])\]")
_ROUND = str.maketrans("[]", "()")  # there are no raised square brackets
_NEAR = 60  # parts of text that are looked through for the line before or after a candidate

CellRecord: TypeAlias = tuple[str, int, int, int, int, int, int, int, int, int]
"""A finished cell, in the order of RECORD_FIELDS; a plain tuple, since a page has many."""
RECORD_FIELDS = ("text", "style", "marks", "length", "linked", "links", "images", "forms", "items", "nested")


_FOOT = int(Section.FOOT)
_PARTLY_BOLD, _LINKED = int(Mark.PARTLY_BOLD), int(Mark.LINK)  # plain numbers are joined far faster
_NO_NUMBERS = np.zeros((0, len(RECORD_FIELDS) - 1), dtype=np.int32)


class Box:
    """The text of a cell, a caption or the page itself, as it gathers; `runs` counts the letters of each look."""

    __slots__ = ("alternative", "forms", "images", "items", "links", "nested", "parts", "runs", "waiting")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.runs: dict[int, int] = {}
        self.links = self.images = self.forms = self.items = self.nested = 0
        self.alternative: list[str] | None = None  # what pictures stand for
        self.waiting: list[Gathering] | None = None  # candidates inside, until the text after them is known

    def text(self) -> str:
        """The text with its lines parted by line feeds, and an indent of blanks where it begins with hard ones."""
        parts = self.parts
        joined = parts[0] if len(parts) == 1 else "".join(parts)
        if LINE_END in joined:
            text = "\n".join([line for part in joined.split(LINE_END) if (line := " ".join(part.split()))])
        else:
            text = " ".join(joined.split())
        return leading_blanks(joined) + text if "\xa0" in joined[:8] and text else text

    def last_line(self) -> str | None:
        """The last line of text gathered so far."""
        found: list[str] = []
        for part in reversed(self.parts[-_NEAR:]):
            if LINE_END in part:
                if "".join(found).strip(_BLANK):
                    break
                found.clear()
            found.append(part)
        return " ".join("".join(reversed(found)).replace(LINE_END, " ").split()) or None

    def line_from(self, start: int) -> str | None:
        """The first line of text from a part on."""
        found: list[str] = []
        for part in self.parts[start : start + _NEAR]:
            if LINE_END in part and "".join(found).strip(_BLANK):
                break
            found.append(part)
        return " ".join("".join(found).replace(LINE_END, " ").split()) or None

    def settle_waiting(self) -> None:
        """Tell the candidates inside which text comes after them."""
        for candidate in self.waiting or ():
            candidate.after = self.line_from(candidate.after_at)

    def record(self, looks: Looks, cell: int, row: int, fill: str | None, marks: int) -> CellRecord:
        """The finished cell; its style is that of most of its letters."""
        text = self.text()
        if self.waiting:
            self.settle_waiting()
        runs, linked, look, length = self.runs, 0, cell, len(text)
        if len(runs) == 1:
            look = next(iter(runs))
            if looks.flags[look] & LINK:
                linked = length
        elif runs:
            bold = sum([count for each, count in runs.items() if looks.looks[each].bold])
            linked = min(length, sum([count for each, count in runs.items() if looks.flags[each] & LINK]))
            look = max(runs, key=runs.__getitem__)
            if 0 < bold < sum(runs.values()):
                marks |= _PARTLY_BOLD
        elif self.alternative and not text:
            text = " ".join(" ".join(self.alternative).split())
        if linked:
            marks |= _LINKED
        style = looks.style(look, cell, row, fill)
        return text, style, marks, length, linked, self.links, self.images, self.forms, self.items, self.nested


class Gathering:
    """A candidate while its rows are read."""

    def __init__(self, kind: CandidateKind, number: int, path: str, attributes: dict[str, str], depth: int) -> None:
        self.kind: CandidateKind = kind
        self.number = number
        self.path = path
        self.attributes = attributes
        self.depth = depth
        self.table_index: int | None = None
        self.parent: int | None = None
        self.hidden = False
        self.before: str | None = None
        self.after: str | None = None
        self.after_at = 0
        self.heading: Heading | None = None
        self.start = 0
        self.caption: str | None = None
        self.preformatted: str | None = None
        self.declared_columns = 0
        self.scoped = self.sized = 0
        self.words: dict[int, CellWord] = {}  # what cells declare of headers, by their number
        self.exact: dict[int, str] = {}  # what `<data>` says that a cell's value is, by its number
        self.cells: list[CellRecord] = []
        self.texts: list[str] = []
        self.numbers = _NO_NUMBERS
        self.rows: list[tuple[int, int, list[tuple[int, int]]]] = []  # section, group, spans of the cells

    def declare(self, attributes: Mapping[str, str | None], speaks: bool) -> None:
        """Note what the cell that comes next declares of headers; `speaks`: it does so itself."""
        self.scoped += speaks
        word = read_word(attributes)
        if word:
            self.words[len(self.cells)] = word

    def compact(self) -> None:
        """Hold the finished cells as arrays, a quarter of their size."""
        self.texts = [cell[0] for cell in self.cells]
        width = len(RECORD_FIELDS) - 1
        told = chain.from_iterable([cell[1:] for cell in self.cells])
        self.numbers = np.fromiter(told, dtype=np.int32, count=width * len(self.cells)).reshape(-1, width)
        self.cells = []

    def form(self, most_columns: int, most_steps: int) -> tuple[Slots, bool]:
        """The slots of the cells in the order of the standard, and whether all had room. `tfoot` comes last."""
        slots, rows = Slots(most_columns, most_steps), self.rows
        if _FOOT in {section for section, _, _ in rows}:
            rows = self._put_foot_last()
        last_group: int | None = None
        whole = True
        for _, group, spans in rows:
            if group != last_group:
                slots.end_group()
                last_group = group
            try:
                slots.add_row(spans)
            except SlotsFullError:
                whole = False
                break
        slots.end_group()
        return slots, whole

    def declared(self, slots: Slots) -> Declared:
        """The header rows and columns that the markup declares."""
        if not self.scoped:
            return Declared()
        return declare_headers(self.words, slots.placed)

    def sections(self) -> bytes:
        """The section of each row, in the order of the standard."""
        told = bytes([section for section, _, _ in self.rows])
        if _FOOT not in told:
            return told
        return bytes(sorted(told, key=lambda section: section == _FOOT))

    def _put_foot_last(self) -> list[tuple[int, int, list[tuple[int, int]]]]:
        """The rows with those of the foot at the end; the cells are put in the same order."""
        starts = np.cumsum([0, *(len(spans) for _, _, spans in self.rows)])
        order = sorted(range(len(self.rows)), key=lambda row: self.rows[row][0] == _FOOT)
        cells = [cell for row in order for cell in range(starts[row], starts[row + 1])]
        self.texts = [self.texts[cell] for cell in cells]
        self.numbers = self.numbers[cells]
        self.words = {at: self.words[cell] for at, cell in enumerate(cells) if cell in self.words}
        self.exact = {at: self.exact[cell] for at, cell in enumerate(cells) if cell in self.exact}
        return [self.rows[row] for row in order]


def leading_blanks(joined: str) -> str:
    """Blanks for the hard blanks that a text begins with, as an indent that is read later."""
    shown = joined.lstrip(" \t\n\r\f" + LINE_END)
    return " " * (len(shown) - len(shown.lstrip("\xa0 ")))


def raise_text(text: str) -> str:
    """A superscript that is a power or a mark in superscript characters, so that 10<sup>6</sup> is not 106.

    >>> raise_text("2"), raise_text("[1]"), raise_text("nd")
    ('²', '⁽¹⁾', 'nd')
    """
    core = text.strip().replace("−", "-")
    return core.replace(" ", "").translate(_ROUND).translate(_RAISED) if _CAN_RAISE.fullmatch(core) else text
