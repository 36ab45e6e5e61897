"""What a workbook marks on a sheet is evidence: lists, pivot tables, filters, names, frozen rows, outlines."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence

import openpyxl
from openpyxl.styles import Alignment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from tabellion.export import to_json
from tabellion.label.readings import frozen_roles
from tabellion.locate import locate_regions
from tabellion.model.document import Sheet
from tabellion.model.place import rect_at
from tabellion.model.stated import MarkedArea, SheetMarks
from tabellion.pipeline import Settings, extract_document
from tabellion.read import read_document
from tabellion.recognise import recognise_grid

NAMES = ("Ada", "Boris", "Chloe", "Dimitri", "Eve", "Farid")


def workbook(rows: Sequence[Sequence[object]]) -> tuple[openpyxl.Workbook, Worksheet]:
    book = openpyxl.Workbook()
    sheet = book.active
    assert isinstance(sheet, Worksheet)
    for row in rows:
        sheet.append(list(row))
    return book, sheet


def saved(book: openpyxl.Workbook) -> bytes:
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def first_sheet(data: bytes) -> Sheet:
    sheet = read_document(data).pages[0]
    assert isinstance(sheet, Sheet)
    return sheet


def people(first: int = 0) -> list[list[object]]:
    return [[name, f"Town {name[0]}", "baker" if i % 2 else "smith"] for i, name in enumerate(NAMES)][first:]


def test_what_a_workbook_marks_is_read() -> None:
    book, sheet = workbook([["Members"], [], ["Name", "Town", "Trade"], *people()])
    sheet.add_table(Table(displayName="Members", ref="A3:C9"))
    sheet.freeze_panes = "B4"
    sheet.print_title_rows = "1:3"
    sheet.print_area = "A1:C9"
    sheet.auto_filter.ref = "A3:C9"
    book.defined_names["Towns"] = DefinedName("Towns", attr_text="Sheet!$B$4:$C$9")
    marked = first_sheet(saved(book)).marked
    assert marked.heads == (2,)
    assert set(marked.areas) == {
        MarkedArea("table", rect_at("A3:C9"), header_rows=1),
        MarkedArea("filter", rect_at("A3:C9"), header_rows=1),
        MarkedArea("print", rect_at("A1:C9")),
        MarkedArea("name", rect_at("B4:C9")),
    }


def test_a_sheet_that_marks_nothing_says_so() -> None:
    book, _ = workbook([["Name", "Town", "Trade"], *people()])
    assert first_sheet(saved(book)).marked == SheetMarks()


def test_lists_right_below_and_beside_each_other_are_tables_of_their_own() -> None:
    rows = [["Name", "Town", "Trade", "Dog", "Breed"]]
    rows += [[*person, f"Dog {i}", f"Breed {i % 2}"] for i, person in enumerate(people())]
    rows += [["Car", "Make", "Colour"], *[[f"Car {i}", f"Make {i % 3}", "red"] for i in range(4)]]
    book, sheet = workbook(rows)
    for name, area in (("People", "A1:C7"), ("Dogs", "D1:E7"), ("Cars", "A8:C12")):
        sheet.add_table(Table(displayName=name, ref=area))
    tables = extract_document(saved(book)).tables
    assert [table.place.range for table in tables] == ["A1:C7", "D1:E7", "A8:C12"]
    assert all(len(table.frame.header_rows) == 1 for table in tables)


def test_the_totals_row_of_a_list_is_no_member_of_it() -> None:
    book, sheet = workbook([["Name", "Town", "Age"], *[[n, f"T{i}", 20 + i] for i, n in enumerate(NAMES)], ["Total"]])
    sheet["C8"] = 135
    table = Table(displayName="Ages", ref="A1:C8", totalsRowCount=1)
    sheet.add_table(table)
    [found] = extract_document(saved(book)).tables
    assert found.frame.labels.roles[7] == "derived"


def test_a_title_above_a_list_and_a_note_below_it_are_kept() -> None:
    rows = [["Members of the club"], [], ["Name", "Town", "Trade"], *people(), [], ["Source: the club"]]
    book, sheet = workbook(rows)
    sheet.add_table(Table(displayName="Members", ref="A3:C9"))
    [table] = extract_document(saved(book)).tables
    assert table.place.range == "A3:C9"
    assert table.title == "Members of the club"
    assert table.frame.note_rows


def test_a_row_with_filters_is_the_head_though_it_looks_like_the_others() -> None:
    rows = [
        ["London", "Cheese", "Ada"],
        ["Paris", "Wine", "Boris"],
        *[[f"T{i}", f"G{i}", n] for i, n in enumerate(NAMES)],
    ]
    book, sheet = workbook(rows)
    sheet.auto_filter.ref = "A2:C8"
    [table] = extract_document(saved(book), Settings(reader="staged")).tables
    assert table.frame.header_rows[-1] == 1


PIVOT = """<?xml version="1.0"?>
<pivotTableDefinition xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" name="P" cacheId="1">
<location ref="A3:D8" firstHeaderRow="1" firstDataRow="2" firstDataCol="1"/></pivotTableDefinition>"""
RELATIONS = """<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/pivotTable"
 Target="../pivotTables/pivotTable1.xml"/></Relationships>"""


def with_pivot(data: bytes) -> bytes:
    """The workbook with a pivot table on its first sheet."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("xl/worksheets/_rels/sheet1.xml.rels", RELATIONS)
        new.writestr("xl/pivotTables/pivotTable1.xml", PIVOT)
    return held.getvalue()


