"""The survey of a library: kinds, hierarchies and sizes, with intervals by bootstrap over where tables come from."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.survey import bootstrap, survey_charts, survey_csv

FLAT = "Place,2001,2002\nHarbour,1,2\nMill,3,4\nAbbey,5,6\n"
NESTED = "School,Pupils\nNorth,\nMale,1\nFemale,2\nSouth,\nMale,3\nFemale,4\n"
RECORDS = "Name,Trade,Town\nAda,Smith,York\nBert,Baker,Ripon\nCora,Weaver,Leeds\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("survey")
    for place, texts in {"north": [FLAT, FLAT], "south": [NESTED, RECORDS]}.items():
        (folder / place).mkdir()
        for number, text in enumerate(texts):
            (folder / place / f"table{number}.csv").write_text(text, encoding="utf-8")
    pairs = "<table><tr><th>Name<td>Ada<tr><th>Trade<td>Smith<tr><th>Town<td>York<tr><th>Guild<td>Iron</table>"
    (folder / "south" / "person.html").write_text(f"<h1>Ada</h1>{pairs}", encoding="utf-8")
    (folder / "south" / "letter.csv").write_text("Dear Ada\nThank you\n", encoding="utf-8")
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sorted([*folder.glob("*/*.csv"), *folder.glob("*/*.html")]))
        yield library


def test_kinds_and_hierarchies_are_counted_by_domain(library: Library) -> None:
    found = library.survey()
    groups = {(group.by, group.name): group for group in found.groups}
    assert {name for by, name in groups if by == "domain"} == {"north", "south"}
    north, south = groups["domain", "north"], groups["domain", "south"]
    assert (north.tables, north.data_frame.value, north.hierarchical_left.value) == (2, 1.0, 0.0)
    assert (south.tables, south.data_frame.value, south.hierarchical_left.value) == (3, 0.3333, 0.3333)
    assert {name: group.tables for (by, name), group in groups.items() if by == "kind"} == {
        "data frame": 3,
        "relation": 1,
        "pairs": 1,
    }
    assert (found.drawn, found.tables, found.documents - found.without_tables) == ("domains", 5, 5)
    assert found.others == [("list", 1, 1)], "a letter is no table, and told"


def test_intervals_hold_the_share_and_are_wider_over_domains_than_over_tables() -> None:
    tables = [("a", True)] * 20 + [("b", False)] * 20 + [("c", True)] * 20
    over_domains = bootstrap(tables)
    over_tables = bootstrap([(str(number), holds) for number, (_, holds) in enumerate(tables)])
    assert over_domains.low <= over_domains.value <= over_domains.high
    assert over_domains.high - over_domains.low > 3 * (over_tables.high - over_tables.low)
    assert over_domains == bootstrap(tables)


def test_a_survey_is_written_as_csv_and_pictures(library: Library, tmp_path: Path) -> None:
    found = library.survey()
    rows = list(csv.DictReader(io.StringIO(survey_csv(found))))
    assert len(rows) == len(found.groups)
    assert float(rows[0]["data_frame_low"]) <= float(rows[0]["data_frame"]) <= float(rows[0]["data_frame_high"])
    charts = survey_charts(found)
    assert {"data_frame_by_domain", "hierarchical_left_by_medium"} <= set(charts)
    assert all(ElementTree.fromstring(svg) is not None for svg in charts.values())  # noqa: S314 - made here


def test_the_command_draws_and_writes(library: Library, tmp_path: Path) -> None:
    run, place = CliRunner(), ["--library", str(library.folder.root)]
    drawn = run.invoke(app, ["survey", "--pictures", str(tmp_path / "figures"), *place]).output
    assert "bootstrap over domains" in drawn and "south" in drawn
    assert (tmp_path / "figures" / "hierarchical_top_by_domain.svg").exists()
    assert run.invoke(app, ["survey", "--format", "csv", *place]).output.startswith("by,name,documents")


def test_a_library_without_tables_has_a_survey(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        found = library.survey()
        assert (found.tables, found.groups) == (0, [])


def test_the_middle_size_is_the_median(library: Library) -> None:
    found = library.survey()
    (every,) = [group for group in found.groups if group.by == "all"]
    assert {name: middle for name, _, _, middle, _, _ in found.sizes}["rows"] == every.rows
