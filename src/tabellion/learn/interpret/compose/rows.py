"""The rows of a made table: what its labels are, which stands under which, and how a sheet shows it.

Out: a `Stub`. Every way of making one keeps to the convention of OUTPUT.md ("What stands under what"), and makes only
such a tree as the sheet's manner is able to show.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.model.grid import TEXT

DATA, GROUP_ROW, TOTAL, RESULT, BLANK = range(5)


@dataclass(slots=True, eq=False)
class Row:
    """A row: `labels` by stub column, `above` the row it stands under, `parts` the rows that it sums up."""

    labels: dict[int, Label] = field(default_factory=dict)
    kind: int = DATA
    above: Row | None = None
    level: int = 0
    strong: bool = False
    parts: list[Row] = field(default_factory=list)
    heights: dict[int, int] = field(default_factory=dict)
    further: str = ""  # a second piece of its first label, in a line of its own
    aside: str = ""  # a label that stands beside its values, in the last column of texts
    fixed: dict[int, Label] | None = None  # its values, where they are not drawn
    empty: bool = False  # a row of data whose values are all missing


@dataclass(slots=True, eq=False)
class Stub:
    """The rows of a table; `names` says by column what its labels are."""

    width: int
    rows: list[Row]
    names: list[str]
    spaced: bool = False  # a blank column after the first
    main: int = 0  # the column whose labels are indented


def add_total(pen: Pen, rows: list[Row], parts: list[Row], above: Row | None, level: int, text: str = "") -> Row:
    """A total after its parts."""
    total = Row({0: (text or pen.pick(words.TOTALS), TEXT)}, TOTAL, above, level, pen.manner.total_bold, list(parts))
    rows.append(total)
    return total


def gap(pen: Pen, rows: list[Row], share: float | None = None) -> None:
    if rows and rows[-1].kind != BLANK and pen.chance(pen.manner.gaps if share is None else share):
        rows += [Row(kind=BLANK) for _ in range(1 + pen.chance(0.08))]


def bare_stub(pen: Pen, count: int) -> Stub:
    """Rows without labels."""
    rows = [Row() for _ in range(count)]
    if pen.chance(0.15):
        rows.append(Row(kind=TOTAL, parts=list(rows), strong=pen.manner.total_bold))
    return Stub(0, rows, [])


def flat_stub(pen: Pen, count: int) -> Stub:
    """One list, at times with a total first or last, results below and blank rows between."""
    name, labels = pen.labels(count)
    if pen.chance(0.05):
        labels = [(text.upper(), stored) for text, stored in labels]
    leaves = [Row({0: label}) for label in labels]
    rows = list(leaves)
    first = pen.chance(0.15)
    if first:
        deeper = 2 if pen.manner.indent != "none" and pen.chance(0.25) else 0
        strong = pen.manner.total_bold and not deeper
        rows.insert(0, Row({0: (pen.pick(words.TOTALS), TEXT)}, TOTAL, None, deeper, strong, leaves))
    elif pen.chance(0.4):
        gap(pen, rows, 0.25)
        deeper = pen.number(1, 3) if pen.manner.indent != "none" and pen.chance(0.25) else 0
        add_total(pen, rows, leaves, None, deeper)
        if pen.chance(0.12):
            rows[-1].labels.clear()
    if pen.chance(0.12):
        gap(pen, rows, 0.3)
        rows += [Row({0: (text, TEXT)}, RESULT) for text in pen.some(words.RESULTS, pen.number(1, 3))]
    if pen.chance(0.1):
        rows = _in_bands(rows, pen.pick((1, 3, 4, 5, 6)))
    if pen.chance(0.06):
        _wrap_labels(pen, rows)
    _of_which(pen, rows)
    return Stub(1, rows, [name])


def _in_bands(rows: list[Row], size: int) -> list[Row]:
    """The rows with a blank one after each so many."""
    made: list[Row] = []
    for at, row in enumerate(rows):
        if at and at % size == 0 and row.kind != BLANK and made[-1].kind != BLANK:
            made.append(Row(kind=BLANK))
        made.append(row)
    return made


def _wrap_labels(pen: Pen, rows: list[Row]) -> None:
    """Break some long labels in two lines; the second begins with a small letter or a bracket."""
    wrapped = pen.random.sample(words.WRAPPED, len(words.WRAPPED))
    for row in rows:
        if row.kind != DATA or 0 not in row.labels or row.labels[0][1] != TEXT:
            continue
        if wrapped and pen.chance(0.2):
            row.labels[0], row.further = (wrapped[-1].partition("/")[0], TEXT), wrapped.pop().partition("/")[2]
            continue
        parts = row.labels[0][0].split(" ")
        cuts = [at for at in range(1, len(parts)) if parts[at][:1].islower() or parts[at][:1] == "("]
        if cuts and len(parts[0]) > 2:
            cut = pen.pick(cuts)
            row.labels[0], row.further = (" ".join(parts[:cut]), TEXT), " ".join(parts[cut:])


def _of_which(pen: Pen, rows: list[Row]) -> None:
    """Put a part under some rows of a list, where the manner can show it."""
    if pen.manner.indent == "none" or not pen.chance(0.05):
        return
    for at in range(len(rows) - 1, -1, -1):
        if rows[at].kind == DATA and pen.chance(0.4):
            text = pen.pick(words.OF_WHICH).format(pen.words(1)[1][0])
            rows.insert(at + 1, Row({0: (text, TEXT)}, DATA, rows[at], rows[at].level + 1))


def group_stub(pen: Pen, count: int) -> Stub:
    """Blocks of rows, each under a row of its own without values."""
    rows: list[Row] = []
    manner = pen.manner
    indent = int(manner.indent != "none" and pen.chance(0.55))
    blocks = pen.number(1, 6) if count > 6 else pen.number(1, 3)
    deep = indent and pen.chance(0.25)
    same = pen.labels(pen.number(2, 6))[1] if pen.chance(0.25) else None
    totals = pen.among(none=5, named=3, plain=2)
    name, groups = pen.labels(blocks, plain=pen.chance(0.9))
    if pen.chance(0.5):
        groups = [(text, TEXT) for text in dict.fromkeys(pen.group() for _ in range(blocks))]
    if pen.chance(0.1):
        rows += [Row({0: label}) for label in pen.labels(pen.number(1, 3))[1]]
    leaves = list(rows)
    for text, _ in groups:
        gap(pen, rows)
        head = Row({0: (text + ":" if manner.colon and not text.endswith(":") else text, TEXT)}, GROUP_ROW)
        rows.append(head)
        gap(pen, rows, 0.03)
        if deep and pen.chance(0.8):
            block = _deeper_groups(pen, rows, head, indent)
        else:
            labels = same or pen.labels(pen.number(1, max(2, min(9, 2 * count // blocks))))[1]
            block = [Row({0: label}, DATA, head, indent) for label in labels]
            if totals == "none" and pen.chance(0.1):
                block.insert(
                    0, Row({0: (pen.pick(words.TOTALS), TEXT)}, TOTAL, head, indent, manner.total_bold, list(block))
                )
            rows += block
            block = [row for row in block if row.kind == DATA]
        leaves += block
        if totals != "none" and pen.chance(0.9):
            closing = (
                pen.pick(words.CLOSINGS).format(text.rstrip(":")) if totals == "named" else pen.pick(words.SUBTOTALS)
            )
            gap(pen, rows, 0.06)
            add_total(pen, rows, block, head, indent if totals == "plain" or pen.chance(0.5) else 0, closing)
            if pen.chance(0.05):
                rows[-1].labels.clear()
    if pen.chance(0.3) and (totals != "plain" or indent):
        gap(pen, rows, 0.3)
        add_total(
            pen,
            rows,
            leaves,
            None,
            0,
            pen.pick(("Grand total", "GRAND TOTAL", "Total", "Overall total", "Gesamtsumme")),
        )
    return Stub(1, rows, [name])


def _deeper_groups(pen: Pen, rows: list[Row], head: Row, indent: int) -> list[Row]:
    """Groups within a group."""
    leaves: list[Row] = []
    for label in pen.labels(pen.number(1, 3), plain=True)[1]:
        inner = Row({0: label}, GROUP_ROW, head, indent)
        rows.append(inner)
        block = [Row({0: one}, DATA, inner, 2 * indent) for one in pen.labels(pen.number(1, 5))[1]]
        rows += block
        leaves += block
        if pen.chance(0.2):
            add_total(pen, rows, block, inner, 2 * indent, pen.pick(words.CLOSINGS).format(label[0]))
    return leaves


def tree_stub(pen: Pen, count: int) -> Stub:
    """Labels within labels by indent, most of them with values; without indents, blocks in bold or a plain list."""
    manner = pen.manner
    if manner.indent == "none":
        return bold_stub(pen, count) if manner.styled or pen.chance(0.3) else flat_stub(pen, count)
    rows: list[Row] = []
    valued = pen.chance(0.75)
    depth = pen.pick((2, 2, 2, 3, 3, 4, 5))
    strong = manner.group_bold and pen.chance(0.7)

    def grow(above: Row | None, level: int, siblings: int) -> list[Row]:
        made: list[Row] = []
        plain = above is None or pen.chance(0.7)
        for label in pen.labels(siblings, plain)[1]:
            opens = level + 1 < depth and len(rows) < 2 * count and pen.chance(0.5 if level < 2 else 0.3)
            row = Row({0: label}, DATA if valued or not opens else GROUP_ROW, above, level, opens and strong)
            rows.append(row)
            made.append(row)
            if opens:
                row.parts = grow(row, level + 1, pen.number(1, 5))
                if pen.chance(0.1):
                    add_total(pen, rows, row.parts, row, level + 1, pen.pick(words.CLOSINGS).format(label[0]))
                if level == 0:
                    gap(pen, rows)
        return made

    start = pen.among(plain=5, parent=2, sibling=1.5, deeper=0.7, heading=0.7 * manner.styled)
    strong = strong and start != "heading"
    if start == "plain":
        made = grow(None, 0, pen.number(2, max(2, count // 3)))
        if pen.chance(0.3):
            gap(pen, rows, 0.3)
            add_total(pen, rows, made, None, pen.pick((0, 0, 0, 1)))
    else:
        text = pen.pick(words.TOTALS) if pen.chance(0.7) else pen.words(1)[1][0]
        heading = start == "heading"  # deeper than its parts, but alone in bold, and named for what the list counts
        if heading:
            text = pen.pick(("Total {}", "All {}", "Total, {}")).format(pen.words(1)[1][0].lower())
        level = pen.pick((1, 2, 2, 3)) if heading else 2 * (start == "deeper")
        total = Row({0: (text, TEXT)}, TOTAL, None, level, heading or (manner.total_bold and start != "deeper"))
        rows.append(total)
        above = total if start in ("parent", "heading") else None
        total.parts = grow(above, int(start == "parent"), pen.number(2, max(2, count // 3)))
    if rows[-1].kind == BLANK:
        rows.pop()
    if pen.chance(0.1):
        _number_levels(pen, rows)
    return Stub(1, rows, [pen.name()])


def _number_levels(pen: Pen, rows: list[Row]) -> None:
    """Number labels by their place in the tree: "1.", "1.1", "1.1.2"."""
    last = pen.pick((".", "", ")"))
    counts: dict[int, int] = {}
    signs: dict[int, str] = {}
    for row in rows:
        if row.kind in (DATA, GROUP_ROW) and row.labels:
            above = signs.get(id(row.above), "")
            counts[id(row.above)] = counts.get(id(row.above), 0) + 1
            signs[id(row)] = f"{above}.{counts[id(row.above)]}".lstrip(".")
            row.labels[0] = (f"{signs[id(row)]}{last} {row.labels[0][0]}", TEXT)


def bold_stub(pen: Pen, count: int) -> Stub:
    """Blocks under rows with values that bold or capitals part from the plain ones below; at least two."""
    manner = pen.manner
    caps = not manner.styled or manner.label_bold or pen.chance(0.2)
    rows: list[Row] = []
    heads: list[Row] = []
    name, labels = pen.labels(pen.number(2, 5), plain=True)
    labels = [(text.upper() if caps else text, stored) for text, stored in labels]
    if caps and not all(text.isupper() for text, _ in labels):
        return group_stub(pen, count)
    for label in labels:
        gap(pen, rows)
        head = Row({0: label}, DATA, None, 0, manner.styled and not caps)
        rows.append(head)
        heads.append(head)
        below = pen.labels(pen.number(2, max(3, count // len(labels))))[1]
        if caps:
            below = [(text.capitalize() if text.isupper() else text, stored) for text, stored in below]
        head.parts = [Row({0: one}, DATA, head) for one in below]
        rows += head.parts
    if pen.chance(0.25):
        gap(pen, rows, 0.3)
        total = add_total(pen, rows, heads, None, 0)
        total.strong = manner.styled and not caps
        if caps:
            total.labels[0] = (total.labels[0][0].upper(), TEXT)
    return Stub(1, rows, [name])
