"""What a table's metadata says."""

from __future__ import annotations

import pytest
from tests.building import build_document, build_frame, build_grid, build_nested, smoking

from tabellion.model.style import Style
from tabellion.model.table import Metadata
from tabellion.relate import relate_table


def described(
    cells: list[list[str | float | None]], roles: str, *, kind: str = "xlsx", **about: dict[str, Style]
) -> Metadata:
    grid = build_grid(cells, **about)
    return relate_table(build_nested(build_frame(grid, roles)), build_document(grid, kind=kind), "t1").metadata


def test_titles_and_notes_are_affiliated() -> None:
    nested = smoking()
    table = relate_table(nested, build_document(nested.frame.grid), "t1")
    about = table.metadata.affiliated
    assert about.index_number == "Table 204"
    assert about.caption == "Table 204. Cigarette Smoking by Sex and Age [In percent. Based on a survey]"
    assert about.caption_position == "above"
    assert about.footnotes[-1] == "Source: National Health Interview Survey."
    assert table.title == "Cigarette Smoking by Sex and Age"


@pytest.mark.parametrize(
    ("line", "index"),
    [
        ("Table 3.1 Sales", "Table 3.1"),
        ("TABLE 12a: Sales", "TABLE 12a"),
        ("Tabelle 4: Umsatz", "Tabelle 4"),
        ("Table IV. Sales", "Table IV"),
        ("Tables of sales", None),
        ("Sales", None),
    ],
)
def test_the_number_of_a_table_is_read_from_its_title(line: str, index: str | None) -> None:
    assert described([[line, None], ["", "1990"], ["Ohio", 7]], "thd").affiliated.index_number == index


def test_without_a_title_nothing_is_said() -> None:
    about = described([["", "1990"], ["Ohio", 7]], "hd").affiliated
    assert (about.caption, about.caption_position, about.index_number, about.footnotes) == (None, "none", None, ())


def test_environment_and_size() -> None:
    found = described([["", "1990"], ["Ohio", 7], ["Iowa", None]], "hdd")
    assert found.environment.document_name == "report.xlsx"
    assert found.environment.document_authors == ("A. Writer",)
    assert found.environment.start == "A1"
    assert (found.layout.rows, found.layout.columns) == (3, 2)
    assert (found.content.cells, found.content.filled) == (6, 4)
    assert found.layout.column_headers == ("1990",)
    assert found.layout.row_headers == ("Ohio", "Iowa")


CELLS: list[list[str | float | None]] = [["", "1990"], ["Ohio", 7]]


def test_outer_lines_are_those_drawn() -> None:
    assert described(CELLS, "hd").frame.outer_ruling == "none"
    both = {"A1:B1": Style(border_top=True, border_bottom=True), "A2:B2": Style(border_bottom=True)}
    found = described(CELLS, "hd", styles=both)
    assert found.frame.outer_ruling == "top-bottom"
    assert (found.layout.boxhead_separator, found.layout.stub_separator) == ("line", "none")
    boxed = Style(border_top=True, border_bottom=True, border_left=True, border_right=True)
    assert described(CELLS, "hd", styles={"A1:B2": boxed}).frame.outer_ruling == "all"
    assert described(CELLS, "hd", styles={"A1:A2": Style(border_left=True)}).frame.outer_ruling == "left"


def test_a_format_without_styles_says_nothing_of_lines() -> None:
    assert described(CELLS, "hd", kind="csv").frame.outer_ruling is None


def test_alignment_is_by_style_and_else_by_content() -> None:
    assert described(CELLS, "hd").layout.alignment == ("left", "right")
    assert described(CELLS, "hd", styles={"B2": Style(align="center")}).layout.alignment == ("left", "center")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "numerical"),
        (["a b", "c d", "e f"], "text"),
        (["-", "-", "-"], "symbol"),
        ([1, "a b", "c d"], "combination"),
    ],
)
def test_the_kind_is_what_the_values_mostly_are(values: list[str | float], kind: str) -> None:
    assert described([["", "a", "b", "c"], ["Ohio", *values]], "hd").type.kind == kind


def test_the_number_and_the_title_are_read_below_the_name_of_the_publisher() -> None:
    rows = [["Bureau of Statistics", None], ["Table 7.", None], ["Sales of ships", None], ["", "1990"], ["Ohio", 7]]
    grid = build_grid(rows)
    table = relate_table(build_nested(build_frame(grid, "ttthd")), build_document(grid), "t1")
    assert table.metadata.affiliated.index_number == "Table 7"
    assert table.metadata.affiliated.caption == "Bureau of Statistics Table 7. Sales of ships"
    assert table.title == "Sales of ships"


def test_a_row_of_dashes_is_no_title() -> None:
    grid = build_grid([["- - - - -", None], ["Sales of ships", None], ["", "1990"], ["Ohio", 7]])
    table = relate_table(build_nested(build_frame(grid, "tthd")), build_document(grid), "t1")
    assert table.title == "Sales of ships"
