"""Each operation changes what it names, as it says, and can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabellion.errors import RepairError
from tabellion.export import to_json
from tabellion.model.correction import Area, MoveHeader, SayTable, Spot, opposite
from tabellion.pipeline import Settings
from tabellion.read import read_document
from tabellion.repair.rereading import Placed, Rereading
from tabellion.repair.session import Repair

EXAMPLES = Path(__file__).parents[2] / "examples"


def bench(name: str, table: str = "t1", **options: bool) -> Repair:
    return Repair(Rereading(read_document(EXAMPLES / name), Settings(), **options), table)


def path_of(repair: Repair, address: str) -> tuple[str, ...]:
    found = repair.table.tuples.at(address)
    assert found is not None
    return found.left


def row_roles(repair: Repair) -> list[str]:
    return list(repair.table.frame.labels.roles)


def test_a_header_moves_under_another_and_its_look_alikes_follow() -> None:
    repair = bench("smoking.xlsx")
    assert path_of(repair, "B8") == ("Total smokers", "Male, total", "White, total", "18 to 24 years")
    repair.move_header("A8", under="A6")
    assert path_of(repair, "B8") == ("Total smokers", "Male, total", "18 to 24 years")
    assert path_of(repair, "B9") == ("Total smokers", "Male, total", "25 to 34 years")


def test_without_re_inference_only_the_header_moves() -> None:
    repair = bench("smoking.xlsx", follow=False)
    repair.move_header("A8", under="A6")
    assert path_of(repair, "B8") == ("Total smokers", "Male, total", "18 to 24 years")
    assert path_of(repair, "B9") == ("Total smokers", "Male, total", "White, total", "25 to 34 years")


def test_a_header_that_moves_under_its_own_child_changes_places_with_it() -> None:
    repair = bench("smoking.xlsx", follow=False)
    repair.move_header("A6", under="A7")
    assert path_of(repair, "B6") == ("Total smokers", "White, total", "Male, total")


def test_rows_columns_and_cells_take_roles() -> None:
    repair = bench("smoking.xlsx")
    first = repair.table.frame.body_rows[0]
    source = int(repair.table.grid.row_of[first])
    repair.set_row_role(source, "note")
    assert row_roles(repair)[first] == "note"
    assert first not in repair.table.frame.body_rows
    assert repair.table.tuples.at(f"B{source + 1}") is None
    last = repair.table.frame.value_columns[-1]
    repair.set_column_role(int(repair.table.grid.column_of[last]), "stub")
    assert last in repair.table.frame.stub_columns
    repair.set_cell_role("B9", "note")
    assert repair.table.tuples.at("B9") is None


def test_edges_move_and_the_table_follows() -> None:
    repair = bench("smoking.xlsx")
    bottom = repair.table.frame.rect.bottom
    row = int(repair.table.grid.row_of[bottom - 2])
    repair.move_edge("bottom", row)
    assert repair.table.frame.rect.bottom == bottom - 2
    assert repair.table.tuples.at(f"B{row + 2}") is None
    repair.move_edge("right", "C")
    assert {value.column for value in repair.table.tuples} == {1, 2}


def test_the_region_that_is_looked_at_can_be_made_smaller() -> None:
    repair = bench("smoking.xlsx")
    repair.move_edge("bottom", "12", of="region")
    assert max(value.row for value in repair.table.tuples) <= 11


def test_stacked_tables_merge_and_split_again() -> None:
    repair = bench("stacked.xlsx")
    assert [table.id for table in repair.extraction.tables] == ["t1", "t2"]
    second = repair.extraction.tables[1]
    start = int(second.grid.row_of[second.frame.rect.top])
    merged = repair.merge_tables(row=start)
    assert [table.id for table in repair.extraction.tables] == ["t1"]
    repair.undo(merged.id)
    assert [table.id for table in repair.extraction.tables] == ["t1", "t2"]
    repair.split_table(row=int(repair.table.grid.row_of[repair.table.frame.body_rows[1]]))
    assert sorted(table.id for table in repair.extraction.tables) == ["t1", "t2", "t3"]


def test_what_is_no_table_is_gone_and_the_others_keep_their_names() -> None:
    repair = bench("stacked.xlsx", "t2")
    repair.set_table(False)
    assert [table.id for table in repair.extraction.tables] == ["t1"]
    with pytest.raises(RepairError, match="undo brings it back"):
        _ = repair.table
    repair.undo()
    assert repair.table.id == "t2"


def test_a_form_becomes_a_table_when_somebody_says_so() -> None:
    document = read_document(EXAMPLES / "form.xlsx")
    rereading = Rereading(document)
    before = rereading.read()

    grid = before.labelled[0].labels.grid
    rows, columns = grid.shape
    area = Area(
        int(grid.row_of[0]), int(grid.column_of[0]), int(grid.row_of[rows - 1]), int(grid.column_of[columns - 1])
    )
    after = rereading.read([Placed(grid.place, SayTable(area, True))])
    assert not before.tables
    assert len(after.tables) == 1


def test_orientation_and_words_are_as_said() -> None:
    repair = bench("smoking.xlsx")
    repair.set_orientation("column")
    assert repair.table.orientation == "column"
    assert not repair.table.frame.stub_columns
    repair.undo()
    repair.set_text("title", "Smokers")
    repair.set_text("caption", "Table 1. Smokers")
    repair.set_text("unit", "percent", "B6:B20")
    repair.set_text("note", "estimated", "B8")
    repair.set_text("note", "All figures are made up.")
    table = repair.table
    assert (table.title, table.metadata.affiliated.caption) == ("Smokers", "Table 1. Smokers")
    assert table.metadata.affiliated.footnotes == ("All figures are made up.",)
    eighth = table.tuples.at("B8")
    assert eighth is not None
    assert (eighth.unit, eighth.notes[0]) == ("percent", "estimated")
    assert "estimated" not in table.tuples.at("C8").notes  # type: ignore[union-attr]


def test_rows_columns_and_cells_join_and_part() -> None:
    data = b"City,Count\nNew,\nYork,12\nOslo,7\nRome,3\n"
    repair = Repair(Rereading(read_document(data)), "t1")
    joined = repair.merge_rows("2", "3")
    assert next(iter(repair.table.tuples)).left == ("New York",)
    repair.undo(joined.id)
    three = b"City,Part,Count\nOslo,east,12\nOslo,west,7\nRome,old,3\n"
    repair = Repair(Rereading(read_document(three)), "t1")
    repair.merge_columns("A", "B")
    assert [value.left for value in repair.table.tuples] == [("Oslo east",), ("Oslo west",), ("Rome old",)]
    quoted = b'City,Count\n"Oslo\nBergen","7\n8"\nRome,3\n'
    repair = Repair(Rereading(read_document(quoted)), "t1")
    repair.split_row("2")
    assert [(value.left, value.value) for value in repair.table.tuples] == [
        (("Oslo",), 7),
        (("Bergen",), 8),
        (("Rome",), 3),
    ]
    repair.merge_cells("A1:B1")
    assert repair.table.grid.spans.tolist() == [[0, 0, 1, 2]]
    repair.split_cells("A1:B1")
    assert repair.table.grid.spans.tolist() == []


def test_what_says_nothing_new_or_names_nothing_is_an_error_and_is_not_kept() -> None:
    repair = bench("smoking.xlsx")
    before = to_json(repair.extraction)
    for wrong in (
        lambda: repair.move_header("A8", under="A7"),
        lambda: repair.move_header("Z99"),
        lambda: repair.set_row_role("4000", "note"),
        lambda: repair.set_cell_role("nonsense", "note"),
        lambda: repair.undo(),
        lambda: repair.undo("nobody"),
    ):
        with pytest.raises(RepairError):
            wrong()
    assert repair.log == ()
    assert to_json(repair.extraction) == before


def test_an_operation_and_its_opposite_take_each_other_back() -> None:
    move = MoveHeader("left", Spot(7, 0), to=Spot(5, 0), was=Spot(6, 0))
    assert opposite(opposite(move)) == move
    repair = bench("smoking.xlsx", follow=False)
    before = to_json(repair.extraction)
    said = repair.move_header("A8", under="A6").operation
    assert isinstance(said, MoveHeader)
    repair.say(opposite(said))
    assert to_json(repair.extraction) == before
