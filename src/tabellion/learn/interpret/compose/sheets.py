"""Made sheets: tables, titles, notes, forms and strays, put together as people put them on a sheet.

`compose_sheet` makes one sheet, web table or printed table as a draft with complete gold.
"""

from __future__ import annotations

from random import Random

from tabellion.interpret.targets import FIELD, NOTE, OTHER, TITLE
from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.bank import Bank
from tabellion.learn.interpret.compose.figures import draw_measure, draw_number, draw_texts, say_number, say_text
from tabellion.learn.interpret.compose.heads import Node, Plan, draw_plan, plan_of
from tabellion.learn.interpret.compose.kinds import draw_any, draw_pairs, ledger_stub
from tabellion.learn.interpret.compose.manner import draw_manner
from tabellion.learn.interpret.compose.media import finish
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.compose.rows import Stub, flat_stub
from tabellion.learn.interpret.compose.stubs import draw_stub
from tabellion.learn.interpret.compose.tables import draw_size, make_table
from tabellion.learn.interpret.draft import OUTSIDE, Draft, Look
from tabellion.model.grid import TEXT

_MOST = 420  # cells after which no further table is put on a sheet
_LONGEST = 1500  # cells of one table


def compose_sheet(random: Random, bank: Bank) -> Draft:
    """One made sheet, web table or printed table."""
    medium = random.random()
    if medium < 0.2:
        return finish(random, _Sheet(random, bank, "html").one_table())
    if medium < 0.3:
        return finish(random, _Sheet(random, bank, "pdf").one_table())
    return finish(random, _Sheet(random, bank, "text" if medium < 0.43 else "spreadsheet").fill())


