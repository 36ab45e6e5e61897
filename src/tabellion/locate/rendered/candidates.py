"""Tables of a rendered page: frames in the form of candidates of its markup, and what only shows once a page is drawn.

Candidates, so that all that follows is the same code. In: a `RenderedPage` and the frames found on it. Out: a
`MarkupPage` whose candidates are the frames, each cell with its slot, text, look and contents. A cell's text has its
lines parted where a block begins; its look is that of most of its letters, with the fill, borders and alignment of its
box.

Features. In: a `RenderedPage`, a way to the words of its elements, and elements that are tables. Out: one row of
numbers per table; `DRAWN_FEATURES` names them. Only cells that show words count. VENTex names learning from visual
features as the way to better judgements (section 5.1); of some sixty that were tried these are the ones that helped on
sites not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.rendered.arrangement import Part, Topology
from tabellion.model.document import Mark
from tabellion.model.markup import Boxes, Candidate, Heading, MarkupCells, MarkupPage, RenderedPage, Trait
from tabellion.model.place import Box
from tabellion.model.style import PLAIN, Style

_NEAR = 14  # words before and after a frame that are told
_HEADINGS = frozenset(f"H{level}" for level in range(1, 7))
_COUNTS = ("links", "images", "forms", "items", "nested")
_HEADING, _LINK, _PARTLY_BOLD = int(Mark.HEADING), int(Mark.LINK), int(Mark.PARTLY_BOLD)


class BoxFrame(msgspec.Struct, frozen=True, eq=False):
    """A frame: the element it was found in, its cells with their boxes, and their topology."""

    node: int
    cells: tuple[Part, ...]
    box: Boxes
    topology: Topology
    cut: bool = False  # there are more cells than are read

    @property
    def around(self) -> Box:
        """The box around all cells."""
        kept = self.box[self.topology.kept]
        left, top = (round(float(edge), 1) for edge in kept[:, :2].min(axis=0))
        right, bottom = (round(float(edge), 1) for edge in kept[:, 2:].max(axis=0))
        return Box(left, top, right, bottom)

    @property
    def words(self) -> tuple[int, int]:
        """The first of the frame's words and the end of them."""
        worded = [cell for cell in self.cells if cell.first < cell.end]
        return min((cell.first for cell in worded), default=0), max((cell.end for cell in worded), default=0)


def build_box_page(page: RenderedPage, frames: Sequence[BoxFrame]) -> MarkupPage:
    """The frames of a page as candidates, in the order given."""
    return _Builder(page).build(frames)


