"""Questions that are kept under a name, their parameters, and drawings of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.errors import LibraryError, QueryError, UsageError
from tabellion.export.chart import build_chart, draw_chart, scene_png, scene_svg
from tabellion.library import open_library
from tabellion.library.library import Library

TABLE = "Place,Year,Loans\nHarbour,2001,10\nHarbour,2002,14\nO'Neill's,2001,20\nO'Neill's,2002,18\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("saved")
    (folder / "loans.csv").write_text(TABLE, encoding="utf-8")
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(folder / "loans.csv")
        library.save_query("of_place", "select loans from loans where place = :place and loans > :least", "Loans")
        yield library


def test_a_saved_question_is_asked_by_its_name_with_parameters(library: Library) -> None:
    rows = library.query("of_place", parameters={"place": "O'Neill's", "least": 18})
    assert rows.column("loans").to_pylist() == [20]
    assert [(one.name, one.parameters) for one in library.saved_queries()] == [("of_place", ["place", "least"])]


def test_a_value_never_becomes_sql(library: Library) -> None:
    evil = "x' or '1'='1"
    assert library.query("of_place", parameters={"place": evil, "least": "0"}).num_rows == 0
    assert library.query("select :it as it", parameters={"it": "1; drop table x"}).to_pylist() == [
        {"it": "1; drop table x"}
    ]


def test_parameters_that_are_missing_or_unknown_are_said(library: Library) -> None:
    with pytest.raises(QueryError, match="without a value: least"):
        library.query("of_place", parameters={"place": "Harbour"})
    with pytest.raises(QueryError, match="no parameter other"):
        library.query("select 1", parameters={"other": 1})
    with pytest.raises(QueryError, match="did you mean of_place"):
        library.query("of_plase")


def test_only_what_reads_is_kept_and_it_can_be_forgotten(library: Library) -> None:
    with pytest.raises(QueryError):
        library.save_query("bad", "drop table loans")
    with pytest.raises(LibraryError, match="no name"):
        library.save_query("not a name", "select 1")
    library.save_query("brief", "select 1 as one;")
    library.save_query("brief", "select 2 as one")
    assert library.query("brief").to_pylist() == [{"one": 2}]
    assert library.forget_query("brief").sql == "select 2 as one"
    assert [one.name for one in library.saved_queries()] == ["of_place"]


def test_words_are_bars_times_are_lines_and_nothing_is_said() -> None:
    bars = build_chart(["place", "loans"], [("Harbour", 10.0), ("Mill", None)])
    assert (bars.kind, bars.labels, bars.series[0].values) == ("bar", ["Harbour", "Mill"], [10.0, None])
    lines = build_chart(["when", "a", "b"], [("Q2 2009", 2, 5), ("Q1 2009", 1, 4)])
    assert (lines.kind, lines.labels, [one.name for one in lines.series]) == (
        "line",
        ["Q1 2009", "Q2 2009"],
        ["a", "b"],
    )
    with pytest.raises(UsageError, match="no column after the first"):
        build_chart(["a", "b"], [("x", "y")])
    with pytest.raises(UsageError, match="bars are too many"):
        build_chart(["a", "b"], [(f"x{number}", number) for number in range(100)])


def test_a_drawing_is_well_formed_svg_and_a_png() -> None:
    scene = draw_chart(build_chart(["place", "loans & more"], [("<Harbour>", -10.0), ("Mill", 20.0)], title="A & B"))
    tree = ElementTree.fromstring(scene_svg(scene))  # noqa: S314 - made here
    texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"A & B", "<Harbour>", "Mill"} <= set(texts)
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}rect"))) == 3
    picture = scene_png(scene, scale=1.0)
    assert picture.startswith(b"\x89PNG") and len(picture) > 2_000


def test_the_commands_save_ask_explain_and_draw(library: Library, tmp_path: Path) -> None:
    run = CliRunner()
    place = ["--library", str(library.folder.root)]
    named = run.invoke(app, ["query", "of_place", "-p", "place=Harbour", "-p", "least=0", "--csv", *place])
    assert named.output == "loans\n10\n14\n"
    assert "of_place" in run.invoke(app, ["query", "--saved", "--json", *place]).output
    assert "Projection" in run.invoke(app, ["query", "select 1", "--explain", *place]).output.title()
    timed = run.invoke(app, ["query", "select 1 as one", "--json", "--time", *place])
    assert "seconds" in timed.stderr and '{"one":1}' in timed.stdout
    drawn = run.invoke(app, ["plot", "select place, sum(loans) from loans group by 1 order by 1", *place])
    assert "Harbour" in drawn.output and "█" in drawn.output
    lined = run.invoke(app, ["plot", "select year, sum(loans) from loans group by 1", "--kind", "line", *place])
    assert "│" in lined.output and "2002" in lined.output
    listed = run.invoke(app, ["query", ".tables loa", "--csv", *place])
    assert listed.output.startswith("name,title\n") and "loans" in listed.output
    picture = tmp_path / "loans.png"
    assert run.invoke(app, ["plot", "select place, loans from loans", "-o", str(picture), *place]).exit_code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_prompt_knows_commands(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    from tabellion.cli.sql import Prompt
    from tabellion.library.query import QueryLimits

    prompt = Prompt(library, QueryLimits())
    for typed in (
        ".mode csv",
        ".tables loa",
        ".schema loans",
        ".run of_place place=Harbour least=12",
        ".nothing",
        ".saved",
    ):
        prompt.answer(typed)
    said = capsys.readouterr()
    assert "loans" in said.out and "place,stub,text,,\n" in said.out and "loans\n14\n" in said.out
    assert "of_place  :place :least  Loans" in said.out
    assert ".help lists them" in said.err
