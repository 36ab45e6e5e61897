"""Delimited text becomes one sheet of texts, row for row as the records stand in the file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tabellion
from tabellion.errors import TooLargeError, UnknownFormatError
from tabellion.model.document import Sheet, Stored
from tabellion.read import read_document
from tabellion.read.delimited import read_delimited
from tabellion.read.limits import Limits


def sheet_of(data: bytes | str) -> Sheet:
    return read_delimited(data.encode() if isinstance(data, str) else data, Limits()).sheets[0]


def texts(data: bytes | str) -> dict[tuple[int, int], str]:
    cells = sheet_of(data).cells
    return dict(zip(zip(cells.row.tolist(), cells.column.tolist(), strict=True), cells.text.tolist(), strict=True))


def test_fields_stay_text_as_they_stand() -> None:
    cells = sheet_of("code,value\n007,1.50\n").cells
    assert cells.text.tolist() == ["code", "value", "007", "1.50"]
    assert set(cells.stored.tolist()) == {Stored.TEXT}


def test_blank_lines_count_as_rows_and_blank_fields_hold_nothing() -> None:
    assert texts("a,b\r\n\r\n ,2\r\n") == {(0, 0): "a", (0, 1): "b", (2, 1): "2"}


def test_leading_blanks_of_a_label_are_kept() -> None:
    assert texts("Total,3\n  Male,1\n  Female,2\n")[1, 0] == "  Male"


def test_a_quoted_field_may_hold_delimiters_quotes_and_line_breaks() -> None:
    found = texts('a,b\n"x, ""y""\nz",1\nlast,2\n')
    assert found[1, 0] == 'x, "y"\nz'
    assert found[2, 0] == "last"


def test_remarks_above_a_head_are_one_field_each() -> None:
    found = texts("# Sea level, in mm\n# Source: a, b, c\n\nYear,Level,Error\n1880,-12,5\n1881,-7,5\n1882,3,4\n")
    assert [text for (row, _), text in found.items() if row < 3] == ["# Sea level, in mm", "# Source: a, b, c"]
    assert found[3, 1] == "Level" and found[6, 2] == "4"


@pytest.mark.parametrize("head", ["#Year,Level,Error", "#,Level,Error"])
def test_a_head_that_begins_with_a_hash_is_no_remark(head: str) -> None:
    assert texts(f"{head}\n1880,-12,5\n1881,-7,5\n1882,3,4\n")[0, 1] == "Level"
    assert texts(f"{head}\nold,low,few\nnew,high,many\n")[0, 1] == "Level"


def test_ragged_lines_and_leading_metadata_keep_their_places() -> None:
    found = texts("Table 5\nUnit: thousand\n\n,1990,2000,2010\nMale,1,2\nFemale,3,4,5,6\n")
    assert found[0, 0] == "Table 5"
    assert found[5, 4] == "6"


def test_a_separator_line_is_obeyed_and_its_row_kept() -> None:
    assert texts("sep=;\na,b;c\n1;2\n") == {(1, 0): "a,b", (1, 1): "c", (2, 0): "1", (2, 1): "2"}


@pytest.mark.parametrize("row", [0, 150, 299])
def test_a_quote_never_closed_spoils_only_its_line(row: int) -> None:
    lines = [f'"Item {i}",{i}' for i in range(300)]
    lines[row] = f'"Item {row},{row}'
    contents = read_delimited("\n".join(lines).encode(), Limits())
    cells = contents.sheets[0].cells
    assert cells.row.max() == 299
    assert len(cells) == 600
    assert contents.issues[0].place is not None
    assert contents.issues[0].place.range == f"A{row + 1}"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", "\r\r\n"])
def test_any_line_ending_ends_a_row(ending: str) -> None:
    assert texts(f"a,b{ending}1,2{ending}") == {(0, 0): "a", (0, 1): "b", (1, 0): "1", (1, 1): "2"}


@pytest.mark.parametrize("data", ["", "\n\n", ",,,\n,,\n"])
def test_a_file_without_any_value_is_an_empty_sheet(data: str) -> None:
    assert len(sheet_of(data).cells) == 0


def test_one_cell() -> None:
    assert texts("42") == {(0, 0): "42"}


def test_binary_data_posing_as_csv_is_refused() -> None:
    with pytest.raises(UnknownFormatError):
        read_delimited(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10, Limits())


@pytest.mark.parametrize(
    ("limits", "named"), [(Limits(rows=5), "rows"), (Limits(cells=9), "cells"), (Limits(columns=1), "columns")]
)
def test_a_limit_that_is_passed_is_named(limits: Limits, named: str) -> None:
    with pytest.raises(TooLargeError, match=f"Limits.{named}"):
        read_delimited(b"a,b\n" * 10, limits)


@given(
    st.lists(
        st.lists(st.from_regex(r"[A-Za-z][a-z \",\n]{0,6}[a-z]", fullmatch=True), min_size=3, max_size=3),
        min_size=4,
        max_size=12,
    )
)
def test_what_was_written_is_read(rows: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL).writerows(rows)
    assert texts(file.getvalue()) == {(r, c): text for r, row in enumerate(rows) for c, text in enumerate(row)}


def test_many_open_quotes_are_given_up_together() -> None:
    lines = [f'x,"name {i},{i},{i * 2}' for i in range(50_000)]
    assert len(texts("\n".join(lines))) >= len(lines)


def test_real_files_agree_with_the_annotated_grid(
    corpora: Callable[[str], Path], agreement: Callable[..., float]
) -> None:
    folder = corpora("statsheets")
    checked = 0
    for line in (folder / "gold.jsonl").read_text().splitlines():
        gold = json.loads(line)
        if gold["file"].endswith(".csv"):
            contents = read_delimited((folder / "inputs" / gold["file"]).read_bytes(), Limits())
            assert agreement(contents, gold) >= 0.995, gold["file"]
            checked += 1
    assert checked == 30


def test_stray_zero_bytes_and_unmarked_utf16_are_still_told_to_be_text() -> None:
    assert read_document(b"name,value\nalpha\x00,12\nbeta,13\n").kind == "csv"
    assert read_document("年次,総数\n平成,12\n".encode("utf-16-le")).pages[0].cells.text[0] == "年次"
    with pytest.raises(UnknownFormatError, match="binary data"):
        read_document(bytes(range(256)))


def test_a_field_of_many_lines_is_one_among_many_rows_and_one_of_too_many_is_none() -> None:
    """Records are taken many at once: a quote over a few lines is a field, one that swallows the file is a letter."""
    rows = [f'{n},"line one\nline two"' for n in range(300)]
    sheet = read_document(("a,b\n" + "\n".join(rows)).encode()).pages[0]
    assert len(sheet.cells) == 602 and sheet.cells.text[-1] == "line one\nline two"
    swallowed = ['1,"x"'] * 300 + ['2,"open'] + ["3,y"] * 150 + ['4,closed"'] + ['5,"z"'] * 300
    document = read_document(("a,b\n" + "\n".join(swallowed)).encode())
    assert len(document.pages[0].cells) == 2 * 753


def test_fields_filled_up_with_blanks_are_not_indented() -> None:
    rows = "span (ft),  factor\n       79,     0.5\n      118,    0.75\n      171,     0.8\n"
    (table,) = tabellion.extract(rows.encode())
    assert [(one.left, one.text) for one in table.tuples] == [(("79",), "0.5"), (("118",), "0.75"), (("171",), "0.8")]
