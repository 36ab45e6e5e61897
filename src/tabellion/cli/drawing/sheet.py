"""A grid drawn as a sheet in the terminal, its cells in colour.

A grid drawn as a sheet in the terminal: letters on top, row numbers at the left, cells in the colour of their role.
Long texts run over empty neighbours as they do in a spreadsheet; merged cells are drawn over all they cover. Of a long
sheet the first and the last rows are drawn, of a wide one the first and the last columns. In: a grid, the look of each
cell, a word for each row. Out: text lines no wider than asked for.

Cells are coloured by role, by what they say, or as in their source. The colour of each role is the same wherever a
table is drawn for people. Both text and ground are set, so that a drawing reads well on a dark and on a light terminal.

A drawing of the terminal as an SVG picture that needs nothing from the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.errors import StyleSyntaxError
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tabellion.export.json import claim_cells
from tabellion.model.frame import Frame, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.place import column_letters
from tabellion.model.style import Style as SourceStyle
from tabellion.model.table import Table
from tabellion.relate import CELL_ROLES

_GROUND, _TEXT = (24, 27, 31), (226, 229, 233)
_THEME = TerminalTheme(
    _GROUND,
    _TEXT,
    [
        (75, 78, 85), (204, 85, 90), (152, 200, 121), (217, 178, 95),
        (96, 138, 177), (152, 114, 159), (104, 160, 179), (217, 217, 217),
    ],
)  # fmt: skip

# rich's own template fetches its font; this one takes what the reader has
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; white-space: pre; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""  # noqa: E501


def write_picture(console: Console, path: Path, title: str) -> None:
    """Write what a recording console has printed."""
    text = console.export_svg(title=title, theme=_THEME, code_format=_FORMAT, unique_id="tabellion")
    path.write_text(text, encoding="utf-8")


ROLE_STYLES = {
    "title": Style.parse("bold #ffd58a on #3b3222"),
    "header": Style.parse("bold #ffffff on #2a5a9c"),
    "stub": Style.parse("#c4e4ff on #18405c"),
    "group": Style.parse("bold #f3ccff on #4b2a63"),
    "value": Style.parse("#e8ecef on #222d37"),
    "derived": Style.parse("bold #b9f6b2 on #1f4d2e"),
    "note": Style.parse("italic #b9b4a6 on #2e2c28"),
    "other": Style.parse("#9aa0a6 on #242424"),
}
CONTENT_STYLES = {
    "text": ROLE_STYLES["stub"],
    "number": ROLE_STYLES["derived"],
    "date": ROLE_STYLES["group"],
    "missing": ROLE_STYLES["note"],
    "link": ROLE_STYLES["header"],
}
BLANK = Style.null()
QUIET = Style.parse("dim")
ROW_WORDS = {role: Style(color=style.color) for role, style in ROLE_STYLES.items()}
ROW_WORDS |= {"data": ROW_WORDS["value"], "header": Style.parse("#7fb2ff"), "note": Style.parse("#b9b4a6")}


ROW_WORDS["total"] = ROW_WORDS["derived"]
SHOWN_ROLES = {"stub": "row header", "derived": "total"}
"""Roles as people call them, where that is not their name in the output."""


def draw_legend(styles: Mapping[str, Style] = ROLE_STYLES) -> Text:
    """One line that names every colour."""
    legend = Text()
    for name, style in styles.items():
        legend.append(f" {SHOWN_ROLES.get(name, name)} ", style).append(" ")
    return legend


_RIGHT_ALIGNED = (Content.NUMBER, Content.DATE, Content.MISSING)
_GAP = "⋯"
_ALONE = 16  # the width of a column whose texts all stand alone and may run over


class SheetSettings(msgspec.Struct, frozen=True):
    """How much room a drawing may take."""

    width: int = 100
    lines: int = 48  # rows drawn before the middle is left out: a tall terminal window; 0: all
    widest: int = 40  # a column of long texts is cut here
    first: int = 24  # the first column, mostly the stub, is not squeezed below this: its labels must stay apart
    narrowest: int = 10  # nor any other below this: a number in the millions


Look = Callable[[int, int], Style]


def draw_sheet(grid: Grid, look: Look, row_words: Sequence[str], settings: SheetSettings = SheetSettings()) -> Text:
    """The sheet as lines of coloured text."""
    rows = shown_lines(grid.shape[0], settings.lines)
    digits = len(str(int(grid.row_of[-1]) + 1))
    longest = max(map(len, row_words), default=0)
    gutter = digits + longest + 3
    columns, widths = fit_columns(grid, rows, settings.width - gutter, settings)
    spare = settings.width - gutter - sum(2 if column is None else widths[column] + 1 for column in columns)
    lines = [_letters(grid, columns, widths, gutter)]
    before: int | None = None
    for row in rows:
        if row is None:
            continue
        skipped = int(grid.row_of[row]) - (int(grid.row_of[before]) if before is not None else -1) - 1
        if before is not None and skipped:
            lines.append(_skipped(grid, before, row, skipped, gutter))
        before = row
        line = Text()
        line.append(f"{int(grid.row_of[row]) + 1:>{digits}} ", QUIET)
        line.append(f"{row_words[row]:>{longest}} ", ROW_WORDS.get(row_words[row], QUIET)).append(" ")
        for text, style in _cells(grid, look, row, columns, widths, spare):
            line.append(text, style)
        lines.append(line)
    return Text("\n").join(lines)


def shown_lines(count: int, most: int) -> list[int | None]:
    """Which of so many lines are drawn: two thirds of the room for the first ones, the rest for the last.

    >>> shown_lines(9, 4)
    [0, 1, None, 8]
    >>> shown_lines(3, 4)
    [0, 1, 2]
    """
    if not most or count <= most:
        return list(range(count))
    head = max(1, (most - 1) * 2 // 3)
    tail = max(1, most - 1 - head)
    return [*range(head), None, *range(count - tail, count)]


def fit_columns(
    grid: Grid, rows: Sequence[int | None], room: int, settings: SheetSettings
) -> tuple[list[int | None], dict[int, int]]:
    """The columns that are drawn (None where some are left out) and the width of each."""
    count, most = grid.shape[1], max(2, room // 2)
    columns = shown_lines(count, most)
    widths = {c: _natural_width(grid, rows, c, settings.widest) for c in columns if c is not None}
    floors = {c: min(width, settings.narrowest if c else settings.first) for c, width in widths.items()}
    while sum(widths.values()) + len(widths) > room and (wide := [c for c in widths if widths[c] > floors[c]]):
        widths[max(wide, key=lambda column: widths[column])] -= 1
    most = min(most, count)
    while most > 2 and sum(2 if c is None else widths[c] + 1 for c in columns) > room:
        most -= 1
        columns = shown_lines(count, most)
    return columns, widths


def _natural_width(grid: Grid, rows: Sequence[int | None], column: int, widest: int) -> int:
    """The width that shows every text of a column, those apart that may run over the empty cells beside them."""
    width, alone = 0, len(column_letters(int(grid.column_of[column])))
    for row in rows:
        if row is None or not grid.text[row, column] or grid.span_at.get((row, column), (1, 1))[1] > 1:
            continue
        length = min(cell_len(_one_line(grid.text[row, column])), widest)
        if _may_run_over(grid, row, column):
            alone = max(alone, min(length, _ALONE))
        else:
            width = max(width, length)
    return width or alone


def _may_run_over(grid: Grid, row: int, column: int) -> bool:
    """Whether a text stands alone in its row: titles and notes do."""
    return grid.content[row, column] == Content.TEXT and int(grid.filled[row].sum()) == 1


def _cells(
    grid: Grid, look: Look, row: int, columns: Sequence[int | None], widths: dict[int, int], spare: int
) -> Iterator[tuple[str, Style]]:
    """The pieces of one line: text padded to its room, in the style of its role."""
    at = 0
    while at < len(columns):
        column = columns[at]
        if column is None:
            yield f"{_GAP} ", QUIET
            at += 1
            continue
        home = divmod(int(grid.home[row, column]), grid.shape[1])
        text = _one_line(grid.text[row, column]) if home == (row, column) else ""
        end = at + 1
        while end < len(columns) and (follower := columns[end]) is not None:
            covered = int(grid.home[row, follower]) == int(grid.home[row, column])
            room = sum(widths[c] + 1 for c in columns[at:end] if c is not None) - 1
            runs_over = text and cell_len(text) > room and grid.content[row, column] == Content.TEXT
            free = not grid.filled[row, follower] and not grid.covered[row, follower]
            if not covered and not (runs_over and free):
                break
            end += 1
        room = sum(widths[c] + 1 for c in columns[at:end] if c is not None) - 1
        if end == len(columns) and grid.content[row, column] == Content.TEXT and cell_len(text) > room:
            room = min(cell_len(text), room + spare)
        yield f"{_aligned(grid, home, text, room)} ", look(*home)
        at = end


def _aligned(grid: Grid, home: tuple[int, int], text: str, room: int) -> str:
    if cell_len(text) > room:
        return set_cell_size(text, max(room - 1, 0)) + "…"
    align = grid.styles[grid.style[home]].align
    free = room - cell_len(text)
    if align == "right" or (align in (None, "fill") and grid.content[home] in _RIGHT_ALIGNED):
        return " " * free + text
    if align == "center":
        return " " * (free // 2) + text + " " * (free - free // 2)
    return text + " " * free


def _letters(grid: Grid, columns: Sequence[int | None], widths: dict[int, int], gutter: int) -> Text:
    line = Text(" " * gutter)
    for column in columns:
        if column is None:
            line.append(f"{_GAP} ", QUIET)
        else:
            line.append(f"{column_letters(int(grid.column_of[column])):^{widths[column]}} ", QUIET)
    return line


def _skipped(grid: Grid, before: int, row: int, skipped: int, gutter: int) -> Text:
    """The line that stands for rows left out: blank ones of the sheet, or ones there is no room for."""
    kind = "blank rows" if row - before == 1 else "rows"
    return Text(f"{'⋮':>{gutter - 1}} {skipped:,} {kind if skipped > 1 else kind[:-1]} not drawn", QUIET)


def _one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text


def look_by_role(grid: Grid, tables: Sequence[Table]) -> Look:
    """Each cell in the colour of its role; an empty cell of a frame in that of its part of the frame."""
    roles = np.zeros(grid.shape, dtype=np.uint8)
    for own in claim_cells(tuple(tables)):
        roles = np.where(own, own, roles)
    names = np.array([role or "" for role in CELL_ROLES], dtype=object)[roles]
    for table in tables:
        _fill_blanks(names, table.frame)
    return lambda row, column: ROLE_STYLES.get(names[row, column], BLANK)


def _fill_blanks(names: NDArray[np.object_], frame: Frame) -> None:
    rect, blank = frame.rect, names == ""
    inside = np.zeros(names.shape, dtype=bool)
    inside[rect.top : rect.bottom + 1, rect.left : rect.right + 1] = True
    header, stub = np.zeros(names.shape, dtype=bool), np.zeros(names.shape, dtype=bool)
    header[list(frame.header_rows)] = True
    stub[:, list(frame.stub_columns)] = True
    names[blank & inside] = "value"
    names[blank & inside & stub] = "stub"
    names[blank & inside & header] = "header"


def look_by_row(labels: RowLabels) -> Look:
    """Each filled cell in the colour of its row's role."""
    styles = [ROLE_STYLES["value" if role == "data" else role] if role != "blank" else BLANK for role in labels.roles]
    filled = labels.grid.filled
    return lambda row, column: styles[row] if filled[row, column] else BLANK


def look_by_content(grid: Grid) -> Look:
    """Each cell in the colour of what it says."""
    names = {content: content.name.lower() for content in Content}
    return lambda row, column: CONTENT_STYLES.get(names[Content(int(grid.content[row, column]))], BLANK)


def look_of_source(grid: Grid) -> Look:
    """Each cell as its source styles it."""
    styles = [_terminal_style(style) for style in grid.styles]
    return lambda row, column: styles[grid.style[row, column]]


def _terminal_style(style: SourceStyle) -> Style:
    plain = Style(bold=style.bold or None, italic=style.italic or None, underline=style.underline or None)
    try:
        ground = Style.parse(f"#000000 on #{style.fill[-6:]}") if style.fill else BLANK
        return plain + ground
    except StyleSyntaxError:
        return plain
