"""Small arrays asked often: what numpy tells of them too, without the cost of its general ways.

numpy's `median`, `isin` and `quantile` take tens of microseconds of a handful of numbers, and a document asks thousands
of times; `unique` loads all of masked arrays when it is first asked. In: small arrays of plain numbers. Out: the same
as numpy gives, to the last bit. On long arrays numpy is faster; numbers that are no numbers (NaN) are not looked for.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MANY = 2000  # numbers from which on numpy's own way is the faster one


def median(numbers: ArrayLike) -> float:
    """The middle one of some numbers, or the mean of the two in the middle; NaN where one of them is, or there is none.

    >>> median([3, 1, 2]), median([4.0, 1.0])
    (2.0, 2.5)
    """
    ordered = np.array(numbers).ravel()
    ordered.sort()
    if not len(ordered) or ordered[-1] != ordered[-1]:  # NaN is sorted last
        return float("nan")
    half, odd = divmod(len(ordered), 2)
    return float(ordered[half]) if odd else float((ordered[half - 1] + ordered[half]) / 2)


def quantile(numbers: NDArray[Any], share: float) -> float:
    """What so large a share of some numbers lies below, interpolated.

    >>> quantile(np.array([1, 2, 3, 4]), 0.5)
    2.5
    """
    ordered = np.sort(numbers)
    place = share * (len(ordered) - 1)
    at = int(place)
    rest = place - at
    low, high = float(ordered[at]), float(ordered[min(at + 1, len(ordered) - 1)])
    return high - (high - low) * (1 - rest) if rest >= 0.5 else low + (high - low) * rest


def is_one_of(numbers: NDArray[Any], chosen: Collection[int]) -> NDArray[np.bool_]:
    """Which of some whole numbers are among the chosen ones.

    >>> is_one_of(np.array([1, 2, 3]), (3, 1)).tolist()
    [True, False, True]
    """
    if numbers.size > _MANY:
        return np.isin(numbers, list(chosen))
    among = frozenset(chosen).__contains__
    return np.fromiter(map(among, numbers.ravel().tolist()), dtype=bool, count=numbers.size).reshape(numbers.shape)


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each of some numbers once, in their order.

    >>> distinct(np.array([3, 1, 3, 2, 1])).tolist()
    [1, 2, 3]
    """
    if numbers.size > _MANY:
        return np.unique(numbers)
    ordered = np.sort(numbers, axis=None)
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]
