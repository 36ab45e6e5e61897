"""More features of genuine tables than the paper's sixteen: markup, contents, lines, looks and surroundings.

In: the candidates of a page. Out: one row of numbers a candidate; `FEATURES` names them. Each feature is a small pure
function of the view; the list at the end is all there is.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import CandidateView, Floats
from tabellion.locate.cell_kinds import Kind
from tabellion.locate.line_views import LineViews, view_lines
from tabellion.locate.paper_features import PAPER_FEATURES, paper_features
from tabellion.model.markup import Candidate, Section
from tabellion.model.style import Style

Feature = Callable[[CandidateView, LineViews], NDArray[np.floating]]

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
_POINTS_TO_TABLE = re.compile(
    r"\b(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|following|below|as follows)\b|:$", re.I
)


def _candidates(view: CandidateView) -> list[Candidate]:
    return view.once("candidates", lambda: [view.page.candidates[number] for number in view.wanted.tolist()])


def _each(view: CandidateView, tell: Callable[[Candidate], float]) -> Floats:
    return np.array([tell(candidate) for candidate in _candidates(view)], dtype=np.float64)


def _attribute_number(candidate: Candidate, name: str) -> float:
    match = re.match(r"\s*(\d+)", candidate.attributes.get(name, ""))
    return float(match[1]) if match else (0.5 if name in candidate.attributes else -1.0)


def _share(part: Floats, whole: Floats) -> Floats:
    return part / np.maximum(1e-9, whole)


def _filled_rows(view: CandidateView, least: int) -> Floats:
    return view.once(f"rows of {least}", lambda: view.of_rows(_filled_by_row(view) >= least))


def _filled_by_row(view: CandidateView) -> Floats:
    return view.once("filled by row", lambda: view.by_row(view.filled))


def _filled(view: CandidateView) -> Floats:
    """How many cells of each candidate show something."""
    return view.once("filled cells", lambda: view.sum(view.filled))


def _counted_by_column(view: CandidateView, lines: LineViews) -> Floats:
    return view.once("counted by column", lambda: view.by_column(lines.counts))


def _styled(view: CandidateView, name: str, tell: Callable[[Style], bool]) -> NDArray[np.bool_]:
    """Whether the style of each cell is of some kind; told once a style."""
    return view.once(
        f"styled {name}", lambda: np.array([tell(s) for s in view.page.styles], dtype=bool)[view.cells("style")]
    )


def _has_fill(view: CandidateView) -> NDArray[np.bool_]:
    return _styled(view, "fill", lambda style: style.fill is not None)


def _common_width(view: CandidateView) -> Floats:
    """The share of filled rows that have as many filled cells as most rows have."""
    filled = np.minimum(_filled_by_row(view), 63).astype(np.int64)
    some = filled > 0
    table = np.bincount(view.row_owner[some] * 64 + filled[some], minlength=len(view) * 64).reshape(len(view), 64)
    return _share(table.max(axis=1).astype(np.float64), table.sum(axis=1).astype(np.float64))


def _first_row_contrast(view: CandidateView, lines: LineViews, wanted: NDArray[np.bool_]) -> Floats:
    """How much larger the share of wanted cells is in the first row than below it."""
    return view.mean(wanted, lines.top) - view.mean(wanted, lines.below)


def _first_column_contrast(view: CandidateView, lines: LineViews, wanted: NDArray[np.bool_]) -> Floats:
    return view.mean(wanted, lines.left) - view.mean(wanted, lines.beside)


def _distinct(view: CandidateView, among: NDArray[np.bool_]) -> Floats:
    """The share of distinct texts among some cells."""
    owners = view.of[among].tolist()
    texts = view.cells("text")[among].tolist()
    found = np.bincount([owner for owner, _ in set(zip(owners, texts, strict=True))], minlength=len(view))
    return _share(found.astype(np.float64), view.sum(among))


def _ends_with_colon(view: CandidateView, lines: LineViews) -> Floats:
    first = lines.left
    colon = np.zeros(len(view.of))
    colon[first] = [text.rstrip().endswith(":") for text in view.cells("text")[first].tolist()]
    return view.mean(colon, first)


def _counted(view: CandidateView, lines: LineViews) -> Floats:
    """The share of cells at the left that count on from the one above: 1., 2., 3."""
    first = lines.left
    numbers = [
        int(match[1]) if (match := _COUNT.fullmatch(text)) else None for text in view.cells("text")[first].tolist()
    ]
    owners = view.of[first].tolist()
    found = np.zeros(len(view))
    for at in range(1, len(owners)):
        before, number = numbers[at - 1], numbers[at]
        if owners[at] == owners[at - 1] and before is not None and number == before + 1:
            found[owners[at]] += 1
    return _share(found, np.maximum(1, np.bincount(view.of[first], minlength=len(view)) - 1.0))


def _repeated(view: CandidateView, lines: LineViews) -> Floats:
    """The share of cells that say the same as another cell of their column."""
    among = lines.counts & (view.kind != Kind.EMPTY)
    keys = list(zip(view.column_line[among].tolist(), view.cells("text")[among].tolist(), strict=True))
    counts = Counter(keys)
    again = np.zeros(len(view.of))
    again[among] = [counts[key] > 1 for key in keys]
    return view.mean(again, among)


def _alike(view: CandidateView) -> Floats:
    """How many other candidates of the page have the same width, class and attributes."""
    shapes = [(c.columns, c.attributes.get("class"), c.attributes.get("width")) for c in view.page.candidates]
    counts = Counter(shapes)
    return np.array([counts[shapes[number]] - 1 for number in view.wanted.tolist()], dtype=np.float64)


def _neighbours_alike(view: CandidateView, lines: LineViews) -> Floats:
    """How many of the two neighbours have a first row of the same contents: a table that is cut into many."""
    first = lines.top
    rows: list[list[int]] = [[] for _ in range(len(view))]
    for owner, content in zip(view.of[first].tolist(), lines.content[first].tolist(), strict=True):
        rows[owner].append(content)
    same = [len(one) > 1 and one == next_one for one, next_one in itertools.pairwise(rows)]
    return np.array(
        [float(before) + float(after) for before, after in zip([False, *same], [*same, False], strict=True)]
    )


def _letters(view: CandidateView) -> Floats:
    return view.once("letters", lambda: view.sum(view.cells("length")))


def _is(view: CandidateView, *kinds: Kind) -> NDArray[np.bool_]:
    name, mask = _mask(kinds)
    return view.once(name, lambda: mask[view.kind])


@lru_cache(maxsize=32)
def _mask(kinds: tuple[Kind, ...]) -> tuple[str, NDArray[np.bool_]]:
    return f"is {kinds}", np.isin(np.arange(len(Kind)), kinds)


def _cells_of(kind: Kind) -> Feature:
    return lambda view, _: view.mean(_is(view, kind), view.filled)


SHAPE: dict[str, Feature] = {
    "filled rows": lambda v, _: np.log1p(_filled_rows(v, 1)),
    "rows of two": lambda v, _: np.log1p(_filled_rows(v, 2)),
    "rows of two share": lambda v, _: _share(_filled_rows(v, 2), _filled_rows(v, 1)),
    "filled columns": lambda v, n: np.log1p(v.of_columns(_counted_by_column(v, n) > 0)),
    "columns of two": lambda v, n: np.log1p(v.of_columns(_counted_by_column(v, n) > 1)),
    "cells": lambda v, _: np.log1p(v.count),
    "common width": lambda v, _: _common_width(v),
    "filled share": lambda v, _: v.mean(v.filled),
    "spanning share": lambda v, _: v.mean(v.spanning),
    "full width share": lambda v, n: v.mean(v.filled & ~n.counts),
    "blank rows share": lambda v, _: 1 - _share(_filled_rows(v, 1), v.rows.astype(np.float64)),
    "width": lambda v, n: _share(v.sum(n.counts), v.of_rows(v.by_row(n.counts) > 0)),
}
MARKUP: dict[str, Feature] = {
    "th": lambda v, _: np.log1p(v.sum(v.heading)),
    "th share": lambda v, _: v.mean(v.heading, v.filled),
    "th in first row": lambda v, n: v.mean(v.heading, n.top),
    "th in first column": lambda v, n: v.mean(v.heading, n.left),
    "thead": lambda v, _: _each(v, lambda c: Section.HEAD in c.sections),
    "tfoot": lambda v, _: _each(v, lambda c: Section.FOOT in c.sections),
    "caption": lambda v, _: _each(v, lambda c: c.caption is not None),
    "summary": lambda v, _: _each(v, lambda c: bool(c.attributes.get("summary"))),
    "scoped": lambda v, _: np.log1p(_each(v, lambda c: c.scoped)),
    "declared columns": lambda v, _: _each(v, lambda c: c.declared_columns),
    "border": lambda v, _: _each(v, lambda c: min(5.0, _attribute_number(c, "border"))),
    "padding": lambda v, _: _each(v, lambda c: min(20.0, _attribute_number(c, "cellpadding"))),
    "spacing": lambda v, _: _each(v, lambda c: min(20.0, _attribute_number(c, "cellspacing"))),
    "declared width": lambda v, _: _each(
        v, lambda c: float("width" in c.attributes) + ("%" in c.attributes.get("width", ""))
    ),
    "data words": lambda v, _: _each(
        v, lambda c: bool(_DATA_WORDS.search(f"{c.attributes.get('class', '')} {c.attributes.get('id', '')}"))
    ),
    "layout words": lambda v, _: _each(
        v, lambda c: bool(_LAYOUT_WORDS.search(f"{c.attributes.get('class', '')} {c.attributes.get('id', '')}"))
    ),
    "sized cells": lambda v, _: _share(_each(v, lambda c: c.sized), v.count),
    "set at the top": lambda v, n: v.mean(_styled(v, "top", lambda style: style.valign == "top"), n.counts),
    "nested inside": lambda v, _: np.log1p(v.sum(v.cells("nested"))),
    "depth": lambda v, _: _each(v, lambda c: c.depth),
    "hidden": lambda v, _: _each(v, lambda c: c.hidden),
}
CONTENT: dict[str, Feature] = {
    "linked share": lambda v, _: _share(v.sum(v.cells("linked")), _letters(v)),
    "links a cell": lambda v, _: _share(v.sum(v.cells("links")), _filled(v)),
    "cells with links": lambda v, _: v.mean(v.cells("links") > 0, v.filled),
    "cells with many links": lambda v, _: v.mean(v.cells("links") > 2, v.filled),
    "images a cell": lambda v, _: _share(v.sum(v.cells("images")), _filled(v)),
    "cells with images": lambda v, _: v.mean(v.cells("images") > 0, v.filled),
    "forms": lambda v, _: np.log1p(v.sum(v.cells("forms"))),
    "forms a cell": lambda v, _: _share(v.sum(v.cells("forms")), _filled(v)),
    "list items": lambda v, _: _share(v.sum(v.cells("items")), _filled(v)),
    "longest": lambda v, _: np.log1p(_largest(v)),
    "longest share": lambda v, _: _share(_largest(v), _letters(v)),
    "numbers": lambda v, _: np.log1p(v.sum(_is(v, Kind.NUMBER, Kind.DATE))),
    "letters": lambda v, _: np.log1p(_letters(v)),
    "page share": lambda v, _: _letters(v) / max(1, v.page.letters),
    "prose letters share": lambda v, _: _share(v.sum(v.cells("length") * _is(v, Kind.PROSE)), _letters(v)),
    "lines a cell": lambda v, _: v.mean(_line_counts(v), v.filled),
    **{f"{kind.name.lower()} cells": _cells_of(kind) for kind in Kind if kind != Kind.EMPTY},
}
LINES: dict[str, Feature] = {
    "columns agree": lambda v, n: n.agreement(v.column_line, v.column_owner, n.below),
    "rows agree": lambda v, n: n.agreement(v.row_line, v.row_owner, n.beside),
    "columns agree from the top": lambda v, n: n.agreement(v.column_line, v.column_owner, n.counts),
    "number columns": lambda v, n: n.mostly(v.column_line, v.column_owner, n.below, _is(v, Kind.NUMBER, Kind.DATE)),
    "number rows": lambda v, n: n.mostly(v.row_line, v.row_owner, n.beside, _is(v, Kind.NUMBER, Kind.DATE)),
    "label columns": lambda v, n: n.mostly(v.column_line, v.column_owner, n.counts, _is(v, Kind.LABEL)),
    "prose columns": lambda v, n: n.mostly(v.column_line, v.column_owner, n.counts, _is(v, Kind.PROSE)),
    "linked columns": lambda v, n: n.mostly(v.column_line, v.column_owner, n.counts, v.cells("linked") > 0),
    "column spread": lambda v, n: n.spread(v.column_line, v.column_owner, n.below),
    "row spread": lambda v, n: n.spread(v.row_line, v.row_owner, n.counts),
    "labels on top": lambda v, n: _first_row_contrast(v, n, _is(v, Kind.LABEL)),
    "labels at the left": lambda v, n: _first_column_contrast(v, n, _is(v, Kind.LABEL)),
    "numbers below": lambda v, n: -_first_row_contrast(v, n, _is(v, Kind.NUMBER, Kind.DATE)),
    "bold on top": lambda v, n: _first_row_contrast(v, n, v.style("bold")),
    "bold at the left": lambda v, n: _first_column_contrast(v, n, v.style("bold")),
    "filled on top": lambda v, n: _first_row_contrast(v, n, _has_fill(v)),
    "filled at the left": lambda v, n: _first_column_contrast(v, n, _has_fill(v)),
    "right aligned": lambda v, n: v.mean(_styled(v, "right", lambda style: style.align == "right"), n.counts),
    "bold share": lambda v, n: v.mean(v.style("bold"), n.counts),
    "borders": lambda v, n: v.mean(v.style("border_bottom") | v.style("border_top"), n.counts),
    "distinct at the left": lambda v, n: _distinct(v, n.left),
    "distinct": lambda v, n: _distinct(v, n.counts),
    "colons at the left": _ends_with_colon,
    "counted at the left": _counted,
    "distinct on top": lambda v, n: _distinct(v, n.top),
    "first cell empty": lambda v, n: 1 - np.minimum(1, v.sum(n.top & n.in_first_column)),
    "repeated in column": _repeated,
    "left length": lambda v, n: np.log1p(v.mean(v.cells("length"), n.left)),
    "top length": lambda v, n: np.log1p(v.mean(v.cells("length"), n.top)),
}
SURROUNDINGS: dict[str, Feature] = {
    "start": lambda v, _: _each(v, lambda c: c.start),
    "candidates": lambda v, _: np.full(len(v), np.log1p(len(v.page.candidates))),
    "alike": lambda v, _: np.log1p(_alike(v)),
    "neighbours alike": _neighbours_alike,
    "announced": lambda v, _: _each(v, lambda c: bool(c.before and _POINTS_TO_TABLE.search(c.before))),
    "text before": lambda v, _: np.log1p(_each(v, lambda c: len(c.before or ""))),
    "text after": lambda v, _: np.log1p(_each(v, lambda c: len(c.after or ""))),
    "heading before": lambda v, _: _each(v, lambda c: c.heading is not None and c.heading.text == c.before),
}


def _largest(view: CandidateView) -> Floats:
    return view.once("largest", lambda: np.maximum.reduceat(view.cells("length"), view.starts).astype(np.float64))


def _line_counts(view: CandidateView) -> Floats:
    texts = view.cells("text").tolist()
    if not any("\n" in text for text in texts):
        return np.ones(len(texts))
    return np.array([text.count("\n") + 1 for text in texts], dtype=np.float64)


GROUPS = (SHAPE, MARKUP, CONTENT, LINES, SURROUNDINGS)
FEATURES: tuple[str, ...] = (*PAPER_FEATURES, *(name for group in GROUPS for name in group))


def genuine_features(view: CandidateView, asked: Collection[int] | None = None) -> NDArray[np.float64]:
    """One row a candidate, in the order of FEATURES; nought for those whose numbers are not among the asked ones."""
    lines = view_lines(view)
    found = np.zeros((len(FEATURES), len(view)))
    found[: len(PAPER_FEATURES)] = paper_features(view).T
    more = (tell for group in GROUPS for tell in group.values())
    for number, tell in enumerate(more, len(PAPER_FEATURES)):
        if asked is None or number in asked:
            found[number] = tell(view, lines)
    return found.T
