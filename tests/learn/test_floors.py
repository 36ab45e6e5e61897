"""The quality of the whole flow does not fall: cross-validated figures against floors.

Weights are trained by fold, each document is read with weights that have not seen it, and the corpus's measuring script
scores the result. A floor may be raised in floors.json, never lowered; where less is better it stands there negated.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tabellion.learn.repair.simulated_user import measure_strokes
from tabellion.learn.scoring.sheets import headline
from tabellion.learn.sheets.measure import measure_corpus
from tabellion.learn.training import fold_targets, train_parts

FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())
MEASURED = [name for name in FLOORS if name != "strokes"]


@pytest.fixture(scope="session")
def folds(corpora, tmp_path_factory):
    """Weights by fold, trained for this run (or those of TABELLION_FOLDS, for a quick look while working)."""
    for name in MEASURED:
        corpora(name)
    if os.environ.get("TABELLION_FOLDS"):
        return Path(os.environ["TABELLION_FOLDS"])
    folder = tmp_path_factory.mktemp("folds")
    train_parts(["rows", "edges", "columns", "parents"], fold_targets(folder), workers=1)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("corpus", MEASURED)
def test_no_figure_falls_below_its_floor(corpus, folds):
    result = measure_corpus(corpus, folds)
    assert result["errors"] == result["missing"] == 0
    figures = headline(result)
    below = {
        name: (figures[name], abs(floor))
        for name, floor in FLOORS[corpus].items()
        if (-figures[name] if floor < 0 else figures[name]) < floor
    }
    assert not below, f"{corpus}: figures below their floors (figure, floor): {below}"


@pytest.mark.long
def test_few_strokes_mend_a_sheet(folds):
    """The paper's own reading leaves the most to mend: re-inference halves the strokes of plain editing there."""
    default, paper = (measure_strokes("senbazuru-left", parents, folds) for parents in ("boosted", "svm"))
    assert max(default.unreached, paper.unreached) <= FLOORS["strokes"]["unreached"]
    assert default.strokes["re-inference"] <= FLOORS["strokes"]["default"]
    assert paper.strokes["re-inference"] <= FLOORS["strokes"]["saved"] * paper.strokes["plain"]
