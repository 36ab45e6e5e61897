"""The role of every row (Chen and Cafarella 2013, section 3.1, and beyond it).

In: a grid and learned weights. Out: `RowLabels`: title, header, data, group, derived or note for each filled row,
`blank` for the others, with probabilities. Three methods: `boosted`, trees over all features of a row and its
neighbours (a chain over their probabilities gained nothing: the neighbours are among the features); `crf`, a linear
chain over the same features; `paper`, the chain with the eighteen features of the paper's Table 4. Roles that are
given bind the decoding: no path that gives such a row another role is followed. Known to fail on sheets whose numbers
are all missing, and where a label runs over two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from tabellion.label.papers.chen_rows import PAPER_FEATURES, paper_features
from tabellion.label.rows.features import feature_names, row_features
from tabellion.label.rows.view import RowView, view_rows, without_likes
from tabellion.model.arrays import is_one_of
from tabellion.model.frame import ROW_ROLES, RowLabels, RowRole
from tabellion.model.grid import Grid
from tabellion.model.methods import RowMethod
from tabellion.weights import Weights
from tabellion.weights.boosted import Boosted

BOOSTED, CRF, PAPER = "rows", "rows_crf", "rows_paper"
"""The names of the weights."""

_LEAST = 1e-9
_NEVER = -1e6  # the score of a role that a row cannot have

Labelling = tuple[list[RowRole], NDArray[np.float64]]
"""The roles of the filled rows, and (rows, ROW_ROLES) of probabilities."""


Given = Mapping[int, RowRole]
"""Row of the grid -> the role that it has for certain."""


def label_rows(grid: Grid, weights: Weights, method: RowMethod = "boosted", given: Given | None = None) -> RowLabels:
    """The roles of all rows of a grid."""
    given = given or {}
    view = view_rows(grid)
    roles, probability = _all_data(grid, view)
    if len(view):
        asked = without_likes(view)
        told, likely = _METHODS[method](asked, weights, given)
        for row, role in zip(asked.rows.tolist(), told, strict=True):
            roles[row] = role
        probability[asked.rows] = likely
    for row, role in given.items():
        roles[row] = role
        probability[row] = np.arange(len(ROW_ROLES)) == ROW_ROLES.index(role)
    return RowLabels(grid=grid, roles=tuple(roles), probability=probability)


def _all_data(grid: Grid, view: RowView) -> tuple[list[RowRole], NDArray[np.float64]]:
    """Roles and probabilities where none is asked: filled rows are data."""
    filled = np.zeros(grid.shape[0], dtype=bool)
    filled[view.rows] = True
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[filled, ROW_ROLES.index("data")] = 1.0
    probability[~filled, ROW_ROLES.index("blank")] = 1.0
    return ["data" if one else "blank" for one in filled.tolist()], probability


def _label_boosted(view: RowView, weights: Weights, given: Given) -> Labelling:
    trees = weights.boosted(BOOSTED, feature_names())
    barred = _forbidden(view, trees.classes, given) | _no_heads(view, trees.classes, given)
    likely = np.where(barred, 0.0, _scores(view, trees))
    likely /= np.maximum(likely.sum(axis=1, keepdims=True), _LEAST)
    return _named(trees.classes, likely.argmax(axis=1), likely)


def _scores(view: RowView, trees: Boosted) -> NDArray[np.float64]:
    """What the trees say of each row, whatever is given: told once for a grid, which is read again at every stroke."""
    held: tuple[Boosted, NDArray[np.float64]] | None = view.grid.__dict__.get(BOOSTED)
    if held is None or held[0] is not trees:
        held = view.grid.__dict__[BOOSTED] = (trees, trees.probabilities(row_features(view)))
    return held[1]


def _no_heads(view: RowView, classes: tuple[str, ...], given: Given) -> NDArray[np.bool_]:
    """(rows, classes): a label with nothing but missing values beside it heads no columns."""
    missing, filled = view.missing.sum(axis=1), view.held
    labelled = ~view.first_of(view.missing) & ~is_one_of(view.rows, given)
    return np.outer(labelled & (missing > 1) & (missing == filled - 1), np.array(classes) == "header")


def _label_crf(view: RowView, weights: Weights, given: Given) -> Labelling:
    chain = weights.chain(CRF, feature_names())
    emission = chain.emissions(steps_of(row_features(view), chain.features))
    emission = np.where(_forbidden(view, chain.classes, given), _NEVER, emission)
    return _named(chain.classes, chain.decode(emission), chain.marginals(emission))


def _label_paper(view: RowView, weights: Weights, given: Given) -> Labelling:
    chain = weights.chain(PAPER, PAPER_FEATURES)
    emission = np.where(_forbidden(view, chain.classes, given), _NEVER, chain.emissions(paper_features(view)))
    return _named(chain.classes, chain.decode(emission), chain.marginals(emission))


def _forbidden(view: RowView, classes: tuple[str, ...], given: Given) -> NDArray[np.bool_]:
    """(rows, classes): the roles that a row cannot have because another one is given."""
    forbidden = np.zeros((len(view), len(classes)), dtype=bool)
    for place, row in enumerate(view.rows.tolist()):
        if given.get(row) in classes:
            forbidden[place] = [name != given[row] for name in classes]
    return forbidden


_METHODS: dict[RowMethod, Callable[[RowView, Weights, Given], Labelling]] = {
    "boosted": _label_boosted,
    "crf": _label_crf,
    "paper": _label_paper,
}


def _named(classes: tuple[str, ...], chosen: NDArray[np.intp], likely: NDArray[np.float64]) -> Labelling:
    """Class numbers as roles, class columns as columns of ROW_ROLES."""
    places = np.array([[str(role) for role in ROW_ROLES].index(name) for name in classes])
    probability = np.zeros((len(likely), len(ROW_ROLES)))
    probability[:, places] = likely
    return [ROW_ROLES[place] for place in places[chosen].tolist()], probability


def steps_of(rows: NDArray[np.floating], steps: tuple[str, ...]) -> NDArray[np.float64]:
    """Numbers as noughts and ones for a chain: a step `NAME>NUMBER` asks whether a feature is above a number."""
    place = {name: i for i, name in enumerate(feature_names())}
    named = [step.rpartition(">") for step in steps]
    columns = [place[name] for name, _, _ in named]
    levels = np.array([float(level) for _, _, level in named])
    return (rows[:, columns] > levels).astype(np.float64)
