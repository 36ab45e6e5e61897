"""Tables are told by the numbers that a text names them with, in the forms that real texts use."""

from __future__ import annotations

import pytest

from tabellion.relate.metadata import find_mentions
from tabellion.values.table_labels import find_labels, mentions_table


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as Table 3 shows", {"3"}),
        ("Tables 3 and 4", {"3", "4"}),
        ("TABLES 3 AND 4", {"3", "4"}),
        ("TABLE III", {"3"}),
        ("Tables II–IV", {"2", "3", "4"}),
        ("(Tab. 2)", {"2"}),
        ("Tabelle 3", {"3"}),
        ("Tabellen 2 bis 4", {"2", "3", "4"}),
        ("le Tableau 3", {"3"}),
        ("la Tabla 3", {"3"}),
        ("в таблице 3", {"3"}),
        ("Table S1", {"s1"}),
        ("Tables S1–S3", {"s1", "s2", "s3"}),
        ("Table A.2", {"a2"}),
        ("Table A-2", {"a2"}),
        ("Table 2.1", {"2.1"}),
        ("Table No. 4", {"4"}),
        ("Table-1", {"1"}),
        ("Tables 1, 2, and 5", {"1", "2", "5"}),
        ("table 1 and table 2", {"1", "2"}),
        ("Table B gives", {"b"}),
        ("Table 1, 30 patients were", {"1"}),
        ("Table 4; Figure 2", {"4"}),
        ("the table I saw", set()),
        ("the timetable 3 shows", set()),
        ("see schedule 2", set()),
        ("the table of 3 rows", set()),
    ],
)
def test_a_text_names_tables(text: str, numbers: set[str]) -> None:
    assert {label.number for label in find_labels(text)} == numbers
    assert mentions_table(text) == bool(numbers)


@pytest.mark.parametrize(
    ("own", "text", "named"),
    [
        ("Table 2", "See Tables 1–3.", True),
        ("Table 2", "See Table 12.", False),
        ("Table 2", "See Table 2a.", True),
        ("Table 2a", "See Table 2.", True),
        ("Table 2a", "See Table 2b.", False),
        ("Table 2c", "See Table 2b–d.", True),
        ("Table 3-1", "See Table 3-1.", True),
        ("Table 3-1", "See Table 31.", False),
        ("Table 3-2", "See Tables 3-1 and 3-2.", True),
        ("TABLE IV", "See Table 4.", True),
        ("Tabelle 4", "See Table 4.", True),
        ("Table 4", "See Exhibit 4.", False),
        ("Exhibit 4", "Exhibits 3 and 4 agree.", True),
        ("EXHIBIT 4", "Exhibits 3 and 4 agree.", True),
        ("Schedule 2", "Schedule 2 lists them.", True),
        ("Table 2", "See Supplementary Table 2.", False),
        ("Supplementary Table 2", "See Supplementary Table 2.", True),
        ("Table S2", "See Supplementary Table S2.", True),
        ("Table A", "See Table A.", True),
        (None, "See Table 1.", False),
    ],
)
def test_a_sentence_is_quoted_with_the_table_that_it_names(own: str | None, text: str, named: bool) -> None:
    assert find_mentions(own, [text]) == ((text,) if named else ())


@pytest.mark.parametrize(
    "text", ["Table 1" + ",1" * 50_000, "Tables " + "1-" * 50_000, "Tab" * 50_000, "Table 1 " + " " * 100_000]
)
def test_a_hostile_text_names_no_more_than_a_list_has(text: str) -> None:
    assert len(list(find_labels(text))) <= 100
