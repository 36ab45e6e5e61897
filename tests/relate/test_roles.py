"""The role of each cell of a table."""

from __future__ import annotations

import numpy as np
from tests.building import build_frame, build_grid, build_nested, smoking

from tabellion.model.frame import Frame, Nested
from tabellion.model.place import cell_at
from tabellion.relate import CELL_ROLES, label_cells, label_leftovers


def roles_of(nested: Nested) -> dict[str, str | None]:
    grid, roles = nested.frame.grid, label_cells(nested)
    return {grid.address(r, c): CELL_ROLES[roles[r, c]] for r, c in np.argwhere(roles).tolist()}


def test_every_filled_cell_has_its_role() -> None:
    found = roles_of(smoking())
    assert found["A1"] == found["A2"] == "title"
    assert found["A3"] == found["B3"] == "header"
    assert (found["A4"], found["B4"]) == ("stub", "value")
    assert found["A5"] == "group"
    assert found["B8"] == "value"
    assert found["A9"] == found["A12"] == "note"
    assert "B5" not in found


def test_totals_are_derived_by_row_or_by_formula() -> None:
    grid = build_grid([["", "1990"], ["Ohio", 1], ["Iowa", 2], ["Total", 3]], aggregates=["B3"])
    found = roles_of(build_nested(build_frame(grid, "hddv")))
    assert (found["B2"], found["B3"], found["B4"], found["A4"]) == ("value", "derived", "derived", "stub")


def test_a_total_column_is_derived_if_its_parts_sum_up() -> None:
    cells: list[list[str | float | None]] = [["", "Total", "Men", "Women", "All ages"]]
    cells += [[f"r{n}", 3 * n, n, 2 * n, 7] for n in range(1, 6)]
    found = roles_of(build_nested(build_frame(build_grid(cells), "hddddd")))
    assert [found[a] for a in ("B2", "C2", "D2", "E2")] == ["derived", "value", "value", "value"]


def test_a_label_centred_in_a_group_row_is_a_group() -> None:
    grid = build_grid([["", "1990", "1995"], [None, "MALE", None], ["Ohio", 1, 2]])
    assert roles_of(build_nested(build_frame(grid, "hgd")))["B2"] == "group"


def test_what_no_table_claims_goes_by_its_row() -> None:
    grid = build_grid([["A report", None], ["", "1990"], ["Ohio", 7], ["Contact us", None]])
    whole = build_frame(grid, "thdn")
    frame = Frame(whole.labels, whole.rect, whole.header_rows, whole.body_rows, whole.stub_columns, whole.value_columns)
    nested = build_nested(frame)
    left = label_leftovers([label_cells(nested)], frame)
    row, column = cell_at("A4")
    assert [CELL_ROLES[left[0, 0]], CELL_ROLES[left[row, column]], CELL_ROLES[left[1, 1]]] == ["title", "note", None]
