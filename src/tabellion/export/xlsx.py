"""Tables as a workbook that states what its cells mean.

Each sheet stands there with its tables as they stood, and names of ranges state them. In: extractions. Out: an .xlsx
file, made row by row. Cells keep their places, texts, looks and merged areas; a value is a number where a spreadsheet
program shows it as its source did. What the names of ranges mean is told in `model.range_names`, so that nothing has
to be guessed when the workbook is read again. A picture without a text leaves its cell empty; a look that a workbook
cannot hold is left out.
"""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import msgspec
import numpy as np

from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect, column_letters, range_text
from tabellion.model.range_names import name_ranges, state_table
from tabellion.model.stated import StatedTable
from tabellion.model.style import PLAIN, Style
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.read.spreadsheet.sheets import Shown, understand_format
from tabellion.read.spreadsheet.shown_text import number_writer
from tabellion.values import is_missing_mark

_MOST_AREAS = 20_000  # of one table; one with more is written without names
_LONGEST_NAME = 8_000  # letters of what a name means; spreadsheet programs stop at 8,192
_EPOCH = (1980, 1, 1, 0, 0, 0)  # no time of writing: the same tables give the same bytes
_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGED = "http://schemas.openxmlformats.org/package/2006"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_CODED = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_LONGEST_SHEET = 31


