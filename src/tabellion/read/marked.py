"""Where a page must be looked at node by node, and what it says of itself, found by one pass of the parser's selectors.

In: the parser's tree. Out: a `Marked`: the nodes that state facts or hold style sheets, and which elements hold a
heading, a table or what else is not plain text. All the rest of a page is text that can be taken as a whole.
"""

from __future__ import annotations

from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

ARIA_TABLES = frozenset(("table", "grid", "treegrid"))
_FACTS = ("meta", "link")
_STATING = (*_FACTS, "title", "style")
_TELLING = ("table", "dl", "pre", "h1", "h2", "h3", "h4", "h5", "h6")
_UNSHOWN = ("script", "template", "iframe", "select", "textarea", "datalist", "noembed", "noframes")
_NAMED = (*_STATING, *_TELLING, *_UNSHOWN)
_SELECTOR = ",".join(_NAMED)
_SELECTOR_WITH_ROLES = ",".join((_SELECTOR, *(f"[role={role}]" for role in sorted(ARIA_TABLES))))


class Marked(NamedTuple):
    """What was found on a page.

    `stating`: the nodes that state something of it, by their tag. `holders`: the numbers (`mem_id`) of all elements
    that are or hold what is no plain text. `has_roles`: some element says by its role that it is a table.
    """

    stating: dict[str, list[LexborNode]]
    holders: set[int]
    has_roles: bool


def mark_page(parser: LexborHTMLParser, may_have_roles: bool = True) -> Marked:
    """Find what a page states and where it must be looked at."""
    stating: dict[str, list[LexborNode]] = {name: [] for name in _STATING}
    holders: set[int] = set()
    has_roles = False
    for found in parser.css(_SELECTOR_WITH_ROLES if may_have_roles else _SELECTOR):
        tag = found.tag or ""
        if tag in stating:
            stating[tag].append(found)
            if tag in _FACTS:
                continue
        has_roles = has_roles or (may_have_roles and found.attributes.get("role") in ARIA_TABLES)
        node: LexborNode | None = found
        while node is not None and (number := node.mem_id) not in holders:
            holders.add(number)
            node = node.parent
    return Marked(stating, holders, has_roles)
