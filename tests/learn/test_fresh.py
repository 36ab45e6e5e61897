"""The shipped weights come from the code as it is, and their cards say all that they should."""

from __future__ import annotations

import json

import pytest

from tabellion.learn.parts import PARTS, stale_weights
from tabellion.weights import CARD, SHIPPED


def test_no_code_is_newer_than_the_weights() -> None:
    stale = list(stale_weights(SHIPPED))
    assert not stale, "\n".join(f"{one.weights}: {one.why}; `make train`, or --part {one.part}" for one in stale)


@pytest.mark.parametrize("name", [name for part in PARTS.values() for name in part.weights])
def test_a_card_tells_where_its_weights_come_from_and_what_they_are_worth(name: str) -> None:
    card = json.loads((SHIPPED / f"{name}{CARD}").read_text(encoding="utf-8"))
    assert card["scores"]
    assert card["commit"]
    assert card["libraries"]["numpy"]
    assert card["trained_on"]
    assert all(origin["digest"] and origin["licence"] for origin in card["corpora"].values())
