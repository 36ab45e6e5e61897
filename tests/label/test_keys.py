"""Which columns name the rows of a relation."""

from __future__ import annotations

import pytest
from tests.building import Cells, build_grid
from tests.sheets import grid_of

from tabellion.label.keys import find_key, settle_stub


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


def test_the_days_of_a_calendar_name_nothing() -> None:
    weeks: list[list[str | float | None]] = [[day, *range(day + 1, day + 7)] for day in (2, 9, 16)]
    assert key_of([*[None] * 6, 1], *weeks) == ()
    assert key_of(*[[day, 5, 7, 2, 9] for day in (2, 9, 16)]) == (0,)


def test_an_amount_of_money_is_no_code() -> None:
    assert key_of(["Cash", "$512", "a"], ["Cash", "$498", "b"], ["Bonds", "$77", "c"]) == (0,)
    assert key_of(["Cash", "512", "a"], ["Cash", "498", "b"], ["Bonds", "77", "c"]) == (0, 1)


def test_a_measured_number_is_no_part_of_a_name() -> None:
    assert key_of(["Ohio", 2.5, 1], ["Ohio", 3.5, 2], ["Iowa", 2.25, 3]) == (0,)
    assert key_of(["Ohio", "2.5 ± 0.1", 1], ["Ohio", "3.5 ± 0.2", 2], ["Iowa", "2 ± 1", 3]) == (0,)


def test_columns_that_cannot_name_anything_are_passed_over() -> None:
    prose = "a sentence that goes on for so long that nobody would take it for the name of anything " * 2
    assert key_of([f"{prose} 1", "Ada", 5], [f"{prose} 2", "Emmy", 6], [f"{prose} 3", "Mary", 7]) == (1,)


def test_a_single_column_names_nothing() -> None:
    assert key_of(["Ada"], ["Emmy"]) == ()


def narrowed(rows: list[list[str | float | None]], stub: list[int]) -> list[int]:
    cells: Cells = rows
    return settle_stub(build_grid(cells), [], range(len(rows)), range(len(rows[0])), stub)


def test_what_repeats_itself_behind_a_full_name_is_a_field() -> None:
    people: list[list[str | float | None]] = [
        ["Abbitt", "Joseph", "NC", "Life", 1995], ["Abdal", "Warith", "NY", "Life", 1983],
        ["Adams", "Joseph", "NC", "Life", 1974], ["Abbitt", "Kenneth", "NY", "Life", 1978],
    ]  # fmt: skip
    assert narrowed(people, [0, 1, 2, 3]) == [0, 1]
    assert narrowed(people, [0, 1, 2, 3, 4]) == [0, 1]


def test_a_second_name_of_each_row_stays_a_label() -> None:
    states: list[list[str | float | None]] = [
        ["Alabama", "AL", 5, 6], ["Alaska", "AK", 7, 8], ["Arizona", "AZ", 5, 6]
    ]  # fmt: skip
    assert narrowed(states, [0, 1]) == [0, 1]


def test_measures_that_come_again_name_nothing_but_years_and_steps_do() -> None:
    flowers: list[list[str | float | None]] = [[5.1, 3.5, "a"], [4.9, 3.0, "a"], [5.1, 3.2, "b"], [4.6, 3.1, "b"]]
    assert narrowed(flowers, [0]) == []
    steps: list[list[str | float | None]] = [[0.5, 3.5, "a"], [1.5, 3.0, "a"], [2.5, 3.2, "b"]]
    assert narrowed(steps, [0]) == [0]


def test_a_table_of_words_alone_still_has_values() -> None:
    assert narrowed([["1", "english"], ["2", "german"]], [0, 1]) == [0]


def test_numbers_that_some_rows_lack_are_no_code() -> None:
    rows: list[list[str | float | None]] = [[1, None, "Britain"], [2, 3, "France"], [3, 2, "Spain"], [4, 5, "Italy"]]
    assert narrowed(rows, [0, 1]) == [0]
    ranked: list[list[str | float | None]] = [[1, 47, "Paper", 9], [2, 48, "Wood", 8], [3, None, "Total", 17]]
    assert narrowed(ranked, [0, 1, 2]) == [0, 1, 2]


