"""The HTTP API: what it answers, whom it refuses, and that its description is true."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from printing import protect
from tabellion.library import open_library
from tabellion.library.databases.export import read_tuples
from tabellion.library.library import Library
from tabellion.web.app import build_app
from tabellion.web.middleware import LARGEST_QUESTION
from tabellion.web.service import LibraryService

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"
JSON = {"Content-Type": "application/json"}
BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("serve") / "shelf"), create=True) as library:
        library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "pilots.xlsx", "stacked.xlsx", "flat.csv")))
        yield library


@pytest.fixture(scope="module")
def client(library: Library) -> TestClient:
    return TestClient(build_app(library), base_url=HERE)


def test_search_finds_tables(client: TestClient) -> None:
    found = client.get("/search", params={"q": "smoking white"}).json()
    assert found["hits"][0]["name"] == "smoking"
    assert set(found["facets"]) == {"medium", "document", "kind", "size", "year"}


def test_pages_hold_everything_once(client: TestClient, library: Library) -> None:
    for kind, key in (("documents", "id"), ("tables", "id")):
        seen: list[str] = []
        page: dict[str, Any] = {"next": ""}
        while page["next"] is not None:
            page = client.get(f"/{kind}", params={"after": page["next"], "limit": 1}).json()
            seen += [one[key] for one in page[kind]]
        whole = [one[key] for one in client.get(f"/{kind}").json()[kind]]
        assert seen == whole == sorted(set(whole))


def test_hits_come_in_pages_of_one_state(client: TestClient) -> None:
    whole = [hit["table"] for hit in client.get("/search", params={"q": "", "limit": 100}).json()["hits"]]
    seen: list[str] = []
    page: dict[str, Any] = {"next": ""}
    while page["next"] is not None:
        page = client.get("/search", params={"q": "", "limit": 2, "after": page["next"]}).json()
        seen += [hit["table"] for hit in page["hits"]]
    assert seen == whole
    gone = client.get("/search", params={"q": "", "after": "999.999.2"})
    assert gone.status_code == 409 and "first page" in gone.json()["detail"]


def test_tuples_come_in_pages_of_one_state(client: TestClient, library: Library) -> None:
    rows, page = [], client.get("/tables/smoking/tuples", params={"limit": 40}).json()
    rows += page["tuples"]
    while page["next"]:
        page = client.get("/tables/smoking/tuples", params={"limit": 40, "after": page["next"]}).json()
        rows += page["tuples"]
    expected = library.query('select address, text from smoking_tidy order by "row", "column"').to_pylist()
    assert [(row["address"], row["text"]) for row in rows] == [(row["address"], row["text"]) for row in expected]
    assert page["total"] == len(rows)


def test_a_page_of_a_state_that_is_gone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(path)
        client = TestClient(build_app(library), base_url=HERE)
        first = client.get("/tables/towns/tuples", params={"limit": 2}).json()
        (tmp_path / "other.csv").write_text("Town,1992,1993\nLeeds,1,2\nHull,3,4\n", encoding="utf-8")
        library.add(tmp_path / "other.csv")
        again = client.get("/tables/towns/tuples", params={"limit": 2, "after": first["next"]})
        assert [row["text"] for row in again.json()["tuples"]] == ["3", "4"]
        path.write_text("Town,1990,1991\nYork,5,6\nRipon,7,8\n", encoding="utf-8")
        library.add(path)
        gone = client.get("/tables/towns/tuples", params={"limit": 2, "after": first["next"]})
        assert gone.status_code == 409 and "first page" in gone.json()["detail"]


def test_a_page_is_not_moved_by_what_is_added_meanwhile(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        client = TestClient(build_app(library), base_url=HERE)

        def add(first: int, last: int) -> None:
            for number in range(first, last):
                path = tmp_path / f"towns-{number}.csv"
                path.write_text(f"Town,1990,1991\nYork,{number},2\nRipon,3,4\n", encoding="utf-8")
                library.add(path)

        add(0, 6)
        before = [table["id"] for table in client.get("/tables").json()["tables"]]
        seen, after = [], ""
        for number in range(6, 30):
            page = client.get("/tables", params={"after": after, "limit": 2}).json()
            seen += [table["id"] for table in page["tables"]]
            if page["next"] is None:
                break
            add(number, number + 1)
            after = page["next"]
        assert len(seen) == len(set(seen)) and set(before) <= set(seen)


def test_an_answer_that_the_client_has_is_not_sent_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(tmp_path / "a.csv")
        client = TestClient(build_app(library), base_url=HERE)
        tag = client.get("/tables").headers["etag"]
        same = client.get("/tables", headers={"If-None-Match": tag})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        (tmp_path / "a.html").write_text("<table><tr><th>Town<th>1990<tr><td>York<td>1<tr><td>Ripon<td>3</table>")
        library.add(tmp_path / "a.html")
        page = next(one["id"] for one in client.get("/documents").json()["documents"] if one["medium"] == "html")
        whole = client.get(f"/documents/{page}/page")
        again = client.get(f"/documents/{page}/page", headers={"If-None-Match": whole.headers["etag"]})
        policy = "content-security-policy"
        assert again.status_code == 304 and again.headers[policy] == whole.headers[policy]  # else no frame may show it
        (tmp_path / "b.csv").write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
        library.add(tmp_path / "b.csv")
        changed = client.get("/tables", headers={"If-None-Match": tag})
        assert changed.status_code == 200 and changed.headers["etag"] != tag


def test_an_answer_of_an_index_that_was_behind_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.index.catch_up()
        behind = library.folder.applied.read_bytes()
        library.add(tmp_path / "towns.csv")
        service, ahead = LibraryService(library), library.folder.applied.read_bytes()
        library.folder.applied.write_bytes(behind)
        before = service.state()
        library.folder.applied.write_bytes(ahead)
        assert service.state() != before


def test_a_query_gives_rows(client: TestClient) -> None:
    asked = {"sql": 'select sex_race_and_age_2, "1990" from smoking', "limit": 2}
    assert client.post("/query", json=asked).json() == {
        "columns": ["sex_race_and_age_2", "1990"],
        "rows": [[None, 25.5], ["Male, total", 28.4]],
        "more": True,
    }
    odd = client.post(
        "/query", json={"sql": "select 2::hugeint**100 as h, 'nan'::double as n, [date '2001-01-02'] as d"}
    )
    assert odd.json()["rows"][0][1:] == [None, ["2001-01-02"]]


def test_tables_are_described_joined_and_exported(client: TestClient) -> None:
    table = client.get("/tables/smoking").json()
    assert table["stub"] == [f"sex_race_and_age_{level}" for level in (1, 2, 3, 4)]
    assert table["columns_by_name"][0]["unit"] == "%"
    assert client.get("/tables/smoking/joins").json()["partners"] is not None
    assert [one["name"] for one in client.get("/tables/smoking/series").json()["editions"]] == ["smoking"]
    assert client.get("/tables/smoking/changes", params={"to": "smoking"}).json()["changed"] == []
    assert client.get("/tables/smoking/changes", params={"to": "nothing"}).status_code == 404
    assert client.get("/survey").json()["groups"][0]["by"] == "all"
    csv = client.get("/tables/smoking/export", params={"form": "csv"})
    assert csv.headers["content-type"].startswith("text/csv") and b"Total smokers" in csv.content
    parquet = client.get("/tables/smoking/export", params={"form": "parquet"}).content
    assert pq.read_table(io.BytesIO(parquet)).num_rows == 95
    assert client.get("/tables/smoking/export", params={"form": "sqlite"}).content.startswith(b"SQLite format 3")


def test_the_whole_library_comes_as_a_database(client: TestClient, library: Library, tmp_path: Path) -> None:
    (tmp_path / "all.db").write_bytes(client.get("/export").content)
    (tmp_path / "all.duckdb").write_bytes(client.get("/export", params={"form": "duckdb"}).content)
    expected = library.query('select * from tuples order by table_id, "row", "column"')
    assert read_tuples(str(tmp_path / "all.db")).equals(expected)
    assert read_tuples(str(tmp_path / "all.duckdb")).equals(expected)
    assert client.post("/export", json={"url": "postgresql://127.0.0.1:1/none"}).status_code == 405
    writing = TestClient(build_app(library, write=True), base_url=HERE)
    assert writing.post("/export", json={"url": str(tmp_path / "other.db")}).status_code == 422
    refused = writing.post("/export", json={"url": "postgresql://127.0.0.1:1/none"})
    assert refused.status_code == 400 and "127.0.0.1" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/tables/nothing", 404),
        ("/tables/..%2f..%2fetc%2fpasswd", 404),
        ("/tables/smoking/../../etc/passwd", 404),
        ("/tables/smoking/export?form=exe", 422),
        ("/tables?limit=100000000", 422),
        ("/tables?limit=-1", 422),
        ("/tables/smoking/tuples?after=zzz", 422),
        ("/tables/smoking/tuples?after=1.999999999999999999999999999", 422),
        ("/search", 422),
        ("/search?q=%ff%fe", 400),
        ("/search?q=a%00b", 400),
        ("/tables/%ed%a0%80", 400),
        ("/documents/nothing", 404),
        ("/nowhere", 404),
        ("/search?q=" + "a" * 5_000, 422),
    ],
)
def test_hostile_requests_get_a_reason(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "sql",
    [
        "drop table documents",
        "select * from read_csv('/etc/passwd')",
        "copy (select 1) to '/tmp/x'",
        "select 1; select 2",
        "selec",
        "select 'a\0b' from nowhere",
        "attach 'x'",
        "select * from nowhere",
        "install httpfs",
        "select repeat('x', 1000000) from range(100000)",
    ],
)
def test_a_query_that_is_not_allowed_gets_a_reason(client: TestClient, sql: str) -> None:
    answer = client.post("/query", json={"sql": sql})
    assert answer.status_code == 400 and answer.json()["detail"]


def test_bodies_are_bounded(client: TestClient) -> None:
    large = client.post("/query", headers=JSON, content=b"x" * (LARGEST_QUESTION + 1))
    assert large.status_code == 413
    unmeasured = client.post("/query", headers=JSON, content=(b"x" * 65_536 for _ in range(20)))
    assert unmeasured.status_code == 413
    assert client.post("/query", headers=JSON, content=b'{"sql": "\xff"}').status_code in (400, 422)


def test_it_reads_only_unless_it_may_write(client: TestClient, library: Library) -> None:
    document = client.get("/documents").json()["documents"][0]["id"]
    refused = client.delete(f"/documents/{document}")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET")
    assert (
        client.post("/documents", params={"name": "new.csv"}, headers=BYTES, content=b"a,b\n1,2\n").status_code == 405
    )
    assert len(library.documents()) == 4


def test_documents_are_sent_replaced_and_removed(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        client = TestClient(build_app(library, write=True), base_url=HERE)

        def send(name: str, data: bytes) -> Any:
            return client.post("/documents", params={"name": name}, headers=BYTES, content=data)

        sent = send("towns.csv", b"Town,1990,1991\nYork,1,2\nRipon,3,4\n").json()
        assert (sent["status"], sent["tables"], sent["tuples"]) == ("added", 1, 4)
        again = send("towns.csv", b"Town,1990,1991\nYork,9,2\nRipon,3,4\n").json()
        assert (again["status"], again["document"]) == ("replaced", sent["document"])
        locked = protect(b"sesame")
        assert send("locked.pdf", locked).status_code == 422
        opened = client.post(
            "/documents",
            params={"name": "locked.pdf"},
            content=locked,
            headers=BYTES | {"X-Document-Password": "sesame"},
        )
        assert opened.status_code == 200
        client.delete(f"/documents/{opened.json()['document']}")
        broken = send("broken.xlsx", b"PK\x03\x04 but no more")
        assert broken.status_code == 422 and broken.json()["detail"]
        assert send("empty", b"").status_code == 422
        assert client.delete(f"/documents/{sent['document']}").status_code == 204
        assert client.delete(f"/documents/{sent['document']}").status_code == 404
        assert client.get("/documents").json()["documents"] == []


def test_questions_are_kept_asked_and_drawn(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        client = TestClient(build_app(library, write=True), base_url=HERE)
        kept = client.put("/queries/numbers", json={"sql": "select i, i * i as square from range(:most) t(i)"}).json()
        assert kept["parameters"] == ["most"]
        assert [one["name"] for one in client.get("/queries").json()["queries"]] == ["numbers"]
        rows = client.get("/queries/numbers/rows", params={"most": 3}).json()
        assert (rows["columns"], rows["rows"]) == (["i", "square"], [[0, 0], [1, 1], [2, 4]])
        assert client.get("/queries/numbers/rows").status_code == 400
        asked = {"sql": "numbers", "parameters": {"most": 3}}
        assert client.post("/query", json=asked).json()["rows"] == rows["rows"]
        drawn = client.post("/plot", json={**asked, "title": "Squares"})
        assert drawn.headers["content-type"].startswith("image/svg+xml") and "Squares" in drawn.text
        assert client.post("/plot", json={**asked, "form": "png"}).content.startswith(b"\x89PNG")
        assert client.post("/plot", json={"sql": "select 'a' as a"}).status_code == 422
        assert client.put("/queries/bad", json={"sql": "drop table x"}).status_code == 400
        assert client.delete("/queries/numbers").status_code == 204
        assert client.delete("/queries/numbers").status_code == 404


def test_what_was_mined_from_sites_is_answered_a_page_at_a_time(tmp_path: Path) -> None:
    from tabellion.library.mined import add_things
    from tabellion.mine.sources import folder_site
    from tabellion.mine.things import unify_sites

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        unified = unify_sites([folder_site(EXAMPLES / "site")])
        add_things(library, unified, list(unified.things()), "dishes")
        client = TestClient(build_app(library), base_url=HERE)
        (site,) = client.get("/sites").json()["sites"]
        assert (site["name"], site["instances"]) == ("dishes", 2)
        (kind,) = site["concepts"]
        asked = {"name": "dishes", "concept": kind["id"], "limit": 1}
        told = [client.get("/sites/instances", params={**asked, "offset": n}).json() for n in (0, 1, 2)]
        assert [each["total"] for each in told] == [2, 2, 2]
        assert [len(each["instances"]) for each in told] == [1, 1, 0]
        values = {a["value"] for each in told for one in each["instances"] for a in one["attributes"]}
        assert "1 kg apples" in values
        (table,) = client.get("/tables").json()["tables"]
        assert table["rows"] == 3  # a header and a row for each page


def test_a_token_is_needed_where_one_was_set(library: Library) -> None:
    client = TestClient(build_app(library, token="secret", loopback=False), base_url="http://example.org")  # noqa: S106
    assert client.get("/tables").status_code == 401
    assert client.get("/openapi.json", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/tables", headers={"Authorization": "Bearer secret"}).status_code == 200


def test_a_page_in_a_browser_cannot_lead_here_under_another_name(library: Library) -> None:
    client = TestClient(build_app(library), base_url="http://evil.example")
    assert client.get("/tables").status_code == 400


def test_others_are_not_served_without_a_token() -> None:
    from typer.testing import CliRunner

    from tabellion.cli import app

    done = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0"])  # noqa: S104
    assert done.exit_code == 2 and "--token" in done.output
    done = CliRunner().invoke(app, ["serve", "--host", "0.0.0.0", "--token", "secret"])  # noqa: S104
    assert done.exit_code == 2 and "16 characters" in " ".join(done.output.split())


def call_as_described(operation: Any) -> None:
    # no schema can say which texts are SQL or SPARQL that this library answers
    excluded = [positive_data_acceptance] if operation.path in ("/query", "/query/export", "/plot", "/sparql") else []

    @settings(max_examples=10, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def call(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=excluded)

    call()


def test_the_description_is_true(library: Library) -> None:
    """Requests made from the description alone; bench/serve.py sends thousands to a real server."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", build_app(library, loopback=False))
    for result in schema.get_all_operations():
        call_as_described(result.ok())
