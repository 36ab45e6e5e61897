"""Ground truth by two annotators, each for themselves, and taxonomies of sites, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.web.app import build_app

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "pilots.xlsx")
        yield library


@pytest.fixture
def client(library: Library) -> TestClient:
    return TestClient(build_app(library, write=True), base_url=HERE)


def say(client: TestClient, who: str, **operation: Any) -> dict[str, Any]:
    asked = {"operations": [operation], "annotator": who, "author": who}
    answer = client.post("/tables/smoking/corrections", json=asked)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_annotators_do_not_see_each_other_and_the_library_stays(client: TestClient, library: Library) -> None:
    say(client, "ada", do="row-role", row={"row": 7}, to="derived")
    say(client, "bob", do="row-role", row={"row": 7}, to="group")

    def role(**who: str) -> str:
        return str(client.get("/tables/smoking/cell", params={"row": 7, "column": 1, **who}).json()["role"])

    assert role(annotator="ada") == "derived" and role() == "value" and role(annotator="bob") != "derived"
    assert library.logs([client.get("/tables/smoking/reading").json()["document"]]) == {}


def test_agreement_falls_with_what_is_seen_otherwise(client: TestClient) -> None:
    both = {"one": "ada", "other": "bob"}
    first = client.get("/tables/smoking/agreement", params=both).json()
    assert first["same_role"] == first["kappa"] == first["left"] == first["top"] == 1.0
    move = {"do": "move-header", "side": "left", "header": {"row": 7, "column": 0}, "to": {"row": 5, "column": 0}}
    say(client, "ada", **move)
    say(client, "ada", do="row-role", row={"row": 7}, to="derived")
    second = client.get("/tables/smoking/agreement", params=both).json()
    assert second["left"] < 1 and 0.8 < second["same_role"] < 1 and second["kappa"] < second["same_role"]
    area = {"top": 3, "left": 0, "bottom": 22, "right": 5}
    say(client, "bob", do="table", table=area, to=False)
    third = client.get("/tables/smoking/agreement", params=both).json()
    assert third["genuine"] is False and third["kappa"] is None


def test_an_annotators_strokes_are_undone_and_finished_tables_are_exported(client: TestClient) -> None:
    made = say(client, "ada", do="row-role", row={"row": 7}, to="derived")
    document = client.get("/tables/smoking/reading").json()["document"]
    ids = [one["id"] for one in made["corrections"]]
    client.post(f"/documents/{document}/undo", json={"corrections": ids, "annotator": "ada"})
    states = client.get(f"/documents/{document}/corrections", params={"annotator": "ada"}).json()["corrections"]
    assert [one["state"] for one in states] == ["undone", "in force"]
    say(client, "ada", do="row-role", row={"row": 8}, to="derived")
    client.post("/tables/smoking/annotations/finished", json={"annotator": "ada"})
    (state,) = client.get("/annotations").json()["annotators"]
    assert state["strokes"] == 3 and len(state["finished"]) == 1
    (line,) = client.get("/annotations/export", params={"annotator": "ada"}).text.splitlines()
    labelled = msgspec.json.decode(line)
    assert labelled["row_roles"]["8"] == "derived" and labelled["range"] == "A4:F23" and labelled["left"]


def test_mined_sites_are_seen_with_their_instances_and_pages(
    client: TestClient, library: Library, tmp_path: Path
) -> None:
    from tabellion.library.mined import add_ontology
    from tabellion.mine.instances import Attribute, ConceptInstance, Instance
    from tabellion.mine.ontology import Concept, Ontology

    saved, other = tmp_path / "como.html", tmp_path / "secret.html"
    for path in (saved, other):
        path.write_text("<p>Depth: <b>410 m</b><script>alert(1)</script>")
    concept = Concept(id="c1", label="Lakes", labels=("Lakes",), parent=None, support=2, sites=("a.org",), urls=())
    depth = Attribute(("Depth",), "410 m", "p > b")
    como = ConceptInstance("i1", "c1", Instance(str(saved), (depth,)))
    add_ontology(library, Ontology((concept,), (como,), (("a.org", 3),)), "a.org")
    (site,) = client.get("/sites").json()["sites"]
    assert site["name"] == "a.org" and site["concepts"][0]["label"] == "Lakes" and site["counts"] == {"c1": 1}
    found = client.get("/sites/instances", params={"name": "a.org", "concept": "c1"}).json()
    assert found["total"] == 1 and found["instances"][0]["attributes"][0]["value"] == "410 m"
    assert client.get("/sites/instances", params={"name": "b.org"}).status_code == 404
    page = client.get("/sites/page", params={"name": "a.org", "source": str(saved)})
    assert "410 m" in page.text and "sandbox" in page.headers["content-security-policy"]
    assert "script-src" not in page.headers["content-security-policy"]
    for source in (str(other), "/etc/passwd", str(tmp_path / ".." / tmp_path.name / "como.html")):
        assert client.get("/sites/page", params={"name": "a.org", "source": source}).status_code == 404
    saved.unlink()
    gone = client.get("/sites/page", params={"name": "a.org", "source": str(saved)})
    assert gone.status_code == 404 and "any more" in gone.json()["detail"]
