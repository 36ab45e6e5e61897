"""New sites of the same domain, found by the links of mined ones (OntoMiner, section 5.5: bootstrapping).

In: home pages to begin with, and limits. Out: the sites, crawled: those given, then those found. The concepts of the
sites so far are the seeds. Hosts that their pages link to are tried, those that most sites link to first: a home page
that shows enough of the seed concepts among its own links is of the domain. What is found joins, concepts are mined
anew, and so on until nothing new comes or the limit is reached. Fails on domains whose sites do not link to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from tabellion.errors import TabellionError
from tabellion.mine.crawl import Crawled, crawl_sites
from tabellion.mine.live import CrawlSettings, LiveFetcher
from tabellion.mine.ontology import build_concepts, read_site_page
from tabellion.mine.site import Link, Site, fold, gather_site, is_label
from tabellion.mine.warc import WarcFile
from tabellion.read.web.page_tree import read_page_tree


class ExpansionSettings(msgspec.Struct, frozen=True):
    """How far sites are looked for."""

    sites: int = 10  # found besides those given, at most
    concepts: int = 3  # seed concepts that a home page must show, at least
    share: float = 0.2  # of all seed concepts that it must show
    rounds: int = 5  # times that concepts are mined anew
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


def _host(address: str) -> str:
    return urlsplit(address).netloc.lower().removeprefix("www.")
