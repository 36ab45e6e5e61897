"""What the tests of the format modules share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tabellion.model.document import Stored
from tabellion.read.contents import Contents

_RUN = re.compile(r"(\d+)([A-Z.])")


@pytest.fixture(scope="session")
def agreement() -> Callable[[Contents, dict[str, Any]], float]:
    """The share of a sheet's cells that are filled in a reading just where the annotated grid has them filled."""

    def compare(contents: Contents, gold: dict[str, Any]) -> float:
        sheet = next(s for s in contents.sheets if gold["sheet"] in (None, s.name))
        filled = sheet.cells.stored != Stored.EMPTY
        found = set(zip(sheet.cells.row[filled].tolist(), sheet.cells.column[filled].tolist(), strict=True))
        for area in sheet.merges:
            if (area.top, area.left) in found:
                rows, columns = range(area.top, area.bottom + 1), range(area.left, area.right + 1)
                found.update((row, column) for row in rows for column in columns)
        expected = set()
        for row, line in enumerate(gold["rows"]):
            column = 0
            for count, kind in _RUN.findall(line):
                if kind != ".":
                    expected.update((row, column + step) for step in range(int(count)))
                column += int(count)
        width = max((column for _, column in found | expected), default=0) + 1
        return 1 - len(found ^ expected) / max(len(gold["rows"]) * width, 1)

    return compare