class _Builder:
    """Reads the text and looks of cells."""

    def __init__(self, page: RenderedPage) -> None:
        self._page = page
        nodes = page.nodes
        inline = (nodes.traits & (Trait.INLINE | Trait.BLOCKED)) > 0
        block = np.arange(len(nodes))
        for node in range(len(nodes)):
            if inline[node] and nodes.parent[node] >= 0:
                block[node] = block[nodes.parent[node]]
        words = page.words
        self._owner: list[int] = words.node.tolist()
        self._last: list[int] = nodes.last.tolist()
        self._block: list[int] = block[words.node].tolist() if len(words) else []
        self._text: list[str] = words.text.tolist()
        self._glued: list[bool] = words.glued.tolist()
        self._letters = [len(word) for word in self._text]
        self._linked: list[bool] = ((nodes.traits[words.node] & int(Trait.LINK)) > 0).tolist()
        self._node_style: list[int] = nodes.style.tolist()
        self._word_style: list[int] = nodes.style[words.node].tolist()
        traits = nodes.traits
        shown = (
            nodes.name == "A",
            (traits & int(Trait.IMAGE)) > 0,
            (traits & int(Trait.FORM)) > 0,
            nodes.name == "LI",
            nodes.name == "TABLE",
        )
        self._counts = [_running(flags) for flags in shown]  # in the order of _COUNTS
        self._headed = _running((traits & int(Trait.HEADING)) > 0)
        self._bold = [style.bold for style in page.styles]
        self._styles: dict[Style, int] = {PLAIN: 0}
        self._style_ids: dict[tuple[int, int], int] = {}
        self._headings = [
            (int(words_at), int(nodes.name[node][1]), node)
            for node, words_at in zip(*self._heading_nodes(), strict=True)
        ]

    def build(self, frames: Sequence[BoxFrame]) -> MarkupPage:
        candidates: list[Candidate] = []
        rows: list[tuple[Any, ...]] = []
        boxes: list[Boxes] = []
        for number, frame in enumerate(frames):
            first = len(rows)
            for at, cell in enumerate(frame.topology.kept.tolist()):
                slot = frame.topology
                place = (int(slot.row[at]), int(slot.column[at]), int(slot.down[at]), int(slot.across[at]))
                rows.append((number, *place, *self._cell(frame.cells[cell])))
            boxes.append(frame.box[frame.topology.kept])
            candidates.append(self._candidate(frame, first, len(rows)))
        markup = self._page.markup
        return MarkupPage(
            candidates=tuple(candidates),
            cells=_columns(rows, np.concatenate(boxes) if boxes else np.zeros((0, 4), dtype=np.float32)),
            styles=tuple(self._styles),
            title=markup.title,
            address=markup.address,
            headings=markup.headings,
            letters=sum(self._letters),
        )

    def _candidate(self, frame: BoxFrame, first: int, last: int) -> Candidate:
        nodes = self._page.nodes
        begin, end = frame.words
        before = [heading for heading in self._headings if heading[0] < begin]
        index = int(nodes.table_index[frame.node])
        return Candidate(
            kind="boxes",
            path=nodes.path(frame.node),
            table_index=index if index >= 0 else None,
            attributes={},
            first=first,
            last=last,
            rows=frame.topology.rows,
            columns=frame.topology.columns,
            depth=0,
            parent=None,
            sections=bytes(frame.topology.rows),
            before=self._join(self._line_before(begin), begin) or None,
            after=self._join(end, min(len(self._text), end + _NEAR)) or None,
            heading=Heading(before[-1][1], self._heading_text(before[-1][2])) if before else None,
            start=sum(self._letters[:begin]) / max(1, sum(self._letters)),
        )

    def _line_before(self, begin: int) -> int:
        """The first word of the block that ends just before a word."""
        at = begin
        while at > 0 and begin - at < 4 * _NEAR and self._block[at - 1] == self._block[begin - 1]:
            at -= 1
        return at

    def _heading_nodes(self) -> tuple[list[int], list[int]]:
        words = self._page.words.node
        found = [node for node, name in enumerate(self._page.nodes.name) if name in _HEADINGS]
        order = np.searchsorted(np.maximum.accumulate(words), found) if len(words) else np.zeros(len(found))
        return found, [int(at) for at in order]

    def _heading_text(self, node: int) -> str:
        inside = (self._page.words.node >= node) & (self._page.words.node <= self._page.nodes.last[node])
        return " ".join(self._page.words.text[inside].tolist())

    def _join(self, first: int, end: int) -> str:
        """The words of a range as text; a block begins a line."""
        parts: list[str] = []
        for word in range(first, end):
            if word > first and not self._glued[word]:
                parts.append(" " if self._block[word] == self._block[word - 1] else "\n")
            parts.append(self._text[word])
        return "".join(parts)

    def _cell(self, part: Part) -> tuple[Any, ...]:
        text = self._join(part.first, part.end)
        node = part.node if part.node >= 0 else self._owner[part.first]
        first, end = (node, self._last[node] + 1) if part.node >= 0 else (node, node)
        counts = [running[end] - running[first] for running in self._counts]
        headed = self._headed[end] > self._headed[first]
        weight: dict[int, int] = {}
        linked = 0
        for word in range(part.first, part.end):
            style, letters = self._word_style[word], self._letters[word]
            weight[style] = weight.get(style, 0) + letters
            linked += letters if self._linked[word] else 0
        own = max(weight, key=weight.__getitem__) if weight else self._node_style[node]
        bold = sum(self._bold[style] for style in weight)
        marks = (_PARTLY_BOLD if 0 < bold < len(weight) else 0) | (_HEADING if headed else 0) | (_LINK if linked else 0)
        style = self._style(own, self._node_style[node] if part.node >= 0 else own)
        return (text, style, marks, len(text), min(len(text), linked), *counts)

    def _style(self, text: int, cell: int) -> int:
        key = (text, cell)
        if key not in self._style_ids:
            own, around = self._page.styles[text], self._page.styles[cell]
            made = msgspec.structs.replace(
                own,
                colour=None,
                underline=False,
                fill=own.fill if own.fill not in (None, _WHITE) else _visible(around.fill),
                align=around.align or own.align,
                indent=around.indent,
                border_top=around.border_top,
                border_bottom=around.border_bottom,
                border_left=around.border_left,
                border_right=around.border_right,
            )
            self._style_ids[key] = self._styles.setdefault(made, len(self._styles))
        return self._style_ids[key]


_WHITE = "#ffffff"


def _visible(fill: str | None) -> str | None:
    return None if fill == _WHITE else fill


def _running(flags: NDArray[np.bool_]) -> list[int]:
    """How many flags are set before each place, and before the end."""
    found: list[int] = np.concatenate([[0], np.cumsum(flags)]).astype(np.int64).tolist()
    return found


