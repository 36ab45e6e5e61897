"""The same words mean the same in every language and every medium."""

from __future__ import annotations

import io
from typing import Any

import openpyxl
import pytest

import tabellion
from tabellion.values.table_labels import find_labels, read_caption
from tabellion.values.unit import find_unit
from tabellion.values.vocabulary import lexicon, words_for
from tabellion.values.words import WORDS, Meaning

Rows = list[list[str | int]]
ROLES = ["header", "data", "data", "data", "derived", "note"]
LANGUAGES = sorted(WORDS["total"])


def first(meaning: Meaning, language: str) -> str:
    """A language's usual word, as a label begins; English where the language has none of its own."""
    return WORDS[meaning].get(language, WORDS[meaning]["en"]).split(",")[0].strip().capitalize()


def as_workbook(rows: Rows) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def as_web_page(rows: Rows) -> bytes:
    head, *body, note = rows
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in body]
    heads = "".join(f"<th>{cell}</th>" for cell in head)
    table = f"<tr>{heads}</tr><tr>" + "</tr><tr>".join(lines) + f"</tr><tr><td colspan=3>{note[0]}</td></tr>"
    return f"<!doctype html><meta charset=utf-8><title>Page</title><table>{table}</table>".encode()


@pytest.mark.parametrize("meaning", ["source", "note"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_totals_and_notes_are_told_alike_on_a_sheet_and_on_a_web_page(language: str, meaning: Meaning) -> None:
    rows: Rows = [
        ["Region", "2010", "2011"],
        ["Alden", 1203, 1420],
        ["Brook", 2511, 2623],
        ["Cliff", 305, 412],
        [first("total", language), 4019, 4455],
        [first(meaning, language).rstrip(":") + ": A. Bcde 2012"],
    ]
    for data in (as_workbook(rows), as_web_page(rows)):
        table = tabellion.extract(data, reader="staged")[0].to_dict()
        assert table["row_roles"] == ROLES
        assert len(table["tuples"]) == 8


@pytest.mark.parametrize("word", words_for("total"))
def test_every_word_for_total_is_one_as_a_whole_label_and_as_its_beginning(word: str) -> None:
    assert lexicon("total").fills(f" {word.upper() if word.isascii() else word}: ")
    assert lexicon("total").opens(f"{word} 2010")


@pytest.mark.parametrize("text", ["Totally new", "Summer", "Sumac", "統計", "計画", "Not applicable", "Lecture 5"])
def test_a_word_that_only_contains_one_means_nothing(text: str) -> None:
    assert not lexicon("total").within(text)
    assert not lexicon("source", "note").opens(text)


@pytest.mark.parametrize(
    ("caption", "label"),
    [
        ("Table 2. Births (continued)", "Table 2"),
        ("Tabelle 2: Geburten (Fortsetzung)", "Tabelle 2"),
        ("Tableau 2. Naissances (suite)", "Tableau 2"),
        ("Cuadro 2. Nacimientos (continuación)", "Cuadro 2"),
        ("Tabella 2. Nascite (segue)", "Tabella 2"),
        ("Tabel 2. Geboorten (vervolg)", "Tabel 2"),
        ("Quadro 2. Nascimentos (continuação)", "Quadro 2"),
        ("Tabell 2. Födda (forts.)", "Tabell 2"),
        ("表2 出生数 (続き)", "表2"),
    ],
)
def test_a_caption_says_that_its_table_goes_on(caption: str, label: str) -> None:
    found = read_caption(caption)
    assert found is not None
    assert (found.kind, found.label, found.continued) == ("table", label, True)


@pytest.mark.parametrize("text", ["véase el cuadro 3", "im Tabellenband, Tabelle 3", "zie tabel 3", "na tabela 3"])
def test_a_text_names_a_table_in_its_language(text: str) -> None:
    assert {label.number for label in find_labels(text)} == {"3"}


@pytest.mark.parametrize("word", words_for("unit"))
def test_a_unit_is_announced_in_every_language(word: str) -> None:
    assert str(find_unit(f"{word.capitalize()}: tonnes")) == "t"


@pytest.mark.parametrize("meaning", list(WORDS))
def test_every_word_and_phrase_is_found_where_a_text_begins_with_it_and_within_it(meaning: Meaning) -> None:
    for word in words_for(meaning):
        assert lexicon(meaning).opens(f"– {word.capitalize()} 12"), word
        assert lexicon(meaning).within(f"Xyz {word} (12)"), word
        assert not lexicon(meaning).within("Xyz (12)")


LISTED = sorted(WORDS["list head"])


@pytest.mark.parametrize("language", LISTED)
def test_a_list_of_fields_keeps_the_head_that_names_its_columns_in_every_language(language: str) -> None:
    """What is said of several kinds has no head, unless its words are those that stand over such columns."""
    value = WORDS["list head"][language].split(",")[0].strip().capitalize()
    rows: Rows = [["Xyz", value], ["Owner", "A. Bcde"], ["Place", "Brook"], ["Staff", 120], ["Opened", "in spring"]]
    for data in (as_workbook(rows), as_text(rows)):
        table = tabellion.extract(data, reader="staged")[0].to_dict()
        assert table["row_roles"][0] == "header"
        assert {tuple(one["top"]) for one in table["tuples"]} == {(value,)}
    rows[0] = ["Name", "Bcde Ltd"]
    form = tabellion.extract(as_text(rows), reader="staged")[0].to_dict()
    assert {tuple(one["top"]) for one in form["tuples"]} == {()}


def as_text(rows: Rows) -> bytes:
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


SCALED = {
    "en": "In thousands of dollars",
    "de": "in Tausend Euro",
    "fr": "en milliers d'euros",
    "es": "en miles de euros",
    "it": "in migliaia di euro",
    "nl": "in duizend euro",
    "pt": "em milhares de euros",
    "sv": "(tusen euro)",
    "pl": "(tys. euro)",
    "ja": "単位：千円",
}


@pytest.mark.parametrize("language", sorted(SCALED))
def test_a_line_that_only_states_a_unit_is_no_head_in_any_language_and_medium(language: str) -> None:
    rows: Rows = [
        ["Region", "North", "South", "East", "West"],
        *BODY,
    ]
    units = set()
    for data in (as_workbook([["", "", "", "", SCALED[language]], *rows]), as_captioned(SCALED[language], rows)):
        numbers = numbers_of(data)
        assert {tuple(one["top"]) for one in numbers} == {("North",), ("South",), ("East",), ("West",)}
        units |= {one["unit"] for one in numbers}
    assert len(units) == 1
    assert str(units.pop()).startswith("thousand ")


BODY: Rows = [
    ["Alden", 5101, 205, 3309, 41],
    ["Brook", 938, 2715, 119, 873],
    ["Cliff", 2210, 86, 1377, 4025],
    ["Dale", 714, 1530, 92, 618],
    ["Eaves", 3345, 477, 2806, 150],
]


def numbers_of(data: bytes) -> list[dict[str, Any]]:
    """The tuples that hold numbers; a relation of the web has others for its names."""
    return [
        one
        for one in tabellion.extract(data, reader="staged")[0].to_dict()["tuples"]
        if isinstance(one["value"], float | int)
    ]


def as_captioned(caption: str, rows: Rows) -> bytes:
    head, *body = ("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    head = head.replace("td>", "th>")
    return (
        f"<!doctype html><meta charset=utf-8><table><caption>{caption}</caption>{head}{''.join(body)}</table>".encode()
    )


@pytest.mark.parametrize("year", [1701, 1789, 1850, 1999, 2099])
def test_a_year_is_one_in_every_medium(year: int) -> None:
    """Years over the columns are heads, not values."""
    rows: Rows = [
        ["Region", *(str(year + step) for step in range(3))],
        *(row[:4] for row in BODY),
    ]
    heads = {(str(year + step),) for step in range(3)}
    for data in (as_workbook(rows), as_text(rows), as_captioned("Sheep", rows)):
        assert {tuple(one["top"]) for one in numbers_of(data)} == heads
