"""A percentage is the number that its reader sees."""

from __future__ import annotations

import msgspec
import numpy as np
from tests.building import build_sheet

from tabellion.model.document import Stored
from tabellion.model.style import PLAIN, Style
from tabellion.recognise.sheet import percentages_as_shown


def test_a_stored_fraction_becomes_the_percentage_that_is_shown() -> None:
    sheet = build_sheet("Sheet1", "13.7%", "0.5", "12%")
    cells = msgspec.structs.replace(
        sheet.cells,
        number=np.array([0.137, 0.5, 12.0]),
        stored=np.array([Stored.NUMBER, Stored.NUMBER, Stored.TEXT], dtype=np.uint8),
        style=np.array([1, 0, 1], dtype=np.int32),
    )
    shown = percentages_as_shown(cells, (PLAIN, Style(number_format="0.0%")))
    assert shown.number.tolist() == [13.7, 0.5, 12.0]
    assert cells.number.tolist() == [0.137, 0.5, 12.0]
