"""Layouts of sheets that strangers' documents have: what names a row, what groups rows, and what is a value."""

from __future__ import annotations

from collections.abc import Sequence

from tests.sheets import Value, sheet_of

from tabellion.label import label_grid
from tabellion.locate import locate_regions
from tabellion.model.document import Document
from tabellion.model.table import Table
from tabellion.nest import nest_frames
from tabellion.pipeline import relate_frames
from tabellion.recognise import recognise_grid
from tabellion.weights import Weights

TOWNS = {"North": ("Ash", "Birch", "Cedar"), "South": ("Dove", "Elm", "Fir")}


def tables_of(rows: Sequence[Sequence[Value]], merges: Sequence[str] = ()) -> list[Table]:
    """The tables of a sheet."""
    sheet, weights = sheet_of(rows, merges), Weights()
    [region] = locate_regions(sheet)
    [frames] = nest_frames([label_grid(recognise_grid(region), weights).frames], weights)
    return list(relate_frames(list(frames), Document("made", "spreadsheet", "xlsx", "0", (sheet,))))


def table_of(rows: Sequence[Sequence[Value]], merges: Sequence[str] = ()) -> Table:
    """The one table of a sheet."""
    [table] = tables_of(rows, merges)
    return table


def lefts(table: Table) -> dict[int, tuple[str, ...]]:
    return {one.row: one.left for one in table.tuples}


def numbers(start: int, count: int) -> list[Value]:
    return [100 + (start * 37 + step * 61) % 389 for step in range(count)]


def test_a_measure_in_the_first_column_is_a_value() -> None:
    scores = (22.4, 85.4, 78.1, 32.7, 54.1, 50.3, 91.2, 13.9)
    rows: list[list[Value]] = [["Score", "Name", "Town"]]
    rows += [[score, f"Person {i}", f"Town {i % 3}"] for i, score in enumerate(scores)]
    table = table_of(rows)
    found = {(one.row, one.top): one.text for one in table.tuples}
    assert found[2, ("Score",)] == "85.4"
    assert found[2, ("Town",)] == "Town 1"
    assert lefts(table)[2] == ("Person 1",)


def test_rising_fractions_name_rows() -> None:
    rows: list[list[Value]] = [["Dose", "Rats", "Mice"], *[[step / 4, *numbers(step, 2)] for step in range(1, 9)]]
    assert lefts(table_of(rows))[1] == ("0.25",)


def test_numbers_alone_that_name_nothing_are_values() -> None:
    rows: list[list[Value]] = [["Height", "Weight", "Pulse"]]
    rows += [[150.5 + (i * i * 37) % 41, 50.2 + (i * i * 23) % 37, 60.1 + (i * 17) % 29] for i in range(12)]
    table = table_of(rows)
    assert table.frame.orientation == "column"
    assert len(table.tuples) == 36


def test_three_columns_name_rows_together() -> None:
    names = [(c, y, s) for c in ("France", "Spain") for y in (2019, 2020) for s in ("male", "female")]
    rows: list[list[Value]] = [["Country", "Year", "Sex", "Deaths", "Births"]]
    rows += [[*name, *numbers(i, 2)] for i, name in enumerate(names)]
    assert lefts(table_of(rows))[4] == ("France", "2020", "female")


def test_numbers_that_go_one_way_for_each_name_name_rows_with_it() -> None:
    names = [(plant, built, year) for plant in ("coal", "wind") for built in (690, 700) for year in (700, 710, 720)]
    rows: list[list[Value]] = [["plant", "built", "year", "cost", "unit"]]
    rows += [[*name, 30 + (i * i * 7) % 13, "USD"] for i, name in enumerate(names)]
    assert lefts(table_of(rows))[8] == ("wind", "690", "710")


