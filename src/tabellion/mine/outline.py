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
from tabellion.model.markup import DataTable, PageTree

_WORD = re.compile(r"\w")
TELLING = re.compile(r"[\w$€£¥★☆✓✔]")  # prices and ratings say something too: $-$$$, ★★★
_LETTER = re.compile(r"[^\W\d_]")
_LABEL_WORDS = 8
_FEW_PARTS = 3  # a plain first text heads a box of a title and a body, not one of many parts
_SHORT_PART = 12  # leaves that a plain text before them can name
_SHARED_LEVEL = COLON_LEVEL + 1
_LISTS = frozenset(("ul", "ol", "dl", "table", "tbody", "menu"))


class Node(msgspec.Struct, eq=False):
    """A text of the page (or none) and what it names."""

    leaf: int | None = None
    children: list[Node] = msgspec.field(default_factory=list)
    tight: bool = False  # names what stands in the same line, row or entry, not what is below a heading


def outline_page(blocks: Blocks, starts: Sequence[int]) -> Node:
    """The hierarchy of a page: its segments, and the labels in each."""
    outliner = Outliner(blocks)
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


def outline_table(table: DataTable) -> list[Node]:
    """The nodes of a data table: labels beside a value, then those over it, then the value; other texts as they are."""
    top: list[tuple[int, Node]] = []
    made: dict[tuple[int, ...], Node] = {}
    used: set[int] = set()
    for value in table.values:
        path = (*value.left, *value.top)
        for depth in range(1, len(path) + 1):
            if path[:depth] not in made:
                node = made[path[:depth]] = Node(path[depth - 1], tight=True)
                if depth == 1:
                    top.append((path[0], node))
                else:
                    made[path[: depth - 1]].children.append(node)
        made[path].children.extend(Node(leaf) for leaf in range(value.first, value.last))
        used.update(path, range(value.first, value.last))
    top += [(leaf, Node(leaf)) for leaf in range(table.first, table.last) if leaf not in used]
    return [node for _, node in sorted(top, key=lambda each: each[0])]


def tells_of_many(table: DataTable) -> bool:
    """Whether a table has several rows under several headers: of many things, so no facts of the page's own subject."""
    return len({value.row for value in table.values}) >= 3 and len({value.top for value in table.values}) >= 2


def leads_elsewhere(page: PageTree, node: Node) -> bool:
    """Whether a heading is a link and stands over labels of their own: "More photos" over "Price:" names no price."""
    if node.leaf is None or node.tight or page.link[node.leaf] < 0:
        return False
    return any(child.children for child in node.children)


class Sharing(msgspec.Struct, frozen=True, eq=False):
    """Which leaves of a page stand on other pages of its template too (`shared`), and which on most (`often`).

    `steady` are those of them whose kind of place never holds a text of one page only, and that stand there once.
    """

    shared: list[bool]
    often: list[bool]
    steady: list[bool]


