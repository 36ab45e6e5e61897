"""Note marks are taken from labels, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabellion.model.grid import Content
from tabellion.values import read_texts, split_marks


@pytest.mark.parametrize(
    ("text", "label", "notes"),
    [
        (r"Total \1", "Total", ("1",)),
        (r"Total \1 \2", "Total", ("1", "2")),
        (r"Funds obligated \4, \5", "Funds obligated", ("4", "5")),
        ("Mathematics\\2\\", "Mathematics", ("2",)),
        (r"Total oil imports \4 (1,000 barrels per day)", "Total oil imports (1,000 barrels per day)", ("4",)),
        (r"Denmark: \5", "Denmark:", ("5",)),
        ("Total¹", "Total", ("1",)),
        ("Total **", "Total", ("**",)),
        ("*Nuclear reactors", "Nuclear reactors", ("*",)),
        ("Other†", "Other", ("†",)),
        ("Not elsewhere included(1)", "Not elsewhere included", ("1",)),
        ("Wages [2]", "Wages", ("2",)),
        ("Wages (a)", "Wages", ("a",)),
        ("Wages [1, 2]", "Wages", ("1", "2")),
        ("11th grade /2", "11th grade", ("2",)),
        ("Exports 1/", "Exports", ("1",)),
        ("Land use (LULUCF) 1)", "Land use (LULUCF)", ("1",)),
        ("January 2010r unadjusted", "January 2010 unadjusted", ("r",)),
    ],
)
def test_marks_are_split_from_labels(text: str, label: str, notes: tuple[str, ...]) -> None:
    assert split_marks(text) == (label, notes)


@pytest.mark.parametrize(
    "text",
    [
        "m²", "km²", "CO2", "Grade 9", "1990 (April 1)", "(C33-C34)", "Falls [W00-W19]", "Number (1,000)", "2008/1",
        "1997/98", "Resident(s)", "Model (1)", "Column (2)", "2 1/2 or more", "Total (2002=100)", "Imports1", "U.S.",
        "Section 8", "Race/ethnicity",
    ],
)  # fmt: skip
def test_what_belongs_to_a_label_stays(text: str) -> None:
    assert split_marks(text) == (text, ())


def test_a_glued_digit_is_a_mark_where_the_grid_has_such_a_note() -> None:
    said = read_texts(["Imports1", "Exports2", "CO2", "1. Includes re-imports and transit."])
    assert (said["Imports1"].label, said["Imports1"].notes) == ("Imports", ("1",))
    assert said["Exports2"].label == "Exports2"
    assert said["CO2"].label == "CO2"


@given(st.text(max_size=30))
def test_a_label_never_becomes_empty(text: str) -> None:
    label, notes = split_marks(text)
    assert label or not text
    assert notes or label == text


@pytest.mark.parametrize("text", ["NA", "N/D", "n/d", "(X)", "..", "–", "#N/A"])
def test_marks_for_a_missing_value_are_none_in_any_column(text: str) -> None:
    assert read_texts([text])[text].content == Content.MISSING
