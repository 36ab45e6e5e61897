"""What the network sees of a grid: each token by itself, and codes from which the relation of any two follows.

In: a grid of any medium. Out: arrays, one row a token. What rules know (which row sums up others, which label above is
less indented, what the source declares) is here as evidence and decides nothing.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.sums import NO_RUN, Sums, find_sums
from tabellion.interpret.tokens import PLAIN_KIND, TEXT_KIND, Ints, Tokens, is_filled, select_tokens
from tabellion.interpret.wording import ABSENT, DAY, PIECES, WORDING_NAMES, YEAR, read_wording
from tabellion.model.arrays import distinct, median
from tabellion.model.document import Mark
from tabellion.model.grid import Grid

LOOK_NAMES = (
    "bold", "italic", "indented", "indent", "centred", "right", "across", "coloured", "line above", "line below",
    "large", "small", "link", "image", "stored number", "stored date", "wide", "very wide", "tall", "very tall",
    "row hidden", "column hidden", "formula", "aggregate", "declared head", "declared thead", "declared tfoot",
)  # fmt: skip
PLACE_NAMES = (
    "row of 1", "row of 2", "row of 3", "row of 5", "row of 10", "row numbers", "row no numbers", "column numbers",
    "column no numbers", "column filled", "first in row", "last in row", "first in column", "first row", "gap above",
    "wide gap above", "gap below", "last row", "first column", "gap left", "last column", "above number", "above date",
    "above text", "below number", "below date", "below text", "left number", "left date", "left text", "right number",
    "right date", "right text", "said before", "row place", "column place", "room right", "beside left out",
    "column distinct", "columns so far distinct", "row sums above", "row sums below", "row is summed",
)  # fmt: skip
MEDIUM_NAMES = ("of a sheet", "of text", "of a page", "of print", "styles known", "heads can be declared")
FEATURES = (*WORDING_NAMES, *LOOK_NAMES, *PLACE_NAMES, *MEDIUM_NAMES)
"""The names of a token's features, in order; weights hold them and refuse others."""

CODES = (
    "row", "column", "row_rank", "column_rank", "row_band", "column_band", "look", "kind", "text", "indent",
    "first_column", "last_column", "spread_to", "less_indented", "valueless", "bold", "outer", "run_first", "run_last",
)  # fmt: skip
"""Codes of a token from which its relations follow. The last labels above are tokens counted from 1, 0 where none."""

_AT = {name: number for number, name in enumerate(FEATURES)}
_FULL = 200  # a feature that is a share is 0 to 200, since features are bytes; one that holds or not is 0 or 1
_LOOKED_BACK = 60  # labels of a column among which the nearest less indented one is looked for


class Evidence(msgspec.Struct, frozen=True, eq=False):
    """The evidence of one grid: `pieces` (tokens, PIECES), `features` (tokens, FEATURES), `codes` by name."""

    tokens: Tokens
    pieces: NDArray[np.int16]
    features: NDArray[np.uint8]
    codes: dict[str, NDArray[np.int16]]

    def __len__(self) -> int:
        return len(self.pieces)


def gather_evidence(grid: Grid) -> Evidence:
    """All that the network is given of a grid."""
    tokens = select_tokens(grid)
    at_row, at_column = tokens.at
    rows, columns = tokens.rows[at_row], tokens.columns[at_column]
    wordings = [
        read_wording(text, content)
        for text, content in zip(grid.text[rows, columns].tolist(), grid.content[rows, columns].tolist(), strict=True)
    ]
    features = np.zeros((len(wordings), len(FEATURES)), dtype=np.uint8)
    pieces = np.zeros((len(wordings), PIECES), dtype=np.int16)
    for number, wording in enumerate(wordings):
        features[number, list(wording.shows)] = 1
        pieces[number, : len(wording.pieces)] = wording.pieces
    kind = np.array([wording.kind for wording in wordings], dtype=np.int16)
    spans = np.array([grid.span_at.get(cell, (1, 1)) for cell in zip(rows.tolist(), columns.tolist(), strict=True)])
    spans = spans.reshape(-1, 2)
    texts = [text.strip().lower() for text in grid.text[rows, columns].tolist()]
    sums = find_sums(grid, tokens)
    _show_looks(grid, tokens, features, spans)
    _show_places(grid, tokens, features, kind, texts, sums)
    return Evidence(tokens, pieces, features, _codes(tokens, kind, texts, spans, sums, grid))


