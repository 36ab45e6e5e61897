"""Where tables are on a rendered page: those of the markup and those of the boxes, each once.

In: a `RenderedPage`. Out: regions in reading order, of markup candidates and of frames of boxes, each with its
probability. A table that the markup gives is not looked for again among the boxes; a frame that holds one only places
it. The genuine-table classifier sees frames as it sees tables, by the cells' contents and computed looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.arrangement import MOST_CELLS, Arrangement
from tabellion.locate.box_frames import find_frames
from tabellion.locate.box_page import BoxFrame, build_box_page
from tabellion.locate.cover import WordRange, choose_frames
from tabellion.locate.double_grid import lay_on_grid
from tabellion.locate.drawn_features import drawn_features
from tabellion.locate.genuine import LIKELY, locate_tables
from tabellion.locate.topology import find_topology
from tabellion.locate.ventex import MOST_WORDS, find_paper_frames
from tabellion.model.issue import Issue
from tabellion.model.place import Box, Place
from tabellion.model.region import MarkupRegion
from tabellion.model.rendered import RenderedPage
from tabellion.weights import Weights

if TYPE_CHECKING:
    from tabellion.locate import FrameMethod

_FEWEST_ROWS = 3  # rule 9
_CUT = f"the table has more than {MOST_CELLS:,} cells; only the first of them were read"
_PROSE = 0.1  # at most as likely are columns of paragraphs
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
    """Rule 12, for most cells in place of every single one: paragraphs in columns are no table."""
    counts = [cell.end - cell.first for cell in frame.cells if cell.first < cell.end]
    return sum(count > MOST_WORDS for count in counts) * 2 > len(counts)


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
