"""Excel 2003 XML workbooks are read with their values, looks, gaps and merged areas, whatever they are named."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.damage import damaged
from tests.ods_files import places

from tabellion import extract
from tabellion.errors import HostileError, MalformedError, TooLargeError, UnreadableError, UsageError
from tabellion.model.document import Mark, Sheet, Stored
from tabellion.model.place import Rect
from tabellion.model.style import Style
from tabellion.read import read_document
from tabellion.read.excel.xml2003 import read_spreadsheetml
from tabellion.read.limits import Limits
from tabellion.read.sniff import sniff_format

_SPACES = (
    'xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" '
    'xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" '
    'xmlns:html="http://www.w3.org/TR/REC-html40"'
)
_HEAD = '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
_STYLES = """
<Style ss:ID="Default" ss:Name="Normal"><Alignment ss:Vertical="Bottom"/><Borders/>
 <Font ss:FontName="Calibri" ss:Size="11"/><Interior/><NumberFormat/></Style>
<Style ss:ID="head"><Alignment ss:Horizontal="Center" ss:WrapText="1"/><Borders>
 <Border ss:Position="Bottom" ss:LineStyle="Continuous" ss:Weight="1"/>
 <Border ss:Position="Top" ss:LineStyle="None"/></Borders>
 <Font ss:Bold="1" ss:Italic="1" ss:Underline="Single" ss:Color="#ff0000"/>
 <Interior ss:Color="#ffff00" ss:Pattern="Solid"/></Style>
