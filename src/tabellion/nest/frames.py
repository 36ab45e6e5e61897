"""The header trees of frames, top and left.

The left header trees: a forest of one tree or more per strand of the stub. In: frames, weights. Out: of each the tree,
and the nearest node of each body row in each strand.

Left header trees that need no learning: a stub without any sign of nesting, and groups of a frame without a stub. In: a
frame. Out: the tree, and the nearest nodes of each body row. Web tables mostly list rows of one rank; that is plain
where all labels of a stub look alike, begin at one place and have values beside them, and so it is on a sheet of
thousands of such rows. Attributes of a web page that all end with a colon are of one rank, with values or without.
Rows of a sheet that each have a label in the first and in another column of the stub, all of one look, are records:
none stands under another. Where no column names the rows, the rows that one cell fills still name those below them. A
key of several columns on a web page is a plain list of names: an empty field says nothing of the rows below it. Fails
where a row without values looks as its neighbours do: only meaning tells whether it is a group of them.

The top header trees. In: frames, weights. Out: of each the tree, and the nearest nodes of each value column. The head
of the stub's first column is no label of any value and has no node, unless a row of column numbers stands under it and
the others; the heads of further stub columns have. A label below several others at once (a unit, mostly) belongs to
each of their columns, which one tree cannot say: it stands under the first of them, and once more at the root for the
others. A unit over all columns at the bottom stands at the root only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np

from tabellion.model.document import Mark
from tabellion.model.frame import Frame, HeaderNode, HeaderTree
from tabellion.model.grid import EMPTY
from tabellion.model.methods import ParentMethod
from tabellion.nest.attributes import Attributes, Flags, Indices, Numbers, read_attributes
from tabellion.nest.follow import Lesson
from tabellion.nest.guided import can_guide, given_among, guided_left, guided_top
from tabellion.nest.pieces import join_texts, says_of_which
from tabellion.nest.spread import NONE, HeaderCells, spread_headers
from tabellion.nest.stub import Strand, find_strands, part_head
from tabellion.nest.tree import Forest, Label, Nearest, left_parents, top_parents
from tabellion.weights import Weights

LEAST_NUMBERED = 3  # columns of a head whose last row numbers them


def nest_top(
    frames: Sequence[Frame], weights: Weights, method: ParentMethod, lessons: Sequence[Sequence[Lesson]]
) -> list[tuple[HeaderTree, Nearest]]:
    """The top tree of each frame, and the nearest nodes of each of its value columns."""
    heads = [spread_headers(frame) for frame in frames]
    told = [(*one, bool(one[2]) and len(one[1]) > 0) for one in zip(frames, heads, lessons, strict=True)]
    alone = [(cells, frame.value_columns) for frame, cells, _, guided in told if not guided]
    scored = top_parents(alone, weights, method)
    found = []
    for frame, cells, taught, guided in told:
        if guided:
            given = given_among(cells.row, cells.column, frame.fixes.top)
            parents, sure = guided_top(frame, cells, weights, method, given, taught)
        else:
            parents, sure = next(scored)
        found.append(_grow(frame, cells, parents, sure))
    return found


def _grow(frame: Frame, cells: HeaderCells, parents: Indices, sure: Numbers) -> tuple[HeaderTree, Nearest]:
    if not len(cells):
        return HeaderTree(), {}
    kept = ~_heads_of_first_stub(frame, cells)
    numbered = _numbered_stub_head(frame, cells)
    if numbered:
        head, number = numbered
        kept[[head, number]], parents = True, parents.copy()
        parents[[head, number]] = NONE, head
    parents = np.where((parents >= 0) & kept[parents], parents, NONE)
    forest = Forest()
    chosen = np.nonzero(kept)[0]
    place = np.full(len(cells) + 1, NONE, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    labels = [_label(frame, cells, int(cell)) for cell in chosen]
    nodes = np.append(forest.plant(labels, place[parents[chosen]], sure[chosen]), NONE)[place]
    again: dict[int, int] = {}
    nearest: Nearest = {}
    above, node_of, spoken = parents.tolist(), nodes.tolist(), cells.reach.T.tolist()
    for column in frame.fields:
        found: list[int] = []
        for cell in _nearest_cells(spoken[column], above):
            if above[cell] != NONE and above[cell] not in spoken[column]:  # that speaks for others
                if cell not in again:
                    again[cell] = forest.add_root(_label(frame, cells, cell), float(sure[cell]))
                found.append(again[cell])
            elif node_of[cell] != NONE:
                found.append(node_of[cell])
        if found:
            nearest[column] = tuple(found)
    return forest.tree(), nearest


def _heads_of_first_stub(frame: Frame, cells: HeaderCells) -> Flags:
    """Cells that begin over the first stub column: its head, or a text over the whole that labels nothing in it.

    The head of a key that is a field is that of a field like the others. What is printed in the head over the stub and
    other columns says something of those.
    """
    left = [c for c in frame.stub_columns if not frame.fields or c < min(frame.fields)]
    first = np.asarray(cells.column <= min(left, default=NONE))
    if frame.grid.medium == "pdf" and frame.fields:
        first &= cells.last_column < min(frame.fields)
    return first


def _numbered_stub_head(frame: Frame, cells: HeaderCells) -> tuple[int, int] | None:
    """The head of the first stub column and its number, where the last header row numbers all columns from there."""
    last = np.flatnonzero(cells.level == len(cells.rows) - 1)
    said = [str(frame.grid.label[cells.row[cell], cells.column[cell]]).strip("()[].") for cell in last]
    if len(last) < LEAST_NUMBERED or said != [str(number) for number in range(1, len(said) + 1)]:
        return None
    number = int(last[0])
    above = np.flatnonzero((cells.column == cells.column[number]) & (cells.level < cells.level[number]))
    return (int(above[-1]), number) if len(above) and _heads_of_first_stub(frame, cells)[number] else None


def _nearest_cells(spoken: list[int], parents: list[int]) -> list[int]:
    """The cells of those that speak for a column under which no other of them stands, outermost first."""
    found = [cell for cell in dict.fromkeys(spoken) if cell != NONE]
    if len(found) < 2:
        return found
    above: set[int] = set()
    for cell in found:
        at = parents[cell]
        while at != NONE:
            above.add(at)
            at = parents[at]
    return [cell for cell in found if cell not in above]


def _label(frame: Frame, cells: HeaderCells, cell: int) -> Label:
    grid = frame.grid
    column = int(cells.column[cell])
    places = tuple((row, column) for row in (int(cells.row[cell]), *cells.more.get(cell, ())))
    notes = tuple(mark for row, _ in places for mark in grid.notes.get(row * grid.shape[1] + column, ()))
    return Label(join_texts([str(grid.label[place]) for place in places]), places, notes)


MANY_RECORDS = 5_000  # rows from which a stub of labels that look alike is a list of records; trees are shorter
SLIP = 0.5  # the indent that a single blank makes: among records it means nothing


def nest_groups(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """The groups of a frame without a stub as a tree without branches, and the group of each body row."""
    nodes: list[HeaderNode] = []
    nearest: Nearest = {}
    for row in frame.body_rows:
        filled = np.flatnonzero(frame.grid.filled[row])
        if frame.labels.roles[row] == "group" and len(filled):
            nodes.append(_node(frame, len(nodes), row, int(filled[0])))
        elif nodes:
            nearest[row] = (nodes[-1].id,)
    return HeaderTree(tuple(nodes)), nearest


def is_flat(frame: Frame) -> bool:
    """Whether nothing in the stub of a web table, of records or of a list of thousands hints at nesting."""
    grid = frame.grid
    if not frame.stub_columns or not frame.body_rows or not frame.value_columns:
        return False
    if grid.medium == "pdf" and len(frame.stub_columns) > 1:
        return _names_by_column(frame)
    if len(frame.stub_columns) > 1:
        return frame.keyed if grid.medium == "html" else lists_records(frame)
    if grid.medium != "html" and len(frame.body_rows) < MANY_RECORDS:
        return False
    body, stub = list(frame.body_rows), frame.stub_columns[0]
    if _lists_attributes(frame, stub, body):
        return True
    if any(frame.labels.roles[row] != "data" for row in body) or not grid.filled[body, stub].all():
        return False
    return _looks_alike(frame, stub, body) and bool(grid.filled[body][:, list(frame.value_columns)].any(axis=1).all())


def _lists_attributes(frame: Frame, stub: int, body: list[int]) -> bool:
    """Whether all labels of a web table without a head end with a colon and look alike: those without a value are
    attributes like the others, no groups of them. Each has a cell of its own, with a cell beside it.
    """
    grid, values = frame.grid, list(frame.value_columns)
    if grid.medium != "html" or frame.header_rows or not grid.filled[body, stub].all():
        return False
    spans = (grid.home[body][:, values] == grid.home[body, stub][:, None]).any()
    colons = all(str(text).rstrip().endswith(":") for text in grid.text[body, stub].tolist())
    return colons and not spans and _looks_alike(frame, stub, body)


def lists_records(frame: Frame) -> bool:
    """Whether each row of a sheet is named by several columns, the first among them, all of one look.

    Rows with nothing but a label in the first column group the records below them, if never one such group another.
    Where there are several, a record in bold is one that stands out. Without such groups all records have values.
    """
    grid, stub = frame.grid, list(frame.stub_columns)
    if grid.medium != "spreadsheet" or len(stub) == 1:
        return False
    groups = set(_group_rows(frame))
    rows = part_head(frame)[1]
    records = [row for row in rows if row not in groups]
    if not records or rows[-1] in groups or any(one in groups and after in groups for one, after in pairwise(rows)):
        return False
    filled = grid.filled[records][:, stub]
    if not filled[:, 0].all() or not (filled.sum(axis=1) > 1).all():
        return False
    if not groups and not grid.filled[records][:, list(frame.value_columns)].any(axis=1).all():
        return False
    if (grid.marks[records][:, list(frame.value_columns)] & int(Mark.AGGREGATE)).any():
        return False
    if len(groups) > 1:
        begin_alike = all(np.ptp(grid.indent[records, column]) <= SLIP for column in stub)
        return begin_alike and _looks_alike(frame, stub[0], sorted(groups))
    return all(_looks_alike(frame, column, records, SLIP) for column in stub)


def _group_rows(frame: Frame) -> list[int]:
    """Rows with nothing but a label in the first column of the stub."""
    rows = list(part_head(frame)[1])
    inside = frame.grid.filled[rows, frame.rect.left : frame.rect.right + 1]
    alone = (inside.sum(axis=1) == 1) & frame.grid.filled[rows, frame.stub_columns[0]]
    return [row for row, lone in zip(rows, alone.tolist(), strict=True) if lone]


def _looks_alike(frame: Frame, stub: int, body: list[int], slip: float = 0.0) -> bool:
    """Whether the labels of some rows have one look and begin at about one place, each in a cell of its own."""
    grid = frame.grid
    looks = [grid.styles[number] for number in set(grid.style[body, stub].tolist())]
    letters = {(look.bold, look.italic, look.underline, look.size) for look in looks}
    return len(letters) == 1 and bool(np.ptp(grid.indent[body, stub]) <= slip) and not grid.covered[body, stub].any()


def _names_by_column(frame: Frame) -> bool:
    """Whether each column of a printed stub names the rows at a level of its own: none is indented, none is a title."""
    grid, body = frame.grid, [row for row in frame.body_rows if frame.labels.roles[row] != "group"]
    for column in frame.stub_columns:
        named = [row for row in body if grid.filled[row, column]]
        if len(set(grid.indent[named, column].tolist())) > 1:
            return False
    values = list(frame.value_columns)
    return bool(len(body)) and bool(grid.filled[body][:, values].any(axis=1).all())


def nest_flat(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """A root for every label; several in a row where several columns name it."""
    if len(frame.stub_columns) > 1:
        return _nest_names(frame)
    stub = frame.stub_columns[0]
    if frame.grid.notes:
        nodes = tuple(_node(frame, number, row, stub) for number, row in enumerate(frame.body_rows))
    else:
        labels = frame.grid.label[list(frame.body_rows), stub].tolist()
        named = enumerate(zip(labels, frame.body_rows, strict=True))
        nodes = tuple(HeaderNode(number, label, None, ((row, stub),)) for number, (label, row) in named)
    return HeaderTree(nodes), {row: (number,) for number, row in enumerate(frame.body_rows)}


def _nest_names(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """The names of each row by the columns of a key, under the group that it stands in.

    A span names all its rows; a blank in an outer column stands for the name above it, but not in records.
    """
    grid, nodes = frame.grid, list[HeaderNode]()
    records = lists_records(frame)
    rows = part_head(frame)[1] if records else frame.body_rows
    groups = set(_group_rows(frame)) if records else {row for row in rows if frame.labels.roles[row] == "group"}
    group: int | None = None
    known: dict[tuple[int | None, int], int] = {}
    nearest: Nearest = {}
    above: dict[int, int] = {}
    for row in rows:
        if row in groups:
            said = frame.stub_columns[0] if records else int(grid.filled[row].argmax())
            nodes.append(_node(frame, len(nodes), row, said))
            group, above = nodes[-1].id, {}
            continue
        for column in frame.stub_columns:
            home = int(grid.home[row, column])
            if grid.content.ravel()[home] == EMPTY:
                node = above.get(column) if column != frame.stub_columns[-1] and not records else None
            elif (group, home) in known:
                node = known[group, home]
            else:
                nodes.append(_node(frame, len(nodes), *divmod(home, grid.shape[1]), group))
                node = known[group, home] = nodes[-1].id
            if node is not None:
                above[column] = node
                nearest[row] = (*nearest.get(row, ()), node)
        if row not in nearest and group is not None:
            nearest[row] = (group,)
    return HeaderTree(tuple(nodes)), nearest


def _node(frame: Frame, number: int, row: int, column: int, parent: int | None = None) -> HeaderNode:
    grid = frame.grid
    notes = grid.notes.get(row * grid.shape[1] + column, ())
    return HeaderNode(number, str(grid.label[row, column]), parent, ((row, column),), notes=notes)


def nest_left(
    frames: Sequence[Frame], weights: Weights, method: ParentMethod, lessons: Sequence[Sequence[Lesson]]
) -> list[tuple[HeaderTree, Nearest]]:
    """The left tree of each frame, and the nearest nodes of each of its body rows."""
    stubs = [_read_stub(frame, taught) for frame, taught in zip(frames, lessons, strict=True)]
    alone = [seen for stub in stubs if stub for _, seen in stub.strands if not stub.guides(seen)]
    scored = left_parents(alone, weights, method)
    found = []
    for frame, stub in zip(frames, stubs, strict=True):
        if stub is None:
            found.append(nest_flat(frame) if frame.stub_columns else nest_groups(frame))
            continue
        forest = Forest()
        nearest: Nearest = {}
        nested: list[tuple[Indices, Numbers]] = []
        for strand, seen in stub.strands:
            if stub.guides(seen):
                given = given_among(strand.row, strand.column, frame.fixes.left)
                nested.append(guided_left(seen, strand, weights, method, given, stub.lessons))
            else:
                nested.append(next(scored))
        for (strand, _), (own, sure) in zip(stub.strands, nested, strict=True):
            parents = _under_groups(strand, own, stub.strands, nested)
            nodes = forest.plant(_labels(frame, strand), parents, sure)
            places = np.nonzero(strand.heir >= 0)[0]
            for row, node in zip(strand.rows[places].tolist(), nodes[strand.heir[places]].tolist(), strict=True):
                nearest[row] = (*nearest.get(row, ()), node)
        found.append((forest.tree(), nearest))
    return found


class _Stub(msgspec.Struct, frozen=True, eq=False):
    """The strands of a frame's stub, with what was learned from given pairs of its sheet."""

    strands: list[tuple[Strand, Attributes]]
    lessons: Sequence[Lesson]

    def guides(self, seen: Attributes) -> bool:
        return bool(self.lessons) and can_guide(seen)