def test_a_pivot_table_has_the_heads_that_it_tells() -> None:
    rows = [
        ["Year", "(All)"],
        [],
        ["Sum of hours", "Trade"],
        ["Town", "baker", "smith", "Grand Total"],
        *[[f"Town {i}", 3 + i, 5 * i + 1, 6 * i + 4] for i in range(3)],
        ["Grand Total", 12, 18, 30],
    ]
    book, _ = workbook(rows)
    [table] = extract_document(with_pivot(saved(book))).tables
    assert table.place.range == "A3:D8"
    assert len(table.frame.header_rows) == 2
    assert table.frame.stub_columns == (0,)


def test_a_text_centred_over_blank_cells_covers_them() -> None:
    rows = [[None, "2020", None, "2021", None], ["Town", "men", "women", "men", "women"]]
    book, sheet = workbook([*rows, *[[f"Town {i}", i + 1, i + 2, i + 3, i + 4] for i in range(6)]])
    for cell in sheet[1][1:]:
        cell.alignment = Alignment(horizontal="centerContinuous")
    data = saved(book)
    assert first_sheet(data).centred == (rect_at("B1:C1"), rect_at("D1:E1"))
    [table] = extract_document(data).tables
    assert {one.top for one in table.tuples if one.column == 2} == {("2020", "women")}


def test_rows_grouped_below_the_row_that_sums_them_up_stand_under_it() -> None:
    rows = [["Town", "Jobs"], ["North", 9], ["Ash", 4], ["Birch", 5], ["South", 8], ["Cedar", 2], ["Dove", 6]]
    book, sheet = workbook(rows)
    sheet.sheet_properties.outlinePr.summaryBelow = False
    for first, last in ((3, 4), (6, 7)):
        sheet.row_dimensions.group(first, last, outline_level=1)
    [table] = extract_document(saved(book)).tables
    paths = {one.row: one.left for one in table.tuples}
    assert paths[2] == ("North", "Ash")
    assert paths[6] == ("South", "Dove")


def test_rows_that_stay_in_view_may_end_with_a_head_where_they_say_words() -> None:
    def offered(freeze: str) -> list[dict[int, str]]:
        book, sheet = workbook([["Jobs by town"], [], ["Town", "Men", "Women"], [], ["Ash", 4, 5], ["Birch", 7, 9]])
        sheet.freeze_panes = freeze
        [region] = locate_regions(first_sheet(saved(book)))
        return [dict(roles) for roles in frozen_roles(recognise_grid(region))]

    assert offered("A4") == [{2: "header", 4: "data"}]
    assert offered("A6") == []


def test_what_a_workbook_hides_is_read_and_said_to_be_hidden() -> None:
    book, sheet = workbook([["Town", "Men", "Women"], ["Ash", 4, 5], ["Birch", 7, 9], ["Cedar", 3, 8]])
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    [table] = json.loads(to_json(extract_document(saved(book))))["tables"]
    hidden = {cell["address"] for cell in table["cells"] if cell.get("hidden")}
    assert hidden == {"C1", "C2", "A3", "B3", "C3", "C4"}
    assert {one["address"] for one in table["tuples"]} == {"B2", "C2", "B3", "C3", "B4", "C4"}


def test_sheets_of_one_workbook_with_the_same_shape_are_read_alike() -> None:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for year in range(2015, 2021):
        sheet = book.create_sheet(str(year))
        sheet.append([f"Table {year}. Jobs by trade and town", None, None, "Thousands"])
        sheet.append([None, "Men", None, "All"])
        sheet.append(["Town", "smiths", "bakers", None])
        for group, towns in (("North", ("Ash", "Birch", "Cedar")), ("South", ("Dove", "Elm", "Fir"))):
            sheet.append([group])
            for place, town in enumerate(towns):
                sheet.append([f"  {town}", *[(year * 7 + place * 31 + step * 17) % 900 / 10 for step in range(3)]])
        sheet.append(["Source: the towns"])
    tables = extract_document(saved(book), Settings(reader="staged")).tables
    assert [table.place.sheet for table in tables] == [str(year) for year in range(2015, 2021)]
    assert {table.place.range for table in tables} == {"A2:D11"}
    paths = [[(one.row, one.column, one.top, one.left) for one in table.tuples] for table in tables]
    assert all(one == paths[0] for one in paths)
    assert (4, 2, ("Men", "bakers"), ("North", "Ash")) in paths[0]
