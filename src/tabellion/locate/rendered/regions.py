"""Where tables are on a rendered page: those of the markup and those of the boxes, each once.

In: a `RenderedPage`. Out: regions in reading order, of markup candidates and of frames of boxes, each with its
probability. A table that the markup gives is not looked for again among the boxes; a frame that holds one only places
it. The genuine-table classifier sees frames as it sees tables, by the cells' contents and computed looks.

Which of nested frames are kept: the best cover of a page. In: frames with their probabilities. Out: those that stand,
none within another. From the inside out, a frame gives way to one around it only where that one goes on with the same
columns: the head and the body of a table are one table, a table and the menu above it are not. Frames that hold a table
found in the markup only place it.

What boxes in rows and columns are that are no table: lists, aligned graphics, forms (VENTex, section 3, figure 3). In:
a candidate that was judged to be no table. Out: a word for what it seems to be. By plain rules, for want of labelled
ones: a form has fields, aligned graphics are mostly pictures, a list is a series of items of one kind (links, or boxes
of the same few lines); what is left only places things.

The frames of a rendered page: every candidate that its boxes give, before they are judged. In: a `RenderedPage`. Out:
frames of at least two columns and two rows whose cells do not overlap (VENTex, rules 8 and 9), spacers purged. Elements
that hold the very same cells give one frame.

Tables written as plain text: lines of words with gaps or bars at the same places. In: the words of a block without
parts. Out: the runs of words between gaps, as cells. Beyond VENTex, which leaves delimiter-based tables out (figure 5,
type 3). A gap is as wide as two letters; a bar between words is a gap as well, and lines that only rule are none. Fails
where columns are parted by single blanks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.papers.ventex import MOST_WORDS, find_paper_frames, lay_on_grid
from tabellion.locate.rendered.arrangement import (
    MARGIN,
    MOST_CELLS,
    Arranged,
    Arrangement,
    Part,
    Topology,
    find_topology,
)
from tabellion.locate.rendered.candidates import BoxFrame, build_box_page, drawn_features
from tabellion.locate.web.genuine import LIKELY, locate_tables
from tabellion.model.document import MarkupRegion
from tabellion.model.markup import RenderedPage, Words
from tabellion.model.place import Box, Issue, Place
from tabellion.weights import Weights

if TYPE_CHECKING:
    from tabellion.model.methods import FrameMethod


_GAP = 1.6  # widths of a letter from which a gap parts columns: two blanks do, one does not
_BARS = frozenset("|¦│┃‖")
_RULE = re.compile(r"[-=_+|.*~─═┼│]{2,}")
_FEWEST_LINES = 3
_SHARE = 0.6  # of the lines must have several columns
_MOST_WORDS = 5000


def cut_text_block(words: Words, first: int, end: int) -> tuple[list[Part], tuple[int, ...] | None]:
    """The cells of a block of text, none where its lines have no columns; and their columns where bars count them."""
    if not _FEWEST_LINES * 2 <= end - first <= _MOST_WORDS:
        return [], None
    box = words.box[first:end]
    text = words.text[first:end].tolist()
    letters = np.maximum(1, [len(word) for word in text])
    letter = float(np.median((box[:, 2] - box[:, 0]) / letters))
    new_line = np.concatenate([[True], (box[1:, 1] > box[:-1, 3] - 2) | (box[1:, 0] < box[:-1, 0])])
    if new_line.sum() < _FEWEST_LINES:
        return [], None
    wide = np.concatenate([[True], box[1:, 0] - box[:-1, 2] > _GAP * letter])
    bars = [word in _BARS for word in text]
    rules = [bool(_RULE.fullmatch(word)) for word in text]
    cells: list[Part] = []
    columns: list[int] = []
    counts: list[int] = []
    passed: list[int] = []  # bars of each line
    for at in range(end - first):
        if new_line[at]:
            counts.append(0)
            passed.append(0)
        passed[-1] += bars[at]
        if bars[at] or rules[at]:
            continue
        if new_line[at] or wide[at] or not cells or cells[-1].end != first + at:
            cells.append(Part(-1, first + at, first + at + 1))
            columns.append(passed[-1])
            counts[-1] += 1
        else:
            cells[-1] = cells[-1]._replace(end=first + at + 1)
    told = [count for count in counts if count]
    several = sum(count > 1 for count in told)
    if len(told) < _FEWEST_LINES or several < _SHARE * len(told):
        return [], None
    barred = [number for number, count in zip(passed, counts, strict=True) if count]
    counted = min(barred) == max(barred) > 0 and len(cells) <= (max(barred) + 1) * len(barred)
    return cells, tuple(columns) if counted else None


_OVERLAPPING = 0.1  # the share of cells that may overlap: rule 8, with some tolerance for decoration
_FEWEST = 2  # rows and columns of a frame that may be part of a larger one


def find_frames(
    page: RenderedPage, arrangement: Arrangement, recognise: Callable[..., Topology] = find_topology
) -> list[BoxFrame]:
    """All frames, in document order; of elements with the same cells the innermost counts.

    `recognise` tells rows and columns: `find_topology` from projections, `lay_on_grid` on the double topological grid.
    """
    found: dict[tuple[int, int, int], BoxFrame] = {}
    for arranged in (*arrangement.candidates(), *_text_frames(page, arrangement)):
        frame = frame_of(arranged, recognise)
        if frame is not None:
            first, end = frame.words
            found[first, end, len(frame.topology)] = frame
    return sorted(found.values(), key=lambda frame: (frame.words[0], -frame.words[1]))


def frame_of(arranged: Arranged, recognise: Callable[..., Topology] = find_topology) -> BoxFrame | None:
    """The frame of cells, or None where they make no rows and columns."""
    filled = arranged.filled
    if not filled.sum() >= _FEWEST * _FEWEST:
        return None
    topology = recognise(arranged.box, filled, arranged.columns)
    if topology.rows < _FEWEST or topology.columns < _FEWEST:
        return None
    if topology.overlaps > _OVERLAPPING * len(topology):
        return None
    return BoxFrame(arranged.node, arranged.cells, arranged.box, topology, arranged.cut)


def _text_frames(page: RenderedPage, arrangement: Arrangement) -> list[Arranged]:
    found = []
    for block in arrangement.text_blocks():
        cells, columns = cut_text_block(page.words, block.first, block.end)
        if cells:
            found.append(arrangement.arranged(block.node, cells, columns))
    return found


WordRange = tuple[int, int]
_WHOLE = 3  # rows from which an inner frame is a table of its own


def choose_frames(
    frames: Sequence[BoxFrame], likely: NDArray[np.bool_], known: Sequence[WordRange]
) -> tuple[list[int], list[int]]:
    """The numbers of the frames that stand, and of those that gave way; `known`: words of tables from the markup."""
    order = sorted(range(len(frames)), key=lambda number: len(frames[number].topology))
    chosen: list[int] = []
    gave_way: list[int] = []
    for number in order:
        if not likely[number]:
            continue
        frame = frames[number]
        if any(_meets(frame.words, words) for words in known):
            gave_way.append(number)
            continue
        inner = [each for each in chosen if _meets(frame.words, frames[each].words)]
        if not inner:
            chosen.append(number)
        elif _goes_on(frame, [frames[each] for each in inner]):
            chosen = [each for each in chosen if each not in inner] + [number]
            gave_way += inner
        else:
            gave_way.append(number)
    return sorted(chosen), sorted(gave_way)


def _meets(one: WordRange, other: WordRange) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _goes_on(outer: BoxFrame, inner: Sequence[BoxFrame]) -> bool:
    """Whether all rows of a frame have the columns of the frames within it."""
    if sum(frame.topology.rows >= _WHOLE for frame in inner) > 1:
        return False
    largest = max(inner, key=lambda frame: len(frame.topology))
    if outer.topology.columns > largest.topology.columns:
        return False
    lefts, rights = _edges(largest)
    begun = [frame.words for frame in inner]
    added = False
    for row in range(outer.topology.rows):
        cells = outer.topology.kept[outer.topology.row == row]
        new = [cell for cell in cells.tolist() if not any(_meets(_words(outer, cell), words) for words in begun)]
        if len(new) < 2:
            continue
        added = True
        box = outer.box[new]
        if not (_near(box[:, 0], lefts) | _near(box[:, 2], rights)).all():
            return False
    return added


def _words(frame: BoxFrame, cell: int) -> WordRange:
    return frame.cells[cell].first, frame.cells[cell].end


def _edges(frame: BoxFrame) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    kept = frame.box[frame.topology.kept]
    return np.unique(kept[:, 0]), np.unique(kept[:, 2])


def _near(values: NDArray[np.float32], edges: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(values[:, None] - edges[None, :]) <= MARGIN).any(axis=1))


Structure = Literal["list", "aligned graphics", "form", "layout"]
_MANY = 0.5  # the share of cells that makes the whole
_SOME = 0.2  # the share of cells with fields that makes a form: half of its cells are their names


def tell_structure(region: MarkupRegion) -> Structure:
    """What a candidate that is no table seems to be."""
    cells, candidate = region.page.cells, region.candidate
    part = slice(candidate.first, candidate.last)
    held = (cells.length, cells.linked, cells.images, cells.forms)  # as lists: most candidates have a few cells
    told = enumerate(zip(*(each[part].tolist() for each in held), strict=True), candidate.first)
    shown = [(at, *each) for at, each in told if each[0] or each[2] or each[3]]
    count = len(shown)
    if not count:
        return "layout"
    if sum([forms > 0 for *_, forms in shown]) > _SOME * count:
        return "form"
    if sum([images > 0 and not length for _, length, _, images, _ in shown]) > _MANY * count:
        return "aligned graphics"
    if sum([linked * 2 > length for _, length, linked, *_ in shown]) > _MANY * count:
        return "list"
    if count <= 2:
        return "layout"
    lines = Counter([cells.text[at].count("\n") for at, *_ in shown])
    alike = max(lines.values()) > _MANY * count and max(lines) > 0
    return "list" if alike else "layout"


_FEWEST_ROWS = 3  # rule 9
_CUT = f"the table has more than {MOST_CELLS:,} cells; only the first of them were read"
_PROSE = 0.1  # at most as likely are columns of paragraphs
_ALL_WORDS = 0.9  # the share of its words in paragraphs that makes a frame running text
_SAME = 0.6  # the share of words that two readings must have in common to be of one table


def locate_rendered(
    page: RenderedPage,
    weights: Weights,
    method: Literal["boosted", "tree", "svm"] = "boosted",
    frames: FrameMethod = "arranged",
) -> list[MarkupRegion]:
    """Every candidate of a page, in reading order.

    `gridded`: frames are recognised on the double topological grid; `ventex`: only those that the paper's rules leave.
    """
    arrangement = Arrangement(page)
    if frames == "ventex":
        return _locate_by_paper(page, arrangement)
    recognise = lay_on_grid if frames == "gridded" else find_topology
    nodes = candidate_nodes(page)
    drawn = drawn_rows(page, arrangement, nodes)
    regions: list[tuple[int, MarkupRegion]] = []
    known: list[WordRange] = []
    markup: dict[int, WordRange] = {}
    last = 0
    for region in locate_tables(page.markup, weights, method, drawn):
        node = nodes.get(region.number)
        if node is not None:
            words = arrangement.words(node)
            markup[node] = words
            last = words[0] if words[0] < words[1] else last
            if region.genuine >= LIKELY:
                known.append(words)
            box = Box(*(round(float(edge), 1) for edge in page.nodes.box[node]))
            place = Place(path=region.place.path, table_index=region.place.table_index, box=box)
            region = msgspec.structs.replace(region, place=place, drawn=drawn.get(region.number))
        regions.append((last, region))
    found = [frame for frame in find_frames(page, arrangement, recognise) if not _is_known(page, frame, markup)]
    if found:
        boxes = build_box_page(page, found)
        judged = [
            msgspec.structs.replace(region, genuine=min(region.genuine, _PROSE)) if _is_prose(frame) else region
            for region, frame in zip(locate_tables(boxes, weights, method), found, strict=True)
        ]
        likely = np.array([region.genuine >= LIKELY for region in judged])
        chosen, gave_way = choose_frames(found, likely, known)
        for number, region in enumerate(judged):
            if number in gave_way:
                continue
            genuine = region.genuine if number not in chosen or boxes.candidates[number].rows >= _FEWEST_ROWS else 0.0
            place = Place(path=region.place.path, table_index=region.place.table_index, box=found[number].around)
            issues = (Issue("locate", _CUT, place),) if found[number].cut else ()
            regions.append((found[number].words[0], MarkupRegion(boxes, place, number, genuine, issues)))
    return [region for _, region in sorted(regions, key=lambda pair: pair[0])]


def _locate_by_paper(page: RenderedPage, arrangement: Arrangement) -> list[MarkupRegion]:
    frames = find_paper_frames(page, arrangement)
    boxes = build_box_page(page, frames)
    return [
        MarkupRegion(boxes, Place(path=candidate.path, table_index=candidate.table_index, box=frame.around), number)
        for number, (candidate, frame) in enumerate(zip(boxes.candidates, frames, strict=True))
    ]


def _is_prose(frame: BoxFrame) -> bool:
    """Rule 12, for most cells or words in place of every single cell: paragraphs, named or not, are no table."""
    counts = [cell.end - cell.first for cell in frame.cells if cell.first < cell.end]
    long = [count for count in counts if count > MOST_WORDS]
    return len(long) * 2 > len(counts) or sum(long) > _ALL_WORDS * sum(counts)


def _is_known(page: RenderedPage, frame: BoxFrame, markup: dict[int, WordRange]) -> bool:
    """Whether the markup has a candidate of nearly the same words, and not one that holds the frame in a cell."""
    words = frame.words
    for node, (first, end) in markup.items():
        common = min(end, words[1]) - max(first, words[0])
        if common > _SAME * (max(end, words[1]) - min(first, words[0])) and not _in_cell(page, frame.node, node):
            return True
    return False


def _in_cell(page: RenderedPage, inner: int, table: int) -> bool:
    """Whether an element lies in a cell of a table."""
    nodes = page.nodes
    while inner > table:
        if nodes.name[inner] in ("TD", "TH"):
            return bool(nodes.last[table] >= inner)
        inner = int(nodes.parent[inner])
    return False


def candidate_nodes(page: RenderedPage) -> dict[int, int]:
    """The node of each candidate of the markup that is drawn: a `<table>` by its number, all else by its path."""
    nodes = page.nodes
    tables = {at: node for node, at in enumerate(nodes.table_index.tolist()) if at >= 0}
    wanted: dict[str, int] = {}
    found: dict[int, int] = {}
    for number, candidate in enumerate(page.markup.candidates):
        if candidate.table_index is None:
            wanted[candidate.path] = number
        elif candidate.table_index in tables:
            found[number] = tables[candidate.table_index]
    steps = {path.rpartition(" > ")[2] for path in wanted}
    for node, step in enumerate(nodes.step.tolist() if wanted else ()):
        if step.rpartition(" > ")[2] in steps and (path := nodes.path(node)) in wanted:
            found[wanted[path]] = node
    return found


def drawn_rows(
    page: RenderedPage, arrangement: Arrangement, nodes: Mapping[int, int]
) -> dict[int, NDArray[np.float64]]:
    """The drawn features of each `<table>`, by the number of its candidate; `nodes` are those of the candidates."""
    tables = {number: node for number, node in nodes.items() if page.markup.candidates[number].kind == "table"}
    return dict(zip(tables, drawn_features(page, arrangement.words, list(tables.values())), strict=True))