def _read_stub(frame: Frame, lessons: Sequence[Lesson]) -> _Stub | None:
    """The stub of a frame; None where it needs no learning."""
    if not frame.stub_columns or (is_flat(frame) and not lessons):
        return None
    return _Stub([(strand, read_attributes(frame, strand)) for strand in find_strands(frame)], lessons)


def _under_groups(
    strand: Strand,
    parents: Indices,
    strands: Sequence[tuple[Strand, Attributes]],
    nested: Sequence[tuple[Indices, Numbers]],
) -> Indices:
    """The parents of a strand beside the leading one: labels of rows without values head what stands under them there.

    So says a column of codes, or of the same labels in another language, once more what the leading one says.
    """
    leader = next((number for number, (one, _) in enumerate(strands) if one.leads and one is not strand), None)
    if strand.leads or leader is None or not strands[leader][1].group.any():
        return parents
    (leading, seen), (above, _) = strands[leader], nested[leader]
    place = {row: label for label, row in enumerate(leading.row.tolist())}
    own = {row: label for label, row in enumerate(strand.row.tolist())}
    found = parents.copy()
    for label, row in enumerate(strand.row.tolist()):
        at = int(above[place[row]]) if row in place and parents[label] == NONE else NONE
        while at != NONE and not (seen.group[at] and int(leading.row[at]) in own):
            at = int(above[at])
        found[label] = found[label] if at == NONE else own[int(leading.row[at])]
    return found


def _labels(frame: Frame, strand: Strand) -> list[Label]:
    grid = frame.grid
    width = grid.shape[1]
    found = []
    places = zip(strand.row.tolist(), strand.column.tolist(), strict=True)
    for place, (text, (row, column)) in enumerate(zip(grid.label[strand.row, strand.column], places, strict=True)):
        cells: tuple[tuple[int, int], ...] = ((row, column),)
        if place in strand.more:
            cells = (*cells, *((more, column) for more in strand.more[place]))
            parts = [part for cell in cells if not says_of_which(part := str(grid.label[cell]))]
            text = join_texts(parts or [text])
        notes = tuple(mark for at, _ in cells for mark in grid.notes.get(at * width + column, ())) if grid.notes else ()
        found.append(Label(text, cells, notes))
    return found
