"""A table that its markup states in full: every header has an `id` and a `scope`, every value names its `headers`.

In: what the cells of a table declare, their slots and the sections of its rows. Out: the `Stated` table, or None where
the markup leaves something open, as most does. A header's own `headers` name what it stands under; where no header has
any, the order in which values name them tells. Rows of the foot are notes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tabellion.model.markup import Section
from tabellion.model.place import Rect
from tabellion.model.stated import Stated, StatedHeader, finds_roots
from tabellion.read.declared_headers import COLUMN, ROW, CellWord, Slot

_MOSTLY = 0.5  # the share of the cells below the head that must speak where no header says what it stands under


def state_table(words: Mapping[int, CellWord], slots: Sequence[Slot], sections: bytes) -> Stated | None:
    """The table that the markup states."""
    if not words:
        return None
    heads = {word.id: number for number, word in words.items() if word.id and word.direction and number < len(slots)}
    values = [number for number, word in words.items() if word.headed and not word.direction and number < len(slots)]
    named = {header for number in values for header in words[number].headers}
    if not values or not named <= set(heads):
        return None
    rows = {slots[number][0] for number in range(len(slots))}
    body = [row for row in sorted(rows) if _section(sections, row) == Section.BODY]
    below = [number for number, slot in enumerate(slots) if _section(sections, slot[0]) == Section.BODY]
    told = set(heads.values())
    nested = not heads or any(words[number].headed for number in told)
    if not nested and len(values) + sum(number in told for number in below) < _MOSTLY * len(below):
        return None
    sides = {side: _Side(words, heads, values, slots, side) for side in (COLUMN, ROW)}
    columns = sorted({slots[number][1] for number in values})
    valued = {slots[number][0] for number in values}
    return Stated(
        area=Rect(0, 0, max(rows), max(slot[1] + slot[3] - 1 for slot in slots)),
        header_rows=tuple(row for row in sorted(rows) if _section(sections, row) == Section.HEAD),
        body_rows=tuple(body),
        stub_columns=tuple(column for column in sorted({slot[1] for slot in slots}) if column not in columns),
        value_columns=tuple(columns),
        values=frozenset(slots[number][:2] for number in values),
        top=tuple(sides[COLUMN].headers),
        left=tuple(sides[ROW].headers),
        column_headers=sides[COLUMN].nearest,
        row_headers=sides[ROW].nearest,
        note_rows=tuple(row for row in sorted(rows) if _section(sections, row) == Section.FOOT),
        group_rows=tuple(row for row in body if row not in valued),
    )


class _Side:
    """The headers of one direction, and the nearest of each line."""

    def __init__(
        self,
        words: Mapping[int, CellWord],
        heads: Mapping[str, int],
        values: Sequence[int],
        slots: Sequence[Slot],
        direction: str,
    ) -> None:
        mine = {name: number for name, number in heads.items() if words[number].direction == direction}
        lists = {number: [one for one in words[number].headers if one in mine] for number in values}
        parents = _parents(words, mine, list(lists.values()))
        place = {name: at for at, name in enumerate(mine)}
        self.headers = [
            StatedHeader((slots[number][:2],), place.get(parents.get(name, ""))) for name, number in mine.items()
        ]
        self.nearest: dict[int, tuple[int, ...]] = {}
        again: dict[str, int] = {}
        for number, names in lists.items():
            line = slots[number][1 if direction == COLUMN else 0]
            if line in self.nearest:
                continue
            above = {parents[one] for one in names if one in parents}
            found: list[int] = []
            here = set(names)
            for one in names:
                if one in above:
                    continue
                if one in parents and parents[one] not in here:  # it stands alone here
                    if one not in again:
                        again[one] = len(self.headers)
                        self.headers.append(StatedHeader((slots[mine[one]][:2],)))
                    found.append(again[one])
                else:
                    found.append(place[one])
            self.nearest[line] = tuple(found)


def _parents(words: Mapping[int, CellWord], mine: Mapping[str, int], lists: Sequence[Sequence[str]]) -> dict[str, str]:
    """What each header stands under."""
    said = {name: [one for one in words[number].headers if one in mine] for name, number in mine.items()}
    found = {name: names[-1] for name, names in said.items() if names and names[-1] != name}
    if not any(words[number].headed for number in mine.values()):
        for names in lists:
            for above, one in pairwise(names):
                if above != one:
                    found.setdefault(one, above)
    return found if finds_roots(found) else {}


def _section(sections: bytes, row: int) -> int:
    return sections[row] if row < len(sections) else Section.BODY
