"""Reading the tables of a parsed page: captions, columns, sections, rows and cells.

In: the node of a table. Out: a `Gathering` with the text, look and contents of each cell. What stands in a cell is read
by `flow`, which comes back here for the tables in it; beyond a depth of nesting they are counted, not read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from operator import add
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from tabellion.model.document import Mark
from tabellion.model.markup import CandidateKind, Heading, Section
from tabellion.read.web.cells import (
    LINE_END,
    MOST_ACROSS,
    MOST_DOWN,
    Box,
    CellRecord,
    Gathering,
    leading_blanks,
    read_span,
)
from tabellion.read.web.looks import HIDDEN, LINK, PLAIN_LOOK, SPECIAL, Attributes, Looks

_SECTIONS = {"thead": Section.HEAD, "tbody": Section.BODY, "tfoot": Section.FOOT}
_SECTION_MARKS = {Section.BODY: 0, Section.HEAD: int(Mark.IN_HEAD), Section.FOOT: int(Mark.IN_FOOT)}
_ARIA_CELLS = {"cell": 0, "gridcell": 0, "columnheader": int(Mark.HEADING), "rowheader": int(Mark.HEADING)}
_ARIA_CELL_SELECTOR = ",".join(f"[role={role}]" for role in _ARIA_CELLS)
_HEADING, _LINKED = int(Mark.HEADING), int(Mark.LINK)
_CELLS = ("td", "th")  # a td that has a scope is a header too
_BARE, _STYLED, _LINKING = 1, 2, 3
_WRAPPERS = {  # elements that the text of a cell may stand in
    **dict.fromkeys(["div", "p", "center", "font", "span", "b", "strong", "i", "em", "u", "small", "big"], _STYLED),
    **dict.fromkeys(("ix:nonfraction", "ix:nonnumeric"), _BARE),  # of filings: inline XBRL
    "a": _LINKING,
}
_PAIR = 2  # a term and what is said of it
LONGEST_PATH = 400  # steps of a selector
_DEEPEST_LOOK = 400  # elements around a table that may hand down a look

_MOST_TOLD = 20_000  # cells told apart by all attributes: bounds memory where each has its own

Trail = list[tuple[str, int]]


class _CellTold(NamedTuple):
    """What the tag of a cell says: its spans, whether it is sized, whether it speaks of headers itself, its look, and
    what there is of it when it holds nothing.
    """

    span: tuple[int, int]
    is_sized: bool
    speaks: bool | None  # None: nothing to declare
    look: int
    empty: CellRecord


class TableWalk(ABC):
    """What a walk knows, and how it reads tables. `found` holds the candidates in document order."""

    def __init__(self, looks: Looks, deepest: int) -> None:
        self.found: list[Gathering] = []
        self.headings: list[Heading] = []
        self.letters = 0
        self.too_deep = 0
        self._looks = looks
        self._deepest = deepest
        self._trail: Trail = []  # tag, and number among the siblings, of the elements that are open
        self._open: list[Gathering] = []
        self._around: dict[int, int] = {}  # the look inside elements that tables lie in
        self._tables = 0
        self._read_lists: set[int] = set()  # definition lists that were read with the one before them
        self._told_cells: dict[tuple[object, ...], _CellTold] = {}  # by row and tag as written

    @abstractmethod
    def flow(self, root: LexborNode, look: int, box: Box) -> None:
        """Read all that stands in an element into a box."""

    def _start(
        self, kind: CandidateKind, node: LexborNode, box: Box, look: int, trail: Iterable[tuple[str, int]]
    ) -> Gathering | None:
        """A new candidate, or None where candidates are nested too deep."""
        if len(self._open) >= self._deepest:
            self.too_deep += 1
            return None
        self._trail.extend(trail)
        attributes = {name: value or "" for name, value in node.attributes.items()}
        made = Gathering(kind, len(self.found), _path(self._trail), attributes, len(self._open))
        made.parent = self._open[-1].number if self._open else None
        made.heading = self.headings[-1] if self.headings else None
        made.start = self.letters
        made.before = box.last_line()
        made.hidden = bool(self._looks.flags[look] & HIDDEN)
        box.parts.append(LINE_END)
        self.found.append(made)
        self._open.append(made)
        return made

    def _end(self, made: Gathering, box: Box, opened: int) -> None:
        self._open.pop()
        made.compact()
        del self._trail[len(self._trail) - opened :]
        box.parts.append(LINE_END)
        made.after_at = len(box.parts)
        if box.waiting is None:
            box.waiting = []
        box.waiting.append(made)

    def _look_around(self, node: LexborNode) -> int:
        """The look outside a table, of all that it lies in; outside tables looks are not kept."""
        above: list[LexborNode] = []
        at = node.parent
        look: int | None = None
        while at is not None and len(above) < _DEEPEST_LOOK:
            look = self._around.get(at.mem_id)
            if look is not None:
                break
            above.append(at)
            at = at.parent
        look = PLAIN_LOOK if look is None else look
        for each in reversed(above):
            look = self._around[each.mem_id] = self._looks.enter(look, each.tag or "", each.attributes)
        return look

    def table(self, node: LexborNode, look: int, box: Box, trail: Trail) -> None:
        """Read a `<table>`."""
        look = self._looks.enter(look if self._open else self._look_around(node), "table", node.attributes)
        made = self._start("table", node, box, look, trail)
        box.nested += 1
        if made is None:
            self._tables += len(node.css("table"))
            return
        made.table_index = self._tables
        self._tables += 1
        look = PLAIN_LOOK if made.hidden else look
        group = 0
        for number, part in _elements(node):
            tag = part.tag or ""
            if tag in _SECTIONS:
                group += 1
                inside = self._looks.enter(look, tag, part.attributes)
                fill = self._looks.told[inside].fill
                self._trail.append((tag, number))
                for place, row in _elements(part):
                    if row.tag == "tr":
                        self._row(made, row, inside, fill, _SECTIONS[tag], group, place)
                self._trail.pop()
            elif tag == "tr":
                self._row(made, part, look, None, Section.BODY, group, number)
            elif tag == "caption" and made.caption is None:
                held = Box()
                self.flow(part, look, held)
                made.caption = held.text().strip() or None
            elif tag in ("colgroup", "col"):
                made.declared_columns += _count_columns(part)
        self._end(made, box, len(trail))

    def _row(
        self, made: Gathering, node: LexborNode, look: int, fill: str | None, section: int, group: int, place: int
    ) -> None:
        looks, flags, cells = self._looks, self._looks.flags, made.cells
        row = looks.enter(look, "tr", node.attributes)
        spans: list[tuple[int, int]] = []
        made.rows.append((section, group, spans))
        row_marks = _SECTION_MARKS[section]
        number = 0
        for cell in node.iter():
            tag = cell.tag
            number += tag != "-comment"
            if tag not in _CELLS:
                continue
            attributes = cell.attributes
            marks = row_marks | _HEADING if tag == "th" or attributes.get("scope") else row_marks
            met = (row, fill, marks, tag, *attributes, *attributes.values())
            told = self._told_cells.get(met)
            if told is None:
                told = self._tell_cell(row, fill, marks, tag, attributes)
                if len(self._told_cells) < _MOST_TOLD:
                    self._told_cells[met] = told
            span, is_sized, speaks, inside, empty = told
            spans.append(span)
            made.sized += is_sized
            if speaks is not None:
                made.declare(attributes, speaks)
            child = cell.first_child
            if child is None:
                cells.append(empty)
                continue
            alone, look, links = child.next is None, inside, 0
            while alone and child is not None and (how := _WRAPPERS.get(child.tag or "", 0)):
                if how != _BARE:
                    held = child.attributes
                    look = looks.enter(look, child.tag or "", held)
                    links += how == _LINKING and "href" in held
                child = child.first_child
                alone = child is None or child.next is None
            if alone and (child is None or child.tag == "-text") and not flags[look] & SPECIAL:
                cells.append(self._plain_cell(child, look, links, inside, row, fill, marks))
                continue
            if alone and child is not None and child.tag == "data":
                made.exact[len(cells)] = child.attributes.get("value") or ""
            box = Box()
            self._trail += (("tr", place), (tag, number))
            self.flow(cell, inside, box)
            del self._trail[-2:]
            cells.append(box.record(looks, inside, row, fill, marks))

    def _plain_cell(
        self, text_node: LexborNode | None, look: int, links: int, inside: int, row: int, fill: str | None, marks: int
    ) -> CellRecord:
        """A cell that holds one text, or nothing."""
        raw = (text_node.text_content or "") if text_node is not None else ""
        text = " ".join(raw.split())
        length = len(text)
        if not length:
            return "", self._looks.style(inside, inside, row, fill), marks, 0, 0, links, 0, 0, 0, 0
        self.letters += length
        if "\xa0" in raw[:8]:
            text = leading_blanks(raw) + text
        linked = len(text) if self._looks.flags[look] & LINK else 0
        if linked:
            marks |= _LINKED
        return text, self._looks.style(look, inside, row, fill), marks, length, linked, links, 0, 0, 0, 0

    def _tell_cell(self, row: int, fill: str | None, marks: int, tag: str, attributes: Attributes) -> _CellTold:
        """What the tag of a cell says; cells that are written alike are told once."""
        down, across = attributes.get("rowspan"), attributes.get("colspan")
        speaks = "scope" in attributes or "headers" in attributes
        inside = self._looks.enter(row, tag, attributes)
        return _CellTold(
            (read_span(down, MOST_DOWN, 0), read_span(across, MOST_ACROSS)),
            "width" in attributes or "height" in attributes,
            speaks if speaks or "id" in attributes else None,
            inside,
            ("", self._looks.style(inside, inside, row, fill), marks, 0, 0, 0, 0, 0, 0, 0),
        )

    def aria(self, node: LexborNode, look: int, box: Box, trail: Trail) -> None:
        """Read an element whose role is table, grid or treegrid."""
        look = self._looks.enter(look if self._open else self._look_around(node), node.tag or "", node.attributes)
        made = self._start("aria", node, box, look, trail)
        if made is None:
            self._tables += len(node.css("table"))
            return
        tables = self._tables + len(node.css("table"))
        look = PLAIN_LOOK if made.hidden else look
        for row in node.css("[role=row]"):
            spans: list[tuple[int, int]] = []
            for cell in row.css(_ARIA_CELL_SELECTOR):
                attributes = cell.attributes
                down = read_span(attributes.get("aria-rowspan"), MOST_DOWN)
                spans.append((down, read_span(attributes.get("aria-colspan"), MOST_ACROSS)))
                made.declare(attributes, "header" in (attributes.get("role") or ""))
                made.cells.append(self._cell(cell, look, _ARIA_CELLS[attributes.get("role") or "cell"]))
            made.rows.append((Section.BODY, 0, spans))
        self._tables = tables
        self._end(made, box, len(trail))

    def definitions(self, node: LexborNode, look: int, box: Box, trail: Trail) -> None:
        """Read a definition list: a term and what is said of it make a row. The text stays with the container too.

        Lists of one pair that follow each other are one list.
        """
        if node.mem_id in self._read_lists:
            return
        made = self._start("definitions", node, box, look, trail)
        if made is None:
            self._tables += len(node.css("table"))
            return
        tables = self._tables + len(node.css("table"))
        parts = _definition_parts(node)
        if len(parts) <= _PAIR:
            for other in _following_lists(node):
                self._read_lists.add(other.mem_id)
                parts += _definition_parts(other)
                tables += len(other.css("table"))
        marks = {"dt": _HEADING, "dd": 0}
        _pair(made, [self._cell(part, look, marks[part.tag or ""]) for part in parts])
        self._tables = tables
        self._end(made, box, len(trail))
        for text in made.texts:
            box.parts += (text, LINE_END)

    def _cell(self, node: LexborNode, look: int, marks: int) -> CellRecord:
        box = Box()
        inside = self._looks.enter(look, node.tag or "", node.attributes)
        self.flow(node, inside, box)
        return box.record(self._looks, inside, PLAIN_LOOK, None, marks)


def _elements(node: LexborNode) -> enumerate[LexborNode]:
    """The elements in an element, numbered as style sheets number them: comments do not count."""
    return enumerate((part for part in node.iter() if part.tag != "-comment"), 1)


def _definition_parts(node: LexborNode) -> list[LexborNode]:
    """The terms of a definition list and what is said of them, in their order."""
    parts = (part for child in node.iter() for part in (child.iter() if child.tag == "div" else (child,)))
    return [part for part in parts if part.tag in ("dt", "dd")]


def _following_lists(node: LexborNode) -> Iterator[LexborNode]:
    """The definition lists of one pair that come right after a list."""
    after = node.next
    while after is not None:
        if after.tag == "dl" and len(_definition_parts(after)) == _PAIR:
            yield after
        elif after.tag != "-comment" and not (after.tag == "-text" and (after.text_content or "").isspace()):
            return
        after = after.next


def _count_columns(node: LexborNode) -> int:
    columns = [part for part in node.iter() if part.tag == "col"] or [node]
    return sum(read_span(column.attributes.get("span"), MOST_ACROSS) for column in columns)


def _pair(made: Gathering, told: list[CellRecord]) -> None:
    """Terms and what is said of them as rows of two cells; several of one kind in a row are lines of one cell."""
    row: list[CellRecord] = []
    rows: list[list[CellRecord]] = []
    for cell in told:
        term = cell[2] & _HEADING
        if row and (row[-1][2] & _HEADING) == term:
            text = f"{row[-1][0]}\n{cell[0]}".strip("\n")
            style, marks, _, *held = row[-1][1:]
            linked, links, images, forms, items, nested = map(add, held, cell[4:])
            row[-1] = (text, style, marks, len(text), linked, links, images, forms, items, nested)
        elif row and not term:
            row.append(cell)
        else:
            row = [cell]
            rows.append(row)
    for row in rows:
        made.cells += row
        made.rows.append((Section.BODY, 0, [(1, 1)] * len(row)))


def _path(trail: Trail) -> str:
    """A selector that finds the element; of very deep ones from the nearest elements on."""
    steps = trail[-LONGEST_PATH:]
    return " > ".join(name if name in ("html", "body") else f"{name}:nth-child({at})" for name, at in steps)
