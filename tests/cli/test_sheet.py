"""How a grid is drawn as a sheet."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from rich.cells import cell_len
from rich.style import Style

from tabellion.cli.drawing.sheet import SheetSettings, draw_sheet, shown_lines
from tabellion.locate import locate_regions
from tabellion.model.grid import Grid
from tabellion.read import read_document
from tabellion.recognise import recognise_grid


def grid_of(folder: Path, rows: list[list[object]], merges: tuple[str, ...] = ()) -> Grid:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for merge in merges:
        book.active.merge_cells(merge)
    book.save(folder / "made.xlsx")
    sheet = read_document(folder / "made.xlsx").pages[0]
    return recognise_grid(locate_regions(sheet)[0])


def drawn(grid: Grid, **settings: int) -> list[str]:
    words = [""] * grid.shape[0]
    text = draw_sheet(grid, lambda row, column: Style.null(), words, SheetSettings(**settings))
    return text.plain.splitlines()


def test_letters_and_row_numbers_frame_the_cells(tmp_path: Path) -> None:
    lines = drawn(grid_of(tmp_path, [["year", "rate"], ["all", 12.5]]))
    assert lines[0].split() == ["A", "B"]
    assert lines[2].split() == ["2", "all", "12.5"]


def test_a_long_title_runs_over_the_empty_cells_beside_it(tmp_path: Path) -> None:
    title = "A title that is much longer than its column is wide, as titles are"
    lines = drawn(grid_of(tmp_path, [[title], [], ["a", "b"], ["c", 1]]))
    assert title in lines[1]


def test_a_long_text_is_cut_where_a_neighbour_is_in_the_way(tmp_path: Path) -> None:
    lines = drawn(grid_of(tmp_path, [["x" * 90, "near"], ["a", 1]]))
    assert "x…" in lines[1]
    assert lines[1].rstrip().endswith("near")


def test_a_merged_header_is_drawn_once_over_all_it_covers(tmp_path: Path) -> None:
    grid = grid_of(tmp_path, [["Airplane pilots", None, None], ["a", "b", "c"], [1, 2, 3]], merges=("A1:C1",))
    lines = drawn(grid)
    assert lines[1].count("Airplane pilots") == 1


def test_of_a_long_sheet_the_first_and_the_last_rows_are_drawn_and_the_gap_is_said(tmp_path: Path) -> None:
    lines = drawn(grid_of(tmp_path, [["n", "m"], *([i, i * i] for i in range(2, 301))]), lines=10)
    assert lines[1].split() == ["1", "n", "m"]
    assert lines[-1].split() == ["300", "300", "90000"]
    assert any("291 rows not drawn" in line for line in lines)


def test_blank_rows_of_the_sheet_are_said_too(tmp_path: Path) -> None:
    lines = drawn(grid_of(tmp_path, [["a", 1], *([] for _ in range(40)), ["b", 2]]))
    assert any("blank rows not drawn" in line for line in lines)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_asked_for(tmp_path: Path, width: int) -> None:
    rows = [[f"column {i} 表" for i in range(60)], [i * 1234.5 for i in range(60)], ["note " * 60]]
    lines = drawn(grid_of(tmp_path, rows), width=width)
    assert max(map(cell_len, lines)) <= width
    assert "⋯" in lines[0]


def test_a_sheet_as_wide_as_can_be_is_drawn_to_its_end(tmp_path: Path) -> None:
    grid = grid_of(tmp_path, [[f"c{i}" for i in range(16_384)], list(range(16_384))])
    lines = drawn(grid, width=120)
    assert lines[0].split()[-1] == "XFD"


@given(count=st.integers(0, 500), most=st.integers(0, 60))
def test_the_lines_that_are_drawn_start_at_the_first_and_end_at_the_last(count: int, most: int) -> None:
    shown = shown_lines(count, most)
    numbers = [line for line in shown if line is not None]
    assert numbers == sorted(set(numbers))
    assert not numbers or (numbers[0], numbers[-1]) == (0, count - 1)
    assert (None in shown) == (bool(most) and count > most)
    assert not most or len(shown) <= max(most, 3)