class _Sheet:
    """A sheet that is being filled from the top; `bottom` is its next free row."""

    def __init__(self, random: Random, bank: Bank, medium: str) -> None:
        styled = medium != "text" and random.random() > (0.3 if medium == "html" else 0.1)
        self.pen = Pen(random, bank, draw_manner(random, styled, medium != "text"))
        self.draft = Draft("html", "table") if medium == "html" else Draft("pdf" if medium == "pdf" else "spreadsheet")
        self.draft.rows_judged = True
        self.tables = 0
        self.bottom = 0 if medium != "spreadsheet" else self.pen.pick((0, 0, 0, 0, 1, 2, 4))
        self.left = 0 if medium != "spreadsheet" else self.pen.pick((0, 0, 0, 0, 0, 1, 1, 2))
        self.right = self.left  # the first column right of everything

    def one_table(self) -> Draft:
        """One table, as on a web page or in print; a title or notes inside it are merged over its width."""
        pen = self.pen
        web = self.draft.medium == "html"
        if web and pen.chance(0.1):
            block, _ = draw_pairs(pen, pen.number(3, 20), 1)
        else:
            block = self.table(*draw_size(pen))
        width = max(column + block.spans.get((row, column), (1, 1))[1] for row, column in block.cells)
        if pen.manner.spans and width > 1 and pen.chance(0.08 if web else 0.02):
            look = Look(bold=pen.manner.title_bold, align=pen.pick((None, "center")))
            self.say(0, 0, (pen.title(), TEXT), look, TITLE)
            self.draft.spans[0, 0] = (1, width)
            self.bottom = 1
        self.put(block, self.bottom, 0)
        if pen.chance(0.1 if web else 0.04):
            self.notes(pen.number(1, 2))
        return self.draft

    def fill(self) -> Draft:
        """A whole sheet."""
        pen = self.pen
        kind = pen.among(one=11, stack=3, side=1.8, grid=0.5, form=0.5, text=0.25)
        self.titles(pen.pick((0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)), pen.number(1, 10))
        if kind == "form" or pen.chance(0.12):
            self.form(pen.number(2, 14) if kind == "form" else pen.number(1, 6), self.left)
        if kind == "one":
            self.put(self.table(*draw_size(pen)), self.bottom, self.left)
        elif kind == "stack":
            self.stack()
        elif kind in ("side", "grid"):
            for _ in range(1 if kind == "side" else pen.number(2, 3)):
                self.side_by_side()
            self.draft.rows_judged = not self.draft.derived  # a row that is a total here may be none beside
        elif kind == "text":
            self.lines(pen.number(2, 15), NOTE, self.left)
        if kind != "form" and pen.chance(0.07):
            self.bottom += pen.number(1, 2)
            self.form(pen.number(1, 6), self.left)
        if kind != "form" and pen.chance(0.06):
            self.form_beside()
        if pen.chance(0.42):
            self.notes(pen.pick((1, 1, 1, 2, 2, 3, 4, 6)))
        self.strays()
        return self.draft

    def table(self, rows: int, columns: int) -> Draft:
        while True:
            draft, _ = draw_any(self.pen, rows, columns)
            if 2 < len(draft.cells) < _LONGEST:
                return draft
            rows, columns = max(2, rows // 2), max(1, columns // 2)
            if len(draft.cells) <= 2:
                rows, columns = rows + 4, columns + 2

    def put(self, block: Draft, row: int, column: int) -> None:
        """Put a table on the sheet, its first cell at a row and column."""
        draft, number = self.draft, self.tables
        self.tables += 1

        for (at, beside), content in block.cells.items():
            cell = at + row, beside + column
            draft.cells[cell] = content
            draft.table[cell] = number
            self.bottom = max(self.bottom, cell[0] + 1)
            self.right = max(self.right, cell[1] + 1)
        for (at, beside), role in block.role.items():
            draft.role[at + row, beside + column] = role
        for (at, beside), (down, across) in block.spans.items():
            draft.spans[at + row, beside + column] = (down, across)
            self.right = max(self.right, beside + column + across)
            self.bottom = max(self.bottom, at + row + down)
        for known, target in ((block.parent, draft.parent), (block.head, draft.head)):
            for (at, beside), over in known.items():
                target[at + row, beside + column] = None if over is None else (over[0] + row, over[1] + column)
        draft.derived |= {at + row for at in block.derived}

    def say(self, row: int, column: int, label: Label, look: Look, role: int) -> None:
        """Write a cell outside tables, unless the place is taken."""
        if (row, column) not in self.draft.cells and label[0].strip():
            self.draft.put((row, column), label[0], look._replace(stored=label[1]), role, OUTSIDE)
            self.right = max(self.right, column + 1)

    def titles(self, count: int, width: int) -> None:
        """Lines above a table: the first the largest, some to the right, some merged over the table's width."""
        pen, manner = self.pen, self.pen.manner
        for number in range(count):
            column = self.left
            if pen.chance(0.08):
                column += pen.number(1, max(1, width))
            bold = manner.title_bold and (number == 0 or pen.chance(0.5))
            big = int(manner.title_big and number < 2)
            italic = manner.styled and number > 0 and pen.chance(0.1)
            look = Look(bold=bold, italic=italic, size=big, align=manner.title_align if column == self.left else None)
            title = pen.title()
            self.say(self.bottom, column, (title, TEXT), look, TITLE)
            if manner.spans and column == self.left and pen.chance(0.3 if manner.title_align else 0.1) and width > 1:
                self.draft.spans[self.bottom, column] = (1, width)
                if pen.chance(0.3):
                    self.draft.cells[self.bottom, column] = (title, look._replace(across=True, align=None))
            elif pen.chance(0.05):
                label = pen.dates(1)[0] if pen.chance(0.5) else (pen.pick(words.SUBTITLES), TEXT)
                self.say(self.bottom, column + pen.number(2, 8), label, Look(), TITLE)
            self.bottom += 1 + pen.chance(0.1)
        if count:
            self.bottom += pen.pick((0, 0, 0, 1, 1, 1, 2))

    def lines(self, count: int, role: int, column: int) -> None:
        pen = self.pen
        small = -int(pen.manner.styled and pen.chance(0.25))
        marked = pen.chance(0.1)
        for number in range(count):
            look = Look(
                size=small, italic=pen.manner.styled and pen.chance(0.08), bold=pen.manner.styled and pen.chance(0.06)
            )
            if marked:
                self.say(self.bottom, column, (f"{number + 1})", TEXT), look, role)
            self.say(self.bottom, column + marked, (pen.note(), TEXT), look, role)
            self.bottom += 1 + pen.chance(0.08)

    def notes(self, count: int) -> None:
        pen = self.pen
        self.bottom += pen.pick((0, 0, 1, 1, 1, 2)) if self.draft.medium == "spreadsheet" else 0
        first = self.bottom
        self.lines(count, NOTE, self.left)
        if pen.manner.spans and pen.chance(0.2) and self.right - self.left > 1:
            for row in range(first, self.bottom):
                if (row, self.left) in self.draft.cells and (row, self.left + 1) not in self.draft.cells:
                    self.draft.spans[row, self.left] = (1, self.right - self.left)

    def form(self, count: int, column: int) -> None:
        """Labels with what they name beside them, in one or two columns of pairs."""
        pen = self.pen
        sets, apart = (2, pen.number(3, 4)) if pen.chance(0.2) else (1, 0)
        to_value = pen.pick((1, 1, 1, 1, 2, 3))
        bold, filled = pen.manner.styled and pen.chance(0.4), pen.manner.styled and pen.chance(0.15)
        for _ in range(count):
            for at in range(sets):
                start = column + at * (apart + to_value - 1)
                self.say(self.bottom, start, (pen.field(), TEXT), Look(bold=bold), FIELD)
                if pen.chance(0.93):
                    self.say(self.bottom, start + to_value, self.value(), Look(fill=filled), FIELD)
            self.bottom += 1 + pen.chance(0.12)
        self.bottom += pen.pick((0, 1, 1, 1, 1, 1, 2, 2))

    def value(self) -> Label:
        pen = self.pen
        if pen.chance(0.5):
            measure = draw_measure(pen)
            return say_number(draw_number(pen, measure, 0.05), measure)
        return say_text(pen, draw_texts(pen)) if pen.chance(0.6) else pen.dates(1)[0]

    def form_beside(self) -> None:
        """A small form to the right of what is there."""
        bottom = self.bottom
        self.bottom = self.pen.number(0, max(0, bottom - 3))
        self.form(self.pen.number(1, 4), self.right + self.pen.number(1, 2))
        self.bottom = max(bottom, self.bottom)

    def stack(self) -> None:
        """Tables one below the other, with titles or heads of their own."""
        pen = self.pen
        titled, same = pen.chance(0.6), pen.chance(0.5)
        size = draw_size(pen)
        size = min(size[0], 15), size[1]
        forest = draw_plan(pen, size[1]).forest if pen.chance(0.5) else None
        for number in range(pen.number(2, 5)):
            if number:
                shown = titled and (pen.manner.title_bold or pen.manner.title_big)
                self.bottom += pen.pick((0, 1, 1, 1, 2, 3)) if shown else pen.pick((1, 1, 1, 2, 2, 3))
                if titled:
                    self.titles(pen.pick((1, 1, 1, 2)), size[1])
            rows, columns = size if same else (pen.number(2, 12), pen.number(1, 8))
            headed = not (number and titled and forest and pen.chance(0.1))
            block = self._alike(rows, forest, headed) if forest else self.table(rows, columns)
            self.put(block, self.bottom, self.left + (pen.number(1, 2) if pen.chance(0.05) else 0))
            if pen.chance(0.08):
                self.notes(1)
            if len(self.draft.cells) > _MOST:
                return

    def _alike(self, rows: int, forest: list[Node], headed: bool) -> Draft:
        """One of several tables with the same heads; `headed` False has only the first write them."""
        pen = self.pen
        stub = flat_stub(pen, rows) if pen.chance(0.6) else draw_stub(pen, rows)
        return make_table(pen, stub, plan_of(pen, forest, close=True), headed=headed)[0]

    def side_by_side(self) -> None:
        """Tables beside each other, each with a stub of its own."""
        pen = self.pen
        titled, alike, gap = pen.chance(0.4), pen.chance(0.6), pen.pick((0, 1, 1, 1, 2, 3))
        top, deepest, column = self.bottom, self.bottom, self.left
        rows = pen.pick((3, 4, 5, 6, 8, 10, 12, 16, 24))
        forest = draw_plan(pen, pen.pick((1, 1, 2, 2, 3, 4))).forest
        for _ in range(pen.number(2, 3)):
            stub, plan = self._beside(rows, alike or gap == 0, forest)
            block, plan = make_table(pen, stub, plan, headed=gap == 0 or None)
            start = top + titled + (pen.number(0, 3) if gap and pen.chance(0.1) else 0)
            if titled:
                bold = pen.manner.title_bold
                self.say(start - 1, column, (pen.title(), TEXT), Look(bold=bold, size=int(pen.manner.title_big)), TITLE)
            self.put(block, start, column)
            deepest = max(deepest, self.bottom)
            column += stub.width + stub.spaced + plan.extent + gap
            if len(self.draft.cells) > _MOST:
                break
        self.bottom = deepest + pen.number(1, 3)

    def _beside(self, rows: int, alike: bool, forest: list[Node]) -> tuple[Stub, Plan]:
        """A stub and the columns of one of several tables beside each other."""
        pen = self.pen
        stub = flat_stub(pen, rows) if alike else ledger_stub(pen) if pen.chance(0.25) else draw_stub(pen, rows)
        if not stub.width:
            stub = flat_stub(pen, rows)
        stub.spaced = False
        if not alike and pen.chance(0.7):
            forest = draw_plan(pen, pen.pick((1, 1, 2, 2, 3, 4))).forest
        return stub, plan_of(pen, forest, close=True)

    def strays(self) -> None:
        """Cells that belong to nothing: single ones, and at times a few numbers or words together."""
        pen = self.pen
        if not pen.chance(0.25):
            return
        for _ in range(pen.number(1, 3)):
            row = pen.number(0, self.bottom + 4)
            column = self.right + pen.number(1, 4) if row < self.bottom else self.left + pen.number(0, 6)
            if row == self.bottom or pen.chance(0.1):
                continue
            number = pen.chance(0.5)
            count = pen.number(2, 5) if pen.chance(0.3) else 1
            down = pen.chance(0.6)
            measure = draw_measure(pen)
            for at in range(count):
                text = pen.said(words.STRAYS, pen.bank.strays, 0.5)
                label = say_number(draw_number(pen, measure, 0.1), measure) if number else (text, TEXT)
                self.say(row + at * down, column + at * (not down), label, Look(), OTHER)
