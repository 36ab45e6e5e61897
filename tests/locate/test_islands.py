"""A sheet is one region unless its cells lie far apart."""

from __future__ import annotations

import numpy as np
from tests.sheets import sheet_of

from tabellion.locate.islands import IslandSettings, locate_islands
from tabellion.model.document import Sheet, SheetCells, Stored
from tabellion.model.place import Rect


def scattered(places: list[tuple[int, int]]) -> Sheet:
    count = len(places)
    row, column = np.array(places, dtype=np.int32).T
    return Sheet(
        name="S",
        cells=SheetCells(
            row=row,
            column=column,
            text=np.array(["x"] * count, dtype=object),
            stored=np.full(count, Stored.TEXT, dtype=np.uint8),
            number=np.full(count, np.nan),
            style=np.zeros(count, dtype=np.int32),
            marks=np.zeros(count, dtype=np.uint8),
        ),
    )


def test_used_range_is_one_region_even_with_gaps():
    [region] = locate_islands(sheet_of([["title"], [], [], ["a", "b"], [1, 2]]))
    assert region.rect == Rect(0, 0, 4, 1)


def test_empty_sheet_has_no_region():
    assert locate_islands(sheet_of([])) == []


def test_two_cells_at_the_ends_of_the_sheet_stay_one_small_region():
    [region] = locate_islands(scattered([(0, 0), (1_048_575, 16_383)]))
    assert region.rect == Rect(0, 0, 1_048_575, 16_383)


def test_thin_sheet_is_cut_at_its_widest_gap():
    block = [(r, c) for r in range(30) for c in range(30)]
    far = [(r + 1000, c + 1000) for r, c in block]
    regions = locate_islands(scattered(block + far), IslandSettings(free_area=1000, thinness=1))
    assert [region.rect for region in regions] == [Rect(0, 0, 29, 29), Rect(1000, 1000, 1029, 1029)]


def test_diagonal_is_clipped_and_says_so():
    diagonal = [(i, i) for i in range(200)]
    [region] = locate_islands(scattered(diagonal), IslandSettings(free_area=1000, thinness=2))
    assert region.rect.bottom < 199
    assert "left out" in region.issues[0].note