def _columns(rows: list[tuple[Any, ...]], boxes: Boxes) -> MarkupCells:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 15
    text = np.empty(len(rows), dtype=object)
    text[:] = columns[5]
    numbers = [np.array(column, dtype=np.int32) for at, column in enumerate(columns) if at != 5]
    names = ("candidate", "row", "column", "row_span", "column_span", "style", "marks", "length", "linked", *_COUNTS)
    held: dict[str, NDArray[Any]] = dict(zip(names, numbers, strict=True))
    held["marks"] = held["marks"].astype(np.uint8)
    return MarkupCells(text=text, box=boxes, **held)


Floats = NDArray[np.float64]
_STRAIGHT = 2.0  # pixels within which edges are aligned
_NEW_LINE = 4.0  # pixels by which the next word stands higher or lower on another line
_MOST_CELLS = 20_000  # cells of a table that are looked at


class DrawnTable(msgspec.Struct, frozen=True, eq=False):
    """The cells of a table that show words: their boxes, where their text begins and ends, how many lines it has."""

    width: float
    cell: Boxes
    left: Floats
    right: Floats
    lines: Floats


def _beside(table: DrawnTable) -> float:
    """How many cells show words in a row, in the mean."""
    return len(table.cell) / len(np.unique(np.round(table.cell[:, 1])))


def _unaligned(table: DrawnTable) -> float:
    """The share of columns whose texts neither begin nor end together, of those with two texts or more."""
    _, column, counts = np.unique(np.round(table.cell[:, 0]), return_inverse=True, return_counts=True)

    def spread(edges: Floats) -> Floats:
        mean = np.bincount(column, weights=edges) / counts
        return np.sqrt(np.bincount(column, weights=(edges - mean[column]) ** 2) / counts)

    ragged = (spread(table.left) >= _STRAIGHT) & (spread(table.right) >= _STRAIGHT)
    return float(ragged[counts > 1].mean()) if (counts > 1).any() else 0.0


def _widths(table: DrawnTable) -> Floats:
    return (table.cell[:, 2] - table.cell[:, 0]).astype(np.float64)


_TELL: dict[str, Callable[[DrawnTable], float]] = {
    "texts beside each other": _beside,
    "column width spread": lambda t: float(_widths(t).std() / max(1.0, _widths(t).mean())),
    "narrowest cell": lambda t: float(_widths(t).min()),
    "widest cell share": lambda t: float(_widths(t).max() / max(1.0, t.width)),
    "one line share": lambda t: float((t.lines <= 1).mean()),
    "unaligned columns": _unaligned,
}
DRAWN_FEATURES: tuple[str, ...] = tuple(_TELL)


def drawn_features(page: RenderedPage, words_of: Callable[[int], tuple[int, int]], tables: Sequence[int]) -> Floats:
    """One row per table (the number of its node), in the order of DRAWN_FEATURES; `words_of` a node: first and end."""
    own = _own_cells(page, set(tables))
    top = page.words.box[:, 1]
    changes = np.concatenate([[0], np.cumsum(np.abs(np.diff(top)) > _NEW_LINE)]) if len(top) else np.zeros(0, int)
    rows = np.zeros((len(tables), len(_TELL)))
    for at, table in enumerate(tables):
        spans = [(cell, *words_of(cell)) for cell in own[table][:_MOST_CELLS]]
        if spans := [span for span in spans if span[1] < span[2]]:
            cells, first, end = np.array(spans, dtype=np.intp).T
            drawn = DrawnTable(
                width=float(page.nodes.box[table, 2] - page.nodes.box[table, 0]),
                cell=page.nodes.box[cells],
                left=_over(np.minimum, page.words.box[:, 0], first, end),
                right=_over(np.maximum, page.words.box[:, 2], first, end),
                lines=(changes[end - 1] - changes[first] + 1).astype(np.float64),
            )
            rows[at] = [tell(drawn) for tell in _TELL.values()]
    return rows


def _own_cells(page: RenderedPage, tables: set[int]) -> dict[int, list[int]]:
    """The cells of each table, those of tables within it left out."""
    found: dict[int, list[int]] = {table: [] for table in tables}
    around: list[int] = []  # the table that each node stands in
    for node, (name, parent) in enumerate(zip(page.nodes.name.tolist(), page.nodes.parent.tolist(), strict=True)):
        table = around[parent] if parent >= 0 else -1
        if name in ("TD", "TH") and table in found:
            found[table].append(node)
        around.append(node if name == "TABLE" else table)
    return found


def _over(reduce: np.ufunc, values: NDArray[np.float32], first: NDArray[np.intp], end: NDArray[np.intp]) -> Floats:
    """The least or the largest of the values of each range."""
    ranges = np.column_stack([first, end]).ravel()
    return np.asarray(reduce.reduceat(np.append(values, values[-1:]), ranges)[::2], dtype=np.float64)
