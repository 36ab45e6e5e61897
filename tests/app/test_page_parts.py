"""Where the parts of a saved page begin, as annotators say, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from tabellion.library import open_library
from tabellion.web.app import build_app

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "lakes.html", EXAMPLES / "pilots.xlsx")
        yield TestClient(build_app(library, write=True), base_url=HERE)


def page_of(client: TestClient) -> str:
    documents = client.get("/documents").json()["documents"]
    return next(str(one["id"]) for one in documents if one["medium"] == "html")


def test_parts_are_found_until_an_annotator_says_otherwise(client: TestClient) -> None:
    at = f"/documents/{page_of(client)}/parts"
    found = client.get(at, params={"annotator": "ada"}).json()
    assert not found["said"] and found["leaves"][0] and all(0 < one < len(found["leaves"]) for one in found["starts"])
    said = client.post(at, json={"annotator": "ada", "starts": [7, 3, 3], "done": True}).json()
    assert said["starts"] == [3, 7] and said["said"] and said["done"]
    assert client.get(at, params={"annotator": "ada"}).json() == said
    assert client.get(at, params={"annotator": "bob"}).json()["starts"] == found["starts"]
    assert client.post(at, json={"annotator": "ada", "starts": [0]}).status_code == 400
    sheet = next(one["id"] for one in client.get("/documents").json()["documents"] if one["medium"] == "spreadsheet")
    assert client.get(f"/documents/{sheet}/parts", params={"annotator": "ada"}).status_code == 404


def test_two_annotators_are_compared_and_what_is_done_is_exported(client: TestClient) -> None:
    at = f"/documents/{page_of(client)}/parts"
    for who, starts in (("ada", [3, 7]), ("bob", [3, 9])):
        client.post(at, json={"annotator": who, "starts": starts, "done": who == "ada"})
    agreed = client.get(f"{at}/agreement", params={"one": "ada", "other": "bob"}).json()
    assert agreed["same"] == pytest.approx(1 / 3) and 0 < agreed["kappa"] < 1
    assert client.get(f"{at}/agreement", params={"one": "ada", "other": "ada"}).json()["kappa"] == 1
    (line,) = client.get("/annotations/parts", params={"annotator": "ada"}).text.splitlines()
    gold = msgspec.json.decode(line)
    assert gold["source"] == "lakes.html" and gold["boundaries"] == [3, 7] and len(gold["leaves"]) == agreed["leaves"]
    assert client.get("/annotations/parts", params={"annotator": "bob"}).text == ""
