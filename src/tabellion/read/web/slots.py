"""The HTML standard's algorithm for forming a table: which slots each cell takes.

In: rows of spans, group by group (a `thead`, `tbody` or `tfoot` each). Out: the first row and column of each cell and
how many rows and columns it takes. To the letter (HTML standard, 4.9.12): `rowspan=0` grows to the end of its group,
spans are cut at 1,000 columns and 65,534 rows, and a column covered by a cell of an earlier row is passed over. Where
the standard lets two cells overlap, the earlier one keeps the slot; rows that only spans reach are not made, as in
browsers. What is held is one number per column, whatever the spans say.
"""

from __future__ import annotations

MOST_ACROSS = 1000
MOST_DOWN = 65534
TO_THE_END = 0


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
