"""The delimiter is the one that cuts the lines alike into values."""

from __future__ import annotations

import pytest

from tabellion.read.delimited import find_dialect


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,5\n3,25;4\n", ";"),
        ("1,2;3,4\n5,6;7,8\n", ";"),
        ("Title, with comma; note\n\nJahr;Mann;Frau\n1990;1,5;2,5\n1991;1,6;2,7\nQuelle: Amt, 1999\n", ";"),
        ("Table 1. Population, by age, sex\n\n,Male,Female\nWhite,1,2\nBlack,3,4\nSource: Census, 1990.\n", ","),
        ("x\ty\n1,234\t5,678\n9,012\t3,456\n", "\t"),
        ("Total, all ages\tmale, white\n1\t2\n", "\t"),
        ("name|val\nA, B|1\nC, D|2\n", "|"),
        ('h1;h2\n"Text; mit Semikolon";5\n"x";6\n', ";"),
        ("sep=|\na,b|c\n", "|"),
        ("Region;2010;2011\nA;1 234,5;2 345,6\nB;1,2;\n", ";"),
        ("", ","),
    ],
)
def test_delimiter(text: str, delimiter: str) -> None:
    assert find_dialect(text).delimiter == delimiter


def test_quotes_that_are_inches_are_letters() -> None:
    assert find_dialect('"pipe\t3\n6\t4\n"nail\t5\n"rod\t5\n').quote is None


def test_apostrophes_quote_where_they_do_so_throughout() -> None:
    assert find_dialect("'a','b, c'\n'd','e'\n'f','g'\n").quote == "'"


def test_backslashes_escape_quotes_where_nothing_else_does() -> None:
    assert find_dialect('a,b\n"the \\"big\\" one",1\n"x",2\n').escape == "\\"
