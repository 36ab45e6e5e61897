"""The quality of web tables on sites not seen is held to floors; the weights' cards carry the figures."""

from __future__ import annotations

import json

import pytest

from tabellion.weights import SHIPPED

FLOORS = {
    ("genuine", "sure F"): 0.965,
    ("genuine", "hand F"): 0.94,
    ("genuine_svm", "svm LTW-VS sure F"): 0.94,
    ("web_header_rows", "learned orientation"): 0.92,
    ("web_header_rows", "learned header rows"): 0.95,
    ("web_header_rows", "learned header columns"): 0.93,
}
"""Cross-validated by site. A floor may be raised, never lowered."""


@pytest.mark.parametrize(("weights", "figure"), FLOORS)
def test_figures_do_not_fall(weights: str, figure: str) -> None:
    card = json.loads((SHIPPED / f"{weights}.card.json").read_text(encoding="utf-8"))
    assert card["scores"][figure] >= FLOORS[weights, figure]


def test_a_probability_can_be_trusted() -> None:
    card = json.loads((SHIPPED / "genuine.card.json").read_text(encoding="utf-8"))
    assert card["scores"]["Brier score"] < 0.04
