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
    FORM,
    IMAGE,
    KINDS,
    LABEL,
    LONG,
    MIXED,
    NUMBER,
    SIGN,
    YEAR,
    Bools,
    Floats,
    WebView,
)

FIRST_LINES = 5  # lines that may be headers, and the one after them

LINE_FEATURES = (
    "headings", "headings after", "in head", "bold", "bold contrast", "italic contrast", "size contrast",
    "fill contrast", "align contrast", "underlined contrast", "labels", "labels contrast", "numbers", "years", "dates",
    "mixed", "long", "signs", "images", "forms", "filled", "filled contrast", "first empty", "words over numbers",
    "same kind", "same shape", "same fill", "same align", "again after", "length", "length contrast",
    "length stands out", "distinct", "distinct after", "colons", "colons contrast", "header words",
    "header words contrast", "capital", "capital contrast", "upper contrast", "linked contrast", "spanning",
    "spanning over", "counts up", "indent", "indent varies", "agreement after", "lines after",
)  # fmt: skip
SHAPE_FEATURES = (
    "rows", "columns", "two columns", "titles", "groups", "number share", "label share", "long share", "empty share",
    "columns agree", "rows agree", "columns alike", "any heading", "linked share", "image share",
)  # fmt: skip
_SHARED = ("heading", "in_head", "bold", "italic", "size", "under", "linked", "colon", "capital", "upper")
_SHARED_NUMBERS = ("header_words", "length", "indent")


def side_features(view: WebView, turned: bool) -> NDArray[np.float64]:
    """What the first lines say, compared with the lines after them; in the order of LINE_FEATURES.

    Lines are the rows of the view, or its columns where it is turned.
    """

    def side(array: NDArray[Any]) -> NDArray[Any]:
        return array.T if turned else array

    kind, home = side(view.kind), side(view.home)
    lines, width = kind.shape
    first = min(FIRST_LINES, lines)
    filled = kind != EMPTY
    codes = [side(view.shape), side(view.fill), side(view.align), side(view.said), kind]
    usual = [_usual(code[1:][filled[1:]]) for code in (codes[1], codes[2])]
    stack = np.stack(
        [
            *(side(getattr(view, name)) for name in _SHARED + _SHARED_NUMBERS),
            codes[1] != usual[0],
            codes[2] != usual[1],
            filled,
        ]
    )  # properties x lines x width
    sums = (stack * filled).sum(axis=2, dtype=np.float64)
    after = sums[:, ::-1].cumsum(axis=1)[:, ::-1] - sums
    size, left = np.maximum(1, sums[-1, :first]), np.maximum(1, after[-1, :first])
    share, share_after = sums[:-1, :first] / size, after[:-1, :first] / left
    names = (*_SHARED, *_SHARED_NUMBERS, "fill", "align")
    own = dict(zip(names, share, strict=True))
    contrast = dict(zip(names, share - share_after, strict=True))

    one_hot = kind[:, :, None] == np.arange(KINDS)
    kinds = one_hot.sum(axis=1)[:first] / size[:, None]
    labels_after = (one_hot[:, :, LABEL].sum(axis=1)[::-1].cumsum()[::-1] - one_hot[:, :, LABEL].sum(axis=1))[
        :first
    ] / left
    counts = (one_hot[::-1].cumsum(axis=0)[::-1] - one_hot)[
        :first, :, 1:
    ]  # of kinds after each slot, but the empty one
    total = counts.sum(axis=2)
    common = np.where(total > 0, counts.argmax(axis=2) + 1, EMPTY)
    known = filled[:first] & (total > 0)
    some = np.maximum(1, known.sum(axis=1))
    over = known & _WORDS[kind[:first]] & _FIGURES[common]
    agreement = (counts.max(axis=2) / np.maximum(1, total)).sum(axis=1) / np.maximum(1, (total > 0).sum(axis=1))
    like = _like_after(codes, filled, first, total)
    length = side(view.length)
    full = filled.mean(axis=1)
    full_after = (full[::-1].cumsum()[::-1] - full)[:first] / np.maximum(1, lines - 1 - np.arange(first))
    later = codes[3][1:][filled[1:]]
    joined = ((home[1:] == home[:-1]) & filled[1:]).sum(axis=1)[:first]
    indent = np.where(filled[:first], side(view.indent)[:first], np.nan)
    number = side(view.number)[:first]
    return np.column_stack(
        [
            own["heading"], share_after[0], own["in_head"], own["bold"], contrast["bold"], contrast["italic"],
            contrast["size"], contrast["fill"], contrast["align"], contrast["under"], kinds[:, LABEL],
            kinds[:, LABEL] - labels_after, kinds[:, NUMBER], kinds[:, YEAR], kinds[:, DATE], kinds[:, MIXED],
            kinds[:, LONG], kinds[:, SIGN], kinds[:, IMAGE], kinds[:, FORM], full[:first], full[:first] - full_after,
            ~filled[:first, 0], over.sum(axis=1) / some, (known & (kind[:first] == common)).sum(axis=1) / some,
            *like, np.log1p(own["length"]), np.log1p(own["length"]) - np.log1p(share_after[_SHARED_LENGTH]),
            _stands_out(length, filled, first), [_distinct(codes[3][at][filled[at]]) for at in range(first)],
            np.full(first, _distinct(later)), own["colon"], contrast["colon"], own["header_words"],
            contrast["header_words"], own["capital"], contrast["capital"], contrast["upper"], contrast["linked"],
            (home[:first, 1:] == home[:first, :-1]).sum(axis=1) / max(1, width - 1),
            np.pad(joined, (0, first - len(joined))) / size,
            (np.diff(number, axis=1) == 1).mean(axis=1) if width > 1 else np.zeros(first), own["indent"],
            _spread(indent), agreement, np.log1p(lines - 1 - np.arange(first)),
        ]
    )  # fmt: skip