<Style ss:ID="deep" ss:Parent="head"><Alignment ss:Horizontal="Left" ss:Indent="2"/><Interior/></Style>
<Style ss:ID="percent"><NumberFormat ss:Format="0.0%"/></Style>
<Style ss:ID="day"><NumberFormat ss:Format="Short Date"/></Style>
<Style ss:ID="time"><NumberFormat ss:Format="h:mm"/></Style>
<Style ss:ID="loop" ss:Parent="pool"/><Style ss:ID="pool" ss:Parent="loop"><Font ss:Bold="1"/></Style>
"""


_MERGED_DOWN, _MERGED_ACROSS = 'ss:MergeDown="1"', 'ss:MergeAcross="1"'
_SECOND, _FOURTH, _PERCENT = 'ss:Index="2"', 'ss:Index="4"', 'ss:StyleID="percent"'


def book(*tables: str, before: str = "", after: str = "") -> str:
    sheets = "".join(
        f'<Worksheet ss:Name="S{number}"><Table>{table}</Table>{after}</Worksheet>'
        for number, table in enumerate(tables, 1)
    )
    return f"{_HEAD}<Workbook {_SPACES}>{before}<Styles>{_STYLES}</Styles>{sheets}</Workbook>"


def sheet_of(table: str, before: str = "", after: str = "") -> Sheet:
    return read_spreadsheetml(book(table, before=before, after=after).encode(), Limits()).sheets[0]


def cell(text: object, kind: str = "String", attributes: str = "") -> str:
    return f'<Cell {attributes}><Data ss:Type="{kind}">{text}</Data></Cell>'


def test_it_is_told_by_its_content(tmp_path: Path) -> None:
    data = book(f"<Row>{cell('Year')}{cell('Sold')}</Row>").encode()
    for name in ("export.xls", "export.xml", "export"):
        (tmp_path / name).write_bytes(data)
        document = read_document(tmp_path / name)
        assert (document.kind, document.medium) == ("spreadsheetml", "spreadsheet")
        assert places(document.pages[0]) == {(0, 0): "Year", (0, 1): "Sold"}


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (book(""), "spreadsheetml"),
        (f"<!-- by a program --><ss:Workbook {_SPACES}/>", "spreadsheetml"),
        ("<html><body><p>the namespace urn:schemas-microsoft-com:office:spreadsheet</p></body></html>", "html"),
        ('<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table><tr><td>1</td></tr></table>', "html"),
    ],
)
def test_only_a_workbook_is_taken_for_one(page: str, kind: str) -> None:
    assert sniff_format(page.encode()) == kind


def test_values_are_typed() -> None:
    found = sheet_of(
        "<Row>"
        + cell("Total &amp; more")
        + cell("1234.5", "Number")
        + cell("0.125", "Number", 'ss:StyleID="percent"')
        + cell("2023-03-15T00:00:00.000", "DateTime", 'ss:StyleID="day"')
        + cell("45000", "Number", 'ss:StyleID="day"')
        + cell("1899-12-31T06:30:00.000", "DateTime", 'ss:StyleID="time"')
        + cell("1", "Boolean")
        + cell("#N/A", "Error")
        + cell("none", "Number")
        + cell("  ")
        + "</Row>"
    ).cells
    shown = ["Total & more", "1234.5", "12.5%", "3/15/2023", "3/15/2023", "6:30", "TRUE", "#N/A", "none"]
    assert found.text.tolist() == shown
    assert found.stored.tolist() == [1, 2, 2, 3, 3, 3, 4, 5, 1]
    assert found.number[3] == found.number[4] == 45000
    assert found.number[5] == pytest.approx(6.5 / 24)


def test_days_count_from_1904_where_the_workbook_says_so() -> None:
    settings_1904 = "<x:ExcelWorkbook><x:Date1904/></x:ExcelWorkbook>"
    cells = cell("43538", "Number", 'ss:StyleID="day"') + cell("2023-03-15T00:00:00.000", "DateTime")
    found = sheet_of(f"<Row>{cells}</Row>", before=settings_1904)
    assert found.cells.text.tolist() == ["3/15/2023", "2023-03-15"]
    assert found.epoch_1904


def test_rows_and_cells_stand_where_they_say() -> None:
    table = (
        f"<Row>{cell('a')}{cell('b', attributes=_FOURTH)}{cell('c')}</Row>"
        f'<Row ss:Span="2" ss:Hidden="1"/><Row>{cell("d")}</Row><Row ss:Index="9">{cell("e")}</Row>'
    )
    found = sheet_of(table)
    assert places(found) == {(0, 0): "a", (0, 3): "b", (0, 4): "c", (4, 0): "d", (8, 0): "e"}
    assert found.hidden_rows == {1, 2, 3}


def test_a_table_may_lie_off_the_first_cell() -> None:
    text = f"<Row>{cell('a')}{cell('b')}</Row>"
    data = book("").replace("<Table></Table>", f'<Table ss:TopCell="3" ss:LeftCell="2">{text}{text}</Table>')
    found = read_spreadsheetml(data.encode(), Limits()).sheets[0]
    assert sorted(places(found)) == [(2, 1), (2, 2), (3, 1), (3, 2)]


def test_merged_areas_take_their_places() -> None:
    table = (
        f"<Row>{cell('Region', attributes=_MERGED_DOWN)}{cell('Sold', attributes=_MERGED_ACROSS)}{cell('Kept')}</Row>"
        f"<Row>{cell('2001', attributes=_SECOND)}{cell('2002')}</Row>"
    )
    found = sheet_of(table)
    assert found.merges == (Rect(0, 0, 1, 0), Rect(0, 1, 0, 2))
    assert places(found) == {(0, 0): "Region", (0, 1): "Sold", (0, 3): "Kept", (1, 1): "2001", (1, 2): "2002"}


def test_looks_are_read_and_inherited() -> None:
    cells = "".join(cell(name, attributes=f'ss:StyleID="{name}"') for name in ("head", "deep", "loop", "unknown"))
    found = sheet_of(f"<Row>{cells}</Row>")
    head, deep, loop, unknown = (found.styles[number] for number in found.cells.style)
    assert head == Style(
        bold=True,
        italic=True,
        underline=True,
        size=10.0,
        colour="#FF0000",
        fill="#FFFF00",
        align="center",
        valign=None,
        border_bottom=True,
        wrap=True,
    )
    assert (deep.bold, deep.fill, deep.align, deep.indent, deep.border_bottom) == (True, None, "left", 2.0, True)
    assert loop.bold
    assert unknown == found.styles[0]
    assert unknown.size == 11.0


def test_cells_look_as_their_row_or_column_where_they_do_not_say() -> None:
    table = (
        '<Column ss:Index="2" ss:StyleID="percent" ss:Width="60" ss:Hidden="1" ss:Span="1"/>'
        f"<Row>{cell(0.5, 'Number')}{cell(0.5, 'Number')}</Row>"
        f'<Row ss:StyleID="day">{cell(45000, "Number")}{cell(0.5, "Number", _PERCENT)}</Row>'
    )
    found = sheet_of(table)
    assert found.cells.text.tolist() == ["0.5", "50.0%", "3/15/2023", "50.0%"]
    assert found.hidden_columns == {1, 2}
    assert found.column_widths == {1: pytest.approx(75 / 7), 2: pytest.approx(75 / 7)}


def test_rich_text_is_one_text_with_its_bold_parts_and_note_marks() -> None:
    rich = (
        '<Cell><ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40">{}</ss:Data>'
        '<Comment ss:Author="x"><ss:Data xmlns="http://www.w3.org/TR/REC-html40"><B>not this</B></ss:Data></Comment>'
        "</Cell>"
    )
    texts = ("<B>All</B>", "<B>Some</B> of it", 'Total<Sup><Font html:Size="8">1</Font></Sup>')
    found = sheet_of(f"<Row>{''.join(map(rich.format, texts))}</Row>")
    assert found.cells.text.tolist() == ["All", "Some of it", "Total¹"]
    assert [found.styles[number].bold for number in found.cells.style] == [True, False, False]
    assert [bool(mark & Mark.PARTLY_BOLD) for mark in found.cells.marks] == [False, True, False]


def test_formulas_count_with_their_results() -> None:
    cells = (
        cell(3, "Number", 'ss:Formula="=SUM(R[-3]C:R[-1]C)"')
        + cell(3, "Number", 'ss:Formula="=R[-2]C+R1C2+RC[-1]"')
        + cell(3, "Number", 'ss:Formula="=ROUND(RC[-1],0)"')
        + '<Cell ss:Formula="=R[-1]C"/>'
        + cell("page", attributes='ss:HRef="http://example.org"')
    )
    contents = read_spreadsheetml(book(f"<Row>{cells}</Row>").encode(), Limits())
    marks = [Mark(int(mark)) for mark in contents.sheets[0].cells.marks]
    summed = Mark.FORMULA | Mark.AGGREGATE
    assert marks == [summed, summed, Mark.FORMULA, Mark.FORMULA | Mark.UNCACHED, Mark.LINK]
    assert [(issue.place.range, issue.note.split(";")[0]) for issue in contents.issues if issue.place] == [
        ("D1", "1 formulas have no stored result")
    ]


def test_sheets_have_names_and_may_be_hidden() -> None:
    hidden = "<x:WorksheetOptions><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions>"
    data = book(f"<Row>{cell('a')}</Row>", f"<Row>{cell('b')}</Row>", after=hidden).encode()
    both, second = read_spreadsheetml(data, Limits()), read_spreadsheetml(data, Limits(), "S2")
    assert [(sheet.name, sheet.hidden) for sheet in both.sheets] == [("S1", True), ("S2", True)]
    assert [sheet.name for sheet in second.sheets] == ["S2"]
    assert second.names == ("S1", "S2")
    with pytest.raises(UsageError, match="no sheet named 'S3'; the sheets are: S1, S2"):
        read_spreadsheetml(data, Limits(), "S3")


def test_title_and_author_are_read() -> None:
    facts = "<o:DocumentProperties><o:Title>Fish</o:Title><o:Author>A. Clerk</o:Author></o:DocumentProperties>"
    contents = read_spreadsheetml(book("", before=facts).encode(), Limits())
    assert (contents.title, contents.authors) == ("Fish", ("A. Clerk",))


def test_tables_that_names_state_are_read() -> None:
    areas = {
        "area": "R1C1:R3C2",
        "head": "R1C1:R1C2",
        "body": "R2C1:R3C2",
        "columns": "R1C2:R3C2",
        "values": "R2C2:R3C2",
    }
    named = "".join(f'<NamedRange ss:Name="table1.{name}" ss:RefersTo="=S1!{area}"/>' for name, area in areas.items())
    rows = "".join(f"<Row>{cell(a)}{cell(b)}</Row>" for a, b in (("Year", "Sold"), ("2001", "5"), ("2002", "6")))
    stated = sheet_of(rows, before=f"<Names>{named}</Names>").stated
    assert [one.area for one in stated] == [Rect(0, 0, 2, 1)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_the_declared_encoding_is_obeyed(encoding: str) -> None:
    text = book(f"<Row>{cell('Größe €')}</Row>").replace("1.0", f'1.0" encoding="{encoding}', 1)
    found = read_document(text.encode(encoding)).pages[0]
    assert places(found) == {(0, 0): "Größe €"}


def test_tables_come_out_of_it() -> None:
    rows = [("Region", "2001", "2002"), ("North", 5, 6), ("South", 7, 8), ("Total", 12, 14)]
    table = "".join(
        "<Row>" + "".join(cell(v, "Number" if isinstance(v, int) else "String") for v in row) + "</Row>" for row in rows
    )
    (found,) = extract(book(table).encode())
    assert [(one.left, one.top, one.value) for one in found.tuples][:2] == [
        (("North",), ("2001",), 5),
        (("North",), ("2002",), 6),
    ]


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    with pytest.raises(HostileError, match="document type"):
        read_document(book("").replace("<Workbook", bomb + "<Workbook").encode())


def test_what_is_beyond_the_limits_is_refused() -> None:
    far = f'<Row ss:Index="99999999999">{cell("a")}</Row>'
    with pytest.raises(TooLargeError, match=r"raise Limits\.rows"):
        sheet_of(far)
    many = f"<Row>{cell('a') * 10}</Row>"
    with pytest.raises(TooLargeError, match=r"raise Limits\.cells"):
        read_spreadsheetml(book(many).encode(), Limits(cells=9))


def test_rows_that_claim_to_be_hidden_a_million_times_cost_nothing() -> None:
    wide = '<Row ss:Index="1" ss:Span="1000000" ss:Hidden="1"/>' * 1000
    columns = '<Column ss:Index="1" ss:Span="1000000" ss:Hidden="1"/>' * 1000
    found = sheet_of(columns + wide + f'<Row ss:Index="1000000">{cell("a")}</Row>')
    assert len(found.hidden_rows) == 1_000_000


def test_broken_files_are_said_to_be_so() -> None:
    data = book(f"<Row>{cell('a')}</Row>").encode()
    with pytest.raises(MalformedError, match="not well-formed"):
        read_spreadsheetml(data[:-40], Limits())
    with pytest.raises(MalformedError, match="no worksheet"):
        read_spreadsheetml(book().encode(), Limits())


_SMALL = book(f"<Row>{cell('a')}{cell(2, 'Number')}</Row><Row ss:Index='4'>{cell(3, 'Number')}</Row>").encode()


@settings(max_examples=100, deadline=None)
@given(damaged(_SMALL))
def test_damage_gives_a_reading_or_a_clear_refusal(data: bytes) -> None:
    with contextlib.suppress(UnreadableError):
        found = read_spreadsheetml(data, Limits()).sheets
        assert all(np.isfinite(sheet.cells.number[sheet.cells.stored == Stored.NUMBER]).all() for sheet in found)
