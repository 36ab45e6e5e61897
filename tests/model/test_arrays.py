"""What is told of small arrays is what numpy tells, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from tabellion.model.arrays import is_one_of, median, quantile


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 31])
def test_the_median_and_quantiles_are_those_of_numpy(kind: type[np.generic], count: int) -> None:
    numbers = (np.random.default_rng(count).normal(size=count) * 100).astype(kind)
    assert median(numbers) == float(np.median(numbers))
    for share in (0.1, 0.5, 0.9):
        assert quantile(numbers.astype(np.float64), share) == np.quantile(numbers.astype(np.float64), share)


def test_a_median_with_a_number_unknown_is_unknown() -> None:
    assert np.isnan(median(np.array([1.0, np.nan, 3.0]))) and np.isnan(median([]))


@pytest.mark.parametrize("shape", [(7,), (3, 4), (5000,)])
def test_numbers_among_chosen_ones_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(1).integers(0, 9, shape)
    assert (is_one_of(numbers, {2, 5}) == np.isin(numbers, [2, 5])).all()
