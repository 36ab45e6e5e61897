"""The heads of a made table: a forest of labels over columns, and how it is laid out in rows.

Out: a `Heads` with the cells of the head rows; which cell is whose parent follows from the forest, not from the layout.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tabellion.interpret.targets import HEAD, JOIN, LEVEL
from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.draft import Cell, Draft, Look
from tabellion.model.grid import TEXT


@dataclass(slots=True, eq=False)
class Node:
    """A head and the heads below it; `sums` marks a total of the columns beside it."""

    label: Label
    below: list[Node] = field(default_factory=list)
    sums: bool = False

    def width(self) -> int:
        return sum(one.width() for one in self.below) if self.below else 1

    def depth(self) -> int:
        return 1 + max((one.depth() for one in self.below), default=0)


@dataclass(slots=True)
class Plan:
    """The columns of a table: where each stands, counted from the first after the stub, and what it sums up."""

    forest: list[Node]
    places: list[int]
    sums: dict[int, list[int]]

    @property
    def count(self) -> int:
        return len(self.places)

    @property
    def extent(self) -> int:
        return self.places[-1] + 1 if self.places else 0


def draw_plan(pen: Pen, most: int) -> Plan:
    """Heads over at most about so many columns."""
    depth = 1 if most < 3 else pen.pick((1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4))
    forest = _forest(pen, depth, most)
    if pen.chance(0.07) and depth < 4:
        forest = [Node((pen.pick(words.OUTER_HEADS), TEXT), forest)]
    elif pen.chance(0.04):
        forest.insert(0, Node((pen.pick(("Unit", "Units", "Einheit", "Unité", "Unidad")), TEXT)))
    return plan_of(pen, forest)


def plan_of(pen: Pen, forest: list[Node], close: bool = False) -> Plan:
    """Where the columns of a forest stand; `close`: without blank columns between."""
    places: list[int] = []
    sums: dict[int, list[int]] = {}
    spaced = len(forest) > 1 and not close and pen.chance(0.1)
    at = 0
    for number, node in enumerate(forest):
        if number and not close and (spaced or pen.chance(pen.manner.wide)):
            at += 1
        _columns(node, len(places), sums)
        for _ in range(node.width()):
            places.append(at)
            at += 1
    column = 0
    for node in forest:
        if node.sums and not node.below:
            sums[column] = [other for other in range(len(places)) if other != column and other not in sums]
        column += node.width()
    return Plan(forest, places, sums)


def _columns(node: Node, first: int, sums: dict[int, list[int]]) -> None:
    """Note which columns under a node sum up those beside them."""
    column = first
    totals = [one for one in node.below if one.sums and not one.below]
    for one in node.below:
        if one in totals:
            last = first + node.width()
            sums[column] = [other for other in range(first, last) if other != column]
        else:
            _columns(one, column, sums)
        column += one.width()


def _forest(pen: Pen, depth: int, most: int) -> list[Node]:
    """Heads of so many levels: one list under each outer head alike, or outer heads over parts of a list."""
    if depth == 1:
        count = max(1, min(most, pen.pick((1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 10, 12, 14))))
        nodes = [Node(label) for label in pen.heads(count)]
        return _with_total(pen, nodes, 0.12)
    if pen.chance(0.6):
        inner = pen.pick((2, 2, 2, 3, 3, 4)) if depth == 2 else pen.pick((2, 4, 4, 6))
        base = _forest(pen, depth - 1, max(1, min(inner, most // 2)))
        if len(base) == 1:
            base = [Node(label) for label in pen.heads(2)]
        count = max(1, min(pen.number(2, 5), most // max(1, sum(node.width() for node in base))))
        return _with_total(pen, [Node(label, [_copy(one) for one in base]) for label in pen.heads(count)], 0.1)
    base = _forest(pen, depth - 1, most)
    nodes = []
    while base:
        size = pen.pick((1, 2, 2, 3, 3, 4))
        taken, base = base[:size], base[size:]
        if len(taken) == 1 or pen.chance(0.15):
            nodes += taken
        else:
            label = (pen.said(words.OUTER_HEADS, pen.pick(pen.bank.heads) if pen.bank.heads else (), 0.3), TEXT)
            nodes.append(Node(pen.heads(1)[0] if pen.chance(0.3) else label, taken))
    return nodes


def _with_total(pen: Pen, nodes: list[Node], share: float) -> list[Node]:
    if len(nodes) > 1 and pen.chance(share):
        total = Node((pen.pick(words.TOTALS), TEXT), sums=True)
        return [total, *nodes] if pen.chance(0.5) else [*nodes, total]
    return nodes


def _copy(node: Node) -> Node:
    return Node(node.label, [_copy(one) for one in node.below], node.sums)


class HeadRows:
    """Lays the heads of a plan into a draft, from its first row and behind the stub; `height` rows in the end."""

    def __init__(self, pen: Pen, draft: Draft, plan: Plan, first: int) -> None:
        self.pen, self.draft, self.plan, self.first = pen, draft, plan, first
        self.depth = max((node.depth() for node in plan.forest), default=0)
        self.way = self._way()
        self.lone = pen.among(bottom=4, top=1.5, merged=3 if pen.manner.spans else 0)
        self.leaves: list[Cell] = []
        self.height = 0
        self.united = False  # whether units stand in a row of their own
        self.repeated: dict[tuple[int, int], Cell] = {}

    def _way(self) -> str:
        pen, manner = self.pen, self.pen.manner
        spans = 5 if manner.spans else 0
        way = pen.among(merged=spans, across=1.7 if spans and manner.styled else 0, spread=4, repeated=1.2, middle=0.5)
        if way == "middle":
            outer = [node.width() for node in self.plan.forest]
            even = self.depth == 2 and min(outer) == max(outer) > 1 and all(node.below for node in self.plan.forest)
            way = "middle" if even and outer[0] % 2 and manner.styled else "spread"
        return way

    def lay(self) -> None:
        pen = self.pen
        leaves = [node for tree in self.plan.forest for node in _leaves(tree)]
        wraps = pen.chance(0.25)
        pieces = [_pieces(pen, node.label) if wraps else [node.label] for node in leaves]
        self.deep = max((len(one) for one in pieces), default=0)
        self.pieces = iter(pieces)
        self.height = self.depth - 1 + self.deep if self.depth else 0
        self.top_lone = pen.chance(0.2)
        column = 0
        for node in self.plan.forest:
            self._lay_node(node, 0, column, None, {})
            column += node.width()
        if self.height and pen.chance(0.1):
            self._lay_units()
        elif self.height and pen.chance(0.02):
            self._lay_numbers()

    def place(self, column: int) -> int:
        return self.first + self.plan.places[column]

    def look(self, label: Label, level: int) -> Look:
        manner = self.pen.manner
        return Look(
            stored=label[1], bold=manner.head_bold, align=manner.head_align, fill=manner.head_fill,
            above=manner.boxed or (manner.head_above and level == 0),
            below=manner.boxed or (manner.head_below and level == self.height - 1),
        )  # fmt: skip

    def _put(self, cell: Cell, label: Label, role: int, above: Cell | None) -> None:
        self.draft.put(cell, label[0], self.look(label, cell[0]), role, 0)
        if role != LEVEL:
            self.draft.parent[cell] = above

    def _lay_node(self, node: Node, level: int, column: int, above: Cell | None, over: dict[int, Cell]) -> None:
        """Lay a head and those below it; `over` holds, where outer heads are repeated, the one over each column."""
        if not node.below:
            self._lay_leaf(level, column, over.get(column, above))
            return
        width = node.width()
        first, last = self.place(column), self.place(column + width - 1)
        if self.way == "repeated":
            mine = {}
            for at in range(column, column + width):
                mine[at] = (level, self.place(at))
                self._put(mine[at], node.label, HEAD, over.get(at, above))
            over, cell = mine, mine[column]
        else:
            cell = (level, self.place(column + width // 2) if self.way == "middle" else first)
            self._put(cell, node.label, HEAD, above)
            text, look = self.draft.cells[cell]
            if self.way in ("merged", "across") and last > first:
                self.draft.spans[cell] = (1, last - first + 1)
                centred = self.pen.manner.head_align if self.way == "merged" else None
                self.draft.cells[cell] = (text, look._replace(across=self.way == "across", align=centred))
            elif self.way == "middle":
                self.draft.cells[cell] = (text, look._replace(align="center"))
        inner = column
        for one in node.below:
            self._lay_node(one, level + 1, inner, cell, over)
            inner += one.width()

    def _lay_leaf(self, level: int, column: int, above: Cell | None) -> None:
        pieces = next(self.pieces)
        lone = level < self.depth - 1
        start = self.depth - 1 if not lone else level
        way = self.lone
        if lone and way == "bottom" and self.way in ("spread", "repeated") and column and self._spreads(level, column):
            way = "top"
        if not lone or way == "bottom":
            start = self.height - len(pieces) if not (self.top_lone and not lone) else self.depth - 1
        cell = (start, self.place(column))
        self._put(cell, pieces[0], HEAD, above)
        for at, piece in enumerate(pieces[1:], 1):
            self._put((start + at, cell[1]), piece, JOIN, cell)
        if len(pieces) == 1 and start < self.height - 1 and self.pen.manner.spans and way == "merged":
            self.draft.spans[cell] = (self.height - start, 1)
        self.leaves.append(cell)

    def _spreads(self, level: int, column: int) -> bool:
        """Whether a head to the left would spread over a column that is left empty at this level."""
        return any(cell[0] <= level and cell[1] < self.place(column) for cell in self.draft.cells if cell[0] == level)

    def _lay_units(self) -> None:
        """A row of units below the heads, or one unit over all columns."""
        pen, self.united = self.pen, True
        unit, row = pen.pick(words.UNITS), self.height
        self.height += 1
        kind = pen.among(each=4, same=3, some=2, over=2)
        if kind == "over" and self.plan.count > 1 and pen.manner.spans:
            cell = (row, self.place(0))
            self._put(cell, (unit, TEXT), LEVEL, None)
            self.draft.spans[cell] = (1, self.plan.extent)
            return
        for column, leaf in enumerate(self.leaves):
            if kind == "some" and column and pen.chance(0.5):
                continue
            down = self.draft.spans.get(leaf, (1, 1))[0]
            if leaf[0] + down <= row:
                own = unit if kind in ("same", "over") else pen.pick(words.UNITS)
                self._put((row, leaf[1]), (own, TEXT), HEAD, leaf)

    def _lay_numbers(self) -> None:
        """A row that numbers the columns."""
        form = self.pen.pick(("({})", "{}", "({})", "[{}]"))
        row = self.height
        self.height += 1
        for column, leaf in enumerate(self.leaves):
            self._put((row, leaf[1]), (form.format(column + 1), 2 if form == "{}" else TEXT), HEAD, leaf)


def _leaves(node: Node) -> list[Node]:
    return [leaf for one in node.below for leaf in _leaves(one)] if node.below else [node]


def _pieces(pen: Pen, label: Label) -> list[Label]:
    """The lines in which a head of several words is broken."""
    parts = label[0].split(" ")
    if label[1] != TEXT or len(parts) < 2 or pen.chance(0.2):
        return [label]
    cut = pen.number(1, len(parts) - 1)
    found = [" ".join(parts[:cut]), " ".join(parts[cut:])]
    if len(parts) - cut > 1 and pen.chance(0.3):
        found = [found[0], parts[cut], " ".join(parts[cut + 1 :])]
    return [(text, TEXT) for text in found if text]
