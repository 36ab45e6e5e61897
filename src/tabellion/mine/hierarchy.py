"""One page to its segments and its hierarchy. Start with `segment_page`.

In: a page tree. Out: the segments as runs of leaves, and a tree of labels. `method` chooses ours (blocks split from the
top down, labels by rank) or OntoMiner's (flat partitioner, binary partitioning, grouping, promotion).

Ours goes from the top down. A block stays whole where it is one list of alike small things, one list of records, a data
table, a menu, a form, running text, a heading with one thing below it, or hardly more than a line; else it falls into
its parts, and small parts go to their neighbours, a heading to what it heads. Better than the flat partitioner of
OntoMiner on real pages (both figures are in docs/mining.md), as the flat one does not see where boxes begin. Fails
where boxes are made by style alone.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any, Literal

import msgspec

from tabellion.mine.blocks import BOLD_LEVEL, HEADINGS, NO_LEVEL, Block, Blocks
from tabellion.mine.outline import Node, outline_page, outline_table
from tabellion.mine.papers.ontominer_cost import GroupingCost
from tabellion.mine.papers.ontominer_partition import group_partitions, partition_binary, partition_flat, promote_labels
from tabellion.model.markup import DataTable, PageTree

_LISTS = frozenset(("ul", "ol", "dl", "p"))
_HEAD = 2  # texts that head what follows them, though nothing in the markup says so
_LANDMARKS = frozenset(("footer", "main", "header", "nav", "aside"))


class TopDownSettings(msgspec.Struct, frozen=True):
    """Sizes in leaves."""

    light: int = 3  # what is not larger does not stand alone beside a list or a box
    alike: float = 8.0  # things of a list have at most this many on average; larger ones are parts of their own
    share: float = 0.7  # of a list's leaves that are in alike things
    outlier: int = 12  # a thing of a list that is this large on its own is no thing of the list
    cell: float = 3.0  # a cell of data has at most this many on average; layout has more
    table_row: int = 40  # a row of data has at most this many
    large_cells: float = 0.3  # of a table's leaves that may be in large cells, as lists in cells are
    cells: int = 6  # that a table with a large cell has at least
    headed: int = 40  # of a box that is a heading and one thing below it
    form: int = 60
    links: float = 0.8  # of a list's leaves that make it a menu, whatever is nested in it
    record: int = 40  # leaves of a record on average
    common: float = 0.6  # of the records that have a text which all of them share
    labels: float = 0.2  # of a record's texts that are such
    deep: int = 3  # headings of this rank or lower may head facts of one or two texts


class _Piece(msgspec.Struct):
    """A run of leaves on its way to be a segment; `level` of the heading it begins with, `bare` if it is only that."""

    first: int
    last: int
    level: int = NO_LEVEL
    bare: bool = False
    flow: bool = False
    closed: bool = False  # was cut out of a larger block: takes nothing after it

    @property
    def size(self) -> int:
        return self.last - self.first


def cut_blocks(blocks: Blocks, settings: TopDownSettings = TopDownSettings()) -> list[int]:
    """The first leaves of the segments, 0 included."""
    if not len(blocks.page):
        return []
    return [piece.first for piece in _Cutter(blocks, settings).cut(blocks.root)]


class _Cutter:
    def __init__(self, blocks: Blocks, settings: TopDownSettings) -> None:
        self.blocks = blocks
        self.page = blocks.page
        self.settings = settings

    def cut(self, root: Block) -> list[_Piece]:
        """The pieces of a block, with a stack of its own so that no page is nested too deep."""
        order: list[Block] = []
        todo = [root]
        while todo:
            block = todo.pop()
            order.append(block)
            if not self._whole(block):
                todo.extend(block.parts)
        done: dict[int, list[_Piece]] = {}
        for block in reversed(order):
            inner = [(part, done.pop(id(part))) for part in block.parts if id(part) in done]
            done[id(block)] = self._join(inner) if inner else [self._piece(block)]
        return done[id(root)]

    def _piece(self, block: Block) -> _Piece:
        level = self.blocks.level(block)
        if level != NO_LEVEL:
            return _Piece(block.first, block.last, level, bare=not block.parts)
        around, first = block, block
        while first.parts:
            around, first = first, first.parts[0]
        level = self.blocks.level(first)
        if level == BOLD_LEVEL and around.parts and all(self.blocks.alike(first, part) for part in around.parts):
            level = NO_LEVEL  # the chosen one of a list, not its heading
        return _Piece(block.first, block.last, level, flow=self.blocks.is_flow(block))

    def _whole(self, block: Block) -> bool:
        """Whether a block is one segment as it stands."""
        settings, page = self.settings, self.page
        if not block.parts or block.size <= settings.light:
            return True
        tag = page.tags[block.element]
        if tag in ("p", "select", "pre", "dl", "option") or self.blocks.level(block) != NO_LEVEL:
            return True
        if tag in ("table", "tbody", "thead", "tr") and self._is_data(block):
            return True
        if self._is_titled(block) or self._is_menu(block) or self._is_form(block) or self._are_records(block):
            return True
        heads = sum(self.blocks.level(part) < BOLD_LEVEL for part in block.parts[1:])
        if heads and not self._is_refrain(block):
            return False
        if all(part.size <= 2 for part in block.parts):
            return True
        return self._is_list(block)

    def _is_data(self, table: Block) -> bool:
        """Whether a table holds short cells, with few large ones, no table and no heading."""
        cells, rows, large, settings = 0, 0, 0, self.settings
        for element in range(table.element, self.page.ends[table.element]):
            tag, size = self.page.tags[element], self.blocks.leaves(element)
            if not size:
                continue
            if tag in HEADINGS or (tag == "table" and element != table.element):
                return False
            rows += tag == "tr"
            if tag in ("td", "th"):
                cells += 1
                large += size if size > settings.outlier else 0
        if large and (cells < settings.cells or large > settings.large_cells * table.size):
            return False
        return table.size - large <= settings.cell * max(1, cells) and table.size <= settings.table_row * max(1, rows)

    def _headings(self, block: Block) -> int:
        """How many headings a block holds."""
        tags = self.page.tags[block.outer : self.page.ends[block.outer]]
        return sum(tag in HEADINGS and self.blocks.leaves(n) > 0 for n, tag in enumerate(tags, block.outer))

    def _links(self, block: Block | _Piece) -> float:
        """Which share of the leaves of a block or piece is links."""
        return float((self.page.link[block.first : block.last] >= 0).mean())

    def _is_titled(self, block: Block) -> bool:
        """Whether a box is a heading and one thing below it, besides small ones; not the title of the page."""
        small, title = self.settings.light, block.parts[0]
        while title.parts:
            title = title.parts[0]
        if block.size > self.settings.headed or not 2 <= self.blocks.level(title) < BOLD_LEVEL:
            return False
        larger = sum(part.size > small for part in block.parts)
        return block.parts[0].size <= small and larger <= 1 and self._headings(block) == 1

    def _is_menu(self, block: Block) -> bool:
        """Whether a list is nearly all links, however they nest."""
        listed = self.page.tags[block.element] in ("ul", "ol", "nav")
        return listed and self._links(block) >= self.settings.links and not self._headings(block)

    def _is_form(self, block: Block) -> bool:
        """Whether a block is a form to fill in; not one around most of the page, as some sites have."""
        if self.page.tags[block.element] not in ("form", "fieldset") or block.size > self.settings.form:
            return False
        return 2 * self._links(block) <= 1 and not self._headings(block)

    def _are_records(self, block: Block) -> bool:
        """Whether most of a block is things of one make that share texts: labels and links that each of them has."""
        settings = self.settings
        things = [part for part in block.parts if part.size >= settings.light]
        if len(things) < 3 or any(self.blocks.level(part) < BOLD_LEVEL for part in block.parts):
            return False
        if 2 * sum(map(self._is_part, things)) > len(things):
            return False
        records = max(([each for each in things if self.blocks.alike(one, each)] for one in things[:3]), key=len)
        size = sum(part.size for part in records)
        if len(records) < 3 or not 0.8 * block.size <= size <= settings.record * len(records):
            return False
        texts = [set(self.page.texts[each.first : each.last]) for each in records]
        times = Counter(text for each in texts for text in each if any(map(str.isalpha, text)))
        shared = sum(count >= settings.common * len(records) for count in times.values())
        return shared >= max(2, settings.labels * sum(map(len, texts)) / len(texts))

    def _is_refrain(self, block: Block) -> bool:
        """Whether headings come back so often that they head the things of a list: title, text, title, text."""
        levels = [self.blocks.level(part) for part in block.parts]
        heads = [part.first for part, level in zip(block.parts, levels, strict=True) if level < BOLD_LEVEL]
        if len(heads) < 3:
            return False
        sizes = sorted(after - head for head, after in pairwise([*heads, block.last]))
        low = min(levels) >= self.settings.deep or block.size <= self.settings.light * len(heads)
        return low and sizes[len(sizes) // 2] <= self.settings.light

    def _is_list(self, block: Block) -> bool:
        """Whether most of a block is small things that look alike, none of which is a part of its own."""
        settings = self.settings
        kinds: list[list[Block]] = []
        for part in block.parts:
            kind = next((kind for kind in kinds if self.blocks.alike(kind[0], part)), None)
            if kind is None:
                kinds.append([part])
            else:
                kind.append(part)
        things = max(kinds, key=lambda kind: sum(part.size for part in kind))
        size, largest = sum(part.size for part in things), max(things, key=lambda part: part.size)
        if len(things) < 2 or size < settings.share * block.size:
            return False
        if any(part.size > settings.outlier and part.parts for part in block.parts):
            return False
        return size <= settings.alike * len(things) and not self._is_part(largest)

    def _is_part(self, block: Block) -> bool:
        """Whether a block is headed and holds a list or several headings: a part of the page, not a thing of a list."""
        first = block
        while first.parts and first.size > 1:
            first = first.parts[0]
        if self.blocks.level(first) == NO_LEVEL:
            return False
        tags = self.page.tags[block.outer : self.page.ends[block.outer]]
        return tags.count("li") >= 3 or sum(tag in HEADINGS for tag in tags) >= 2

    def _join(self, parts: list[tuple[Block, list[_Piece]]]) -> list[_Piece]:
        """The pieces of a block's parts, small ones joined to their neighbours, headings to what they head."""
        made: list[_Piece] = []
        body: Block | None = None  # the last part below the heading of the segment that grows
        flat = [(block, piece, len(pieces) > 1) for block, pieces in parts for piece in pieces]
        for number, (block, piece, several) in enumerate(flat):
            before = made[-1] if made else None
            after = flat[number + 1][1] if number + 1 < len(flat) else None
            if before is not None and self._takes(before, piece, after, body, block):
                body = block if before.bare or body is not None else None
                bare = before.bare and piece.bare
                made[-1] = _Piece(before.first, piece.last, before.level, bare, piece.flow, several)
            else:
                made.append(msgspec.structs.replace(piece, closed=piece.closed or several))
                body = None
        return made

    def _takes(self, before: _Piece, piece: _Piece, after: _Piece | None, body: Block | None, block: Block) -> bool:
        """Whether a piece goes on with the one before it."""
        light = self.settings.light
        if self.page.tags[block.outer] in _LANDMARKS:
            return False
        if before.bare:
            return piece.level > before.level or piece.level >= BOLD_LEVEL
        if piece.level <= BOLD_LEVEL or before.closed:
            return False
        if piece.flow:
            return before.flow or before.level != NO_LEVEL or before.size <= light
        if piece.size <= light:
            if before.size > light and self._links(before) >= self.settings.links and 2 * self._links(piece) < 1:
                return False  # what follows a menu and is no link of it
            heads = piece.size == 1 and after is not None and after.size > light and after.level == NO_LEVEL
            return before.size <= light or not heads
        if before.size <= _HEAD:
            return True
        return body is not None and self.page.tags[block.element] in _LISTS and self.blocks.alike(body, block)


