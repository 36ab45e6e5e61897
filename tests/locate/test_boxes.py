"""The geometry of boxes: how they are arranged, which rows and columns they take, which frames they form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabellion.locate.papers.ventex import clean_frame, expand, lay_on_grid, locate_frames
from tabellion.locate.rendered.arrangement import GRID, NOTHING, ROW, STACK, Part, Topology, arrange, find_topology
from tabellion.locate.rendered.regions import cut_text_block
from tabellion.model.markup import Boxes, Words

Recognise = Callable[..., Topology]
ways = pytest.mark.parametrize("recognise", [find_topology, lay_on_grid])


def boxes(*edges: tuple[float, float, float, float]) -> Boxes:
    return np.array(edges, dtype=np.float32).reshape(-1, 4)


def tiles(rows: int, columns: int, width: float = 50, height: float = 20) -> Boxes:
    return boxes(
        *((c * width, r * height, (c + 1) * width, (r + 1) * height) for r in range(rows) for c in range(columns))
    )


@pytest.mark.parametrize(("made", "kind"), [
    (tiles(1, 3), ROW),
    (tiles(3, 1), STACK),
    (tiles(3, 3), GRID),
    (tiles(1, 1), NOTHING),
    (boxes((0, 0, 50, 50), (10, 10, 60, 60)), NOTHING),
])  # fmt: skip
def test_how_boxes_lie(made: Boxes, kind: int) -> None:
    assert arrange(made) == kind


@ways
@given(st.integers(2, 7), st.integers(2, 7), st.randoms())
def test_tiles_in_any_order_take_their_own_rows_and_columns(
    recognise: Recognise, rows: int, columns: int, chance: st.Random
) -> None:
    made = tiles(rows, columns)
    order = list(range(len(made)))
    chance.shuffle(order)
    found = recognise(made[order], np.ones(len(made), dtype=bool))
    assert (found.rows, found.columns, found.overlaps) == (rows, columns, 0)
    assert sorted(zip(found.row.tolist(), found.column.tolist(), strict=True)) == [
        (r, c) for r in range(rows) for c in range(columns)
    ]


@ways
def test_a_box_over_several_columns_spans_them(recognise: Recognise) -> None:
    found = recognise(np.concatenate([boxes((0, -20, 150, 0)), tiles(2, 3)]), np.ones(7, dtype=bool))
    assert (found.row[0], found.column[0], found.across[0], found.down[0]) == (0, 0, 3, 1)


@ways
def test_cells_set_flush_right_without_touching_share_a_column(recognise: Recognise) -> None:
    made = boxes(
        (0, 0, 60, 15), (100, 0, 150, 15), (0, 20, 30, 35), (140, 20, 150, 35), (0, 40, 45, 55), (120, 40, 150, 55)
    )
    found = recognise(made, np.ones(6, dtype=bool))
    assert found.column.tolist() == [0, 1] * 3


@ways
def test_spacer_rows_and_columns_are_purged_and_the_structure_closed(recognise: Recognise) -> None:
    made = tiles(5, 5)
    filled = np.array([r % 2 == 0 and c % 2 == 0 for r in range(5) for c in range(5)])
    found = recognise(made, filled)
    assert (found.rows, found.columns, len(found)) == (3, 3, 9)


def test_a_hole_left_by_a_spacer_closes_under_cells_that_take_it_in() -> None:
    """Headers take in the spacer columns behind their own."""
    made = boxes(
        (0, 0, 110, 20), (110, 0, 200, 20), (200, 0, 300, 20),
        (0, 20, 100, 40), (100, 20, 110, 40), (110, 20, 190, 40), (190, 20, 200, 40), (200, 20, 300, 40),
    )  # fmt: skip
    filled = np.array([True, True, True, True, False, True, False, True])
    found = lay_on_grid(made, filled)
    assert sorted(zip(found.row.tolist(), found.column.tolist(), found.across.tolist(), strict=True)) == [
        (r, c, 1) for r in range(2) for c in range(3)
    ]


def test_empty_cells_of_a_filled_column_are_no_spacers() -> None:
    made, filled = tiles(3, 3), np.ones(9, dtype=bool)
    filled[[4, 5]] = False
    assert clean_frame(made, filled).tolist() == list(range(9))


@ways
def test_boxes_of_no_size_take_a_slot(recognise: Recognise) -> None:
    found = recognise(np.concatenate([tiles(2, 2), boxes((120, 5, 120, 5))]), np.ones(5, dtype=bool))
    assert (found.down.min(), found.across.min()) == (1, 1)
    assert ((found.row + found.down).max(), (found.column + found.across).max()) == (found.rows, found.columns)


def test_expansion_takes_a_side_only_where_it_is_tiled_whole() -> None:
    made = tiles(2, 2)
    assert expand(made, made[0], 0, True).tolist() == [1]
    around = np.array([0, 0, 50, 40], dtype=np.float32)
    assert expand(made, around, 0, True).tolist() == [1, 3]
    assert expand(made[:3], around, 0, True).tolist() == []


def test_frames_grow_over_touching_boxes_and_stop_at_gaps() -> None:
    apart = tiles(3, 3) + np.array([400, 0, 400, 0], dtype=np.float32)
    found = locate_frames(np.concatenate([tiles(3, 3), apart]))
    assert [frame.tolist() for frame in found] == [list(range(9)), list(range(9, 18))]


def words_of(lines: list[str], letter: float = 7) -> Words:
    told = [
        (word, 0, start * letter, 20 * at, (start + len(word)) * letter, 20 * at + 15)
        for at, line in enumerate(lines)
        for start, word in ((line.index(word), word) for word in line.split())
    ]
    text = np.empty(len(told), dtype=object)
    text[:] = [each[0] for each in told]
    count = len(told)
    return Words(
        text,
        np.zeros(count, np.int32),
        boxes(*(each[2:] for each in told)),
        np.zeros(count, np.int32),
        np.zeros(count, bool),
    )


def test_lines_with_gaps_at_the_same_places_are_cut() -> None:
    words = words_of(["Lake       Area", "Lake1      5801", "Lake2 big  5362"])
    cells, columns = cut_text_block(words, 0, len(words))
    assert columns is None
    assert [Part(-1, 4, 6), Part(-1, 6, 7)] == cells[-2:]


def test_prose_is_not_cut() -> None:
    words = words_of(["It is said that", "some lakes are", "deeper than oth"])
    assert cut_text_block(words, 0, len(words)) == ([], None)
