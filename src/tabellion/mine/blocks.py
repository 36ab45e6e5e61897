"""The blocks of a page: what a browser sets apart as lines and boxes, over the leaves.

In: a page tree. Out: nested blocks; a block's parts are blocks or runs of text in a line. Elements that only wrap one
block are passed over, so that depth means something. Fails where style sheets outside the page turn lines into boxes
or boxes into lines.
"""

from __future__ import annotations

import re

import msgspec

from tabellion.model.markup import NO_ELEMENT, PageTree

_INLINE_TAGS = (
    "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label mark nobr q s samp "
    "small span strike strong sub sup svg time tt u var wbr input picture source use path g title desc"
)
_UNTELLING_TAGS = "br wbr img svg path g use picture source"
INLINE = frozenset(_INLINE_TAGS.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BOLD_LEVEL, COLON_LEVEL, NO_LEVEL = 8, 9, 99
LONGEST_HEADING = 12  # words; longer ones are sentences
_UNTELLING = frozenset(_UNTELLING_TAGS.split())
_THINGS = frozenset(("li", "p", "dt", "dd", "tr", "option"))
_DEEPEST = 120  # boxes in boxes; what lies deeper is read as one line
_WORD = re.compile(r"\w")
_SENTENCE = 8  # words from which a leaf is a sentence, not a label


class Block(msgspec.Struct, eq=False):
    """A box (`parts` is not empty) or a run of text in a line.

    `element` is the innermost element that holds just these leaves, `outer` the outermost.
    """

    element: int
    outer: int
    first: int
    last: int
    parts: list[Block] = msgspec.field(default_factory=list)

    @property
    def size(self) -> int:
        return self.last - self.first


class Blocks:
    """The blocks of one page, with what is often asked of them."""

    def __init__(self, page: PageTree) -> None:
        self.page = page
        self._boxes = _find_boxes(page)
        self._shapes: dict[int, frozenset[str]] = {}
        self._levels: dict[tuple[int, int, bool], int] = {}
        self._first, self._last = page.first.tolist(), page.last.tolist()
        self._holder, self._bold = page.holder.tolist(), page.bold.tolist()
        if 2 * sum(self._bold) > len(self._bold):
            self._bold = [False] * len(page)  # where most is bold, bold tells nothing
        self.root = self._build()

    def _build(self) -> Block:
        page = self.page
        root = Block(0, 0, 0, len(page))
        children, first, last = page.children, self._first, self._last
        waiting = [(root, 0)]
        while waiting:
            block, depth = waiting.pop()
            element = block.element
            while True:  # pass over wrappers
                inner = [c for c in children[element] if last[c] > first[c]]
                if len(inner) == 1 and self._boxes[inner[0]] and last[inner[0]] - first[inner[0]] == block.size:
                    element = inner[0]
                else:
                    break
            block.element = element
            if not self._boxes[element] or depth > _DEEPEST:
                continue
            parts: list[Block] = []
            at = block.first
            for child in inner:
                if not self._boxes[child]:
                    continue
                if first[child] > at:
                    parts.append(self._run(element, at, first[child]))
                part = Block(child, child, first[child], last[child])
                parts.append(part)
                waiting.append((part, depth + 1))
                at = last[child]
            if parts and at < block.last:
                parts.append(self._run(element, at, block.last))
            block.parts = parts
        return root

    def _run(self, around: int, first: int, last: int) -> Block:
        """Text in a line directly in a box; its element is the inline one that holds it all, if there is one."""
        element = self._holder[first]
        while element != around and self._last[element] < last:
            element = int(self.page.parents[element])
        return Block(element, element, first, last)

    def leaves(self, element: int) -> int:
        """How many leaves an element holds."""
        return int(self._last[element] - self._first[element])

    def shape(self, block: Block) -> frozenset[str]:
        """The tags inside a block, by which alike blocks are known."""
        found = self._shapes.get(block.outer)
        if found is None:
            tags = self.page.tags[block.outer + 1 : self.page.ends[block.outer]]
            found = self._shapes[block.outer] = frozenset(tags) - _UNTELLING
        return found

    def alike(self, one: Block, other: Block) -> bool:
        """Whether two blocks look made by the same template."""
        if self.page.tags[one.outer] != self.page.tags[other.outer]:
            return False
        if self.page.tags[one.outer] in _THINGS:
            return True
        mine, yours = self.shape(one), self.shape(other)
        return 2 * len(mine & yours) >= len(mine | yours)

    def level(self, block: Block) -> int:
        """How high a heading the block is, 1 the highest; NO_LEVEL where it is none."""
        key = (block.first, block.last, bool(block.parts))
        found = self._levels.get(key)
        if found is None:
            found = self._levels[key] = self._find_level(*key)
        return found

    def _find_level(self, first: int, last: int, parted: bool) -> int:
        page, size = self.page, last - first
        if size > 6 or (parted and size > 3) or not _WORD.search(page.texts[first]):
            return NO_LEVEL
        words = sum(len(text.split()) for text in page.texts[first:last])
        if words > LONGEST_HEADING * 2:
            return NO_LEVEL
        element = self._holder[first]
        while element != NO_ELEMENT and self._first[element] >= first and self._last[element] <= last:
            if self._last[element] - self._first[element] == size:
                tag = page.tags[element]
                if tag in HEADINGS:
                    return HEADINGS[tag]
                if tag in ("legend", "caption"):
                    return 7
            element = int(page.parents[element])
        return BOLD_LEVEL if words <= LONGEST_HEADING and all(self._bold[first:last]) else NO_LEVEL

    def is_flow(self, block: Block) -> bool:
        """Whether the block is running text: sentences, not labels and links."""
        texts = self.page.texts[block.first : block.last]
        letters = sum(map(len, texts))
        linked = sum(len(t) for t, at in zip(texts, self.page.link[block.first : block.last], strict=True) if at >= 0)
        told = sum(len(text) for text in texts if len(text.split()) >= _SENTENCE)
        return 2 * linked < letters and (letters > 40 * len(texts) or 2 * told > letters)


def _find_boxes(page: PageTree) -> list[bool]:
    """For each element whether it is a box: not inline, or with a box inside."""
    boxes = [tag not in INLINE for tag in page.tags]
    parents = page.parents.tolist()
    leafy = (page.last > page.first).tolist()
    for element in range(len(boxes) - 1, 0, -1):
        if boxes[element] and leafy[element]:
            boxes[parents[element]] = True
    return boxes
