"""Corrections in another edition of the document than the one they were made in.

In: a correction, and the texts of both editions. Out: the correction with its places in the new edition, or why it
has none there. A place is the same if its row and column are (`align`), and if it still says what it said, or a figure
stands where one stood; where the words of a row come several times, most of the row must be the same as well, or the
rows around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from tabellion.model.correction import Area, Correction, Spot, Undo
from tabellion.model.grid import Grid
from tabellion.model.place import Place
from tabellion.repair.align import CLEAR, Aligned, Texts, align_texts, has_words, likeness_of
from tabellion.repair.places import region_place

SIMILAR = 0.4  # what two sheets must have in common to be editions of one
BETTER = 1.5  # how much more than with any other sheet
OUTSIDE = Spot(row=-1, column=-1)
"""A place that is no more."""


class Misfit(Exception):  # noqa: N818 - no error: a finding that is kept
    """Why a correction has no place in an edition."""


class Edition:
    """The texts of a document, a region at a time."""

    def __init__(self, grids: Iterable[Grid]) -> None:
        self.regions: dict[Place, Texts] = {}
        for grid in grids:
            texts = self.regions.setdefault(region_place(grid.place), {})
            rows, columns = grid.filled.nonzero()
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                where = int(grid.row_of[row]), int(grid.column_of[column])
                texts[where] = " ".join(str(grid.label[row, column]).split())


Editions = Callable[[str], Edition | None]
"""The texts of the document with some hash, or None where it is not kept."""


class Carrier:
    """Carries corrections from one edition to another; without the old one, by their own words."""

    def __init__(self, old: Edition | None, new: Edition) -> None:
        self.old, self.new = old, new
        self._moves: dict[Place, _Move] = {}

    def carry(self, correction: Correction) -> Correction:
        """The correction in the new edition; `Misfit` where it has no place there."""
        if isinstance(correction.operation, Undo):
            return correction
        move = self._move(correction.place)
        changed = {
            name: _carried(getattr(correction.operation, name), move, strict=name != "was")
            for name in correction.operation.__struct_fields__
        }
        said = msgspec.structs.replace(correction.operation, **changed)
        return msgspec.structs.replace(correction, operation=said, place=move.place)

    def _move(self, place: Place) -> _Move:
        if place not in self._moves:
            self._moves[place] = self._find(place)
        return self._moves[place]

    def _find(self, place: Place) -> _Move:
        if self.old is None:
            there = self.new.regions.get(place)
            if there is None:
                raise Misfit(f"{_named(place)} is not in this edition")
            return _Move(place, None, {}, there)
        texts = self.old.regions.get(place, {})
        here = self._same_region(place, texts)
        return _Move(here, align_texts(texts, self.new.regions[here]), texts, self.new.regions[here])

    def _same_region(self, place: Place, texts: Texts) -> Place:
        """The region of the same name, or the one that is clearly its new edition."""
        shares = {one: likeness_of(texts, held) for one, held in self.new.regions.items()}
        best = max(shares, key=lambda one: (shares[one], one == place), default=None)
        if place in shares and best is not None and shares[best] < BETTER * shares[place]:
            return place
        others = [share for one, share in shares.items() if one != best]
        if best is None or shares[best] < SIMILAR or any(shares[best] < BETTER * share for share in others):
            raise Misfit(f"{_named(place)} is not in this edition")
        return best


class _Move:
    """One region from one edition to the other."""

    def __init__(self, place: Place, aligned: Aligned | None, old: Texts, new: Texts) -> None:
        self.place, self.aligned, self.old, self.new = place, aligned, old, new
        self._times = (Counter(old.values()), Counter(new.values()))

    def spot(self, spot: Spot) -> Spot:
        if self.aligned is None:
            return self._by_words(spot)
        row = None if spot.row is None else self._line(self.aligned.rows, spot.row, spot)
        column = None if spot.column is None else self._line(self.aligned.columns, spot.column, spot)
        if spot.row is not None and spot.row in self.aligned.rows:
            self._must_be_clear(spot)
        moved = Spot(row, column, spot.text)
        now = self._words(moved)
        figure = spot.column is not None and bool(now) and not has_words(spot.text + now)
        if spot.text and now != spot.text and not figure:
            raise Misfit(f"where {_quoted(spot)} stood now stands {now or 'nothing'!r}")
        return moved

    def area(self, area: Area) -> Area:
        if self.aligned is None:
            return area
        rows = [self.aligned.rows[row] for row in range(area.top, area.bottom + 1) if row in self.aligned.rows]
        columns = [c for line in range(area.left, area.right + 1) if (c := self.aligned.columns.get(line)) is not None]
        filled = {row for row, column in self.old if area.rect.holds(row, column)}
        if not rows or not columns or len(rows) < CLEAR * len(filled):
            raise Misfit(f"too little is left of the area of {area.text!r}")
        return Area(min(rows), min(columns), max(rows), max(columns), area.text)

    def _line(self, lines: Mapping[int, int], line: int, spot: Spot) -> int:
        if line not in lines:
            raise Misfit(f"{_quoted(spot)} is not in this edition")
        return lines[line]

    def _must_be_clear(self, spot: Spot) -> None:
        """A row whose words come again must be told by the rest of the row or by its neighbours."""
        if self.aligned is None or spot.row is None or not spot.text:
            return
        if all(times[spot.text] <= 1 for times in self._times) or self.aligned.sure_rows[spot.row] > CLEAR:
            return
        here = self.aligned.rows[spot.row]
        rows, theirs = sorted({row for row, _ in self.old}), sorted({row for row, _ in self.new})
        for step in (-1, 1):
            beside, there = _beside(rows, spot.row, step), _beside(theirs, here, step)
            if (None if beside is None else self.aligned.rows.get(beside)) != there:
                raise Misfit(f"{_quoted(spot)} could be one of several places")

    def _words(self, spot: Spot) -> str:
        if spot.row is not None and spot.column is not None:
            return self.new.get((spot.row, spot.column), "")[:120]
        side, line = (0, spot.row) if spot.row is not None else (1, spot.column)
        held = sorted(cell for cell in self.new if cell[side] == line)
        return self.new[held[0]][:120] if held else ""

    def _by_words(self, spot: Spot) -> Spot:
        """Without the old edition: the same place if it says the same, else the only place that does."""
        if not spot.text or self._words(spot) == spot.text:
            return spot
        found = [cell for cell, text in self.new.items() if text[:120] == spot.text]
        if len(found) != 1:
            raise Misfit(f"{_quoted(spot)} is not in this edition" if not found else f"{_quoted(spot)} comes again")
        row, column = found[0]
        return Spot(None if spot.row is None else row, None if spot.column is None else column, spot.text)


def _carried(value: Any, move: _Move, *, strict: bool) -> Any:
    try:
        if isinstance(value, Spot):
            return move.spot(value)
        if isinstance(value, Area):
            return move.area(value)
    except Misfit:
        if strict:
            raise
        return OUTSIDE
    return value


def _beside(lines: list[int], line: int, step: int) -> int | None:
    place = lines.index(line) + step
    return lines[place] if 0 <= place < len(lines) else None


def _quoted(spot: Spot) -> str:
    return repr(spot.text) if spot.text else f"row {spot.row}, column {spot.column}"


def _named(place: Place) -> str:
    return f"sheet {place.sheet!r}" if place.sheet else "the table's place"
