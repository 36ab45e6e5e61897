"""What holds for every stub and every head, whatever the methods say."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from building import build_frame, build_grid
from tabellion.model.correction import Fixes
from tabellion.model.frame import Frame, HeaderTree
from tabellion.model.style import Style
from tabellion.nest import nest_frames, nest_headers
from tabellion.nest.attributes import read_attributes
from tabellion.nest.pair_view import join_views
from tabellion.nest.stub import find_strands
from tabellion.nest.tree import enforce_tree, left_table, left_view, outline
from tabellion.weights import Weights

WORDS = ["Total", "Men", "Women", "of which:", "18 to 24", "ALL AGES", "total men", "Region:", "1.1 Part", "rest"]
ROWS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.integers(0, 3), st.booleans(), st.booleans()), min_size=1, max_size=25
)


def assert_is_forest(tree: HeaderTree) -> None:
    for place, node in enumerate(tree.nodes):
        assert node.id == place
        assert node.parent is None or node.parent < place
        assert node.cells
        assert 0 <= node.probability <= 1


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, method=st.sampled_from(["boosted", "svm"]))
def test_every_label_has_one_place_in_a_tree(rows: list[tuple[str, int, bool, bool]], method: str) -> None:
    cells: list[list[str | float | None]] = [["", "2020"]]
    cells += [["  " * indent + word, None if group else 1.0] for word, indent, _, group in rows]
    styles = {f"A{i + 2}": Style(bold=True) for i, (_, _, bold, _) in enumerate(rows) if bold}
    frame = build_frame(build_grid(cells, styles=styles), "h" + "d" * len(rows))
    found = nest_headers(frame, Weights(), method)  # type: ignore[arg-type]
    assert_is_forest(found.left)
    assert_is_forest(found.top)
    held = [cell for node in found.left.nodes for cell in node.cells]
    assert sorted(held) == [(i + 1, 0) for i in range(len(rows))]
    assert sorted(found.row_nodes) == list(frame.body_rows)
    if method == "boosted":
        for node in found.left.nodes:
            assert node.parent is None or found.left.nodes[node.parent].cells[0] < node.cells[0]


@settings(max_examples=60, deadline=None)
@given(
    heads=st.lists(st.lists(st.sampled_from(["", "A", "B", "unit"]), min_size=5, max_size=5), min_size=1, max_size=4)
)
def test_every_header_has_one_place_in_a_tree(heads: list[list[str]]) -> None:
    cells: list[list[str | float | None]] = [["", *(text or None for text in row)] for row in heads]
    cells.append(["row", *(float(i) for i in range(5))])
    found = nest_headers(build_frame(build_grid(cells), "h" * len(heads) + "d"), Weights())
    assert_is_forest(found.top)
    held = {cell for node in found.top.nodes for cell in node.cells}
    assert held == {(i, j + 1) for i, row in enumerate(heads) for j, text in enumerate(row) if text}
    for column, nodes in found.column_nodes.items():
        assert column in found.frame.value_columns
        assert all(0 <= node < len(found.top.nodes) for node in nodes)


def test_cycles_are_broken_at_the_least_probable_pair() -> None:
    pairs = (np.array([1, 0, 1, -1]), np.array([0, 1, 2, 2]))
    parents, _ = enforce_tree(3, pairs, np.array([0.9, 0.6, 0.8, 0.1]))
    assert parents.tolist() == [1, -1, 1]


def test_an_outline_never_reaches_back_to_what_was_left() -> None:
    # label 2 stands at the root, so label 3 cannot stand under label 0, however probable that is
    pairs = (np.array([-1, 0, -1, 0, -1, 2]), np.array([0, 1, 2, 3, 3, 3]))
    parents, _ = outline(4, pairs, np.array([9.0, 9.0, 9.0, 3.0, 1.0, 2.0]))
    assert parents.tolist() == [-1, 0, -1, 2]


@pytest.mark.parametrize("rows", [3_000, 100_000])
def test_a_long_list_is_read_as_a_list(rows: int) -> None:
    cells: list[list[str | float | None]] = [["", "2020"], *([f"item {i}", float(i)] for i in range(rows))]
    found = nest_headers(build_frame(build_grid(cells), "h" + "d" * rows), Weights())
    assert len(found.left.nodes) == rows
    assert found.left.depth() == 1


def stub_frame(rows: list[tuple[str, int, bool, bool]], first: float) -> Frame:
    """A stub of the given words, indents and bold beside values and sums, under two rows of headers."""
    cells: list[list[str | float | None]] = [["", "Year", "", "Sum"], ["", "2020", "2021", "Sum"]]
    for number, (word, indent, _, group) in enumerate(rows):
        cells.append(["  " * indent + word, None if group else first + number, 2.0, float(number)])
    cells = [row[: 2 + len(rows) % 3] for row in cells]
    styles = {f"A{i + 3}": Style(bold=True) for i, (_, _, bold, _) in enumerate(rows) if bold}
    return build_frame(build_grid(cells, styles=styles), "hh" + "d" * len(rows))


@settings(max_examples=60, deadline=None)
@given(stubs=st.lists(ROWS, min_size=2, max_size=5), method=st.sampled_from(["boosted", "svm"]))
def test_a_table_is_read_alike_alone_and_among_others(
    stubs: list[list[tuple[str, int, bool, bool]]], method: str
) -> None:
    frames = [stub_frame(rows, 10.0**n) for n, rows in enumerate(stubs)]
    together = nest_frames([[frame] for frame in frames], Weights(), method)  # type: ignore[arg-type]
    for frame, (found,) in zip(frames, together, strict=True):
        alone = nest_headers(frame, Weights(), method)  # type: ignore[arg-type]
        assert (shape_of(found.left), shape_of(found.top)) == (shape_of(alone.left), shape_of(alone.top))
        assert (found.row_nodes, found.column_nodes) == (alone.row_nodes, alone.column_nodes)


def shape_of(tree: HeaderTree) -> list[tuple[str, int | None, float]]:
    return [(node.text, node.parent, round(node.probability, 9)) for node in tree.nodes]


@settings(max_examples=60, deadline=None)
@given(stubs=st.lists(ROWS, min_size=2, max_size=5))
def test_features_of_a_pair_are_the_same_among_other_strands(stubs: list[list[tuple[str, int, bool, bool]]]) -> None:
    frames = [stub_frame(rows, 10.0**n) for n, rows in enumerate(stubs)]
    views = [left_view(read_attributes(frame, strand), "boosted") for frame in frames for strand in find_strands(frame)]
    alone = np.concatenate([left_table(view, "boosted") for view in views])
    assert np.array_equal(left_table(join_views(views), "boosted"), alone)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, data=st.data(), method=st.sampled_from(["boosted", "svm"]))
def test_given_parents_hold_and_the_tree_stays_a_tree(
    rows: list[tuple[str, int, bool, bool]], data: st.DataObject, method: str
) -> None:
    cells: list[list[str | float | None]] = [["", "2020"]]
    cells += [["  " * indent + word, None if group else 1.0] for word, indent, _, group in rows]
    plain = build_frame(build_grid(cells), "h" + "d" * len(rows))
    nodes = [node.cells[0] for node in nest_headers(plain, Weights(), method).left.nodes]  # type: ignore[arg-type]
    child = data.draw(st.sampled_from(nodes))
    parent = data.draw(st.sampled_from([None, *(cell for cell in nodes if cell != child)]))
    frame = msgspec.structs.replace(plain, fixes=Fixes(left={child: parent}))
    tree = nest_headers(frame, Weights(), method).left  # type: ignore[arg-type]
    assert_is_forest(tree)
    (node,) = [node for node in tree.nodes if node.cells[0] == child]
    assert (None if node.parent is None else tree.nodes[node.parent].cells[0]) == parent


def test_a_lone_text_among_texts_is_one_of_them_and_among_numbers_a_label() -> None:
    def labels(values: list[str | float | None]) -> list[str]:
        rows: list[list[str | float | None]] = [
            ["", "Said"],
            *([f"Row {at}" if at else None, v] for at, v in enumerate(values)),
        ]
        frame = build_frame(build_grid(rows), "h" + "d" * len(values))
        return [
            str(frame.grid.label[row, column])
            for one in find_strands(frame)
            for row, column in zip(one.row, one.column, strict=True)
        ]

    assert labels(["empty", "a word", "another"]) == ["Row 1", "Row 2"]
    assert labels(["in percent", 5, 7]) == ["in percent", "Row 1", "Row 2"]
