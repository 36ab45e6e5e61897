"""Readings of drafts in the form that the scorers take, without documents and exports: for tuning and calibration.

In: drafts and a network, or the gold itself in its place. Out: for each sheet the tables with range, heads, stub,
confidence and the label cells of each value. With gold in place of the network it shows what the decoder can say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabellion.interpret.confidence import measure_doubts, rate_tables
from tabellion.interpret.decode import DecodedTable, decode
from tabellion.interpret.evidence import Evidence
from tabellion.interpret.frames import place_table
from tabellion.interpret.targets import POINTERS, ROLES
from tabellion.learn.interpret.draft import Draft, Targets, targets_of
from tabellion.model.grid import Grid
from tabellion.model.place import range_text
from tabellion.model.stated import StatedHeader, StatedTable
from tabellion.weights.network import Outputs

_SURE, _ELSE = 0.97, 0.03


def gold_outputs(draft: Draft, grid: Grid, evidence: Evidence) -> Outputs:
    """What a network would say that knows the gold."""
    targets: Targets = targets_of(draft, grid, evidence)
    count = len(evidence)
    roles = np.full((count, len(ROLES)), _ELSE / len(ROLES), dtype=np.float32)
    known = targets.role >= 0
    roles[np.flatnonzero(known), targets.role[known]] = _SURE
    pointers = np.full((len(POINTERS), count, count + 1), _ELSE / (count + 1), dtype=np.float32)
    for number in range(len(POINTERS)):
        asked = targets.pointers[number] >= 0
        pointers[number, np.flatnonzero(asked), targets.pointers[number][asked]] = _SURE
    flags = np.where(targets.flags.T > 0, _SURE, _ELSE).astype(np.float32)
    return Outputs(np.log(roles), np.log(pointers), np.log(flags))


def read_tables(
    grid: Grid, evidence: Evidence, outputs: Outputs, calibration: tuple[float, ...] = ()
) -> list[dict[str, Any]]:
    """The tables of a grid as the scorers take them."""
    tables = decode(evidence, outputs)
    rated = rate_tables(tables, calibration)
    return [_as_scored(grid, evidence, table, sure) for table, sure in zip(tables, rated, strict=True)]


def _as_scored(grid: Grid, evidence: Evidence, table: DecodedTable, sure: float) -> dict[str, Any]:
    stated = place_table(grid, evidence.tokens, table)
    row_of, column_of = grid.row_of.tolist(), grid.column_of.tolist()
    area = grid.source_rect(stated.area)
    return {
        "place": {"range": range_text(area)},
        "header_rows": row_of[stated.header_rows[-1]] - area.top + 1 if stated.header_rows else 0,
        "header_columns": column_of[stated.stub_columns[-1]] - area.left + 1 if stated.stub_columns else 0,
        "confidence": sure,
        "doubts": measure_doubts(table),
        "tuples": list(_tuples(grid, stated)),
    }


def _tuples(grid: Grid, stated: StatedTable) -> Any:
    row_of, column_of = grid.row_of.tolist(), grid.column_of.tolist()

    def cells(headers: tuple[StatedHeader, ...], nearest: tuple[int, ...]) -> list[list[int]]:
        found: dict[int, None] = {}
        for at in nearest:
            way: list[int] = []
            one: int | None = at
            while one is not None:
                way.append(one)
                one = headers[one].parent
            found.update(dict.fromkeys(reversed(way)))
        return [[row_of[row], column_of[column]] for at in found for row, column in headers[at].cells[:1]]

    tops = {column: cells(stated.top, nearest) for column, nearest in stated.column_headers.items()}
    lefts = {row: cells(stated.left, nearest) for row, nearest in stated.row_headers.items()}
    for row, column in sorted(stated.values):
        yield {
            "row": row_of[row],
            "column": column_of[column],
            "left_cells": lefts.get(row, []),
            "top_cells": tops.get(column, []),
        }
