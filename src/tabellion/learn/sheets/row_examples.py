"""Rows to learn from: features and allowed roles of the labelled sheets, and of variants of them.

A sheet without its title, or without title and notes, is as real as the sheet itself; learning from such variants too
keeps a method from leaning on what one office always does. Of long runs of data rows only a part is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.papers.chen_rows import paper_features
from tabellion.label.rows.features import row_features
from tabellion.label.rows.view import RowView, view_rows
from tabellion.learn.sheets.gold import ROLES, Allowed, Case, allowed_roles, load_cases

CORPUS_WEIGHT = {"saus-lines": 1.0, "troy200": 1.0, "statsheets": 1.0, "senbazuru-left": 0.5, "hitab-top": 0.3}
"""What a row counts: the first two tell all six roles, the last has neither looks nor titles."""

VARIED = ("saus-lines", "troy200", "statsheets")
VARIANT_WEIGHT = 0.3
ENOUGH = 100  # rows of a sheet that are all learned from
NEAR = 4  # rows around one that is not data are always kept


class RowExample(msgspec.Struct, frozen=True, eq=False):
    """The filled rows of one sheet, or of a variant of it."""

    case: Case
    features: NDArray[np.float32]
    paper: NDArray[np.float64]
    allowed: Allowed
    kept: NDArray[np.bool_]  # rows to learn from
    weight: float
    varied: bool


@lru_cache(maxsize=1)
def row_examples() -> tuple[RowExample, ...]:
    """All examples of all corpora."""
    return tuple(
        example
        for corpus in CORPUS_WEIGHT
        for case in load_cases(corpus)
        for grid in case.grids
        for example in _examples(case, view_rows(grid), allowed_roles(case, grid))
    )


def _examples(case: Case, view: RowView, allowed: Allowed) -> Iterator[RowExample]:
    allowed = allowed[view.rows]
    if not allowed.any():
        return
    weight = CORPUS_WEIGHT[case.corpus]
    yield row_example(case, view, allowed, weight, varied=False)
    if case.corpus in VARIED:
        title, note = (_only(allowed, role) for role in ("title", "note"))
        variants = [kept for left_out, kept in ((title, ~title), (note, ~title & ~note)) if left_out.any()]
        for kept in variants:
            part = RowView(view.grid, view.rows[kept], view.columns)
            yield row_example(case, part, allowed[kept], weight * VARIANT_WEIGHT, varied=True)


def row_example(case: Case, view: RowView, allowed: Allowed, weight: float, varied: bool) -> RowExample:
    """The rows of a view with the roles that they may have."""
    return RowExample(
        case=case,
        features=row_features(view),
        paper=paper_features(view),
        allowed=allowed,
        kept=_kept(allowed),
        weight=weight,
        varied=varied,
    )


def _only(allowed: Allowed, role: str) -> NDArray[np.bool_]:
    """Rows that may have no other role."""
    alone = np.asarray(allowed.sum(axis=1) == 1)
    return np.asarray(allowed[:, [str(name) for name in ROLES].index(role)] & alone)


def _kept(allowed: Allowed) -> NDArray[np.bool_]:
    """All rows of a sheet of usual size; of a long one those near a row that is not data, and some of the others."""
    count = len(allowed)
    told = np.asarray(allowed.any(axis=1))
    if count <= ENOUGH:
        return told
    row = np.arange(count)
    edges = np.concatenate([[-1], np.flatnonzero(~allowed[:, ROLES.index("data")]), [count]])
    after = edges[np.searchsorted(edges, row)] - row
    before = row - edges[np.searchsorted(edges, row, side="right") - 1]
    return np.asarray(told & ((np.minimum(after, before) <= NEAR) | (row % (count // ENOUGH) == 0)))
