"""Corrections in another edition of the document than the one they were made in.

In: a correction, and the texts of both editions. Out: the correction with its places in the new edition, or why it has
none there. A place is the same if its row and column are (`align_texts`), and if it still says what it said, or a
figure stands where one stood; where the words of a row come several times, most of the row must be the same as well, or
the rows around it.

Which row and column of an old edition is which of a new one. In: the texts of both, by row and column. Out: rows and
columns that are the same, found by content and in order: rows whose labels come once in both editions first (patience),
then the best sequence between those, by the share of texts that two rows have in common; columns by the rows that are
the same. A line of which too little is left, or that could be either of two, is none: better lost and shown than wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from tabellion.model.correction import Area, Correction, Spot, Undo
from tabellion.model.grid import Grid
from tabellion.model.place import Place
from tabellion.repair.places import region_place

Texts = dict[tuple[int, int], str]
"""(row, column) of the source -> what stands there."""

ENOUGH = 0.3  # of the texts of two rows, by weight, that must be the same
WORDS_ALONE = 0.9  # what the words of two lines count where their figures are others
HEAD_ALONE = 0.4  # what it counts that two columns say the same in a row where nothing else says it: a year on top
CLEAR = 0.5  # the same for lines whose labels come more than once
LARGEST = 400_000  # pairs of lines between two sure ones that are compared one by one


class Aligned(msgspec.Struct, frozen=True):
    """Old rows and columns -> new ones."""

    rows: dict[int, int]
    columns: dict[int, int]
    sure_rows: dict[int, float]  # how much of a row, in the columns that both have, is the same


def align_texts(old: Texts, new: Texts) -> Aligned:
    """The rows and columns that two editions have in common."""
    weight = _weights(old, new)
    old_rows, new_rows = _lines(old, 0), _lines(new, 0)

    old_words, new_words = ({row: _worded(held) for row, held in lines.items()} for lines in (old_rows, new_rows))

    def likeness(one: int, other: int) -> float:
        words = WORDS_ALONE * _common(old_words[one], new_words[other], weight)
        return max(_common(old_rows[one], new_rows[other], weight), words)

    rows = _align(old_rows, new_rows, likeness)
    columns = _align_columns(old, new, rows)
    return Aligned(rows, columns, _kept_shares(old, new, rows, columns))


def likeness_of(old: Texts, new: Texts) -> float:
    """How much two sheets have in common, 0 to 1: of all they say, or of their words where the figures are others."""
    one, other = Counter(old.values()), Counter(new.values())
    return max(_share(one, other), WORDS_ALONE * _share(_worded(one), _worded(other)))


def _share(one: Counter[str], other: Counter[str]) -> float:
    return 2 * sum((one & other).values()) / max(sum(one.values()) + sum(other.values()), 1)


def _worded(texts: Counter[str]) -> Counter[str]:
    return Counter({text: count for text, count in texts.items() if has_words(text)})


def has_words(text: str) -> bool:
    return any(map(str.isalpha, text))


def _weights(old: Texts, new: Texts) -> dict[str, float]:
    """What a text tells: much where it is rare, and more where it has letters."""
    counts = Counter(old.values())
    counts.update(new.values())
    return {text: (2.0 if has_words(text) else 1.0) * count**-0.5 for text, count in counts.items()}


def _lines(texts: Texts, side: int) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = {}
    for cell, text in texts.items():
        found.setdefault(cell[side], Counter())[text] += 1
    return dict(sorted(found.items()))


def _common(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    both = sum(weight[text] * count for text, count in (one & other).items())
    every = sum(weight[text] * count for text, count in one.items())
    every += sum(weight[text] * count for text, count in other.items())
    return 2 * both / every if every else 0.0


def _align(
    old: dict[int, Counter[str]], new: dict[int, Counter[str]], likeness: Callable[[int, int], float]
) -> dict[int, int]:
    """Pairs in order: sure ones, and the best sequence between each two of them."""
    sure = [pair for pair in _longest(_unique_pairs(old, new)) if likeness(*pair) >= ENOUGH]
    old_lines, new_lines = list(old), list(new)
    found: dict[int, int] = {}
    start_old = start_new = 0
    for one, other in [*sure, (None, None)]:
        end_old = len(old_lines) if one is None else bisect_left(old_lines, one)
        end_new = len(new_lines) if other is None else bisect_left(new_lines, other)
        found |= _best_sequence(old_lines[start_old:end_old], new_lines[start_new:end_new], likeness)
        if one is not None and other is not None:
            found[one] = other
        start_old, start_new = end_old + 1, end_new + 1
    return found


def _unique_pairs(old: dict[int, Counter[str]], new: dict[int, Counter[str]]) -> list[tuple[int, int]]:
    """Lines whose words come once in each edition."""

    def by_words(lines: dict[int, Counter[str]]) -> dict[tuple[str, ...], list[int]]:
        held: dict[tuple[str, ...], list[int]] = {}
        for line, texts in lines.items():
            words = tuple(sorted(_worded(texts).elements()))
            if words:
                held.setdefault(words, []).append(line)
        return held

    mine, theirs = by_words(old), by_words(new)
    return [(at[0], theirs[words][0]) for words, at in mine.items() if len(at) == 1 == len(theirs.get(words, ()))]


def _longest(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs, sorted by the first, in which the second grows too."""
    pairs = sorted(pairs)
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for number, (_, other) in enumerate(pairs):
        place = bisect_left(tails, other)
        before.append(ends[place - 1] if place else None)
        tails[place : place + 1], ends[place : place + 1] = [other], [number]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else None
    while at is not None:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _best_sequence(old: Sequence[int], new: Sequence[int], likeness: Callable[[int, int], float]) -> dict[int, int]:
    """Pairs in order with the largest sum of likeness."""
    if not old or not new or len(old) * len(new) > LARGEST:
        return {}
    scores = [[likeness(one, other) for other in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            match = scores[i][j] + best[i + 1][j + 1] if scores[i][j] >= ENOUGH else -1.0
            best[i][j] = max(match, best[i + 1][j], best[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if scores[i][j] >= ENOUGH and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
            found[old[i]] = new[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _align_columns(old: Texts, new: Texts, rows: dict[int, int]) -> dict[int, int]:
    """Columns by what stands in the rows that are the same."""
    old_columns = sorted({column for _, column in old})
    new_columns = sorted({column for _, column in new})
    held: dict[int, dict[int, str]] = {column: {} for column in old_columns}
    for (row, column), text in old.items():
        if row in rows:
            held[column][rows[row]] = text
    theirs: dict[int, dict[int, str]] = {column: {} for column in new_columns}
    kept = set(rows.values())
    for (row, column), text in new.items():
        if row in kept:
            theirs[column][row] = text

    alone = Counter((row, text) for (row, _), text in new.items())

    def likeness(one: int, other: int) -> float:
        mine, yours = held[one], theirs[other]
        same = [row for row, text in mine.items() if yours.get(row) == text]
        every = 2 * len(same) / max(len(mine) + len(yours), 1)
        worded = sum(has_words(text) for column in (mine, yours) for text in column.values())
        words = 2 * sum(has_words(mine[row]) for row in same) / max(worded, 1)
        named = HEAD_ALONE * any(alone[row, mine[row]] == 1 for row in same)
        return max(every, WORDS_ALONE * words, named)

    return _best_sequence(old_columns, new_columns, likeness)


def _kept_shares(old: Texts, new: Texts, rows: dict[int, int], columns: dict[int, int]) -> dict[int, float]:
    """Of each row that both have, how many cells of the columns that both have say the same."""
    same: Counter[int] = Counter()
    every: Counter[int] = Counter()
    for (row, column), text in old.items():
        if row in rows and column in columns:
            every[row] += 1
            same[row] += new.get((rows[row], columns[column])) == text
    return {row: same[row] / every[row] if every[row] else 0.0 for row in rows}


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
            raise Misfit(f"the place of {_quoted(spot)} now holds {now or 'nothing'!r}")
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
