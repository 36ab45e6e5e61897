"""`tabellion mine --unified SITES --into LIBRARY`, from saved pages to questions in SQL, corrections and RDF."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabellion.cli import app

NAMES = ("Audi A4", "Fiat Panda", "Honda Fit", "Mazda Six", "Opel Corsa", "Saab Ninety", "Skoda Fabia", "Volvo Amazon")
LEFT = """<title>{name} - Car shop</title><ul><li><a href=/>Home</a><li><a href=/new>New cars</a></ul><h1>{name}</h1>
<table><tr><td>Engine:</td><td>{engine}</td></tr><tr><td>Price:</td><td>{price}</td></tr></table>
<h2>Others also looked at</h2><ul>{others}</ul><p><a href=/imprint>Imprint</a></p>"""
RIGHT = """<title>Wheels | {name}</title><div class=menu><a href=/a>Search</a> <a href=/b>Dealers</a></div>
<div class=head><h1>{name}</h1></div><dl><dt>Engine type<dd>{engine}<dt>MSRP<dd>{price}</dl>
<div class=more><h3>More offers</h3>{others}</div><div class=foot>Copyright</div>"""


@pytest.fixture
def sites(tmp_path: Path) -> list[str]:
    """Two shops that sell the same cars under other labels."""
    for folder, template, dearer in (("left", LEFT, 0), ("right", RIGHT, 5)):
        (tmp_path / folder).mkdir()
        for number, name in enumerate(NAMES):
            others = "".join(f"<li><a href=/{n}>Used {NAMES[(number + n) % 8]}</a> near you</li>" for n in range(1, 7))
            markup = template.format(
                name=name,
                engine=f"{1 + number / 10:.1f}L V{4 + number % 3}, {90 + 7 * number} hp",
                price=f"${11 + number},{100 + 31 * number + dearer}",
                others=others,
            )
            (tmp_path / folder / f"{number}.html").write_text(markup, encoding="utf-8")
    return [str(tmp_path / "left"), str(tmp_path / "right")]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_relation_for_each_kind_over_all_sites_can_be_asked(sites: list[str], tmp_path: Path) -> None:
    library, schema = str(tmp_path / "library"), str(tmp_path / "schema.json")
    mined = ["mine", "--unified", *sites, "--into", library, "--name", "cars", "--schema", schema]
    run(*mined, "--format", "jsonl")
    (kept,) = json.loads(run("query", "select name from tables", "--library", library, "--format", "json"))
    told = json.loads(Path(schema).read_text(encoding="utf-8"))["schemas"][0]
    (price,) = [
        each["name"] for each in told["attributes"] if {m["label"] for m in each["members"]} == {"Price", "MSRP"}
    ]
    asked = " ".join(["select site, count(*) n from", kept["name"], "where", f'"{price}"', "> 0 group by 1 order by 1"])
    rows = json.loads(run("query", asked, "--library", library, "--format", "json"))
    assert [(row["site"], row["n"]) for row in rows] == [("left", 8), ("right", 8)]
    typed = "select count(*) n, min(value) least from tuples where unit = '$'"
    assert json.loads(run("query", typed, "--library", library, "--format", "json")) == [{"n": 16, "least": 11100.0}]


def test_what_a_person_puts_right_in_the_schema_holds_in_the_relation(sites: list[str], tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    mined = ["mine", "--unified", *sites, "--schema", str(schema), "--format", "jsonl"]
    run(*mined)
    told = json.loads(schema.read_text(encoding="utf-8"))
    for attribute in told["schemas"][0]["attributes"]:
        for member in attribute["members"]:
            if member["label"] in ("Price", "MSRP"):
                attribute["name"], member["fixed"] = "cost", True
    schema.write_text(json.dumps(told), encoding="utf-8")
    things = [json.loads(line) for line in run(*mined).splitlines()]
    costs = {thing["site"]: {a["value"] for a in thing["attributes"] if a["as"] == "cost"} for thing in things}
    assert all(costs[site] for site in ("left", "right"))
    assert things[0]["same"][0]["key"].startswith("right/")


def test_rdf_has_typed_values_within_the_ranges_it_states(sites: list[str]) -> None:
    turtle = run("mine", "--unified", *sites, "--format", "turtle")
    assert "rdfs:domain" in turtle and "owl:equivalentProperty" in turtle and "owl:sameAs" in turtle
    assert "rdfs:range xsd:decimal" in turtle
    assert "11100.0" in turtle
