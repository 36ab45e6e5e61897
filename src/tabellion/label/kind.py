"""What a sheet is: data frame, relation, form, list, diagram or other (Chen and Cafarella 2013, section 2.2).

In: labelled rows and the frames found among them. Out: the kind, its probability and why. A few plain observations
vote; the votes are log-odds, set by hand on the paper's definitions, since no corpus labels forms or diagrams. Forms,
lists and diagrams are not forced into frames: `keeps_frames` says whether a kind has any.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from tabellion.model.frame import Frame, RowLabels, SheetKind
from tabellion.model.grid import EMPTY, TEXT, Content, Grid
from tabellion.patterns import lazy_pattern

_BLANK_FIELD = lazy_pattern(r"_{3,}|\.{6,}|☐|□|\[ ?\]")
_TABLES: tuple[SheetKind, ...] = ("data frame", "relation")
_REASONS = 5  # that are told
_ASKS = lazy_pattern(r"[:?]\s*$")


class SheetView(msgspec.Struct, frozen=True):
    """What the votes look at: shares and counts over the sheet and its largest frame."""

    cells: int
    numbers: float  # share of the filled cells
    asking: float  # share of texts that end in a colon or question mark and have an empty cell beside them
    blank_fields: int
    width: int  # columns that are filled in at least a third of the body's rows
    body: int
    headed: bool
    stubbed: bool
    value_numbers: float  # share of filled value cells that are numbers, dates or missing marks
    text_values: float  # share of value columns that hold texts
    long_texts: float  # share of texts of more than twelve words


class SheetVerdict(NamedTuple):
    """The most probable kind of a sheet, its probability, and the observations that weighed most."""

    kind: SheetKind
    probability: float
    why: tuple[tuple[str, float], ...]


def judge_kind(labels: RowLabels, frames: list[Frame]) -> SheetVerdict:
    """What a sheet is; what spoke for that kind counts above nought, what spoke against a table below."""
    votes = _votes(view_sheet(labels.grid, frames))
    score = np.array([sum(each.values()) for each in votes.values()])
    share = np.exp(score - score.max())
    share /= share.sum()
    best = list(votes)[int(share.argmax())]
    spoke = {**votes[best]} if keeps_frames(best) else {**_against(votes), **votes[best]}
    why = sorted(((name, round(float(vote), 3)) for name, vote in spoke.items() if vote), key=lambda one: -abs(one[1]))
    return SheetVerdict(best, float(share.max()), tuple(why[:_REASONS]))


def _against(votes: dict[SheetKind, dict[str, float]]) -> dict[str, float]:
    """What spoke against a table of data."""
    return {name: vote for kind in _TABLES for name, vote in votes[kind].items() if vote < 0}


def keeps_frames(kind: SheetKind) -> bool:
    """Whether sheets of this kind hold tables of data."""
    return kind in _TABLES


def view_sheet(grid: Grid, frames: list[Frame]) -> SheetView:
    """Look at a sheet once for all votes."""
    content, filled = grid.content, grid.content != EMPTY
    texts = np.argwhere(content == TEXT)[:2000].tolist()
    words = [grid.text[r, c] for r, c in texts]
    open_right = [c + 1 == grid.shape[1] or not filled[r, c + 1] for r, c in texts]
    asking = sum(bool(_ASKS.search(w)) and free for w, free in zip(words, open_right, strict=True))
    frame = max(frames, key=lambda f: len(f.body_rows) * len(f.value_columns), default=None)
    values = grid.content[np.ix_(frame.body_rows, frame.value_columns)] if frame else np.zeros((0, 0), np.uint8)
    said = values != EMPTY
    texts_of = (values == TEXT).sum(axis=0) / np.maximum(said.sum(axis=0), 1)
    body = grid.content[list(frame.body_rows), frame.rect.left : frame.rect.right + 1] if frame else values
    return SheetView(
        cells=int(filled.sum()),
        numbers=float(np.isin(content, (Content.NUMBER, Content.DATE)).sum() / max(filled.sum(), 1)),
        asking=asking / max(len(words), 1),
        blank_fields=sum(bool(_BLANK_FIELD.search(w)) for w in words),
        width=int(((body != EMPTY).mean(axis=0) > 0.34).sum()) if len(body) else 0,
        body=len(frame.body_rows) if frame else 0,
        headed=bool(frame and frame.header_rows),
        stubbed=bool(frame and frame.stub_columns),
        value_numbers=float((said & (values != TEXT)).sum() / max(said.sum(), 1)),
        text_values=float((texts_of > 0.5).mean()) if values.size else 0.0,
        long_texts=sum(w.count(" ") >= 12 for w in words) / max(len(words), 1),
    )


def _votes(view: SheetView) -> dict[SheetKind, dict[str, float]]:
    """What each observation speaks for each kind, and against it."""
    framed = view.body > 0 and view.width > 1
    return {
        "data frame": {
            "rows and columns": 3.0 * framed,
            "values are numbers": 3.0 * (view.value_numbers > 0.5 and view.numbers > 0.05),
            "has a stub": 1.0 * view.stubbed,
            "has headers": 1.0 * view.headed,
            "values are texts": -2.0 * (view.text_values > 0.5),
            "blanks to fill in": -3.0 * (view.blank_fields > 1),
        },
        "relation": {
            "rows and columns": 3.0 * framed,
            "has headers": 1.0 * view.headed,
            "values are texts": 2.5 * (view.text_values > 0.25),
            "many rows": 1.5 * (view.body >= 4),
            "several columns": 0.5 * (view.width > 2),
            "has no headers": -2.0 * (not view.headed),
            "blanks to fill in": -3.0 * (view.blank_fields > 1),
        },
        "form": {
            "texts ask for an answer": 12.0 * min(view.asking, 0.5),
            "blanks to fill in": 2.0 * min(view.blank_fields, 3),
            "many numbers": -2.0 * (view.numbers > 0.2),
        },
        "list": {
            "one column of words": 3.5 * (view.width <= 1 and view.numbers < 0.3),
            "many rows": 1.0 * (view.body >= 3),
            "long texts": -2.0 * (view.long_texts > 0.3),
            "texts ask for an answer": -6.0 * min(view.asking, 0.5),
        },
        "diagram": {"nothing but numbers": 4.0 * (view.numbers > 0.9 and not view.headed and not view.stubbed)},
        "other": {
            "nothing that tells it": 2.0,
            "long texts": 2.0 * (view.long_texts > 0.3),
            "hardly any cells": 1.0 * (view.cells < 4),
        },
    }
