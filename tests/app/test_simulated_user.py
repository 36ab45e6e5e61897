"""The simulated user of `learn/` repairs with the app's own calls, in as many strokes as by `repair`."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from app.handed import AppHand
from tabellion.learn.repair.simulated_user import Goal, mend_reading, wrong_headers
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.paging import tables_after
from tabellion.model.table import Table
from tabellion.web.app import build_app
from tabellion.web.looking import Looking

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"
ASTRAY = (("A8", "A6"),)  # a header, and where somebody has put it; its likes follow


def test_a_reading_that_went_astray_is_mended_in_the_app_as_by_repair(tmp_path: Path) -> None:
    with (
        open_library(str(tmp_path / "one"), create=True) as one,
        open_library(str(tmp_path / "two"), create=True) as two,
    ):
        one.add(EXAMPLES / "smoking.xlsx")
        goal = goal_of(one.repair("smoking").table)
        lead_astray(one)
        two.add(EXAMPLES / "smoking.xlsx")
        lead_astray(two)
        wrong = len(wrong_headers(two.repair("smoking").extraction, goal))
        by_repair = mend_reading(two.repair("smoking"), goal, alike=True)
        (table,) = tables_after(one.catalogue, "", 9)
        looking = Looking(one)
        client = TestClient(build_app(one, write=True, looking=looking), base_url=HERE)
        hand = AppHand(client, looking, table.table_id)
        in_app = mend_reading(hand, goal, alike=True)
        assert in_app == by_repair and in_app.reached
        assert 0 < in_app.strokes < wrong and hand.calls > 0
        assert wrong_headers(one.repair("smoking").extraction, goal) == []


def goal_of(table: Table) -> Goal:
    """The left tree as it is read now."""
    grid = table.grid
    cells = [(int(grid.row_of[one.cells[0][0]]), int(grid.column_of[one.cells[0][1]])) for one in table.left.nodes]
    parents = {cells[one.id]: None if one.parent is None else cells[one.parent] for one in table.left.nodes}
    return Goal({"left": parents}, by_row=False)


def lead_astray(library: Library) -> None:
    repair = library.repair("smoking")
    for header, under in ASTRAY:
        repair.move_header(header, under=under)
