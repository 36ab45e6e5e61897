"""How far a value can be off goes with it wherever it goes: into every export, into data frames, into the library."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tabellion import Library, extract, read_export
from tabellion.api import Tables
from tabellion.export.forms import write_export

PAGE = """<table><caption>Doses and effects</caption>
<tr><th>Drug</th><th>Mean dose</th><th>Range</th><th>P value</th><th>Ratio</th><th>Count</th></tr>
<tr><th>Aspirin</th><td>32.5 ± 0.6</td><td>12–15</td><td>&lt;0.05</td>
<td>1.2 (1.0–1.5)</td><td>1.2×10<sup>3</sup></td></tr>
<tr><th>Ibuprofen</th><td>40.1 ± 1.2</td><td>20–25</td><td>0.31</td>
<td>0.9 (0.7–1.1)</td><td>2.5×10<sup>3</sup></td></tr>
<tr><th>Codeine</th><td>12.0 ± 0.3</td><td>8–10</td><td>≥ 0.5</td><td>1.4 (1.2–1.9)</td><td>40</td></tr>
</table>"""


@pytest.fixture(scope="module")
def found() -> Tables:
    return extract(PAGE.encode())


def told(found: Tables) -> dict[tuple[str, str], tuple[object, ...]]:
    return {
        (one.left[-1], one.top[-1]): (one.value, one.low, one.high, one.error, one.bound)
        for one in found[0].tuples
        if one.left and one.top
    }


def test_every_tuple_says_how_far_its_value_can_be_off(found: Tables) -> None:
    said = told(found)
    assert said["Aspirin", "Mean dose"] == (32.5, None, None, 0.6, None)
    assert said["Aspirin", "Range"] == ("12–15", 12, 15, None, None)
    assert said["Aspirin", "P value"] == (0.05, None, None, None, "<")
    assert said["Codeine", "P value"] == (0.5, None, None, None, "≥")
    assert said["Ibuprofen", "Ratio"] == (0.9, 0.7, 1.1, None, None)
    assert said["Ibuprofen", "Count"] == (2500, None, None, None, None)
    assert said["Ibuprofen", "P value"] == (0.31, None, None, None, None)


def test_json_names_only_what_is_said(found: Tables) -> None:
    tuples = json.loads(found.to_json())["tables"][0]["tuples"]
    by_text = {one["text"]: one for one in tuples}
    assert {"low", "high"} <= set(by_text["12–15"]) and "error" not in by_text["12–15"]
    assert by_text["<0.05"]["bound"] == "<" and by_text["32.5 ± 0.6"]["error"] == 0.6
    assert not {"low", "high", "error", "bound"} & set(by_text["0.31"])


@pytest.mark.parametrize("form", ["csv", "parquet", "json", "xml", "html", "xlsx"])
def test_it_reads_back(form: str, found: Tables) -> None:
    file = io.BytesIO()
    write_export(form, [found.extraction], file)  # type: ignore[arg-type]
    (table,) = read_export(file.getvalue())
    again = {
        (one.left[-1], one.top[-1]): (one.value, one.low, one.high, one.error, one.bound)
        for one in table.tuples
        if one.left and one.top
    }
    assert {key: again[key] for key in told(found)} == told(found)


def test_rdf_says_it(found: Tables) -> None:
    file = io.BytesIO()
    write_export("turtle", [found.extraction], file)
    text = file.getvalue().decode()
    assert "tab:error" in text and "tab:low" in text and 'tab:bound "<"' in text


def test_data_frames_have_it(found: Tables) -> None:
    table = found[0]
    frame = table.to_pandas()
    assert set(frame.loc[frame["text"] == "12–15", ["low", "high"]].iloc[0]) == {12.0, 15.0}
    assert frame["bound"].dropna().tolist() == ["<", "≥"]
    assert table.to_arrow().column("error").null_count == len(table.tuples) - 3
    assert table.to_polars()["bound"].drop_nulls().to_list() == ["<", "≥"]


def test_the_library_can_be_asked_for_it(tmp_path: Path) -> None:
    (tmp_path / "doses.html").write_text(PAGE, encoding="utf-8")
    with Library(str(tmp_path / "library"), create=True) as library:
        library.add(tmp_path / "doses.html")
        rows = library.query("select text, value, error from tuples where error is not null order by value").to_pylist()
        assert [row["error"] for row in rows] == [0.3, 0.6, 1.2] and rows[0]["value"] == 12.0
        (name,) = library.query("select name from tables").to_pylist()
        tidy = f"select bound from {name['name']}_tidy where bound is not null"  # noqa: S608 - a name of ours
        bounds = library.query(tidy).to_pylist()
        assert sorted(row["bound"] for row in bounds) == ["<", "≥"]
