"""Roles that are given bind the labelling of rows, whatever the method."""

from __future__ import annotations

import pytest

from building import build_grid
from tabellion.label import label_grid
from tabellion.label.rows.labels import label_rows
from tabellion.model.correction import Fixes
from tabellion.weights import Weights

CELLS = [
    ["Members of choirs", None, None],
    ["Choir", "2001", "2002"],
    ["Harbour", 10.0, 11.0],
    ["Mill", 20.0, 21.0],
    ["Abbey", 30.0, 31.0],
    ["Source: the choirs.", None, None],
]


@pytest.mark.parametrize("method", ["boosted", "crf", "paper"])
@pytest.mark.parametrize(("row", "role"), [(0, "header"), (2, "note"), (3, "group"), (5, "data"), (4, "blank")])
def test_a_given_role_holds(method: str, row: int, role: str) -> None:
    labels = label_rows(build_grid(CELLS), Weights(), method, {row: role})  # type: ignore[arg-type,dict-item]
    assert labels.roles[row] == role
    assert labels.probability[row].max() == 1.0


@pytest.mark.parametrize("method", ["boosted", "crf", "paper"])
def test_the_frame_follows_the_given_roles(method: str) -> None:
    plain = label_grid(build_grid(CELLS), Weights(), method)  # type: ignore[arg-type]
    given = label_grid(build_grid(CELLS), Weights(), method, fixes=Fixes(rows={2: "header", 5: "derived"}))  # type: ignore[arg-type]
    assert 2 in plain.frames[0].body_rows
    assert 2 in given.frames[0].header_rows
    assert given.frames[0].body_rows == (3, 4, 5)
    assert given.frames[0].rect.bottom == 5
