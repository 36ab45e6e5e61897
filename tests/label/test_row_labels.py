"""Rows get the roles that a reader gives them, by each method."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sheets import grid_of

from tabellion.label.rows.labels import label_rows
from tabellion.model.frame import ROW_ROLES
from tabellion.model.style import Style
from tabellion.weights import Weights

SHEET = [
    ["Table 5. Smokers by sex and age: 1990 and 2000"],
    ["See notes"],
    [],
    ["Sex and age", "Unit", 1990, 2000],
    [],
    ["  Total", "1,000", 26000, 23000],
    ["Male, total", "1,000", 14000, 12000],
    ["  18 to 44 years", "1,000", 9000, 8000],
    ["  45 years and over", "1,000", 5000, 4000],
    ["Female, total", "1,000", 12000, 11000],
    ["  18 to 44 years", "1,000", 7500, 7000],
    ["  45 years and over", "1,000", 4500, 4000],
    [],
    ["Source: U.S. National Center for Health Statistics, Health, United States, annual."],
]
DERIVED_ROWS = (5, 6, 9)
BODY = range(5, 12)


@pytest.fixture(scope="module")
def weights() -> Weights:
    return Weights()


@pytest.mark.parametrize("method", ["boosted", "crf"])
def test_a_statistical_sheet(weights, method):
    bold = {(row, column): Style(bold=True) for row in DERIVED_ROWS for column in range(4)}
    roles = label_rows(grid_of(SHEET, styles=bold), weights, method).roles
    assert roles[:4] == ("title", "title", "blank", "header")
    assert [row for row in BODY if roles[row] == "derived"] == list(DERIVED_ROWS)
    assert all(roles[row] in ("data", "derived") for row in BODY)
    assert roles[12:] == ("blank", "note")


def test_the_chain_of_the_paper_tells_title_head_body_and_note(weights):
    roles = label_rows(grid_of(SHEET), weights, "paper").roles
    assert (roles[0], roles[3], roles[7], roles[13]) == ("title", "header", "data", "note")


@pytest.mark.parametrize("method", ["boosted", "crf", "paper"])
def test_probabilities_of_each_row_sum_to_one_and_favour_its_role(weights, method):
    labels = label_rows(grid_of(SHEET), weights, method)
    assert labels.probability.shape == (len(SHEET), len(ROW_ROLES))
    assert np.allclose(labels.probability.sum(axis=1), 1)
    assert all(labels.probability[i, ROW_ROLES.index(role)] > 0.1 for i, role in enumerate(labels.roles))


def test_a_table_without_title_and_notes(weights):
    rows = [["Country", "Births", "Deaths"], ["Norway", 57.5, 41.2], ["Sweden", 114.1, 92.0], ["Finland", 48.3, 53.9]]
    assert label_rows(grid_of(rows), weights).roles == ("header", "data", "data", "data")


def test_a_stub_without_values_is_a_group(weights):
    rows = [
        ["Item", 2001, 2002],
        ["Exports:"],
        ["  Grain", 12.5, 13.5],
        ["  Coal", 2.5, 1.5],
        ["Imports:"],
        ["  Oil", 7, 8],
    ]
    roles = label_rows(grid_of(rows), weights).roles
    assert (roles[1], roles[4]) == ("group", "group")


def test_rows_of_a_long_sheet_are_labelled(weights):
    numbers = np.random.default_rng(0).integers(0, 10_000, (100_000, 9)).tolist()
    rows = [["Place", *(f"Measure {i}" for i in range(9))]] + [[f"Place {i}", *row] for i, row in enumerate(numbers)]
    grid = grid_of(rows)
    labels = label_rows(grid, weights)
    assert labels.roles[0] == "header"
    assert labels.roles.count("data") >= 99_990
