"""How many leading rows and columns of a web table are headers: learned, or as OntoMiner tells it.

In: the views of tables. Out: `HeaderLines` of each. The learned method asks of each leading row, then of each leading
column, whether it is a header, and stops at the first that is not. The trees see the line itself, its neighbours, the
first line of the other direction and the shape of the table. What the markup declares by `scope` or `headers` is
believed. Fails where only the meaning of the words can tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.edge_laws import comes_again
from tabellion.label.pages.features import LINE_FEATURES, SHAPE_FEATURES, table_features
from tabellion.label.pages.view import (
    DATE,
    EMPTY,
    KINDS,
    LABEL,
    LONG,
    MEASURE,
    MIXED,
    NUMBER,
    SAID,
    SIGN,
    TRAITS,
    YEAR,
    Floats,
    WebView,
    WebViews,
)
from tabellion.model.arrays import distinct
from tabellion.values.unit import find_unit
from tabellion.weights import Weights

ROWS, COLUMNS = "web_header_rows", "web_header_columns"  # names of the weights
PRINTED_ROWS = "printed_header_rows"
MOST_ROWS, MOST_COLUMNS = 4, 3  # header lines that are asked for
_MADE_ALIKE = ("heading", "in head", "linked", "bold", "fill")  # traits that tables of one making share
_MADE_ALIKE_AT = [TRAITS.index(trait) for trait in _MADE_ALIKE]
_HEADS_AT = [TRAITS.index(trait) for trait in ("heading", "in head")]
_UNSURE = 0.01  # no table weighs more than this among those that are made alike
_LOOKS = ("heading", "bold", "fill")  # traits that make a column stand out
_ALIKE = 0.9  # the share of cells that must agree
_WIDE, _BODY = 3, 2  # columns of a table, and rows of its body, from which its head is held against the rest
_CROSS = 3  # rows and columns from which an empty corner tells a cross table
_BY_CORNER = 0.5  # how sure headers are that are told by the empty corner alone
_MOSTLY = 0.5
_NAMED = 0.7  # the share of rows with a name in a column that names them: some totals have none
_NUMBERED = 4  # running numbers over columns that are no chance
_PAIR = 2  # columns: one of names, one of figures
_COUNTED, _FIGURES, _WORDS, _WHEN = (  # whether a kind is among some
    np.isin(np.arange(KINDS), among)
    for among in ((NUMBER, MEASURE, YEAR, DATE), (NUMBER, MEASURE), (LABEL, MIXED, LONG), (YEAR, DATE, EMPTY))
)
ROW_LIMIT, COLUMN_LIMIT = 0.5, 0.35  # probabilities from which a line is a header; set on the folds

ROW_FEATURES: tuple[str, ...] = (
    *(f"row {name}" for name in LINE_FEATURES),
    *(f"next row {name}" for name in LINE_FEATURES),
    *(f"last row {name}" for name in LINE_FEATURES),
    *(f"first column {name}" for name in LINE_FEATURES),
    *SHAPE_FEATURES,
    "place",
)
COLUMN_FEATURES: tuple[str, ...] = (
    *(f"column {name}" for name in LINE_FEATURES),
    *(f"next column {name}" for name in LINE_FEATURES),
    *(f"last column {name}" for name in LINE_FEATURES),
    *(f"first row {name}" for name in LINE_FEATURES),
    *(f"second row {name}" for name in LINE_FEATURES),
    *SHAPE_FEATURES,
    "place",
)


class HeaderLines(msgspec.Struct, frozen=True):
    """How many leading rows and columns are headers, and how sure each count is."""

    rows: int
    columns: int
    sure: float = 1.0


def find_headers(views: WebViews, weights: Weights) -> list[HeaderLines]:
    """The header lines of tables of one document by the learned trees."""
    rows, columns = header_examples(views)
    if not len(rows):
        return [HeaderLines(0, 0, 0.0) for _ in views.tables]
    printed = views.tables[0].grid.medium == "pdf"
    by_row = weights.boosted(PRINTED_ROWS if printed else ROWS, ROW_FEATURES).probabilities(rows)
    by_column = weights.boosted(COLUMNS, COLUMN_FEATURES).probabilities(columns)
    counts = np.array([np.minimum(view.kind.shape, (MOST_ROWS, MOST_COLUMNS)) for view in views.tables])
    row_ends, column_ends = counts.cumsum(axis=0)[:-1].T
    down, across = np.split(by_row, row_ends), np.split(by_column, column_ends)
    for alike in _tables_alike(views.tables):
        _agree([down[at] for at in alike])
        _agree([across[at] for at in alike])
    parts = zip(views.tables, down, across, strict=True)
    return [settle_headers(view, decide_headers(*lines)) for view, *lines in parts]


def _tables_alike(tables: Sequence[WebView]) -> list[list[int]]:
    """Tables of a page that are made alike: as wide, and in their first two rows and their last one words,
    figures and nothing stand in the same places, with the same looks.
    """
    groups: dict[tuple[int, bytes], list[int]] = {}
    for at, view in enumerate(tables):
        if view.kind.size and view.grid.medium == "html":
            rows = [0, min(1, len(view.kind) - 1), -1]
            told = view.kind[rows]
            looks = (told == EMPTY, _COUNTED[told], view.traits[rows][..., _MADE_ALIKE_AT] > 0)
            groups.setdefault((view.kind.shape[1], b"".join(look.tobytes() for look in looks)), []).append(at)
    return [alike for alike in groups.values() if len(alike) > 1]


def _agree(odds: list[NDArray[np.float64]]) -> None:
    """Each line of tables that are made alike takes the mean evidence of that line over all of them, in place."""
    for line in range(max(map(len, odds))):
        held = [each for each in odds if len(each) > line]
        sure = np.clip([each[line] for each in held], _UNSURE, 1 - _UNSURE)
        mean = 1 / (1 + np.exp(-np.log(sure / (1 - sure)).mean()))
        for each in held:
            each[line] = mean


def settle_headers(view: WebView, found: HeaderLines) -> HeaderLines:
    """The header lines that were found, or those that the markup declares, with what belongs to them."""
    if not view.kind.size:
        return HeaderLines(0, 0, 0.0)
    if view.grid.found == "definitions" and view.kind.shape[1] > 1:  # the terms are what they are
        return HeaderLines(0, 1)
    declared = view.grid.declared_headers
    rows_said = int((view.grid.row_of[view.rows] < declared[0]).sum()) if declared[0] else 0
    columns_said = int((view.grid.column_of[view.columns] < declared[1]).sum()) if declared[1] else 0
    if not (rows_said or found.rows or columns_said or found.columns) and _has_empty_corner(view):
        return HeaderLines(1, 1, _BY_CORNER)
    down = _with_spans(view, rows_said or _settle_rows(view, found.rows))
    across = columns_said or found.columns or _standing_out(view, down)
    across = across or _without_heads(view, down) or int(_names_under_corner(view, down))
    across = min(across, len(view.columns) - 1)
    return HeaderLines(down, across, found.sure)


def _has_empty_corner(view: WebView) -> bool:
    """Whether the first row and column are full of distinct names but for the slot where they meet: a cross table."""
    filled, said = view.kind != EMPTY, view.codes[SAID]
    if min(filled.shape) < _CROSS or filled[0, 0]:
        return False
    lines = ((filled[0, 1:], said[0, 1:]), (filled[1:, 0], said[1:, 0]))
    return all(full.all() and len(set(names.tolist())) == len(names) for full, names in lines)


def _settle_rows(view: WebView, rows: int) -> int:
    """Header rows that were found, by the laws of web tables.

    A row of nothing but years goes on with a head over other numbers; so does one that tells apart what a header above
    it spans, and a unit in brackets over all of them. A row that says nothing but a name in the stub, where the head
    has named the stub or another such row follows, is the first group and no head. A first row that numbers the columns
    after the names is a head. One that looks as the next does and in which a column says what it says again below is
    the first of the body. Below a row of header cells another goes on with the head, where the body has few.
    """
    filled = view.kind != EMPTY
    height, width = filled.shape
    if view.grid.medium != "html":
        return rows
    if rows == 1 and _is_said_again(view):
        return 0
    if not rows and _numbers_columns(view):
        return 1
    if not rows or width < _PAIR:
        return rows
    while rows < height - 1 and _is_all_heads(view, rows):
        rows += 1
    if width < _WIDE:
        return rows
    while rows < height - 1 and _goes_on(view, rows):
        rows += 1
    while rows > 1 and _names_stub_only(view, rows - 1):
        named = filled[: rows - 1, 0].any() or (rows < height and _names_stub_only(view, rows))
        if not named:
            break
        rows -= 1
    return rows


def _goes_on(view: WebView, row: int) -> bool:
    """Whether a row below a head belongs to it, by what it says over the figures below."""
    below = view.kind[row + 1 :, 1:]
    if _are_years(view.kind[row, 1:]):
        beside = view.kind[row, 0] == EMPTY != view.kind[-1, 0]
        return len(below) >= (1 if beside else _BODY) and not _are_years(below)
    if len(below) > 1 and _are_years(below[0]):
        below = below[1:]
    figures = _FIGURES[below]
    if figures.sum() <= _MOSTLY * (below != EMPTY).sum():
        return False
    above, home, kind = view.home[row - 1, 1:], view.home[row, 1:], view.kind[row, 1:]
    spanned = np.zeros(len(home), dtype=bool)
    spanned[1:] = above[1:] == above[:-1]
    spanned[:-1] |= spanned[1:]
    spanned &= view.kind[row - 1, 1:] != EMPTY
    told = spanned & (kind != EMPTY)
    if len(set(home[told].tolist())) > 1:
        return not _FIGURES[kind[told]].any()
    slots = Counter(home[kind != EMPTY].tolist())
    if view.kind[row, 0] != EMPTY or not slots:
        return False
    if len(slots) == 1 and _in_brackets(str(view.grid.text.ravel()[next(iter(slots))])):
        return True
    return min(slots.values()) > 1 and row + 2 < len(view.kind) and _goes_on(view, row + 1)


def _is_all_heads(view: WebView, row: int) -> bool:
    """Whether a row below a head, and the row above it, hold header cells alone, which the rest has few of."""
    heading, filled = view.trait("heading") > 0, view.kind != EMPTY
    alone = all(heading[one][filled[one]].all() for one in (row - 1, row))
    rest = filled[row + 1 :, 1:]
    return bool(alone and filled[row, 1:].any() and heading[row + 1 :, 1:][rest].sum() < (1 - _ALIKE) * rest.sum())


def _is_said_again(view: WebView) -> bool:
    """Whether the first row is of plain cells and looks as the second does, and a part of what it says comes again."""
    if len(view.rows) <= _BODY or len(view.kind) < _BODY or view.traits[0][:, _HEADS_AT].any():
        return False
    if (view.home[0] == view.home[1]).any() or (view.traits[0] != view.traits[1])[:, _MADE_ALIKE_AT].any():
        return False
    return comes_again(view.grid, int(view.rows[0]), view.rows[1:], view.columns, alike=True)


def _numbers_columns(view: WebView) -> bool:
    """Whether the first row names columns by running numbers, after a name, over others that do not run so."""
    said = [[str(label) for label in view.grid.label[row, view.columns]] for row in view.rows[:_BODY]]
    place = next((at for at, label in enumerate(said[0]) if label.isdigit()), 0)
    names = [label for label in said[0][place:] if label.isdigit()]
    counts = names == [str(number) for number in range(1, len(names) + 1)] == said[0][place : place + len(names)]
    return counts and len(names) >= _NUMBERED and place > 0 and all(said[0][:place]) and said[-1] != said[0]


def _in_brackets(text: str) -> bool:
    return text.startswith("(") and text.endswith(")")


def _names_stub_only(view: WebView, row: int) -> bool:
    """Whether the first cell of a row is all that it says."""
    held = view.home[row][view.kind[row] != EMPTY]
    return len(held) > 0 and bool((held == view.home[row, 0]).all())


def _are_years(kinds: NDArray[np.integer]) -> bool:
    """Whether slots hold two years or more, and little else."""
    held = kinds[kinds != EMPTY]
    return len(held) > 1 and bool((held == YEAR).mean() >= _ALIKE)


def _with_spans(view: WebView, rows: int) -> int:
    """Header rows, and those that a cell of the last one reaches into: no cell is header and value at once."""
    rows = min(rows, len(view.rows) - 1)
    while 0 < rows < len(view.home) - 1 and (view.home[rows - 1] == view.home[rows])[view.kind[rows] != EMPTY].any():
        rows += 1
    return rows


def _standing_out(view: WebView, rows: int) -> int:
    """Leading columns whose cells have the look of the header row, which no other cell of the body has.

    The table type told by style (VENTex, section 5.2): bold, filled or marked as the header above, they name the rows.
    """
    filled = view.kind != EMPTY
    body = filled[rows:]
    if not rows or body.shape[0] < 2:
        return 0
    for look in _LOOKS:
        marked = view.trait(look) > 0
        if not marked[rows - 1][filled[rows - 1]].all():
            continue
        count = 0
        while count < body.shape[1] - 1:
            column = marked[rows:, count][body[:, count]]
            if len(column) and column.mean() < _ALIKE:
                break
            count += 1
        rest = body[:, count:]
        if body[:, :count].any() and rest.any() and marked[rows:, count:][rest].mean() <= 1 - _ALIKE:
            return count
    return 0


def _without_heads(view: WebView, rows: int) -> int:
    """Leading columns over which a head says nothing, two or more, of words, years and dates before columns of figures
    that all have heads: "Beauty", "2023" under one corner.
    """
    kind = view.kind
    headed = (kind[:rows] != EMPTY).any(axis=0)
    count = int(headed.argmax()) if rows else 0
    if count < _PAIR or not headed[count:].all() or len(kind) - rows < _BODY:
        return 0
    named = not _FIGURES[kind[rows:, :count]].any() and bool((kind[rows:, :count] != EMPTY).any(axis=0).all())
    return count if named and _are_figures(kind[rows:, count:]) else 0


def _names_under_corner(view: WebView, rows: int) -> bool:
    """Whether the first column names the rows of figures, by what the head says of it.

    So it is where the head says nothing over it, or says days or years over all others, and it alone is of words;
    where its words are distinct and all others are of figures; and where the head says over it in what unit these are.
    """
    kind = view.kind
    filled, first = kind != EMPTY, kind[rows:, 0]
    if not rows or len(first) < (_BODY if filled[:rows, 0].any() else 1) or kind.shape[1] < _PAIR:
        return False
    beside = np.where(view.home[rows:, 1:] == view.home[rows:, :1], EMPTY, kind[rows:, 1:])
    held = beside != EMPTY
    figures = _FIGURES[beside]
    named = first != EMPTY
    words = (first != NUMBER) & (first != SIGN) & named
    if not figures.any() or (figures | (beside == SIGN)).sum() <= _MOSTLY * held.sum():
        return False
    if words.sum() < _ALIKE * named.sum() or named.sum() < _NAMED * len(first):
        return False
    if filled[:rows, 0].any() and _says_unit(view, rows):
        return True
    heads = kind[rows - 1, 1:]
    told = not filled[:rows, 0].any() or (_WHEN[heads].all() and (heads != EMPTY).sum() > 1)
    if not told:
        names = view.codes[SAID][rows:, 0].tolist()
        told = _WORDS[first].all() and len(set(names)) >= _ALIKE * len(names) and _are_figures(beside)
    return bool(told and (_WORDS[beside].sum(axis=0) <= _MOSTLY * held.sum(axis=0)).all())


def _are_figures(kinds: NDArray[np.integer]) -> bool:
    """Whether two columns or more hold something, all of them figures or signs in their place; some may be as years."""
    held = (kinds != EMPTY).sum(axis=0)
    figures, years = (_FIGURES[kinds] | (kinds == SIGN)).sum(axis=0), (kinds == YEAR).sum(axis=0)
    each = (figures + years >= _ALIKE * held) & (figures >= years)
    return bool(each.all() and (held > 0).sum() >= _PAIR)


def _says_unit(view: WebView, rows: int) -> bool:
    """Whether the head over the first column says a scale, which a column of words cannot have."""
    texts = view.grid.text.ravel()[distinct(view.home[:rows, 0])]
    units = [find_unit(str(text)) for text in texts if text]
    return any(unit is not None and unit.scale != 1 for unit in units)


def decide_headers(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> HeaderLines:
    """The header lines from the probability of each leading row and column."""
    down, sure_down = _leading(rows, ROW_LIMIT)
    across, sure_across = _leading(columns, COLUMN_LIMIT)
    return HeaderLines(down, across, sure_down * sure_across)


def header_examples(views: WebViews) -> tuple[Floats, Floats]:
    """What the trees see of the leading rows and of the leading columns of each table, one table after the other."""
    if not len(views.shapes):
        return np.zeros((0, len(ROW_FEATURES))), np.zeros((0, len(COLUMN_FEATURES)))
    told = table_features(views)
    rows = _examples(told.rows, MOST_ROWS, [told.columns[:, 0]], told.shape)
    columns = _examples(told.columns, MOST_COLUMNS, [told.rows[:, 0], told.rows[:, 1]], told.shape)
    heights, widths = views.shapes.T[:, :, None]
    return rows[np.arange(MOST_ROWS) < heights], columns[np.arange(MOST_COLUMNS) < widths]


def _examples(lines: Floats, most: int, others: list[Floats], shape: Floats) -> Floats:
    """Tables × lines × features: each leading line, the next, the last, the first others, the shape, the place."""
    around = np.zeros((len(lines), most + 2, lines.shape[2]))
    around[:, 1:] = lines[:, : most + 1]
    whole = np.concatenate([*others, shape], axis=1)[:, None]
    place = np.arange(most, dtype=np.float64)[:, None]
    sizes = (len(lines), most)
    return np.concatenate(
        [
            around[:, 1:-1],
            around[:, 2:],
            around[:, :-2],
            np.broadcast_to(whole, (*sizes, whole.shape[2])),
            np.broadcast_to(place, (*sizes, 1)),
        ],
        axis=2,
    )


def _leading(odds: NDArray[np.float64], limit: float) -> tuple[int, float]:
    """How many leading lines are headers, and the probability that just those are."""
    count, sure = 0, 1.0
    for value in odds.tolist():
        if value < limit:
            return count, sure * (1 - value)
        count, sure = count + 1, sure * value
    return count, sure
