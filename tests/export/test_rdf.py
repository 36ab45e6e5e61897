"""Tables as RDF: four forms that say the same, cubes that are whole, names that stay."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
import rdflib
from tests.building import build_extraction, build_frame, build_grid, build_nested, smoking
from tests.export.cube_constraints import CONSTRAINTS, NORMALISE, PREFIXES, constraint
from tests.export.round_trips import CSVW_CONTEXT, conforms, parse

from tabellion import extract
from tabellion.export.csv import METADATA, write_csvw
from tabellion.export.cube import describe_extraction, table_axes
from tabellion.pipeline import Extraction
from tabellion.rdf import SYNTAXES

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLE = ("pilots.xlsx", "smoking.xlsx", "stacked.xlsx")


@pytest.fixture(scope="module")
def documents() -> list[Extraction]:
    return [*(extract(EXAMPLES / name).extraction for name in SAMPLE), build_extraction(smoking())]


def triples(form: str, extraction: Extraction) -> Any:
    return parse(form, SYNTAXES[form].write(describe_extraction(extraction)))


def test_the_four_forms_say_the_same(documents: list[Extraction]) -> None:
    from rdflib.compare import isomorphic

    odd = build_grid([["", 'a "b" <c> & \\ \x01'], ["x\ny\r", "\x02 ü 🙂"], ["http://a/ b", 1e300]])
    for document in (documents[1], build_extraction(build_nested(build_frame(odd, "hdd")))):
        turtle = triples("turtle", document)
        assert all(isomorphic(turtle, triples(form, document)) for form in SYNTAXES)


def test_cubes_conform_to_the_shapes(documents: list[Extraction]) -> None:
    for document in documents:
        assert conforms(triples("turtle", document))


@pytest.mark.parametrize(
    ("said", "instead"),
    [("qb:structure", "rdfs:seeAlso"), ("skos:prefLabel", "rdfs:label"), ("tab:sha256", "rdfs:comment")],
)
def test_shapes_see_what_is_missing(said: str, instead: str) -> None:
    data = SYNTAXES["turtle"].write(describe_extraction(build_extraction(smoking()))).decode()
    broken = rdflib.Graph().parse(data=data.replace(f"  {said} ", f"  {instead} "), format="turtle")
    assert not conforms(broken)


@pytest.mark.parametrize("name", list(CONSTRAINTS))
def test_the_constraints_of_the_data_cube_hold(name: str, documents: list[Extraction]) -> None:
    for document in documents:
        store = pyoxigraph.Store()
        data = SYNTAXES["turtle"].write(describe_extraction(document))
        store.load(data, format=pyoxigraph.RdfFormat.TURTLE)
        store.update(PREFIXES + NORMALISE)
        assert not store.query(constraint(name))


def test_headers_are_concepts_under_broader_ones() -> None:
    graph = triples("turtle", build_extraction(smoking()))
    found = graph.query(
        """SELECT ?value ?sex WHERE { ?o sdmx-measure:obsValue ?value ; tab:cell "B7" ; ?side ?age .
        ?age skos:prefLabel "65 years and over" ; skos:broader/skos:prefLabel ?sex }""",
        initNs={
            "sdmx-measure": "http://purl.org/linked-data/sdmx/2009/measure#",
            "tab": "urn:tabellion:terms:",
            "skos": "http://www.w3.org/2004/02/skos/core#",
        },
    )
    assert [(float(row.value), str(row.sex)) for row in found] == [(14.6, "Male, total")]


def test_rows_without_headers_are_told_apart_by_their_number() -> None:
    grid = build_grid([["a", "b"], [1, 2], [1, 2]])
    extraction = build_extraction(build_nested(build_frame(grid, "hdd", stub=0)))
    top, left = table_axes(extraction.tables[0])
    assert (len(top.dimensions), top.numbered) == (1, False)
    assert (len(left.dimensions), left.numbered) == (0, True)


def test_each_column_of_a_stub_is_a_dimension_and_one_with_gaps_an_attribute() -> None:
    grid = build_grid([["State", "Town", "1990"], ["Ohio", "Lima", 1], ["Iowa", None, 2]])
    _, left = table_axes(build_extraction(build_nested(build_frame(grid, "hdd", stub=2))).tables[0])
    assert [one.name for one in left.dimensions] == ["A"]
    assert [one.name for one in left.attributes] == ["B"]


def test_names_do_not_depend_on_where_the_document_lies(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.xlsx"
    copy.write_bytes((EXAMPLES / "pilots.xlsx").read_bytes())
    forms = [
        SYNTAXES["nquads"].write(describe_extraction(extract(path).extraction))
        for path in (EXAMPLES / "pilots.xlsx", copy)
    ]
    assert forms[0].replace(b"pilots.xlsx", b"elsewhere.xlsx") == forms[1]
    assert b"<urn:tabellion:d208149025e98d32166f3>" in forms[0]
    assert b"<urn:tabellion:t742d84a3e645c379dc9f-B6>" in forms[0]


@pytest.fixture
def published(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    write_csvw([extract(EXAMPLES / name).extraction for name in SAMPLE], tmp_path / "out")
    return tmp_path / "out", json.loads((tmp_path / "out" / METADATA).read_text(encoding="utf-8"))


def test_csvw_describes_every_column_of_every_file(published: tuple[Path, dict[str, Any]]) -> None:
    folder, metadata = published
    assert len(metadata["tables"]) == len(list(folder.glob("*.csv")))
    for table in metadata["tables"]:
        with (folder / table["url"]).open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        kinds = {column["name"]: column["datatype"] for column in table["tableSchema"]["columns"]}
        assert head == list(kinds)
        assert len({row[0] for row in rows}) == len(rows)
        if kinds["value"] == "number":
            assert all(isinstance(float(row[head.index("value")]), float) for row in rows)


def test_csvw_conforms_to_the_shapes(published: tuple[Path, dict[str, Any]]) -> None:
    _, metadata = published
    data = json.dumps({**metadata, "@context": CSVW_CONTEXT})
    assert conforms(parse("jsonld", data.encode()))
    assert not conforms(parse("jsonld", data.replace('"name": "cell"', '"name": "1 cell"').encode()))