class _SheetPlan:
    """A sheet to write: its name, its tables and their grids."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables: list[Table] = []
        self.grids: list[Grid] = []


def write_xlsx(extractions: Iterable[Extraction], file: BinaryIO) -> None:
    """All tables of some documents as one workbook."""
    looks, plans, taken = Looks(), [], set[str]()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for extraction in extractions:
            for plan in _plan_sheets(extraction, taken):
                plans.append(plan)
                _put(package, f"xl/worksheets/sheet{len(plans)}.xml", _sheet(plan, looks))
        if not plans:
            plans.append(_SheetPlan("Tables"))
            _put(package, "xl/worksheets/sheet1.xml", _sheet(plans[0], looks))
        _put(package, "xl/styles.xml", [looks.part()])
        _put(package, "xl/workbook.xml", _workbook(plans))
        _put(package, "xl/_rels/workbook.xml.rels", [_workbook_links(len(plans))])
        _put(package, "_rels/.rels", [_package_links()])
        _put(package, "[Content_Types].xml", [_content_types(len(plans))])


def _plan_sheets(extraction: Extraction, taken: set[str]) -> list[_SheetPlan]:
    """One sheet for each sheet of a spreadsheet, and for each table of other media."""
    found: dict[object, _SheetPlan] = {}
    for table in extraction.tables:
        spreadsheet = table.grid.medium == "spreadsheet"
        key: object = (table.place.sheet,) if spreadsheet else id(table.grid)
        if key not in found:
            found[key] = _SheetPlan(_sheet_name(table.place.sheet or table.title or table.id, taken))
        plan = found[key]
        plan.tables.append(table)
        if all(grid is not table.grid for grid in plan.grids):
            plan.grids.append(table.grid)
    return list(found.values())


def _sheet_name(wanted: str, taken: set[str]) -> str:
    """A name that spreadsheet programs take, each once."""
    base = " ".join(_FORBIDDEN.sub(" ", wanted).split()).strip("'")[:_LONGEST_SHEET].rstrip("' ") or "Table"
    name, number = base, 2
    while name.casefold() in taken:
        ending = f" {number}"
        name, number = base[: _LONGEST_SHEET - len(ending)] + ending, number + 1
    taken.add(name.casefold())
    return name


def _put(package: zipfile.ZipFile, name: str, pieces: Iterable[str]) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    with package.open(info, "w", force_zip64=True) as part:
        for piece in pieces:
            part.write(piece.encode("utf-8", "replace"))


def _sheet(plan: _SheetPlan, looks: Looks) -> Iterator[str]:
    yield f'{_XML}<worksheet xmlns="{_SPACE}"><sheetData>'
    writers = [_GridCells(grid, [t for t in plan.tables if t.grid is grid], looks) for grid in plan.grids]
    rows: dict[int, list[tuple[_GridCells, int]]] = {}
    for writer in writers:
        for row, source in enumerate(writer.grid.row_of.tolist()):
            rows.setdefault(source, []).append((writer, row))
    for source in sorted(rows):
        cells = [cell for writer, row in rows[source] for cell in writer.cells(row)]
        if cells:
            yield f'<row r="{source + 1}">{"".join(text for _, text in sorted(cells))}</row>'
    for grid in plan.grids:
        column = int(grid.column_of[0])
        for row, line in enumerate((*_caption(grid), *grid.footnotes), int(grid.row_of[-1]) + 1):
            yield f'<row r="{row + 1}">{_text_cell(row, column, line)}</row>'
    yield "</sheetData>"
    merges = [range_text(_span(grid, span)) for grid in plan.grids for span in grid.spans.tolist()]
    if merges:
        listed = "".join(f'<mergeCell ref="{one}"/>' for one in merges)
        yield f'<mergeCells count="{len(merges)}">{listed}</mergeCells>'
    yield "</worksheet>"


def _caption(grid: Grid) -> list[str]:
    """What stands around a table outside its cells is written below it, so that its cells keep their places."""
    return [line for line in (grid.caption or "").split("\n") if line]


def _state(table: Table) -> StatedTable | None:
    """The statement of a table, with the rows of its caption and notes that are written below it."""
    stated, grid = state_table(table), table.grid
    captions, first = len(_caption(grid)), int(grid.row_of[-1]) + 1
    notes = first + captions
    if stated is None or notes + len(grid.footnotes) == first:
        return stated
    return msgspec.structs.replace(
        stated,
        area=stated.area._replace(bottom=notes + len(grid.footnotes) - 1),
        title_rows=(*stated.title_rows, *range(first, notes)),
        note_rows=(*stated.note_rows, *range(notes, notes + len(grid.footnotes))),
    )


def _text_cell(row: int, column: int, text: str, look: int = 0) -> str:
    place = f"{column_letters(column)}{row + 1}"
    return f'<c r="{place}" s="{look}" t="inlineStr"><is><t xml:space="preserve">{_text(text)}</t></is></c>'


def _span(grid: Grid, span: list[int]) -> Rect:
    row, column, down, across = span
    return grid.source_rect(Rect(row, column, row + down - 1, column + across - 1))


class _GridCells:
    """The cells of a grid as XML, row by row."""

    def __init__(self, grid: Grid, tables: list[Table], looks: Looks) -> None:
        self.grid = grid
        self.letters = [column_letters(column) for column in grid.column_of.tolist()]
        self.looks = [looks.number(style) for style in grid.styles]
        self.as_text = [looks.number(msgspec.structs.replace(style, number_format="@")) for style in grid.styles]
        self.values = np.zeros(grid.shape, dtype=bool)
        for table in tables:
            self.values[table.tuples.rows, table.tuples.columns] = True

    def cells(self, row: int) -> Iterator[tuple[int, str]]:
        """The cells of a row that show something, with their columns."""
        grid, number = self.grid, int(self.grid.row_of[row]) + 1
        texts, styles = grid.text[row].tolist(), grid.style[row].tolist()
        for column, (text, style) in enumerate(zip(texts, styles, strict=True)):
            look = self.looks[style]
            if not text and not look:
                continue
            if self.values[row, column] and grid.content[row, column] == Content.TEXT and is_missing_mark(text):
                look = self.as_text[style]  # a word, though it could stand for a missing value
            start = f'<c r="{self.letters[column]}{number}" s="{look}"'
            typed = self._number(row, column) if text and self.values[row, column] else None
            if not text:
                shown = f"{start}/>"
            elif typed is not None:
                shown = f"{start}><v>{typed!r}</v></c>"
            else:
                shown = _text_cell(number - 1, int(grid.column_of[column]), text, look)
            yield int(grid.column_of[column]), shown

    def _number(self, row: int, column: int) -> float | None:
        """The number that a spreadsheet program shows as the text of this cell; None where there is none."""
        grid = self.grid
        content, number, text = grid.content[row, column], float(grid.number[row, column]), grid.text[row, column]
        code = grid.styles[grid.style[row, column]].number_format
        form = understand_format(code)
        if not math.isfinite(number):  # which no cell holds: it stays as it was written
            return None
        if content == Content.NUMBER and form.shown is Shown.PERCENT:
            stored = number / 100
            return stored if number_writer(code)(stored) == text and round(stored * 100, 12) == number else None
        expected = Content.DATE if form.shown in (Shown.DATE, Shown.TIME) else Content.NUMBER
        return number if content == expected and number_writer(code)(number) == text else None


def _text(text: str) -> str:
    """A text as a workbook holds it: what XML cannot is coded as `_xHHHH_`."""
    return escape(_CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", text))


def _workbook(plans: list[_SheetPlan]) -> Iterator[str]:
    yield f'{_XML}<workbook xmlns="{_SPACE}" xmlns:r="{_RELATED}"><sheets>'
    for number, plan in enumerate(plans, 1):
        yield f'<sheet name={quoteattr(plan.name)} sheetId="{number}" r:id="rId{number}"/>'
    yield "</sheets>"
    names = sorted(_names(plans))
    if names:
        yield "<definedNames>"
        for name, areas in names:
            yield f"<definedName name={quoteattr(name)}>{escape(areas)}</definedName>"
        yield "</definedNames>"
    yield "</workbook>"


def _names(plans: list[_SheetPlan]) -> Iterator[tuple[str, str]]:
    """The names that state the tables; a sheet has those of all its tables or of none."""
    number = 0
    for plan in plans:
        stated = [_state(table) for table in plan.tables]
        named = [name_ranges(one) if one else {} for one in stated]
        if not all(0 < sum(map(len, names.values())) <= _MOST_AREAS for names in named):
            continue
        sheet = "'" + plan.name.replace("'", "''") + "'"
        for names in named:
            number += 1
            for name, areas in names.items():
                for part, text in enumerate(_parts(f"{sheet}!{_absolute(area)}" for area in areas)):
                    yield f"table{number}.{name}" + (f".{part + 1}" if part else ""), text


def _parts(areas: Iterable[str]) -> Iterator[str]:
    """Areas joined by commas, in parts that a name can mean."""
    held = ""
    for area in areas:
        if held and len(held) + len(area) >= _LONGEST_NAME:
            yield held
            held = ""
        held += f",{area}" if held else area
    yield held


def _absolute(area: Rect) -> str:
    first, last = (f"${column_letters(c)}${r + 1}" for r, c in ((area.top, area.left), (area.bottom, area.right)))
    return first if first == last else f"{first}:{last}"


def _workbook_links(sheets: int) -> str:
    kinds = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, sheets + 1)]
    return _links([*kinds, ("styles", "styles.xml")])


def _package_links() -> str:
    return _links([("officeDocument", "xl/workbook.xml")])


def _links(targets: list[tuple[str, str]]) -> str:
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGED}/relationships">{links}</Relationships>'


def _content_types(sheets: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = [("workbook", "sheet.main"), ("styles", "styles")]
    parts += [(f"worksheets/sheet{number}", "worksheet") for number in range(1, sheets + 1)]
    named = "".join(f'<Override PartName="/xl/{name}.xml" ContentType="{kind}.{what}+xml"/>' for name, what in parts)
    return (
        f'{_XML}<Types xmlns="{_PACKAGED}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{named}</Types>'
    )


_COLOUR = re.compile(r"#?([0-9A-Fa-f]{6})")
_ALIGN = frozenset({"left", "center", "right", "justify", "fill"})
_OWN_FORMATS = 164  # the first number of a format that is not built in
_SIDES = ("left", "right", "top", "bottom")


class Looks:
    """The looks that a workbook uses, numbered as they come."""

    def __init__(self) -> None:
        self.fonts: dict[str, int] = {}
        self.fills: dict[str, int] = {'<fill><patternFill patternType="none"/></fill>': 0}
        self.fills['<fill><patternFill patternType="gray125"/></fill>'] = 1
        self.borders: dict[str, int] = {}
        self.formats: dict[str, int] = {}
        self.looks: dict[str, int] = {}
        self.known: dict[Style, int] = {}
        self.number(PLAIN)

    def number(self, style: Style) -> int:
        """The number of a style."""
        if style not in self.known:
            self.known[style] = _once(self.looks, self._look(style))
        return self.known[style]

    def part(self) -> str:
        """The style part."""
        formats = "".join(f'<numFmt numFmtId="{n}" formatCode={quoteattr(code)}/>' for code, n in self.formats.items())
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<styleSheet xmlns="{_SPACE}">'
            + (f'<numFmts count="{len(self.formats)}">{formats}</numFmts>' if formats else "")
            + f'<fonts count="{len(self.fonts)}">{"".join(self.fonts)}</fonts>'
            + f'<fills count="{len(self.fills)}">{"".join(self.fills)}</fills>'
            + f'<borders count="{len(self.borders)}">{"".join(self.borders)}</borders>'
            + '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
            + f'<cellXfs count="{len(self.looks)}">{"".join(self.looks)}</cellXfs>'
            + '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
        )

    def _look(self, style: Style) -> str:
        font, fill = _once(self.fonts, _font(style)), _once(self.fills, _fill(style))
        border, form = _once(self.borders, _border(style)), self._format(style.number_format)
        align = f' horizontal="{style.align}"' if style.align in _ALIGN else ""
        align += f' indent="{min(round(style.indent), 250)}"' if style.indent >= 1 else ""
        align += ' wrapText="1"' if style.wrap else ""
        return (
            f'<xf numFmtId="{form}" fontId="{font}" fillId="{fill}" borderId="{border}" xfId="0" applyNumberFormat="1" '
            f'applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1">'
            + (f"<alignment{align}/>" if align else "")
            + "</xf>"
        )

    def _format(self, code: str | None) -> int:
        if not code or code == "General":
            return 0
        return self.formats.setdefault(code, _OWN_FORMATS + len(self.formats))


def _once(held: dict[str, int], item: str) -> int:
    return held.setdefault(item, len(held))


def _font(style: Style) -> str:
    marks = "".join(f"<{tag}/>" for tag, on in (("b", style.bold), ("i", style.italic), ("u", style.underline)) if on)
    size = style.size if 1 <= style.size <= 400 else PLAIN.size  # what spreadsheet programs take
    return f'<font>{marks}<sz val="{size:g}"/>{_colour("color", style.colour)}<name val="Calibri"/></font>'


def _fill(style: Style) -> str:
    colour = _colour("fgColor", style.fill)
    kind = "solid" if colour else "none"
    return f'<fill><patternFill patternType="{kind}">{colour}</patternFill></fill>' if colour else _NO_FILL


def _border(style: Style) -> str:
    sides = "".join(f'<{side} style="thin"/>' if getattr(style, f"border_{side}") else f"<{side}/>" for side in _SIDES)
    return f"<border>{sides}<diagonal/></border>"


def _colour(tag: str, colour: str | None) -> str:
    match = _COLOUR.fullmatch(colour or "")
    return f'<{tag} rgb="FF{match[1].upper()}"/>' if match else ""


_NO_FILL = '<fill><patternFill patternType="none"/></fill>'