def test_columns_behind_a_stub_are_of_it_where_only_so_rows_are_told_apart() -> None:
    shares: list[list[str | float | None]] = [
        ["MSFT", "Jan 2000", 39.8], ["MSFT", "Feb 2000", 36.4], ["IBM", "Jan 2000", 79.2], ["IBM", "Feb 2000", 80.1],
    ]  # fmt: skip
    assert narrowed(shares, [0]) == [0, 1]
    counts: list[list[str | float | None]] = [["Ohio", 4, 1.5], ["Ohio", 2, 3.5], ["Ohio", 9, 2.5], ["Iowa", 1, 0.5]]
    assert narrowed(counts, [0]) == [0]


def test_numbers_that_go_up_and_down_and_come_again_name_nothing() -> None:
    rows: list[list[str | float | None]] = [[(i * i * 7) % 5, i % 3, (i * i) % 7 + 0.5] for i in range(12)]
    assert narrowed(rows, [0]) == []
    doses: list[list[str | float | None]] = [[kind, 10 * i, i + 0.5, kind] for kind in (2, 1, 3) for i in range(5)]
    assert narrowed(doses, [0]) == [0, 1]
    firms: list[list[str | float | None]] = [
        [(i * i) % 7 + 0.5, i % 3, firm, 1990 + i] for firm in ("Acme", "Bolt") for i in range(6)
    ]
    assert narrowed(firms, [0]) == [2, 3]


def test_a_column_of_words_behind_numbers_names_rows_that_nothing_else_tells_apart() -> None:
    metals: list[list[str | float | None]] = [
        [metal, "kg/MW", i + 0.5, i * i % 7, plant]
        for plant in ("wind", "sun", "coal")
        for i, metal in enumerate("ABCD")
    ]
    assert narrowed(metals, [0, 1]) == [0, 1, 4]
    noted = [[*row[:4], "see below" if i % 5 else "estimate"] for i, row in enumerate(metals)]
    assert narrowed(noted, [0, 1]) == [0, 1]


def test_labels_indented_below_one_another_behind_codes_name_rows_too() -> None:
    rows = [["A5", "Industry", 1.5], ["A17", "  Energy", 2.5], ["A38", "    Mining", 3.5], ["A39", "    Power", 4.5]]
    grid = grid_of(rows)
    assert settle_stub(grid, [], range(4), range(3), [0]) == [0, 1]
    plain = grid_of([[code, str(label).strip(), value] for code, label, value in rows])
    assert settle_stub(plain, [], range(4), range(3), [0]) == [0]


def test_numbers_behind_names_that_tell_few_rows_apart_are_no_codes() -> None:
    crops: list[list[str | float | None]] = [["Oats", 14, 5], ["Rye", 16, 9], ["Wheat", 18, 2]]
    assert narrowed(crops, [0, 1]) == [0]
    towns: list[list[str | float | None]] = [[f"Town {at}", 1000 + 7 * at, at * at % 13] for at in range(9)]
    assert narrowed(towns, [0, 1]) == [0, 1]


def test_a_column_without_a_head_right_behind_the_stub_names_rows_where_all_others_have_a_head() -> None:
    kinds = [["Men", "Formal", 5.5, 3], ["Women", "Formal", 4.5, 8], ["All", "Informal", 9.5, 4]]
    rows: list[list[str | float | None]] = [["Sex", None, "2020", "2021"], *kinds]
    assert settle_stub(build_grid(rows), [0], range(1, 4), range(4), [0]) == [0, 1]
    rows[0] = ["Sex", "Kind", "2020", "2021"]
    assert settle_stub(build_grid(rows), [0], range(1, 4), range(4), [0]) == [0]
    years: list[list[str | float | None]] = [["Year", None, "N", "%"], ["a", 1920, 5, 3], ["b", 1925, 4, 8]]
    years.append(["c", 1930, 9, 4])
    assert settle_stub(build_grid(years, merges=["A1:B1"]), [0], range(1, 4), range(4), [0]) == [0, 1]
    measured = [years[0], ["a", 7, 5, 3], ["b", 3, 4, 8], ["c", 9, 9, 4]]
    assert settle_stub(build_grid(measured), [0], range(1, 4), range(4), [0]) == [0]
