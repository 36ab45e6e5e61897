"""Which of the sensible readings of a sheet is kept: sheets that hold several tables, and what stands around tables."""

from __future__ import annotations

import msgspec
import pytest
from tests.sheets import Value, grid_of

from tabellion.label import label_grid, make_reader
from tabellion.label.edges import find_cuts
from tabellion.label.readings import only
from tabellion.model.place import Rect, range_text
from tabellion.pipeline import extract_document
from tabellion.weights import Weights

REGIONS = ("North", "South", "East", "West", "Centre", "Islands")
CROPS = ("Wheat", "Barley", "Oats", "Rye", "Maize", "Rice")


def table(labels: tuple[str, ...], head: tuple[Value, ...], start: float = 10) -> list[list[Value]]:
    rows: list[list[Value]] = [list(head)]
    for i, label in enumerate(labels):
        rows.append([label, *(round(start * 1.7 * (i + 1) + 3.1 * j, 1) for j in range(1, len(head)))])
    return rows


def beside(*tables: list[list[Value]], gap: int = 1) -> list[list[Value]]:
    """Tables side by side, with blank columns between."""
    height = max(map(len, tables))
    rows: list[list[Value]] = []
    for i in range(height):
        row: list[Value] = []
        for number, one in enumerate(tables):
            row += [None] * gap if number else []
            row += one[i] if i < len(one) else [None] * len(one[0])
        rows.append(row)
    return rows


def ranges(rows: list[list[Value]]) -> list[str]:
    grid = grid_of(rows)
    return [range_text(grid.source_rect(frame.rect)) for frame in label_grid(grid, Weights()).frames]


FARMS = table(REGIONS, ("Region", "Farms", "Hectares", "Workers"))
YIELDS = table(CROPS, ("Crop", "Yield", "Price", "Exports"), 4)
PRICES = table(REGIONS[:4], ("Market", "Spring", "Summer", "Autumn"), 7)


def test_stacked_tables_with_new_heads_are_tables_of_their_own() -> None:
    assert ranges([*FARMS, [None], *YIELDS]) == ["A1:D7", "A9:D15"]


def test_three_tables_with_blank_bands_between_are_three() -> None:
    rows: list[list[Value]] = [*beside(FARMS, YIELDS, gap=2), [None], [None], *PRICES]
    assert sorted(ranges(rows)) == sorted(["A1:D7", "G1:J7", "A10:D14"])


def test_a_far_off_cell_costs_a_table_nothing() -> None:
    rows = [list(row) for row in FARMS]
    rows[3] += [None] * 20 + ["checked"]
    assert ranges(rows) == ["A1:D7"]


def test_a_body_of_texts_is_no_head() -> None:
    names = ("Ada", "Boris", "Chloe", "Dimitri", "Eve", "Farid", "Gwen", "Hugo")
    rows: list[list[Value]] = [["Name", "Town", "Trade", "Since"]]
    rows += [[name, f"Town {name[0]}", "baker" if i % 2 else "smith", 1990 + i] for i, name in enumerate(names)]
    [frame] = label_grid(grid_of(rows), Weights()).frames
    assert len(frame.header_rows) == 1


def test_a_body_of_letters_is_one_table() -> None:
    for head in (["Site", *(f"Gene {i}" for i in range(12))], [None, *range(6, 42, 3)]):
        rows: list[list[Value]] = [list(head)]
        rows += [[f"Strain {r}", *("ACGT"[(c + (r * c % 7 == 3)) % 4] for c in range(12))] for r in range(40)]
        assert ranges(rows) == ["A1:M41"]


@pytest.mark.parametrize("title", ["Farms and workers by region, 2020", "Results of the census of agriculture"])
def test_a_title_written_into_every_column_is_a_title(title: str) -> None:
    lines = [[title] * 4, [""] * 4, *[[str(value) for value in row] for row in FARMS]]
    [found] = extract_document("\n".join(",".join(f'"{cell}"' for cell in line) for line in lines).encode()).tables
    assert found.place.range == "A3:D9"
    assert found.title == title


def test_a_part_of_a_grid_keeps_the_numbers_of_rows_and_columns() -> None:
    grid = grid_of([*FARMS, [None], *YIELDS])
    part = only(grid, Rect(8, 0, 14, 3))
    assert part.shape == grid.shape
    assert not part.filled[:8].any()
    assert (part.text[8:] == grid.text[8:]).all()


def test_a_table_may_be_cut_at_blank_columns() -> None:
    grid = grid_of(beside(FARMS, FARMS))
    whole = make_reader(Weights(), rated=False).read(grid, {})
    united = msgspec.structs.replace(whole.frames[0], rect=Rect(0, 0, 6, 8))
    assert (Rect(0, 0, 6, 4), Rect(0, 5, 6, 8)) in set(find_cuts(grid, (united,)))
