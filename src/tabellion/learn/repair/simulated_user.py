"""How many strokes a simulated user needs to repair a reading.

A user who repairs: how many strokes it takes to bring a reading to the gold (Chen and Cafarella 2013, section 4.2). In:
a case of senbazuru-left (left trees, pairs of rows) or troy200 (both trees, pairs of cells), and weights that have not
seen it. Out: the strokes. The user sees the current reading and the gold and nothing else, goes through the headers in
reading order, and mends the first that is wrong with the cheapest operation: a header under another parent; where it is
no header at all, its row or column gets a role, or the table's edge is moved, first. With look-alikes, what is proposed
after a stroke is accepted for one stroke, and one more for each proposal that is left out, where that pays.

`python -m tabellion.learn repairs`: the strokes of a simulated user, by corpus, reading and help. In: folders of
weights by fold. Out: strokes per sheet from scratch (every pair of the gold by hand), by plain editing, with
look-alikes, with re-inference, and with both, from the default reading and from the paper's own.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from tabellion.errors import RepairError
from tabellion.learn.sheets.gold import Case, load_cases
from tabellion.model.correction import Correction, GiveColumnRole, GiveRowRole, MoveEdge, MoveHeader, Saying, Spot
from tabellion.model.methods import ParentMethod
from tabellion.model.place import cell_at
from tabellion.model.table import Table
from tabellion.pipeline import Extraction, Settings
from tabellion.read import read_document
from tabellion.repair.lookalikes import Proposal
from tabellion.repair.places import Places
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Repair

Side = Literal["left", "top"]
Key = tuple[int, ...]
"""What names a header: its cell in the source, or its row alone where the gold has rows."""

MOST = 150  # strokes after which the user gives up


class Goal(msgspec.Struct, frozen=True):
    """The parent of every header of a sheet, None at the root; and which headers the gold speaks of."""

    parents: dict[Side, dict[Key, Key | None]]
    by_row: bool
    first: int = 0
    last: int = 1 << 30
    ignored: frozenset[int] = frozenset()  # rows whose headers are not judged

    def key(self, cell: tuple[int, int]) -> Key:
        return cell[:1] if self.by_row else cell


class Outcome(msgspec.Struct, frozen=True):
    """The strokes of one sheet, and whether the gold was reached."""

    strokes: int
    reached: bool


def goal_of(case: Case) -> Goal | None:
    """What the user works towards; None where the corpus does not say."""
    gold = case.gold
    if case.corpus == "senbazuru-left":
        if not gold["scored"]:
            return None
        parents: dict[Key, Key | None] = {}
        for upper, lower in gold["root_pairs"]:
            parents[(lower,)] = None
            parents.setdefault((upper,), None)
        for upper, lower in gold["pairs"]:
            parents[(lower,)] = (upper,)
            parents.setdefault((upper,), None)
        root = gold["root_row"]
        parents.pop((root,), None)
        rows = [row for (row,) in parents]
        return Goal({"left": parents}, True, min(rows), max(rows), frozenset({root} - {None}))
    trees: dict[Side, dict[Key, Key | None]] = {"left": {}, "top": {}}
    for label in gold["labels"]:
        parent = label["parent"]
        trees[label["axis"]][cell_at(label["address"])] = cell_at(parent) if parent else None
    return Goal(trees, False)


class Hand(Protocol):
    """What a user repairs with: a `Repair`, or whatever else takes strokes and shows what they give."""

    @property
    def extraction(self) -> Extraction: ...
    @property
    def log(self) -> Sequence[Correction]: ...
    def apply(self, said: Saying) -> Correction: ...
    def alike(self) -> list[Proposal]: ...
    def accept(self, proposals: Sequence[Proposal], like: str | None = None) -> Sequence[Correction]: ...


def repair_case(case: Case, goal: Goal, settings: Settings, *, follow: bool, alike: bool = False) -> Outcome:
    """Repair the reading of a case until it is as the gold has it."""
    sheet = case.gold.get("sheet")
    rereading = Rereading(read_document(case.path, sheet=sheet), settings, follow=follow)
    tables = rereading.read().tables
    if not tables:
        return Outcome(0, False)
    return mend_reading(Repair(rereading, tables[0].id), goal, alike=alike)


def mend_reading(hand: Hand, goal: Goal, *, alike: bool) -> Outcome:
    """Make strokes until the reading is as the goal has it, or none helps any more."""
    strokes, given_up = 0, set[tuple[Side, Key]]()
    while strokes < MOST:
        wrong = [one for one in wrong_headers(hand.extraction, goal) if one not in given_up]
        if not wrong:
            break
        before = len(hand.log)
        for said in _mending(hand.extraction, goal, *wrong[0]):
            try:
                hand.apply(said)
                strokes += 1
                break
            except RepairError:
                continue
        if len(hand.log) == before:
            given_up.add(wrong[0])
        elif alike:
            strokes += _accept(hand, goal)
    return Outcome(strokes, not wrong_headers(hand.extraction, goal))


def _accept(repair: Hand, goal: Goal) -> int:
    """Accept what is proposed after the last stroke, without what is wrong in it, if that pays; returns the strokes."""
    right: list[Proposal] = []
    refused = mended = 0
    wrong = set(wrong_headers(repair.extraction, goal))
    for one in repair.alike():
        said = one.operation
        if isinstance(said, MoveHeader) and _is_right(said, goal):
            right.append(one)
            mended += (said.side, goal.key(_at(said.header))) in wrong
        else:
            refused += 1
    strokes = 1 + refused
    if mended <= strokes:
        return 0
    try:
        repair.accept(right, repair.log[-1].id)
    except RepairError:
        return 0
    return strokes


def _is_right(said: MoveHeader, goal: Goal) -> bool:
    wanted = goal.parents[said.side].get(goal.key(_at(said.header)))
    return wanted == (None if said.to is None else goal.key(_at(said.to)))


def _at(spot: Spot) -> tuple[int, int]:
    return spot.row or 0, spot.column or 0


def wrong_headers(extraction: Extraction, goal: Goal) -> list[tuple[Side, Key]]:
    """The headers, in reading order, whose parents are not those of the gold."""
    wrong: list[tuple[Side, Key]] = []
    for side, wanted in goal.parents.items():
        found: dict[Key, Key | None] = {}
        for key, parent in _parents(extraction, goal, side):
            if parent is not None or key not in found:  # a further label of a row that stands under none nests nothing
                found[key] = parent
        for key in {*wanted, *found}:
            inside = goal.first <= key[0] <= goal.last and key[0] not in goal.ignored
            if inside and found.get(key) != wanted.get(key):
                wrong.append((side, key))
    return sorted(wrong, key=lambda one: (one[1], one[0]))


def _parents(extraction: Extraction, goal: Goal, side: Side) -> Iterator[tuple[Key, Key | None]]:
    """The parent of every header of the reading, as the gold names them; the stub head counts as the root."""
    for table in extraction.tables:
        tree, grid = table.left if side == "left" else table.top, table.grid

        keys = [
            goal.key((int(grid.row_of[row]), int(grid.column_of[column])))
            for (row, column), *_ in (node.cells for node in tree.nodes)
        ]
        for node, key in zip(tree.nodes, keys, strict=True):
            parent = None if node.parent is None else keys[node.parent]
            if parent is not None and parent[0] in goal.ignored:
                parent = None
            if parent != key:
                yield key, parent


def _mending(extraction: Extraction, goal: Goal, side: Side, key: Key) -> Iterator[Saying]:
    """What may mend a header, the cheapest first."""
    wanted = goal.parents[side].get(key)
    for missing in (key, wanted):
        if missing is not None and not any(_cell(table, side, missing) for table in extraction.tables):
            yield from _make_header(extraction, goal, side, missing)
            return
    for table in extraction.tables:
        child = _cell(table, side, key)
        if child is None:
            continue
        parent = None if wanted is None else _cell(table, side, wanted)
        places = Places(table.grid)
        if wanted is None or parent is not None:
            yield MoveHeader(side, places.spot(*child), None if parent is None else places.spot(*parent))


def _make_header(extraction: Extraction, goal: Goal, side: Side, key: Key) -> Iterator[Saying]:
    """What makes a header of what is none: the edge where the table goes on to the last header, else roles."""
    below = [table for table in extraction.tables if _bottom(table) < key[0]]
    if side == "left" and len(below) == len(extraction.tables):
        places, frame = Places(below[-1].grid), below[-1].frame
        last = max(places.row(row[0]) or 0 for row in goal.parents["left"])
        yield MoveEdge(places.area(frame.rect), "bottom", places.spot(row=last))
    for table in extraction.tables:
        places = Places(table.grid)
        row = places.row(key[0])
        if row is None:
            continue
        if side == "top":
            yield GiveRowRole(places.spot(row=row), "header")
        else:
            filled = table.grid.filled[row, list(table.frame.value_columns)].any()
            yield GiveRowRole(places.spot(row=row), "data" if filled else "group")
        if len(key) > 1 and (column := places.column(key[1])) is not None:
            area = places.area(table.frame.rect)
            yield GiveColumnRole(area, places.spot(column=column), "stub" if side == "left" else "value")


def _bottom(table: Table) -> int:
    return int(table.grid.row_of[table.frame.rect.bottom])


def _cell(table: Table, side: Side, key: Key) -> tuple[int, int] | None:
    """The first cell of the header that a key names."""
    grid = table.grid
    for node in (table.left if side == "left" else table.top).nodes:
        row, column = node.cells[0]
        source = int(grid.row_of[row]), int(grid.column_of[column])
        if source[: len(key)] == key:
            return row, column
    return None


CORPORA = ("senbazuru-left", "troy200")
READINGS: tuple[ParentMethod, ...] = ("boosted", "svm")
HELPS = {"plain": (False, False), "look-alikes": (False, True), "re-inference": (True, False), "both": (True, True)}


class Strokes(msgspec.Struct, frozen=True):
    """What one corpus took from one reading: strokes per sheet, by help."""

    corpus: str
    parents: str
    sheets: int
    scratch: float
    strokes: dict[str, float]
    unreached: int


def measure_strokes(corpus: str, parents: ParentMethod, folds: Path, helps: Collection[str] = HELPS) -> Strokes:
    """Repair all sheets of a corpus, each read with weights that have not seen it, with each of some helps."""
    totals = dict.fromkeys(helps, 0)
    sheets = scratch = unreached = 0
    for case in load_cases(corpus):
        goal = goal_of(case)
        if goal is None:
            continue
        sheets += 1
        scratch += _pairs(goal)
        settings = Settings(reader="staged", weights=str(folds / f"fold{case.fold}"), parents=parents)
        for name in helps:
            follow, alike = HELPS[name]
            done = repair_case(case, goal, settings, follow=follow, alike=alike)
            totals[name] += done.strokes
            unreached += not done.reached
    means = {name: round(total / sheets, 3) for name, total in totals.items()}
    return Strokes(corpus, parents, sheets, round(scratch / sheets, 1), means, unreached)


def _pairs(goal: Goal) -> int:
    return sum(parent is not None for parents in goal.parents.values() for parent in parents.values())


def print_strokes(folds: Path) -> None:
    """Measure and print, one line per corpus and reading."""
    for corpus in CORPORA:
        for parents in READINGS:
            sys.stdout.write(f"{msgspec.json.encode(measure_strokes(corpus, parents, folds)).decode()}\n")
            sys.stdout.flush()