def test_records_do_not_stand_under_one_another() -> None:
    towns = ("Adana", "Izmir", "Bursa", "Konya", "Sivas", "Van", "Mersin", "Ordu")
    rows: list[list[Value]] = [["admin", "gov", "code", "2001", "2002", "2003"]]
    rows += [[town, town, f"TR{i}: {town}", *numbers(i, 3)] for i, town in enumerate(towns)]
    rows[5][3:] = [None, None, None]
    rows[7][0] = " Mersin"
    found = lefts(table_of(rows))
    assert found[1] == ("Adana", "Adana", "TR0: Adana")
    assert found[7] == ("Mersin", "Mersin", "TR6: Mersin")


def test_a_first_row_of_numbers_is_no_second_head() -> None:
    rows: list[list[Value]] = [["id", "f2", "f3", "f4"], *[[10 * i + j for j in range(1, 5)] for i in range(1, 5)]]
    table = table_of(rows)
    assert len(table.frame.header_rows) == 1
    assert {one.top for one in table.tuples if one.column == 2} == {("f3",)}


def test_a_head_and_one_row_are_a_table() -> None:
    [found] = [one for one in table_of([["a", "b", "c"], [1, 2, 3]]).tuples if one.column == 2]
    assert (found.top, found.left, found.value) == (("c",), ("1",), 3)


def test_a_merged_head_is_not_cut() -> None:
    phases = [f"Phase {i}" for i in range(1, 5)]
    rows: list[list[Value]] = [[None, "Current", *[None] * 8, "Projected", *[None] * 8]]
    rows += [
        ["Area", *[text for _ in range(2) for text in ("Period", *[p for phase in phases for p in (phase, None)])]]
    ]
    for i, town in enumerate((*TOWNS["North"], *TOWNS["South"])):
        rows.append([town, "May 2020", *numbers(i, 8), "Nov 2020", *numbers(i + 3, 8)])
    found = tables_of(rows, ["B1:J1", "K1:S1"])
    assert [one.place.range for one in found] == ["A1:S8"]
    assert lefts(found[0])[4] == ("Cedar",)


def outer(rows_of: dict[str, tuple[str, ...]]) -> list[list[Value]]:
    rows: list[list[Value]] = [["Region", "Town", "Jobs", "Firms"]]
    for region, towns in rows_of.items():
        rows += [[region if i == 0 else None, town, *numbers(len(town) + i, 2)] for i, town in enumerate(towns)]
    return rows


def test_an_outer_label_with_blanks_below_it_speaks_for_them() -> None:
    found = lefts(table_of(outer(TOWNS)))
    assert found[3] == ("North", "Cedar")
    assert found[5] == ("South", "Elm")


def test_blanks_are_spoken_for_where_other_labels_are_merged_over_their_rows() -> None:
    found = lefts(table_of(outer({**TOWNS, "West": ("Gorse", "Holly")}), ["A5:A7", "A8:A9"]))
    assert found[3] == ("North", "Cedar")
    assert found[8] == ("West", "Holly")


def banners(merged: bool) -> Table:
    rows: list[list[Value]] = [[None, "2019", "2020", "2021"]]
    for number, sex in enumerate(("Men", "Women")):
        rows += [[None, sex, None, None], *[[town, *numbers(number + i, 3)] for i, town in enumerate(TOWNS["North"])]]
    return table_of(rows, ["B2:D2", "B6:D6"] if merged else [])


def test_labels_over_the_values_inside_the_body_group_what_follows_each() -> None:
    for merged in (True, False):
        table = banners(merged)
        assert lefts(table)[2] == ("Men", "Ash")
        assert lefts(table)[8] == ("Women", "Cedar")
        assert {one.top for one in table.tuples if one.column == 3} == {("2021",)}
        assert table.frame.labels.roles[1] == "group"


def test_a_label_over_two_rows_has_the_values_of_the_second() -> None:
    rows: list[list[Value]] = [["Item", "2019", "2020"]]
    rows += [["Wages and salaries of", None, None], ["  full-time staff", 12.5, 13.5], ["Rent", 7.5, 8.1]]
    rows += [["Other costs of the", None, None], ["  establishment", 2.5, 3.5], ["Power", 1.5, 1.7]]
    assert lefts(table_of(rows))[2] == ("Wages and salaries of full-time staff",)


