"""What a user sees of an xlsx workbook: values by their format, looks, marks, merges, and what is odd but readable."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from tabellion.errors import UsageError
from tabellion.model.document import Mark, Sheet, Stored
from tabellion.model.place import Rect, address
from tabellion.model.style import Style
from tabellion.read import read_document

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"

Maker = Callable[..., bytes]
Texts = Callable[[Sheet], dict[str, str]]

STYLES = f"""<styleSheet xmlns="{MAIN}">
<numFmts><numFmt numFmtId="164" formatCode="0.0%"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>
<fonts><font><sz val="10"/></font><font><b/><i/><u/><color theme="4" tint="-0.5"/></font></fonts>
<fills><fill><patternFill patternType="none"/></fill>
<fill><patternFill patternType="solid"><fgColor indexed="13"/></patternFill></fill></fills>
<borders><border/><border><left/><bottom style="thin"/></border></borders>
<cellStyleXfs><xf/><xf numFmtId="10" fontId="1"><alignment horizontal="right" indent="3"/></xf></cellStyleXfs>
<cellXfs><xf xfId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="165"/>
<xf fontId="1" fillId="1" borderId="1"><alignment horizontal="centerContinuous" indent="2" wrapText="1"/></xf>
<xf xfId="1"/></cellXfs></styleSheet>"""


def only_sheet(data: bytes) -> Sheet:
    (sheet,) = read_document(data).pages
    return sheet


def marks_of(sheet: Sheet) -> dict[str, Mark]:
    cells = sheet.cells
    return {
        address(row, column): Mark(mark)
        for row, column, mark in zip(cells.row.tolist(), cells.column.tolist(), cells.marks.tolist(), strict=True)
    }


def style_of(sheet: Sheet, place: str) -> Style:
    cells = sheet.cells
    addresses = [address(r, c) for r, c in zip(cells.row.tolist(), cells.column.tolist(), strict=True)]
    return sheet.styles[cells.style[addresses.index(place)]]


def test_values_read_as_their_format_shows_them(xlsx_of: Maker, cells_of: Texts) -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1896.0</v></c><c r="B1" s="1"><v>0.125</v></c><c r="C1" s="2"><v>45000</v></c>'
        '<c r="D1" s="3"><v>1.5</v></c><c r="E1" t="b"><v>1</v></c><c r="F1" t="e"><v>#DIV/0!</v></c>'
        '<c r="G1" t="str"><v>a &lt; b_x000D_\n</v></c><c r="H1"><v>13.699999999999999</v></c>'
        '<c r="I1" t="d"><v>2023-03-15T12:00:00</v></c><c r="J1" t="inlineStr"><is><t>in line</t></is></c></row>'
    )
    sheet = only_sheet(xlsx_of(rows, parts={"xl/styles.xml": STYLES}))
    assert cells_of(sheet) == {
        "A1": "1896",
        "B1": "12.5%",
        "C1": "3/15/2023",
        "D1": "36:00",
        "E1": "TRUE",
        "F1": "#DIV/0!",
        "G1": "a < b\n",
        "H1": "13.7",
        "I1": "2023-03-15T12:00:00",
        "J1": "in line",
    }
    kinds = [Stored.NUMBER] * 2 + [Stored.DATE] * 2 + [Stored.BOOLEAN, Stored.ERROR, Stored.TEXT, Stored.NUMBER]
    assert sheet.cells.stored.tolist() == [*kinds, Stored.DATE, Stored.TEXT]
    assert sheet.cells.number[1] == 0.125
    assert sheet.cells.number[7] == 13.699999999999999


def test_dates_of_the_1904_epoch_are_the_same_days(xlsx_of: Maker, cells_of: Texts) -> None:
    book = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><workbookPr date1904="1"/><sheets>'
        '<sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    rows = '<row r="1"><c r="A1" s="2"><v>43538</v></c></row>'
    sheet = only_sheet(xlsx_of(rows, parts={"xl/styles.xml": STYLES, "xl/workbook.xml": book}))
    assert cells_of(sheet) == {"A1": "3/15/2023"}
    assert sheet.cells.number[0] == 45000
    assert sheet.epoch_1904


def test_numbers_that_are_no_days_stay_numbers(xlsx_of: Maker, cells_of: Texts) -> None:
    rows = '<row r="1"><c r="A1" s="2"><v>-5</v></c><c r="B1" s="2"><v>1E+300</v></c><c r="C1"><v>INF</v></c></row>'
    document = read_document(xlsx_of(rows, parts={"xl/styles.xml": STYLES}))
    assert cells_of(document.pages[0]) == {"A1": "-5", "B1": str(int(1e300)), "C1": "INF"}
    assert document.pages[0].cells.stored.tolist() == [Stored.NUMBER, Stored.NUMBER, Stored.TEXT]
    assert "read as text" in document.issues[0].note


def test_looks_come_from_the_cell_format_and_its_named_style(xlsx_of: Maker) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="B1" s="4"><v>1</v></c><c r="C1" s="5"><v>1</v></c></row>'
    theme = (
        '<a:theme xmlns:a="urn:a"><a:themeElements><a:clrScheme><a:accent1><a:srgbClr val="4080C0"/></a:accent1>'
        "</a:clrScheme></a:themeElements></a:theme>"
    )
    sheet = only_sheet(xlsx_of(rows, parts={"xl/styles.xml": STYLES, "xl/theme/theme1.xml": theme}))
    assert style_of(sheet, "A1") == Style(size=10.0)
    assert style_of(sheet, "B1") == Style(
        bold=True, italic=True, underline=True, colour="#204060", fill="#FFFF00", align="center", indent=2.0,
        border_bottom=True, wrap=True, across=True,
    )  # fmt: skip
    named = style_of(sheet, "C1")
    assert (named.bold, named.number_format, named.align, named.indent) == (True, "0.00%", "right", 3.0)


@pytest.mark.parametrize("target", ["0", "1", "-1", "99", "x"])
def test_styles_that_point_to_themselves_or_nowhere_are_read(xlsx_of: Maker, cells_of: Texts, target: str) -> None:
    styles = (
        f'<styleSheet xmlns="{MAIN}"><cellStyleXfs><xf xfId="{target}" fontId="{target}"/></cellStyleXfs>'
        f'<cellXfs><xf xfId="{target}" borderId="{target}"/><xf xfId="{target}" numFmtId="{target}"/></cellXfs>'
        "</styleSheet>"
    )
    rows = '<row r="1"><c r="A1" s="1"><v>1</v></c></row>'
    assert cells_of(only_sheet(xlsx_of(rows, parts={"xl/styles.xml": styles}))) == {"A1": "1"}


def test_a_style_the_workbook_does_not_have_is_plain_and_said(xlsx_of: Maker) -> None:
    document = read_document(xlsx_of('<row r="1"><c r="A1" s="900"><v>1</v></c></row>'))
    assert style_of(document.pages[0], "A1") == Style()
    assert "style that the workbook does not have" in document.issues[0].note


def test_text_that_is_bold_in_part_is_marked_and_bold_throughout_is_bold(xlsx_of: Maker, cells_of: Texts) -> None:
    strings = (
        f'<sst xmlns="{MAIN}">'
        "<si><r><rPr><b/></rPr><t>Bold</t></r><r><t> then not</t></r></si>"
        "<si><r><rPr><b/><sz val='9'/></rPr><t>All</t></r><r><rPr><b val=\"1\"/></rPr><t> bold</t></r></si>"
        '<si><r><rPr><b val="0"/></rPr><t>None</t></r></si>'
        '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>'
        '<si><r><rPr/><t>Total</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>1</t></r></si>'
        '<si><t xml:space="preserve">  &amp;#38; &#8364;</t></si><si/>'
        "</sst>"
    )
    row = "".join(f'<c r="{c}1" t="s"><v>{i}</v></c>' for i, c in enumerate("ABCDEFG"))
    sheet = only_sheet(xlsx_of(f'<row r="1">{row}</row>', parts={"xl/sharedStrings.xml": strings}))
    assert cells_of(sheet) == {
        "A1": "Bold then not", "B1": "All bold", "C1": "None", "D1": "東京", "E1": "Total¹", "F1": "  &#38; €",
    }  # fmt: skip
    assert marks_of(sheet)["A1"] == Mark.PARTLY_BOLD
    assert marks_of(sheet)["B1"] == Mark.NONE
    assert [style_of(sheet, place).bold for place in ("A1", "B1", "C1")] == [False, True, False]


def test_formulas_show_their_stored_result_and_say_whether_they_sum(xlsx_of: Maker, cells_of: Texts) -> None:
    rows = (
        '<row r="1"><c r="A1"><f>SUM(B1:B9)</f><v>7</v></c>'
        '<c r="B1"><f t="shared" ref="B1:B2" si="0">C1+C2</f><v>3</v></c>'
        '<c r="C1"><f>B1/A1</f><v>0.5</v></c><c r="D1" t="str"><f>IF(A1,"x","")</f><v></v></c></row>'
        '<row r="2"><c r="B2"><f t="shared" si="0"/><v>4</v></c><c r="C2"><f>A1</f></c></row>'
    )
    document = read_document(xlsx_of(rows))
    sheet = document.pages[0]
    assert cells_of(sheet) == {"A1": "7", "B1": "3", "C1": "0.5", "B2": "4"}
    aggregate = Mark.FORMULA | Mark.AGGREGATE
    assert marks_of(sheet) == {
        "A1": aggregate, "B1": aggregate, "C1": Mark.FORMULA, "D1": Mark.FORMULA, "B2": aggregate,
        "C2": Mark.FORMULA | Mark.UNCACHED,
    }  # fmt: skip
    (issue,) = document.issues
    assert "1 formulas have no stored result" in issue.note
    assert issue.place is not None
    assert issue.place.range == "C2"


def test_hidden_rows_columns_and_sheets_widths_and_links_are_kept(xlsx_of: Maker) -> None:
    book = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets>'
        '<sheet name="One" sheetId="1" state="veryHidden" r:id="r1"/></sheets></workbook>'
    )
    sheet = only_sheet(
        xlsx_of(
            '<row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"><c r="A2"><v>2</v></c></row>',
            before='<cols><col min="1" max="1" width="12.5"/><col min="2" max="16384" width="3" hidden="1"/></cols>',
            after='<hyperlinks><hyperlink ref="A2:B9" r:id="r9"/></hyperlinks>',
            parts={"xl/workbook.xml": book},
        )
    )
    assert sheet.hidden
    assert sheet.hidden_rows == {1}
    assert sheet.column_widths[0] == 12.5
    assert 1 in sheet.hidden_columns
    assert 0 not in sheet.hidden_columns
    assert len(sheet.column_widths) < 1000
    assert marks_of(sheet) == {"A1": Mark.NONE, "A2": Mark.LINK}


def test_overlapping_merges_are_left_out_and_whole_sheet_merges_are_cut(xlsx_of: Maker) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="D9"><v>2</v></c></row>'
    ranges = ("A1:B2", "B2:C3", "D1:D4", "C5:C5", "A6:XFD1048576", "nonsense")
    merged = "".join(f'<mergeCell ref="{r}"/>' for r in ranges)
    document = read_document(xlsx_of(rows, after=f"<mergeCells>{merged}</mergeCells>"))
    sheet = document.pages[0]
    assert sheet.merges[:2] == (Rect(0, 0, 1, 1), Rect(0, 3, 3, 3))
    assert sheet.merges[2][:2] == (5, 0)
    assert sheet.merges[2].bottom < 1000
    assert sheet.merges[2].right < 1000
    notes = " / ".join(issue.note for issue in document.issues)
    assert "overlap" in notes
    assert "cut" in notes
    assert "'nonsense' is no range" in notes


def test_cells_and_rows_without_addresses_follow_one_another(xlsx_of: Maker, cells_of: Texts) -> None:
    rows = (
        '<row><c><v>1</v></c><c><v>2</v></c></row><row r="5"><c r="C5"><v>3</v></c><c><v>4</v></c></row>'
        "<row><c><v>5</v></c></row>"
    )
    assert cells_of(only_sheet(xlsx_of(rows))) == {"A1": "1", "B1": "2", "C5": "3", "D5": "4", "A6": "5"}


def test_cells_out_of_order_are_sorted_and_the_last_of_twins_counts(xlsx_of: Maker, cells_of: Texts) -> None:
    rows = (
        '<row r="2"><c r="B2"><v>4</v></c><c r="A2"><v>3</v></c></row>'
        '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>'
    )
    sheet = only_sheet(xlsx_of(rows))
    assert cells_of(sheet) == {"A1": "2", "A2": "3", "B2": "4"}
    assert sheet.cells.row.tolist() == [0, 1, 1]


ONE_CELL = '<row r="1"><c r="A1"><v>1</v></c></row>'
SHAPES = {
    "prefix": '<x:worksheet xmlns:x="{main}"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>'
    "</x:sheetData></x:worksheet>",
    "strict": f'<worksheet xmlns="http://purl.oclc.org/ooxml/spreadsheetml/main"><sheetData>{ONE_CELL}</sheetData>'
    "</worksheet>",
    "indented": '<worksheet xmlns="{main}">\n <sheetData>\n  <row r="1">\n   <c r="A1">\n <v>1</v> </c>\n </row>\n'
    "</sheetData></worksheet>",
    "cdata": "<worksheet xmlns='{main}'><sheetData><row r='1'><c t='n' r='A1'><v><![CDATA[1]]></v></c></row>"
    "</sheetData></worksheet>",
    "comment": '<worksheet xmlns="{main}"><sheetData><!-- one -->' + ONE_CELL + "</sheetData></worksheet>",
    "declared": '<?xml version="1.0" encoding="UTF-8"?>\r\n<worksheet xmlns="{main}"><sheetData>'
    '<row r="1"><c r="A1" ><v>1</v></c></row></sheetData></worksheet>',
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_xml_of_any_shape_gives_the_same_cell(xlsx_of: Maker, cells_of: Texts, shape: str, encoding: str) -> None:
    text = SHAPES[shape].replace("{main}", MAIN)
    if encoding == "utf-16":
        text = text.replace("UTF-8", "UTF-16")
    data = xlsx_of(parts={"xl/worksheets/sheet1.xml": text.encode(encoding)})
    assert cells_of(only_sheet(data)) == {"A1": "1"}


def test_a_part_that_is_not_in_the_encoding_it_names_is_read_and_said(xlsx_of: Maker, cells_of: Texts) -> None:
    strings = f'<?xml version="1.0" encoding="UTF-8"?><sst xmlns="{MAIN}"><si><t>Zürich</t></si></sst>'
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    wrong = read_document(xlsx_of(rows, parts={"xl/sharedStrings.xml": strings.encode("latin-1")}))
    assert cells_of(wrong.pages[0]) == {"A1": "Zürich"}
    assert "windows-1252" in wrong.issues[0].note
    named = strings.replace("UTF-8", "ISO-8859-1").encode("latin-1")
    right = read_document(xlsx_of(rows, parts={"xl/sharedStrings.xml": named}))
    assert cells_of(right.pages[0]) == {"A1": "Zürich"}
    assert not right.issues


def test_texts_without_a_shared_strings_part_are_empty_and_said(xlsx_of: Maker) -> None:
    document = read_document(xlsx_of('<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c></row>'))
    assert document.pages[0].cells.text.tolist() == ["1"]
    assert "shared strings that are not there" in document.issues[0].note


@pytest.mark.parametrize(
    ("names", "target"),
    [
        (("XL/WorkBook.xml", "XL/_rels/workbook.xml.RELS", "xl/Worksheets/SHEET1.xml"), "worksheets/sheet1.xml"),
        (("xl\\workbook.xml", "xl\\_rels\\workbook.xml.rels", "xl\\worksheets\\sheet1.xml"), "worksheets\\sheet1.xml"),
        (("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "other/data.xml"), "/other/data.xml"),
        (("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "data.xml"), "../data.xml"),
    ],
    ids=["case", "backslash", "absolute", "parent"],
)
def test_parts_are_found_whatever_their_names(
    xlsx_of: Maker, cells_of: Texts, names: tuple[str, str, str], target: str
) -> None:
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets><sheet name="One" r:id="r1"/></sheets></workbook>'
    related = (
        f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{RELATED}/worksheet" Target="{target}"/>'
        "</Relationships>"
    )
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>'
    usual = dict.fromkeys(("xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/worksheets/sheet1.xml"))
    data = xlsx_of(parts={**usual, **dict(zip(names, (book, related, sheet), strict=True))})
    assert cells_of(only_sheet(data)) == {"A1": "1"}


def two_sheets() -> dict[str, str | bytes | None]:
    return {
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets><sheet name="Chart" r:id="r2"/>'
        '<sheet name="Second" r:id="r3"/><sheet name="One" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">'
        f'<Relationship Id="r1" Type="{RELATED}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{RELATED}/chartsheet" Target="chartsheets/sheet1.xml"/>'
        f'<Relationship Id="r3" Type="{RELATED}/worksheet" Target="worksheets/gone.xml"/></Relationships>',
    }


def test_sheets_come_in_workbook_order_without_chart_sheets(xlsx_of: Maker) -> None:
    document = read_document(xlsx_of('<row r="1"><c r="A1"><v>1</v></c></row>', parts=two_sheets()))
    assert [page.name for page in document.pages] == ["Second", "One"]
    assert "part is missing" in document.issues[0].note


def test_one_sheet_is_picked_by_name_and_a_wrong_name_lists_them(xlsx_of: Maker) -> None:
    data = xlsx_of('<row r="1"><c r="A1"><v>1</v></c></row>', parts=two_sheets())
    assert [page.name for page in read_document(data, sheet="One").pages] == ["One"]
    with pytest.raises(UsageError, match="no sheet named 'Three'; the sheets are: Second, One"):
        read_document(data, sheet="Three")


def test_title_and_authors_come_from_the_core_properties(xlsx_of: Maker) -> None:
    core = (
        '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Rates</dc:title>'
        "<dc:creator>A. Smith; B. Jones</dc:creator></cp:coreProperties>"
    )
    document = read_document(xlsx_of(parts={"docProps/core.xml": core}))
    assert (document.title, document.authors) == ("Rates", ("A. Smith", "B. Jones"))
    assert (document.kind, document.medium) == ("xlsx", "spreadsheet")


def test_an_empty_sheet_has_no_cells_and_a_single_cell_is_one(xlsx_of: Maker) -> None:
    assert len(only_sheet(xlsx_of()).cells) == 0
    assert len(only_sheet(xlsx_of('<row r="1"><c r="A1"><v>1</v></c></row>')).cells) == 1
    bare = f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>'
    assert len(only_sheet(xlsx_of(parts={"xl/worksheets/sheet1.xml": bare})).cells) == 0


def test_the_widest_row_and_the_last_cell_cost_little_memory(xlsx_of: Maker) -> None:
    wide = "".join(f'<c r="{address(0, column)}"><v>{column}</v></c>' for column in range(16_384))
    data = xlsx_of(f'<row r="1">{wide}</row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    tracemalloc.start()
    sheet = only_sheet(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(sheet.cells) == 16_385
    assert (sheet.cells.row[-1], sheet.cells.column[-1]) == (1_048_575, 16_383)
    assert peak < 50 * 2**20


def test_styled_cells_without_a_value_are_kept_only_in_the_used_range(xlsx_of: Maker) -> None:
    rows = (
        '<row r="1"><c r="A1"><v>1</v></c><c r="B1" s="1"/><c r="D1" s="1"/></row>'
        '<row r="2"><c r="A2"/><c r="C2"><v>2</v></c></row><row r="3"><c r="A3" s="1"/></row>'
    )
    sheet = only_sheet(xlsx_of(rows, parts={"xl/styles.xml": STYLES}))
    assert sorted(marks_of(sheet)) == ["A1", "B1", "C2"]
