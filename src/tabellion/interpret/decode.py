"""The most likely reading of a grid: its tables, their heads and stubs, and both header trees.

In: tokens and the network's log probabilities. Out: tables in the lines of the tokens. Nothing is decided by rule: each
step takes what is most probable among what is possible. Tables are rectangles that do not overlap; a head is made of a
table's first rows, a stub of its first columns; trees are trees, and the rows below a label are the rows that follow
it. Fails where tables interlock.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.boxes import FEWEST, LEAST, Box, Floats, Line, Probabilities, find_boxes
from tabellion.interpret.evidence import Evidence
from tabellion.interpret.targets import (
    DERIVED,
    GROUP,
    HEAD,
    JOIN,
    LEVEL,
    NEAREST_HEAD,
    PARENT,
    STUB,
    VALUE,
)
from tabellion.model.arrays import distinct
from tabellion.weights.network import Outputs

Cell = tuple[Line, Line]

OF_HEAD, OF_STUB, OF_BODY = (HEAD, LEVEL, JOIN), (STUB, GROUP, LEVEL, JOIN), (VALUE, GROUP)
_MOST_HEAD, _MOST_STUB = 12, 12  # lines of a head or a stub that are tried
_BEAM = 12  # outlines that are followed at a time


class DecodedTable(msgspec.Struct, eq=False):
    """A table in the lines of the tokens: `body` is its first row below the head, `values` its first column of values.

    `heads` are those that the network looked at, `over` gives the head above each head, `pieces` the first piece of
    each further piece of a label, `names` heads of the stub, `under` the parent row of each row, `groups` the rows that
    only head others, `voted` heads of columns without one of their own. `doubts` are what the confidence is made of.
    """

    box: Box
    body: Line
    values: Line
    heads: set[Cell] = set()
    over: dict[Cell, Cell] = {}
    pieces: dict[Cell, Cell] = {}
    names: set[Cell] = set()
    under: dict[Line, Line] = {}
    groups: set[Line] = set()
    derived: set[Line] = set()
    voted: dict[Line, Cell] = {}
    doubts: tuple[float, ...] = ()


def decode(evidence: Evidence, outputs: Outputs) -> list[DecodedTable]:
    """The tables of a grid, in reading order."""
    known = Probabilities(
        *evidence.tokens.at,
        outputs.roles.astype(float),
        np.exp(outputs.pointers.astype(float)),
        np.exp(outputs.flags.astype(float)),
    )
    if len(known.rows) < FEWEST:
        return []
    found = []
    for box, certainty in find_boxes(known, evidence.tokens.kept):
        table = read_box(known, evidence, box, certainty)
        if table is not None:
            found.append(table)
    return sorted(found, key=lambda table: table.box)


def read_box(known: Probabilities, evidence: Evidence, box: Box, certainty: float) -> DecodedTable | None:
    """One table: the split of its rectangle into head, stub and values, then its trees."""
    inside = np.flatnonzero(
        (known.rows >= box.top)
        & (known.rows <= box.bottom)
        & (known.columns >= box.left)
        & (known.columns <= box.right)
    )
    if len(inside) < FEWEST or box.left == box.right:  # one column is a list
        return None
    body, values, zone = split_box(known, inside, box)
    table = DecodedTable(box, body, values)
    tops = _nest_heads(known, table, inside[known.rows[inside] < body])
    lefts = _nest_rows(known, evidence, table, inside[known.rows[inside] >= body])
    _vote_heads(known, table, inside)
    table.doubts = (certainty, *zone, *_worst(tops), *_worst(lefts))
    return table


def _worst(logs: list[float]) -> tuple[float, float]:
    return (float(np.mean(logs)), float(np.min(logs))) if logs else (0.0, 0.0)


def split_box(
    known: Probabilities, inside: NDArray[np.intp], box: Box
) -> tuple[Line, Line, tuple[float, float, float]]:
    """The first row and column of the values; log probability of the zones, of the worst line, and the margin."""
    rows, columns = known.rows[inside], known.columns[inside]
    of_head, of_stub, of_body = (
        np.logaddexp.reduce(known.roles[inside][:, list(roles)], axis=1) for roles in (OF_HEAD, OF_STUB, OF_BODY)
    )
    tries = []
    for body in _edges(rows, box.top, box.bottom, _MOST_HEAD):
        head = rows < body
        for values in _edges(columns, box.left, box.right, _MOST_STUB):
            stub = ~head & (columns < values)
            total = of_head[head].sum() + of_stub[stub].sum() + of_body[~head & ~stub].sum()
            tries.append((float(total), -body, -values))
    tries.sort(reverse=True)
    total, body, values = tries[0][0], -tries[0][1], -tries[0][2]
    zone = np.where(rows < body, of_head, np.where(columns < values, of_stub, of_body))
    lines = [zone[(rows == row)].mean() for row in distinct(rows[rows < body])]
    lines += [zone[(rows >= body) & (columns == column)].mean() for column in distinct(columns[rows >= body])]
    margin = min(20.0, total - tries[1][0]) if len(tries) > 1 else 20.0
    return body, values, (float(zone.mean()), float(min(lines, default=0.0)), float(margin))


def _edges(lines: NDArray[np.intp], first: Line, last: Line, most: int) -> list[Line]:
    """Where a body may begin: at the first line, or after one of the next that hold something."""
    return [first, *(int(line) + 1 for line in distinct(lines)[:most] if line < last)]


def _nest_heads(known: Probabilities, table: DecodedTable, heads: NDArray[np.intp]) -> list[float]:
    """The parents of heads among those in rows above; the logs of the choices."""
    logs = []
    held = [int(token) for token in heads]
    table.heads = {_cell(known, token) for token in held}
    for token in held:
        cell = _cell(known, token)
        role = OF_HEAD[int(known.roles[token, list(OF_HEAD)].argmax())]
        if role == LEVEL:
            table.names.add(cell)
            continue
        above = [other for other in held if known.rows[other] < known.rows[token]]
        chances = known.pointers[PARENT, token, [other + 1 for other in above]] if above else np.zeros(0)
        none = known.pointers[PARENT, token, 0]
        whole = none + chances.sum() + 1e-9
        if above and role == JOIN:
            table.pieces[cell] = _cell(known, above[int(chances.argmax())])
        elif above and chances.max() > none:
            table.over[cell] = _cell(known, above[int(chances.argmax())])
            logs.append(float(np.log(max(chances.max() / whole, LEAST))))
        else:
            logs.append(float(np.log(max(none / whole, LEAST))))
    return logs


def _cell(known: Probabilities, token: int) -> Cell:
    return int(known.rows[token]), int(known.columns[token])


def _vote_heads(known: Probabilities, table: DecodedTable, inside: NDArray[np.intp]) -> None:
    """For each column of values the head that its values point to most, where they point to one rather than to none."""
    heads = [
        int(token) for token in inside if known.rows[token] < table.body and _cell(known, int(token)) not in table.names
    ]
    if not heads:
        return
    body = inside[(known.rows[inside] >= table.body) & (known.columns[inside] >= table.values)]
    for column in distinct(known.columns[body]).tolist():
        votes = known.pointers[NEAREST_HEAD][body[known.columns[body] == column]]
        chances = votes[:, [token + 1 for token in heads]].sum(axis=0)
        if chances.max() > votes[:, 0].sum():
            table.voted[column] = _cell(known, heads[int(chances.argmax())])


def _nest_rows(known: Probabilities, evidence: Evidence, table: DecodedTable, body: NDArray[np.intp]) -> list[float]:
    """The rows that only head others, and the parent of each row; the logs of the choices."""
    by_row: dict[Line, list[int]] = defaultdict(list)
    for token in body.tolist():
        by_row[int(known.rows[token])].append(token)
    box = table.box
    has_values = np.asarray(evidence.tokens.filled[:, table.values : box.right + 1].any(axis=1))
    label: dict[Line, int] = {}
    offers: dict[Line, list[int]] = {}
    for row, tokens in by_row.items():
        own = [token for token in tokens if known.columns[token] < table.values]
        rest = [token for token in tokens if known.columns[token] >= table.values]
        asked = own or rest[:1]
        group = np.exp(known.roles[asked][:, GROUP]).mean() if asked else 0.0
        if group > 0.5 and not (own and has_values[row]):
            table.groups.add(row)
        if own or row in table.groups:
            label[row] = asked[0]
            offers[row] = own if own else asked
            if known.flags[asked[0], DERIVED] > 0.5:
                table.derived.add(row)
    rows = sorted(label)
    chances = np.zeros((len(rows), len(rows) + 1))  # of each row to stand under none, or under each row
    pointers = known.pointers[PARENT][[label[row] for row in rows]] if rows else np.zeros((0, 1))
    chances[:, 0] = pointers[:, 0]
    for number, row in enumerate(rows):
        chances[:, number + 1] = pointers[:, [token + 1 for token in offers[row]]].sum(axis=1)
    chances[np.arange(len(rows)), np.arange(len(rows)) + 1] = 0.0
    chances /= chances.sum(axis=1, keepdims=True) + 1e-9
    table.under, logs = _nest_lines(rows, chances)
    _fill_left_out(evidence, table)
    return logs


def _nest_lines(rows: list[Line], chances: Floats) -> tuple[dict[Line, Line], list[float]]:
    """The parent of each row that has one, and the logs of the choices.

    A label may be written below the first rows that it holds for; such rows are left out of the outline.
    """
    logs = np.log(np.maximum(chances, LEAST))
    later = [float(chances[number, number + 2 :].sum()) > 0.5 for number in range(len(rows))]
    listed = [number for number in range(len(rows)) if not later[number]]
    parents = dict(zip(listed, best_outline(logs, listed), strict=True))
    for number in range(len(rows)):
        if later[number]:
            parents[number] = number + 1 + int(chances[number, number + 2 :].argmax())
    under = {rows[number]: rows[parent] for number, parent in parents.items() if parent is not None}
    said = [float(logs[number, 0 if parent is None else parent + 1]) for number, parent in parents.items()]
    return _without_rings(under), said


def _without_rings(under: dict[Line, Line]) -> dict[Line, Line]:
    """The parents without those that lead back to their own child."""
    found = dict(under)
    for row in under:
        seen, at = {row}, found.get(row)
        while at is not None and at not in seen:
            seen.add(at)
            at = found.get(at)
        if at is not None:
            del found[row]
    return found


def best_outline(logs: Floats, rows: list[int], beam: int = _BEAM) -> list[int | None]:
    """The parents of rows of which the rows below each are those that follow it, with the largest sum of logs.

    `logs` has for each row the log probability of no parent, then of each row.

    >>> best_outline(np.array([[0, -9, -9, -9], [-3, -0.1, -9, -9], [-0.2, -2.0, -0.9, -9]]), [0, 1, 2])
    [None, 0, None]
    """
    states: list[tuple[float, tuple[int, ...], tuple[int | None, ...]]] = [(0.0, (), ())]
    for row in rows:
        of_row = logs[row].tolist()
        following: dict[tuple[int, ...], tuple[float, tuple[int, ...], tuple[int | None, ...]]] = {}
        for total, stack, parents in states:
            for depth in range(len(stack) + 1):
                parent = stack[depth - 1] if depth else None
                held = (*stack[:depth], row)
                score = total + of_row[0 if parent is None else parent + 1]
                if held not in following or score > following[held][0]:
                    following[held] = (score, held, (*parents, parent))
        states = sorted(following.values(), key=lambda state: -state[0])[:beam]
    return list(states[0][2])


def _fill_left_out(evidence: Evidence, table: DecodedTable) -> None:
    """Rows that no token stands for are read like the kept row above."""
    tokens = evidence.tokens
    for row in range(table.body, table.box.bottom + 1):
        kin = int(tokens.kin[row])
        if tokens.kept[row] or kin < table.body:
            continue
        if kin in table.under:
            table.under[row] = table.under[kin]
        if kin in table.groups:
            table.groups.add(row)
        if kin in table.derived:
            table.derived.add(row)
