"""Web pages are read as a browser builds and shows them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from tabellion.errors import HostileError, TooLargeError, TruncatedError, UnknownFormatError
from tabellion.model.document import Mark
from tabellion.model.markup import MarkupPage
from tabellion.model.style import Style
from tabellion.read import Limits, read_document
from tabellion.read.sniff import unpack_gzip
from tabellion.read.web.page import read_markup


def page_of(markup: str) -> MarkupPage:
    return read_markup(markup)[0]


def texts(page: MarkupPage, number: int = 0) -> list[str]:
    candidate = page.candidates[number]
    return [str(text) for text in page.cells.text[candidate.first : candidate.last]]


def style_of(page: MarkupPage, text: str) -> Style:
    at = int(np.flatnonzero(page.cells.text == text)[0])
    return page.styles[page.cells.style[at]]


def test_unclosed_cells_and_rows_are_closed_as_browsers_do() -> None:
    page = page_of("<table><tr><td>a<td>b<tr><td>c<td>d</table>")
    assert texts(page) == ["a", "b", "c", "d"]
    assert page.cells.row.tolist() == [0, 0, 1, 1]


def test_a_nested_table_is_a_candidate_and_its_text_is_not_repeated() -> None:
    page = page_of("<table><tr><td>left<td>before<table><tr><td>inner</table>after</table>")
    assert texts(page) == ["left", "before\nafter"]
    assert texts(page, 1) == ["inner"]
    assert page.candidates[1].parent == 0
    assert (page.candidates[1].before, page.candidates[1].after) == ("before", "after")


def test_table_index_counts_all_tables_in_document_order_hidden_ones_too() -> None:
    page = page_of(
        '<table><tr><td>a</table><div style="display:none"><table><tr><td>b</table></div><table><tr><td>c</table>'
    )
    assert [candidate.table_index for candidate in page.candidates] == [0, 1, 2]
    assert [candidate.hidden for candidate in page.candidates] == [False, True, False]
    assert texts(page, 1) == ["b"]


def test_the_path_leads_to_the_table() -> None:
    from selectolax.lexbor import LexborHTMLParser

    markup = "<body><p>x</p><div><ul><li>y</ul><table id=t><tr><td>a</table></div>"
    [path] = [candidate.path for candidate in page_of(markup).candidates]
    assert [node.id for node in LexborHTMLParser(markup).css(path)] == ["t"]


def test_lines_and_hidden_texts() -> None:
    page = page_of('<table><tr><td>one<br>two<p>three</p><span style="display:none">no</span><td hidden>gone</table>')
    assert texts(page) == ["one\ntwo\nthree", ""]


def test_superscripts_stay_apart_from_what_they_follow() -> None:
    page = page_of(
        "<table><tr><td>10<sup>6</sup><td>Total<sup>a</sup><td>1<sup>st</sup><td>Note<sup>[12]</sup></table>"
    )
    assert texts(page) == ["10⁶", "Totalᵃ", "1st", "Note⁽¹²⁾"]


def test_hard_blanks_at_the_start_are_an_indent() -> None:
    page = page_of("<table><tr><td>&nbsp;&nbsp;of which women<td>&nbsp;</table>")
    assert texts(page) == ["  of which women", ""]


@pytest.mark.parametrize(
    ("cell", "name", "value"),
    [
        ("<td><b>x</b>", "bold", True),
        ("<th>x", "bold", True),
        ("<td style='font-weight:700'>x", "bold", True),
        ("<td style='font-weight:70²'>x", "bold", False),
        ("<td class=h>x", "bold", True),
        ("<td><span class=r>x</span>", "colour", None),
        ("<td><font color=RED size=5>x</font>", "size", 18.0),
        ("<td bgcolor=#EEE>x", "fill", "#eee"),
        ("<td style='background:url(a.png) yellow'>x", "fill", "yellow"),
        ("<td align=right>x", "align", "right"),
        ("<td><div style='text-align:center'>x</div>", "align", "center"),
        ("<td style='padding-left:24px'>x", "indent", 2.0),
        ("<td style='border-bottom:1px solid black'>x", "border_bottom", True),
        ("<td><i>x</i>", "italic", True),
        ("<td><u>x</u>", "underline", True),
    ],
)
def test_the_look_of_a_cell_comes_from_tags_attributes_and_style(cell: str, name: str, value: object) -> None:
    sheet = (
        "<style>td.h { font-weight: bold } table .r { color: red } @media print { td { font-style: italic } }</style>"
    )
    assert getattr(style_of(page_of(f"{sheet}<table><tr>{cell}</table>"), "x"), name) == value


def test_a_row_hands_its_fill_to_its_cells() -> None:
    page = page_of("<table><tr bgcolor=silver><td>x<td bgcolor=white>y</table>")
    assert (style_of(page, "x").fill, style_of(page, "y").fill) == ("silver", "white")


def test_rules_of_style_elements_follow_ancestors_and_weight() -> None:
    sheet = (
        "<style>#main td { text-align: right } td { text-align: left } .wide > tbody b { font-style: italic }</style>"
    )
    page = page_of(f"{sheet}<div id=main><table class=wide><tr><td>x<td><b>y</b></table></div><table><tr><td>z</table>")
    assert (style_of(page, "x").align, style_of(page, "z").align) == ("right", "left")
    assert style_of(page, "y").italic


def test_links_pictures_and_fields_are_counted() -> None:
    page = page_of(
        "<table><tr><td><a href=/a>go</a> on<td><img src=a alt=Flag><td><input><select><option>1</select></table>"
    )
    cells = page.cells
    assert texts(page) == ["go on", "Flag", ""]
    assert (cells.links.tolist(), cells.images.tolist(), cells.forms.tolist()) == ([1, 0, 0], [0, 1, 0], [0, 0, 2])
    assert cells.linked.tolist()[0] == 2
    assert cells.marks[0] & Mark.LINK


def test_the_facts_of_a_page() -> None:
    document = read_document(
        "<html><head><title> Rain\n in May</title><meta name=author content='A. Person'>"
        "<link rel=canonical href='https://example.org/rain'></head><body><h2>By month</h2><table><tr><td>a</table>"
    )
    page = document.pages[0]
    assert isinstance(page, MarkupPage)
    assert (document.title, document.authors, document.medium) == ("Rain in May", ("A. Person",), "html")
    assert page.address == "https://example.org/rain"
    assert page.candidates[0].heading is not None
    assert (page.candidates[0].heading.text, page.candidates[0].before) == ("By month", "By month")


def test_aria_tables_definition_lists_and_preformatted_text_are_candidates() -> None:
    page = page_of(
        "<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div>"
        "<div role=row><span role=cell>1</span><span role=cell aria-colspan=2>2</span></div></div>"
        "<dl><dt>Name<dd>Ada<dt>Born<dd>1815<dd>in London</dl><pre>a  b\nc  d</pre>"
    )
    assert [candidate.kind for candidate in page.candidates] == ["aria", "definitions", "preformatted"]
    assert texts(page) == ["A", "B", "1", "2"]
    assert texts(page, 1) == ["Name", "Ada", "Born", "1815\nin London"]
    assert page.candidates[2].text == "a  b\nc  d"


def test_a_packed_page_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<html><table><tr><td>a</table>"))
    page = read_document(path).pages[0]
    assert isinstance(page, MarkupPage)
    assert texts(page) == ["a"]


def test_a_packed_page_that_is_cut_short_or_swells_is_refused() -> None:
    packed = gzip.compress(b"<html>" + b" " * 10_000_000)
    with pytest.raises(TruncatedError, match="cut short"):
        read_document(packed[: len(packed) // 2])
    with pytest.raises(TooLargeError, match=r"Limits\.bytes"):
        read_document(packed, limits=Limits(bytes=1_000_000))


def test_binary_data_that_begins_like_a_page_is_refused() -> None:
    with pytest.raises(UnknownFormatError, match="binary"):
        read_document(b"<html><body>" + bytes(range(1, 32)) * 400)


def test_tables_nested_fifty_thousand_deep_are_read_to_a_depth_with_an_issue() -> None:
    document = read_document("<table><tr><td>x" * 50_000)
    page = document.pages[0]
    assert isinstance(page, MarkupPage)
    assert len(page.candidates) == 100
    assert "nested" in document.issues[0].note


def test_elements_nested_without_end_are_refused() -> None:
    with pytest.raises(HostileError, match="nested"):
        read_document("<html>" + "<div>" * 50_000)


def test_a_column_span_beyond_the_standard_is_cut_and_a_row_span_ends_with_the_table() -> None:
    rows = "<tr><td rowspan=0>a</td><td colspan=100000>b</td></tr>" + "<tr><td>c</td></tr>" * 3
    page = read_markup(f"<table>{rows}</table>")[0]
    assert page.cells.column_span[1] == 1000
    assert page.cells.row_span[0] == 4
    assert page.cells.column[2] == 1


def test_spans_of_billions_of_slots_cost_nothing_and_leave_an_issue() -> None:
    row = "<td colspan=1000 rowspan=65534>x</td>" * 16
    document = read_document(f"<table><tr>{row}</tr>{'<tr><td>y</td></tr>' * 30_000}</table>")
    assert "limit" in document.issues[0].note


def test_a_set_of_frames_says_where_its_tables_are() -> None:
    page = (
        b'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><link id="shLink" href="b_files/sheet001.htm">'
        b'<frameset><frame src="b_files/sheet001.htm"><frame src="b_files/tabs.htm"></frameset></html>'
    )
    assert [issue.note for issue in read_document(page).issues] == [
        "the page is a set of frames; its tables are in other files, read those: b_files/sheet001.htm, b_files/tabs.htm"
    ]


def test_a_workbook_saved_as_a_web_page_keeps_its_looks(tmp_path: Path) -> None:
    (tmp_path / "export.xls").write_bytes(
        b'<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!--table {mso-x:"\\."}'
        b".xl22 {font-weight:700; background:yellow} .xl24 {text-align:left; padding-left:24px}--></style></head><body>"
        b"<!--[if gte mso 9]><xml><x:ExcelWorkbook></x:ExcelWorkbook></xml><![endif]--><table x:str>"
        b'<tr><td class=xl22>Region<td class=xl22 x:num>2001<tr><td class=xl24>North<td x:num="1234.5">1,235'
        b"<![if supportMisalignedColumns]><tr height=0 style='display:none'><td></td></tr><![endif]></table>"
    )
    page = read_document(tmp_path / "export.xls").pages[0]
    assert isinstance(page, MarkupPage)
    assert page.cells.text.tolist()[:4] == ["Region", "2001", "North", "1,235"]
    looks = [page.styles[number] for number in page.cells.style[:4]]
    assert [(look.bold, look.fill is not None, look.indent > 0) for look in looks] == [
        (True, True, False),
        (True, True, False),
        (False, False, True),
        (False, False, False),
    ]


def test_the_lines_next_to_a_table_are_told_apart_however_deep_they_stand() -> None:
    above = "<div><div><p>First line.</p><p>Last <b>line</b>.</p></div><script>var a</script></div>"
    below = "<section><div><span>Source:</span> census</div><div>More</div></section>"
    page = page_of(f"<p>Far</p>{above}<table><tr><td>1</table>{below}<table><tr><td>2</table>")
    assert [candidate.before for candidate in page.candidates] == ["Last line.", "More"]
    assert [candidate.after for candidate in page.candidates] == ["Source: census", None]


def test_the_place_of_a_table_is_numbered_as_style_sheets_number_elements() -> None:
    page = page_of("<table><!-- a --><tr><!-- b --><td>x</td><td><table><tr><td>y</table>")
    assert page.candidates[1].path.endswith(
        "tbody:nth-child(1) > tr:nth-child(1) > td:nth-child(2) > table:nth-child(1)"
    )


def test_a_cell_of_one_link_or_one_styled_text_is_read_like_any_other() -> None:
    page = page_of(
        "<table><tr><td><a href=x>go on</a><td><div><b>12</b></div><td><a href=x>go on</a> <td><div><b>12</b> </div>"
    )
    assert texts(page) == ["go on", "12", "go on", "12"]
    for name in ("style", "marks", "length", "linked", "links"):
        told = getattr(page.cells, name).tolist()
        assert told[:2] == told[2:]
    assert page.cells.linked.tolist()[0] == 5


@pytest.mark.parametrize(
    "sheet",
    [
        "a " * 1_000_000,
        "/*" * 1_000_000,
        "{" * 1_000_000,
        "@" + "a" * 2_000_000,
        "@a}" * 500_000,
        "@media x{" * 200_000,
        "td{color:" + "rgb(" * 500_000 + "}",
        "td{font-size:" + "1" * 2_000_000 + "x}",
    ],
    ids=["no braces", "comments", "open braces", "long rule", "closed rules", "nested rules", "colours", "digits"],
)
def test_a_style_sheet_made_to_do_harm_costs_no_more_than_its_length(sheet: str) -> None:
    page = page_of(f"<style>td{{font-weight:bold}} {sheet}</style><table><tr><td style='{sheet}'>x</table>")
    assert texts(page) == ["x"]


def test_preformatted_text_inside_preformatted_text_is_one_candidate() -> None:
    page = page_of("<pre>" * 30_000 + "a  b\nc  d")
    assert len(page.candidates) == 1
    assert (page.candidates[0].text or "").split() == ["a", "b", "c", "d"]


def test_the_path_of_a_very_deep_table_begins_at_the_nearest_elements() -> None:
    page = page_of("<div>" * 5000 + "<table><tr><td>1</table>" * 300)
    assert len(page.candidates) == 300
    assert max(len(candidate.path) for candidate in page.candidates) < 10_000


def test_an_archive_of_many_members_is_read_whole() -> None:
    members = b"".join(gzip.compress(b"%d," % number) for number in range(3_000))
    assert unpack_gzip(members, Limits()) == b"".join(b"%d," % number for number in range(3_000))
    large = bytes(range(256)) * 40_000
    assert unpack_gzip(gzip.compress(large) + members, Limits()).startswith(large + b"0,1,")
    with pytest.raises(TruncatedError, match="cut short"):
        unpack_gzip(gzip.compress(large)[:-9], Limits())
