"""The reading of PDF files does not break: the shipped weights on a fifth of each corpus, against floors.

These weights have seen the documents, so the figures are no measure of quality on new ones (docs/measuring.md has
those); they fall when a change of the flow no longer agrees with the weights. A floor may be raised, never lowered.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tabellion.errors import TabellionError
from tabellion.learn.measure import load_script
from tabellion.learn.measure_printed import measure_printed

FLOORS = json.loads(Path(__file__).with_name("pdf_floors.json").read_text())
FOLD = 1  # the documents that are read


@pytest.mark.parametrize("corpus", list(FLOORS))
def test_no_figure_falls_below_its_floor(corpus, corpora, tmp_path):
    try:
        load_script("pdf")
    except TabellionError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    corpora(corpus)
    result = measure_printed(corpus, tmp_path, FOLD, shipped=True)
    assert result["errors"] == result["missing"] == 0
    figures = {**result, "metadata": result.get("metadata", {}).get("accuracy")}
    below = {name: (figures[name], floor) for name, floor in FLOORS[corpus].items() if figures[name] < floor}
    assert not below, f"{corpus}: figures below their floors (figure, floor): {below}"
