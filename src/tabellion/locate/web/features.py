"""More features of genuine tables than the paper's sixteen: markup, contents, lines, looks and surroundings.

In: the candidates of a page. Out: one row of numbers per candidate; `FEATURES` names them. Each feature is the mean of
a fact over some cells, a small function of the candidate, or a small function of all that is told of the candidates;
the list at the end is all there is.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.papers.wang import PAPER_FEATURES, paper_features
from tabellion.locate.web.views import (
    COLUMNS,
    COLUMNS_BELOW,
    EVERY,
    ROWS,
    ROWS_BESIDE,
    Alike,
    CandidateView,
    CellSums,
    Floats,
    Kind,
    LineViews,
    SumPlan,
    is_figure,
    view_lines,
)
from tabellion.model.markup import Candidate, Section
from tabellion.values.vocabulary import either_of

_DATA_WORDS = re.compile(
    r"data|sort|stat|wiki|grid|result|calend|price|spec|fact|info|score|rank|schedul|compar|tabel|tabl(?!e-?layout)",
    re.I,
)
_LAYOUT_WORDS = re.compile(
    r"layout|nav|menu|head|foot|wrap|outer|inner|contain|content|main|side|page|body|login|search|form|box|module|widget|"
    r"comment|post|banner|logo|\bad|tool|link|share|social|gallery|thumb|cart",
    re.I,
)
_COUNT = re.compile(r"\s*#?(\d{1,4})[.):]?\s*")
_POINTS_TO_TABLE = re.compile(rf"\b(?:{either_of('table')}|(?:following|below|as follows)\b)|:$", re.I)


class Told(msgspec.Struct, frozen=True, eq=False):
    """All that is told of the candidates of a page."""

    view: CandidateView
    lines: LineViews
    sums: CellSums
    alike: Alike


class Mean(NamedTuple):
    """A feature: the mean of a fact over the cells of a part."""

    fact: str
    part: str


class Contrast(NamedTuple):
    """A feature: how much larger the mean of a fact is over one part than over another."""

    fact: str
    part: str
    rest: str


class Each(NamedTuple):
    """A feature: what is told of a candidate by itself; as a logarithm where it is a count."""

    tell: Callable[[Candidate], float]
    counted: bool = False


Feature = Mean | Contrast | Each | Callable[[Told], NDArray[np.floating]]


def _attribute_number(candidate: Candidate, name: str) -> float:
    if name not in candidate.attributes:
        return -1.0
    match = re.match(r"\s*(\d+)", candidate.attributes[name])
    return float(match[1]) if match else 0.5


def _names(candidate: Candidate) -> str:
    return f"{candidate.attributes.get('class', '')} {candidate.attributes.get('id', '')}"


def _share(part: NDArray[Any], whole: Floats) -> Floats:
    return np.asarray(part / np.maximum(1e-9, whole))


def _filled_rows(told: Told, least: int) -> Floats:
    view = told.view
    return view.once(f"rows of {least}", lambda: view.of_rows(_filled_by_row(view) >= least))


def _filled_by_row(view: CandidateView) -> Floats:
    return view.once("filled by row", lambda: view.by_row(view.filled))


def _filled_columns(told: Told, least: int) -> Floats:
    view = told.view
    counted = view.once("counted by column", lambda: view.by_column(told.lines.counts))
    return np.log1p(view.of_columns(counted >= least))


def _common_width(view: CandidateView) -> Floats:
    """The share of filled rows that have as many filled cells as most rows have."""
    filled = np.minimum(_filled_by_row(view), 63).astype(np.int64)
    some = filled > 0
    table = np.bincount(view.row_owner[some] * 64 + filled[some], minlength=len(view) * 64).reshape(len(view), 64)
    return _share(table.max(axis=1), table.sum(axis=1).astype(np.float64))


def _distinct(told: Told, part: str, among: NDArray[np.bool_]) -> Floats:
    """The share of distinct texts among the cells of a part."""
    view = told.view
    owners = view.of[among].tolist()
    texts = view.cells.text[among].tolist()
    found = np.bincount([owner for owner, _ in set(zip(owners, texts, strict=True))], minlength=len(view))
    return _share(found, told.sums.sum(part))


def _ends_with_colon(told: Told) -> Floats:
    view, first = told.view, told.lines.left
    colon = [text.rstrip().endswith(":") for text in view.cells.text[first].tolist()]
    return _share(np.bincount(view.of[first], colon, len(view)), told.sums.sum("left"))


def _counted(told: Told) -> Floats:
    """The share of cells at the left that count on from the one above: 1., 2., 3."""
    view, first = told.view, told.lines.left
    numbers = [int(match[1]) if (match := _COUNT.fullmatch(text)) else None for text in view.cells.text[first].tolist()]
    owners = view.of[first].tolist()
    found = np.zeros(len(view))
    for at in range(1, len(owners)):
        before, number = numbers[at - 1], numbers[at]
        if owners[at] == owners[at - 1] and before is not None and number == before + 1:
            found[owners[at]] += 1
    return _share(found, np.maximum(1, told.sums.sum("left") - 1.0))


def _repeated(told: Told) -> Floats:
    """The share of cells that say the same as another cell of their column."""
    view = told.view
    among = told.lines.counts & (view.kind > 0)
    keys = list(zip(view.column_line[among].tolist(), view.cells.text[among].tolist(), strict=True))
    counts = Counter(keys)
    owners = view.of[among]
    again = np.bincount(owners, [counts[key] > 1 for key in keys], len(view))
    return _share(again, np.bincount(owners, minlength=len(view)).astype(np.float64))


def _alike(view: CandidateView) -> Floats:
    """How many other candidates of the page have the same width, class and attributes."""
    shapes = [(c.columns, c.attributes.get("class"), c.attributes.get("width")) for c in view.page.candidates]
    counts = Counter(shapes)
    return np.array([counts[shapes[number]] - 1 for number in view.wanted], dtype=np.float64)


def _neighbours_alike(told: Told) -> Floats:
    """How many of the two neighbours have a first row of the same contents: a table that is cut into many."""
    first = told.lines.top
    rows: list[list[int]] = [[] for _ in range(len(told.view))]
    for owner, content in zip(told.view.of[first].tolist(), told.lines.content[first].tolist(), strict=True):
        rows[owner].append(content)
    same = [len(one) > 1 and one == next_one for one, next_one in itertools.pairwise(rows)]
    return np.array(
        [float(before) + float(after) for before, after in zip([False, *same], [*same, False], strict=True)]
    )


def _of_kind(told: Told, kind: Kind) -> Floats:
    """The share of the filled cells that are of a kind."""
    view = told.view

    def compute() -> Floats:
        filled = view.filled
        counts = np.bincount(view.of[filled] * len(Kind) + view.kind[filled], minlength=len(view) * len(Kind))
        return _share(counts.reshape(len(view), len(Kind)).T, told.sums.sum("filled"))

    return np.asarray(view.once("kinds", compute)[int(kind)])


_FIGURES, _LABELS, _PROSE, _LINKED = range(4)


def _mostly_asked(view: CandidateView) -> NDArray[np.bool_]:
    """Of each cell whether it is a figure, a label, prose, linked."""
    kind = view.kind
    return np.array([is_figure(view), kind == int(Kind.LABEL), kind == int(Kind.PROSE), view.cells.linked > 0])


def _largest(view: CandidateView) -> Floats:
    return view.once("largest", lambda: np.maximum.reduceat(view.cells.length, view.starts).astype(np.float64))


SHAPE: dict[str, Feature] = {
    "filled rows": lambda t: np.log1p(_filled_rows(t, 1)),
    "rows of two": lambda t: np.log1p(_filled_rows(t, 2)),
    "rows of two share": lambda t: _share(_filled_rows(t, 2), _filled_rows(t, 1)),
    "filled columns": lambda t: _filled_columns(t, 1),
    "columns of two": lambda t: _filled_columns(t, 2),
    "cells": lambda t: np.log1p(t.view.count),
    "common width": lambda t: _common_width(t.view),
    "filled share": Mean("filled", EVERY),
    "spanning share": Mean("spanning", EVERY),
    "full width share": Mean("full width", EVERY),
    "blank rows share": lambda t: 1 - _share(_filled_rows(t, 1), t.view.rows.astype(np.float64)),
    "width": lambda t: _share(t.sums.sum("counts"), t.view.of_rows(t.view.by_row(t.lines.counts) > 0)),
}
MARKUP: dict[str, Feature] = {
    "th": lambda t: np.log1p(t.sums.sum("heading")),
    "th share": Mean("heading", "filled"),
    "th in first row": Mean("heading", "top"),
    "th in first column": Mean("heading", "left"),
    "thead": Each(lambda c: Section.HEAD in c.sections),
    "tfoot": Each(lambda c: Section.FOOT in c.sections),
    "caption": Each(lambda c: c.caption is not None),
    "summary": Each(lambda c: bool(c.attributes.get("summary"))),
    "scoped": Each(lambda c: c.scoped, counted=True),
    "declared columns": Each(lambda c: c.declared_columns),
    "border": Each(lambda c: min(5.0, _attribute_number(c, "border"))),
    "padding": Each(lambda c: min(20.0, _attribute_number(c, "cellpadding"))),
    "spacing": Each(lambda c: min(20.0, _attribute_number(c, "cellspacing"))),
    "declared width": Each(lambda c: float("width" in c.attributes) + ("%" in c.attributes.get("width", ""))),
    "data words": Each(lambda c: bool(_DATA_WORDS.search(_names(c)))),
    "layout words": Each(lambda c: bool(_LAYOUT_WORDS.search(_names(c)))),
    "sized cells": lambda t: _share(np.array([c.sized for c in t.view.candidates]), t.view.count),
    "set at the top": Mean("set at the top", "counts"),
    "nested inside": lambda t: np.log1p(t.sums.sum("nested")),
    "depth": Each(lambda c: c.depth),
    "hidden": Each(lambda c: c.hidden),
}
CONTENT: dict[str, Feature] = {
    "linked share": lambda t: _share(t.sums.sum("linked"), t.sums.sum("length")),
    "links a cell": lambda t: _share(t.sums.sum("links"), t.sums.sum("filled")),
    "cells with links": Mean("has links", "filled"),
    "cells with many links": Mean("many links", "filled"),
    "images a cell": lambda t: _share(t.sums.sum("images"), t.sums.sum("filled")),
    "cells with images": Mean("has images", "filled"),
    "forms": lambda t: np.log1p(t.sums.sum("forms")),
    "forms a cell": lambda t: _share(t.sums.sum("forms"), t.sums.sum("filled")),
    "list items": lambda t: _share(t.sums.sum("items"), t.sums.sum("filled")),
    "longest": lambda t: np.log1p(_largest(t.view)),
    "longest share": lambda t: _share(_largest(t.view), t.sums.sum("length")),
    "numbers": lambda t: np.log1p(t.sums.sum("figure")),
    "letters": lambda t: np.log1p(t.sums.sum("length")),
    "page share": lambda t: t.sums.sum("length") / max(1, t.view.page.letters),
    "prose letters share": lambda t: _share(t.sums.sum("prose length"), t.sums.sum("length")),
    "lines a cell": Mean("lines", "filled"),
    "number cells": lambda t: _of_kind(t, Kind.NUMBER),
    "date cells": lambda t: _of_kind(t, Kind.DATE),
    "label cells": lambda t: _of_kind(t, Kind.LABEL),
    "mixed cells": lambda t: _of_kind(t, Kind.MIXED),
    "prose cells": lambda t: _of_kind(t, Kind.PROSE),
    "sign cells": lambda t: _of_kind(t, Kind.SIGN),
}
LINES: dict[str, Feature] = {
    "columns agree": lambda t: t.alike.agreement[COLUMNS_BELOW],
    "rows agree": lambda t: t.alike.agreement[ROWS_BESIDE],
    "columns agree from the top": lambda t: t.alike.agreement[COLUMNS],
    "number columns": lambda t: t.alike.mostly[_FIGURES, COLUMNS_BELOW],
    "number rows": lambda t: t.alike.mostly[_FIGURES, ROWS_BESIDE],
    "label columns": lambda t: t.alike.mostly[_LABELS, COLUMNS],
    "prose columns": lambda t: t.alike.mostly[_PROSE, COLUMNS],
    "linked columns": lambda t: t.alike.mostly[_LINKED, COLUMNS],
    "column spread": lambda t: t.alike.spread[COLUMNS_BELOW],
    "row spread": lambda t: t.alike.spread[ROWS],
    "labels on top": Contrast("label", "top", "below"),
    "labels at the left": Contrast("label", "left", "beside"),
    "numbers below": Contrast("figure", "below", "top"),
    "bold on top": Contrast("bold", "top", "below"),
    "bold at the left": Contrast("bold", "left", "beside"),
    "filled on top": Contrast("fill", "top", "below"),
    "filled at the left": Contrast("fill", "left", "beside"),
    "right aligned": Mean("right", "counts"),
    "bold share": Mean("bold", "counts"),
    "borders": Mean("bordered", "counts"),
    "distinct at the left": lambda t: _distinct(t, "left", t.lines.left),
    "distinct": lambda t: _distinct(t, "counts", t.lines.counts),
    "colons at the left": _ends_with_colon,
    "counted at the left": _counted,
    "distinct on top": lambda t: _distinct(t, "top", t.lines.top),
    "first cell empty": lambda t: 1 - np.minimum(1, t.sums.sum("corner")),
    "repeated in column": _repeated,
    "left length": lambda t: np.log1p(_share(t.sums.sum("left length"), t.sums.sum("left"))),
    "top length": lambda t: np.log1p(_share(t.sums.sum("top length"), t.sums.sum("top"))),
}
SURROUNDINGS: dict[str, Feature] = {
    "start": Each(lambda c: c.start),
    "candidates": lambda t: np.full(len(t.view), np.log1p(len(t.view.page.candidates))),
    "alike": lambda t: np.log1p(_alike(t.view)),
    "neighbours alike": _neighbours_alike,
    "announced": Each(lambda c: bool(c.before and _POINTS_TO_TABLE.search(c.before))),
    "text before": Each(lambda c: len(c.before or ""), counted=True),
    "text after": Each(lambda c: len(c.after or ""), counted=True),
    "heading before": Each(lambda c: c.heading is not None and c.heading.text == c.before),
}


GROUPS = (SHAPE, MARKUP, CONTENT, LINES, SURROUNDINGS)
FEATURES: tuple[str, ...] = (*PAPER_FEATURES, *(name for group in GROUPS for name in group))

_NUMBERED = list(enumerate((tell for group in GROUPS for tell in group.values()), len(PAPER_FEATURES)))
_MEANS = {number: tell for number, tell in _NUMBERED if isinstance(tell, Mean)}
_CONTRASTS = {number: tell for number, tell in _NUMBERED if isinstance(tell, Contrast)}
_EACH = {number: tell for number, tell in _NUMBERED if isinstance(tell, Each)}
_OTHERS = {number: tell for number, tell in _NUMBERED if not isinstance(tell, Mean | Contrast | Each)}
_MEANS_AT, _CONTRASTS_AT, _EACH_AT = (np.array(list(of)) for of in (_MEANS, _CONTRASTS, _EACH))
_COUNTED_AT = np.array([number for number, tell in _EACH.items() if tell.counted])
_TELL_EACH = [each.tell for each in _EACH.values()]
_PLAN = SumPlan(
    means=(
        *((tell.fact, tell.part) for tell in _MEANS.values()),
        *((tell.fact, tell.part) for tell in _CONTRASTS.values()),
        *((tell.fact, tell.rest) for tell in _CONTRASTS.values()),
    ),
    sums=(
        *("heading", "nested", "linked", "links", "images", "forms", "items", "figure", "length", "prose length"),
        *("counts", "corner", "left length", "top length"),
    ),
)


def genuine_features(view: CandidateView, asked: Collection[int] | None = None) -> NDArray[np.float64]:
    """One row per candidate, in the order of FEATURES; those that are not among the asked ones may be nought."""
    lines = view_lines(view)
    told = Told(view, lines, _PLAN.sum_up(view, lines), lines.tell_alike(_mostly_asked(view)))
    found = np.zeros((len(FEATURES), len(view)))
    found[: len(PAPER_FEATURES)] = paper_features(view).T
    means = told.sums.means
    found[_MEANS_AT] = means[: len(_MEANS_AT)]
    contrasted = means[len(_MEANS_AT) :]
    found[_CONTRASTS_AT] = contrasted[: len(_CONTRASTS_AT)] - contrasted[len(_CONTRASTS_AT) :]
    found[_EACH_AT] = np.array([[tell(c) for tell in _TELL_EACH] for c in view.candidates], dtype=np.float64).T
    found[_COUNTED_AT] = np.log1p(found[_COUNTED_AT])
    for number, tell in _OTHERS.items():
        if asked is None or number in asked:
            found[number] = tell(told)
    return found.T