def _show_looks(grid: Grid, tokens: Tokens, features: NDArray[np.uint8], spans: Ints) -> None:
    at_row, at_column = tokens.at
    cells = tokens.rows[at_row], tokens.columns[at_column]
    style = grid.style[cells]

    def show(name: str, value: NDArray[np.generic] | np.generic) -> None:
        features[:, _AT[name]] = value

    for name, field in (
        ("bold", "bold"), ("italic", "italic"), ("across", "across"), ("line above", "border_top"),
        ("line below", "border_bottom"),
    ):  # fmt: skip
        show(name, grid.by_style(field)[style])
    indent = tokens.indent[tokens.at]
    show("indented", indent > 0)
    show("indent", np.minimum(indent * 20, _FULL).astype(np.uint8))
    align = grid.by_style("align")[style]
    show("centred", align == "center")
    show("right", align == "right")
    show("coloured", np.array([is_filled(one.fill) for one in grid.styles])[style])
    size = grid.by_style("size")[style].astype(np.float64)
    usual = median(size) if len(size) else 1.0
    show("large", size > 1.15 * usual)
    show("small", size < 0.9 * usual)
    content = grid.content[cells]
    show("link", content == 5)
    show("image", content == 6)
    show("stored number", content == 2)
    show("stored date", content == 3)
    show("wide", spans[:, 1] > 1)
    show("very wide", spans[:, 1] > 3)
    show("tall", spans[:, 0] > 1)
    show("very tall", spans[:, 0] > 2)
    show("row hidden", grid.hidden_rows[cells[0]])
    show("column hidden", grid.hidden_columns[cells[1]])
    marks = grid.marks[cells]
    for name, mark in (
        ("formula", Mark.FORMULA), ("aggregate", Mark.AGGREGATE), ("declared head", Mark.HEADING),
        ("declared thead", Mark.IN_HEAD), ("declared tfoot", Mark.IN_FOOT),
    ):  # fmt: skip
        show(name, (marks & int(mark)) > 0)
    medium = {"spreadsheet": "of a sheet", "html": "of a page", "pdf": "of print"}[grid.medium]
    styled = len(grid.styles) > 1
    show("of text" if grid.medium == "spreadsheet" and not styled else medium, np.uint8(1))
    show("styles known", np.uint8(styled))
    show("heads can be declared", np.uint8(grid.medium == "html" and grid.found in (None, "table")))


