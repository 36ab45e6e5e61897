"""What corpora say of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.sheets import grid_of

from tabellion.learn.sheets.gold import ROLES, Case, allowed_roles


def told(corpus, gold, rows):
    grid = grid_of(rows)
    case = Case(corpus=corpus, file="f", path=Path("f"), fold=0, gold=gold, grids=(grid,))
    return [{ROLES[i] for i in np.flatnonzero(row)} for row in allowed_roles(case, grid)]


def test_lines_are_told_one_by_one():
    gold = {"lines": ["metadata", None, "header", "data", "notes"]}
    rows = [["Title"], [], ["", "a"], ["x", 1], ["Note"]]
    assert told("saus-lines", gold, rows) == [{"title"}, set(), {"header"}, {"data"}, {"note"}]


def test_cell_classes_tell_what_they_can():
    gold = {
        "tables": ["A3:B7"],
        "rows": ["1T", "1.1O", "2H", "1H1D", "1H", "1H1D", "1H1D", "1O"],
    }
    rows = [["Title"], ["", "in %"], ["", "a"], ["x", 1], ["Group"], ["y", 2], ["z", 3], ["Source"]]
    body = {"data", "derived"}
    assert told("statsheets", gold, rows) == [
        {"title"}, {"title"}, {"header"}, body, {"group", "data"}, body, body, {"note"},
    ]  # fmt: skip


def test_many_stubs_without_values_are_an_empty_form():
    gold = {"tables": ["A1:B7"], "rows": ["2H", "1H1D", "1H", "1H", "1H", "1H", "1H1D"]}
    rows = [["", "a"], ["S1", 1], ["S2"], ["S3"], ["S4"], ["S5"], ["S6", 2]]
    assert told("statsheets", gold, rows)[2:6] == [{"data"}] * 4


def test_rows_outside_an_annotated_stub_are_not_told():
    gold = {"range": "A3:A4", "root_row": 1, "scored": True, "pairs": [[2, 3]], "root_pairs": [[1, 2]]}
    rows = [["Title"], ["Stub", "a"], ["Group"], ["x", 1], ["Note"]]
    assert told("senbazuru-left", gold, rows) == [set(), {"header"}, {"group", "data"}, {"data", "derived"}, set()]
