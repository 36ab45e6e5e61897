"""A candidate of a web page to a dense grid.

In: a region of a page, whose cells have their slots by the HTML standard. Out: a `Grid` without the rows and columns in
which no cell begins (they have no width in a browser either) and without rows that only keep others apart, with the
lines of a row that are really rows parted as the paper's pseudo-rendering asks (Wang, sections 6.3.1 and 6.6.2), and
amounts that are cut into several columns joined. What spans make too large to hold is cut off with an issue.

Lines inside one row that are really rows (Wang, sections 6.3.1 and 6.6.2: pseudo-rendering). In: a table with slots.
Out: the same table, but a row whose cells hold equally many lines (made by `<br>`, `<p>` or `<div>`) is as many rows.
Only where the lines can be nothing else: one cell at least holds a number in every line, or there are four lines or
more in every cell. A header set in two lines stays one row.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import MarkupRegion
from tabellion.model.grid import NUMBER, TEXT, Content, Grid
from tabellion.model.markup import Candidate, MarkupCells
from tabellion.model.place import Issue
from tabellion.model.stated import StatedTable
from tabellion.model.style import PLAIN
from tabellion.recognise.web.slot_table import Ints, SlotTable, cut_text, join_amounts
from tabellion.values import read_texts
from tabellion.values.texts import Saying

_NUMBER = re.compile(r"[^\w\n]*\d[\d.,'\s]*[^\w\n]{0,3}")
_SURE_LINES = 4  # lines in every cell that can hardly be chance
_LONG_LINE = 60  # letters; longer lines are prose that happens to have as many paragraphs


def part_rows(table: SlotTable) -> SlotTable:
    """Part the rows that are really several."""
    texts = table.text.tolist()
    if not any("\n" in text for text in texts):
        return table
    many = np.array(["\n" in text for text in texts], dtype=bool)
    parts = {row: count for row in np.unique(table.row[many]).tolist() if (count := _lines(table, row)) > 1}
    return _parted(table, parts) if parts else table


def _lines(table: SlotTable, row: int) -> int:
    """How many rows a row really is."""
    cells = np.flatnonzero(table.row == row)
    reaching = (table.row < row) & (table.row + table.down > row)
    if reaching.any() or (table.down[cells] > 1).any():
        return 1
    texts = [text.strip("\n").split("\n") for text in table.text[cells].tolist() if text.strip()]
    counts = {len(lines) for lines in texts}
    if len(texts) < 2 or len(counts) != 1:
        return 1
    count = counts.pop()
    numbers = any(all(_NUMBER.fullmatch(line.strip()) for line in lines) for lines in texts)
    short = all(len(line) <= _LONG_LINE for lines in texts for line in lines)
    return count if count > 1 and short and (numbers or count >= _SURE_LINES) else 1


def _parted(table: SlotTable, parts: dict[int, int]) -> SlotTable:
    counts = np.array([parts.get(row, 1) for row in range(len(table.row_of))], dtype=np.int32)
    starts: NDArray[np.int32] = (np.cumsum(counts) - counts).astype(np.int32)
    copies = counts[table.row]
    copies = np.where([not text.strip() for text in table.text.tolist()], 1, copies)
    at = np.repeat(np.arange(len(table)), copies)
    line = np.arange(len(at)) - np.repeat(np.cumsum(copies) - copies, copies)
    ends = np.append(starts, counts.sum())
    text = np.empty(len(at), dtype=object)
    text[:] = [
        table.text[cell].strip("\n").split("\n")[number] if copies[cell] > 1 else table.text[cell]
        for cell, number in zip(at.tolist(), line.tolist(), strict=True)
    ]
    down = np.where(copies[at] > 1, 1, ends[table.row[at] + table.down[at]] - starts[table.row[at]])
    return msgspec.structs.replace(
        table,
        row=(starts[table.row[at]] + line).astype(np.int32),
        column=table.column[at],
        down=down.astype(np.int32),
        across=table.across[at],
        text=text,
        style=table.style[at],
        marks=table.marks[at],
        content=table.content[at],
        box=None if table.box is None else table.box[at],
        row_of=np.arange(counts.sum(), dtype=np.int32),
    )


_REFERENCE = re.compile(r"(\[\w{1,3}\]|(?<=\w)/\d{1,2})\s*$")
# As plain numbers: numpy is much slower with the members of an enumeration.
_TEXT, _MISSING, _LINK, _IMAGE, _FORM = map(
    int, (Content.TEXT, Content.MISSING, Content.LINK, Content.IMAGE, Content.FORM)
)
_IS_WORDS = np.isin(np.arange(len(Content)), (Content.TEXT, Content.LINK))
_IS_FIGURE = np.isin(np.arange(len(Content)), (Content.NUMBER, Content.DATE))
_MANY_WORDS = 2  # times as many words as figures make a column one of words
MOST_CELLS = 4_000_000  # cells that a grid may hold: about 200 MB


def recognise_table(region: MarkupRegion) -> Grid:
    """The grid of a candidate."""
    candidate = region.candidate
    if candidate.kind == "preformatted":
        table = cut_text(candidate.text or "")
    else:
        table = _read_slots(region.page.cells, candidate)
    table, issues = _cut(table, region)
    if candidate.stated is None:
        table = _without_blank_lines(join_amounts(part_rows(table)))
    return _make_grid(table, region, issues)


def _read_slots(cells: MarkupCells, candidate: Candidate) -> SlotTable:
    part = slice(candidate.first, candidate.last)
    row_of, row, down = _compact(cells.row[part], cells.row_span[part])
    column_of, column, across = _compact(cells.column[part], cells.column_span[part])
    length = cells.length[part]
    bare = length == 0
    content = np.zeros(len(row), dtype=np.uint8)
    content[bare & (cells.images[part] > 0)] = _IMAGE
    content[bare & (cells.forms[part] > 0)] = _FORM
    content[(cells.linked[part] * 2 > length) & ~bare] = _LINK
    return SlotTable(
        row=row,
        column=column,
        down=down,
        across=across,
        text=cells.text[part],
        style=cells.style[part],
        marks=cells.marks[part],
        content=content,
        row_of=row_of,
        column_of=column_of,
        declared_headers=candidate.declared_headers,
        box=None if cells.box is None else cells.box[part],
    )


def _compact(lines: Ints, spans: Ints) -> tuple[Ints, Ints, Ints]:
    """The lines in which a cell begins; for each cell the place of its line among them, and how many it takes."""
    begins = np.zeros(int(lines.max(initial=-1)) + 1, dtype=bool)
    begins[lines] = True
    before = np.zeros(len(begins) + 1, dtype=np.int32)  # such lines before each
    begins.cumsum(out=before[1:])
    start = before[lines]
    return begins.nonzero()[0].astype(np.int32), start, before[np.minimum(lines + spans, len(begins))] - start


def _without_blank_lines(table: SlotTable) -> SlotTable:
    """The table without rows in which nothing stands: its rows are numbered as if they were not there.

    And without columns in which nothing begins and that a cell goes over: they are for widths alone.
    """
    said = np.array([text != "" and not text.isspace() for text in table.text.tolist()], dtype=bool)
    said |= table.content > 0
    first, size = table.row[said], len(table.row_of) + 1
    used = np.bincount(first, minlength=size) - np.bincount(first + table.down[said], minlength=size)
    kept = used.cumsum()[:-1] > 0
    if (table.across[said] > 1).any():
        first, size = table.column[said], len(table.column_of) + 1
        begins = np.bincount(first, minlength=size)
        over = (begins - np.bincount(first + table.across[said], minlength=size)).cumsum() > 0
        if (over & (begins == 0)).any():
            table = table.only_columns(~(over & (begins == 0))[:-1])
    if kept.all() or not kept.any():
        return table
    before = np.append(0, kept.cumsum()).astype(np.int32)
    part = table.only(kept[table.row])
    start = before[part.row]
    rows_said, columns_said = table.declared_headers
    return msgspec.structs.replace(
        part,
        row=start,
        down=before[part.row + part.down] - start,
        row_of=np.arange(before[-1], dtype=np.int32),
        declared_headers=(int((table.row_of[kept] < rows_said).sum()), columns_said),
    )


def _cut(table: SlotTable, region: MarkupRegion) -> tuple[SlotTable, tuple[Issue, ...]]:
    rows, columns = len(table.row_of), len(table.column_of)
    if rows * columns <= MOST_CELLS:
        return table, ()
    kept = max(1, MOST_CELLS // columns)
    note = f"the table takes {rows:,} rows of {columns:,} columns; only the first {kept:,} rows were read"
    return table.first_rows(kept), (Issue("recognise", note, region.place),)


def _make_grid(table: SlotTable, region: MarkupRegion, issues: tuple[Issue, ...]) -> Grid:
    shape = (len(table.row_of), len(table.column_of))
    at = table.row.astype(np.int64) * shape[1] + table.column
    texts = table.text.tolist()
    said = _with_loose_references(read_texts(dict.fromkeys(texts)))
    sayings, numbers = list(said.values()), {text: number for number, text in enumerate(said)}
    of = np.array([numbers[text] for text in texts], dtype=np.intp)  # the saying of each cell
    content = np.array([int(saying.content) for saying in sayings], dtype=np.uint8)[of]
    number = np.array([saying.number for saying in sayings], dtype=np.float64)[of]
    if region.candidate.stated:
        for cell, exact in region.candidate.exact.items():
            if cell < len(content) and content[cell] == NUMBER:
                number[cell] = exact
    own = table.content
    content = np.where((own > 0) & ((own != _LINK) | (content == _TEXT)), own, content)
    met = np.bincount(table.style, minlength=1) > 0  # of the styles of the page
    style = (met.cumsum() - 1)[table.style]
    styles = tuple(region.page.styles[number] for number in met.nonzero()[0].tolist()) or (PLAIN,)
    indent = np.array([saying.indent for saying in sayings], dtype=np.float32)[of]
    indent += np.array([style.indent for style in styles], dtype=np.float32)[style]
    indent[content == 0] = 0
    noted = np.array([bool(saying.notes) for saying in sayings], dtype=bool)[of]
    spanning = ((table.down > 1) | (table.across > 1)).nonzero()[0]
    return Grid(
        text=_lay_out(shape, at, table.text, ""),
        label=_lay_out(shape, at, np.array([saying.label for saying in sayings], dtype=object)[of], ""),
        content=_lay_out(shape, at, _words_in_columns(content, table), 0),
        number=_lay_out(shape, at, number, np.nan),
        style=_lay_out(shape, at, style.astype(np.int32), 0),
        indent=_lay_out(shape, at, indent, 0),
        marks=_lay_out(shape, at, table.marks, 0),
        notes={
            cell: sayings[number].notes for cell, number in zip(at[noted].tolist(), of[noted].tolist(), strict=True)
        },
        spans=np.stack([table.row, table.column, table.down, table.across], axis=1)[spanning],
        styles=styles,
        row_of=table.row_of,
        column_of=table.column_of,
        hidden_rows=np.zeros(shape[0], dtype=bool),
        hidden_columns=np.zeros(shape[1], dtype=bool),
        place=region.place,
        medium="html",
        caption=region.candidate.caption,
        declared_headers=table.declared_headers,
        found=region.candidate.kind,
        boxes=None if table.box is None else _lay_out(shape, at, table.box, np.nan),
        stated=_stated(region, table),
        issues=issues,
    )


def _stated(region: MarkupRegion, table: SlotTable) -> tuple[StatedTable, ...]:
    """What the markup states of the table, in the lines of its grid."""
    stated = region.candidate.stated
    placed = stated.placed(table.row_of.tolist(), table.column_of.tolist()) if stated else None
    return (placed,) if placed else ()


def _with_loose_references(said: dict[str, Saying]) -> dict[str, Saying]:
    """What texts say, but "Sales [4]" and "bf/8" keep their ends where no text of the table is such a note."""
    marked = {text: match[1] for text, saying in said.items() if saying.notes and (match := _REFERENCE.search(text))}
    for text, mark in marked.items():
        begins = (mark, f"{mark[1:]}/")
        if said[text].content == TEXT and not any(other.startswith(begins) for other in said):
            said[text] = msgspec.structs.replace(said[text], label=" ".join(text.split()), notes=())
    return said


def _words_in_columns(content: NDArray[np.uint8], table: SlotTable) -> NDArray[np.uint8]:
    """What cells hold, but a mark for a missing value is a word where its column holds words: NA may be Namibia."""
    missing = (content == _MISSING).nonzero()[0]
    if not len(missing):
        return content
    width = len(table.column_of)
    words = np.bincount(table.column[_IS_WORDS[content]], minlength=width)
    figures = np.bincount(table.column[_IS_FIGURE[content]], minlength=width)
    spelled = np.array([text.strip().isalpha() for text in table.text[missing].tolist()])
    among_words = (words > _MANY_WORDS * (figures + 1))[table.column[missing]]
    content[missing[spelled & among_words]] = _TEXT
    return content


def _lay_out(shape: tuple[int, int], at: NDArray[np.int64], values: NDArray[Any], empty: Any) -> NDArray[Any]:
    """Values of cells as a dense array; `at` is the slot of each."""
    laid = np.full((shape[0] * shape[1], *values.shape[1:]), empty, dtype=values.dtype)
    laid[at] = values
    return laid.reshape(*shape, *values.shape[1:])
