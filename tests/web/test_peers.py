"""Ten tables that other readers get wrong: what is read here, and what pandas 3 makes of the same markup."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tabellion.model.table import Table
from tabellion.pipeline import Extraction, extract_document

pandas = pytest.importorskip("pandas", minversion="3")
pytest.importorskip("lxml")


def read(markup: str) -> Extraction:
    return extract_document(f"<!doctype html><html><body><h1>Figures</h1>{markup}</body></html>")


def only_table(markup: str) -> Table:
    [table] = read(markup).tables
    return table


def by_pandas(markup: str) -> list[dict[str, Any]]:
    return [frame.to_dict("split") for frame in pandas.read_html(io.StringIO(markup))]


def tuples(table: Table) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(each.text, each.top, each.left) for each in table.tuples]


SPANNED = """
<table><tr><td rowspan=2><b>Canton</b></td><td colspan=2><b>Inhabitants</b></td></tr>
<tr><td><b>2001</b></td><td><b>2011</b></td></tr>
<tr><td>Bern</td><td>957,197</td><td>985,046</td></tr><tr><td>Uri</td><td>34,777</td><td>35,382</td></tr>
<tr><td>Zug</td><td>100,052</td><td>115,104</td></tr></table>
"""


def test_a_header_over_two_columns_belongs_to_both() -> None:
    table = only_table(SPANNED)
    assert ("985,046", ("Inhabitants", "2011"), ("Bern",)) in tuples(table)
    assert table.tuples[0].value == 957197
    [frame] = by_pandas(SPANNED)
    assert frame["columns"] == [0, 1, 2]
    assert frame["data"][:2] == [["Canton", "Inhabitants", "Inhabitants"], ["Canton", "2001", "2011"]]


SECTIONS = """
<table><tr><th>Item</th><th>Weight (g)</th><th>Price</th></tr>
<tr><th colspan=3>Fruit</th></tr><tr><td>Apple</td><td>120</td><td>0.50</td></tr>
<tr><td>Pear</td><td>150</td><td>0.60</td></tr>
<tr><th colspan=3>Bread</th></tr><tr><td>Rye</td><td>500</td><td>2.10</td></tr>
<tr><td>Wheat</td><td>400</td><td>1.90</td></tr></table>
"""


def test_a_row_over_the_full_width_names_the_rows_below_it() -> None:
    table = only_table(SECTIONS)
    assert [row for row in table.frame.labels.roles if row == "group"] == ["group", "group"]
    assert {each.left[0] for each in table.tuples if each.text in ("2.10", "500")} == {"Bread"}
    assert {each.left[0] for each in table.tuples if each.text in ("0.60", "150")} == {"Fruit"}
    [frame] = by_pandas(SECTIONS)
    assert frame["columns"][0] == ("Item", "Fruit")
    assert ["Bread", "Bread", "Bread"] in frame["data"]


ATTRIBUTES = """
<table><tr><td>Name:</td><td>Ada Lovelace</td></tr><tr><td>Born:</td><td>10 December 1815</td></tr>
<tr><td>Field:</td><td>Mathematics</td></tr>
<tr><td>Known for:</td><td>Notes on the Analytical Engine</td></tr></table>
"""


def test_an_attribute_list_is_one_record() -> None:
    table = only_table(ATTRIBUTES)
    assert table.orientation == "row"
    assert [(each.left[-1].rstrip(":"), each.text) for each in table.tuples][1] == ("Born", "10 December 1815")
    [frame] = by_pandas(ATTRIBUTES)
    assert frame["columns"] == [0, 1]
    assert frame["data"][0] == ["Name:", "Ada Lovelace"]


NESTED = """
<table width="100%"><tr><td><a href=/>Home</a><br><a href=/news>News</a></td><td>
<table border=1><tr><th>Month</th><th>Rain</th><th>Sun</th></tr><tr><td>May</td><td>80</td><td>190</td></tr>
<tr><td>June</td><td>95</td><td>205</td></tr><tr><td>July</td><td>110</td><td>220</td></tr></table></td></tr></table>
"""


def test_a_table_inside_a_layout_table_is_read_alone() -> None:
    extraction = read(NESTED)
    [table] = extraction.tables
    assert (table.place.table_index, len(table.tuples)) == (1, 6)
    assert {each.left for each in table.tuples if each.text in ("95", "205")} == {("June",)}
    assert [each.place.table_index for each in extraction.rejected] == [0]
    outer, _ = by_pandas(NESTED)
    assert outer["data"][0][1].startswith("MonthRainSunMay80190")


CAPTION = """
<table><caption>Table 3. Rain in Bergen</caption><tr><th>Month</th><th>mm</th></tr>
<tr><td>May</td><td>106</td></tr><tr><td>June</td><td>132</td></tr><tr><td>July</td><td>148</td></tr></table>
"""


def test_a_caption_is_the_title_and_its_number_is_told_apart() -> None:
    table = only_table(CAPTION)
    assert (table.title, table.metadata.affiliated.index_number) == ("Rain in Bergen", "Table 3")
    assert table.metadata.affiliated.caption_position == "above"
    assert "Rain" not in str(by_pandas(CAPTION))


RAISED = """
<table><tr><th>Lake</th><th>Area (km<sup>2</sup>)</th><th>Depth</th></tr>
<tr><td>Geneva<sup>a</sup></td><td>580</td><td>310</td></tr>
<tr><td>Constance</td><td>536<sup>b</sup></td><td>251</td></tr><tr><td>Garda</td><td>370</td><td>346</td></tr>
<tfoot><tr><td colspan=3><sup>a</sup> shared with France</td></tr>
<tr><td colspan=3><sup>b</sup> without the Rhine</td></tr></tfoot></table>
"""


def test_marks_in_sup_lead_to_their_notes_and_leave_no_trace() -> None:
    table = only_table(RAISED)
    area = next(each for each in table.tuples if each.text.startswith("536"))
    assert (area.value, area.notes) == (536, ("without the Rhine",))
    assert ("Geneva",) in {each.left for each in table.tuples} or table.grid.label[1, 0] == "Geneva"
    assert any("km²" in label for each in table.tuples for label in each.top)
    [frame] = by_pandas(RAISED)
    assert frame["data"][0][0] == "Genevaa"
    assert frame["data"][1][1] == "536b"


PLAIN_CELLS = """
<table border=1><tr><td>Year</td><td>Output (kt)</td><td>Exports (kt)</td></tr>
<tr><td>1990</td><td>13.7</td><td>2.4</td></tr>
<tr><td>1991</td><td>14.1</td><td>2.9</td></tr><tr><td>1992</td><td>15.0</td><td>3.3</td></tr></table>
"""


def test_a_header_row_of_plain_cells_is_a_header() -> None:
    table = only_table(PLAIN_CELLS)
    assert table.frame.header_rows == (0,)
    assert next(each for each in table.tuples if each.text == "2.9").top == ("Exports (kt)",)
    [frame] = by_pandas(PLAIN_CELLS)
    assert frame["columns"] == [0, 1, 2]
    assert frame["data"][0] == ["Year", "Output (kt)", "Exports (kt)"]


CODES = """
<table><tr><th>Dialling code</th><th>Country</th><th>Letters</th></tr><tr><td>007</td><td>Namibia</td><td>NA</td></tr>
<tr><td>012</td><td>Germany</td><td>DE</td></tr><tr><td>034</td><td>Norway</td><td>NO</td></tr></table>
"""


def test_codes_stay_as_they_are_written() -> None:
    table = only_table(CODES)
    texts = [str(text) for text in table.grid.text[1]]
    assert texts == ["007", "Namibia", "NA"]
    assert [table.grid.value(1, column) for column in range(3)] == ["007", "Namibia", "NA"]
    [frame] = by_pandas(CODES)
    assert frame["data"][0][0] == 7
    assert frame["data"][0][2] != frame["data"][0][2]


FOOT = """
<table><thead><tr><th>Item</th><th>2019</th><th>2020</th></tr></thead>
<tfoot><tr><td colspan=3>* preliminary figures</td></tr></tfoot>
<tbody><tr><td>Coal</td><td>12</td><td>9*</td></tr><tr><td>Gas</td><td>20</td><td>22*</td></tr>
<tr><td>Wind</td><td>7</td><td>11*</td></tr></tbody></table>
"""


def test_a_note_in_the_foot_is_a_note() -> None:
    table = only_table(FOOT)
    assert table.metadata.affiliated.footnotes == ("* preliminary figures",)
    assert next(each for each in table.tuples if each.text == "9*").value == 9
    [frame] = by_pandas(FOOT)
    assert frame["data"][-1] == ["* preliminary figures"] * 3


LAYOUT = """
<table width="100%" cellpadding=0 cellspacing=0><tr><td><a href=/a><img src=a.png></a></td><td><a href=/>Home</a> |
<a href=/n>News</a> | <a href=/c>Contact</a></td></tr>
<tr><td valign=top>Welcome to our pages. We are glad that you found us,
and hope that you will look around for a while.</td>
<td><form><input name=q><input type=submit value=Search></form></td></tr></table>
"""


def test_a_layout_table_is_no_table() -> None:
    extraction = read(LAYOUT)
    assert not extraction.tables
    assert extraction.rejected[0].genuine < 0.3
    assert by_pandas(LAYOUT)