class Outliner:
    """Finds what names what. With `sharing`, only texts that pages share are labels (OntoMiner, section 6.3)."""

    def __init__(self, blocks: Blocks, sharing: Sharing | None = None) -> None:
        self.blocks = blocks
        self.page = blocks.page
        self.sharing = sharing
        self._tables = {(table.first, table.last): table for table in blocks.page.tables}

    def outline(self, block: Block) -> list[Node]:
        """The nodes of one block."""
        if not block.parts:
            return self._run(block)
        table = self._tables.get((block.first, block.last))
        if table is not None and any(value.top for value in table.values):
            if self.sharing is None:
                return outline_table(table)
            if tells_of_many(table):
                return []
        tag = self.page.tags[block.element]
        if tag in ("tbody", "table", "thead"):
            return self._table(block)
        return self.combine(block.parts)

    def combine(self, parts: list[Block]) -> list[Node]:
        """The nodes of parts that stand one after the other, labels above what they name."""
        top: list[Node] = []
        open_labels: list[tuple[float, Node]] = []
        ranks: dict[tuple[str, str, bool], float] = {}
        things = self._are_things(parts)
        for number, part in enumerate(parts):
            level: float = self._level(parts, number, things)
            if level != NO_LEVEL:
                if level == BOLD_LEVEL:
                    level = self._rank(part, open_labels, ranks)
                while open_labels and open_labels[-1][0] >= level:
                    open_labels.pop()
                nodes = self._label(part)
                (open_labels[-1][1].children if open_labels else top).extend(nodes)
                if nodes:
                    nodes[0].tight = level > BOLD_LEVEL or self.page.tags[part.outer] in ("dt", "th", "td")
                    open_labels.append((level, nodes[0]))
                continue
            nodes = self._thing(part) if things else self.outline(part)
            (open_labels[-1][1].children if open_labels else top).extend(nodes)
            if open_labels and open_labels[-1][0] == _SHARED_LEVEL:
                open_labels.pop()
        return top

    def _rank(self, part: Block, above: list[tuple[float, Node]], ranks: dict[tuple[str, str, bool], float]) -> float:
        """The rank of a bold label: below another that stands right before it, and then like those of its look."""
        look = self._look(part)
        if look not in ranks:
            empty = bool(above) and above[-1][0] >= BOLD_LEVEL and not above[-1][1].children
            ranks[look] = above[-1][0] + 0.1 if empty else BOLD_LEVEL
        return ranks[look]

    def _are_things(self, parts: list[Block]) -> bool:
        """Whether parts are the things of one list."""
        return len(parts) >= 2 and all(self.blocks.alike(parts[0], part) for part in parts[1:])

    def _level(self, parts: list[Block], number: int, things: bool) -> int:
        """The rank of a part as a label of what follows it; NO_LEVEL where it is none."""
        page, part = self.page, parts[number]
        after = parts[number + 1] if number + 1 < len(parts) else None
        if after is None or not self._may_label(part):
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
        if self.sharing is not None and not all(self.sharing.often[part.first : part.last]):
            return NO_LEVEL
        if level == BOLD_LEVEL and (not bold_after or self._look(part) != self._look(after)):
            return BOLD_LEVEL
        if self.sharing is not None and self._names(part, after):
            return _SHARED_LEVEL
        if number or things:
            return NO_LEVEL
        if page.tags[after.element] in _LISTS:
            return BOLD_LEVEL
        if after.size >= 3 and after.parts and page.link[part.first] < 0 and len(parts) <= _FEW_PARTS:
            return BOLD_LEVEL
        return NO_LEVEL

    def _may_label(self, part: Block) -> bool:
        """Whether pages share the text, as they do a label's."""
        if self.sharing is None:
            return True
        leaves = [leaf for leaf in range(part.first, part.last) if _WORD.search(self.page.texts[leaf])]
        shared = all(self.sharing.shared[leaf] for leaf in leaves)
        return shared and any(_LETTER.search(self.page.texts[leaf]) for leaf in leaves)

    def _names(self, part: Block, after: Block) -> bool:
        """Whether a plain text that most pages share stands before one that changes, and is set apart from it."""
        if self.sharing is None or not all(self.sharing.steady[part.first : part.last]):
            return False
        if all(self.sharing.often[after.first : after.last]) or after.size > _SHORT_PART:
            return False
        if self.page.tags[part.outer] in ("td", "th"):
            return True
        return self.page.link[part.first] < 0 and self._look(part) != self._look(after)

    def _label(self, part: Block) -> list[Node]:
        """A label's own node; where it is several texts, the later ones are below the first."""
        leaves = [leaf for leaf in range(part.first, part.last) if _WORD.search(self.page.texts[leaf])]
        return [Node(leaves[0], [Node(leaf) for leaf in leaves[1:]])] if leaves else []

    def _thing(self, part: Block) -> list[Node]:
        """A thing of a list: its title, or its first text, names the rest."""
        nodes = self.outline(part)
        if len(nodes) < 2 or part.size > 12 or self.sharing is not None:
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
        leaves = [leaf for leaf in range(block.first, block.last) if TELLING.search(page.texts[leaf])]
        top: list[Node] = []
        label: Node | None = None
        for number, leaf in enumerate(leaves):
            node = Node(leaf)
            text = page.texts[leaf]
            follows = leaves[number + 1] if number + 1 < len(leaves) else None
            named = follows is not None and len(text.split()) <= _LABEL_WORDS
            if named and not self._may_label(Block(0, 0, leaf, leaf + 1)):
                named = False
            if named and (text.endswith(":") or self._changes(leaf, follows) or self._stands_out(leaf, follows)):
                label = node
                node.tight = True
                top.append(node)
            else:
                (label.children if label is not None else top).append(node)
        return top

    def _stands_out(self, leaf: int, follows: int | None) -> bool:
        """Whether in one line a bold text stands before one that is not."""
        known = self.sharing is None or self.sharing.often[leaf]
        return known and bool(self.page.bold[leaf]) and follows is not None and not self.page.bold[follows]

    def _changes(self, leaf: int, follows: int | None) -> bool:
        """Whether in one line a text of most pages stands before one that changes."""
        if self.sharing is None or follows is None:
            return False
        page, one, other = self.page, int(self.page.holder[leaf]), int(self.page.holder[follows])
        apart = (page.tags[one], page.attributes[one].get("class")) != (
            page.tags[other],
            page.attributes[other].get("class"),
        )
        return apart and page.link[leaf] < 0 and self.sharing.steady[leaf] and not self.sharing.often[follows]

    def _table(self, table: Block) -> list[Node]:
        """Rows of a table: a head row names columns, a first cell the rest of its row, a lone cell the rows below."""
        rows: list[Block] = []
        for part in table.parts:
            if self.page.tags[part.outer] in ("thead", "tbody", "tfoot"):
                whole = self.page.tags[part.element] in ("thead", "tbody", "tfoot")
                rows += part.parts if part.parts and whole else [part]
            elif self.page.tags[part.outer] == "tr":
                rows.append(part)
            else:
                return self.combine(table.parts)
        if len(rows) < 2:
            return self.combine(table.parts)
        cells = [row.parts or [row] for row in rows]
        width = max(map(len, cells))
        if width == 1:
            return self.combine(rows)
        if self.sharing is not None and self._is_matrix(cells):
            return []
        if self._is_head(cells) and all(map(self._may_label, cells[0])):
            heads = [node for cell in cells[0] for node in self._label(cell)]
            for head in heads:
                head.tight = True
            for below in cells[1:]:
                for head, cell in zip(heads, below, strict=False):
                    head.children.extend(self.outline(cell))
            return heads
        top: list[Node] = []
        group: Node | None = None
        for number, row in enumerate(cells):
            if len(row) == 1 and self._may_label(row[0]) and self._is_group(row[0], cells[number + 1 : number + 2]):
                group = self._label(row[0])[0]
                top.append(group)
                continue
            nodes = self._row(row) if len(row) == 2 else self.combine(row)
            (group.children if group is not None else top).extend(nodes)
        return top

    def _row(self, row: list[Block]) -> list[Node]:
        """A row of two cells: a label and what it names."""
        label = row[0]
        if not self._may_label(label):
            return self.combine(row)
        words = [text for text in self.page.texts[label.first : label.last] if _WORD.search(text)]
        if len(words) != 1 or label.parts or len(words[0].split()) > _LABEL_WORDS:
            return self.combine(row)
        node = self._label(label)[0]
        node.tight = True
        node.children.extend(self.outline(row[1]))
        return [node]

    def _is_group(self, cell: Block, after: list[list[Block]]) -> bool:
        """Whether the only cell of a row heads the rows below it, as the next of them has two cells or more."""
        texts = [text for text in self.page.texts[cell.first : cell.last] if _WORD.search(text)]
        if len(texts) != 1 or len(texts[0].split()) > _LABEL_WORDS or not after or len(after[0]) < 2:
            return False
        return self._look(cell) != self._look(after[0][0])

    def _look(self, part: Block) -> tuple[str, str, bool]:
        """What tells one kind of label from another."""
        page = self.page
        element = part.element if page.tags[part.outer] == "tr" else part.outer
        return page.tags[element], page.attributes[element].get("class", ""), bool(page.bold[part.first])

    def _is_matrix(self, cells: list[list[Block]]) -> bool:
        """The same of a table whose headers were not understood: rows of several short cells, most of them no label."""
        rows = [row for row in cells if len(row) >= 3 and sum(cell.size for cell in row) <= 2 * len(row)]
        if len(rows) < 3 or 2 * len(rows) < len(cells):
            return False
        labels = [self._may_label(row[0]) and self._may_label(row[2]) for row in rows if len(row) == 4]
        return not (labels and sum(labels) >= 0.7 * len(rows))

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
