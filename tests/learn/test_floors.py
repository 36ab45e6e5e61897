"""The quality of the whole flow does not fall: cross-validated figures against floors.

Each document is read with weights that have not seen it, and the corpus's measuring script scores the result. The
weights by fold are kept in held_out (`make keep-folds`, after `make train`); those whose features or training changed
since they were made, or that are not there, are trained for this run, which takes minutes. A floor may be raised in
floors.json, never lowered; where less is better it stands there negated.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from held_out import weights_by_fold
from tabellion.learn.measuring import measure_corpus
from tabellion.learn.parts import PARTS, SHEETS
from tabellion.learn.repair.simulated_user import measure_strokes
from tabellion.learn.scoring.sheets import headline

FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())
LARGEST = {"statsheets": 100_000, "sheetcuts": 150_000, "fuste": 200_000}
"""Bytes of a file: the larger ones of these corpora, a sixth of all, take two thirds of the time; `make measure`
reads them too."""
MEASURED = [name for name in FLOORS if name not in ("strokes", "learned")]
LEARNED = FLOORS["learned"]
"""Floors of the learned reader, on corpora that it was not trained on."""


@pytest.fixture(scope="session")
def folds(corpora, tmp_path_factory):
    for name in MEASURED:
        corpora(name)
    sheets = [part.name for part in PARTS.values() if part.group == SHEETS]
    return weights_by_fold(tmp_path_factory.mktemp("folds"), sheets)


@pytest.mark.long
@pytest.mark.parametrize("corpus", MEASURED)
def test_no_figure_falls_below_its_floor(corpus, folds):
    result = measure_corpus(corpus, folds, most_bytes=LARGEST.get(corpus))
    assert result["errors"] == result["missing"] == 0
    figures = headline(result)
    below = {
        name: (figures[name], abs(floor))
        for name, floor in FLOORS[corpus].items()
        if (-figures[name] if floor < 0 else figures[name]) < floor
    }
    assert not below, f"{corpus}: figures below their floors (figure, floor): {below}"


@pytest.mark.long
@pytest.mark.parametrize("corpus", LEARNED)
def test_no_figure_of_the_learned_reader_falls_below_its_floor(corpus, corpora):
    corpora(corpus)
    result = measure_corpus(corpus, None, reader="learned")
    assert result["errors"] == result["missing"] == 0
    figures = headline(result)
    below = {
        name: figures[name]
        for name, floor in LEARNED[corpus].items()
        if (figures[name] if floor > 0 else -figures[name]) < floor
    }
    assert not below, f"{corpus}: figures below their floors: {below}"


@pytest.mark.long
def test_few_strokes_mend_a_sheet(folds):
    """The paper's own reading leaves the most to mend: re-inference halves the strokes of plain editing there."""
    default = measure_strokes("senbazuru-left", "boosted", folds, ["re-inference"])
    paper = measure_strokes("senbazuru-left", "svm", folds, ["plain", "re-inference"])
    assert default.unreached <= FLOORS["strokes"]["unreached"]
    assert paper.unreached <= FLOORS["strokes"]["unreached by the paper"]
    assert default.strokes["re-inference"] <= FLOORS["strokes"]["default"]
    assert paper.strokes["re-inference"] <= FLOORS["strokes"]["saved"] * paper.strokes["plain"]
