"""Tables as HTML (in a notebook, the sheet with its regions in colour; and as a web page) and as Markdown.

The page is one that people read, and that states what it shows. In: an extraction. Out: HTML, a `<table>` for each
table. Every header has an `id` and a `scope` and names by `headers` what it stands under; every value names the headers
that it stands under, as the HTML standard provides for readers that do not see. So nothing has to be guessed when the
page is read again. Markdown has the title, the table as laid out with one head row of whole paths, and the notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from tabellion.export.columns import lay_out
from tabellion.export.cube import Side, concept_names, table_name
from tabellion.model.document import Document
from tabellion.model.frame import HeaderNode, HeaderTree
from tabellion.model.grid import Content
from tabellion.model.place import column_letters
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES, label_cells
from tabellion.relate.titles import title_lines
from tabellion.values.unit import find_format_unit

MOST_ROWS, MOST_COLUMNS = 60, 24  # a notebook cell that is still read
COLOURS = {  # see-through, so that they hold on light and dark ground
    "title": "rgba(120,120,120,.25)",
    "header": "rgba(66,133,244,.28)",
    "stub": "rgba(52,168,83,.25)",
    "group": "rgba(52,168,83,.45)",
    "value": "rgba(251,188,5,.16)",
    "derived": "rgba(251,140,0,.30)",
    "note": "rgba(160,110,200,.20)",
    "other": "transparent",
}
_RIGHT = (Content.NUMBER, Content.DATE, Content.MISSING)
_CELL = "padding:.15em .5em;border:1px solid rgba(128,128,128,.25);white-space:pre-wrap"


def table_html(table: Table) -> str:
    """One table with its title and notes, each cell in the colour of its role."""
    roles = label_cells(table.nested)
    rows, columns = _shown(table, roles)
    where = " ".join(part for part in (table.place.sheet, table.place.range) if part)
    about = f"{where} · {len(table.tuples):,} values · {table.orientation} · confidence {table.confidence:.2f}"
    left_out = _left_out(table, roles, rows, columns)
    return "".join(
        (
            '<div class="tabellion" style="overflow-x:auto;font-size:90%">',
            f"<div><strong>{escape(table.title or table.id)}</strong> <small>{escape(about)}</small></div>",
            '<table style="border-collapse:collapse">',
            "<tr><th></th>",
            *(f"<th>{column_letters(int(table.grid.column_of[c]))}</th>" for c in columns),
            "</tr>",
            *(_line(table, roles, row, columns) for row in rows),
            "</table>",
            f"<small>{left_out}{_legend()}</small></div>",
        )
    )


def _shown(table: Table, roles: NDArray[np.uint8]) -> tuple[list[int], list[int]]:
    rows = np.nonzero((roles > 0).any(axis=1))[0].tolist()
    columns = np.nonzero((roles > 0).any(axis=0))[0].tolist()
    if len(rows) > MOST_ROWS:
        rows = rows[: MOST_ROWS * 2 // 3] + rows[-MOST_ROWS // 3 :]
    return rows, columns[:MOST_COLUMNS]


def _line(table: Table, roles: NDArray[np.uint8], row: int, columns: list[int]) -> str:
    return "".join((f"<tr><th>{int(table.grid.row_of[row]) + 1}</th>", *_cells(table, roles, row, columns), "</tr>"))


def _cells(table: Table, roles: NDArray[np.uint8], row: int, columns: list[int]) -> Iterator[str]:
    grid = table.grid
    shown = set(columns)
    for column in columns:
        home_row, home_column = divmod(int(grid.home[row, column]), grid.shape[1])
        if grid.covered[row, column] and home_row == row and home_column in shown:
            continue
        across = sum(int(grid.home[row, c]) == int(grid.home[row, column]) for c in columns if c >= column)
        role = CELL_ROLES[roles[home_row, home_column]] or "other"
        text = "" if grid.covered[row, column] else escape(str(grid.text[row, column]))
        align = "right" if grid.content[row, column] in _RIGHT else "left"
        span = f' colspan="{across}"' if across > 1 else ""
        look = f"{_CELL};background:{COLOURS[role]};text-align:{align}"
        yield f'<td class="{role}"{span} style="{look}">{text}</td>'


def _left_out(table: Table, roles: NDArray[np.uint8], rows: list[int], columns: list[int]) -> str:
    more_rows = int((roles > 0).any(axis=1).sum()) - len(rows)
    more_columns = int((roles > 0).any(axis=0).sum()) - len(columns)
    said = [f"{n:,} {what}" for n, what in ((more_rows, "rows"), (more_columns, "columns")) if n > 0]
    return f"{' and '.join(said)} not shown. " if said else ""


def _legend() -> str:
    named = (role for role in COLOURS if role != "other")
    return " ".join(f'<span style="background:{COLOURS[role]};padding:0 .4em">{role}</span>' for role in named)


PAGE_HEAD = b"""<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tables</title>
<style>
body { font-family: system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 0 0 2em; }
caption { text-align: left; font-weight: bold; padding: .3em 0; }
th, td { border: 1px solid #bbb; padding: .2em .5em; vertical-align: top; }
th { text-align: left; background: #f3f3f3; font-weight: 600; }
td.number { text-align: right; }
tfoot td { border: 0; font-size: 90%; }
.spaced { white-space: pre-wrap; }
</style>
</head>
<body>
"""
PAGE_TAIL = b"</body>\n</html>\n"
_STEP = 1.2  # em of one level of the stub


def page_pieces(extraction: Extraction) -> Iterator[bytes]:
    """One document as a section of a page, one table per piece."""
    document = extraction.document
    yield f"<section>\n<h1>{escape(document.title or document.source)}</h1>\n".encode("utf-8", "replace")
    for table in extraction.tables:
        yield "".join(_PublishedTable(table, document).lines()).encode("utf-8", "replace")
    yield b"</section>\n"


class _PublishedTable:
    """One table on its way to a page."""

    def __init__(self, table: Table, document: Document) -> None:
        self.table, self.grid, self.frame = table, table.grid, table.frame
        self.name = table_name(document, table)
        self.values = set(zip(table.tuples.rows.tolist(), table.tuples.columns.tolist(), strict=True))
        self.heads: dict[tuple[int, int], str] = {}
        self.texts: dict[tuple[int, int], str] = {}
        nested, paths = table.nested, (table.top, table.left)
        tops = self._state("top", table.top)
        self.above = {line: _path_names(paths[0], tops, nodes) for line, nodes in nested.column_nodes.items()}
        lefts = self._state("left", table.left)
        self.before = {line: _path_names(paths[1], lefts, nodes) for line, nodes in nested.row_nodes.items()}
        cells = [cell for tree in paths for node in tree.nodes for cell in node.cells]
        self.rows = sorted({*self.frame.header_rows, *self.frame.body_rows, *(row for row, _ in cells)})
        columns = {*self.frame.stub_columns, *self.frame.value_columns, *(column for _, column in cells)}
        self.columns = sorted(columns)

    def _state(self, side: Side, tree: HeaderTree) -> list[str]:
        """Names for the headers of one side; a header in several cells is written whole in its first."""
        names = [f"{self.name}-{one}" for one in concept_names(side, tree, self.table)]
        where: dict[tuple[int, int], str] = {}
        inner = {node.parent for node in tree.nodes}
        for node, name in zip(tree.nodes, names, strict=True):
            if not node.cells:
                continue
            first, *more = node.cells
            name = where.setdefault(first, name)
            names[node.id] = name
            if first in self.heads and more == []:
                continue
            over = [names[node.parent]] if node.parent is not None else []
            is_field = side == "left" and first in self.values  # a name that is a value too
            if is_field:
                over = [*self.above.get(first[1], ()), *over]
            parent = f' headers="{escape(" ".join(over))}"{" data-field" if is_field else ""}'
            scope = {"top": "col", "left": "row"}[side]
            indent = _depth(tree, node.id) * _STEP if side == "left" else 0
            look = f' style="padding-left:{indent:g}em"' if indent else ""
            self.heads[first] = f'<th id="{name}" scope="{scope}{"group" if node.id in inner else ""}"{parent}{look}'
            if more:
                self.texts[first] = " ".join(str(self.grid.text[cell]) for cell in node.cells)
                self.texts.update(dict.fromkeys(more, ""))
        return names

    def lines(self) -> Iterator[str]:
        """The table line by line."""
        yield f'<table id="{self.name}">\n'
        caption = "<br>".join(escape(line) for line in title_lines(self.frame))
        if caption:
            yield f"<caption>{caption}</caption>\n"
        head = [row for row in self.rows if row in self.frame.header_rows]
        body = [row for row in self.rows if row not in self.frame.header_rows]
        for tag, rows in (("thead", head), ("tbody", body)):
            if rows:
                yield f"<{tag}>\n"
                for row in rows:
                    yield f"<tr>{''.join(self._cells(row, rows))}</tr>\n"
                yield f"</{tag}>\n"
        if self.frame.note_rows:
            yield f"<tfoot>\n{''.join(self._note(row) for row in self.frame.note_rows)}</tfoot>\n"
        yield "</table>\n"

    def _cells(self, row: int, rows: list[int]) -> Iterator[str]:
        grid, width = self.grid, self.grid.shape[1]
        for column in self.columns:
            home = divmod(int(grid.home[row, column]), width)
            if home != (row, column) and home[0] in rows and home[1] in self.columns:
                continue
            spans = ""
            if home == (row, column):
                down, across = grid.span_at.get(home, (1, 1))
                shown_down = sum(row <= one < row + down for one in rows)
                shown_across = sum(column <= one < column + across for one in self.columns)
                spans = f' rowspan="{shown_down}"' if shown_down > 1 else ""
                spans += f' colspan="{shown_across}"' if shown_across > 1 else ""
            yield self._cell(row, column, spans)

    def _cell(self, row: int, column: int, spans: str) -> str:
        place = (row, column)
        text = self.texts.get(place, str(self.grid.text[place]))
        if place in self.heads:
            shown = self._value(place) if place in self.values and place not in self.texts else _shown_value(text)
            return f"{self.heads[place]}{spans}>{shown}</th>"
        if place in self.values:
            names = escape(" ".join((*self.above.get(column, ()), *self.before.get(row, ()))))
            return f'<td headers="{names}"{self._look(place)}{spans}>{self._value(place)}</td>'
        tag = "th" if row in self.frame.header_rows or (column in self.frame.stub_columns and text) else "td"
        return f"<{tag}{spans}>{_shown_value(text)}</{tag}>"

    def _look(self, place: tuple[int, int]) -> str:
        """How a value is set; where its unit is in its number format, with that, as spreadsheet programs write it."""
        if self.grid.content[place] != Content.NUMBER:
            return ""
        code = self.grid.styles[self.grid.style[place]].number_format
        if not code or not find_format_unit(code):
            return ' class="number"'
        coded = "".join(c if c.isalnum() else f"\\{ord(c):06x}" for c in code)
        return f""" class="number" style='mso-number-format:"{coded}"'"""

    def _value(self, place: tuple[int, int]) -> str:
        """A value as it is shown; where its text does not say all of it, with the value itself."""
        text, content = str(self.grid.text[place]), self.grid.content[place]
        if content == Content.IMAGE:
            return f'<img alt="{escape(text)}">'
        if content == Content.FORM and not text:
            return "<input>"
        shown = _shown_value(text)
        if content == Content.NUMBER:
            return f'<data value="{self.grid.value(*place)!r}">{shown}</data>'
        if content == Content.DATE:
            return f'<time datetime="{escape(str(self.grid.value(*place)))}">{shown}</time>'
        return shown

    def _note(self, row: int) -> str:
        """A row of notes: its cells as they stand, the last one to the end."""
        texts = [str(text) for text in self.grid.text[row][self.grid.filled[row]].tolist()]
        *first, last = texts or [""]
        across = max(1, len(self.columns) - len(first))
        cells = "".join(f"<td>{_shown_value(text)}</td>" for text in first)
        return f'<tr>{cells}<td colspan="{across}">{_shown_value(last)}</td></tr>\n'


def _path_names(tree: HeaderTree, names: list[str], nearest: tuple[int, ...]) -> list[str]:
    """The names of the headers of a line, outermost first, each once."""
    return list(dict.fromkeys(names[node.id] for one in nearest for node in tree.path(one)))


def _depth(tree: HeaderTree, node: int) -> int:
    return len(tree.path(node)) - 1


def _shown_value(text: str) -> str:
    """A text with its lines; where blanks count, so that they do. Those that it begins with are hard ones."""
    bare = text.lstrip(" ")
    if len(bare) < len(text):
        return "&nbsp;" * (len(text) - len(bare)) + _shown_value(bare)
    if text == " ".join(text.split()):
        return escape(text)
    lines = text.split("\n")
    if all(line == " ".join(line.split()) for line in lines):
        return "<br>".join(map(escape, lines))
    return f'<span class="spaced">{escape(text)}</span>'


_INDENT = "&emsp;"  # one level of the stub


def to_markdown(extraction: Extraction) -> bytes:
    """All tables of a document, under its name."""
    parts = [f"# {plain_line(extraction.document.title or extraction.document.source)}"]
    parts += [table_markdown(table) for table in extraction.tables] or ["No table of data found."]
    return ("\n\n".join(parts) + "\n").encode()


def table_markdown(table: Table) -> str:
    """One table with its title and its notes."""
    caption, notes = table.metadata.affiliated.caption, table.metadata.affiliated.footnotes
    where = " ".join(part for part in (table.place.sheet, table.place.range) if part)
    parts = [f"## {plain_line(caption or where or table.id)}"]
    if caption and where:
        parts.append(f"*{plain_line(where)}*")
    parts.append("\n".join(_lines(table)))
    if notes:
        parts.append("\n".join(f"- {plain_line(note)}" for note in notes))
    return "\n\n".join(parts)


def _lines(table: Table) -> Iterator[str]:
    laid, grid = lay_out(table, groups=True), table.grid
    depths = _depths(table)
    stub = laid.stub_columns
    yield _row([*map(_cell, laid.stub_heads), *(_cell(" / ".join(path)) for path in laid.column_paths)])
    aligns = table.metadata.layout.alignment
    first = table.frame.rect.left
    yield _row([_rule(aligns[c - first] if c - first < len(aligns) else "left") for c in (*stub, *laid.columns)])
    for row in laid.rows:
        labels = [_INDENT * depths.get((row, c), 0) + _cell(str(grid.label[row, c])) for c in stub]
        yield _row([*labels, *(_cell(str(grid.text[row, c]).strip()) for c in laid.columns)])


def _depths(table: Table) -> dict[tuple[int, int], int]:
    """How deep each stub label stands below those of its own column."""
    found: dict[tuple[int, int], int] = {}
    nodes = table.left.nodes
    for node in nodes:
        parent: HeaderNode | None = nodes[node.parent] if node.parent is not None else None
        above = found.get(parent.cells[0], 0) + 1 if parent and parent.cells else 0
        for cell in node.cells:
            found[cell] = above
    return found


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(align: str) -> str:
    return {"right": "---:", "center": ":---:"}.get(align, "---")


def _cell(text: str) -> str:
    return plain_line(text).replace("|", "\\|")


def plain_line(text: str) -> str:
    """One line without signs that Markdown would read as markup."""
    line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "["):
        line = line.replace(sign, f"\\{sign}")
    return line.replace("&", "&amp;").replace("<", "&lt;")  # not all readers of Markdown know a backslash before these
