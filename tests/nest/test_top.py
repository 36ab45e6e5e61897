"""The top header tree: spans, headers centred over several columns without merges, units, heads of stub columns."""

from __future__ import annotations

from collections.abc import Sequence

from building import build_frame, build_grid
from tabellion.model.frame import Nested
from tabellion.model.style import Style
from tabellion.nest import nest_headers
from tabellion.weights import Weights

VALUES = ["row", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def nest(
    *header: list[str | None], merges: list[str] | None = None, stub: int = 1, lines: Sequence[str] = ()
) -> Nested:
    """The trees of a table under the given header rows; `lines` are areas with a line below."""
    width = max(map(len, header))
    styles = {area: Style(border_bottom=True) for area in lines}
    grid = build_grid([*header, VALUES[:width], VALUES[:width]], merges=merges or [], styles=styles)
    return nest_headers(build_frame(grid, "h" * len(header) + "dd", stub=stub), Weights())


def columns(nested: Nested) -> list[str]:
    """The top path of each value column, as one text."""
    found = []
    for column in nested.frame.value_columns:
        nodes = nested.column_nodes.get(column, ())
        found.append(" / ".join(n.text for node in nodes for n in nested.top.path(node)))
    return found


def test_a_merged_header_covers_its_columns() -> None:
    found = nest(["", "Men", None, "Women", None], ["", "N", "%", "N", "%"], merges=["B1:C1", "D1:E1"])
    assert columns(found) == ["Men / N", "Men / %", "Women / N", "Women / %"]


def test_a_header_at_the_left_of_its_columns_covers_them_without_a_merge() -> None:
    found = nest(["", "Men", None, "Women", None], ["", "N", "%", "N", "%"])
    assert columns(found) == ["Men / N", "Men / %", "Women / N", "Women / %"]


def test_a_header_centred_over_its_columns_covers_them_without_a_merge() -> None:
    found = nest(["", None, "Men", None, None, "Women", None], ["", "A", "B", "C", "A", "B", "C"])
    assert columns(found) == ["Men / A", "Men / B", "Men / C", "Women / A", "Women / B", "Women / C"]


def test_a_header_over_a_sum_and_its_parts_ends_with_them() -> None:
    head: list[list[str | float | None]] = [
        ["Year", "By sector", None, None, None, None],
        [None, "Industry", None, None, None, None],
        [None, "All", "Mines", "Works", "Other", "Total"],
    ]
    rows: list[list[str | float | None]] = [
        [str(2000 + k), 5.0 + 2 * k, 2.0 + k, 3.0 + k, 7.0, 12.0 + 2 * k] for k in range(4)
    ]
    found = nest_headers(build_frame(build_grid([*head, *rows], merges=["B1:F1"]), "hhhdddd", stub=1), Weights())
    assert columns(found)[2:] == ["By sector / Industry / Works", "By sector / Other", "By sector / Total"]


def test_a_header_with_nothing_below_covers_its_own_column_only() -> None:
    found = nest(["", "All", "Men", None, "Change"], ["", None, "N", "%", None])
    assert columns(found) == ["All", "Men / N", "Men / %", "Change"]


def test_a_unit_over_all_columns_belongs_to_each_and_under_none() -> None:
    found = nest(["", "Men", "Women"], [None, "percent", None], merges=["B2:C2"])
    assert columns(found) == ["Men / percent", "Women / percent"]
    assert all(node.parent is None for node in found.top.nodes)


def test_a_unit_over_all_columns_below_two_rows_of_heads_stands_under_none() -> None:
    rows = [
        ["", "Women", None, "Men", None],
        [None, "work", "seek", "work", "seek"],
        ["Region", "percent", None, None, None],
    ]
    found = nest(*rows, merges=["B1:C1", "D1:E1", "B3:E3"])
    assert columns(found) == [f"{who} / {what} / percent" for who in ("Women", "Men") for what in ("work", "seek")]
    (unit,) = [node for node in found.top.nodes if node.text == "percent"]
    assert unit.parent is None and unit.probability == 1


def test_one_head_over_all_may_have_the_unit_under_it() -> None:
    found = nest(["", "Men", None], [None, "percent", None], merges=["B1:C1", "B2:C2"])
    assert columns(found) == ["Men / percent", "Men / percent"]


def test_doubts_about_parents_make_a_reading_less_sure() -> None:
    found = nest(["", "2011", "2016", "Change"], [None, "acres", None, "percent"], merges=["B2:C2"])
    doubtful = [node for tree in (found.top, found.left) for node in tree.nodes if node.probability < 1]
    assert doubtful
    assert found.frame.confidence < 0.9  # what the frame alone was given


def test_a_unit_below_several_headers_belongs_to_each() -> None:
    found = nest(["", "2011", "2016", "Change"], [None, "acres", None, "percent"], merges=["B2:C2"])
    assert columns(found) == ["2011 / acres", "2016 / acres", "Change / percent"]


def test_a_wide_row_in_the_middle_is_the_outermost() -> None:
    found = nest(
        ["", "2006", None, "2007", None],
        [None, "Government transfers", None, None, None],
        ["", "Average", "Share", "Average", "Share"],
        merges=["B1:C1", "D1:E1", "B2:E2"],
    )
    assert columns(found)[0] == "Government transfers / 2006 / Average"
    assert columns(found)[3] == "Government transfers / 2007 / Share"


def test_the_head_of_the_first_stub_column_is_no_label_and_that_of_the_second_is() -> None:
    cells = [["Rank", "State", "Total"], ["1", "Ohio", 3.0], ["2", "Iowa", 2.0]]
    found = nest_headers(build_frame(build_grid(cells), "hdd", stub=2), Weights())
    assert [node.text for node in found.top.nodes] == ["State", "Total"]


def test_a_frame_without_header_rows_has_no_top_tree() -> None:
    found = nest_headers(build_frame(build_grid([VALUES, VALUES]), "dd"), Weights())
    assert not found.top.nodes
    assert not found.column_nodes


def test_a_text_over_the_whole_table_labels_nothing() -> None:
    cells = [["Some title over all", None, None], ["Item", "2020", "2021"], ["Ohio", 1.0, 2.0], ["Iowa", 3.0, 4.0]]
    found = nest_headers(build_frame(build_grid(cells, merges=["A1:C1"]), "hhdd"), Weights())
    assert [node.text for node in found.top.nodes] == ["2020", "2021"]


def test_a_phrase_that_runs_on_below_is_one_header() -> None:
    found = nest(["", "Number of full-", "Share of all"], ["", "time students", "students"])
    assert columns(found) == ["Number of full-time students", "Share of all students"]


def test_headers_that_no_line_parts_in_a_ruled_head_are_one() -> None:
    found = nest(
        ["", "Cost", None, "Net", "Year"],
        ["", "Gross", "Other", "Income", "Total"],
        ["", "Plan", "Plan", "(A)", None],
        merges=["B1:C1"],
        lines=["B1:C1", "B2:C2", "E1"],
    )
    assert columns(found) == ["Cost / Gross / Plan", "Cost / Other / Plan", "Net Income / (A)", "Year / Total"]


def test_a_header_that_says_what_stands_under_wider_ones_is_a_level() -> None:
    found = nest(["", "Men", None, "All"], ["", "Number", "Share", "Number"], merges=["B1:C1"], lines=["B1:C1"])
    assert columns(found) == ["Men / Number", "Men / Share", "All / Number"]


def test_rows_in_two_scripts_say_one_header() -> None:
    found = nest(["", "الاجمالي", "الذكور"], ["", "Total", "Male"])
    assert columns(found) == ["الاجمالي Total", "الذكور Male"]


def test_a_row_that_numbers_the_columns_stands_under_the_heads_the_stub_s_included() -> None:
    found = nest(["State", "Men", "Women"], ["1", "2", "3"])
    assert columns(found) == ["Men / 2", "Women / 3"]
    assert [(n.text, n.parent) for n in found.top.nodes if n.cells[0][1] == 0] == [("State", None), ("1", 0)]
