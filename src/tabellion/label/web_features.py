"""Features of the lines (rows, or columns) of a web table that may be headers.

In: a `WebView`. Out: a row of numbers for each of the first lines. Rows and columns are told by the same code: for
columns the arrays are turned. A line is compared with the lines after it: does it look different, does it hold words
where they hold numbers, are its texts distinct, short, of another shape, in the words that headers are made of?
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.web_view import (
    DATE,
    EMPTY,
    IMAGE,
    KIND_NAMES,
    KINDS,
    LABEL,
    LONG,
    MEASURE,
    MIXED,
    NUMBER,
    SAID,
    TRAITS,
    YEAR,
    Bools,
    Floats,
    WebView,
)

FIRST_LINES = 5  # lines that may be headers, and the one after them

OWN_TRAITS = ("heading", "in head", "bold", "colon", "header words", "capital", "indent")
CONTRASTED_TRAITS = (
    "bold", "italic", "size", "fill", "align", "under", "colon", "header words", "capital", "upper", "linked",
)  # fmt: skip
LINE_FEATURES = (
    *OWN_TRAITS, "heading after", *(f"{name} contrast" for name in CONTRASTED_TRAITS), *KIND_NAMES, "labels contrast",
    "filled", "filled contrast", "first empty", "words over numbers", "same kind", "same shape", "same fill",
    "same align", "again after", "length", "length contrast", "length stands out", "distinct", "distinct after",
    "spanning", "spanning over", "counts up", "indent varies", "agreement after", "lines after",
)  # fmt: skip
SHAPE_FEATURES = (
    "rows", "columns", "two columns", "titles", "groups", "number share", "label share", "long share", "empty share",
    "columns agree", "rows agree", "columns alike", "any heading", "linked share", "image share",
)  # fmt: skip
_HEADINGS, _LENGTH = TRAITS.index("heading"), TRAITS.index("length")


def side_features(view: WebView, turned: bool) -> NDArray[np.float64]:
    """What the first lines say, compared with the lines after them; in the order of LINE_FEATURES.

    Lines are the rows of the view, or its columns where it is turned.
    """
    kind, home, traits, codes, number = view.kind, view.home, view.traits, view.codes, view.number
    if turned:
        kind, home, traits, codes, number = kind.T, home.T, traits.swapaxes(0, 1), codes.swapaxes(1, 2), number.T
    lines, width = kind.shape
    first = min(FIRST_LINES, lines)
    filled = kind != EMPTY
    count = filled.sum(axis=1)
    after_count = _after(count)[:first]
    size, left = np.maximum(1, count[:first]), np.maximum(1, after_count)
    sums = (traits * filled[:, :, None]).sum(axis=1)
    own, later = sums[:first] / size[:, None], _after(sums)[:first] / left[:, None]
    contrast = own - later

    one_hot = kind[:, :, None] == _ALL_KINDS
    by_line = one_hot.sum(axis=1)
    kinds = by_line[:first] / size[:, None]
    by_cross = one_hot.sum(axis=0)
    counts = (by_cross - one_hot[:first].cumsum(axis=0))[:, :, 1:]  # of kinds after each slot, but the empty one
    total = counts.sum(axis=2)
    common = np.where(total > 0, counts.argmax(axis=2) + 1, EMPTY)
    known = filled[:first] & (total > 0)
    some = np.maximum(1, known.sum(axis=1))
    over_figures = (known & _WORDS[kind[:first]] & _FIGURES[common]).sum(axis=1) / some
    alike = (known & (kind[:first] == common)).sum(axis=1) / some
    agreement = (counts.max(axis=2) / np.maximum(1, total)).sum(axis=1) / np.maximum(1, (total > 0).sum(axis=1))
    place = np.arange(first)
    below = lines - 1 - place
    texts = codes[SAID]
    joined = np.zeros(first)
    joined[: lines - 1] = ((home[1 : first + 1] == home[:first][: lines - 1]) & filled[1 : first + 1]).sum(axis=1)
    indent = traits[:first, :, _INDENT]
    return np.column_stack(
        [
            own[:, _OWN], later[:, _HEADINGS], contrast[:, _CONTRASTS], kinds[:, 1:],
            kinds[:, LABEL] - _after(by_line[:, LABEL])[:first] / left,
            count[:first] / width, count[:first] / width - after_count / width / np.maximum(1, below),
            ~filled[:first, 0], over_figures, alike, _like_after(codes, filled, first, total, known, some),
            np.log1p(own[:, _LENGTH]), np.log1p(own[:, _LENGTH]) - np.log1p(later[:, _LENGTH]),
            _stands_out(traits[:, :, _LENGTH], filled, first),
            [_distinct(texts[at][filled[at]]) for at in range(first)],
            np.full(first, _distinct(texts[1:][filled[1:]])),
            (home[:first, 1:] == home[:first, :-1]).sum(axis=1) / max(1, width - 1),
            joined / size,
            (np.diff(number[:first], axis=1) == 1).mean(axis=1) if width > 1 else np.zeros(first),
            np.where(filled[:first], indent, -np.inf).max(axis=1, initial=0.0) - own[:, _INDENT],
            agreement, np.log1p(below),
        ]
    )  # fmt: skip


_INDENT = TRAITS.index("indent")
_OWN = [TRAITS.index(name) for name in OWN_TRAITS]
_CONTRASTS = [TRAITS.index(name) for name in CONTRASTED_TRAITS]
_ALL_KINDS = np.arange(KINDS)
_WORDS = np.isin(np.arange(KINDS), (LABEL, MIXED, LONG))
_FIGURES = np.isin(np.arange(KINDS), (NUMBER, DATE, YEAR, MEASURE))


def shape_features(view: WebView) -> list[float]:
    """What the table is like as a whole; in the order of SHAPE_FEATURES."""
    kind = view.kind
    filled = max(1, int((kind != EMPTY).sum()))
    inner = min(kind.shape) > 1
    body = kind[1:, 1:] if inner else kind
    counts = np.bincount(kind.ravel(), minlength=KINDS) / filled
    common, columns_agree = _commonest(body)
    _, rows_agree = _commonest(body.T)
    alike = np.bincount(common[common > 0]).max(initial=0) / max(1, int((common > 0).sum()))
    return [
        np.log1p(len(view.rows)), np.log1p(len(view.columns)), float(len(view.columns) == 2), float(len(view.titles)),
        np.log1p(len(view.groups)), float(counts[_FIGURES].sum()), float(counts[LABEL]),
        float(counts[LONG]), 1 - filled / max(1, kind.size), columns_agree, rows_agree, float(alike),
        float(view.traits[..., 0].any()), float(view.traits[..., 2].sum()) / filled, float(counts[IMAGE]),
    ]  # fmt: skip


def _after(values: NDArray[Any]) -> NDArray[np.float64]:
    """For each line the sum over the lines after it."""
    return np.asarray(values[::-1].cumsum(axis=0)[::-1] - values, dtype=np.float64)


def _like_after(
    codes: NDArray[np.int64], filled: Bools, first: int, total: NDArray[Any], known: Bools, some: NDArray[Any]
) -> Floats:
    """How many cells after it in its cross line have a cell's shape, fill and align; whether one has its text."""
    later = filled[None] & (np.arange(len(filled))[None, :, None] > np.arange(first)[:, None, None])
    like = ((codes[:, None] == codes[:, :first, None]) & later).sum(axis=2)  # codes x first lines x width
    shares = like / np.maximum(1, total)
    shares[SAID] = like[SAID] > 0
    return np.asarray((shares * known).sum(axis=2) / some).T


