"""No text takes long to read, whatever it is made of."""

from __future__ import annotations

import pytest

from tabellion.relate.titles import part_notes
from tabellion.values import read_texts, split_marks
from tabellion.values.unit import find_stated_unit, find_unit

PARTS = [
    "*",
    "1 ",
    "1,",
    "\\1",
    "(1)",
    " ",
    ".",
    "- ",
    "a",
    "¹",
    "/1",
    "r ",
    "$",
    "[",
    "†",
    "per ",
    "million ",
    "1,000",
    "in ",
]


@pytest.mark.parametrize("first", PARTS)
def test_repeated_signs_do_not_keep_the_patterns_going_back_for_ever(first: str) -> None:
    texts = [text for second in PARTS for text in (first * 30 + second * 30 + "x", (first + second) * 30 + "!")]
    texts.append("x" + first * 5_000 + "x.")
    read_texts(texts)
    for text in texts:
        split_marks(text)
        find_unit(text)
        find_stated_unit(text)
    part_notes(texts)
