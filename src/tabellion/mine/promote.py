"""Promotion of labels above what they name (OntoMiner, section 4.3.3).

In: a group tree. Out: a hierarchy of texts. A leaf that is emphasised (bold by tag or style, in capitals, or before a
list) and the first child of a partition takes the partition's place (insider promotion). So does a first child whose
only sibling is a group or a single leaf (outsider promotion). A promoted leaf may be promoted again.
"""

from __future__ import annotations

from tabellion.mine.group import Grouped
from tabellion.mine.outline import Node
from tabellion.model.page_tree import PageTree

_LISTS = frozenset(("ul", "ol", "li"))


def promote_labels(root: Grouped, page: PageTree) -> Node:
    """The hierarchy of a group tree; nodes that no label replaces have none."""
    order: list[Grouped] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(node.children)
    made: dict[int, Node] = {}
    for node in reversed(order):
        if not node.children:
            made[id(node)] = Node(node.first)
            continue
        children = [made.pop(id(child)) for child in node.children]
        made[id(node)] = Node(None, children) if node.group else _promote(node, children, page)
    return made[id(root)]


def _promote(node: Grouped, children: list[Node], page: PageTree) -> Node:
    """A partition, with its first child in its place where a rule allows it."""
    head = children[0]
    if head.leaf is None:
        return Node(None, children)
    siblings = node.children[1:]
    outsider = len(siblings) == 1 and (siblings[0].group or not siblings[0].children)
    if is_emphasised(page, head.leaf) or outsider:
        return Node(head.leaf, [*head.children, *children[1:]])
    return Node(None, children)


def is_emphasised(page: PageTree, leaf: int) -> bool:
    """Whether a leaf is set off as a label is."""
    text = page.texts[leaf]
    if bool(page.bold[leaf]) or (text.isupper() and len(text) > 1):
        return True
    if leaf + 1 >= len(page):
        return False
    mine = set(page.ancestors(int(page.holder[leaf])))
    after = page.ancestors(int(page.holder[leaf + 1]))
    return any(page.tags[element] in _LISTS for element in after if element not in mine)