SegmentMethod = Literal["blocks", "ontominer"]


class SegmentedPage(msgspec.Struct, frozen=True, eq=False):
    """A page, the first leaf of each of its segments, and its hierarchy."""

    page: PageTree
    starts: tuple[int, ...]
    tree: Node

    @property
    def segments(self) -> list[list[str]]:
        """The texts of each segment, in page order, together all leaves."""
        return [self.page.texts[first:last] for first, last in self.spans]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first leaf of each segment and the one after its last."""
        return list(zip(self.starts, [*self.starts[1:], len(self.page)], strict=False))

    def as_json(self, source: str) -> dict[str, Any]:
        """The page as the output contract says."""
        return {"source": source, "segments": self.segments, "tree": node_json(self.tree, self.page)}


def segment_page(page: PageTree, method: SegmentMethod = "blocks") -> SegmentedPage:
    """Segments and hierarchy of one page."""
    if not len(page):
        return SegmentedPage(page, (), Node())
    if method == "ontominer":
        return _segment_as_ontominer(page)
    blocks = Blocks(page)
    starts = cut_blocks(blocks)
    return SegmentedPage(page, tuple(starts), outline_page(blocks, starts))


def _segment_as_ontominer(page: PageTree) -> SegmentedPage:
    """Flat segments, and in each the binary partitions, grouped and with their labels promoted (section 4).

    Data tables are taken out of what is partitioned, and put back between the partitions (section 4.2).
    """
    starts = partition_flat(page)
    costs = GroupingCost(page)
    root = Node()
    for first, last in zip(starts, [*starts[1:], len(page)], strict=True):
        parts: list[Node] = []
        at = first
        for table in _tables_within(page, first, last):
            if table.first > at:
                parts.append(_partition(page, at, table.first, costs))
            parts.append(Node(None, outline_table(table)))
            at = table.last
        if at < last:
            parts.append(_partition(page, at, last, costs))
        root.children.append(parts[0] if len(parts) == 1 else Node(None, parts))
    return SegmentedPage(page, tuple(starts), root)


def _partition(page: PageTree, first: int, last: int, costs: GroupingCost) -> Node:
    return promote_labels(group_partitions(partition_binary(page, first, last, costs), costs), page)


def _tables_within(page: PageTree, first: int, last: int) -> list[DataTable]:
    """The data tables that lie wholly in a run of leaves, none inside another."""
    found: list[DataTable] = []
    for table in sorted(page.tables, key=lambda each: (each.first, -each.last)):
        if first <= table.first and table.last <= last and (not found or table.first >= found[-1].last):
            found.append(table)
    return found


def node_json(root: Node, page: PageTree) -> dict[str, Any]:
    """A tree of nodes as plain objects."""
    made: dict[str, Any] = {"label": None if root.leaf is None else page.texts[root.leaf], "children": []}
    waiting = [(root, made)]
    while waiting:
        node, plain = waiting.pop()
        for child in node.children:
            below: dict[str, Any] = {"label": None if child.leaf is None else page.texts[child.leaf], "children": []}
            plain["children"].append(below)
            waiting.append((child, below))
    return made
