"""How many strokes a simulated user needs with the app's own calls, beside those of `repair`.

    python bench/app_strokes.py FOLDS [CORPUS...]

Each sheet of senbazuru-left and troy200 is added to a library and mended over HTTP, as the app in the browser does:
readings, strokes, look-alikes. FOLDS holds weights that have not seen the sheet (`tabellion.learn train --folds`).
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
from pathlib import Path

from starlette.testclient import TestClient

from tabellion.learn.repair.simulated_user import CORPORA, goal_of, mend_reading, repair_case
from tabellion.learn.sheets.gold import Case, load_cases
from tabellion.library import open_library
from tabellion.library.paging import tables_after
from tabellion.pipeline import Settings
from tabellion.web.app import build_app
from tabellion.web.looking import Looking

AppHand = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "app" / "handed.py"))["AppHand"]
HERE = "http://127.0.0.1:8765"


def mend_in_app(case: Case, folds: Path) -> tuple[int, bool]:
    """The strokes of one sheet, and whether its gold was reached."""
    goal = goal_of(case)
    assert goal is not None
    with tempfile.TemporaryDirectory() as folder, open_library(f"{folder}/shelf", create=True) as library:
        library.folder.weights.symlink_to(folds / f"fold{case.fold}")  # workers know no variable that is set later
        library.add(case.path)
        sheet = case.gold.get("sheet")
        named = [one for one in tables_after(library.catalogue, "", 1_000) if sheet is None or one.sheet == sheet]
        if not named:
            return 0, False
        looking = Looking(library)
        client = TestClient(build_app(library, write=True, looking=looking), base_url=HERE)
        done = mend_reading(AppHand(client, looking, named[0].table_id), goal, alike=True)
        return done.strokes, done.reached


def main() -> None:
    folds = Path(sys.argv[1])
    for corpus in sys.argv[2:] or CORPORA:
        sheets = strokes = reached = same = by_repair = 0
        for case in load_cases(corpus):
            goal = goal_of(case)
            if goal is None:
                continue
            os.environ["TABELLION_WEIGHTS"] = str(folds / f"fold{case.fold}")
            settings = Settings(weights=os.environ["TABELLION_WEIGHTS"])
            plain = repair_case(case, goal, settings, follow=True, alike=True)
            count, whole = mend_in_app(case, folds)
            sheets, strokes, reached, by_repair = (
                sheets + 1,
                strokes + count,
                reached + whole,
                by_repair + plain.strokes,
            )
            same += count == plain.strokes
            print(f"{case.path.name}: {count} in the app, {plain.strokes} by repair", file=sys.stderr, flush=True)
        print(
            f"{corpus}: {sheets} sheets, {strokes / sheets:.3f} strokes a sheet in the app, {by_repair / sheets:.3f} by"
            f" repair, the same on {same}; {reached} reached"
        )


if __name__ == "__main__":
    main()
