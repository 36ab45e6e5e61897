"""Where a page must be looked at node by node, and what it says of itself, found by one pass of the parser's selectors.

In: the parser's tree. Out: a `Marked`: the nodes that state facts or hold style sheets, and which elements hold a
heading, a table or what else is not plain text. All the rest of a page is text that can be taken as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

ARIA_TABLES = frozenset(("table", "grid", "treegrid"))
_STATING = ("title", "meta", "link", "style")
_TELLING = ("table", "dl", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_UNSHOWN = ("script", "template", "iframe", "select", "textarea", "datalist", "noembed", "noframes")
_SELECTOR = ",".join((*_STATING, *_TELLING, *_UNSHOWN))


class Marked(NamedTuple):
    """Nodes by the name of their tag, and the numbers (`mem_id`) of all elements that are or hold what is no text."""

    stating: dict[str, list[LexborNode]]
    holders: frozenset[int] | set[int]
    has_roles: bool


def mark_page(parser: LexborHTMLParser, may_have_roles: bool = True) -> Marked:
    """Find what a page states and where it must be looked at."""
    stating: dict[str, list[LexborNode]] = {name: [] for name in _STATING}
    holders: set[int] = set()
    roles = 0
    for node in parser.css(f"{_SELECTOR},[role]" if may_have_roles else _SELECTOR):
        tag = node.tag or ""
        if tag in stating:
            stating[tag].append(node)
        elif may_have_roles and tag not in _TELLING and tag not in _UNSHOWN:
            if node.attributes.get("role") not in ARIA_TABLES:
                continue
            roles += 1
        _mark_holders(node, holders)
    return Marked(stating, holders, roles > 0)


def _mark_holders(node: LexborNode | None, holders: set[int]) -> None:
    while node is not None:
        number = node.mem_id
        if number in holders:
            return
        holders.add(number)
        node = node.parent
