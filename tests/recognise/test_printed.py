"""Printed tables become grids: ruled and unruled, sideways, over several pages, among text that is none."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from printing import PdfPage, lay_table, write_pdf
from tabellion.label.pages.frames import label_tables
from tabellion.model.document import PrintedRegion
from tabellion.model.place import Box, Place
from tabellion.model.printed import PrintedPage
from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read import read_document
from tabellion.recognise.printed.cells import PrintedCell, widen_lone
from tabellion.recognise.printed.columns import choose_columns
from tabellion.recognise.printed.grid import recognise_printed, words_in_order
from tabellion.recognise.printed.line_facts import line_facts, widen_phrases
from tabellion.recognise.printed.line_joins import settle_joins
from tabellion.recognise.printed.phrases import Phrase, join_phrases
from tabellion.recognise.printed.rivers import candidate_rivers, river_features, settle_rivers
from tabellion.recognise.printed.rows import find_blocks, settle_rows
from tabellion.recognise.printed.text import Ink, LineRuns, Strip, lay_strip
from tabellion.weights import Weights

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = [
    ["Valley", "Sheep", "Goats", "Cows"],
    ["Upper meadow", "120", "14", "33"],
    ["Mill brook", "95", "7", "41"],
    ["Long acre", "203", "21", "18"],
    ["Fox hill", "64", "35", "27"],
    ["Stone pit", "17", "9", "52"],
]
BELOW = Box(60, 188, 495, 305)  # where the tables of `headed` stand
EDGES = [70.0, 200.0, 290.0, 380.0, 470.0]
PROSE = (
    "The shepherds of the five valleys count their animals on the first day of spring, before the grass is",
    "high, and again when the leaves fall. What they find is written down by the clerk of each valley and",
    "read out in the hall. The numbers below were read out last year; they have been checked by two of us.",
)


def text_page() -> PdfPage:
    page = PdfPage()
    for n, line in enumerate(PROSE):
        page.text(70, 80 + 13 * n, line, 10)
        page.text(70, 600 + 13 * n, line, 10)
    return page


def read(*pages: PdfPage, **settings: object) -> Extraction:
    return extract_document(write_pdf(list(pages)), Settings(**settings))


def test_raised_digits_before_rows_are_no_numbers_of_rows():
    page = text_page()
    lay_table(page, [[f"{number}²" if number else "No.", *row[1:]] for number, row in enumerate(ROWS)], 200, EDGES)
    (table,) = read(page).tables
    assert table.frame.grid.label[2, 0].startswith("2")


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_among_text_is_read_cell_by_cell(ruled):
    page = text_page()
    page.text(70, 180, "Table 1. Animals of the valleys.", 9, "bold")
    lay_table(page, ROWS, 190, EDGES, ruled=ruled)
    (table,) = read(page).tables
    assert table.grid.text.tolist() == ROWS
    assert table.frame.header_rows == (0,)


def test_a_table_has_its_place_on_the_page():
    page = text_page()
    lay_table(page, ROWS, 190, EDGES, ruled=True)
    place = read(page).tables[0].place
    assert place.page == 1
    assert place.box is not None
    assert place.box == pytest.approx((73, 193, 467, 277), abs=8)


def test_text_alone_is_no_table():
    assert read(text_page()).tables == ()


def test_a_sideways_table_is_read_upright():
    page = PdfPage()
    for column in range(4):
        for row, cells in enumerate(ROWS):
            page.text(150 + 16 * row, 700 - 110 * column, cells[column], 9, turn=90)
    for x in (136, 155, 236):
        page.rule(x, 250, x, 710)
    page.text(120, 700, "Table 3. Animals of the valleys, set sideways to fit the page.", 9, turn=90)
    (table,) = read(page).tables
    assert table.grid.text.tolist() == ROWS
    box = table.place.box
    assert box is not None
    assert box.bottom - box.top > box.right - box.left


def test_a_table_over_two_pages_is_one_with_its_header_once():
    table = extract_document(EXAMPLES / "report.pdf").tables[1]
    assert table.grid.text[:, 0].tolist()[:2] == ["Day", "12 January"]
    assert table.grid.shape[0] == 9
    assert [(part.place.page, part.rows) for part in table.grid.parts] == [(1, (0, 5)), (2, (6, 8))]


def test_parts_are_kept_apart_on_request():
    tables = extract_document(EXAMPLES / "report.pdf", Settings(pages_apart=True)).tables
    assert [(table.id, table.place.page, table.continues) for table in tables] == [
        ("t1", 1, None),
        ("t2", 1, None),
        ("t3", 2, "t2"),
    ]
    assert tables[2].grid.text[0].tolist() == ["Day", "Place", "Programme", "Visitors", "Taken (euro)"]


def test_numbered_rows_set_close_stay_rows():
    rows = [["No", "Name", "Sign"], *([str(n), f"Compound {n}", "+" if n % 3 else ""] for n in range(1, 16))]
    page = text_page()
    lay_table(page, rows, 190, [70.0, 120.0, 260.0, 330.0], step=10.6)
    (table,) = read(page).tables
    assert table.grid.text[:, 0].tolist() == [row[0] for row in rows]


def test_only_asked_pages_give_tables():
    tables = extract_document(EXAMPLES / "report.pdf", Settings(pages=(2, 2))).tables
    assert [table.place.page for table in tables] == [2]


def laid(page: PdfPage, box: Box) -> tuple[Strip, list[LineRuns]]:
    (shown,) = read_document(write_pdf([page])).pages
    assert isinstance(shown, PrintedPage)
    strip = lay_strip([(shown, box)])
    return strip, [LineRuns(strip, line) for line in strip.lines]


def under_wide_heads() -> PdfPage:
    """Narrow columns of numbers under heads that are wider, and those under heads with rules of their own."""
    page = PdfPage()
    for column, (head, group) in enumerate((("Sheep in spring", "Meadow 3/4"), ("Goats in spring", "Hill 1/4"))):
        x = 200 + 150 * column
        page.text(x + 62, 100, group, 9, "bold", "center")
        page.rule(x, 105, x + 110, 105)
        page.text(x, 116, head, 9, "bold")
        page.text(x + 92, 116, "(%)", 9, "bold")
        for row in range(6):
            page.text(x, 134 + 13 * row, str(11 + 7 * row), 9)
            page.text(x + 92, 134 + 13 * row, f"{3.5 + row}", 9)
    for row in range(6):
        page.text(70, 134 + 13 * row, f"Valley {row}", 9)
    page.rule(70, 90, 470, 90)
    page.rule(70, 121, 470, 121)
    return page


def test_columns_are_parted_where_no_head_stands_and_not_between_two_words_of_one():
    strip, runs = laid(under_wide_heads(), Box(60, 88, 480, 210))
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    assert len(columns.columns) == 5
    assert not Ink(runs[1:]).over(np.array(columns.separators)).any()


def test_a_head_under_a_spanning_rule_that_is_narrower_than_its_columns_is_no_cell_over_two_rows():
    strip, runs = laid(under_wide_heads(), Box(60, 88, 480, 210))
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    assert not [block for block in find_blocks(strip, columns) if block.column > 0]


def test_a_closed_ruled_cell_is_one_cell_however_many_lines_it_has():
    page = text_page()
    said = (
        ("Clear", ("is said to be", "hard to read")),
        ("Range", ("has no end",)),
        ("Time", ("changes often", "or never")),
    )
    y = 190.0
    page.rule(70, y, 400, y)
    for name, lines in said:
        page.text(75, y + 12, name, 9)
        for n, line in enumerate(lines):
            page.text(205, y + 12 + 16 * n, line, 9)
        y += 8 + 16 * len(lines)
        page.rule(70, y, 400, y)
    for x in (70, 200, 400):
        page.rule(x, 190, x, y)
    (shown,) = read_document(write_pdf([page])).pages
    assert isinstance(shown, PrintedPage)
    region = PrintedRegion(shown, Place(page=1), Box(70, 190, 400, y))
    grid = recognise_printed(region, Weights())
    assert grid.text[:, 1].tolist() == ["is said to be hard to read", "has no end", "changes often or never"]


def test_two_numbers_between_the_same_two_rules_are_two_cells():
    page = text_page()
    rows = [["Age", "Share", "Adults", "Total"], ["Under 1", "0.0156", "", "3,533"], ["1 to 2", "0.0287", "", "6,493"]]
    rows += [["20 to 29", "0.1803", "0.2650", "40,839"], ["30 to 39", "0.1702", "0.2500", "38,116"]]
    lay_table(page, rows, 190, EDGES)
    for x in (EDGES[0], EDGES[1], EDGES[-1]):
        page.rule(x, 190, x, 265)
    (table,) = read(page).tables
    assert table.grid.text.tolist() == rows


def test_what_stands_side_by_side_under_one_text_is_another_row():
    strip, runs = laid(under_wide_heads(), Box(60, 88, 480, 210))
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    phrases = widen_phrases(strip, columns, join_phrases(strip, columns, [], np.zeros(0, dtype=bool)), [])
    facts = line_facts(strip, columns, phrases)
    assert facts.spanned.tolist() == [True, False, False, False, False, False, False]
    assert settle_joins(strip, facts, np.full(len(strip) - 1, 0.9))[0] == 0


def headed(*heads: tuple[float, float, str]) -> PdfPage:
    """A table of five columns of numbers under these heads, each with its middle, with a rule under the head."""
    page = text_page()
    page.text(70, 180, "Table 1. Animals of the valleys.", 9, "bold")
    bottom = max(y for _, y, _ in heads) + 6
    for x, y, text in heads:
        page.text(x, y, text, 9, "plain", "center")
    for row, name in enumerate(("Upper meadow", "Mill brook", "Long acre", "Fox hill", "Stone pit")):
        page.text(73, bottom + 14 + 14 * row, name, 9)
        for column in range(5):
            page.text(185 + 70 * column, bottom + 14 + 14 * row, f"{11 * row + 7 * column + 12}", 9, "plain", "center")
    for y in (188, bottom, bottom + 80):
        page.rule(70, y, 490, y)
    return page


def test_a_text_over_several_is_another_row_though_a_line_stands_between_them():
    heads = [(92, 206, "Valley"), *((185 + 70 * n, 213, f"kind {n}") for n in range(5))]
    strip, runs = laid(headed((255, 200, "Animals seen"), *heads), Box(60, 188, 495, 305))
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    phrases = widen_phrases(strip, columns, join_phrases(strip, columns, [], np.ones(0, dtype=bool)), [])
    upper = [Phrase(phrases[0][0].words, 1, 3)]
    facts = line_facts(strip, columns, [upper, *phrases[1:]])
    assert facts.under.tolist()[:4] == [-1, -1, 0, -1]
    runs_of_lines = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]
    assert settle_rows(facts, runs_of_lines, np.full(5, 0.9)).tolist() == [0.9, 0.9, 0.0, 0.9, 0.9]


def test_heads_that_begin_alike_side_by_side_go_on_in_the_next_line():
    heads = [(185, 200, "born"), (255, 200, "LD vs"), (325, 200, "LD vs"), (395, 200, "sold"), (465, 200, "lost")]
    table = read(headed((92, 206, "Valley"), *heads, (255, 213, "CK"), (325, 213, "MD"))).tables[0]
    assert table.frame.header_rows == (0,)
    assert table.grid.text[0].tolist() == ["Valley", "born", "LD vs CK", "LD vs MD", "sold", "lost"]


def test_a_head_stands_over_all_columns_that_it_is_centred_on():
    heads = [(92, 213, "Valley"), *((185 + 70 * n, 213, f"kind {n}") for n in range(5))]
    table = read(headed((290, 199, "Animals"), *heads)).tables[0]
    assert table.grid.span_at[0, 1] == (1, 4)
    assert {each.column for each in table.tuples if each.top[0] == "Animals"} == {1, 2, 3, 4}


def test_a_stub_that_does_not_tell_the_rows_apart_goes_on_to_the_names():
    names = ("Ash", "Birch", "Cedar", "Dove", "Elm", "Fir")
    rows = [["Kind", "Name", "Height", "Girth"]]
    rows += [["Tree" if n < 3 else "Shrub", name, f"{7 * n + 11}", f"{5 * n + 23}"] for n, name in enumerate(names)]
    page = text_page()
    page.text(70, 180, "Table 1. Plants of the valleys.", 9, "bold")
    lay_table(page, rows, 190, EDGES, ruled=True)
    lefts = {one.left for one in read(page).tables[0].tuples if one.text.isdigit()}
    assert {left[-1] for left in lefts} == set(names)


def named_rows(named: tuple[int, int]) -> PdfPage:
    """A table of six years, three for each of two names, which stand in these rows of the body."""
    rows = [["Valley", "Year", "Sheep", "Goats"]]
    for n in range(6):
        name = {named[0]: "Upper meadow", named[1]: "Mill brook"}.get(n, "")
        rows.append([name, f"in {2010 + n % 3}", f"{7 * n + 11}", f"{5 * n + 23}"])
    page = text_page()
    page.text(70, 180, "Table 1. Animals of the valleys.", 9, "bold")
    lay_table(page, rows, 190, EDGES)
    return page


@pytest.mark.parametrize("named", [(1, 4), (0, 3)])
def test_a_name_in_the_middle_of_its_rows_or_above_them_names_all_of_them(named: tuple[int, int]):
    (table,) = read(named_rows(named)).tables
    lefts = {one.row: one.left for one in table.tuples if one.text.isdigit()}
    assert [lefts[row][0] for row in range(1, 7)] == ["Upper meadow"] * 3 + ["Mill brook"] * 3
    assert [lefts[row][1] for row in range(1, 7)] == [f"in {2010 + n % 3}" for n in range(6)]
    assert ((1, 0) in table.grid.span_at) == (named == (1, 4))


def test_a_row_that_has_no_name_is_no_part_of_the_next_ones():
    (table,) = read(named_rows((1, 5))).tables
    assert not [place for place in table.grid.span_at if place[1] == 0]


def test_numbers_under_numbers_in_several_columns_are_no_row():
    strip, runs = laid(headed((92, 200, "Valley"), *((185 + 70 * n, 200, f"kind {n}") for n in range(5))), BELOW)
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    facts = line_facts(strip, columns, join_phrases(strip, columns, [], np.zeros(0, dtype=bool)))
    assert settle_rows(facts, [(0, 0), (0, 1), (1, 1), (1, 2)], np.full(4, 0.9)).tolist() == [0.9, 0.9, 0.9, 0.0]


def test_a_marked_text_at_the_left_below_all_values_is_a_note():
    page = named_rows((0, 3))
    page.text(73, 306, "* Without lambs.", 9)
    box = Box(60, 188, 495, 315)
    region = PrintedRegion(read_document(write_pdf([page])).pages[0], Place(page=1, box=box), box)
    grid = recognise_printed(region, Weights())
    (labelled,) = label_tables([grid], [1.0], Weights())
    assert grid.text[-1, 0] == "* Without lambs."
    assert [row for row, role in enumerate(labelled.labels.roles) if role == "note"] == [grid.shape[0] - 1]


def test_figures_wide_apart_are_two_columns_whatever_is_judged_of_the_white():
    strip, runs = laid(headed((92, 200, "Valley"), *((185 + 70 * n, 200, f"kind {n}") for n in range(5))), BELOW)
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.zeros(len(rivers)))
    assert len(columns.columns) == 5  # names and the first figures are left to judgement


def test_marks_that_are_raised_above_their_line_are_of_it():
    page = named_rows((0, 3))
    page.text(440, 216.2, "**", 9)
    strip, _ = laid(page, Box(60, 186, 495, 300))
    assert [strip.text[w] for w in strip.lines[1]] == ["Upper", "meadow", "in", "2010", "11", "**", "23"]


def test_a_head_over_the_stub_and_all_values_is_a_label_of_the_values():
    rows = [["Valley", "Sheep", "Goats", "Cows"], *ROWS[1:]]
    page = text_page()
    page.text(70, 178, "Table 1. Animals.", 9, "bold")
    page.text(270, 200, "Animals that were counted in the five valleys in spring", 9, "bold", "center")
    lay_table(page, rows, 206, EDGES)
    page.rule(EDGES[0], 188, EDGES[-1], 188)
    table = read(page).tables[0]
    assert table.frame.header_rows == (0, 1)
    assert {one.top for one in table.tuples if one.column == 1} == {(table.grid.text[0, 0], "Sheep")}


def test_words_of_a_cell_are_in_reading_order_where_that_is_from_the_right():
    strip, _ = laid(headed((92, 200, "Valley of two"), (185, 200, "kind")), Box(60, 188, 495, 205))
    names = ["אוכלוסייה", "2010", "to", "2012", "של"]  # from left to right on the page
    mixed = msgspec.structs.replace(strip, text=np.array(names, dtype=object))
    assert [names[w] for w in words_in_order(mixed, range(5))] == ["של", "2010", "to", "2012", "אוכלוסייה"]
    assert words_in_order(strip, range(3)) == [0, 1, 2]


def test_a_text_alone_in_its_row_that_runs_beyond_its_column_stands_over_all():
    lone = PrintedCell(0, 0, 1, 2, ((0,),))
    beside = {(1, 0): PrintedCell(1, 0, 1, 2, ((1,),)), (1, 3): PrintedCell(1, 3, 1, 1, ((2,),))}
    cells = {(0, 0): lone, **beside}
    widen_lone(cells, 6)
    assert [cell.column_span for cell in cells.values()] == [6, 2, 1]


def test_white_as_wide_as_a_letter_that_no_line_prints_over_parts_columns():
    page = PdfPage()
    for row in range(14):
        page.text(70, 100 + 13 * row, f"Valley {row}", 9)
        page.text(200, 100 + 13 * row, f"{7 * row + 11}", 9)
    strip, runs = laid(page, Box(60, 80, 300, 300))
    rivers = candidate_rivers(strip, runs)
    chance = settle_rivers(river_features(strip, rivers, runs), np.zeros(len(rivers)))
    widest = max(range(len(rivers)), key=lambda n: rivers[n].right - rivers[n].left)
    assert chance[widest] > 0.5
    assert sorted(chance)[:-1] == [0.0] * (len(rivers) - 1)


def test_words_line_for_line_in_all_columns_are_rows_of_their_own():
    strip, runs = laid(headed((92, 200, "Valley"), *((185 + 70 * n, 200, f"kind {n}") for n in range(5))), BELOW)
    rivers = candidate_rivers(strip, runs)
    columns = choose_columns(strip, runs, [], rivers, np.ones(len(rivers)))
    facts = line_facts(strip, columns, join_phrases(strip, columns, [], np.zeros(0, dtype=bool)))
    words = msgspec.structs.replace(facts, figures=np.zeros_like(facts.figures))
    assert settle_rows(words, [(0, 1), (1, 2), (0, 2), (1, 3)], np.full(4, 0.9)).tolist() == [0.9, 0.9, 0.0, 0.0]
    gap = words.filled.copy()
    gap[1, 2] = False
    some = msgspec.structs.replace(words, filled=gap)
    assert settle_rows(some, [(0, 2), (1, 3)], np.full(2, 0.9)).tolist() == [0.9, 0.9]
