"""What the app stands on: readings, windows of cells, strokes and sessions, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.web.app import build_app

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"
MOVE = {"do": "move-header", "side": "left", "header": {"row": 7, "column": 0}, "to": {"row": 5, "column": 0}}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "lakes.html", "report.pdf")))
        yield library


@pytest.fixture
def client(library: Library) -> TestClient:
    return TestClient(build_app(library, write=True), base_url=HERE)


def cells(client: TestClient, table: str, **area: int) -> dict[tuple[int, int], dict[str, Any]]:
    return {
        (one["row"], one["column"]): one for one in client.get(f"/tables/{table}/cells", params=area).json()["cells"]
    }


def test_a_sheet_is_seen_as_it_looks_with_roles(client: TestClient) -> None:
    reading = client.get("/tables/smoking/reading").json()
    assert reading["frame"] == [3, 0, 22, 5] and reading["version"] == 0
    assert reading["sheet"]["widths"]["0"] > reading["sheet"]["widths"]["1"]
    assert reading["metadata"]["environment"]["document_name"] == "smoking.xlsx"
    whole = client.get("/tables/smoking/cells").json()
    seen = cells(client, "smoking")
    assert seen[3, 1]["role"] == "header" and whole["styles"][seen[3, 1].get("style", 0)]["bold"]
    assert seen[8, 1]["text"] == "31.6" and seen[8, 1]["kind"] == "number" and seen[8, 1]["table"] == "t1"
    part = cells(client, "smoking", top=8, bottom=9, left=1, right=2)
    assert sorted(part) == [(8, 1), (8, 2), (9, 1), (9, 2)]


def test_a_merged_cell_stands_for_those_under_it(client: TestClient, library: Library, tmp_path: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Town", "People", None], [None, "Men", "Women"], ["Lyon", 3, 4], ["Oslo", 5, 6], ["Bern", 7, 8]):
        sheet.append(row)
    sheet["C1"].font = Font(bold=True)  # so that it is stored though it says nothing
    sheet.merge_cells("B1:C1")
    book.save(tmp_path / "merged.xlsx")
    library.add(tmp_path / "merged.xlsx")
    seen = cells(client, "merged")
    assert seen[0, 1]["across"] == 2 and (0, 2) not in seen and seen[1, 2]["text"] == "Women"


def test_a_printed_table_has_boxes_and_a_picture_of_its_page(client: TestClient) -> None:
    reading = client.get("/tables/report_page1_2/reading").json()
    assert [page["number"] for page in reading["pages"]] == [1, 2]
    seen = cells(client, "report_page1_2")
    assert seen[0, 3]["page"] == 1 and seen[0, 3]["box"][1] > 500
    picture = client.get(f"/documents/{reading['document']}/picture", params={"page": 1})
    assert picture.content.startswith(b"\x89PNG")
    assert client.get(f"/documents/{reading['document']}/picture", params={"page": 9}).status_code == 404


def test_a_saved_page_comes_without_script_and_network(client: TestClient) -> None:
    reading = client.get("/tables/lakes_t1/reading").json()
    page = client.get(f"/documents/{reading['document']}/page")
    assert "Lakes of Europe" in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "sandbox allow-same-origin" in policy and "script" not in policy
    sheet = client.get("/tables").json()["tables"][-1]["document"]
    assert client.get(f"/documents/{sheet}/page").status_code in (200, 404)


def test_a_header_knows_its_values_and_a_value_its_headers(client: TestClient) -> None:
    value = client.get("/tables/smoking/cell", params={"row": 8, "column": 1}).json()
    assert value["tuple"]["left_cells"] == [[4, 0], [5, 0], [6, 0], [8, 0]] and value["header"] is None
    header = client.get("/tables/smoking/cell", params={"row": 5, "column": 0}).json()["header"]
    assert header["rows"] == [[5, 13]] and header["values"] == 45
    assert client.get("/tables/smoking/cell", params={"row": 999, "column": 0}).status_code == 404


def test_a_stroke_is_kept_with_its_words_and_taken_back(client: TestClient) -> None:
    made = client.post("/tables/smoking/corrections", json={"operations": [MOVE], "author": "ada", "seen": 0}).json()
    (kept,) = made["corrections"]
    assert kept["operation"]["header"]["text"] == "18 to 24 years" and kept["state"] == "in force"
    assert (
        client.get("/tables/smoking/cell", params={"row": 7, "column": 1}).json()["tuple"]["left"][-2] == "Male, total"
    )
    document = client.get("/tables/smoking/reading").json()["document"]
    undone = client.post(f"/documents/{document}/undo", json={"corrections": [kept["id"]]}).json()
    redone = client.post(f"/documents/{document}/undo", json={"corrections": [undone["corrections"][0]["id"]]}).json()
    states = [one["state"] for one in client.get(f"/documents/{document}/corrections").json()["corrections"]]
    assert states == ["in force", "undone", "in force"] and redone["version"] == 3


def test_strokes_are_made_all_or_none(client: TestClient) -> None:
    bad = {"do": "row-role", "row": {"row": 900}, "to": "header"}
    refused = client.post("/tables/smoking/corrections", json={"operations": [MOVE, bad]})
    assert refused.status_code == 422 and "row 901" in refused.json()["detail"]
    assert client.get("/tables/smoking/reading").json()["version"] == 0
    said = client.post("/tables/smoking/preview", json={"operations": [MOVE]}).json()["changes"]
    assert any("18 to 24 years" in line for line in said)
    assert client.get("/tables/smoking/reading").json()["version"] == 0


def test_painting_rows_leaves_out_those_that_are_so_already(client: TestClient) -> None:
    rows = [{"do": "row-role", "row": {"row": row}, "to": "header"} for row in (2, 3)]
    made = client.post("/tables/smoking/corrections", json={"operations": rows}).json()
    assert len(made["corrections"]) == 1


def test_who_has_not_seen_the_others_word_is_in_conflict(client: TestClient) -> None:
    def say(role: str, author: str, seen: int) -> Any:
        operation = {"do": "row-role", "row": {"row": 7}, "to": role}
        return client.post(
            "/tables/smoking/corrections", json={"operations": [operation], "author": author, "seen": seen}
        )

    assert say("derived", "ada", 0).status_code == 200
    refused = say("group", "bob", 0)
    assert refused.status_code == 409 and "ada" in refused.json()["detail"]
    assert say("group", "bob", 1).status_code == 200


def test_look_alikes_are_proposed_and_made_but_for_some(client: TestClient) -> None:
    operation = {"do": "row-role", "row": {"row": 7}, "to": "derived"}
    (kept,) = client.post("/tables/smoking/corrections", json={"operations": [operation]}).json()["corrections"]
    found = client.get("/tables/smoking/alike", params={"correction": kept["id"]}).json()
    count = len(found["proposals"])
    assert count > 1 and found["sheets"] == 1
    made = client.post("/tables/smoking/alike", json={"correction": kept["id"], "without": [0]}).json()
    assert len(made["corrections"]) == count - 1
    assert all(one["like"] == kept["id"] for one in made["corrections"])


def test_a_server_that_only_reads_takes_no_stroke(library: Library) -> None:
    reader = TestClient(build_app(library), base_url=HERE)
    assert reader.post("/tables/smoking/corrections", json={"operations": [MOVE]}).status_code in (404, 405)
    assert reader.get("/session").json() == {"write": False, "author": None}


def test_the_token_is_exchanged_for_a_cookie_that_does_not_hold_it(library: Library) -> None:
    client = TestClient(build_app(library, token="sesame"), base_url=HERE)  # noqa: S106
    assert client.get("/").status_code == 200 and client.get("/tables").status_code == 401
    assert client.get("/session").status_code == 401
    assert client.post("/session", json={"token": "guess"}).status_code == 401
    entered = client.post("/session", json={"token": "sesame"})
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "sesame" not in cookie
    assert client.get("/tables").status_code == 200
    client.cookies.clear()
    client.cookies.set("tabellion-8765", "0" * 64)
    assert client.get("/tables").status_code == 401


def test_every_answer_keeps_browsers_in_bounds(client: TestClient) -> None:
    page = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in page and "unsafe" not in page and "frame-ancestors 'none'" in page
    for address in ("/tables", "/tables/smoking/export?form=html", "/nowhere"):
        headers = client.get(address).headers
        assert "sandbox" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff"


def test_names_are_completed(client: TestClient) -> None:
    names = client.get("/completion", params={"begun": "smo", "sql": "select * from smo"}).json()["names"]
    assert names == ["smoking"]


def test_an_answer_is_given_in_every_form(client: TestClient) -> None:
    asked = {"sql": "select * from smoking where :all = 'all'", "parameters": {"all": "all"}}
    for form, begins in (("csv", b"sex_race"), ("xlsx", b"PK"), ("parquet", b"PAR1"), ("html", b"<!doctype")):
        answer = client.post("/query/export", json={**asked, "form": form})
        assert answer.status_code == 200 and answer.content.startswith(begins)
    assert client.post("/query/export", json={"sql": "drop table x"}).status_code == 400
    assert client.post("/query/export", json={"sql": "select 1", "form": "docx"}).status_code == 422


def test_labels_beside_each_other_decide_which_places_are_meant(client: TestClient) -> None:
    states = client.post("/places", json={"labels": ["Georgia", "Texas", "Ohio", "all"]}).json()
    assert states == {"kind": "state", "codes": ["US-GA", "US-TX", "US-OH", None]}
    countries = client.post("/places", json={"labels": ["Georgia", "France", "Peru"]}).json()
    assert countries == {"kind": "country", "codes": ["GE", "FR", "PE"]}
    assert client.post("/places", json={"labels": ["a", "b"]}).json()["kind"] is None


def test_a_stroke_brings_what_is_looked_at(client: TestClient) -> None:
    table = client.get("/tables/smoking/reading").json()["id"]
    sight = {"table": table, "top": 6, "left": 0, "bottom": 8, "right": 1}
    said = {"operations": [{"do": "row-role", "row": {"row": 7}, "to": "derived"}], "sight": sight}
    made = client.post("/tables/smoking/corrections", json=said).json()
    assert made["reading"] == client.get("/tables/smoking/reading").json()
    assert (
        made["cells"]
        == client.get("/tables/smoking/cells", params={k: v for k, v in sight.items() if k != "table"}).json()
    )
    roles = {(one["row"], one["column"]): one.get("role") for one in made["cells"]["cells"]}
    assert roles[7, 1] == "derived" and roles[8, 1] == "value"
    document, ids = made["reading"]["document"], [one["id"] for one in made["corrections"]]
    undone = client.post(f"/documents/{document}/undo", json={"corrections": ids, "sight": sight}).json()
    assert undone["reading"]["version"] == 2
