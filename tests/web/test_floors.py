"""The quality of the whole flow on web pages does not fall: figures on sites that the weights have not seen.

Each page is read with weights that have not seen its site, and the measuring script scores the result. The weights by
fold are kept (`make keep-folds`); those that are older than their code are trained for this run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from held_out import weights_by_fold
from tabellion.learn.web.cases import WEB_CORPORA
from tabellion.learn.web.measure import measure_web
from tabellion.weights import SHIPPED

FLOORS: dict[str, dict[str, float]] = {
    "webtables": {
        "sure.f": 0.965,
        "hand.f": 0.94,
        "orientation_accuracy": 0.94,
        "header_rows_accuracy": 0.977,
        "header_columns_accuracy": 0.935,
        "values_with_labels": 0.968,
    },
    "wiki-headers": {"top.f": 0.985, "header_rows_accuracy": 0.96},
}
"""A floor may be raised, never lowered."""
RENDERED_FLOORS = {"extraction.r": 0.96, "extraction.p": 0.95, "interpretation.r": 0.9, "interpretation.p": 0.9}
_STEP = 9  # every ninth page of visual: all realisations, in a few seconds


@pytest.fixture(scope="session")
def folds(corpora: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in WEB_CORPORA:
        corpora(name)
    return weights_by_fold(tmp_path_factory.mktemp("web-folds"), ["genuine", "web-headers"])


@pytest.mark.long
@pytest.mark.parametrize("corpus", FLOORS)
def test_figures_do_not_fall(corpus: str, folds: Path) -> None:
    result = measure_web(corpus, folds)
    assert result["errors"] == result["missing"] == 0
    below = {name: figure(result, name) for name, floor in FLOORS[corpus].items() if figure(result, name) < floor}
    assert not below


def test_figures_of_rendered_pages_do_not_fall(folds: Path, chromium: str, corpora: Callable[[str], Path]) -> None:
    corpora("visual")
    result = measure_web("visual", folds, step=_STEP)
    assert result["errors"] == result["missing"] == 0
    below = {name: figure(result, name) for name, floor in RENDERED_FLOORS.items() if figure(result, name) < floor}
    assert not below


def figure(result: dict[str, Any], name: str) -> float:
    for part in name.split("."):
        result = result[part]
    return float(result)  # type: ignore[arg-type]


def test_a_probability_can_be_trusted() -> None:
    card = json.loads((SHIPPED / "genuine.card.json").read_text(encoding="utf-8"))
    assert card["scores"]["Brier score"] < 0.04


def test_drawing_a_page_does_not_make_judgements_worse() -> None:
    plain, drawn = (
        json.loads((SHIPPED / f"{name}.card.json").read_text(encoding="utf-8"))["scores"]
        for name in ("genuine", "genuine_drawn")
    )
    assert all(drawn[figure] >= plain[figure] for figure in ("sure F", "hand F"))
    assert drawn["Brier score"] <= plain["Brier score"]
