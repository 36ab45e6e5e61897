"""The links of a page: what they say, where they lead, and where on the page they stand.

In: a page tree and its address. Out: links in page order, each with the list it stands in, its segment, and the labels
above it in the page's hierarchy. Fails where scripts build the navigation.
"""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin, urlsplit

import msgspec

from tabellion.mine.hierarchy import SegmentedPage
from tabellion.mine.outline import Node
from tabellion.model.page_tree import PageTree

_LISTS = frozenset(("ul", "ol", "nav", "table", "menu", "dl", "select"))


class Link(msgspec.Struct, frozen=True):
    """A link: its text, host, path and whole address of where it leads, and its place on the page.

    `above` are the links or texts over it in the page's hierarchy, the nearest first; `group` is the number of the
    element whose links it stands among, `segment` that of its segment.
    """

    text: str
    host: str
    path: str
    group: int
    segment: int
    above: tuple[str, ...] = ()
    follows: bool = True  # not marked nofollow
    address: str = ""


def read_links(segmented: SegmentedPage, address: str | None) -> list[Link]:
    """The links of a page; those of no place (mail, scripts, anchors on the same page) are left out."""
    page = segmented.page
    above = _labels_above(segmented)
    segments = _segment_numbers(segmented)
    base = urljoin(address or "", page.base or "")
    found: list[Link] = []
    for element, tag in enumerate(page.tags):
        first, last = int(page.first[element]), int(page.last[element])
        if tag != "a" or last == first:
            continue
        whole = whole_address(page.attributes[element].get("href", ""), base)
        if whole is None:
            continue
        host, path = _host_and_path(whole)
        text = page.join(first, last)
        found.append(
            Link(
                text=text,
                host=host,
                path=path,
                group=_group_of(page, element),
                segment=segments[first],
                above=above.get(first, ()),
                follows="nofollow" not in page.attributes[element].get("rel", ""),
                address=whole,
            )
        )
    return found


def split_address(href: str, base: str) -> tuple[str, str] | None:
    """Host (without www) and path (without the last slash) of an address; None where it names no page.

    >>> split_address("/sport/", "https://www.example.org/index.html")
    ('example.org', '/sport')
    """
    whole = whole_address(href, base)
    return None if whole is None else _host_and_path(whole)


def whole_address(href: str, base: str) -> str | None:
    """An address as seen from a page, without its fragment; None where it names no page."""
    href = href.strip()
    if not href or href.startswith(("#", "mailto:", "javascript:", "tel:", "data:", "whatsapp:")):
        return None
    try:
        whole = urldefrag(urljoin(base, href))[0]
        return whole if urlsplit(whole).scheme in ("http", "https", "") else None
    except ValueError:
        return None


def _host_and_path(whole: str) -> tuple[str, str]:
    parts = urlsplit(whole)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/")


def _group_of(page: PageTree, element: int) -> int:
    """The nearest list around a link, or the nearest element with other links."""
    here = int(page.parents[element])
    for each in page.ancestors(here):
        if page.tags[each] in _LISTS:
            return each
    return here


def _segment_numbers(segmented: SegmentedPage) -> list[int]:
    numbers: list[int] = []
    for number, (first, last) in enumerate(segmented.spans):
        numbers += [number] * (last - first)
    return numbers


def _labels_above(segmented: SegmentedPage) -> dict[int, tuple[str, ...]]:
    """For each leaf the texts above it in the hierarchy, the nearest first."""
    found: dict[int, tuple[str, ...]] = {}
    waiting: list[tuple[Node, tuple[str, ...]]] = [(segmented.tree, ())]
    while waiting:
        node, labels = waiting.pop()
        below: tuple[str, ...] = labels
        if node.leaf is not None:
            found[node.leaf] = labels
            below = (segmented.page.texts[node.leaf], *labels)
        waiting.extend((child, below) for child in node.children)
    return found
