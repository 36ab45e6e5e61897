"""The cells of one table with their slots, before they become a grid.

Aligned text of a `<pre>` to a table with slots: one line per row, one range of letters per column.

Amounts that are cut into several columns: `$`, `(1,234` and `)%` in cells of their own, as in filings.

In: a table with slots. Out: the same table with such columns joined to the one that holds the number, whose text is
then the whole amount, and without the empty columns that keep amounts apart. Columns are joined where no row says
something in both but signs of money, per cent and brackets, and where the headers above them span both. Fails where a
column of signs stands for itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.values.aligned import cut_line, find_gaps, rule_runs, without_bars

Ints = NDArray[np.int32]


class SlotTable(msgspec.Struct, frozen=True, eq=False):
    """Parallel arrays, one entry per cell, in row order; `content` says what a cell holds besides text.

    `row_of` and `column_of` give the table's own rows and columns, as the HTML standard counts them.
    """

    row: Ints
    column: Ints
    down: Ints
    across: Ints
    text: NDArray[np.object_]
    style: Ints
    marks: NDArray[np.uint8]
    content: NDArray[np.uint8]
    row_of: Ints
    column_of: Ints
    declared_headers: tuple[int, int] = (0, 0)  # leading header rows and columns that the source declares
    box: NDArray[np.float32] | None = None  # (n, 4): where each cell is drawn, on a rendered page

    def __len__(self) -> int:
        return len(self.row)

    def only(self, kept: NDArray[np.bool_]) -> SlotTable:
        """Some of the cells."""
        names = ("row", "column", "down", "across", "text", "style", "marks", "content")
        box = None if self.box is None else self.box[kept]
        return msgspec.structs.replace(self, box=box, **{name: getattr(self, name)[kept] for name in names})

    def only_columns(self, kept: NDArray[np.bool_]) -> SlotTable:
        """Some of the columns, with the cells that reach into them."""
        before = np.append(0, kept.cumsum()).astype(np.int32)  # columns before each
        start, end = before[self.column], before[self.column + self.across]
        left = msgspec.structs.replace(self, column=start, across=end - start, column_of=self.column_of[kept])
        return left.only(end > start)

    def first_rows(self, count: int) -> SlotTable:
        """The first rows alone."""
        part = self.only(self.row < count)
        return msgspec.structs.replace(
            part, down=np.minimum(part.down, count - part.row).astype(np.int32), row_of=self.row_of[:count]
        )


_MOST_HEADER_ROWS = 4
_RULE = re.compile(r"[\s\-=_+|.*~]+")
_WORDS = re.compile(r"\S+(?: \S+)*")  # no gap between them


def cut_text(text: str) -> SlotTable:
    """The cells of aligned text.

    Lines that only rule are left out, but a run of dashes under a text spans its columns, and the first rule with a run
    for every column ends the header. A line above it that goes on over the columns is a title.
    """
    drawn = [line for line in text.split("\n") if line.strip()]
    written = without_bars(drawn)
    ranges = find_gaps(written)
    lines: list[tuple[str, list[tuple[int, int]]]] = []  # each with the runs of the rule below it
    header = 0
    for line in written:
        if not _RULE.fullmatch(line):
            lines.append((line, []))
        elif lines and not lines[-1][1] and 0 < len(rule_runs(line)) < len(ranges):
            lines[-1] = (lines[-1][0], rule_runs(line))
        elif not header and len(rule_runs(line)) == len(ranges) > 1:
            header = len(lines)
    over = {row for row, (line, _) in enumerate(lines[:header]) if _crosses(line, ranges, barred=written != drawn)}
    header = header if header - len(over) <= _MOST_HEADER_ROWS and header < len(lines) else 0
    cells = [
        (row, column, across, said)
        for row, (line, runs) in enumerate(lines)
        for column, across, said in ([(0, len(ranges), line.strip())] if row in over else _cut(line, ranges, runs))
        if said
    ]
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [cell[3] for cell in cells]
    return SlotTable(
        row=np.array([cell[0] for cell in cells], dtype=np.int32),
        column=np.array([cell[1] for cell in cells], dtype=np.int32),
        down=np.ones(len(cells), dtype=np.int32),
        across=np.array([cell[2] for cell in cells], dtype=np.int32),
        text=texts,
        style=np.zeros(len(cells), dtype=np.int32),
        marks=np.zeros(len(cells), dtype=np.uint8),
        content=np.zeros(len(cells), dtype=np.uint8),
        row_of=np.arange(len(lines), dtype=np.int32),
        column_of=np.arange(max(1, len(ranges)), dtype=np.int32),
        declared_headers=(header, 0),
    )


def _crosses(line: str, ranges: list[tuple[int, int]], *, barred: bool) -> bool:
    """Whether a line goes on from the first column into the second: it is a text over them all.

    Where no bars part the columns, it begins where the line does.
    """
    words = _WORDS.search(line)
    return (
        words is not None
        and words.start() < ranges[0][1]
        and words.end() > ranges[1][0]
        and (barred or words.start() == 0)
    )


def _cut(line: str, ranges: list[tuple[int, int]], runs: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """The cells of a line: column, how many it takes, text. A run of dashes under several texts spans none of them."""
    if not ranges:
        return [(0, 1, line.strip())]
    if not runs:
        return [(column, 1, said) for column, said in enumerate(cut_line(line, ranges)) if said]
    runs = [(start, end) for start, end in runs if len(_WORDS.findall(line.expandtabs(8)[start:end])) < 2]
    under = {at for at, (start, end) in enumerate(ranges) if any(a <= start and end <= b + 1 for a, b in runs)}
    cells = [(at, 1, said) for at, said in enumerate(cut_line(line, ranges)) if said and at not in under]
    for start, end in runs:
        covered = [at for at, (a, b) in enumerate(ranges) if start <= a and b <= end + 1]
        said = line.expandtabs(8)[start:end].strip()
        if covered and said:
            cells.append((covered[0], len(covered), said))
    return sorted(cells)


_BEFORE = re.compile(r"[(\[]?\s*(?:US|C|A|NZ|HK|R)?[$£€¥₹]\s*[(\[]?|[(\[]|(?:USD|EUR|GBP|CHF|Rs\.?)")
_AFTER = re.compile(r"[)\]]+\s*%?|%\s*[)\]]?|[)\]]?\s*(?:bps?|pts?|x|X|pp)|[*†‡]+|\(\w\)|\[\w\]")
_DIGIT = re.compile(r"\d")
_DASHES = frozenset("-–—−")
_LEAST = 2  # rows with a sign of its own that show the habit
_MANY_COLUMNS = 400  # wider tables are left as they are
_SHORT, _KEPT = 48, 1 << 14  # letters of texts that are remembered, and how many: tables say the same again and again


class _Part(msgspec.Struct, frozen=True, gc=False):
    """What a text may be of an amount: signs before or after the number, or the number."""

    before: bool
    after: bool
    digits: bool
    numeric: bool  # digits, or a dash in their place


def _part(text: str) -> _Part:
    return _short_part(text) if len(text) <= _SHORT else _read_part(text)


def _read_part(text: str) -> _Part:
    digits = bool(_DIGIT.search(text))
    return _Part(bool(_BEFORE.fullmatch(text)), bool(_AFTER.fullmatch(text)), digits, digits or text in _DASHES)


_short_part = lru_cache(maxsize=_KEPT)(_read_part)


def join_amounts(table: SlotTable) -> SlotTable:
    """Join the columns of amounts that are cut."""
    width = len(table.column_of)
    if width < 3 or width > _MANY_COLUMNS or not len(table):
        return table
    texts = [text.strip() for text in table.text.tolist()]
    known = {text: _part(text) for text in set(texts)}
    if not any(part.before or part.after for part in known.values()):
        return table
    parts = [known[text] for text in texts]
    if sum(part.before + part.after for part in parts) < _LEAST:
        return table
    joined = _find_joined(table, texts, parts)
    return _joined(table, joined, texts) if any(joined) else table


def _find_joined(table: SlotTable, texts: list[str], parts: list[_Part]) -> list[bool]:
    """For each column whether it is one with the column before it."""
    cells: list[dict[int, int]] = [{} for _ in table.column_of]  # the filled cells that begin in a column, by row
    for cell, (text, row, column) in enumerate(zip(texts, table.row.tolist(), table.column.tolist(), strict=True)):
        if text:
            cells[column][row] = cell
    covers = _covering(table)
    over = np.array([part.numeric for part in parts] + [False])[covers]  # slots that a number covers
    bridged = covers[:, 1:] == covers[:, :-1]
    over_gap = (over[:, 1:] & bridged).any(axis=0).tolist()
    joined = [False]
    last = cells[0]  # the last filled cell of each row, from the column that the amounts begin in
    for column in range(1, len(cells)):
        here = cells[column]
        one = _one_amount(here, last, bridged[:, column - 1], parts) if here else over_gap[column - 1]
        joined.append(one)
        last = last | here if one else here
    return joined


def _covering(table: SlotTable) -> NDArray[np.intp]:
    """The cell over each slot, empty ones too; -1 where there is none."""
    covers = np.full((len(table.row_of), len(table.column_of)), -1, dtype=np.intp)
    covers[table.row, table.column] = np.arange(len(table))
    wide = np.flatnonzero((table.down > 1) | (table.across > 1))
    spans = np.column_stack([wide, table.row[wide], table.column[wide], table.down[wide], table.across[wide]])
    for cell, row, column, down, across in spans.tolist():
        covers[row : row + down, column : column + across] = cell
    return covers


def _one_amount(cells: dict[int, int], last: dict[int, int], bridged: NDArray[np.bool_], parts: list[_Part]) -> bool:
    """Whether the cells of a column go on with the amounts of the columns before it; `bridged`: a cell spans both."""
    signs = 0
    for row, cell in cells.items():
        if row in last:
            left, right = parts[last[row]], parts[cell]
            leads = left.before and (right.numeric or right.before)
            if not (leads or (right.after and (left.numeric or left.after))):
                return False
            signs += 1
    if signs < (1 if bridged.any() else _LEAST):
        return False
    # A column whose own texts stand under a header of its own is another field.
    strangers = [parts[cell] for row, cell in cells.items() if row not in last and not bridged[row]]
    return all(part.numeric or part.before or part.after for part in strangers)


def _joined(table: SlotTable, joined: list[bool], texts: list[str]) -> SlotTable:
    """The table with its columns put together; cells of one row and column become one."""
    begins = ~np.array(joined)
    group = (begins.cumsum() - 1).astype(np.int32)
    column = group[table.column]
    end = group[np.minimum(table.column + table.across - 1, len(group) - 1)] + 1
    filled = np.array([bool(text) for text in texts])
    place = table.row.astype(np.int64) * len(group) + column
    order = np.lexsort((~filled, place))  # of the cells of one place those that say something come first
    first = np.flatnonzero(np.diff(place[order], prepend=-1))
    kept = np.zeros(len(table), dtype=bool)
    kept[order[first]] = True
    text = table.text.copy()
    counts = np.add.reduceat(filled[order], first, dtype=np.intp)
    for start, count in zip(first[counts > 1].tolist(), counts[counts > 1].tolist(), strict=True):
        told = order[start : start + count].tolist()
        main = max(told, key=lambda cell: (_part(texts[cell]).digits, len(texts[cell])))
        text[main] = _glue([texts[cell] for cell in told])
        kept[told[0]], kept[main] = False, True
    small = msgspec.structs.replace(
        table,
        column=column,
        across=np.maximum(1, end - column).astype(np.int32),
        text=text,
        column_of=table.column_of[begins],
    )
    used = np.zeros(len(small.column_of), dtype=bool)
    used[column[kept & (filled | (table.content > 0))]] = True  # the others only keep amounts apart
    return small.only(kept).only_columns(used)


def _glue(parts: list[str]) -> str:
    """The pieces of an amount as one text: `$` `(1,234` `)` is `$(1,234)`."""
    text = ""
    for part in parts:
        text += part if not text or _part(text).before or _part(part).after else f" {part}"
    return text
