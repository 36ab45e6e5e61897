"""Stubs of several columns, and the draw among all kinds of stubs.

Out: a `Stub`, as in `rows`: outer labels held over their rows, codes beside labels, levels in columns of their own.
"""

from __future__ import annotations

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.compose.rows import (
    DATA,
    GROUP_ROW,
    TOTAL,
    Row,
    Stub,
    add_total,
    bare_stub,
    bold_stub,
    flat_stub,
    gap,
    group_stub,
    tree_stub,
)  # fmt: skip
from tabellion.model.grid import NUMBER, TEXT


def draw_stub(pen: Pen, count: int) -> Stub:
    """The stub of a table of about so many rows."""
    kind = pen.among(flat=7, groups=3.4, tree=4.0, bold=1.1, columns=6.5, coded=2.8, own=1.4, stairs=0.9, none=0.9)
    make = {
        "flat": flat_stub, "groups": group_stub, "tree": tree_stub, "bold": bold_stub, "columns": columned_stub,
        "coded": coded_stub, "own": own_row_stub, "stairs": stair_stub, "none": bare_stub,
    }[kind]  # fmt: skip
    return make(pen, count)


def columned_stub(pen: Pen, count: int) -> Stub:
    """Two or three stub columns, the outer labels held over their rows."""
    width = pen.pick((2, 2, 2, 2, 3, 3, 4))
    way = pen.among(once=4, repeated=3, merged=3 if pen.manner.spans else 0, middle=0.4, last=0.15)
    if way in ("middle", "last"):
        width = 2
    lists = [
        pen.labels(pen.number(2, 3 if width > 3 else 4) if width > 2 else pen.number(2, 6)) for _ in range(width - 1)
    ]
    inner_name, inner = pen.labels(pen.number(2, max(2, min(8, count // 2))))
    if pen.chance(0.05):
        inner_name, inner = (
            pen.pick(("Unit", "Einheit", "Measure")),
            [(text, TEXT) for text in pen.some(words.UNITS, 3)],
        )
    same, totals = pen.chance(0.6), pen.chance(0.2)
    rows: list[Row] = []
    leaves: list[Row] = []

    def fill(above: list[Label], column: int, holder: Row | None) -> list[Row]:
        if column == width - 1:
            labels = inner if same else pen.labels(pen.number(1, 6), plain=pen.chance(0.5))[1]
            made = [Row({column: label}) for label in labels]
            leaves.extend(made)
            if totals and pen.chance(0.8):
                made.append(
                    Row(
                        {column: (pen.pick(words.SUBTOTALS), TEXT)},
                        TOTAL,
                        strong=pen.manner.total_bold,
                        parts=list(made),
                    )
                )
            rows.extend(made)
            return made
        made = []
        for label in lists[column][1]:
            if column == 0 and way != "merged":
                gap(pen, rows, 1.0 if way in ("middle", "last") else None)
            block = fill([*above, label], column + 1, holder)
            _hold(way, block, column, label)
            made += block
        return made

    fill([], 0, None)
    if pen.chance(0.2):
        gap(pen, rows, 0.2)
        add_total(pen, rows, leaves, None, 0)
    names = [name for name, _ in lists] + [inner_name]
    return Stub(width, rows, names, pen.chance(0.04) and way != "merged")


def _hold(way: str, block: list[Row], column: int, label: Label) -> None:
    """Write an outer label beside its block, and put the rows under it where it is written but once."""
    if way == "repeated":
        for row in block:
            row.labels[column] = label
        return
    bearer = block[{"middle": len(block) // 2, "last": len(block) - 1}.get(way, 0)]
    bearer.labels[column] = label
    if way == "merged":
        bearer.heights[column] = len(block)
        return
    for row in block:
        if row is not bearer and row.above is None:
            row.above = bearer


def coded_stub(pen: Pen, count: int) -> Stub:
    """A code or rank beside the label; the label may be indented by level."""
    inner = flat_stub(pen, count) if pen.chance(0.5) else tree_stub(pen, count)
    if inner.width != 1:
        return inner
    left = pen.chance(0.85)
    name, codes = pen.codes(len(inner.rows)) if pen.chance(0.5) else ("No.", [])
    rank = 0
    for row, code in zip(inner.rows, codes or [("", TEXT)] * len(inner.rows), strict=True):
        coded = row.kind == DATA and row.labels and (row.level > 0 or codes or row.above is None)
        if left:
            row.labels = {1: row.labels[0]} if row.labels else {}
        if coded:
            rank += 1
            row.labels[0 if left else 1] = code if codes else (str(rank), NUMBER)
    names = [name, inner.names[0]] if left else [inner.names[0], name]
    return Stub(2, inner.rows, names, pen.chance(0.06), int(left))


def own_row_stub(pen: Pen, count: int) -> Stub:
    """The outer label in a row of its own above its rows, which stand one column to the right."""
    rows: list[Row] = []
    heads: list[Row] = []
    blocks = pen.number(2, 6)
    valued, deep = pen.chance(0.25), pen.chance(0.2)
    names = [pen.name(), pen.name()]
    for label in pen.labels(blocks)[1]:
        gap(pen, rows)
        head = Row({0: label}, DATA if valued else GROUP_ROW, None, 0, pen.manner.group_bold)
        rows.append(head)
        heads.append(head)
        block = [Row({1: one}, DATA, head) for one in pen.labels(pen.number(1, max(2, count // blocks)))[1]]
        rows += block
        head.parts = list(block) if valued else []
        if deep and not valued:
            rows.append(Row({1: (pen.pick(words.SUBTOTALS), TEXT)}, TOTAL, head, 0, pen.manner.total_bold, block))
    if pen.chance(0.2):
        gap(pen, rows, 0.3)
        add_total(pen, rows, [row for row in rows if row.kind == DATA and row.above is not None], None, 0)
    return Stub(2, rows, names if pen.chance(0.6) else names[:1])


def stair_stub(pen: Pen, count: int) -> Stub:
    """Labels within labels, each level in a column of its own, with values in every row or in the lowest only."""
    inner = tree_stub(Pen(pen.random, pen.bank, pen.manner._replace(indent="style")), count)
    depth = max(row.level for row in inner.rows)
    if not 1 <= depth <= 4 or any(row.kind == TOTAL and row.level > 1 for row in inner.rows):
        return columned_stub(pen, count)
    for row in inner.rows:
        if row.labels:
            row.labels = {row.level: row.labels[0]}
        row.level = 0
    names = [pen.name() for _ in range(depth + 1)] if pen.chance(0.4) else inner.names[:1]
    return Stub(depth + 1, inner.rows, names)
