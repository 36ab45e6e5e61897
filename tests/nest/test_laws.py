"""What holds for every stub and every head, whatever the methods say."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from building import build_frame, build_grid
from tabellion.errors import WeightsError
from tabellion.model.fixes import Fixes
from tabellion.model.style import Style
from tabellion.model.tree import HeaderTree
from tabellion.nest import nest_headers, teach_frames
from tabellion.nest.tree import enforce_tree, outline
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


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    stale = msgspec.structs.replace(Weights().boosted("left_parents"), features=("another",))
    stale.save(tmp_path / "left_parents.npz")
    cells: list[list[str | float | None]] = [["", "2020"], ["Men", 1.0], ["  Young", 2.0]]
    with pytest.raises(WeightsError, match="left_parents"):
        nest_headers(build_frame(build_grid(cells), "hdd"), Weights(tmp_path))


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
    lessons = teach_frames([frame], Weights(), method)  # type: ignore[arg-type]
    tree = nest_headers(frame, Weights(), method, lessons).left  # type: ignore[arg-type]
    assert_is_forest(tree)
    (node,) = [node for node in tree.nodes if node.cells[0] == child]
    assert (None if node.parent is None else tree.nodes[node.parent].cells[0]) == parent
