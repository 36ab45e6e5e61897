"""Segments of a page by splitting its blocks from the top down.

In: the blocks of a page. Out: the first leaf of each segment. A block stays whole where it is one list of alike small
things, a data table, running text or hardly more than a line; else it falls into its parts, and small parts go to
their neighbours, a heading to what it heads. Better than the flat partitioner of OntoMiner on real pages (both figures
are in docs/mining.md), as the flat one does not see where boxes begin. Fails where boxes are made by style alone.
"""

from __future__ import annotations

import msgspec

from tabellion.mine.blocks import BOLD_LEVEL, HEADINGS, NO_LEVEL, Block, Blocks

_LISTS = frozenset(("ul", "ol", "dl", "p"))
_LANDMARKS = frozenset(("footer", "main", "header"))


class TopDownSettings(msgspec.Struct, frozen=True):
    """Sizes in leaves."""

    light: int = 3  # what is not larger does not stand alone beside a list or a box
    alike: float = 8.0  # things of a list have at most this many on average; larger ones are parts of their own
    share: float = 0.7  # of a list's leaves that are in alike things
    outlier: int = 12  # a thing of a list that is this large on its own is no thing of the list
    cell: float = 3.0  # a cell of data has at most this many on average; layout has more
    table_row: int = 40  # a row of data has at most this many


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
        heads = sum(self.blocks.level(part) < BOLD_LEVEL for part in block.parts[1:])
        if heads and not self._is_refrain(block):
            return False
        if all(part.size <= 2 for part in block.parts):
            return True
        return self._is_list(block)

    def _is_data(self, table: Block) -> bool:
        """Whether a table holds short cells only."""
        cells, rows = 0, 0
        for element in range(table.element, len(self.page.tags)):
            if element != table.element and self.page.first[element] >= table.last:
                break
            tag = self.page.tags[element]
            if self.page.last[element] > self.page.first[element]:
                cells += tag in ("td", "th")
                rows += tag == "tr"
                if tag in ("td", "th") and self.page.last[element] - self.page.first[element] > self.settings.outlier:
                    return False
        return table.size <= self.settings.cell * max(1, cells) and table.size <= self.settings.table_row * max(1, rows)

    def _is_refrain(self, block: Block) -> bool:
        """Whether headings come back so often that they head the things of a list: title, text, title, text."""
        levels = [self.blocks.level(part) for part in block.parts]
        heads = sum(level < BOLD_LEVEL for level in levels)
        return heads >= 3 and block.size <= self.settings.light * heads

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
            heads = piece.size == 1 and after is not None and after.size > light and after.level == NO_LEVEL
            return before.size <= light or not heads
        if before.size == 1:
            return True
        return body is not None and self.page.tags[block.element] in _LISTS and self.blocks.alike(body, block)