_SHARED_LENGTH = len(_SHARED) + _SHARED_NUMBERS.index("length")
_WORDS = np.isin(np.arange(KINDS), (LABEL, MIXED, LONG))
_FIGURES = np.isin(np.arange(KINDS), (NUMBER, DATE, YEAR))


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
        np.log1p(len(view.groups)), float(counts[NUMBER] + counts[DATE] + counts[YEAR]), float(counts[LABEL]),
        float(counts[LONG]), 1 - filled / max(1, kind.size), columns_agree, rows_agree, float(alike),
        float(view.heading.any()), float(view.linked.sum()) / filled, float(counts[IMAGE]),
    ]  # fmt: skip


def _like_after(codes: list[NDArray[np.int64]], filled: Bools, first: int, total: NDArray[Any]) -> list[Floats]:
    """How many cells after it in its cross line have a cell's shape, fill and align; whether one has its text."""
    later = filled[None] & (np.arange(len(filled))[None, :, None] > np.arange(first)[:, None, None])
    known = filled[:first] & (total > 0)
    some = np.maximum(1, known.sum(axis=1))
    found = []
    for code in codes[:4]:
        like = ((code[None] == code[:first, None]) & later).sum(axis=1)
        if code is codes[3]:
            found.append(((like > 0) & known).sum(axis=1) / some)
        else:
            found.append((like / np.maximum(1, total) * known).sum(axis=1) / some)
    return found


def _stands_out(length: Floats, filled: Bools, first: int) -> Floats:
    """How far the lengths of a line lie from those after them in their cross lines."""
    stack = np.stack([filled, length * filled, length * length * filled])
    after = (stack[:, ::-1].cumsum(axis=1)[:, ::-1] - stack)[:, :first]
    count = np.maximum(1, after[0])
    mean = after[1] / count
    deviation = np.sqrt(np.maximum(0, after[2] / count - mean * mean))
    distance = np.minimum(3, np.abs(length[:first] - mean) / (deviation + 2)) * filled[:first]
    return np.asarray(distance.sum(axis=1) / np.maximum(1, filled[:first].sum(axis=1)))


def _usual(codes: NDArray[np.int64]) -> int:
    return int(np.bincount(codes).argmax()) if len(codes) else 0


def _distinct(codes: NDArray[np.int64]) -> float:
    """The share of distinct texts."""
    return len(set(codes.tolist())) / max(1, len(codes))


def _spread(indent: Floats) -> Floats:
    """How far the indents of a line lie apart."""
    told = ~np.isnan(indent)
    most, least = np.where(told, indent, -np.inf).max(axis=1), np.where(told, indent, np.inf).min(axis=1)
    return np.asarray(np.where(told.any(axis=1), most - least, 0.0), dtype=np.float64)


def _commonest(kind: NDArray[np.int64]) -> tuple[NDArray[np.int64], float]:
    """For each cross line the commonest kind that is not empty, and how large its share is on average."""
    if not kind.size:
        return np.zeros(kind.shape[1], dtype=np.int64), 0.0
    counts = (kind[:, :, None] == np.arange(1, KINDS)).sum(axis=0)
    total = counts.sum(axis=1)
    common = np.where(total > 0, counts.argmax(axis=1) + 1, EMPTY)
    shares = counts.max(axis=1) / np.maximum(1, total)
    return common, float(shares.sum() / max(1, int((total > 0).sum())))
