"""One made table as a draft of its own, from row 0 and column 0: heads, stub, values and what stands under what."""

from __future__ import annotations

from functools import lru_cache

from tabellion.interpret.targets import GROUP, JOIN, LEVEL, STUB, VALUE
from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.body import Body, Values, draw_measures
from tabellion.learn.interpret.compose.figures import Measure
from tabellion.learn.interpret.compose.heads import HeadRows, Plan, draw_plan
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.compose.rows import BLANK, DATA, GROUP_ROW, TOTAL, Row, Stub
from tabellion.learn.interpret.compose.stubs import draw_stub
from tabellion.learn.interpret.draft import Cell, Draft, Look
from tabellion.model.document import Mark
from tabellion.model.grid import NUMBER, TEXT
from tabellion.values.texts import read_text

_BLANKS = {"blanks": ("  ", "   "), "dots": ("..", ". . "), "dashes": ("- ", "– ")}


def draw_size(pen: Pen) -> tuple[int, int]:
    """About how many rows and columns a table shall have."""
    if pen.chance(0.008):
        return pen.number(110, 250), pen.number(1, 5)
    rows = pen.pick((2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 36))
    if pen.chance(0.06):
        rows = pen.number(40, 110)
    return rows, max(1, min(pen.pick((1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 18, 24)), 600 // rows))


def draw_table(pen: Pen, rows: int, columns: int) -> tuple[Draft, Plan]:
    """A table of a stub and heads, and the plan of its columns."""
    return make_table(pen, draw_stub(pen, rows), draw_plan(pen, columns))


def make_table(
    pen: Pen,
    stub: Stub,
    plan: Plan,
    measures: list[Measure] | None = None,
    *,
    row_measures: list[Measure] | None = None,
    headed: bool | None = None,
    half: bool = False,
) -> tuple[Draft, Plan]:
    """A table of a given stub and plan.

    `measures` are the kinds of values of its columns, `row_measures` those of its rows; `headed` False leaves the heads
    out; `half` fills the lower triangle only.
    """
    draft = Draft()
    draft.rows_judged = True
    heads = HeadRows(pen, draft, plan, stub.width + stub.spaced)
    if headed is None:
        headed = plan.count + stub.width < 3 or not pen.chance(0.08)
    if headed:
        heads.lay()
        _rewrite_heads(pen, draft, heads.united)
        if heads.height == 1 and plan.count > 2 and pen.chance(0.04):
            _leave_out(draft, pen.pick(heads.leaves))
        _name_levels(pen, draft, stub, heads)
    labels = [draft.cells.get(leaf, ("", 0))[0] for leaf in heads.leaves] if headed else [""] * plan.count
    body = Body(pen, plan, stub.rows, measures or draw_measures(pen, plan, labels), row_measures)
    body.half = half
    if stub.width > 1 or body.mark:
        for row in stub.rows:
            row.empty = row.kind == DATA and len(row.labels) == stub.width and not row.parts and pen.chance(0.01)
    top = heads.height + (heads.height > 0 and pen.chance(0.1))
    again = _repeat_at(pen, stub, heads)
    at = rows_of(stub, top, again, heads.height)
    if again > 0:
        _repeat_heads(draft, heads.height, at[stub.rows[again]] - heads.height)
    _Layer(pen, draft, stub, heads, at).lay(body.values())
    draft.derived = {number for row, number in at.items() if body.derived(row)}
    return draft, plan


def _leave_out(draft: Draft, cell: Cell) -> None:
    """Leave a column without a head."""
    for known in (draft.cells, draft.role, draft.table, draft.parent):
        known.pop(cell, None)


def _rewrite_heads(pen: Pen, draft: Draft, with_units: bool) -> None:
    """Write heads in capitals, or with a unit in the same cell, at times; not where units have a row of their own."""
    capitals, united = pen.chance(0.08), not with_units and pen.chance(0.08)
    if not capitals and not united:
        return
    unit, form = pen.pick(words.UNITS).strip("()"), pen.pick(("{} ({})", "{}\n({})", "{}, {}", "{}\n{}"))
    above = set(draft.parent.values())
    for cell, (text, look) in draft.cells.items():
        written = text.upper() if capitals else text
        if united and look.stored == TEXT and cell not in above:
            written = form.format(written, unit)
        draft.cells[cell] = (written, look)


def _repeat_at(pen: Pen, stub: Stub, heads: HeadRows) -> int:
    """The number of a row before which the heads stand again, as on a new page; -1 if nowhere."""
    if heads.height == 0 or len(stub.rows) < 10 or not pen.chance(0.03):
        return -1
    again = pen.number(4, len(stub.rows) - 4)
    row = stub.rows[again]
    plain = row.kind in (DATA, GROUP_ROW) and (row.above is None or stub.width == 1)
    return again if plain and not any(one.heights for one in stub.rows) else -1


def _repeat_heads(draft: Draft, height: int, row: int) -> None:
    """Write the heads again; what repeated heads are is not asked for."""
    for cell in [cell for cell in draft.cells if cell[0] < height]:
        again = (row + cell[0], cell[1])
        draft.cells[again], draft.table[again] = draft.cells[cell], 0
        if cell in draft.spans:
            draft.spans[again] = draft.spans[cell]


def rows_of(stub: Stub, top: int, again: int = -1, height: int = 0) -> dict[Row, int]:
    """In which row each row of the stub begins, if before the one numbered `again` the heads are repeated."""
    found, at = {}, top
    for number, row in enumerate(stub.rows):
        if number == again:
            at += height
        if row.kind != BLANK:
            found[row] = at
        at += 2 if row.further else 1
    return found


def _name_levels(pen: Pen, draft: Draft, stub: Stub, heads: HeadRows) -> None:
    """Write the names of the stub's levels over it."""
    height = heads.height
    if not stub.width or not height or pen.chance(0.35):
        return
    look = heads.look(("", TEXT), height - 1)._replace(align=pen.pick((None, pen.manner.head_align)))
    first = pen.chance(0.3)
    row = 0 if first else height - 1
    merged = pen.manner.spans and height > 1 and first and pen.chance(0.7)
    places = [0, *range(1 + stub.spaced, stub.width + stub.spaced)]
    if stub.width > 1 and pen.manner.spans and pen.chance(0.1):
        draft.put((0, 0), stub.names[0], look, LEVEL, 0)
        draft.spans[0, 0] = (height, stub.width + stub.spaced)
        return
    for place, name in zip(places, stub.names, strict=False):
        draft.put((row, place), name, look, LEVEL, 0)
        if merged:
            draft.spans[row, place] = (height, 1)
    if not first and height > 1 and pen.chance(0.08):
        draft.put((0, places[-1]), pen.name(), look, LEVEL, 0)


class _Layer:
    """Lays the rows of a stub in the rows of the draft that `at` says."""

    def __init__(self, pen: Pen, draft: Draft, stub: Stub, heads: HeadRows, at: dict[Row, int]) -> None:
        self.pen, self.draft, self.stub, self.heads, self.at = pen, draft, stub, heads, at
        self.bold_values = pen.chance(0.75)
        self.wide_groups = pen.manner.spans and pen.chance(0.2)
        self.blanks = pen.pick(_BLANKS.get(pen.manner.indent, ("",)))
        self.marks = int(Mark.FORMULA | Mark.AGGREGATE) if pen.manner.formulas else 0
        self.head_of = nearest_heads(draft, heads.height)
        self.middle_groups = manner_shows(pen) and heads.plan.count > 1 and pen.chance(0.1)
        self.wide_totals = pen.manner.spans and pen.chance(0.4)
        self.computed = _computed(pen, heads.plan)
        self.low_values = pen.chance(0.4)  # values in the last line of a broken label

    def lay(self, values: dict[int, Values]) -> None:
        for number, row in enumerate(self.stub.rows):
            if row.kind != BLANK:
                self._labels(row, self.at[row])
                self._values(row, self.at[row] + (bool(row.further) and self.low_values), values.get(number, {}))

    def _first(self, row: Row) -> Cell | None:
        """The first label of a row."""
        if not row.labels:
            return None
        if self.middle_groups and row.kind == GROUP_ROW and row.above is None:
            return self.at[row], self.heads.place(0)
        return self.at[row], self._place(min(row.labels))

    def _place(self, column: int) -> int:
        return column + (self.stub.spaced and column > 0)

    def _labels(self, row: Row, at: int) -> None:
        manner, draft = self.pen.manner, self.draft
        for column in sorted(row.labels):
            text, look = self._written(row, column, row.labels[column])
            cell = at, self._place(column)
            if self.middle_groups and row.kind == GROUP_ROW and row.above is None:
                cell, look = (at, self.heads.place(0)), look._replace(align="center")
            draft.put(cell, text, look, GROUP if row.kind == GROUP_ROW else STUB, 0)
            if row.heights.get(column, 1) > 1:
                draft.spans[cell] = (row.heights[column], 1)
            elif row.kind == TOTAL and column == 0 and len(row.labels) == 1 < self.stub.width and self.wide_totals:
                draft.spans[cell] = (1, self.heads.first)
        first = self._first(row)
        if first is None:
            return
        draft.parent[first] = self._first(row.above) if row.above is not None else None
        if row.further:
            blanks = "  " if manner.indent == "blanks" and self.pen.chance(0.4) else ""
            look = draft.cells[first][1]
            further = look._replace(indent=indent_of(blanks))
            draft.put((at + 1, first[1]), blanks + row.further, further, JOIN, 0)
            draft.parent[at + 1, first[1]] = first
        wide = self.wide_groups or (self.middle_groups and row.above is None)
        if row.kind == GROUP_ROW and wide and self.pen.manner.spans and self.heads.plan.extent:
            draft.spans[first] = (1, self.heads.first + self.heads.plan.extent - first[1])

    def _written(self, row: Row, column: int, label: Label) -> tuple[str, Look]:
        """A label's text and look."""
        manner = self.pen.manner
        text, stored = label
        group, total = row.kind == GROUP_ROW, row.kind == TOTAL
        if group and manner.group_caps:
            text = text.upper()
        bold = row.strong or manner.label_bold or (group and manner.group_bold)
        indent = 0.0
        if row.level and text and column == self.stub.main:
            stored = TEXT
            if manner.indent == "style":
                indent = float(row.level * manner.step)
            elif self.blanks:
                prefix = self.blanks * row.level
                text, indent = prefix + text, indent_of(prefix)
        align = manner.label_align if not row.level else None
        return text, Look(
            stored, bold, group and manner.group_italic, indent, align,
            fill=(group and manner.group_fill) or (total and manner.total_fill),
            above=manner.boxed or (total and manner.total_above), below=manner.boxed,
        )  # fmt: skip

    def _values(self, row: Row, at: int, values: Values) -> None:
        manner, draft = self.pen.manner, self.draft
        total = row.kind == TOTAL
        look = Look(
            bold=self.bold_values and row.strong, align=manner.value_align, fill=total and manner.total_fill,
            above=manner.boxed or (total and manner.total_above), below=manner.boxed,
            marks=self.marks if total or row.parts else 0,
        )  # fmt: skip
        looks: dict[int, Look] = {}
        for column, (text, stored) in values.items():
            cell = at, self.heads.place(column)
            if stored not in looks:
                looks[stored] = look._replace(stored=stored) if stored != TEXT else look._replace(marks=0)
            shown = looks[stored]
            if column in self.computed and stored == NUMBER:
                shown = shown._replace(marks=self.computed[column])
            draft.put(cell, text, shown, VALUE, 0)
            draft.head[cell] = self.head_of.get(cell[1])


def _computed(pen: Pen, plan: Plan) -> dict[int, int]:
    """The columns whose values are formulas, with their marks."""
    if not pen.manner.formulas:
        return {}
    summed = int(Mark.FORMULA | Mark.AGGREGATE)
    found = dict.fromkeys(plan.sums, summed)
    if pen.chance(0.25):
        found.setdefault(plan.count - 1, int(Mark.FORMULA))
    return found if pen.chance(0.9) else dict.fromkeys(range(plan.count), int(Mark.FORMULA))


def manner_shows(pen: Pen) -> bool:
    """Whether a label in the middle of a row can be seen to head the rows below."""
    return pen.manner.styled and pen.manner.spans


@lru_cache(1000)
def indent_of(prefix: str) -> float:
    """How deep a text stands that begins so, as reading understands it."""
    return float(read_text(prefix + "a").indent)


def nearest_heads(draft: Draft, height: int) -> dict[int, Cell]:
    """The lowest head of each column; names of levels are none."""
    found: dict[int, Cell] = {}
    for cell in sorted(draft.cells):
        if cell[0] < height and draft.role[cell] != LEVEL:
            across = draft.spans.get(cell, (1, 1))[1]
            for column in range(cell[1], cell[1] + across):
                found[column] = cell
    return found