def _show_places(
    grid: Grid, tokens: Tokens, features: NDArray[np.uint8], kind: NDArray[np.int16], texts: list[str], sums: Sums
) -> None:
    at_row, at_column = tokens.at
    filled, numbers = tokens.filled, tokens.kind == PLAIN_KIND

    def show(name: str, value: NDArray[np.generic] | bool) -> None:
        features[:, _AT[name]] = value

    in_row, in_column = filled.sum(axis=1), filled.sum(axis=0)
    row_numbers, column_numbers = numbers.sum(axis=1), numbers.sum(axis=0)
    of_row = in_row[at_row]
    for name, low, high in (("1", 1, 1), ("2", 2, 2), ("3", 3, 4), ("5", 5, 9), ("10", 10, 10**9)):
        show(f"row of {name}", (of_row >= low) & (of_row <= high))
    show("row numbers", _FULL * row_numbers[at_row] // np.maximum(of_row, 1))
    show("row no numbers", row_numbers[at_row] == 0)
    show("column numbers", _FULL * column_numbers[at_column] // np.maximum(in_column[at_column], 1))
    show("column no numbers", column_numbers[at_column] == 0)
    show("column filled", np.minimum(_FULL, 20 * np.log1p(in_column[at_column])).astype(np.uint8))
    across, down = np.cumsum(filled, axis=1)[tokens.at], np.cumsum(filled, axis=0)[tokens.at]
    show("first in row", across == 1)
    show("last in row", across == of_row)
    show("first in column", down == 1)
    show("first row", at_row == 0)
    count, width = filled.shape
    gap_above = np.where(np.arange(count) == 0, 1, tokens.row_gaps)
    gap_below = np.append(tokens.row_gaps[1:], 1)
    show("gap above", gap_above[at_row] > 0)
    show("wide gap above", tokens.row_gaps[at_row] > 1)
    show("gap below", gap_below[at_row] > 0)
    show("last row", at_row == count - 1)
    show("first column", at_column == 0)
    show("gap left", (tokens.column_gaps[at_column] > 0) & (at_column > 0))
    show("last column", at_column == width - 1)
    for side, down_by, right_by in (("above", -1, 0), ("below", 1, 0), ("left", 0, -1), ("right", 0, 1)):
        beside = _beside(tokens, down_by, right_by)[tokens.at]
        for name, one in (("number", PLAIN_KIND), ("date", 2), ("text", TEXT_KIND)):
            show(f"{side} {name}", beside == one)
    known: dict[str, int] = {}
    show("said before", np.array([known.setdefault(text, at) != at for at, text in enumerate(texts)], dtype=bool))
    kept_rank = np.cumsum(tokens.kept)
    show("row place", np.minimum(_FULL, kept_rank[at_row] * 2))
    show("column place", np.minimum(_FULL, at_column * 4))
    show("room right", np.minimum(_FULL, 20 * (_next_filled(grid, tokens)[tokens.at])))
    left_out = ~tokens.kept
    near = np.append(left_out[1:], False) | np.append(False, left_out[:-1])
    show("beside left out", near[at_row])
    distinct, so_far = _distinct(grid, tokens)
    show("column distinct", (_FULL * distinct[at_column]).astype(np.uint8))
    show("columns so far distinct", (_FULL * so_far[at_column]).astype(np.uint8))
    show("row sums above", (_FULL * sums.above[at_row]).astype(np.uint8))
    show("row sums below", (_FULL * sums.below[at_row]).astype(np.uint8))
    show("row is summed", sums.parts[at_row])


def _beside(tokens: Tokens, down: int, right: int) -> NDArray[np.uint8]:
    """The kind of the adjoining cell on one side of each cell, 0 where there is none or a gap lies between."""
    kind = tokens.kind
    found = np.zeros_like(kind)
    if down == -1:
        found[1:] = np.where(tokens.row_gaps[1:, None] == 0, kind[:-1], 0)
    elif down == 1:
        found[:-1] = np.where(tokens.row_gaps[1:, None] == 0, kind[1:], 0)
    elif right == -1:
        found[:, 1:] = np.where(tokens.column_gaps[1:] == 0, kind[:, :-1], 0)
    else:
        found[:, :-1] = np.where(tokens.column_gaps[1:] == 0, kind[:, 1:], 0)
    return found


def _next_filled(grid: Grid, tokens: Tokens) -> Ints:
    """How many of the source's columns lie between each cell and the next filled one of its row; 1 where none is."""
    columns = grid.column_of[tokens.columns].astype(np.intp)
    width = len(columns)
    places = np.where(tokens.filled, np.arange(width), width)
    after = np.full(tokens.filled.shape, width, dtype=np.intp)
    after[:, :-1] = np.minimum.accumulate(places[:, ::-1], axis=1)[:, ::-1][:, 1:]
    reach = np.append(columns, columns[-1:] + 1)
    return np.asarray(np.where(after < width, reach[np.minimum(after, width)] - columns, 1))


def _distinct(grid: Grid, tokens: Tokens) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far each column's texts, and all columns up to it together, tell the kept rows apart."""
    kept = np.flatnonzero(tokens.kept)
    texts = grid.text[np.ix_(tokens.rows[kept], tokens.columns)]
    width = len(tokens.columns)
    alone, so_far = np.zeros(width), np.zeros(width)
    prefix = np.zeros(len(kept), dtype=np.int64)
    for column in range(min(width, 40)):
        said = tokens.filled[kept, column]
        if not said.any():
            continue
        ids = {text: at for at, text in enumerate(dict.fromkeys(texts[:, column].tolist()))}
        codes = np.array([ids[text] for text in texts[:, column].tolist()], dtype=np.int64)
        alone[column] = len(distinct(codes[said])) / said.sum()
        known: dict[int, int] = {}
        prefix = np.array([known.setdefault(one, len(known)) for one in (prefix * (len(ids) + 1) + codes).tolist()])
        so_far[column] = len(known) / len(kept)
    return alone, so_far


def _codes(
    tokens: Tokens, kind: NDArray[np.int16], texts: list[str], spans: Ints, sums: Sums, grid: Grid
) -> dict[str, NDArray[np.int16]]:
    at_row, at_column = tokens.at
    kept = tokens.kept
    row_place = np.cumsum(kept + ((tokens.row_gaps > 0) & kept))
    column_place = np.cumsum(1 + (tokens.column_gaps > 0))
    ids: dict[str, int] = {}
    source = grid.column_of[tokens.columns]
    covers = np.searchsorted(source, source[at_column] + spans[:, 1], side="right") - 1
    spread = np.searchsorted(source, source[at_column] + _next_filled(grid, tokens)[tokens.at]) - 1
    codes = {
        "row": row_place[at_row],
        "column": column_place[at_column],
        "row_rank": np.cumsum(tokens.filled, axis=1)[tokens.at],
        "column_rank": np.cumsum(tokens.filled & kept[:, None], axis=0)[tokens.at],
        "row_band": np.cumsum(tokens.row_gaps > 0)[at_row],
        "column_band": np.cumsum(tokens.column_gaps > 0)[at_column],
        "look": tokens.look[tokens.at],
        "kind": np.where(np.isin(kind, (1, YEAR, ABSENT, 5)), 0, np.where(kind == DAY, 1, 2)),
        "text": np.array([ids.setdefault(text, len(ids)) for text in texts], dtype=np.intp),
        "indent": np.round(tokens.indent[tokens.at] * 4),
        "first_column": column_place[at_column],
        "last_column": column_place[np.maximum(covers, at_column)],
        "spread_to": column_place[np.maximum(spread, at_column)],
        "run_first": np.where(sums.first[at_row] == NO_RUN, NO_RUN, row_place[np.maximum(sums.first[at_row], 0)]),
        "run_last": np.where(sums.first[at_row] == NO_RUN, NO_RUN, row_place[np.maximum(sums.last[at_row], 0)]),
        **_labels_above(tokens, grid),
    }
    return {name: np.asarray(code).astype(np.int16) for name, code in codes.items()}


def _labels_above(tokens: Tokens, grid: Grid) -> dict[str, Ints]:
    """Labels above each token that rules of layout would take as its parent, counted from 1."""
    at_row, at_column = (lines.tolist() for lines in tokens.at)
    bold = grid.by_style("bold")[grid.style[tokens.rows[tokens.at[0]], tokens.columns[tokens.at[1]]]].tolist()
    indent = tokens.indent[tokens.at].tolist()
    text = (tokens.kind[tokens.at] == TEXT_KIND).tolist()
    valueless = (~(tokens.kind == PLAIN_KIND).any(axis=1)).tolist()
    found = {name: np.zeros(len(at_row), dtype=np.intp) for name in ("less_indented", "valueless", "bold", "outer")}
    by_column: dict[int, list[int]] = {}
    for token, (row, column) in enumerate(zip(at_row, at_column, strict=True)):
        above = by_column.setdefault(column, [])
        recent = above[: -_LOOKED_BACK - 1 : -1]
        found["less_indented"][token] = next((q + 1 for q in recent if indent[q] < indent[token]), 0)
        found["valueless"][token] = next((q + 1 for q in recent if valueless[at_row[q]] and text[q]), 0)
        if not bold[token]:
            found["bold"][token] = next((q + 1 for q in recent if bold[q]), 0)
        outer = [by_column[left][-1] for left in range(max(0, column - 4), column) if by_column.get(left)]
        found["outer"][token] = max((q + 1 for q in outer if at_row[q] < row), default=0)
        above.append(token)
    return found
