"""Totals are found by adding up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tabellion.label.rows import totals
from tabellion.label.rows.totals import column_units, find_sums

MISSING = np.nan


def test_a_total_before_its_parts():
    found = find_sums(np.array([[600.0, 66.0], [100, 11], [200, 22], [300, 33]]))
    assert found.after.parts.tolist() == [3, 0, 0, 0]
    assert found.after.end[0] == 4
    assert found.after.share[0] == 1


def test_a_total_after_its_parts():
    found = find_sums(np.array([[100.0, 11], [200, 22], [310, 34], [610, 67]]))
    assert found.before.parts.tolist() == [0, 0, 0, 3]
    assert found.before.end[3] == -1


def test_a_total_of_totals_steps_over_their_parts():
    rows = np.array([[1000.0, 2100], [300, 700], [100, 300], [200, 400], [700, 1400], [410, 650], [290, 750]])
    assert find_sums(rows).after.parts.tolist() == [2, 2, 0, 0, 2, 0, 0]


def test_rounded_parts_may_be_off_in_the_last_digit():
    found = find_sums(np.array([[10079.0, 5784], [6373, 4223], [3707, 1561]]))
    assert found.after.parts[0] == 2


def test_parts_rounded_on_their_own_add_up_roughly():
    rows = np.array([[246045.0, 263590], [76716, 78217], [170230, 185977]])
    found = find_sums(rows)
    assert found.after.parts[0] == 0
    assert found.rough_after.parts[0] == 2


def test_a_line_between_a_total_and_its_parts_is_passed_over():
    found = find_sums(np.array([[60000.0, 6700], [50, -50], [10000, 1100], [20000, 2200], [30000, 3400]]))
    assert found.after.parts[0] == 3


def test_a_total_of_many_rows_in_a_long_sheet():
    parts = np.random.default_rng(1).integers(1000, 9999, (3000, 4)).astype(float)
    found = find_sums(np.vstack([parts.sum(axis=0), parts]))
    assert found.after.end[0] == 3001
    assert found.after.evidence[0] > found.after.evidence[1:].max()


def test_small_numbers_that_agree_by_chance_are_little_evidence():
    found = find_sums(np.array([[3.0], [1], [2], [1], [1]]))
    assert found.after.evidence.max() < 1


def test_missing_numbers_neither_agree_nor_disagree():
    found = find_sums(np.array([[600.0, MISSING], [100, 11], [500, 22]]))
    assert found.after.parts[0] == 2
    assert found.after.share[0] == 1


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 2), (3, 0)])
def test_nothing_to_add_up(shape):
    found = find_sums(np.zeros(shape))
    assert not found.after.parts.any()
    assert len(found.before.parts) == shape[0]


def test_the_rounding_step_of_a_column():
    assert column_units(np.array([[1.0, 1.5, 1 / 3], [2, 2.25, 2 / 3]])).tolist() == [1, 0.01, 1e-6]


@given(arrays(np.float64, (5, 3), elements=st.integers(1000, 10**6).map(float)), st.booleans())
def test_a_sum_of_all_is_always_found(parts, first):
    total = parts.sum(axis=0)
    rows = np.vstack([total, parts] if first else [parts, total])
    found = find_sums(rows)
    sums = found.after if first else found.before
    at = 0 if first else -1
    assert sums.share[at] == 1
    assert sums.evidence[at] > 0


@pytest.mark.parametrize("shape", [(3, 1), (12, 4), (60, 12)])
def test_few_sums_that_are_all_compared_are_those_that_are_found_in_order(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(3)
    rows = np.round(chance.random(shape) * 20)
    rows[chance.random(shape) < 0.1] = np.nan
    rows[-1] = np.nansum(rows[:-1], axis=0)
    compared = find_sums(rows)
    monkeypatch.setattr(totals, "_FEW", 0)
    ordered = find_sums(rows)
    for one, other in ((compared.after, ordered.after), (compared.rough_before, ordered.rough_before)):
        assert one.parts.tolist() == other.parts.tolist()
        assert one.evidence == pytest.approx(other.evidence)
