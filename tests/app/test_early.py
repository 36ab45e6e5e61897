"""Strokes that are drawn before they are kept, and what the app needs to light headers up by itself."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from fastapi import FastAPI, Request, Response
from starlette.testclient import TestClient

from tabellion.errors import ConflictError, LibraryError, RepairError
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.model.place import Rect
from tabellion.web.app import build_app
from tabellion.web.looking import Looking, Shown
from tabellion.web.serving import answer_early

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"
STREAM = {"accept": "text/event-stream"}
DERIVED = [{"do": "row-role", "row": {"row": 7}, "to": "derived"}]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "stacked.xlsx", "lakes.html", "report.pdf")))
        yield library


@pytest.fixture
def client(library: Library) -> TestClient:
    return TestClient(build_app(library, write=True), base_url=HERE)


def events(text: str) -> list[tuple[str, Any]]:
    parts = [one.split("\n", 1) for one in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), msgspec.json.decode(said.removeprefix("data: "))) for name, said in parts]


def test_who_looks_is_told_what_a_stroke_gives_before_it_is_kept(client: TestClient) -> None:
    before = client.get("/tables/smoking/reading").json()
    sight = {"table": before["id"], "top": 6, "left": 0, "bottom": 8, "right": 1}
    answer = client.post("/tables/smoking/corrections", json={"operations": DERIVED, "sight": sight}, headers=STREAM)
    assert answer.headers["content-type"].startswith("text/event-stream")
    (first, drawn), (second, made) = events(answer.text)
    assert (first, second) == ("drawn", "made")
    assert drawn["reading"] == client.get("/tables/smoking/reading").json() and drawn["version"] == 1
    roles = {(one["row"], one["column"]): one.get("role") for one in drawn["cells"]["cells"]}
    assert roles[7, 1] == "derived" and roles[8, 1] == "value"
    assert made["version"] == 1 and len(made["corrections"]) == 1 and "reading" not in made
    undoing = {"corrections": [made["corrections"][0]["id"]], "sight": sight}
    undone = events(client.post(f"/documents/{before['document']}/undo", json=undoing, headers=STREAM).text)
    assert [name for name, _ in undone] == ["drawn", "made"]
    assert undone[0][1]["reading"]["row_roles"] == before["row_roles"]


def test_what_is_refused_at_once_has_its_status_and_what_nobody_looks_at_is_made_in_one(client: TestClient) -> None:
    wrong = {"operations": [{"do": "row-role", "row": {"row": 70_000}, "to": "derived"}]}
    assert client.post("/tables/smoking/corrections", json=wrong, headers=STREAM).status_code in (400, 422)
    made = events(client.post("/tables/smoking/corrections", json={"operations": DERIVED}, headers=STREAM).text)
    assert [name for name, _ in made] == ["made"]
    again = client.post("/tables/smoking/corrections", json={"operations": DERIVED}, headers=STREAM)
    assert again.status_code == 422 and "so already" in again.json()["detail"]


def test_a_stroke_that_was_drawn_and_cannot_be_kept_is_taken_back(library: Library) -> None:
    looking = Looking(library)
    table = looking.reading("smoking")
    told: list[Any] = []

    def tell(drawn: dict[str, Any]) -> None:
        told.append(drawn)
        library.remove(table["document"])

    shown = Shown(table["id"], Rect(0, 0, 9, 5))
    with pytest.raises(LibraryError, match="replaced or removed"):
        looking.correct("smoking", DERIVED, "ada", 0, None, shown, tell)
    assert len(told) == 1 and not library.logs([table["document"]]).get(table["document"])


def test_who_asks_while_a_stroke_is_made_sees_what_it_has_made(library: Library) -> None:
    looking = Looking(library)
    table = looking.reading("smoking")
    asked, answered = threading.Event(), queue.SimpleQueue[str | None]()

    class Turn:
        """A lock that says when somebody waits for it."""

        lock = threading.Lock()

        def __enter__(self) -> None:
            if self.lock.locked():
                asked.set()
            self.lock.acquire()

        def __exit__(self, *_: object) -> None:
            self.lock.release()

    def tell(drawn: dict[str, Any]) -> None:
        threading.Thread(target=lambda: answered.put(looking.cell("smoking", 7, 1)["role"])).start()
        assert asked.wait(60)

    with looking.open.table("smoking") as (opened, _):
        pass
    opened.lock = Turn()  # type: ignore[assignment]
    looking.correct("smoking", DERIVED, "ada", 0, None, Shown(table["id"], Rect(0, 0, 9, 5)), tell)
    assert answered.get(timeout=60) == "derived"


def test_a_refusal_after_the_first_part_is_an_event() -> None:
    app = FastAPI()

    def work(tell: Callable[[dict[str, Any]], None] | None) -> dict[str, Any]:
        assert tell
        tell({"version": 1})
        raise ConflictError("ada said otherwise")

    @app.post("/stroke")
    async def stroke(request: Request) -> Response:
        return await answer_early(request, work)

    told = events(TestClient(app).post("/stroke", headers=STREAM).text)
    assert told == [("drawn", {"version": 1}), ("refused", {"status": 409, "detail": "ada said otherwise"})]


def test_several_corrections_are_taken_back_together_or_not_at_all(library: Library) -> None:
    repair = library.repair("smoking")
    ids = [repair.set_row_role(row, "derived").id for row in (8, 9)]
    with pytest.raises(RepairError, match="no such correction"):
        repair.undo_all([*ids, "gone"])
    assert len(repair.log) == 2
    assert len(repair.undo_all(ids)) == 2
    assert [one.state for one in repair.history[:2]] == ["undone", "undone"]


@pytest.mark.parametrize("name", ["smoking", "stacked_ferries", "lakes_t2", "report_page1"])
def test_the_paths_of_values_follow_from_the_trees_that_a_reading_holds(library: Library, name: str) -> None:
    looking = Looking(library)
    reading = looking.reading(name)
    lines = {side: {line: ids for line, *ids in reading[f"{side}_nodes"]} for side in ("row", "column")}

    def cells(side: str, ids: list[int]) -> set[tuple[int, int]]:
        nodes = {one["id"]: one for one in reading[side]}
        found = set()
        for one in ids:
            at: int | None = one
            while at is not None:
                found.add(tuple(nodes[at]["cells"][0]))
                at = nodes[at]["parent"]
        return found

    with looking.open.table(name) as (opened, record):
        tuples = opened.table(record.table_id).tuples
    assert len(tuples) > 0
    for one in tuples:
        assert cells("left", lines["row"][one.row]) == set(one.left_cells)
        assert cells("top", lines["column"][one.column]) == set(one.top_cells)
