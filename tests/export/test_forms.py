"""CSV, Markdown, HTML and data frames."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.building import build_extraction, build_frame, build_grid, build_nested, smoking

from tabellion.api import Table, Tables
from tabellion.errors import MissingExtraError
from tabellion.export.arrow import write_parquet
from tabellion.export.columns import typed_values
from tabellion.export.csv import csv_head, to_csv
from tabellion.export.html import to_markdown
from tabellion.pipeline import extract_document

EXAMPLES = Path(__file__).parents[2] / "examples"


def tables() -> Tables:
    return Tables(build_extraction(smoking()))


def sales() -> Table:
    grid = build_grid(
        [
            ["", "Sales", None, "Staff"],
            ["Region", "1990", "1995", None],
            ["Ohio", 1, 2.5, "few"],
            ["Iowa", 3, "(NA)", "many"],
        ],
        merges=["B1:C1"],
    )
    nested = build_nested(build_frame(grid, "hhdd"), under={"B2": "B1", "C2": "B1"})
    return Tables(build_extraction(nested))[0]


def test_csv_has_one_line_a_value() -> None:
    lines = list(csv.DictReader(io.StringIO(to_csv(build_extraction(smoking())).decode())))
    assert len(lines) == 8
    assert [line["text"] for line in lines if not line["value"]] == ["(NA)", "F"]
    old = next(line for line in lines if line["address"] == "C7")
    assert old["left"] == "Male, total | 65 years and over"
    assert (old["top"], old["value"], old["unit"], old["sheet"]) == ("1995", "14.3", "%", "Sheet1")
    assert old["notes"] == "Figure does not meet standards."


def test_many_documents_go_under_one_head() -> None:
    first, second = to_csv(build_extraction(smoking())), to_csv(build_extraction(smoking()), head=False)
    assert first.startswith(csv_head())
    assert first == csv_head() + second


def test_markdown_shows_title_paths_and_notes() -> None:
    text = to_markdown(build_extraction(smoking())).decode()
    assert "## Table 204. Cigarette Smoking by Sex and Age \\[In percent. Based on a survey]" in text
    assert "| Sex and age | 1990 | 1995 |" in text
    assert "| &emsp;65 years and over | 14.6 |" in text
    assert "- Source: National Health Interview Survey." in text
    assert "| Region | Sales / 1990 | Sales / 1995 | Staff |" in sales().to_markdown()


def test_markdown_keeps_bars_and_marks_as_text() -> None:
    grid = build_grid([["", "a|b"], ["x*y*z", "c_d"]])
    text = to_markdown(build_extraction(build_nested(build_frame(grid, "hd")))).decode()
    assert "a\\|b" in text
    assert "x\\*y\\*z" in text


def test_html_colours_the_regions_and_escapes_texts() -> None:
    grid = build_grid([["<b>", None], ["", "1990"], ["Ohio", 7], ["Note: <i>", None]])
    html = Tables(build_extraction(build_nested(build_frame(grid, "thdn"))))[0]._repr_html_()
    for role in ("title", "header", "stub", "value", "note"):
        assert f'class="{role}"' in html
    assert "&lt;b&gt;" in html
    assert "<i>" not in html


def test_html_of_a_long_table_says_what_is_left_out() -> None:
    grid = build_grid([["", "1990"], *([f"r{n}", n] for n in range(500))])
    html = Tables(build_extraction(build_nested(build_frame(grid, "h" + "d" * 500))))[0]._repr_html_()
    assert "441 rows not shown" in html


def test_pandas_has_one_row_a_value_and_a_column_a_level() -> None:
    pytest.importorskip("pandas")
    frame = tables()[0].to_pandas()
    assert list(frame.columns) == [
        "address", "row", "column", "left_1", "left_2", "top_1", "value", "text", "unit", "notes", "confidence",
        "low", "high", "error", "bound",
    ]  # fmt: skip
    line = frame.set_index("address").loc["B7"]
    assert (line["left_1"], line["left_2"], line["top_1"], line["value"]) == (
        "Male, total",
        "65 years and over",
        "1990",
        14.6,
    )
    assert frame["value"].dtype == np.float64


def test_pandas_gives_the_table_as_it_is_laid_out() -> None:
    pandas = pytest.importorskip("pandas")
    frame = sales().to_pandas(layout=True)
    assert isinstance(frame.columns, pandas.MultiIndex)
    assert frame.loc["Ohio", ("Sales", "1995")] == 2.5
    assert pandas.isna(frame.loc["Iowa", ("Sales", "1995")])
    assert frame[("Sales", "1990")].dtype.kind == "i"
    assert frame.loc["Iowa", ("Staff", "")] == "many"


def test_polars_and_arrow_hold_the_same_as_pandas() -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    table = sales()
    from_polars, from_arrow = table.to_polars().to_dicts(), table.to_arrow().to_pylist()
    assert from_polars == from_arrow
    assert [one["value"] for one in from_arrow] == [1.0, 2.5, None, 3.0, None, None]
    assert [one["text"] for one in from_arrow] == ["1", "2.5", "few", "3", "(NA)", "many"]
    assert from_arrow[2]["top_2"] is None


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tabellion\[polars\]'"):
        sales().to_polars()


def test_a_table_as_a_dictionary_is_that_of_the_contract() -> None:
    assert tables()[0].to_dict()["tuples"][0]["address"] == "B4"


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=12), st.floats(allow_nan=False, allow_infinity=False)), min_size=1)
)
def test_typed_values_are_those_of_single_cells(cells: list[str | float | None]) -> None:
    grid = build_grid([cells])
    columns = np.arange(len(cells))
    rows = np.zeros(len(cells), dtype=np.int64)
    assert typed_values(grid, rows, columns) == [grid.value(0, column) for column in columns.tolist()]


def test_a_value_of_a_pdf_can_be_cited_from_csv_and_parquet() -> None:
    found = extract_document(EXAMPLES / "report.pdf")
    lines = list(csv.DictReader(io.StringIO(to_csv(found).decode())))
    assert lines
    assert all(line["page"].isdigit() and len(line["box"].split()) == 4 for line in lines)
    file = io.BytesIO()
    write_parquet([found], file)
    rows = pyarrow.parquet.read_table(file).to_pylist()
    assert len(rows) == len(lines)
    assert all(row["page"] >= 1 and len(row["box"]) == 4 for row in rows)
