"""Repairing one table, with undo and a preview.

Repairing one table: a method for each operation, undo, and the table as it is after every stroke. In: a document on the
bench, the log of its corrections, and a keeper that takes new ones. Out: the table read again. Places are given as
people name them: "B7" for a cell, "7" or a number from 0 for a row, "B" or a number from 0 for a column. A stroke that
changes nothing, names nothing, or contradicts somebody else's is an error, and nothing is kept.

What differs between two readings of a document, for a preview. In: the reading before and after. Out: one line per
difference: headers under other parents, rows with other roles, tables that came or went, and how many values changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

import msgspec

from tabellion.errors import ConflictError, RepairError
from tabellion.model.correction import (
    Correction,
    CutTables,
    GiveCellRole,
    GiveColumnRole,
    GiveRowRole,
    JoinCells,
    JoinLines,
    MoveEdge,
    MoveHeader,
    Orient,
    PartLine,
    SameLabel,
    Saying,
    SayTable,
    SayText,
    Side,
    Spot,
    Undo,
    Wording,
)
from tabellion.model.grid import CellRole, ColumnRole, Orientation, RowRole
from tabellion.model.place import Place
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.repair.lookalikes import Example, Proposal, Scope, example_of, find_alike, subject_of
from tabellion.repair.places import Named, describe, region_place, same_region
from tabellion.repair.replay import Editions, Replayed, Standing, replay, same_labels, same_value
from tabellion.repair.rereading import UNKNOWN, Rereading, observe


def describe_changes(before: Extraction, after: Extraction) -> list[str]:
    """The differences in words."""
    old, new = ({table.id: table for table in one.tables} for one in (before, after))
    lines = [f"{name}: no table any more" for name in old if name not in new]
    lines += [f"{name}: a new table at {_where(new[name])}" for name in new if name not in old]
    for name in old:
        if name in new:
            lines += [f"{name}: {line}" for line in _differences(old[name], new[name])]
    return lines


def _differences(old: Table, new: Table) -> Iterator[str]:
    if _where(old) != _where(new):
        yield f"{_where(old)} becomes {_where(new)}"
    if old.orientation != new.orientation:
        yield f"orientation {old.orientation} becomes {new.orientation}"
    if old.title != new.title:
        yield f"title {old.title!r} becomes {new.title!r}"
    for side in ("left", "top"):
        before, after = _parents(old, side), _parents(new, side)
        for cell in sorted({*before, *after}):
            if before.get(cell, "no header") != after.get(cell, "no header"):
                address, text = cell[2:]
                yield f"{address} {text!r}: {before.get(cell, 'no header')} becomes {after.get(cell, 'no header')}"
    roles = zip(old.frame.labels.roles, new.frame.labels.roles, strict=False)
    for row, (was, now) in enumerate(roles):
        if was != now:
            yield f"row {int(old.grid.row_of[row]) + 1}: {was} becomes {now}"
    values = {(one.address, one.left, one.top, one.unit, one.notes) for one in old.tuples}
    changed = sum((one.address, one.left, one.top, one.unit, one.notes) not in values for one in new.tuples)
    if changed or len(old.tuples) != len(new.tuples):
        yield f"{changed:,} of {len(new.tuples):,} values read otherwise (before: {len(old.tuples):,})"


def _parents(table: Table, side: str) -> dict[tuple[int, int, str, str], str]:
    tree = table.left if side == "left" else table.top
    return {
        (*node.cells[0], table.grid.address(*node.cells[0]), node.text): (
            "at the root" if node.parent is None else f"under {tree.nodes[node.parent].text!r}"
        )
        for node in tree.nodes
    }


def _where(table: Table) -> str:
    return table.place.range or f"{table.grid.shape[0]} rows"


Keep = Callable[[Sequence[Correction], Replayed], None]
"""Appends corrections to the log together with the reading that they give; `Overtaken` if the log has grown."""

TRIES = 5  # times that a stroke is tried again because somebody else's came first


class Overtaken(Exception):  # noqa: N818 - no error: the caller tries again
    """The log has grown since it was read; carries it as it is now."""

    def __init__(self, log: Sequence[Correction]) -> None:
        super().__init__(len(log))
        self.log = tuple(log)


def keep_nowhere(corrections: Sequence[Correction], replayed: Replayed) -> None:
    """For repairs that are not to be kept."""


class Repair:
    """A session to correct a table; without a table, one that only undoes corrections of a document."""

    def __init__(
        self,
        rereading: Rereading,
        table: str | None,
        log: Sequence[Correction] = (),
        editions: Editions = lambda _: None,
        keep: Keep = keep_nowhere,
        author: str | None = None,
        replayed: Replayed | None = None,
    ) -> None:
        """`replayed` is the reading with this log, where it is at hand."""
        self.rereading, self.log, self.author = rereading, tuple(log), author
        self._editions, self._keep = editions, keep
        self._replayed = replayed or replay(rereading, self.log, editions)
        self._id = table
        self._home = Place() if table is None else region_place(self.table.grid.place)

    @property
    def extraction(self) -> Extraction:
        """The current reading of the whole document."""
        return self._replayed.extraction

    @property
    def replayed(self) -> Replayed:
        """The current reading, with the state of every correction."""
        return self._replayed

    @property
    def table(self) -> Table:
        """The current reading of the table."""
        for table in self.extraction.tables:
            if table.id == self._id:
                return table
        raise RepairError(f"{self._id or 'no table'}: there is no such table any more; undo brings it back")

    @property
    def history(self) -> tuple[Standing, ...]:
        """All corrections of the document, with their states."""
        return self._replayed.standings

    def move_header(
        self, header: str, under: str | None = None, side: Literal["left", "top"] | None = None
    ) -> Correction:
        """Set the parent of a header, or none."""
        named = self._named
        said = MoveHeader(
            side=side or named.side_of(header),
            header=named.header(header, side),
            to=None if under is None else named.header(under, side or named.side_of(header)),
        )
        return self.apply(said)

    def set_row_role(self, row: str | int, role: RowRole) -> Correction:
        """Set the role of a row."""
        return self.apply(GiveRowRole(self._named.row(row), role))

    def set_column_role(self, column: str | int, role: ColumnRole) -> Correction:
        """Set a column to row headers (`stub`) or values."""
        return self.apply(GiveColumnRole(self._named.table, self._named.column(column), role))

    def set_cell_role(self, cell: str, role: CellRole) -> Correction:
        """Set the role of a cell."""
        return self.apply(GiveCellRole(self._named.cell(cell), role))

    def move_edge(self, side: Side, to: str | int, of: Literal["frame", "region"] = "frame") -> Correction:
        """Set one edge of the table, or of its region."""
        line = self._named.row(to) if side in ("top", "bottom") else self._named.column(to)
        return self.apply(MoveEdge(self._named.table, side, line, of=of))

    def split_table(self, *, row: str | int | None = None, column: str | int | None = None) -> Correction:
        """Split the table before a row or a column."""
        return self.apply(CutTables(self._named.line(row, column), True))

    def merge_tables(self, *, row: str | int | None = None, column: str | int | None = None) -> Correction:
        """Merge the table with the one that begins at a row or a column."""
        return self.apply(CutTables(self._named.line(row, column), False))

    def merge_rows(self, first: str | int, last: str | int) -> Correction:
        """Merge rows."""
        return self.apply(JoinLines(self._named.row(first), self._named.row(last), True))

    def merge_columns(self, first: str | int, last: str | int) -> Correction:
        """Merge columns."""
        return self.apply(JoinLines(self._named.column(first), self._named.column(last), True))

    def split_row(self, row: str | int) -> Correction:
        """Split a row at the lines of text in its cells."""
        return self.apply(PartLine(self._named.row(row), True))

    def split_column(self, column: str | int) -> Correction:
        """Split a column at the gaps of text in its cells."""
        return self.apply(PartLine(self._named.column(column), True))

    def merge_cells(self, area: str) -> Correction:
        """Merge the cells of a range."""
        return self.apply(JoinCells(self._named.area(area), True))

    def split_cells(self, area: str) -> Correction:
        """Split a merged cell."""
        return self.apply(JoinCells(self._named.area(area), False))

    def set_orientation(self, orientation: Orientation) -> Correction:
        """Set the orientation: the sides that have headers."""
        return self.apply(Orient(self._named.table, orientation))

    def set_table(self, genuine: bool, area: str | None = None) -> Correction:
        """Set this table, or another range of the sheet, to be a table or none."""
        return self.apply(SayTable(self._named.table if area is None else self._named.area(area), genuine))

    def set_text(self, what: Wording, text: str | None, area: str | None = None) -> Correction:
        """Set the title, caption, unit or note of the table, or the unit or note of a range."""
        return self.apply(SayText(what, self._named.table if area is None else self._named.area(area), text))

    def set_labels(self, same: Mapping[str, str]) -> Sequence[Correction]:
        """Treat labels of the document as names of labels of other tables in joins."""
        return self.keep([self._correction(self.seen(SameLabel(label, to))) for label, to in same.items()])

    def undo(self, correction: str | None = None) -> Correction:
        """Undo a correction: the one of this id, or the last of the same author on this sheet."""
        if correction is None:
            said = [one.correction for one in self.history if one.state != "undone"]
            mine = [
                one.id
                for one in said
                if one.author == self.author
                and same_region(one.place, self._home)
                and not isinstance(one.operation, Undo)
            ]
            if not mine:
                raise RepairError("there is nothing of yours to undo here; name a correction by its id")
            correction = mine[-1]
        return self.undo_all([correction])[0]

    def undo_all(self, corrections: Sequence[str]) -> Sequence[Correction]:
        """Undo corrections, all or none, the last first."""
        known = {one.id for one in self.log}
        for one in corrections:
            if one not in known:
                raise RepairError(f"{one}: there is no such correction")
        return self.keep([self._correction(Undo(one)) for one in reversed(corrections)])

    def worded(self, said: Saying) -> Saying:
        """An operation given by rows and columns, completed with the texts at these places."""
        return self._named.worded(said)

    def apply(self, said: Saying, *, like: str | None = None) -> Correction:
        """Apply any operation; the state before it is filled in."""
        return self.keep([self._correction(self.seen(said), like)])[0]

    def apply_all(self, said: Sequence[Saying]) -> Sequence[Correction]:
        """Apply several operations, all or none; those that change nothing are left out."""
        new = [one for one in said if not same_value(observe(self.extraction, self._home, one), one.to)]
        return self.keep([self._correction(self.seen(one)) for one in new or said])

    def preview(self, operations: Sequence[Saying | Proposal]) -> list[str]:
        """The changes that operations would make, in words; nothing is stored."""
        corrections = [self._proposed(one) for one in operations]
        after = replay(self.rereading, (*self.log, *corrections), self._editions)
        refused = [one for one in after.standings[len(self.log) :] if one.state != "in force"]
        told = [f"{describe(one.correction.operation)}: {one.state}: {one.note}" for one in refused]
        return told + describe_changes(self.extraction, after.extraction)

    def look_alikes(self, correction: str | None = None, scope: Scope = "workbook") -> list[Proposal]:
        """Proposals to make a correction (by default the last one) wherever the same look recurs."""
        example = self.example(correction)
        return [] if example is None else [one for one in self.alike_to(example) if self._within(one, scope)]

    def example(self, correction: str | None = None) -> Example | None:
        """The look of a correction, by default the last one; None if it has no look-alikes."""
        said = [one for one in self.log if not isinstance(one.operation, Undo) and correction in (None, one.id)]
        if not said:
            raise RepairError("there is no such correction")
        return example_of(self.extraction, said[-1])

    def alike_to(self, example: Example) -> list[Proposal]:
        """Look-alikes of an example, which may be of another document."""
        return list(find_alike(self.extraction, example, self._given()))

    def accept(self, proposals: Sequence[Proposal], like: str | None = None) -> Sequence[Correction]:
        """Accept proposals, all or none."""
        return self.keep([self._proposed(one, like) for one in proposals]) if proposals else ()

    def _proposed(self, one: Saying | Proposal, like: str | None = None) -> Correction:
        if isinstance(one, Proposal):
            made = self._correction(self.seen(one.operation, one.place), like)
            return msgspec.structs.replace(made, place=one.place)
        return self._correction(self.seen(one), like)

    def _given(self) -> set[tuple[Place, object]]:
        held = (one.correction for one in self.history if one.state == "in force")
        return {(one.place, subject_of(one.operation)) for one in held if not isinstance(one.operation, Undo)}

    def _within(self, one: Proposal, scope: Scope) -> bool:
        if scope == "workbook":
            return True
        if one.place != self._home or scope == "sheet":
            return one.place == self._home
        spots = [value for value in msgspec.structs.astuple(one.operation) if isinstance(value, Spot)]
        rect = self.table.grid.source_rect(self.table.frame.rect)
        return all(spot.row is None or rect.top <= spot.row <= rect.bottom for spot in spots)

    def add_correction(self, correction: Correction) -> bool:
        """Add a correction as it is, for example from an export; returns whether it was new."""
        if correction.id in {one.id for one in self.log}:
            return False
        self.keep([correction])
        return True

    say, say_all, alike, take = apply, apply_all, look_alikes, add_correction  # deprecated: their former names

    def seen(self, said: Saying, place: Place | None = None) -> Saying:
        """An operation with the state before it; an error if its place does not exist or nothing changes."""
        place = place or self._home
        if isinstance(said, JoinLines | PartLine):
            return msgspec.structs.replace(said, was=not said.to)
        known = same_labels(self.log) if isinstance(said, SameLabel) else {}
        found = known.get(said.label) if isinstance(said, SameLabel) else observe(self.extraction, place, said)
        if found is UNKNOWN:
            raise RepairError(f"no such place in this table: {describe(said)}")
        if same_value(found, said.to):
            raise RepairError(f"nothing changes, so already: {describe(msgspec.structs.replace(said, was=found))}")
        return msgspec.structs.replace(said, was=found)

    def keep(self, corrections: Sequence[Correction]) -> Sequence[Correction]:
        """Append corrections, all or none; conflicts and corrections without effect are errors."""
        new = {one.id for one in corrections}
        for _ in range(TRIES):
            replayed = replay(self.rereading, (*self.log, *corrections), self._editions)
            for standing in replayed.standings:
                if standing.correction.id in new and standing.state == "conflict":
                    raise ConflictError(f"{describe(standing.correction.operation)}: conflict {standing.note}")
                if standing.correction.id in new and standing.state == "does not fit":
                    raise RepairError(f"{describe(standing.correction.operation)} does not fit: {standing.note}")
            try:
                self._keep(corrections, replayed)
            except Overtaken as overtaken:
                self.log = overtaken.log
                self._replayed = replay(self.rereading, self.log, self._editions)
                continue
            self.log, self._replayed = (*self.log, *corrections), replayed
            return corrections
        raise ConflictError("others repair this document at the same time; try again")

    @property
    def _named(self) -> Named:
        return Named(self.table)

    def _correction(self, said: Saying | Undo, like: str | None = None) -> Correction:
        return Correction(
            id=uuid4().hex[:12],
            operation=said,
            place=self._home,
            sha256=self.rereading.document.sha256,
            author=self.author,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            like=like,
        )
