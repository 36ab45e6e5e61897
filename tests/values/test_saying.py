"""What a cell's text says: content, number, label, indent, note marks, unit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabellion.model.grid import Content
from tabellion.values import Saying, is_missing_mark, read_text, read_texts


def one(text: str, *others: str) -> Saying:
    return read_texts([text, *others])[text]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1990", 1990),
        ("-5", -5),
        ("−5.5", -5.5),
        ("–9,9", -9.9),
        ("+3", 3),
        ("1,234,567", 1234567),
        ("1 234 567", 1234567),
        ("\xa0\xa012\xa0345,6", 12345.6),
        ("1'234.5", 1234.5),
        ("1.234.567,8", 1234567.8),
        ("12,34,567", 1234567),
        (".5", 0.5),
        ("1.2E-05", 1.2e-5),
        ("(1,234)", -1234),
        ("($5.25)", -5.25),
        ("$(5.25)", -5.25),
        ("+/-903", 903),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, number: float) -> None:
    said = one(text)
    assert said.content is Content.NUMBER
    assert said.number == number


@pytest.mark.parametrize(
    "text",
    [
        "007",
        "18-24",
        "19–22",
        "9 to 9",
        "1st",
        "1/2",
        "2 1/2",
        "1.5.3",
        "1.",
        "3D",
        "$5,001– $10,000",
        "65+",
        "<5",
        "A12",
    ],
)
def test_codes_ranges_and_fractions_are_no_numbers(text: str) -> None:
    said = one(text)
    assert said.content is Content.TEXT
    assert math.isnan(said.number)


def test_the_decimal_sign_is_settled_by_the_whole_grid() -> None:
    assert one("1,234", "56", "78").number == 1234
    assert one("1,234", "0,5", "12,75").number == 1.234
    assert one("1.234", "0,5", "12,75").number == 1234
    assert one("1.234", "0.5").number == 1.234


def test_one_slip_does_not_turn_the_decimal_sign() -> None:
    many = [f"{n},{n:03d}" for n in range(100, 150)]
    assert read_texts([*many, "12,5"])["100,100"].number == 100100


def test_a_bracketed_digit_is_negative_only_beside_others_that_are() -> None:
    assert one("(5)").content is Content.TEXT
    assert one("(2005)").content is Content.TEXT
    assert one("(1,000)").content is Content.TEXT
    assert one("(5)", "(12.5)").number == -5


@pytest.mark.parametrize(
    ("text", "number", "notes"),
    [
        (r"\2 16.2", 16.2, ("2",)),
        (r"1990 \1", 1990, ("1",)),
        (r"2007 \1, \3", 2007, ("1", "3")),
        ("12.3 r", 12.3, ("r",)),
        ("12.3r", 12.3, ("r",)),
        ("4,5E", 4.5, ("E",)),
        ("12.3*", 12.3, ("*",)),
        ("12.3 (p)", 12.3, ("p",)),
        ("16.2 1/", 16.2, ("1",)),
        ("16.2 2)", 16.2, ("2",)),
        ("12.3¹", 12.3, ("1",)),
        ("1,234 [b]", 1234, ("b",)),
    ],
)
def test_note_marks_are_no_part_of_a_number(text: str, number: float, notes: tuple[str, ...]) -> None:
    said = one(text)
    assert (said.content, said.number, said.notes) == (Content.NUMBER, number, notes)


@pytest.mark.parametrize(
    ("text", "unit"), [("12.5%", "%"), ("$1,234", "$"), ("€ 5", "€"), ("5 €", "€"), ("£3.50", "£"), ("US$ 5", "US$")]
)
def test_a_number_carries_its_own_unit(text: str, unit: str) -> None:
    assert one(text).unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "NA",
        "N/A",
        "n.a.",
        "(NA)",
        "(X)",
        "(Z)",
        "(S)",
        "(D)",
        "-",
        "–",
        "—",
        "..",
        "...",
        ".",
        ":",
        "‡",
        "x",
        "#N/A",
        "- -",
        "///",
        r"\5",
        r"(\2)",
    ],
)
def test_marks_for_missing_values_are_missing(text: str) -> None:
    assert one(text).content is Content.MISSING
    assert is_missing_mark(f" {text} ")


def test_a_lone_letter_is_missing_only_where_numbers_stand() -> None:
    assert one("F").content is Content.TEXT
    assert not is_missing_mark("F")
    assert is_missing_mark("F", strict=False)
    assert not is_missing_mark("Female", strict=False)
    assert not is_missing_mark("5", strict=False)


@pytest.mark.parametrize(
    ("text", "label", "indent"),
    [
        ("Total", "Total", 0),
        ("  Male", "Male", 1),
        ("\xa0\xa0\xa0\xa0Male", "Male", 2),
        ("\tMale", "Male", 1),
        ("..65 years", "65 years", 1),
        ("   .45 to 49 years", "45 to 49 years", 2),
        ("- of which women", "of which women", 1),
        ("-- part-time", "part-time", 2),
        ("• Coal", "Coal", 1),
        ("  Over 20 ...............", "Over 20", 1),
        ("Asian/\n Pacific\nIslander", "Asian/ Pacific Islander", 0),
    ],
)
def test_what_leads_a_label_is_its_indent(text: str, label: str, indent: float) -> None:
    said = one(text)
    assert (said.content, said.label, said.indent) == (Content.TEXT, label, indent)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2023-03-15", 45000),
        ("15 March 2023", 45000),
        ("March 15, 2023", 45000),
        ("15.03.2023", 45000),
        ("3/15/2023", 45000),
        ("15-Mar-23", 45000),
        ("15. März 2023", 45000),
        ("15 mars 2023", 45000),
        ("2023-03-15 12:00", 45000.5),
        ("Wednesday, March 15, 2023", 45000),
    ],
)
def test_dates_are_serial_days(text: str, day: float) -> None:
    said = one(text)
    assert (said.content, said.number) == (Content.DATE, day)


@pytest.mark.parametrize("text", ["Dec. 2009", "2009-Q1", "Q1 2009", "January 1990", "2009-02", "2008/IV"])
def test_a_period_is_a_date_without_a_day(text: str) -> None:
    said = one(text)
    assert said.content is Content.DATE
    assert math.isnan(said.number)


def test_another_date_of_the_grid_settles_day_or_month() -> None:
    assert one("02/01/2023", "25/01/2023").number == one("2 January 2023").number
    assert one("02/01/2023", "01/25/2023").number == one("February 1, 2023").number


def test_impossible_dates_are_texts() -> None:
    assert one("31.02.2023").content is Content.TEXT


def test_blank_text_is_empty() -> None:
    assert one(" \xa0 ").content is Content.EMPTY


_WAYS = {  # thousands, decimal
    "English": (",", "."),
    "German": (".", ","),
    "French": ("\u202f", ","),
    "Swiss": ("'", "."),
    "plain": ("", "."),
}


@given(st.integers(-(10**12), 10**12), st.sampled_from(sorted(_WAYS)), st.sampled_from(["-", "−", "–"]))
def test_a_number_written_by_any_custom_reads_back(cents: int, way: str, minus: str) -> None:
    thousands, decimal = _WAYS[way]
    written = f"{abs(cents) / 100:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
    said = read_texts([f"{minus if cents < 0 else ''}{written}"])
    assert next(iter(said.values())).number == cents / 100


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_shortest_form_of_a_number_reads_back(number: float) -> None:
    assert read_text(repr(number)).number == number


@given(st.text(max_size=40))
def test_any_text_says_something(text: str) -> None:
    said = one(text)
    assert (said.content is Content.EMPTY) == (not said.label)
    assert said.indent >= 0


def test_many_numbers_are_each_read_once() -> None:
    texts = [f"{n:,}" if n % 2 else f"{n}.{n % 97}" for n in range(200_000)]
    said = read_texts(texts)
    assert len(said) == len(set(texts))


def test_troy_entries_are_values_and_its_missing_marks_are_not(corpora) -> None:  # type: ignore[no-untyped-def]
    import json

    openpyxl = pytest.importorskip("openpyxl")
    folder = corpora("troy200")
    lost = kept = 0
    for line in (folder / "gold.jsonl").read_text("utf-8").splitlines()[::5]:
        gold = json.loads(line)
        sheet = openpyxl.load_workbook(folder / "inputs" / gold["file"].rpartition("/")[2]).active
        texts = {cell.coordinate: cell.value for row in sheet for cell in row if isinstance(cell.value, str)}
        said = read_texts(texts.values())
        entries = {entry["address"] for entry in gold["entries"]}
        lost += sum(a in texts and said[texts[a]].content in (Content.MISSING, Content.EMPTY) for a in entries)
        kept += sum(a in texts and said[texts[a]].content is Content.NUMBER for a in entries)
    assert lost == 0
    assert kept > 500
