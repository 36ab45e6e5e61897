"""What taxonomy mining knows of one site: its links.

What taxonomy mining knows of one site: its links, read once, without the pages themselves. In: the pages of a site, one
at a time. Out: its short links and which paths have articles below them. Memory grows with the different links of a
site, not with its pages: a menu of every page is kept a few times.

The links of a page: what they say, where they lead, and where on the page they stand. In: a page tree and its address.
Out: links in page order, each with the list it stands in, its segment, and the labels above it in the page's hierarchy.
Fails where scripts build the navigation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from urllib.parse import urldefrag, urljoin, urlsplit

import msgspec

from tabellion.mine.hierarchy import SegmentedPage
from tabellion.mine.outline import Node
from tabellion.model.markup import PageTree
from tabellion.read.web.addresses import join_address

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
    base = join_address(address or "", page.base or "", otherwise=address or "")
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


_LABEL_WORDS, _LABEL_LETTERS = 4, 40  # longer texts are headlines
_HEADLINE_WORDS = 4
_TWINS = 0.25  # share of all short links that two sites of one house have in common
_PLACES = 8  # places of one link under the same labels that are kept; a menu may stand on every page
_DIGITS = re.compile(r"\d")


class SitePage(msgspec.Struct, frozen=True):
    """A page's address (host and path) and the breadcrumbs that it states."""

    source: str
    address: str | None
    host: str
    path: str
    language: str | None = None
    crumbs: tuple[tuple[str, ...], ...] = ()


class Site(msgspec.Struct, frozen=True, dict=True):
    """A site: its name, its pages (the home page first), its short links by their text, and its articles.

    `articles` are the host and path of what headlines lead to, `hosts` how many headlines lead to each host.
    """

    name: str
    pages: tuple[SitePage, ...]
    labels: dict[str, list[Link]]
    articles: frozenset[tuple[str, str]]
    hosts: dict[str, int]

    @cached_property
    def host(self) -> str:
        """The host that most headlines lead to."""
        if self.hosts:
            return max(self.hosts, key=lambda host: self.hosts[host])
        return self.pages[0].host if self.pages else ""

    @cached_property
    def language(self) -> str | None:
        """The language that most pages declare."""
        counts = Counter(page.language for page in self.pages if page.language)
        return counts.most_common(1)[0][0] if counts else None

    @cached_property
    def articles_below(self) -> Counter[tuple[str, str]]:
        """How many articles lie below each path: their paths, cut at every slash."""
        counts: Counter[tuple[str, str]] = Counter()
        for host, path in self.articles:
            cut = path.rfind("/")
            while cut > 0:
                counts[host, path[:cut]] += 1
                cut = path.rfind("/", 0, cut)
        return counts

    @cached_property
    def labels_below(self) -> Counter[tuple[str, str]]:
        """How many different paths with short links lie right below each path."""
        paths = {(link.host, link.path) for links in self.labels.values() for link in links if link.path}
        return Counter((host, path[: path.rfind("/")]) for host, path in paths)


def gather_site(name: str, read: Iterable[tuple[SitePage, Sequence[Link]]]) -> Site:
    """A site of pages and their links; one that comes back under the same labels is kept a few times."""
    pages: list[SitePage] = []
    labels: dict[str, list[Link]] = {}
    seen: Counter[tuple[str, str, str, tuple[str, ...]]] = Counter()
    articles: set[tuple[str, str]] = set()
    hosts: Counter[str] = Counter()
    for page, links in read:
        pages.append(page)
        for link in links:
            if is_headline(link):
                hosts[link.host] += 1
                articles.add((link.host, link.path))
            key = (link.text, link.host, link.path, link.above)
            if is_label(link.text) and seen[key] < _PLACES:
                seen[key] += 1
                labels.setdefault(fold(link.text), []).append(link)
    return Site(name, tuple(pages), labels, frozenset(articles), dict(hosts))


def find_houses(sites: Sequence[Site]) -> dict[str, str]:
    """For each site the first site that shows nearly the same links: portals of one house are no second witness."""
    houses: dict[str, str] = {}
    seen: list[tuple[str, frozenset[str]]] = []
    for site in sites:
        shown = frozenset(site.labels)
        twin = next((name for name, other in seen if len(shown & other) > _TWINS * max(1, len(shown | other))), None)
        houses[site.name] = houses[twin] if twin is not None else site.name
        seen.append((site.name, shown))
    return houses


def is_label(text: str) -> bool:
    """Whether a link's text may name a concept: few words, and a letter."""
    return len(text.split()) <= _LABEL_WORDS and 1 < len(text) <= _LABEL_LETTERS and any(map(str.isalpha, text))


def is_headline(link: Link) -> bool:
    """Whether a link leads to one article: a long text, and an address with a title or a number in it."""
    last = link.path.rsplit("/", 1)[-1]
    return len(link.text.split()) >= _HEADLINE_WORDS and (last.count("-") >= 3 or len(_DIGITS.findall(last)) >= 5)


def fold(label: str) -> str:
    """A label without case and with single blanks."""
    return " ".join(label.casefold().split())
