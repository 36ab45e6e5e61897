"""Which columns name the rows of a relation."""

from __future__ import annotations

import pytest
from tests.building import Cells, build_grid

from tabellion.label.keys import find_key


def key_of(*rows: list[str | float | None]) -> tuple[int, ...]:
    cells: Cells = rows
    return find_key(build_grid(cells), range(len(rows)), range(len(rows[0])))


@pytest.mark.parametrize(("rows", "key"), [
    ([["Ada", "grey", 5], ["Emmy", "grey", 5], ["Mary", "blue", 7]], (0,)),
    ([["North", "Aville", 5], ["North", "Bville", 6], ["South", "Ctown", 7]], (0, 1)),
    ([["North", "Aville", 5], [None, "Bville", 6], ["South", "Aville", 7]], (0, 1)),
    ([["Ohio", 1990, 5.5], ["Ohio", 2000, 6.5], ["Iowa", 1990, 7.5]], (0, 1)),
])  # fmt: skip
def test_the_fewest_leading_columns_that_tell_rows_apart_name_them(
    rows: list[list[str | float | None]], key: tuple[int, ...]
) -> None:
    assert key_of(*rows) == key


def test_a_running_number_takes_the_name_beside_it_along() -> None:
    assert key_of([1, "Denmark", 17], [2, "Norway", 12], [3, "Latvia", 9]) == (0, 1)
    assert key_of([1, 17, 3.5], [2, 12, 3.7], [3, 9, 4.1]) == (0,)


def test_numbers_among_numbers_name_rows_only_where_they_go_one_way() -> None:
    assert key_of([1990, 7, 8], [1991, 5, 9], [1992, 6, 2]) == (0,)
    assert key_of([30, 31, 1], [6, 7, 8], [13, 14, 15]) == ()


def test_a_measured_number_is_no_part_of_a_name() -> None:
    assert key_of(["Ohio", 2.5, 1], ["Ohio", 3.5, 2], ["Iowa", 2.25, 3]) == (0,)
    assert key_of(["Ohio", "2.5 ± 0.1", 1], ["Ohio", "3.5 ± 0.2", 2], ["Iowa", "2 ± 1", 3]) == (0,)


def test_columns_that_cannot_name_anything_are_passed_over() -> None:
    prose = "a sentence that goes on for so long that nobody would take it for the name of anything " * 2
    assert key_of([f"{prose} 1", "Ada", 5], [f"{prose} 2", "Emmy", 6], [f"{prose} 3", "Mary", 7]) == (1,)


def test_a_single_column_names_nothing() -> None:
    assert key_of(["Ada"], ["Emmy"]) == ()
