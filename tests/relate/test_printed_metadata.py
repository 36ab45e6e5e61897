"""What stands around a printed table is told with it: caption, notes, mentions, layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabellion.pipeline import extract_document
from tabellion.relate.metadata import find_mentions

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def tables():
    return extract_document(EXAMPLES / "report.pdf").tables


def test_caption_number_and_position(tables):
    about = tables[0].metadata.affiliated
    assert about.index_number == "Table 1"
    assert about.caption == "Table 1. Singers by voice at the end of the year."
    assert about.caption_position == "above"


def test_notes_belong_to_the_values_that_carry_their_mark(tables):
    assert tables[0].metadata.affiliated.footnotes == ("* Provisional: counted at the last rehearsal.",)
    noted = {one.text for one in tables[0].tuples if one.notes}
    assert noted == {"17", "14", "8", "9"}


def test_passages_that_mention_the_table(tables):
    (passage,) = tables[1].metadata.affiliated.references
    assert passage.startswith("Eight concerts were sung; Table 2 lists them")
    assert passage.endswith("at the door.")


def test_environment_and_layout(tables):
    first = tables[0].metadata
    assert (first.environment.document_type, first.environment.page_number) == ("pdf", 1)
    assert first.environment.document_authors == ("Ada Winter",)
    assert first.layout.alignment == ("left", "right", "right", "right", "right")
    assert first.layout.boxhead_separator == "line"
    assert first.layout.width == pytest.approx(436, abs=3)
    assert (first.type.kind, tables[1].metadata.type.kind) == ("numerical", "combination")


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("See Tables 1 and 3 for more.", True),
        ("The sums (Tables 2–4) agree.", True),
        ("Table 3a holds the rest.", True),
        ("TABLE III is missing.", True),
        ("Table 13 is another one.", False),
        ("The table has 3 legs.", False),
    ],
)
def test_mentions_in_lists_ranges_and_roman_numbers(sentence, named):
    assert bool(find_mentions("Table 3", [sentence])) is named
