"""The hierarchy of a page: which text names or heads which.

In: the blocks of a page and the first leaves of its segments. Out: a tree of labelled nodes. A heading heads what
follows it up to the next of its rank; a bold text, a `<dt>`, a `<th>` or a text with a colon names what follows it; the
first text of a thing in a list names the rest of it. Fails where only a style sheet outside the page tells a label from
what it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from tabellion.mine.blocks import BOLD_LEVEL, COLON_LEVEL, NO_LEVEL, Block, Blocks

_WORD = re.compile(r"\w")
_LABEL_WORDS = 8
_LISTS = frozenset(("ul", "ol", "dl", "table", "tbody", "menu"))


class Node(msgspec.Struct, eq=False):
    """A text of the page (or none) and what it names."""

    leaf: int | None = None
    children: list[Node] = msgspec.field(default_factory=list)


def outline_page(blocks: Blocks, starts: Sequence[int]) -> Node:
    """The hierarchy of a page: its segments, and the labels in each."""
    outliner = _Outliner(blocks)
    root = Node()
    for first, last in zip(starts, [*starts[1:], len(blocks.page)], strict=True):
        nodes = outliner.combine(_clip(blocks.root, first, last))
        root.children.append(nodes[0] if len(nodes) == 1 else Node(None, nodes))
    return root


def _clip(block: Block, first: int, last: int) -> list[Block]:
    """The largest blocks within a run of leaves."""
    found: list[Block] = []
    waiting = [block]
    while waiting:
        each = waiting.pop()
        if each.last <= first or each.first >= last:
            continue
        if first <= each.first and each.last <= last:
            found.append(each)
        elif each.parts:
            waiting.extend(reversed(each.parts))
        else:
            cut = Block(each.element, each.outer, max(first, each.first), min(last, each.last))
            found.append(cut)
    if len(found) == 1 and found[0].parts:
        return found[0].parts
    return found


class _Outliner:
    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.page = blocks.page

    def outline(self, block: Block) -> list[Node]:
        """The nodes of one block."""
        if not block.parts:
            return self._run(block)
        tag = self.page.tags[block.element]
        if tag in ("tbody", "table", "thead"):
            return self._table(block)
        return self.combine(block.parts)

    def combine(self, parts: list[Block]) -> list[Node]:
        """The nodes of parts that stand one after the other, labels above what they name."""
        top: list[Node] = []
        open_labels: list[tuple[int, Node]] = []
        things = self._are_things(parts)
        for number, part in enumerate(parts):
            level = self._level(part, parts[number + 1] if number + 1 < len(parts) else None, number, things)
            if level != NO_LEVEL:
                while open_labels and open_labels[-1][0] >= level:
                    open_labels.pop()
                nodes = self._label(part)
                (open_labels[-1][1].children if open_labels else top).extend(nodes)
                if nodes:
                    open_labels.append((level, nodes[0]))
                continue
            nodes = self._thing(part) if things else self.outline(part)
            (open_labels[-1][1].children if open_labels else top).extend(nodes)
        return top

    def _are_things(self, parts: list[Block]) -> bool:
        """Whether parts are the things of one list."""
        return len(parts) >= 2 and all(self.blocks.alike(parts[0], part) for part in parts[1:])

    def _level(self, part: Block, after: Block | None, number: int, things: bool) -> int:
        """The rank of a part as a label of what follows it; NO_LEVEL where it is none."""
        page = self.page
        if after is None:
            return NO_LEVEL
        level = self.blocks.level(part)
        if level < BOLD_LEVEL and not part.parts:
            return level
        tag = page.tags[part.outer]
        if tag == "dt":
            return BOLD_LEVEL
        words = [text for text in page.texts[part.first : part.last] if _WORD.search(text)]
        if len(words) != 1 or len(words[0].split()) > _LABEL_WORDS or part.parts:
            return NO_LEVEL
        if tag == "th" and page.tags[after.outer] == "td":
            return BOLD_LEVEL
        text = page.texts[part.last - 1]
        if text.endswith(":"):
            return COLON_LEVEL if level == NO_LEVEL else BOLD_LEVEL
        bold_after = bool(page.bold[after.first : after.last].all())
        if level == BOLD_LEVEL and not bold_after:
            return BOLD_LEVEL
        if number == 0 and not things and page.tags[after.element] in _LISTS:
            return BOLD_LEVEL
        if number == 0 and not things and after.size >= 3 and page.link[part.first] < 0 and after.parts:
            return BOLD_LEVEL
        return NO_LEVEL

    def _label(self, part: Block) -> list[Node]:
        """A label's own node; where it is several texts, the later ones are below the first."""
        leaves = [leaf for leaf in range(part.first, part.last) if _WORD.search(self.page.texts[leaf])]
        return [Node(leaves[0], [Node(leaf) for leaf in leaves[1:]])] if leaves else []

    def _thing(self, part: Block) -> list[Node]:
        """A thing of a list: its title, or its first text, names the rest."""
        nodes = self.outline(part)
        if len(nodes) < 2 or part.size > 12:
            return nodes
        heads = [node for node in nodes if node.children]
        if len(heads) > 1 or (heads and self.page.tags[part.element] in _LISTS):
            return nodes
        head = heads[0] if heads else nodes[0]
        if not heads and any(len(self.page.texts[node.leaf or 0].split()) > 25 for node in nodes[:1]):
            return nodes
        head.children.extend(node for node in nodes if node is not head)
        return [head]

    def _run(self, block: Block) -> list[Node]:
        """Text in a line: bold texts and those with a colon name what follows them."""
        page = self.page
        leaves = [leaf for leaf in range(block.first, block.last) if _WORD.search(page.texts[leaf])]
        top: list[Node] = []
        label: Node | None = None
        for number, leaf in enumerate(leaves):
            node = Node(leaf)
            text = page.texts[leaf]
            follows = leaves[number + 1] if number + 1 < len(leaves) else None
            named = follows is not None and len(text.split()) <= _LABEL_WORDS
            if named and (text.endswith(":") or (page.bold[leaf] and not page.bold[follows])):
                label = node
                top.append(node)
            else:
                (label.children if label is not None else top).append(node)
        return top

    def _table(self, table: Block) -> list[Node]:
        """Rows of a table: a head row names the columns, the first cell of a row the rest of it."""
        rows = [part for part in table.parts if self.page.tags[part.outer] == "tr"]
        if len(rows) < 2 or len(rows) < len(table.parts):
            return self.combine(table.parts)
        cells = [row.parts or [row] for row in rows]
        widths = [len(row) for row in cells]
        if max(widths) == 1:
            return self.combine(rows)
        if self._is_head(cells):
            heads = [node for cell in cells[0] for node in self._label(cell)]
            for below in cells[1:]:
                for head, cell in zip(heads, below, strict=False):
                    head.children.extend(self.outline(cell))
            return heads
        return [node for row in rows for node in (self.combine(row.parts) if row.parts else self.outline(row))]

    def _is_head(self, cells: list[list[Block]]) -> bool:
        """Whether the first row names columns: as many short cells, none with a digit, over rows of the same width."""
        head, body = cells[0], cells[1:]
        if len(head) < 2 or any(len(row) != len(head) for row in body):
            return False
        texts = [self.page.texts[cell.first] for cell in head]
        if any(cell.size > 1 for cell in head) or any(re.search(r"\d", text) or text.endswith(":") for text in texts):
            return False
        told = all(self.blocks.level(cell) == BOLD_LEVEL for cell in head)
        marks = all(self.page.tags[cell.outer] == "th" for cell in head)
        numbers = [bool(re.search(r"\d", self.page.texts[cell.first])) for row in body for cell in row]
        plain_body = not all(self.blocks.level(row[0]) == BOLD_LEVEL for row in body)
        return (told or marks or sum(numbers) > 0.6 * len(numbers)) and (len(head) > 2 or plain_body)