def _stands_out(length: Floats, filled: Bools, first: int) -> Floats:
    """How far the lengths of a line lie from those after them in their cross lines."""
    stack = np.stack([filled, length * filled, length * length * filled])
    after = stack.sum(axis=1, keepdims=True) - stack[:, :first].cumsum(axis=1)  # whole numbers, so nothing is rounded
    count = np.maximum(1, after[0])
    mean = after[1] / count
    deviation = np.sqrt(np.maximum(0, after[2] / count - mean * mean))
    distance = np.minimum(3, np.abs(length[:first] - mean) / (deviation + 2)) * filled[:first]
    return np.asarray(distance.sum(axis=1) / np.maximum(1, filled[:first].sum(axis=1)))


def _distinct(codes: NDArray[np.int64]) -> float:
    """The share of distinct texts."""
    return len(set(codes.tolist())) / max(1, len(codes))


def _commonest(kind: NDArray[np.int64]) -> tuple[NDArray[np.int64], float]:
    """For each cross line the commonest kind that is not empty, and how large its share is on average."""
    if not kind.size:
        return np.zeros(kind.shape[1], dtype=np.int64), 0.0
    counts = (kind[:, :, None] == np.arange(1, KINDS)).sum(axis=0)
    total = counts.sum(axis=1)
    common = np.where(total > 0, counts.argmax(axis=1) + 1, EMPTY)
    shares = counts.max(axis=1) / np.maximum(1, total)
    return common, float(shares.sum() / max(1, int((total > 0).sum())))
