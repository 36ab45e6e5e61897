"""Which pages of sites are fetched: those that concepts link to, then those of their instances (OntoMiner, 5.5).

In: home pages and something that fetches. Out: the pages, fetched. Several sites are walked together: the concepts of
their home pages are mined, the links of these concepts are followed on every site, and so on from what is found there;
what is left of each site's pages goes to the articles that concept pages link. One site alone is walked breadth first,
short links (which may be concepts) before headlines. Only links on the same site are followed, and none that look made
without end.

New sites of the same domain, found by the links of mined ones (OntoMiner, section 5.5: bootstrapping).

In: home pages to begin with, and limits. Out: the sites, crawled: those given, then those found. The concepts of the
sites so far are the seeds. Hosts that their pages link to are tried, those that most sites link to first: a home page
that shows enough of the seed concepts among its own links is of the domain. What is found joins, concepts are mined
anew, and so on until nothing new comes or the limit is reached. Fails on domains whose sites do not link to each other.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Protocol
from urllib.parse import urldefrag, urlsplit

import msgspec

from tabellion.errors import TabellionError, UnreadableError
from tabellion.mine.live import CrawlSettings, FetchedPage, LiveFetcher, WarcFile, WarcWriter
from tabellion.mine.ontology import build_concepts, read_site_page
from tabellion.mine.site import Link, Site, SitePage, fold, gather_site, is_headline, is_label
from tabellion.read.web.page_tree import read_page_tree

_CONCEPT_PAGES = 0.5  # share of a site's pages that may be pages of concepts; the others are for their instances


class Fetcher(Protocol):
    """Gives the page of an address: live, from a WARC file, or from a folder."""

    def fetch(self, address: str) -> FetchedPage:
        """The page, or a `TabellionError` that says why there is none."""
        ...


class Crawled(msgspec.Struct, frozen=True):
    """A site that was crawled: the WARC file that holds it, or why there is none."""

    home: str
    path: Path
    error: TabellionError | None = None


class SiteWalk:
    """The walk through one site: what was fetched, and what may be fetched next."""

    def __init__(
        self,
        fetcher: Fetcher,
        home: str,
        settings: CrawlSettings = CrawlSettings(),
        writer: WarcWriter | None = None,
        changed: Sequence[str] = (),
    ) -> None:
        self.fetcher, self.home, self.settings, self.writer = fetcher, home, settings, writer
        self.changed = changed  # wanted, or new or changed by the site's map: fetched right after the home page
        self.site = _host(home)
        self.read: list[tuple[SitePage, list[Link]]] = []
        self.error: TabellionError | None = None
        self._seen: set[str] = set()
        self._asked: Counter[str] = Counter()
        self._tried = 0

    @property
    def fetched(self) -> list[str]:
        """The addresses that were fetched."""
        return [page.source for page, _ in self.read]

    def may_go_on(self, share: float = 1.0) -> bool:
        """Whether pages are left to fetch, and not too many tries were in vain."""
        most = self.settings.pages
        return len(self.read) < max(1, share * most) and self._tried < 3 * most

    def visit(self, address: str) -> list[Link]:
        """Fetch a page that was not seen before; gives its links, none where it cannot be had."""
        if not self._is_new(address):
            return []
        self._tried += 1
        try:
            page = self.fetcher.fetch(address)
            tree = read_page_tree(page.data, page.charset, page.address)
        except TabellionError as error:
            self.error = self.error or error
            return []
        home = not self.read
        bare = _bare(page.address)
        if (_host(page.address) != self.site and not home) or (bare != _bare(address) and bare in self._seen):
            return []
        if home:
            self.site = _host(page.address)
        self._seen.add(bare)
        if self.writer is not None:
            self.writer.write(page)
        self.read.append(read_site_page(tree, page.address))
        return self.read[-1][1]

    def _is_new(self, address: str) -> bool:
        bare = _bare(address)
        path, _, question = bare.partition("?")
        if bare in self._seen or is_trap(address, self.settings):
            return False
        if question and self._asked[path] >= self.settings.questions:
            return False
        self._seen.add(bare)
        self._asked[path] += bool(question)
        return True

    def own(self, links: Sequence[Link]) -> list[Link]:
        """The links that lead to the same site, and that it does not ask us to leave alone."""
        return [link for link in links if link.host == self.site and link.follows]


def walk_site(fetcher: Fetcher, home: str, settings: CrawlSettings = CrawlSettings()) -> list[str]:
    """Follow the links of one site breadth first; gives the addresses that were fetched."""
    walk = SiteWalk(fetcher, home, settings)
    _walk_alone(walk)
    if walk.error is not None and not walk.read:
        raise walk.error
    return walk.fetched


def _walk_alone(walk: SiteWalk) -> None:
    waiting: deque[tuple[str, int]] = deque(
        [(walk.home, 0), *((address, walk.settings.depth) for address in walk.changed)]
    )
    while waiting and walk.may_go_on():
        address, depth = waiting.popleft()
        links = walk.own(walk.visit(address))
        if depth < walk.settings.depth:
            links.sort(key=lambda link: not is_label(link.text))
            waiting.extend((link.address, depth + 1) for link in links)


def walk_together(walks: Sequence[SiteWalk]) -> None:
    """Fetch the pages of several sites: concepts of the pages so far, what these link to, and their instances."""
    for walk in walks:
        walk.visit(walk.home)
    alive = [walk for walk in walks if walk.read]
    for walk in alive:
        for address in walk.changed:
            if walk.may_go_on(_CONCEPT_PAGES):
                walk.visit(address)
    for _ in range(max((walk.settings.depth for walk in alive), default=0)):
        before = sum(len(walk.read) for walk in alive)
        concepts, _ = build_concepts([gather_site(walk.site, walk.read) for walk in alive])
        linked = [url for concept in sorted(concepts, key=lambda one: -one.support) for url in concept.urls]
        for walk in alive:
            for address in (url for url in linked if _host(url) == walk.site):
                if walk.may_go_on(_CONCEPT_PAGES):
                    walk.visit(address)
        if sum(len(walk.read) for walk in alive) == before:
            break
    for walk in alive:
        for address in _articles(walk):
            if not walk.may_go_on():
                break
            walk.visit(address)


def _articles(walk: SiteWalk) -> Iterator[str]:
    """The addresses of articles, one of each page in turn; then those of any other link."""
    pages = [walk.own(links) for _, links in (walk.read[1:] or walk.read)]
    for told in (True, False):
        chosen = [[link.address for link in links if is_headline(link) is told] for links in pages]
        for turn in zip_longest(*chosen):
            yield from (address for address in turn if address is not None)


def crawl_sites(
    homes: Sequence[str], settings: CrawlSettings = CrawlSettings(), keep: Path | None = None
) -> list[Crawled]:
    """Fetch sites from their home pages on and keep each as a WARC file; gives the files in the order of the sites."""
    folder = keep or Path(tempfile.mkdtemp(prefix="tabellion-"))
    if keep is None:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    names = [urlsplit(home).netloc.replace(":", "-") or "site" for home in homes]
    again = [names[:number].count(name) for number, name in enumerate(names)]
    paths = [folder / f"{name}{f'-{n + 1}' if n else ''}.warc.gz" for name, n in zip(names, again, strict=True)]
    older = [_set_aside(path) if settings.update else None for path in paths]
    with ExitStack() as stack:
        writers = [stack.enter_context(WarcWriter(path)) for path in paths]
        walks = [
            _open_walk(home, settings, writer, old) for home, writer, old in zip(homes, writers, older, strict=True)
        ]
        if len(walks) == 1:
            _walk_alone(walks[0])
        else:
            walk_together(walks)
    for walk, path, old in zip(walks, paths, older, strict=True):
        if old is not None:
            old.replace(path) if not walk.read else old.unlink()
    missing = [None if walk.read else walk.error or UnreadableError(f"{walk.home}: no page") for walk in walks]
    return [Crawled(*each) for each in zip(homes, paths, missing, strict=True)]


def _open_walk(home: str, settings: CrawlSettings, writer: WarcWriter, old: Path | None) -> SiteWalk:
    """The walk of a site; where it was crawled before, what its map says is new or changed comes first."""
    fetcher = LiveFetcher(settings, known=WarcFile(old) if old else None)
    wanted = [address for address in settings.wanted if _host(address) == _host(home)]
    return SiteWalk(fetcher, home, settings, writer, [*wanted, *(fetcher.list_changes(home) if old else ())])


def _set_aside(path: Path) -> Path | None:
    """Move an earlier crawl out of the way; where it is now, or None where there is none."""
    if not path.exists():
        return None
    return path.replace(path.with_name(path.name.replace(".warc.gz", ".before.warc.gz")))


def is_trap(address: str, settings: CrawlSettings = CrawlSettings()) -> bool:
    """Whether an address looks made without end: very long, or with one folder again and again.

    >>> is_trap("http://example.org/a/b/a/b/a/b"), is_trap("http://example.org/sport/tennis")
    (True, False)
    """
    folders = [folder for folder in urlsplit(address).path.split("/") if folder]
    repeated = max((folders.count(folder) for folder in folders), default=0)
    return len(address) > settings.address or repeated > settings.repeats


def _host(address: str) -> str:
    return urlsplit(address).netloc.lower().removeprefix("www.")


def _bare(address: str) -> str:
    return urldefrag(address)[0].rstrip("/").removeprefix("https://").removeprefix("http://").removeprefix("www.")


class ExpansionSettings(msgspec.Struct, frozen=True):
    """How far sites are looked for."""

    sites: int = 10  # found besides those given, at most
    concepts: int = 3  # seed concepts that a home page must show, at least
    share: float = 0.2  # of all seed concepts that it must show
    rounds: int = 20  # times that concepts are mined anew
    tried: int = 50  # home pages that are looked at in a round


def expand_sites(
    homes: Sequence[str],
    crawl: CrawlSettings = CrawlSettings(),
    keep: Path | None = None,
    settings: ExpansionSettings = ExpansionSettings(),
) -> list[Crawled]:
    """Crawl sites, then those of the same domain that they lead to."""
    crawled = crawl_sites(homes, crawl, keep)
    seen = {_host(home) for home in homes}
    found = 0
    for _ in range(settings.rounds):
        sites = [_read_again(each) for each in crawled if each.error is None]
        concepts, _ = build_concepts([site for site, _ in sites])
        seeds = {fold(label): concept.id for concept in concepts for label in concept.labels}
        fresh = [home for home in _outside([links for _, links in sites], seen) if _host(home) not in seen]
        accepted: list[str] = []
        for home in fresh[: settings.tried]:
            seen.add(_host(home))
            if found + len(accepted) < settings.sites and _is_of_domain(home, seeds, crawl, settings):
                accepted.append(home)
        if not accepted:
            break
        found += len(accepted)
        crawled += crawl_sites(accepted, crawl, keep)
    return crawled


def _read_again(crawled: Crawled) -> tuple[Site, list[Link]]:
    """A crawled site, and all of its links."""
    archive = WarcFile(crawled.path)
    read = []
    for addresses in archive.hosts().values():
        for address in addresses:
            page = archive.fetch(address)
            try:
                read.append(read_site_page(read_page_tree(page.data, page.charset, page.address), address))
            except TabellionError:
                continue  # what cannot be read leads nowhere
    return gather_site(_host(crawled.home), read), [link for _, links in read for link in links]


def _outside(links: Sequence[Sequence[Link]], seen: set[str]) -> list[str]:
    """The home pages of hosts that sites link to and that were not tried, those of most sites first."""
    sites: dict[str, set[int]] = {}
    schemes: dict[str, str] = {}
    for number, each in enumerate(links):
        for link in each:
            if link.host and link.host not in seen and link.follows:
                sites.setdefault(link.host, set()).add(number)
                parts = urlsplit(link.address)
                schemes.setdefault(link.host, f"{parts.scheme}://{parts.netloc}/")
    return [schemes[host] for host in sorted(sites, key=lambda host: (-len(sites[host]), host))]


def _is_of_domain(home: str, seeds: dict[str, str], crawl: CrawlSettings, settings: ExpansionSettings) -> bool:
    """Whether a home page shows enough of the seed concepts among its own links."""
    try:
        page = LiveFetcher(crawl).fetch(home)
        _, links = read_site_page(read_page_tree(page.data, page.charset, page.address), home)
    except TabellionError:
        return False
    own = {fold(link.text) for link in links if is_label(link.text) and link.host == _host(page.address)}
    shown = {seeds[label] for label in own if label in seeds}
    return len(shown) >= max(settings.concepts, settings.share * len(set(seeds.values())))
