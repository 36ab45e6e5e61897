"""What holds for any sequence of corrections: trees stay trees, undo and replay are exact, others do not interfere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabellion.errors import ConflictError, RepairError
from tabellion.export import to_json
from tabellion.model.correction import Correction, GiveRowRole, MoveHeader, Undo
from tabellion.model.frame import HeaderTree
from tabellion.pipeline import Extraction, extract_document
from tabellion.read import read_document
from tabellion.repair.replay import replay
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Repair

EXAMPLES = Path(__file__).parents[2] / "examples"
DOCUMENT = read_document(EXAMPLES / "stacked.xlsx")
DEEP = read_document(EXAMPLES / "smoking.xlsx")

ROW_ROLES = st.sampled_from(["title", "header", "data", "group", "derived", "note", "blank"])
CELL_ROLES = st.sampled_from(["title", "header", "stub", "group", "value", "derived", "note", "other"])
ROWS = st.integers(0, 24)
COLUMNS = st.integers(0, 6)
CELLS = st.builds(lambda row, column: f"{'ABCDEFG'[column]}{row + 1}", ROWS, COLUMNS)
LEFT = st.builds(lambda row: f"A{row + 1}", ROWS)
Stroke = Callable[[Repair], Correction]


def stroke(
    name: str, *arguments: st.SearchStrategy[object], **named: st.SearchStrategy[object]
) -> st.SearchStrategy[Stroke]:
    def build(given_arguments: tuple[object, ...], given_names: dict[str, object]) -> Stroke:
        return lambda repair: getattr(repair, name)(*given_arguments, **given_names)

    return st.builds(build, st.tuples(*arguments), st.fixed_dictionaries(named))


MOVES = st.one_of(stroke("move_header", LEFT, LEFT), stroke("move_header", LEFT), stroke("move_header", CELLS, CELLS))
STROKES = st.one_of(
    MOVES,
    MOVES,
    stroke("set_row_role", ROWS, ROW_ROLES),
    stroke("set_column_role", COLUMNS, st.sampled_from(["stub", "value"])),
    stroke("set_cell_role", CELLS, CELL_ROLES),
    stroke("move_edge", st.sampled_from(["top", "bottom"]), ROWS),
    stroke("move_edge", st.sampled_from(["left", "right"]), COLUMNS),
    stroke("split_table", row=ROWS),
    stroke("merge_tables", row=ROWS),
    stroke("merge_rows", ROWS, ROWS),
    stroke("set_orientation", st.sampled_from(["column", "row", "row-column", "none"])),
    stroke("set_table", st.just(False)),
    stroke("set_text", st.sampled_from(["title", "caption", "unit", "note"]), st.sampled_from(["", "percent"])),
    stroke("undo"),
)


def apply(repair: Repair, strokes: list[Stroke]) -> None:
    for one in strokes:
        try:
            one(repair)
        except RepairError:
            continue  # names nothing, says nothing new, or does not fit: nothing is kept


def assert_is_forest(tree: HeaderTree) -> None:
    cells = [node.cells[0] for node in tree.nodes]
    for place, node in enumerate(tree.nodes):
        assert node.id == place
        assert node.parent is None or node.parent < place
    assert cells


def printed(extraction: Extraction) -> bytes:
    return to_json(extraction, every=True)


@settings(max_examples=25, deadline=None)
@given(strokes=st.lists(STROKES, max_size=6), deep=st.booleans())
def test_trees_stay_trees_and_undoing_all_gives_the_first_reading_back(strokes: list[Stroke], deep: bool) -> None:
    rereading = Rereading(DEEP if deep else DOCUMENT)
    first = printed(rereading.read())
    repair = Repair(rereading, "t1")
    apply(repair, strokes)
    for table in repair.extraction.tables:
        for tree in (table.left, table.top):
            if tree.nodes:
                assert_is_forest(tree)
        assert table.frame.body_rows
    for standing in reversed(repair.history):
        if standing.state != "undone" and not isinstance(standing.correction.operation, Undo):
            repair.undo(standing.correction.id)
    assert printed(repair.extraction) == first


@settings(max_examples=15, deadline=None)
@given(strokes=st.lists(STROKES, max_size=6), deep=st.booleans())
def test_replay_on_the_same_document_gives_the_same_table(strokes: list[Stroke], deep: bool) -> None:
    document = DEEP if deep else DOCUMENT
    repair = Repair(Rereading(document), "t1")
    apply(repair, strokes)
    again = replay(Rereading(document), repair.log, lambda _: None)
    assert printed(again.extraction) == printed(repair.extraction)
    assert again.standings == repair.history


@settings(max_examples=15, deadline=None)
@given(
    mine=st.lists(st.tuples(st.integers(2, 5), ROW_ROLES), max_size=3),
    theirs=st.lists(st.tuples(st.integers(2, 5), ROW_ROLES), max_size=3),
)
def test_operations_on_different_tables_commute(mine: list[tuple[int, str]], theirs: list[tuple[int, str]]) -> None:
    logs = []
    for name, wanted in (("pilots.xlsx", mine), ("smoking.xlsx", theirs)):
        repair = Repair(Rereading(read_document(EXAMPLES / name)), "t1")
        apply(repair, [lambda r, row=row, role=role: r.set_row_role(row, role) for row, role in wanted])  # type: ignore[misc]
        logs.append([one.operation for one in repair.log])
    sheets = two_sheets()
    first, second = (
        sheet.place for sheet in (sheets.read().labelled[0].labels.grid, sheets.read().labelled[1].labels.grid)
    )
    both = [
        *(Correction(f"a{n}", said, first, sheets.document.sha256) for n, said in enumerate(logs[0])),
        *(Correction(f"b{n}", said, second, sheets.document.sha256) for n, said in enumerate(logs[1])),
    ]
    one = replay(sheets, both, lambda _: None)
    other = replay(two_sheets(), [*both[len(logs[0]) :], *both[: len(logs[0])]], lambda _: None)
    assert printed(one.extraction) == printed(other.extraction)


@settings(max_examples=15, deadline=None)
@given(mine=st.lists(STROKES, max_size=3), theirs=st.lists(STROKES, max_size=3))
def test_the_order_in_which_two_people_repair_two_tables_of_a_sheet_is_all_one(
    mine: list[Stroke], theirs: list[Stroke]
) -> None:
    ada, ben = Repair(Rereading(DOCUMENT), "t1"), Repair(Rereading(DOCUMENT), "t2")
    apply(ada, mine)
    apply(ben, theirs)
    one = replay(Rereading(DOCUMENT), [*ada.log, *ben.log], lambda _: None)
    other = replay(Rereading(DOCUMENT), [*ben.log, *ada.log], lambda _: None)
    if all(standing.state in ("in force", "undone", "replaced") for standing in (*one.standings, *other.standings)):
        assert printed(one.extraction) == printed(other.extraction)
    else:
        assert any("correction" in issue.note for issue in one.extraction.issues + other.extraction.issues)


@pytest.mark.parametrize(
    "name", sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".xlsx", ".csv", ".ods"))
)
def test_without_corrections_a_document_is_read_as_ever(name: str) -> None:
    document = read_document(EXAMPLES / name)
    assert printed(Rereading(document).read()) == printed(extract_document(EXAMPLES / name))


def two_sheets() -> Rereading:
    pages = (read_document(EXAMPLES / "pilots.xlsx").pages[0], DEEP.pages[0])
    return Rereading(msgspec.structs.replace(DEEP, pages=pages))


def test_two_people_who_contradict_each_other_are_told() -> None:
    ada, ben = (Repair(Rereading(DEEP), "t1", author=name) for name in ("ada", "ben"))
    first = ada.move_header("A8", under="A6")
    second = ben.move_header("A8", under="A5")
    both = replay(Rereading(DEEP), [first, second], lambda _: None)
    assert [one.state for one in both.standings] == ["in force", "conflict"]
    assert "ada" in (both.standings[1].note or "")
    assert any("conflict" in issue.note for issue in both.extraction.issues)
    late = Repair(Rereading(DEEP), "t1", log=[first], author="ben")
    with pytest.raises(ConflictError):
        late.add_correction(second)


def test_who_saw_the_other_word_may_replace_it() -> None:
    ada = Repair(Rereading(DEEP), "t1", author="ada")
    ada.move_header("A8", under="A6")
    ben = Repair(Rereading(DEEP), "t1", log=ada.log, author="ben")
    ben.move_header("A8", under="A5")
    assert [one.state for one in ben.history] == ["replaced", "in force"]
    said = ben.log[1].operation
    assert isinstance(said, MoveHeader)
    assert said.was is not None
    assert said.was.text == "Male, total"


def test_two_people_who_would_close_a_ring_are_told() -> None:
    ada, ben = (Repair(Rereading(DEEP), "t1", author=name) for name in ("ada", "ben"))
    first, second = ada.move_header("A6", under="A7"), ben.move_header("A7", under="A5")
    third = Repair(Rereading(DEEP), "t1", log=[first]).move_header
    with pytest.raises(RepairError):
        third("A7", under="A6")
    assert [one.state for one in replay(Rereading(DEEP), [first, second], lambda _: None).standings] == ["in force"] * 2


def test_agreeing_is_no_conflict() -> None:
    ada, ben = (Repair(Rereading(DEEP), "t1", author=name) for name in ("ada", "ben"))
    first, second = ada.set_row_role("5", "note"), ben.set_row_role("5", "note")
    assert isinstance(first.operation, GiveRowRole)
    states = [one.state for one in replay(Rereading(DEEP), [first, second], lambda _: None).standings]
    assert states == ["replaced", "in force"]
