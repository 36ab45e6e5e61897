"""Learning which tables of a rendered page are genuine: the features of the markup, and those that only drawing shows.

In: the labelled tables of all web corpora but those of the fold left out, each page drawn by Chromium. Out: the weights
`genuine_drawn`. Tables that are not drawn (hidden ones) are not learned from; they are judged by the markup alone.
Fails without Chromium, with an error that says what to install.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.learn.cards import Card, write_card
from tabellion.learn.genuine import (
    BY_MARKUP,
    TREES,
    Examples,
    Judge,
    calibrated_trees,
    chances,
    figures,
    genuine_examples,
    material,
)
from tabellion.locate.arrangement import Arrangement
from tabellion.locate.drawn_features import DRAWN_FEATURES
from tabellion.locate.genuine import DRAWN
from tabellion.locate.genuine_features import FEATURES
from tabellion.locate.rendered import candidate_nodes, drawn_rows
from tabellion.model.rendered import RenderedPage
from tabellion.read import Rendering, read_document

_MEMBERS = 3  # ensembles that are averaged: labelled tables are few, and one ensemble depends on its seed


def train_genuine_drawn(folder: Path, left_out: int | None = None) -> None:
    """Write the weights; the card tells the scores where nothing is left out."""
    scores = figures(chances(BY_MARKUP) | chances(BY_DRAWING)) if left_out is None else {}
    calibrated_trees(BY_DRAWING, left_out).save(folder / f"{DRAWN}.npz")
    method = "gradient-boosted trees over the features of `genuine` and of the drawn table"
    write_card(folder, Card(DRAWN, method, material(left_out), left_out=left_out, scores=scores))


@lru_cache(maxsize=1)
def drawn_examples() -> Examples:
    """The cases that are drawn, and their features."""
    cases, rows = genuine_examples()
    shown: dict[Path, dict[int, NDArray[np.float64]]] = {}
    kept: list[int] = []
    seen: list[NDArray[np.float64]] = []
    for at, case in enumerate(cases):
        if case.path not in shown:
            shown[case.path] = _drawn_page(case.path)
        row = shown[case.path].get(case.number)
        if row is not None:
            kept.append(at)
            seen.append(row)
    return tuple(cases[at] for at in kept), np.hstack([rows[kept], np.array(seen)])


def _drawn_page(path: Path) -> dict[int, NDArray[np.float64]]:
    page = read_document(path, rendering=Rendering()).pages[0]
    if not isinstance(page, RenderedPage):
        return {}
    return drawn_rows(page, Arrangement(page), candidate_nodes(page))


BY_DRAWING = Judge(
    DRAWN,
    (*FEATURES, *DRAWN_FEATURES),
    drawn_examples,
    msgspec.structs.replace(TREES, members=_MEMBERS),
)
