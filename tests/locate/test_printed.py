"""Where a printed table begins and ends, what goes on with it, and which notes are its own."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from printing import PdfPage, lay_table, write_pdf
from tabellion.locate.printed.parting import settle_chances
from tabellion.locate.printed.piece_features import Earlier
from tabellion.locate.printed.regions import goes_on, join_parts
from tabellion.locate.printed.running_text import RunningText
from tabellion.locate.printed.second_look import gather_facts
from tabellion.locate.printed.surroundings import find_surroundings
from tabellion.locate.printed.whole_regions import (
    REGION_FEATURES,
    in_figure,
    lists_contents,
    region_features,
    widen_tables,
)
from tabellion.model.document import PrintedRegion, Surroundings
from tabellion.model.place import Box, Place
from tabellion.model.printed import PrintedPage
from tabellion.read import read_document
from tabellion.values.table_labels import read_caption
from tabellion.values.vocabulary import WORDS

ROWS = [["Voice", "Women", "Men"], ["Soprano", "17", "2"], ["Alto", "14", "5"], ["Tenor", "3", "8"]]
EDGES = [72.0, 200.0, 300.0, 400.0]


def read_pages(*pages: PdfPage) -> list[PrintedPage]:
    return [page for page in read_document(write_pdf(list(pages))).pages if isinstance(page, PrintedPage)]


def captioned(caption_at: float = 92) -> PdfPage:
    """A table at 100 whose head is its first 15 points, with a caption above it."""
    page = PdfPage()
    page.text(72, caption_at, "Table 1. Singers by voice", 9)
    lay_table(page, ROWS, 100, EDGES)
    return page


def test_what_stands_between_a_caption_and_a_table_is_its_head():
    (page,) = read_pages(captioned())
    facts, body = gather_facts(page), Box(71, 117, 401, 161)
    (wider,) = widen_tables(facts, [body], find_surroundings(facts, [body]))
    assert wider.top == pytest.approx(101, abs=3)
    assert wider.bottom == body.bottom


def test_text_between_a_caption_and_a_table_is_no_head():
    page = PdfPage()
    page.text(72, 60, "Table 1. Singers by voice", 9)
    page.text(72, 85, "These are the singers of the choir as they were counted at the end of the year.", 9)
    lay_table(page, ROWS, 100, EDGES)
    (shown,) = read_pages(page)
    facts, whole = gather_facts(shown), Box(71, 100, 401, 161)
    (same,) = widen_tables(facts, [whole], find_surroundings(facts, [whole]))
    assert same == whole


def test_the_rows_above_the_closing_rule_are_the_tables():
    (page,) = read_pages(captioned())
    facts, cut = gather_facts(page), Box(71, 101, 401, 144)
    (wider,) = widen_tables(facts, [cut], find_surroundings(facts, [cut]))
    assert wider.bottom == pytest.approx(158, abs=3)


@pytest.mark.parametrize(
    ("above", "below", "inside"),
    [
        (None, "Figure 2. Singers by voice", True),
        (None, "Table 2. Singers by voice", False),
        ("Table 1. Singers by voice", "Figure 2. The choir", False),
        (None, "The choir sang well, and all who heard it said that it had never been better.", False),
    ],
)
def test_what_stands_over_the_caption_of_a_figure_is_a_part_of_it(above: str | None, below: str, inside: bool):
    page = PdfPage()
    if above:
        page.text(72, 92, above, 9)
    for number, row in enumerate(ROWS):
        for edge, text in zip(EDGES, row, strict=False):
            page.text(edge, 110 + 15 * number, text, 9)
    page.text(72, 180, below, 9)
    page.text(72, 200, "Figure 3. Another choir", 9)
    (shown,) = read_pages(page)
    facts, box = gather_facts(shown), Box(71, 100, 401, 161)
    (about,) = find_surroundings(facts, [box])
    assert in_figure(facts, box, about) is inside


def part_of(page: PrintedPage, top: float, bottom: float) -> PrintedRegion:
    box = Box(71, top, 401, bottom)
    (about,) = find_surroundings(gather_facts(page), [box])
    return PrintedRegion(page, Place(page=page.number, box=box), box, about=about)


@pytest.mark.parametrize(
    ("edges", "heading", "joined"),
    [
        (EDGES, None, True),
        ([72.0, 130.0, 190.0, 250.0, 320.0, 400.0], None, False),  # as wide, with other columns
        (EDGES, "Money", False),  # a heading stands between
    ],
)
def test_a_table_goes_on_where_the_columns_are_the_same_and_nothing_stands_between(
    edges: list[float], heading: str | None, joined: bool
):
    first, second = PdfPage(), PdfPage()
    lay_table(first, ROWS, 700, EDGES)
    body = [["Bass", "1", "9", "7", "4"], ["Baritone", "0", "6", "5", "3"], ["Descant", "2", "1", "8", "6"]]
    lay_table(second, [row[: len(edges) - 1] for row in body], 100, edges)
    if heading:
        second.text(72, 90, heading, 12, "bold")
    upper, lower = read_pages(first, second)
    assert goes_on(part_of(upper, 700, 761), part_of(lower, 100, 146)) is joined


def test_lines_of_a_note_stay_together_and_notes_may_be_as_wide_as_the_caption():
    page = PdfPage()
    page.text(40, 92, "Table 1. Singers by voice, with a caption that is much wider than the table below", 9)
    lay_table(page, ROWS, 100, EDGES)
    page.text(40, 175, "Note: counted twice. S: soprano; A: alto; T: tenor; the others are left out, and in", 7)
    page.text(40, 185.5, "k: the small choir; they are told of in the report of the year before.", 7)
    for line in range(8):
        page.text(40, 220 + 12 * line, "The choir sang well, and all who heard it said it had never been better.", 9)
    (shown,) = read_pages(page)
    (about,) = find_surroundings(gather_facts(shown), [Box(71, 100, 401, 161)])
    assert len(about.notes) == 1
    assert about.notes[0].startswith("Note: counted twice")
    assert about.notes[0].endswith("the year before.")


@pytest.mark.parametrize("word", sorted({word for words in WORDS["table"].values() for word in words.split(", ")}))
def test_every_listed_word_opens_a_caption(word: str):
    for text in (f"{word.capitalize()} 3. Growth", f"{word.upper()} 3"):
        caption = read_caption(text)
        assert caption is not None
        assert (caption.kind, caption.label[-1]) == ("table", "3")


def test_captions_without_a_blank_after_the_word():
    caption = read_caption("表3 人口")
    assert caption is not None
    assert (caption.label, caption.rest) == ("表3", "人口")


def test_a_caption_in_the_first_cell_of_a_lattice_is_not_of_the_table_and_all_else_is():
    page = PdfPage()
    lay_table(page, ROWS, 100, EDGES, ruled=True)
    for x in (EDGES[0], EDGES[-1]):
        page.rule(x, 60, x, 100)
    page.rule(EDGES[0], 60, EDGES[-1], 60)
    page.text(180, 75, "Exhibit 9", 9)
    page.text(150, 90, "Singers by voice", 9)
    (shown,) = read_pages(page)
    facts = gather_facts(shown)
    chance = settle_chances(facts, np.full(len(facts.text), 0.7))
    assert {text for text, p in zip(facts.text, chance, strict=True) if p == 0} == {"Exhibit 9", "Singers by voice"}
    assert (facts.lattices[0].rows, facts.lattices[0].columns) == (5, 3)


def test_what_is_told_of_a_region_knows_the_captions_before_it():
    first, second = read_pages(captioned(), captioned())
    assert (Earlier().tables, Earlier().past(first).tables) == (0, 1)
    facts = gather_facts(second, Earlier().past(first))
    told = region_features(facts, np.ones(len(facts.text)), np.arange(1, len(facts.text)))
    assert told[REGION_FEATURES.index("captions before")] == 1.0


def about_table(*texts: tuple[float, float, str, float]) -> Surroundings:
    """What stands around a table at 100 to 160, with texts set beside it."""
    page = PdfPage()
    for x, y, text, size in texts:
        page.text(x, y, text, size)
    lay_table(page, ROWS, 100, EDGES)
    (shown,) = read_pages(page)
    (about,) = find_surroundings(gather_facts(shown), [Box(71, 100, 401, 161)])
    return about


def test_what_follows_the_first_sentence_of_a_caption_below_a_table_is_a_note():
    about = about_table(
        (72, 180, "Table 1. Singers by voice. SD standard deviation, NS not", 9), (72, 191, "significant.", 9)
    )
    assert about.caption == "Table 1. Singers by voice."
    assert about.notes == ("SD standard deviation, NS not significant.",)


def test_a_caption_below_a_table_may_have_a_heading_of_its_own():
    about = about_table((72, 180, "Table 1: Singers.", 9), (72, 191, "They were counted by voice in spring.", 9))
    assert about.caption == "Table 1: Singers. They were counted by voice in spring."
    assert about.notes == ()


def test_a_caption_may_stand_at_the_left_of_its_table():
    about = about_table((10, 108, "Table 4", 8), (10, 118, "The singers", 8))
    assert (about.label, about.caption) == ("Table 4", "Table 4 The singers")


def test_a_caption_is_as_wide_as_it_is_set_and_the_head_of_a_column_is_no_line_of_it():
    wide = "Singers of the small choir and of the large one, by voice, at the end of the year before the last one"
    about = about_table((72, 80, "Table 1.", 9), (115, 80, wide, 9), (380, 91, "Men", 9))
    assert about.caption == f"Table 1. {wide}"


def test_the_lines_between_a_label_and_the_rule_below_it_are_no_rows():
    page = PdfPage()
    page.text(72, 70, "Table 1", 9)
    page.text(72, 81, "Singers of the small choir and of the large", 9)
    page.text(72, 92, "one, by voice", 9)
    lay_table(page, ROWS, 100, EDGES)
    (shown,) = read_pages(page)
    facts = gather_facts(shown)
    chance = settle_chances(facts, np.full(len(facts.text), 0.7))
    assert [text for text, p in zip(facts.text, chance, strict=True) if p == 0] == [
        "Table 1",
        "Singers of the small choir and of the large",
        "one, by voice",
    ]


def test_captions_stand_below_where_more_of_them_find_a_table_so():
    page = PdfPage()
    boxes = []
    for number, top in enumerate((100, 190), start=1):
        lay_table(page, ROWS, top, EDGES)
        page.text(72, top + 73, f"Table {number}: Singers of choir {number}", 9)
        boxes.append(Box(71, top, 401, top + 61))
    (shown,) = read_pages(page)
    abouts = find_surroundings(gather_facts(shown), boxes)
    assert [(about.label, about.position) for about in abouts] == [("Table 1", "below"), ("Table 2", "below")]


def test_a_line_of_text_that_names_a_table_is_no_caption_of_the_one_at_its_right():
    page = PdfPage()
    for line in range(30):
        said = "Table 3. And of this we" if line == 3 else "we sang of it at length, all of us and all the others"
        page.text(40, 100 + 11 * line, said, 8)
    lay_table(page, ROWS, 120, [250.0, 350.0, 420.0, 500.0])
    (shown,) = read_pages(page)
    (about,) = find_surroundings(gather_facts(shown), [Box(249, 120, 501, 181)])
    assert about.caption is None


def test_a_table_goes_on_in_the_next_column_of_text():
    page = PdfPage()
    edges = [60.0, 140.0, 200.0, 260.0]
    for line in range(40):
        page.text(60, 100 + 14 * line, "we sang of it at length, all of us, and the others", 8)
        page.text(320, 200 + 14 * line, "we sang of it at length, all of us, and the others", 8)
    lay_table(page, ROWS, 690, edges)
    lay_table(page, [["Bass", "1", "9"], ["Baritone", "0", "6"], ["Descant", "2", "1"]], 90, [x + 260 for x in edges])
    (shown,) = read_pages(page)
    boxes = [Box(319, 90, 521, 136), Box(59, 690, 261, 751)]
    abouts = find_surroundings(gather_facts(shown), boxes)
    found = [
        PrintedRegion(shown, Place(page=1, box=box), box, about=about) for box, about in zip(boxes, abouts, strict=True)
    ]
    (joined,) = join_parts([found])
    assert (joined.box, [part.box for part in joined.parts]) == (boxes[1], [boxes[0]])
    few_rows, whole = msgspec.structs.replace(found[0], genuine=0.1), found[1]
    assert len(list(join_parts([[few_rows, whole]]))) == 2
    named = msgspec.structs.replace(whole, about=Surroundings(label="Table 1"))
    (joined,) = join_parts([[few_rows, named]])  # a few rows are told by the captioned table that they go on with
    assert [part.box for part in joined.parts] == [boxes[0]]


def test_a_sentence_goes_on_behind_the_caption_of_a_figure():
    page = PdfPage()
    page.text(72, 100, "The choir has grown, as all of us who sing have seen in Table", 10)
    page.text(72, 120, "Figure 2. The choir at the end of the year, seen from the door", 8)
    page.text(72, 130, "of the hall. Voices are those of Table 4.", 8)
    page.text(72, 160, "3 and in the hall. It sings well, and it will sing on.", 10)
    for line in range(5):
        page.text(72, 180 + 14 * line, "It sings well, and all who hear it say that it was never better.", 10)
    (shown,) = read_pages(page)
    text = RunningText()
    text.add(shown, set(), set())
    assert set(text.close()) == {
        "Voices are those of Table 4.",
        "The choir has grown, as all of us who sing have seen in Table 3 and in the hall.",
    }


SECTIONS = [
    "Introduction",
    "Smoking by age",
    "Smoking by sex",
    "Regions of the country",
    "Trends since 1990",
    "Sources",
]


def contents(heading: str, numbers: list[str], pages: list[int]) -> bool:
    """Whether a page with these sections under a heading is a list of contents."""
    page = PdfPage()
    page.text(72, 90, heading, 16, "bold")
    for line, (number, section, at) in enumerate(zip(numbers, SECTIONS, pages, strict=True)):
        page.text(72, 130 + 20 * line, number, 10)
        page.text(110, 130 + 20 * line, section, 10)
        page.text(500 - 5.6 * len(str(at)), 130 + 20 * line, str(at), 10)
    (shown,) = read_pages(page)
    return lists_contents(gather_facts(shown), Box(60, 110, 560, 260))


PAGES = [3, 5, 5, 8, 11, 40]


@pytest.mark.parametrize(("heading", "numbers"), [
    ("Contents", ["1", "2", "3", "4", "5", "6"]),
    ("What is where", ["1.1", "1.2", "1.3", "2.1", "2.2", "A.1"]),
    ("Inhaltsverzeichnis", ["1", "2", "3", "4", "5", "6"]),
])  # fmt: skip
def test_sections_with_their_pages_are_a_list_of_contents(heading: str, numbers: list[str]):
    assert contents(heading, numbers, PAGES)


def test_what_only_counts_up_is_no_list_of_contents():
    assert not contents("Smokers by chapter", ["1", "2", "3", "4", "5", "6"], PAGES)
    assert not contents("Contents", ["1", "2", "3", "4", "5", "6"], [3, 5, 4, 8, 11, 40])
