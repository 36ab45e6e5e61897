"""OpenDocument spreadsheets are read with their values, looks, repeats and merged areas."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableCellProperties, TextProperties
from odf.table import Table, TableCell, TableRow
from odf.text import P
from python_calamine import CalamineWorkbook
from tests.ods_files import DUBLIN, SPACES, YELLOW, cell, document, number, packed, places, read, row, sheet_of

from tabellion.errors import (
    TooLargeError,
    UsageError,
)
from tabellion.model.document import Mark, Stored
from tabellion.model.place import Rect
from tabellion.model.stated import MarkedArea
from tabellion.read import read_document
from tabellion.read.limits import Limits
from tabellion.read.opendocument.ods import read_ods


def test_values_are_typed_by_their_value_type() -> None:
    percent = (
        '<number:percentage-style style:name="N1"><number:number number:decimal-places="1" '
        'number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>'
        '<style:style style:name="p" style:family="table-cell" style:data-style-name="N1"/>'
    )
    cells = [
        '<table:table-cell office:value-type="float" office:value="1234.5"><text:p>1 234,5</text:p></table:table-cell>',
        '<table:table-cell table:style-name="p" office:value-type="percentage" office:value="0.125"/>',
        '<table:table-cell office:value-type="currency" office:currency="EUR" office:value="7"/>',
        '<table:table-cell office:value-type="date" office:date-value="2023-03-15"/>',
        '<table:table-cell office:value-type="date" office:date-value="2023-03-15T06:00:00"/>',
        '<table:table-cell office:value-type="time" office:time-value="PT06H30M00S"/>',
        '<table:table-cell office:value-type="boolean" office:boolean-value="true"/>',
        cell("#N/A", 'calcext:value-type="error"'),
        '<table:table-cell office:value-type="string" office:string-value="kept"/>',
        '<table:table-cell office:value-type="float" office:value="x"><text:p>odd</text:p></table:table-cell>',
        f'<table:table-cell office:value-type="time" office:time-value="PT{"9" * 20}H"><text:p>x</text:p></table:table-cell>',  # noqa: E501
    ]
    found = sheet_of(row(*cells), percent).cells
    shown = [
        "1 234,5",
        "12.5%",
        "7",
        "2023-03-15",
        "2023-03-15T06:00:00",
        "06:30:00",
        "TRUE",
        "#N/A",
        "kept",
        "odd",
        "x",
    ]
    assert found.text.tolist() == shown
    assert found.stored.tolist() == [2, 2, 2, 3, 3, 3, 4, 5, 1, 1, 1]
    assert found.number[3] == 45000
    assert found.number[5] == pytest.approx(6.5 / 24)


def test_texts_keep_their_lines_blanks_and_tabs() -> None:
    said = (
        '<table:table-cell office:value-type="string"><office:annotation><text:p>a comment</text:p></office:annotation>'
        '<text:p><text:s text:c="2"/>Male<text:tab/>x<text:line-break/>y</text:p><text:p>and\n   more</text:p>'
        "<draw:frame><draw:text-box><text:p>a drawing</text:p></draw:text-box></draw:frame></table:table-cell>"
    )
    assert places(sheet_of(row(said))) == {(0, 0): "  Male\tx\ny\nand more"}


def test_lists_inside_a_cell_are_lines() -> None:
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in ("one", "two"))
    said = f'<table:table-cell office:value-type="string"><text:list>{items}</text:list></table:table-cell>'
    assert places(sheet_of(row(said, cell("x")))) == {(0, 0): "one\ntwo", (0, 1): "x"}


def test_links_and_partly_bold_texts_are_marked() -> None:
    bold = (
        '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    )
    sheet = sheet_of(
        row(
            cell("<text:a>page</text:a>"),
            cell('<text:span text:style-name="B">Total</text:span> of all'),
            cell('<text:span text:style-name="B">Total</text:span>'),
        ),
        bold,
    )
    assert sheet.cells.text.tolist() == ["page", "Total of all", "Total"]
    assert sheet.cells.marks.tolist() == [Mark.LINK, Mark.PARTLY_BOLD, Mark.NONE]
    assert [sheet.styles[s].bold for s in sheet.cells.style] == [False, False, True]


def test_formulas_and_aggregates_are_marked() -> None:
    formulas = ["of:=SUM([.B2:.B9])", "of:=[.B2]+[.B3]", "of:=[.B2]/[.B3]", "msoxl:=SUBTOTAL(9;[.A1:.A3])"]
    cells = [number(1, f'table:formula="{formula}"') for formula in formulas]
    marks = [Mark(int(mark)) for mark in sheet_of(row(*cells)).cells.marks]
    assert all(mark & Mark.FORMULA for mark in marks)
    assert [bool(mark & Mark.AGGREGATE) for mark in marks] == [True, True, False, True]


def test_formulas_without_a_result_are_an_issue() -> None:
    contents = read(row(cell("a")) + row('<table:table-cell table:formula="of:=[.A1]"/>'))
    assert contents.issues[0].place is not None
    assert contents.issues[0].place.range == "A2"
    assert contents.sheets[0].cells.marks.tolist() == [Mark.NONE, Mark.FORMULA | Mark.UNCACHED]


def test_repeats_stand_for_as_many_cells_and_rows() -> None:
    sheet = sheet_of(
        row('<table:table-cell table:number-columns-repeated="2"/>', number(5, 'table:number-columns-repeated="3"'))
        + row("<table:table-cell/>", attributes='table:number-rows-repeated="4"')
        + row(cell("x"), attributes='table:number-rows-repeated="2"')
    )
    assert places(sheet) == {(0, 2): "shown", (0, 3): "shown", (0, 4): "shown", (5, 0): "x", (6, 0): "x"}


def test_blank_repeats_to_the_end_of_the_sheet_are_no_cells() -> None:
    blank = row(
        '<table:table-cell table:style-name="y" table:number-columns-repeated="16384"/>',
        attributes='table:number-rows-repeated="1048000"',
    )
    sheet = sheet_of(row(cell("a"), '<table:table-cell table:style-name="y"/>', cell("b")) + blank, YELLOW)
    assert len(sheet.cells) == 3
    assert sheet.styles[sheet.cells.style[1]].fill == "#FFFF00"


def test_values_repeated_beyond_a_limit_are_refused() -> None:
    rows = row(number(1, 'table:number-columns-repeated="16384"'), attributes='table:number-rows-repeated="1048576"')
    with pytest.raises(TooLargeError, match=r"Limits\.cells"):
        read(rows)


def test_spans_are_merged_areas_and_covered_cells_say_nothing() -> None:
    spanned = cell("Title", 'table:number-columns-spanned="2" table:number-rows-spanned="2"')
    covered = "<table:covered-table-cell><text:p>unseen</text:p></table:covered-table-cell>"
    sheet = sheet_of(row(spanned, covered, cell("c")) + row(covered, covered, cell("d")))
    assert sheet.merges == (Rect(0, 0, 1, 1),)
    assert places(sheet) == {(0, 0): "Title", (0, 2): "c", (1, 2): "d"}


def test_rows_in_groups_and_heads_are_rows_like_any_other() -> None:
    rows = (
        f"<table:table-header-rows>{row(cell('head'))}</table:table-header-rows>"
        f"<table:table-row-group>{row(cell('one'))}<table:table-row-group>{row(cell('two'))}"
        "</table:table-row-group></table:table-row-group>"
    )
    assert places(sheet_of(rows)) == {(0, 0): "head", (1, 0): "one", (2, 0): "two"}


def test_filters_names_and_printed_titles_are_marks() -> None:
    head = f"<table:table-header-rows>{row(cell('Title'))}{row(cell('Name'), cell('Town'))}</table:table-header-rows>"
    rows = "".join(row(cell(f"Name {i}"), cell(f"Town {i}")) for i in range(3))
    ranges = (
        '<table:named-expressions><table:named-range table:name="people" '
        """table:cell-range-address="$'My sheet'.$A$3:.$B$5"/></table:named-expressions>"""
        """<table:database-ranges><table:database-range table:target-range-address="'My sheet'.A2:'My sheet'.B5" """
        'table:display-filter-buttons="true"/></table:database-ranges>'
    )
    text = document(f'<table:table table:name="My sheet">{head}{rows}</table:table>{ranges}', kind="document")
    marked = read_ods(text.encode(), Limits()).sheets[0].marked
    assert marked.heads == (1,)
    assert set(marked.areas) == {
        MarkedArea("name", Rect(2, 0, 4, 1)),
        MarkedArea("filter", Rect(1, 0, 4, 1), header_rows=1),
    }


def test_what_is_hidden() -> None:
    columns = '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>'
    hidden = row(cell("b"), attributes='table:visibility="filter"')
    tables = (
        f'<table:table table:name="shown">{columns}{row(cell("a"))}{hidden}{row(cell("c"))}</table:table>'
        f'<table:table table:name="secret" table:style-name="t">{row(cell("a"))}</table:table>'
    )
    away = (
        '<style:style style:name="t" style:family="table"><style:table-properties table:display="false"/></style:style>'
    )
    shown, secret = read_ods(packed({"content.xml": document(tables, away)}), Limits()).sheets
    assert shown.hidden_rows == {1}
    assert shown.hidden_columns == {2}
    assert (shown.hidden, secret.hidden) == (False, True)


def test_looks_are_inherited_from_named_styles_rows_and_columns() -> None:
    named = (
        '<style:default-style style:family="table-cell"><style:text-properties fo:font-size="10pt"/>'
        "</style:default-style>"
        '<style:style style:name="Heading" style:family="table-cell"><style:text-properties fo:font-weight="bold" '
        'fo:font-size="150%"/><style:table-cell-properties fo:border="0.1pt solid #000000"/></style:style>'
    )
    automatic = (
        '<style:style style:name="own" style:family="table-cell" style:parent-style-name="Heading">'
        '<style:table-cell-properties fo:border-left="none" fo:wrap-option="wrap" style:vertical-align="middle"/>'
        '<style:paragraph-properties fo:text-align="end" fo:margin-left="0.706cm"/>'
        '<style:text-properties fo:color="#ff0000" fo:font-style="italic"/></style:style>'
    )
    columns = '<table:table-column/><table:table-column table:default-cell-style-name="Heading"/>'
    sheet = sheet_of(
        columns + row(cell("a", 'table:style-name="own"'), cell("b"))
        + row(cell("c"), attributes='table:default-cell-style-name="own"'),
        automatic, named,
    )  # fmt: skip
    own, by_column, by_row = (sheet.styles[s] for s in sheet.cells.style)
    assert (own.bold, own.italic, own.size, own.colour, own.align) == (True, True, 15.0, "#FF0000", "right")
    assert (own.border_left, own.border_right, own.wrap, own.valign, own.indent) == (False, True, True, "center", 2.0)
    assert (by_column.bold, by_column.colour) == (True, None)
    assert by_row == own


def test_styles_that_inherit_from_each_other_in_a_circle_do_no_harm() -> None:
    circle = "".join(
        f'<style:style style:name="{name}" style:family="table-cell" style:parent-style-name="{parent}">'
        f"<style:text-properties {look}/></style:style>"
        for name, parent, look in (("a", "b", 'fo:font-weight="bold"'), ("b", "a", 'fo:font-style="italic"'))
    )
    sheet = sheet_of(row(cell("x", 'table:style-name="a"')), circle)
    style = sheet.styles[sheet.cells.style[0]]
    assert (style.bold, style.italic) == (True, True)


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        (
            '<number:currency-style style:name="N"><number:currency-symbol>€</number:currency-symbol><number:number '
            'number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:currency-style>',
            '"€"#,##0.00',
        ),
        (
            '<number:number-style style:name="N"><number:number number:decimal-places="1" '
            'number:min-integer-digits="1"/><number:text> km</number:text></number:number-style>',
            '0.0" km"',
        ),
        (
            '<number:date-style style:name="N"><number:day/><number:text>/</number:text><number:month/>'
            "<number:text>/</number:text><number:year/></number:date-style>",
            "dd/mm/yyyy",
        ),
        (
            '<number:number-style style:name="P"><number:number number:min-integer-digits="1"/></number:number-style>'
            '<number:number-style style:name="N"><number:text>-</number:text><number:number '
            'number:min-integer-digits="1"/><style:map style:condition="value()&gt;=0" style:apply-style-name="P"/>'
            "</number:number-style>",
            "0",
        ),
    ],
)
def test_number_formats_are_kept_as_codes(definition: str, code: str) -> None:
    automatic = definition + '<style:style style:name="c" style:family="table-cell" style:data-style-name="N"/>'
    sheet = sheet_of(row(number(1, 'table:style-name="c"')), automatic)
    assert sheet.styles[sheet.cells.style[0]].number_format == code


def test_title_and_author_of_the_document() -> None:
    meta = (
        f"<office:document-meta {SPACES} {DUBLIN}><office:meta><dc:title>Deaths</dc:title>"
        "<meta:initial-creator>A. Clerk</meta:initial-creator></office:meta></office:document-meta>"
    )
    contents = read_ods(packed({"content.xml": document(""), "meta.xml": meta}), Limits())
    assert (contents.title, contents.authors) == ("Deaths", ("A. Clerk",))


def test_a_flat_file_is_read_like_a_packed_one() -> None:
    named = (
        '<office:styles><style:style style:name="b" style:family="table-cell">'
        '<style:text-properties fo:font-weight="bold"/></style:style></office:styles>'
    )
    line = row(cell("été", 'table:style-name="b"'))
    text = document(f'<table:table table:name="S">{line}</table:table>', kind="document", before=named)
    sheet = read_ods(text.encode(), Limits()).sheets[0]
    assert sheet.cells.text.tolist() == ["été"]
    assert sheet.styles[sheet.cells.style[0]].bold


def test_what_a_writing_library_wrote_is_read() -> None:
    book = OpenDocumentSpreadsheet()
    look = Style(name="warn", family="table-cell")
    look.addElement(TableCellProperties(backgroundcolor="#00ff00"))
    look.addElement(TextProperties(fontweight="bold"))
    book.automaticstyles.addElement(look)
    table = Table(name="Data")
    line = TableRow()
    for attributes, said in (({"stylename": look}, "Total"), ({"valuetype": "float", "value": "3"}, "3")):
        made = TableCell(**attributes)
        made.addElement(P(text=said))
        line.addElement(made)
    table.addElement(line)
    book.spreadsheet.addElement(table)
    file = io.BytesIO()
    book.save(file)
    sheet = read_ods(file.getvalue(), Limits()).sheets[0]
    assert sheet.cells.text.tolist() == ["Total", "3"]
    style = sheet.styles[sheet.cells.style[0]]
    assert (style.bold, style.fill) == (True, "#00FF00")


def test_one_sheet_is_read_by_name_and_all_names_are_known() -> None:
    tables = "".join(f'<table:table table:name="{name}">{row(cell(name))}</table:table>' for name in "AB")
    data = packed({"content.xml": document(tables)})
    contents = read_ods(data, Limits(), "B")
    assert [sheet.name for sheet in contents.sheets] == ["B"]
    assert contents.names == ("A", "B")
    with pytest.raises(UsageError, match="no sheet named 'C'"):
        read_ods(data, Limits(), "C")


def test_an_empty_sheet_has_no_cells() -> None:
    assert len(sheet_of("").cells) == 0


def test_real_files_agree_with_the_annotated_grid(
    corpora: Callable[[str], Path], agreement: Callable[..., float]
) -> None:
    folder = corpora("statsheets")
    checked = 0
    for line in (folder / "gold.jsonl").read_text().splitlines():
        gold = json.loads(line)
        if gold["file"].endswith(".ods"):
            contents = read_ods((folder / "inputs" / gold["file"]).read_bytes(), Limits())
            assert agreement(contents, gold) >= 0.995, gold["file"]
            checked += 1
    assert checked == 25


def test_real_files_hold_what_another_reader_finds(corpora: Callable[[str], Path]) -> None:
    for path in sorted((corpora("statsheets") / "inputs").glob("*.ods"))[::2]:
        data = path.read_bytes()
        other = CalamineWorkbook.from_filelike(io.BytesIO(data))
        for sheet in read_ods(data, Limits()).sheets:
            rows = other.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
            cells = sheet.cells
            for at in (cells.stored == Stored.NUMBER).nonzero()[0]:
                value = rows[cells.row[at]][cells.column[at]]
                assert value == pytest.approx(cells.number[at]), (path.name, sheet.name, at)


def test_a_flat_file_is_told_by_its_content() -> None:
    text = document(f'<table:table table:name="S">{row(cell("a"))}</table:table>', kind="document")
    assert read_document(text.encode()).kind == "ods"


def test_tables_inside_cells_are_told_of() -> None:
    inside = f'<table:table table:name="T">{row(cell("b"))}</table:table>'
    held = f'<table:table-cell office:value-type="string"><text:p>a</text:p>{inside}</table:table-cell>'
    (issue,) = read(row(held)).issues
    assert "inside the cells of others" in issue.note