def test_blank_columns_inside_the_stub_part_nothing() -> None:
    rows = [[row[0], None, row[1], None, *row[2:]] for row in outer(TOWNS)]
    table = table_of(rows)
    assert lefts(table)[3] == ("North", "Cedar")
    assert table.place.range == "A1:F7"


def years(start: int, towns: Sequence[str] = (*TOWNS["North"], *TOWNS["South"])) -> list[list[Value]]:
    return [[town, *numbers(start + i, 2)] for i, town in enumerate(towns)]


HEAD: list[Value] = ["Town", "2019", "2020"]


def test_what_stands_between_stacked_tables_is_a_note_of_one_and_the_title_of_the_other() -> None:
    rows: list[list[Value]] = [["Table 1. Births by town"], HEAD, *years(1), ["Source: Registrar"], []]
    rows += [["Table 2. Deaths by town"], HEAD, *years(9), ["Note: provisional"]]
    births, deaths = tables_of(rows)
    assert [births.place.range, deaths.place.range] == ["A2:C8", "A12:C18"]
    assert [births.title, deaths.title] == ["Births by town", "Deaths by town"]
    assert births.metadata.affiliated.footnotes == ("Source: Registrar",)


def test_blocks_that_share_one_head_keep_it_and_their_own_labels() -> None:
    rows: list[list[Value]] = [HEAD, ["Men"], *years(1), [], ["Women"], *years(9)]
    table = table_of(rows)
    assert lefts(table)[2] == ("Men", "Ash")
    assert lefts(table)[15] == ("Women", "Fir")
    assert {one.top for one in table.tuples} == {("2019",), ("2020",)}


def test_a_title_repeated_over_all_columns_is_the_title() -> None:
    table = table_of([["Table 4. Population"] * 3, HEAD, *years(1)])
    assert (table.title, table.place.range) == ("Population", "A2:C8")
    assert {one.top for one in table.tuples} == {("2019",), ("2020",)}


def test_what_a_record_says_twice_is_no_title_of_the_next_ones() -> None:
    records: list[list[Value]] = [["Ash", "Ash", "A"], ["Oak", "Hill", "O"], ["Fir", "Dale", "F"]]
    assert not len(table_of([["town", "centre", "code"], *records]).grid.spans)
    assert len(table_of([["town", "place", "place"], ["town", "name", "code"], *records]).grid.spans) == 1


def test_remarks_at_the_right_take_nothing_from_the_rows_that_have_none() -> None:
    rows = [[*row, "by the town itself" if i in (0, 4) else None] for i, row in enumerate(years(1))]
    table = table_of([[*HEAD, "Remarks"], *rows])
    assert lefts(table)[2] == ("Birch",)
    assert {one.row for one in table.tuples if one.top == ("Remarks",)} == {1, 5}


def test_blank_rows_inside_a_table_part_nothing() -> None:
    rows = years(1, [f"{town} {part}" for part in ("East", "West") for town in (*TOWNS["North"], *TOWNS["South"])])
    spaced: list[list[Value]] = [HEAD]
    for i, row in enumerate(rows):
        spaced += [row, []] if i % 3 == 2 else [row]
    table = table_of(spaced)
    assert table.place.range == "A1:C16"
    assert len(table.tuples) == 24


def test_a_last_column_of_the_flags_that_other_columns_have_is_of_the_table() -> None:
    head: list[Value] = ["Town", "2019", None, "2020", None]
    rows: list[list[Value]] = [head]
    for place in range(24):
        first, second = numbers(place, 2)
        rows.append([f"Town {place}", first, "!" if place in (3, 9) else None, second, "!" if place == 5 else None])
    assert table_of(rows).place.range == "A1:E25"
    rows[6][4] = "please check"
    assert table_of(rows).place.range == "A1:D25"
