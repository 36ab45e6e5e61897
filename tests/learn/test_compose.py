"""Made tables: their gold is complete, holds together, and is what the convention says."""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest

from tabellion.interpret.evidence import gather_evidence
from tabellion.interpret.targets import FIELD, GROUP, HEAD, JOIN, LEVEL, NOTE, OTHER, STUB, TITLE, VALUE
from tabellion.learn.interpret.compose import Bank, compose_sheet
from tabellion.learn.interpret.draft import OUTSIDE, Cell, Draft, grid_of, targets_of

SEEDS = 300


@lru_cache(1)
def _made() -> list[Draft]:
    return [compose_sheet(random.Random(seed), Bank()) for seed in range(SEEDS)]  # noqa: S311


def _tables(draft: Draft) -> dict[int, list[Cell]]:
    tables: dict[int, list[Cell]] = {}
    for cell, table in draft.table.items():
        if table != OUTSIDE:
            tables.setdefault(table, []).append(cell)
    return tables


def test_every_cell_is_known() -> None:
    unknown = 0
    for draft in _made():
        assert draft.cells
        assert set(draft.table) == set(draft.cells)
        assert set(draft.role) <= set(draft.cells)
        for cell in draft.cells:
            assert draft.cells[cell][0].strip()
            outside = draft.role.get(cell) in (TITLE, NOTE, OTHER, FIELD)
            assert outside == (draft.table[cell] == OUTSIDE)
            unknown += cell not in draft.role
    assert unknown < SEEDS  # of repeated heads only


def test_tables_are_numbered_from_zero() -> None:
    for draft in _made():
        assert sorted(_tables(draft)) == list(range(len(_tables(draft))))


def test_tables_do_not_overlap() -> None:
    for draft in _made():
        tables = _tables(draft)
        for number, cells in tables.items():
            rows, columns = [cell[0] for cell in cells], [cell[1] for cell in cells]
            for cell, table in draft.table.items():
                inside = min(rows) <= cell[0] <= max(rows) and min(columns) <= cell[1] <= max(columns)
                assert not inside or table == number


def test_spans_cover_nothing_filled() -> None:
    for draft in _made():
        for (row, column), (down, across) in draft.spans.items():
            covered = {(row + at, column + beside) for at in range(down) for beside in range(across)}
            assert covered & draft.cells.keys() == {(row, column)}


def test_parents_are_in_the_same_table_and_acyclic() -> None:
    kinds = {HEAD: {HEAD}, STUB: {STUB, GROUP}, GROUP: {STUB, GROUP}, JOIN: {HEAD, STUB, GROUP, LEVEL}}
    for draft in _made():
        for cell, parent in draft.parent.items():
            if parent is None:
                assert draft.role[cell] != JOIN
                continue
            assert draft.table[parent] == draft.table[cell] != OUTSIDE
            assert draft.role[parent] in kinds[draft.role[cell]]
            seen, at = {cell}, parent
            while at is not None:
                assert at not in seen
                seen.add(at)
                at = draft.parent.get(at)


def test_the_first_label_of_each_row_has_a_parent_or_none() -> None:
    for draft in _made():
        first: dict[tuple[int, int], Cell] = {}
        for cell in sorted(draft.cells):
            if draft.role.get(cell) in (STUB, GROUP):
                first.setdefault((draft.table[cell], cell[0]), cell)
        of_rows = {cell for cell in draft.parent if draft.role[cell] in (STUB, GROUP)}
        assert of_rows == set(first.values())
        assert all(draft.parent[cell] is None or draft.parent[cell] in of_rows for cell in of_rows)


def test_heads_stand_above_their_values() -> None:
    for draft in _made():
        for cell, role in draft.role.items():
            if role != VALUE:
                continue
            head = draft.head[cell]
            if head is not None:
                across = draft.spans.get(head, (1, 1))[1]
                assert draft.table[head] == draft.table[cell]
                assert draft.role[head] in (HEAD, JOIN)
                assert head[0] < cell[0]
                assert head[1] <= cell[1] < head[1] + across


def test_rows_of_groups_have_no_values() -> None:
    for draft in _made():
        valued = {(draft.table[cell], cell[0]) for cell, role in draft.role.items() if role == VALUE}
        groups = {(draft.table[cell], cell[0]) for cell, role in draft.role.items() if role == GROUP}
        assert not valued & groups


def test_targets_follow() -> None:
    for draft in _made()[::3]:
        grid = grid_of(draft)
        targets = targets_of(draft, grid, gather_evidence(grid))
        assert len(targets.role)
        assert np.isin(targets.flags, (-1, 0, 1)).all()


def test_totals_are_sums_more_often_than_not() -> None:
    right = wrong = 0
    for draft in _made():
        numbers = {
            cell: float(text.replace(",", ""))
            for cell, (text, look) in draft.cells.items()
            if draft.role.get(cell) == VALUE and look.stored == 2 and "%" not in text
        }
        for cell, value in numbers.items():
            label = next((one for one in draft.role if one[0] == cell[0] and draft.role[one] == STUB), None)
            if cell[0] not in draft.derived or label is None or "otal" not in draft.cells[label][0]:
                continue
            above, total = cell[0] - 1, 0.0
            while (above, cell[1]) in numbers and above not in draft.derived:
                total += numbers[above, cell[1]]
                above -= 1
            if above < cell[0] - 2 and value:
                right += abs(total - value) < 1e-6 * abs(value) + 0.1
                wrong += abs(total - value) >= 1e-6 * abs(value) + 0.1
    assert right > wrong


@pytest.mark.parametrize("role", [TITLE, NOTE, OTHER, HEAD, LEVEL, STUB, GROUP, VALUE, JOIN, FIELD])
def test_every_role_occurs(role: int) -> None:
    assert sum(role in draft.role.values() for draft in _made()) > 5


def test_kinds_are_many() -> None:
    made = _made()
    media = Counter((draft.medium, draft.found) for draft in made)
    assert set(media) == {("spreadsheet", None), ("html", "table"), ("pdf", None)}
    assert media["spreadsheet", None] > SEEDS / 2
    tables = Counter(len(_tables(draft)) for draft in made)
    assert tables[1] > SEEDS / 3
    assert tables[2] > 5 < tables[3]
    assert tables[0] > 2
    assert any(draft.hidden_rows for draft in made)
    styled = [any(look.bold or look.fill or look.above for _, look in draft.cells.values()) for draft in made]
    assert 0.4 < sum(styled) / SEEDS < 0.95
    nested = [any(draft.parent[cell] for cell in draft.parent if draft.role[cell] == STUB) for draft in made]
    assert 0.2 < sum(nested) / SEEDS < 0.8


def test_the_same_chance_makes_the_same_sheet() -> None:
    bank = Bank.of(_made()[:20])
    assert bank.stubs
    assert bank.heads
    first, second = (compose_sheet(random.Random(5), bank) for _ in range(2))  # noqa: S311
    assert first.cells == second.cells
    assert first.parent == second.parent
