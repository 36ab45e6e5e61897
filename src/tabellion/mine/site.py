"""What taxonomy mining knows of one site: its links, read once, without the pages themselves.

In: the pages of a site, one at a time. Out: its short links and which paths have articles below them.
Memory grows with the different links of a site, not with its pages: a menu of every page is kept a few times.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from tabellion.mine.links import Link

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
