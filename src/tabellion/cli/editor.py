"""The editor of a table as a thing that keys act on; `editor_screen` draws it and brings it to a terminal.

In: a table under repair, and one key after the other. Out: strokes, kept as they are made, and a message. There are two
places to be: the tree, where headers are picked up and put down, and the grid, where rows, columns, cells and edges are
told what they are. With preview on, a stroke is shown before it is made.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from tabellion.errors import TabellionError
from tabellion.model.correction import Saying
from tabellion.model.frame import HeaderNode
from tabellion.model.grid import CellRole, Orientation, RowRole
from tabellion.model.place import address
from tabellion.repair.lookalikes import Proposal
from tabellion.repair.places import describe
from tabellion.repair.session import Repair

if TYPE_CHECKING:
    from tabellion.library.repairing import Elsewhere

Stroke = Callable[[Repair], object]

ROW_KEYS: dict[str, RowRole] = {
    "t": "title",
    "h": "header",
    "d": "data",
    "g": "group",
    "v": "derived",
    "n": "note",
    "b": "blank",
}
EDGE_KEYS: dict[str, Literal["top", "bottom", "left", "right"]] = {"T": "top", "B": "bottom", "L": "left", "R": "right"}
TURNS: tuple[Orientation, ...] = ("row-column", "column", "row", "none")
TEXTS = ("title", "caption", "unit", "note")
HELP = (
    "anywhere  tab: tree or grid  u: undo  p: preview  a: look-alikes  A: in all documents  ?: help  q: quit",
    "tree      up, down: move  s: row or column headers  m: pick up  enter: set parent  0: no parent",
    "          left: out one level  right: in one level",
    "grid      arrows: move  t h d g v n b: row is title, header, data, group, total, note, blank",
    "          c: row headers or values  T B L R: edge of the table  / and \\: split before row, column",
    "          +: merge with the table that begins here  J K: merge with next row, column  S: split row",
    "          space: mark  M: merge cells from mark  U: split cells  o: orientation  N: no table  Y: table",
    ":         title TEXT, caption TEXT, note TEXT, unit TEXT [AREA], cell ROLE, undo ID",
)


class Editor:
    """A table under repair at a terminal."""

    def __init__(self, bench: Repair, elsewhere: Callable[[], Iterable[Elsewhere]] = tuple) -> None:
        self.bench, self.elsewhere = bench, elsewhere
        self.others: Sequence[Elsewhere] = ()
        self.focus: Literal["tree", "grid"] = "tree"
        self.side: Literal["left", "top"] = "left"
        self.node = 0
        self.row, self.column = bench.table.frame.rect.top, bench.table.frame.rect.left
        self.carried: str | None = None
        self.mark: tuple[int, int] | None = None
        self.previewing = False
        self.pending: Sequence[Saying | Proposal] = ()
        self.like: str | None = None
        self.command: str | None = None
        self.message = "? shows the keys"
        self.told: Sequence[str] = ()
        self.done = False

    def press(self, key: str) -> None:
        """One key: a letter, or up, down, left, right, enter, escape, tab, space, backspace."""
        self.message = ""
        try:
            if self.command is not None:
                self._type(key)
            elif (self.pending or self.others) and key in ("enter", "escape"):
                self._decide(key == "enter")
            else:
                self.pending, self.others, self.told = (), (), ()
                self._act(key)
        except TabellionError as error:
            self.message = str(error)
        self._stay_inside()

    @property
    def nodes(self) -> list[HeaderNode]:
        """The headers of the tree in view, in reading order."""
        tree = self.bench.table.left if self.side == "left" else self.bench.table.top
        return sorted(tree.nodes, key=lambda node: node.cells[0])

    @property
    def here(self) -> str:
        """The address of the grid's cell under the cursor."""
        return self._address(self.row, self.column)

    def _act(self, key: str) -> None:
        common: dict[str, Callable[[], None]] = {
            "tab": self._turn_to_other,
            "u": lambda: self._tell(self.bench.undo().id, "undone by"),
            "p": self._toggle_preview,
            "a": self._look_alike,
            "A": self._look_elsewhere,
            "?": lambda: self._show(HELP),
            "q": self._quit,
            ":": self._start_command,
        }
        if key in common:
            common[key]()
        elif self.focus == "tree":
            self._act_on_tree(key)
        else:
            self._act_on_grid(key)

    def _act_on_tree(self, key: str) -> None:
        nodes = self.nodes
        if key in ("up", "down"):
            self.node += 1 if key == "down" else -1
        elif key == "s":
            self.side, self.node = ("top" if self.side == "left" else "left"), 0
        elif not nodes:
            self.message = "there is no header on this side"
        elif key == "m":
            self.carried = self._node_address(nodes[self.node])
            self.message = f"{self.carried} picked up: go to its parent and press enter, or 0 for none"
        elif key == "enter" and self.carried:
            self._move(self.carried, self._node_address(nodes[self.node]))
        elif key == "0":
            self._move(self.carried or self._node_address(nodes[self.node]), None)
        elif key in ("left", "right"):
            self._indent(nodes[self.node], deeper=key == "right")
        elif key == "escape":
            self.carried = None

    def _act_on_grid(self, key: str) -> None:
        steps = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
        row, column, here = self._source_row(), self._source_column(), self.here
        frame = self.bench.table.frame
        role: Literal["stub", "value"] = "value" if self.column in frame.stub_columns else "stub"
        turn = TURNS[(TURNS.index(frame.orientation) + 1) % len(TURNS)] if frame.orientation in TURNS else TURNS[0]
        area = f"{self._address(*self.mark)}:{here}" if self.mark else here
        strokes: dict[str, Stroke] = {
            "c": lambda bench: bench.set_column_role(column, role),
            "/": lambda bench: bench.split_table(row=row),
            "\\": lambda bench: bench.split_table(column=column),
            "+": lambda bench: bench.merge_tables(row=row),
            "J": lambda bench: bench.merge_rows(row, row + 1),
            "K": lambda bench: bench.merge_columns(column, column + 1),
            "S": lambda bench: bench.split_row(row),
            "M": lambda bench: bench.merge_cells(area),
            "U": lambda bench: bench.split_cells(area),
            "o": lambda bench: bench.set_orientation(turn),
            "N": lambda bench: bench.set_table(False),
            "Y": lambda bench: bench.set_table(True, area),
        }
        if key in steps:
            self.row, self.column = self.row + steps[key][0], self.column + steps[key][1]
        elif key == "space":
            self.mark = (self.row, self.column)
            self.message = f"marked {here}"
        elif key in ROW_KEYS:
            self._stroke(lambda bench: bench.set_row_role(row, ROW_KEYS[key]))
        elif key in EDGE_KEYS:
            line = row if EDGE_KEYS[key] in ("top", "bottom") else column
            self._stroke(lambda bench: bench.move_edge(EDGE_KEYS[key], line))
        elif key in strokes:
            self._stroke(strokes[key])

    def _type(self, key: str) -> None:
        """A key while a command is typed."""
        if key == "enter":
            typed, self.command = self.command or "", None
            self._run(typed)
        elif key == "escape":
            self.command = None
        elif key == "backspace":
            self.command = (self.command or "")[:-1]
        else:
            self.command = (self.command or "") + (" " if key == "space" else key if len(key) == 1 else "")

    def _run(self, typed: str) -> None:
        word, _, rest = typed.strip().partition(" ")
        if word in TEXTS:
            text, area = rest, None
            if word == "unit":
                last = rest.rpartition(" ")
                text, area = (last[0], last[2]) if ":" in last[2] and last[0] else (rest, None)
            self._stroke(lambda bench: bench.set_text(word, text or None, area))  # type: ignore[arg-type]
        elif word == "cell" and rest in get_args(CellRole):
            here = self.here
            self._stroke(lambda bench: bench.set_cell_role(here, rest))  # type: ignore[arg-type]
        elif word == "undo":
            self._tell(self.bench.undo(rest or None).id, "undone by")
        else:
            self.message = f"no such command: {typed}; ? shows all commands"

    def _stroke(self, stroke: Stroke) -> None:
        """Make a stroke, or show what it would change."""
        planned: list[Saying] = []
        double = copy.copy(self.bench)
        vars(double)["apply"] = planned.append
        stroke(double)
        if self.previewing:
            self.pending, self.like = planned, None
            self._show(self.bench.preview(planned))
            self.message = "Enter: apply; Esc: cancel"
            return
        for said in planned:
            self.message = describe(self.bench.apply(said).operation)

    def _decide(self, accept: bool) -> None:
        pending, others = self.pending, self.others
        self.pending, self.others, self.told = (), (), ()
        if not accept:
            self.message = "cancelled"
            return
        for other in others:
            other.repair.accept(other.proposals)
        proposals = [one for one in pending if isinstance(one, Proposal)]
        for said in pending:
            if not isinstance(said, Proposal):
                self.bench.apply(said)
        self.bench.accept(proposals, self.like)
        self.message = f"{len(pending) + sum(len(other.proposals) for other in others)} applied"

    def _look_alike(self) -> None:
        proposals = self.bench.look_alikes()
        if not proposals:
            self.message = "nothing else looks like the last correction"
            return
        self.pending, self.like = proposals, self.bench.log[-1].id
        self._show([*(describe(one.operation) for one in proposals), *self.bench.preview(proposals)])
        self.message = f"{len(proposals)} look-alikes; Enter: apply all; Esc: cancel"

    def _look_elsewhere(self) -> None:
        self.others = list(self.elsewhere())
        if not self.others:
            self.message = "nothing in the other documents looks like the last correction"
            return
        told = [f"{other.source}: {line}" for other in self.others for line in other.repair.preview(other.proposals)]
        self._show(told)
        self.message = (
            f"{len(self.others)} other documents have the same look: enter makes them all; escape leaves them"
        )

    def _move(self, header: str, under: str | None) -> None:
        side, self.carried = self.side, None
        self._stroke(lambda bench: bench.move_header(header, under, side))

    def _indent(self, node: HeaderNode, *, deeper: bool) -> None:
        """Put a header under the one before it among its siblings, or beside its parent."""
        tree = self.bench.table.left if self.side == "left" else self.bench.table.top
        if deeper:
            before = [one for one in self.nodes if one.parent == node.parent and one.cells[0] < node.cells[0]]
            if before:
                self._move(self._node_address(node), self._node_address(before[-1]))
        elif node.parent is not None:
            above = tree.nodes[node.parent].parent
            self._move(self._node_address(node), None if above is None else self._node_address(tree.nodes[above]))

    def _turn_to_other(self) -> None:
        self.focus = "grid" if self.focus == "tree" else "tree"

    def _toggle_preview(self) -> None:
        self.previewing = not self.previewing
        self.message = f"preview {'on' if self.previewing else 'off'}"

    def _start_command(self) -> None:
        self.command = ""

    def _quit(self) -> None:
        self.done = True

    def _show(self, lines: Sequence[str]) -> None:
        self.told = lines

    def _tell(self, one: str, word: str) -> None:
        self.message = f"{word} {one}"

    def _stay_inside(self) -> None:
        try:
            rows, columns = self.bench.table.grid.shape
        except TabellionError as error:
            self.message = str(error)
            return
        self.row, self.column = min(max(self.row, 0), rows - 1), min(max(self.column, 0), columns - 1)
        self.node = min(max(self.node, 0), max(len(self.nodes) - 1, 0))

    def _source_row(self) -> int:
        return int(self.bench.table.grid.row_of[self.row])

    def _source_column(self) -> int:
        return int(self.bench.table.grid.column_of[self.column])

    def _address(self, row: int, column: int) -> str:
        grid = self.bench.table.grid
        return address(int(grid.row_of[row]), int(grid.column_of[column]))

    def _node_address(self, node: HeaderNode) -> str:
        return self._address(*node.cells[0])
