"""Variations of a sheet that a person read: the same reading, another sheet.

In: a draft with gold. Out: a draft with some rows and columns cut out, other digits and words, less of its look, or set
above or beside another one. What the gold says stays right. What would make it wrong (a head without its columns, a row
that holds a group together) is not cut.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from random import Random

from tabellion.interpret.targets import FIELD, GROUP, HEAD, LEVEL, NOTE, OTHER, STUB, TITLE, VALUE
from tabellion.learn.interpret.compose import Bank
from tabellion.learn.interpret.draft import OUTSIDE, Cell, Draft, Look, without_lines
from tabellion.model.document import Mark
from tabellion.model.grid import DATE, NUMBER, TEXT

_DIGIT = re.compile(r"\d")
_TOTAL = re.compile(r"total|sum|average|gesamt|insgesamt|ensemble", re.I)
_DECLARED = int(Mark.HEADING | Mark.IN_HEAD | Mark.IN_FOOT)
_LONG = 600  # cells from which rows are always cut
_JOINED = 250  # cells up to which two sheets are set beside each other


def vary(draft: Draft, random: Random, bank: Bank, others: Sequence[Draft] = ()) -> Draft:
    """A variation of a sheet; `others` may be set beside it."""
    made = without_lines(draft, *_cut_lines(draft, random)) if random.random() < 0.7 else without_lines(draft)
    _reword(made, random, bank)
    _fade(made, random)
    if others and made.medium == "spreadsheet" and len(made.cells) < _JOINED and random.random() < 0.18:
        other = random.choice(others)
        if other.medium == "spreadsheet" and len(other.cells) < _JOINED:
            _set_beside(made, vary(other, random, bank), random)
    return made


def _cut_lines(draft: Draft, random: Random) -> tuple[list[int], list[int]]:
    by_row: dict[int, list[Cell]] = defaultdict(list)
    by_column: dict[int, list[Cell]] = defaultdict(list)
    for cell in draft.cells:
        by_row[cell[0]].append(cell)
        by_column[cell[1]].append(cell)
    role = draft.role.get
    share = random.choice((0.0, 0.1, 0.3, 0.5)) if len(by_row) > 6 else 0.0
    if len(draft.cells) > _LONG:
        share = max(share, random.choice((0.3, 0.6)))
    spanned = {row for (top, _), (down, _) in draft.spans.items() if down > 1 for row in range(top, top + down)}
    rows = [
        row
        for row, cells in by_row.items()
        if random.random() < share and row not in spanned and any(role(cell) == VALUE for cell in cells)
    ]
    if share and random.random() < 0.3:
        lines = sorted(by_row)
        start = random.randrange(len(lines))
        plain = (VALUE, STUB, NOTE, TITLE, OTHER, FIELD)
        block = lines[start : start + random.randint(1, len(lines) // 3 + 1)]
        rows += [row for row in block if row not in spanned and all(role(cell) in plain for cell in by_row[row])]
    share = random.choice((0.0, 0.0, 0.1, 0.3)) if len(by_column) > 4 else 0.0
    columns = [
        column
        for column, cells in by_column.items()
        if random.random() < share
        and any(role(cell) == VALUE for cell in cells)
        and not any(role(cell) in (STUB, GROUP, LEVEL) or draft.spans.get(cell, (1, 1))[1] > 1 for cell in cells)
    ]
    if len(set(rows)) > len(by_row) - 3 or len(columns) > len(by_column) - 2:
        return [], []
    return rows, columns


def _reword(draft: Draft, random: Random, bank: Bank) -> None:
    """Other digits in values, and some texts in place of others, the same for the same."""
    share = random.choice((0.0, 0.15, 0.4, 0.9))
    digits = random.random() < 0.7 and not draft.derived  # sums stay sums
    known: dict[str, str | None] = {}
    for cell, (text, look) in draft.cells.items():
        role = draft.role.get(cell)
        if look.stored == NUMBER and role == VALUE and digits:
            text = _DIGIT.sub(lambda _: str(random.randrange(10)), text)
        elif share and look.stored == TEXT and role is not None and not _TOTAL.search(text):
            core = text.strip()
            if core not in known:
                known[core] = _like(role, bank, random) if random.random() < share else None
            if new := known[core]:
                text = text[: len(text) - len(text.lstrip())] + new
        draft.cells[cell] = (text, look)


def _like(role: int, bank: Bank, random: Random) -> str | None:
    """Another text of a role."""
    lists = {STUB: bank.stubs, HEAD: bank.heads, VALUE: bank.columns}.get(role)
    if lists:
        return random.choice(random.choice(lists))
    single = {TITLE: bank.titles, NOTE: bank.notes, GROUP: bank.groups, FIELD: bank.fields, LEVEL: bank.names}.get(role)
    return random.choice(single) if single else None


def _fade(draft: Draft, random: Random) -> None:
    """Take parts of the look and of what is declared away."""
    gone = {name for name in ("fill", "lines", "align", "size", "bold", "marks", "digits") if random.random() < 0.2}
    if "bold" in gone and random.random() < 0.6:
        gone.discard("bold")
    plain = random.random() < 0.06
    if not gone and not plain:
        return
    for cell, (text, look) in draft.cells.items():
        if plain:
            look = Look(look.stored, indent=look.indent, across=look.across)
        look = Look(
            look.stored,
            look.bold and ("bold" not in gone or draft.role.get(cell) in (STUB, GROUP)),
            look.italic,
            look.indent,
            None if "align" in gone else look.align,
            look.across,
            look.fill and "fill" not in gone,
            look.above and "lines" not in gone,
            look.below and "lines" not in gone,
            0 if "size" in gone else look.size,
            look.marks & ~_DECLARED if "marks" in gone else look.marks,
        )
        draft.cells[cell] = (text, look)
    if "digits" in gone and random.random() < 0.3:  # numbers stored as text
        for cell, (text, look) in draft.cells.items():
            if look.stored in (NUMBER, DATE):
                draft.cells[cell] = (text, look._replace(stored=TEXT))


def _set_beside(draft: Draft, other: Draft, random: Random) -> None:
    """Put another sheet below this one, or at its right."""
    below = random.random() < 0.6
    gap = random.choice((1, 2, 2, 3))
    bottom = max(row + draft.spans.get((row, column), (1, 1))[0] for row, column in draft.cells)
    right = max(column + draft.spans.get((row, column), (1, 1))[1] for row, column in draft.cells)
    top, left = (bottom + gap, 0) if below else (0, right + gap)
    first = 1 + max((table for table in draft.table.values()), default=OUTSIDE)

    def moved(cell: Cell | None) -> Cell | None:
        return None if cell is None else (cell[0] + top, cell[1] + left)

    def at(cell: Cell) -> Cell:
        return cell[0] + top, cell[1] + left

    draft.cells.update((at(cell), held) for cell, held in other.cells.items())
    draft.spans.update((at(cell), span) for cell, span in other.spans.items())
    draft.role.update((at(cell), role) for cell, role in other.role.items())
    draft.table.update((at(cell), table + first if table >= 0 else table) for cell, table in other.table.items())
    draft.parent.update((at(cell), moved(above)) for cell, above in other.parent.items())
    draft.head.update((at(cell), moved(head)) for cell, head in other.head.items())
    draft.rows_judged = draft.rows_judged and other.rows_judged and below
    draft.keyed.update((table + first, keyed) for table, keyed in other.keyed.items())
    draft.derived |= {row + top for row in other.derived}


__all__ = ["HEAD", "vary"]
