"""How long a stroke takes on a sheet of five thousand cells: re-inference, and all of it with the library.

python bench/repair.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from openpyxl import Workbook

from tabellion.library import open_library
from tabellion.read import read_document
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Repair

ROWS, COLUMNS, STROKES = 500, 10, 12


def write_sheet(path: Path) -> None:
    """A table with a stub of three levels and nine columns of figures."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Region", *range(2001, 2001 + COLUMNS - 1)])
    for row in range(ROWS - 1):
        depth = 0 if row % 50 == 0 else 1 if row % 10 == 0 else 2
        sheet.append(["  " * depth + f"Place {row}", *((row * 7 + column) % 9973 for column in range(COLUMNS - 1))])
    book.save(path)


def timed(strokes: list[Callable[[], object]]) -> str:
    wall, work = [], []
    for stroke in strokes:
        began, busy = time.perf_counter(), time.process_time()
        stroke()
        wall.append(1000 * (time.perf_counter() - began))
        work.append(1000 * (time.process_time() - busy))
    return f"median {statistics.median(wall):.0f} ms, of the processor {statistics.median(work):.0f} ms"


def strokes_on(repair: Repair) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
    moves: list[Callable[[], object]] = [
        lambda under=under: repair.move_header("A14", under=under) for under in ("A2", "A12") * (STROKES // 2)
    ]
    roles: list[Callable[[], object]] = [
        lambda row=row: repair.set_row_role(row, "derived") for row in range(100, 100 + STROKES)
    ]
    return moves, roles


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "places.xlsx"
        write_sheet(path)
        print(f"{ROWS * COLUMNS:,} cells")
        rereading = Rereading(read_document(path))
        rereading.read()
        moves, roles = strokes_on(Repair(rereading, "t1"))
        print("re-inference after a header moved:", timed(moves))
        print("re-inference after a row got a role:", timed(roles))
        with open_library(str(Path(folder) / "shelf"), create=True) as library:
            library.add(path)
            moves, _ = strokes_on(library.repair("places"))
            print("the same with log, tuples and catalogue kept:", timed(moves))


if __name__ == "__main__":
    main()
