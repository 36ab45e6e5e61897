"""What a medium does to a made sheet: a web page declares its heads, print has no fills, lines may be hidden."""

from __future__ import annotations

from random import Random

from tabellion.interpret.targets import GROUP, HEAD, JOIN, LEVEL, STUB, VALUE
from tabellion.learn.interpret.draft import Cell, Draft
from tabellion.model.document import Mark
from tabellion.model.grid import TEXT


def finish(random: Random, draft: Draft) -> Draft:
    """The draft as its medium shows it."""
    if random.random() < 0.1:
        _refer(random, draft)
    if random.random() < 0.15:
        _highlight(random, draft)
    if draft.medium == "html":
        _declare(random, draft)
    elif draft.medium == "pdf":
        for cell, (text, look) in draft.cells.items():
            if look.fill:
                draft.cells[cell] = (text, look._replace(fill=False))
    elif random.random() < 0.08:
        rows = sorted({row for row, _ in draft.cells})
        draft.hidden_rows = set(random.sample(rows, min(len(rows), 3)))
    elif random.random() < 0.05:
        columns = sorted({column for _, column in draft.cells})
        draft.hidden_columns = set(random.sample(columns, 1))
    if draft.medium != "spreadsheet":
        for cell, (text, look) in draft.cells.items():
            if look.marks & int(Mark.FORMULA):
                draft.cells[cell] = (text, look._replace(marks=0))
    _clear_spans(draft)
    return draft


def _refer(random: Random, draft: Draft) -> None:
    """Marks of notes behind some labels."""
    form = random.choice(("{}*", "{} 1)", "{} (1)", "{}¹", "{} [1]", "{} a", "{}†", "{} (r)"))
    share = random.choice((0.05, 0.2, 0.5))
    for cell, (text, look) in draft.cells.items():
        if draft.role.get(cell) in (HEAD, STUB, GROUP) and look.stored == TEXT and random.random() < share:
            draft.cells[cell] = (form.format(text), look)


def _highlight(random: Random, draft: Draft) -> None:
    """Looks that mean nothing, where there are looks at all: some values or a column in bold or filled, stripes."""
    if not any(look.bold or look.fill or look.below for _, look in draft.cells.values()):
        return
    values = [cell for cell, role in draft.role.items() if role == VALUE]
    if not values:
        return
    way, chosen = random.choice(("cells", "column", "stripes")), random.choice(values)
    if way == "cells":
        values = random.sample(values, min(len(values), random.randint(1, 5)))
    elif way == "column":
        values = [cell for cell in values if cell[1] == chosen[1]]
    else:
        table = draft.table[chosen]
        among = (cell for cell, role in draft.role.items() if role in (STUB, VALUE) and draft.table[cell] == table)
        values = [cell for cell in among if (cell[0] - chosen[0]) % 2 == 0]
    bold = way != "stripes" and random.random() < 0.5
    for cell in values:
        text, look = draft.cells[cell]
        draft.cells[cell] = (text, look._replace(bold=True) if bold else look._replace(fill=True))


def _declare(random: Random, draft: Draft) -> None:
    """Marks of heads as authors of web pages set them: none, on heads, on row labels too, or on the wrong cells."""
    way = random.choices(("none", "heads", "both", "section", "first row", "first column"), (30, 30, 20, 12, 6, 2))[0]
    section = way == "section" or (way in ("heads", "both") and random.random() < 0.4)
    heads = [cell for cell, role in draft.role.items() if role in (HEAD, LEVEL, JOIN)]
    body = min((cell[0] for cell, role in draft.role.items() if role in (STUB, GROUP, VALUE)), default=0)
    heads = [cell for cell in heads if cell[0] < body]
    heading, in_head, in_foot = int(Mark.HEADING), int(Mark.IN_HEAD), int(Mark.IN_FOOT)
    if way in ("heads", "both") or (way == "section" and random.random() < 0.7):
        _mark(draft, heads, heading)
    if way == "both":
        inner = random.random() < 0.5
        labels = [cell for cell, role in draft.role.items() if role == STUB and (cell[1] == 0 or inner)]
        _mark(draft, labels, heading)
    if way in ("both", "heads") and random.random() < 0.4:
        _mark(draft, [cell for cell, role in draft.role.items() if role == GROUP], heading)
    if section:
        _mark(draft, heads, in_head)
    if way == "first row":
        _mark(draft, [cell for cell in draft.cells if cell[0] == min(row for row, _ in draft.cells)], heading)
    if way == "first column":
        _mark(draft, [cell for cell in draft.cells if cell[1] == 0], heading)
    if draft.derived and random.random() < 0.15:
        last = max(row for row, _ in draft.cells)
        _mark(draft, [cell for cell in draft.cells if cell[0] == last and last in draft.derived], in_foot)


def _mark(draft: Draft, cells: list[Cell], mark: int) -> None:
    for cell in cells:
        text, look = draft.cells[cell]
        draft.cells[cell] = (text, look._replace(marks=look.marks | mark))


def _clear_spans(draft: Draft) -> None:
    """Leave out spans over filled cells, and such as are none."""
    for cell, (down, across) in list(draft.spans.items()):
        rows, columns = range(cell[0], cell[0] + down), range(cell[1], cell[1] + across)
        filled = sum((row, column) in draft.cells for row in rows for column in columns)
        if filled != 1 or cell not in draft.cells or (down, across) == (1, 1):
            del draft.spans[cell]
