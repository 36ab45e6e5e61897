"""A sheet says what it is, and what is no table of data is not forced into one."""

from __future__ import annotations

import pytest
from tests.sheets import grid_of

from tabellion.label import label_grid
from tabellion.weights import Weights

DATA_FRAME = [
    ["Table 1. Rainfall"],
    ["Station", 2020, 2021, 2022],
    ["North", 10.5, 11.2, 9.8],
    ["South", 20.1, 19.7, 22.0],
    ["East", 15.5, 15.1, 14.9],
    ["Total", 46.1, 46.0, 46.7],
]
RELATION = [
    ["Name", "Town", "Job", "Since"],
    *[[f"Person {i}", town, job, 2000 + i] for i, (town, job) in enumerate([("Ulm", "baker"), ("Bonn", "smith")] * 4)],
]
FORM = [["Application"], ["Name:", ""], ["Street:", ""], ["Town:", ""], ["Date:", "", "Signature:"]]
LIST = [["Packing list"], ["boots"], ["rain jacket"], ["map"], ["water"], ["whistle"]]


@pytest.mark.parametrize(
    ("rows", "kind"),
    [(DATA_FRAME, "data frame"), (RELATION, "relation"), (FORM, "form"), (LIST, "list")],
)
def test_sheet_says_what_it_is(rows, kind):
    labelled = label_grid(grid_of(rows), Weights())
    assert labelled.kind == kind
    assert labelled.kind_probability > 0.5


@pytest.mark.parametrize("rows", [FORM, LIST])
def test_forms_and_lists_are_not_forced_into_frames(rows):
    assert label_grid(grid_of(rows), Weights()).frames == ()


def test_data_frame_has_its_regions():
    [frame] = label_grid(grid_of(DATA_FRAME), Weights()).frames
    assert (frame.header_rows, frame.body_rows) == ((1,), (2, 3, 4, 5))
    assert (frame.stub_columns, frame.value_columns) == ((0,), (1, 2, 3))
    assert 0 < frame.confidence < 1


def test_side_by_side_tables_are_two_frames():
    rows = [["Town", 2020, 2021, "", "River", 2020, 2021]]
    rows += [[f"Town {i}", i * 3.5, i * 4.5, "", f"River {i}", i * 7.5, i * 8.5] for i in range(1, 9)]
    left, right = label_grid(grid_of(rows), Weights()).frames
    assert (left.rect.left, left.rect.right, right.rect.left, right.rect.right) == (0, 2, 4, 6)
