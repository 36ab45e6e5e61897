"""The same correction is proposed where the same look recurs, shown before it is made, and made only when accepted."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tabellion.library import open_library
from tabellion.model.correction import MoveHeader
from tabellion.read import read_document
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Repair

EXAMPLES = Path(__file__).parents[2] / "examples"
SMOKING = read_document(EXAMPLES / "smoking.xlsx")


def two_sheets() -> Repair:
    twin = msgspec.structs.replace(SMOKING.pages[0], name="Again")
    document = msgspec.structs.replace(SMOKING, pages=(SMOKING.pages[0], twin))
    return Repair(Rereading(document, follow=False), "t1")


def parents(repair: Repair, table: int = 0) -> list[int | None]:
    return [node.parent for node in repair.extraction.tables[table].left.nodes]


def test_headers_that_look_the_same_are_proposed_and_nothing_changes_until_they_are_accepted() -> None:
    repair = two_sheets()
    first = repair.move_header("A8", under="A6")
    before = parents(repair), parents(repair, 1)
    proposals = repair.alike()
    moved = [one.operation for one in proposals if isinstance(one.operation, MoveHeader)]
    assert {"25 to 34 years", "18 to 24 years"} <= {one.header.text for one in moved}
    assert all(one.to is not None and one.to.text.endswith("total") for one in moved)
    assert {one.place.sheet for one in proposals} == {"Smoking", "Again"}
    assert {one.place.sheet for one in repair.alike(scope="sheet")} == {"Smoking"}
    told = repair.preview(proposals)
    assert any("A9 '25 to 34 years'" in line and "becomes under 'Male, total'" in line for line in told)
    assert (parents(repair), parents(repair, 1)) == before
    kept = repair.accept(proposals, first.id)
    assert all(one.like == first.id for one in kept)
    assert not repair.alike(first.id)
    assert repair.extraction.tables[1].tuples.at("B9").left == ("Total smokers", "Male, total", "25 to 34 years")  # type: ignore[union-attr]


def test_rows_that_look_the_same_are_proposed() -> None:
    repair = Repair(Rereading(SMOKING), "t1")
    before = repair.table.frame.labels.roles
    repair.set_row_role("8", "derived")
    proposals = [one.operation for one in repair.alike()]
    assert {one.row.text for one in proposals} >= {"25 to 34 years", "65 years and over"}  # type: ignore[union-attr]
    assert {before[one.row.row] for one in proposals} == {before[7]}  # type: ignore[union-attr]


def test_the_collection_is_searched_for_the_like(tmp_path: Path) -> None:
    other = tmp_path / "other.xlsx"
    other.write_bytes((EXAMPLES / "smoking.xlsx").read_bytes())
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", other, EXAMPLES / "flat.csv")
        library.repair("smoking").move_header("A8", under="A6")
        (found,) = library.alike("smoking")
        assert found.source == str(other)
        count = "select count(*) as n from tuples where list_contains(\"left\", 'White, total')"
        before = library.query(count).to_pylist()[0]["n"]
        found.repair.accept(found.proposals)
        assert library.query(count).to_pylist()[0]["n"] < before
