"""The left header tree: what stands under what in a stub, told by indent, bold, blank values, words and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from building import build_frame, build_grid
from tabellion.learn.sheets.gold import grids_of
from tabellion.learn.sheets.nest_gold import make_frame
from tabellion.model.frame import Nested
from tabellion.model.style import Style
from tabellion.nest import nest_headers
from tabellion.weights import Weights

BOLD = Style(bold=True)


def nest(
    labels: Sequence[tuple[str, int]], bold: Sequence[int] = (), values: Sequence[int | None] = (), roles: str = ""
) -> Nested:
    """A stub of one column: label and value (0: a row without values) of each row, under one header row."""
    cells: list[list[str | float | None]] = [["Item", "2020", "2021"]]
    cells += [[label, float(value) if value else None, float(value + 1) if value else None] for label, value in labels]
    styles = {f"A{row + 2}": BOLD for row in bold}
    grid = build_grid(cells, styles=styles)
    return nest_headers(build_frame(grid, "h" + "d" * len(labels)), Weights())


def paths(nested: Nested) -> list[str]:
    """The left path of each body row, as one text."""
    rows = nested.frame.body_rows
    return [" / ".join(n.text for node in nested.row_nodes.get(r, ()) for n in nested.left.path(node)) for r in rows]


def test_indents_nest() -> None:
    found = nest([("Total revenue", 9), ("  Taxes", 7), ("    Income tax", 5), ("    Sales tax", 2), ("  Fees", 2)])
    assert paths(found) == [
        "Total revenue",
        "Total revenue / Taxes",
        "Total revenue / Taxes / Income tax",
        "Total revenue / Taxes / Sales tax",
        "Total revenue / Fees",
    ]


def test_a_single_blank_before_one_label_is_a_slip_but_not_below_a_group() -> None:
    assert (
        paths(nest([("Until 2007", 9), ("2007 to 2008", 7), ("2008 to 2009", 5), (" From 2009 on", 2)]))[-1]
        == "From 2009 on"
    )
    assert paths(nest([("Ash", 9), ("Elm", 7), ("Climbers", 0), (" Ivy", 2)]))[-1] == "Climbers / Ivy"


def test_parts_indented_below_a_bare_total_stand_under_it() -> None:
    assert paths(nest([("Total", 9), ("   Men", 5), ("   Women", 4)])) == ["Total", "Total / Men", "Total / Women"]
    assert paths(nest([("Total", 9), ("Men", 5), ("Women", 4)])) == ["Total", "Men", "Women"]


def test_labels_whose_codes_go_on_from_another_stand_under_it() -> None:
    labels = [("S13 and S2 - All", 9), ("S1311 - State", 6), ("S13111 - Centre", 4), ("S13112 - Agencies", 2)]
    found = paths(nest([*labels, ("S1313 - Towns", 3)]))
    assert found == [
        *("S13 and S2 - All", "S1311 - State", "S1311 - State / S13111 - Centre"),
        *("S1311 - State / S13112 - Agencies", "S1313 - Towns"),
    ]
    dotted = paths(nest([("1 Farms", 9), ("1.1 Crops", 6), ("1.2 Cattle", 3), ("2 Mines", 2), ("10 Banks", 5)]))
    assert dotted == ["1 Farms", "1 Farms / 1.1 Crops", "1 Farms / 1.2 Cattle", "2 Mines", "10 Banks"]


def test_codes_that_come_back_to_an_earlier_one_are_a_list() -> None:
    labels = [("11 Alpha", 9), ("12 Beta", 6), ("111 Gamma", 4), ("112 Delta", 2), ("113 Eta", 2)]
    assert all(" / " not in path for path in paths(nest(labels)))


def test_bare_numbers_count_on_from_a_label_with_values_beside_it() -> None:
    found = nest([("Showa 5", 9), ("   10", 7), ("   15", 5), ("Heisei 2", 2), ("   7", 2)])
    assert paths(found) == ["Showa 5", "10", "15", "Heisei 2", "7"]
    months = nest([("Showa 5", 9), ("   1", 7), ("   2", 5), ("   3", 2)])
    assert paths(months)[1:] == ["Showa 5 / 1", "Showa 5 / 2", "Showa 5 / 3"]


def test_columns_are_staggered_below_a_corner_that_is_merged_down() -> None:
    cells: list[list[str | float | None]] = [
        ["Item", None, "2020", None], [None, None, "N", "%"], ["Fruit", None, 9.0, 9.5], [None, "Apple", 5.0, 5.5],
        [None, "Pear", 4.0, 4.5], ["Roots", None, 3.0, 3.5], [None, "Beet", 3.0, 3.5],
    ]  # fmt: skip
    found = nest_headers(build_frame(build_grid(cells, merges=["A1:B2", "C1:D1"]), "hhddddd", stub=2), Weights())
    assert paths(found) == ["Fruit", "Fruit / Apple", "Fruit / Pear", "Roots", "Roots / Beet"]


def test_a_second_column_of_labels_follows_the_groups_of_the_first() -> None:
    cells: list[list[str | float | None]] = [
        ["Item", "Article", "2020", "2021"], ["Fruit", "Obst", None, None], ["Pear", "Birne", 5.0, 6.0],
        ["Plum", "Pflaume", 4.0, 3.0], ["Roots", "Knollen", None, None], ["Beet", "Rote Bete", 3.0, 2.0],
    ]  # fmt: skip
    found = nest_headers(build_frame(build_grid(cells), "hddddd", stub=2), Weights())
    assert paths(found)[1:] == [
        *("Fruit / Pear / Obst / Birne", "Fruit / Plum / Obst / Pflaume", "Roots / Knollen"),
        "Roots / Beet / Knollen / Rote Bete",
    ]


def test_a_row_without_values_that_looks_as_its_neighbours_is_one_of_their_list() -> None:
    found = nest(
        [("Fruit", 0), ("  Pear", 5), ("  Plum", 0), ("  Apple", 4), ("  Cherry", 3), ("Roots", 0), ("  Beet", 2)]
    )
    assert paths(found)[3:5] == ["Fruit / Apple", "Fruit / Cherry"]
    plain = nest([("Pear", 9), ("Plum", 8), ("Mango", 0), ("Apple", 7), ("Cherry", 6)])
    assert paths(plain)[3:] == ["Apple", "Cherry"]
    listed = nest([("Fruit", 0), ("Pear", 9), ("Plum", 8), ("Roots", 0), ("Beet", 7), ("Celery", 6)])
    assert paths(listed)[4:] == ["Roots / Beet", "Roots / Celery"]
    loud = nest([("Fruit", 9), ("Pear", 8), ("ROOTS", 0), ("Beet", 7), ("Celery", 6)])
    assert paths(loud)[3:] == ["ROOTS / Beet", "ROOTS / Celery"]


def test_a_label_that_exceeds_a_bold_one_of_its_indent_is_no_part_of_it() -> None:
    rates = [("Active", 30), ("At work", 35), ("  Staff", 36), ("  Owners", 31), ("Jobless", 20)]
    assert paths(nest(rates, bold=[0]))[1::3] == ["At work", "Jobless"]
    counts = [("Active", 60), ("At work", 35), ("  Staff", 20), ("  Owners", 15), ("Jobless", 25)]
    assert paths(nest(counts, bold=[0]))[1::3] == ["Active / At work", "Active / Jobless"]


def test_leading_dots_nest_as_blanks_do() -> None:
    found = nest([("Male, total", 9), ("..18 to 24 years", 4), ("..White, total", 5), ("....18 to 24 years", 3)])
    assert paths(found)[-1] == "Male, total / White, total / 18 to 24 years"
    assert paths(found)[1] == "Male, total / 18 to 24 years"


def test_a_bold_row_heads_the_plain_rows_below_it() -> None:
    found = nest([("Assets", 9), ("Cash", 4), ("Loans", 5), ("Debts", 3), ("Mortgages", 2), ("Cards", 1)], bold=[0, 3])
    assert paths(found) == [
        *("Assets", "Assets / Cash", "Assets / Loans"),
        *("Debts", "Debts / Mortgages", "Debts / Cards"),
    ]


def test_a_bare_total_heads_nothing() -> None:
    found = nest([("Total", 9), ("Oslo", 4), ("Bergen", 3), ("Tromsø", 2)], bold=[0])
    assert paths(found) == ["Total", "Oslo", "Bergen", "Tromsø"]


def test_a_row_without_values_heads_the_rows_below_it() -> None:
    found = nest([("Age", 0), ("Under 20", 4), ("20 and over", 5), ("Sex", 0), ("Men", 4), ("Women", 5)])
    assert paths(found) == ["Age", "Age / Under 20", "Age / 20 and over", "Sex", "Sex / Men", "Sex / Women"]


def test_what_follows_indented_rows_at_the_heading_s_own_indent_is_no_part_of_it() -> None:
    found = nest([("Nuclear", 3), ("Fossil fuels", 0), ("- Oil", 4), ("- Coal", 5), ("Peat", 2)])
    assert paths(found) == ["Nuclear", "Fossil fuels", "Fossil fuels / Oil", "Fossil fuels / Coal", "Peat"]


def test_a_heading_may_be_indented_deeper_than_what_it_heads() -> None:
    found = nest([("    United States", 90), ("Alabama", 4), ("Alaska", 5), ("Arizona", 6)], bold=[0])
    assert paths(found)[1:] == ["United States / Alabama", "United States / Alaska", "United States / Arizona"]


def test_words_that_come_again_stand_under_the_words_before_them() -> None:
    ports = [("Detroit", 3), ("Laredo", 2)]
    found = nest(
        [
            *[("Trade with all", 9), ("Top ports", 5), *ports],
            *[("Trade with Canada", 8), ("Top ports", 4), *ports],
            *[("Trade with Mexico", 7), ("Top ports", 3), *ports],
        ],
        bold=[0, 1, 4, 5, 8, 9],
    )
    assert paths(found)[1] == "Trade with all / Top ports"
    assert paths(found)[6] == "Trade with Canada / Top ports / Detroit"


def test_a_label_broken_over_two_rows_is_one_label() -> None:
    found = nest([("Manufacturing,", 5), ("total", 0), ("Services,", 6), ("total", 0), ("Other", 2)])
    assert [node.text for node in found.left.nodes] == ["Manufacturing, total", "Services, total", "Other"]
    assert found.left.nodes[0].cells == ((1, 0), (2, 0))


def test_a_label_whose_values_stand_beside_its_second_row_is_no_heading() -> None:
    found = nest([("Agriculture and", 0), ("home economics", 4), ("Business", 5), ("Education", 6)])
    assert paths(found) == [*["Agriculture and home economics"] * 2, "Business", "Education"]


def test_of_which_is_no_label_of_its_own() -> None:
    found = nest([("1. Higher education", 9), ("Of which:", 0), (" 1.1 Universities", 5), (" 1.2 Clinics", 4)])
    assert paths(found)[2:] == ["1. Higher education / 1.1 Universities", "1. Higher education / 1.2 Clinics"]


def test_columns_of_which_a_row_fills_one_are_one_hierarchy() -> None:
    cells = [
        *([None, None, "2020"], ["All faculty", None, 9], ["Tenured", None, 5], [None, "Female", 2]),
        *([None, "Male", 3], ["Eligible", None, 4], [None, "Female", 3], [None, "Male", 1]),
    ]
    found = nest_headers(build_frame(build_grid(cells), "hddddddd", stub=2), Weights())
    assert paths(found)[2:4] == ["Tenured / Female", "Tenured / Male"]
    assert paths(found)[5:] == ["Eligible / Female", "Eligible / Male"]


def test_columns_that_a_row_fills_together_have_trees_of_their_own() -> None:
    cells = [
        ["Rank", "State", "Total"],
        *([str(n), name, 10.0 * n] for n, name in enumerate(("Ohio", "Iowa", "Utah"), 1)),
    ]
    found = nest_headers(build_frame(build_grid(cells), "hddd", stub=2), Weights())
    assert paths(found) == ["1 / Ohio", "2 / Iowa", "3 / Utah"]
    assert all(node.parent is None for node in found.left.nodes)


def test_a_blank_inherits_the_label_above_where_the_column_works_so() -> None:
    cells = [["Sex", "Age", "Count"]]
    cells += [["Men" if i == 0 else "Women" if i == 3 else None, f"group {i % 3}", i + 1.0] for i in range(6)]
    found = nest_headers(build_frame(build_grid(cells), "h" + "d" * 6, stub=2), Weights())
    assert paths(found)[2] == "Men / group 2"
    assert paths(found)[5] == "Women / group 2"


def test_a_blank_beside_a_total_inherits_nothing() -> None:
    cells = [
        ["Rank", "Goods", "Value"],
        *([str(n), f"goods {n}", 10.0 * n] for n in range(1, 7)),
        [None, "Total", 99.0],
    ]
    found = nest_headers(build_frame(build_grid(cells), "h" + "d" * 7, stub=2), Weights())
    assert paths(found)[-1] == "Total"


def test_a_cell_merged_down_labels_all_its_rows() -> None:
    cells = [["Club", "Season", "Goals"], ["Gretna", "2002", 1.0], [None, "2003", 2.0], ["Lyn", "2004", 3.0]]
    found = nest_headers(build_frame(build_grid(cells, merges=["A2:A3"]), "hddd", stub=2), Weights())
    assert paths(found) == ["Gretna / 2002", "Gretna / 2003", "Lyn / 2004"]


def test_the_worked_example_of_the_paper(corpora: Callable[[str], Path]) -> None:
    path = corpora("senbazuru-left") / "examples" / "12s0204.xlsx"
    (grid,) = grids_of((path, None))
    found = nest_headers(make_frame(grid, [3], range(4, 48), [0], range(1, grid.shape[1])), Weights())
    by_row = dict(zip(found.frame.body_rows, paths(found), strict=True))
    assert by_row[23] == "Total smokers / Male, total / White, total / 65 years and over"
    assert by_row[5] == "Total smokers, age-adjusted / Male"
    assert [found.top.nodes[n].text for n in found.column_nodes[1]] == ["1990"]


@pytest.mark.parametrize("method", ["boosted", "svm"])
def test_a_frame_without_stub_or_body_has_no_left_tree(method: str) -> None:
    grid = build_grid([["a", "b"], [1.0, 2.0]])
    found = nest_headers(build_frame(grid, "hd", stub=0), Weights(), method)  # type: ignore[arg-type]
    assert not found.left.nodes
    assert not found.row_nodes


def test_a_header_row_in_the_stub_alone_heads_the_rows_below_it() -> None:
    cells = [[None, "2020", "2021"], ["Province", None, None], ["Uusimaa", 1.0, 2.0], ["Kainuu", 3.0, 4.0]]
    found = nest_headers(build_frame(build_grid(cells), "hhdd"), Weights())
    assert [paths(found)[0], paths(found)[1]] == ["Province / Uusimaa", "Province / Kainuu"]
    assert [node.text for node in found.top.nodes] == ["2020", "2021"]


def test_a_name_that_its_own_parts_repeat_stands_where_its_indent_says() -> None:
    found = nest(
        [("SA", 9), ("  Rest", 5), ("    Waikerie", 4), ("  Offshore", 3), ("    Offshore", 3), ("      Offshore", 3)]
    )
    assert paths(found)[3] == "SA / Offshore"
    assert paths(found)[5] == "SA / Offshore / Offshore / Offshore"


def test_kinds_of_running_numbers_are_levels() -> None:
    found = nest(
        [
            *[("I. Current", 9), ("1. Wages", 5), ("(1) Office", 3), ("(2) Works", 2), ("2. Rent", 4)],
            *[("II. Capital", 8), ("1. Land", 5), ("(1) Urban", 3), ("(2) Rural", 2), ("2. Plant", 3)],
        ]
    )
    assert paths(found)[3] == "I. Current / 1. Wages / (2) Works"
    assert paths(found)[9] == "II. Capital / 2. Plant"


def test_a_row_without_values_that_is_numbered_with_its_neighbours_heads_nothing() -> None:
    found = nest([("1. Oslo", 4), ("2. Bergen", 0), ("3. Tromsø", 2), ("4. Bodø", 3)])
    assert paths(found) == ["1. Oslo", "2. Bergen", "3. Tromsø", "4. Bodø"]


def test_a_row_without_values_in_a_sorted_list_heads_nothing() -> None:
    names = ["Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado"]
    found = nest([(name, 0 if name == "Arizona" else 5) for name in names])
    assert paths(found) == names


def test_a_number_without_values_among_running_ones_heads_nothing() -> None:
    assert paths(nest([("1", 4), ("2", 0), ("3", 2)])) == ["1", "2", "3"]
    assert paths(nest([("2021", 4), ("2020", 0), ("2019", 2)])) == ["2021", "2020", "2019"]


def test_a_list_may_be_sorted_without_its_accents() -> None:
    names = ["Afghanistan", "Åland", "Albania", "Algeria", "Angola", "Armenia", "Austria"]
    assert paths(nest([(name, 0 if name == "Algeria" else 5) for name in names])) == names


def test_a_bold_total_before_a_list_in_bands_is_beside_it() -> None:
    states = ["Alabama", "Alaska", None, "Ohio", "Utah", None, "Maine", "Texas"]
    cells: list[list[str | float | None]] = [["State", "2020", "2021"], ["United States", 90.0, 91.0]]
    cells += [[state, 4.0, 5.0] if state else [None, None, None] for state in states]
    frame = build_frame(build_grid(cells, styles={"A2:C2": BOLD}), "h" + "d" * 9)
    found = nest_headers(frame, Weights())
    assert all(node.parent is None for node in found.left.nodes)


def test_what_looks_like_the_first_label_below_a_heading_stands_beside_it() -> None:
    found = nest(
        [("PERCENT (all)", 0), ("Type", 9), ("  Built", 5), ("  Other", 4), ("Wall", 9), ("  Brick", 5), ("  Wood", 4)],
        bold=[1, 4],
    )
    assert paths(found)[5] == "PERCENT (all) / Wall / Brick"


def test_a_label_written_downwards_labels_the_rows_around_it() -> None:
    signs = [None, "回", "転", "率", None, "損", "益", "比"]
    cells: list[list[str | float | None]] = [[None, "Item", "2020"]]
    cells += [[sign, f"item {n}", float(n)] for n, sign in enumerate(signs)]
    found = nest_headers(build_frame(build_grid(cells), "h" + "d" * 8, stub=2), Weights())
    assert paths(found)[0] == "回転率 / item 0"
    assert paths(found)[4] == "回転率 / item 4"
    assert paths(found)[7] == "損益比 / item 7"


def test_marks_at_the_right_of_the_stub_and_running_numbers_are_not_repeated() -> None:
    cells: list[list[str | float | None]] = [["No.", "Item", "Mark", "2020"]]
    rows = [("1", "Wages", "(a)"), (None, "office", None), ("2", "Rent", "(b)"), (None, "house", None)]
    cells += [[*row, 1.0] for row in rows]
    found = nest_headers(build_frame(build_grid(cells), "hdddd", stub=3), Weights())
    assert paths(found)[1] == "office"
    assert paths(found)[3] == "house"


def test_labels_with_nothing_beside_them_group_the_records_below() -> None:
    cells: list[list[str | float | None]] = [["Event", "Date", "Time", "Room"]]
    for month in ("August", "September"):
        cells += [[month, None, None, None], [f"Talk of {month}", f"{month} 3", "noon", 7.0]]
        cells += [["CLASSES BEGIN", f"{month} 17", None, None], [f"Lunch in {month}", f"{month} 28", "noon", 9.0]]
    grid = build_grid(cells, styles={"A4": BOLD, "A8": BOLD})
    found = paths(nest_headers(build_frame(grid, "h" + "d" * 8, stub=2), Weights()))
    assert found[3] == "August / Lunch in August / August / August 28"
    assert found[5] == "September / Talk of September / September / September 3"
