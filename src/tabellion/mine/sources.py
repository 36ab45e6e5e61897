"""What is mined: folders of saved pages, WARC files and home pages on the web, as sites whose pages load one at a time.

In: the sources of a call. Out: sites. A page alone is one site, and so is a folder; the folder's `urls.json` (file name
→ address), where there is one, says where its pages were saved from. A WARC file holds one site a host. Home pages on
the web are crawled first (`crawl`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tabellion.errors import SourceMissingError, UnreadableError
from tabellion.isolated import read_in
from tabellion.mine.crawl import Crawled, ExpansionSettings, crawl_sites, expand_sites
from tabellion.mine.live import CrawlSettings
from tabellion.mine.ontology import SitePages
from tabellion.mine.tables import find_tables
from tabellion.mine.warc import FetchedPage, WarcFile
from tabellion.model.page_tree import PageTree
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.web.page_tree import load_page, read_page_tree
from tabellion.workers import Crew

_PAGES = frozenset((".html", ".htm", ".xhtml", ".mhtml", ".mht"))
_HOMES = ("index.html", "index.htm", "home.html", "default.html")
_WEB = ("http://", "https://")
_FILES = (".warc", ".warc.gz", *_PAGES)


def open_sites(
    sources: Sequence[str],
    limits: Limits = DEFAULT,
    crawl: CrawlSettings = CrawlSettings(),
    keep: Path | None = None,
    expand: int = 0,
    crew: Crew | None = None,
) -> Iterator[SitePages]:
    """The sites that sources name; those on the web are crawled and kept as WARC files in the folder `keep`.

    With `expand`, up to so many sites of the same domain are added that those on the web lead to. With `crew`, pages
    are read in its workers, under the limits of time and memory.
    """
    for source in sources:
        if not source.startswith(_WEB) and not Path(source).exists():
            raise SourceMissingError(f"{source}: no such folder or file")
        if not source.startswith(_WEB) and not Path(source).is_dir() and not source.endswith(_FILES):
            raise UnreadableError(f"{source}: is neither a page, nor a folder of pages, nor a WARC file")
    homes = list(dict.fromkeys(source for source in sources if source.startswith(_WEB)))
    if homes and expand:
        fetched = expand_sites(homes, crawl, keep, ExpansionSettings(sites=expand))
    else:
        fetched = crawl_sites(homes, crawl, keep) if homes else []
    crawled = {each.home: each for each in fetched}
    for source in sources:
        if source.startswith(_WEB):
            yield from _crawled_sites(crawled[source], limits, crew)
        elif Path(source).is_dir():
            yield folder_site(Path(source), limits, crew)
        elif source.endswith(tuple(_PAGES)):
            yield SitePages(
                Path(source).name,
                (source,),
                lambda name: load_with_tables(name, limits, crew),
                lambda name: fetch_source(name, limits).data,
            )
        else:
            yield from warc_sites(Path(source), limits, crew)
    for home in (home for home in crawled if home not in homes):
        yield from _crawled_sites(crawled[home], limits, crew)


def load_with_tables(source: str, limits: Limits = DEFAULT, crew: Crew | None = None) -> PageTree:
    """The tree of a page by its path or address, with its data tables."""
    return read_in(crew, _load, source, limits, limits=limits, name=source)


def _load(source: str, limits: Limits) -> PageTree:
    return find_tables(*load_page(source, limits), limits)


def _read(fetched: FetchedPage, limits: Limits) -> PageTree:
    return find_tables(read_page_tree(fetched.data, fetched.charset, fetched.address, limits), fetched.data, limits)


def _crawled_sites(crawled: Crawled, limits: Limits, crew: Crew | None) -> Iterator[SitePages]:
    """The site of a crawl; where nothing could be fetched, one whose only page says why."""
    if crawled.error is None:
        yield from warc_sites(crawled.path, limits, crew)
        return
    error = crawled.error

    def load(source: str) -> PageTree:
        raise error

    yield SitePages(crawled.home, (crawled.home,), load)


class SavedPages:
    """The pages of a folder by address; its `urls.json` (file name → address) says where they were saved from."""

    def __init__(self, folder: Path, limits: Limits = DEFAULT) -> None:
        self.folder, self._limits = folder, limits
        self.files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _PAGES and path.is_file())
        if not self.files:
            raise SourceMissingError(f"{folder}: no page in this folder")
        self.files.sort(key=lambda path: (path.name not in _HOMES, str(path)))
        self._addresses = _read_addresses(folder)

    def address(self, file: str | Path) -> str | None:
        """Where a file was saved from, as far as the folder says."""
        return self._addresses.get(str(Path(file).relative_to(self.folder)))

    def fetch(self, address: str) -> FetchedPage:
        """The page of an address."""
        for file in self.files:
            if self.address(file) == address:
                return FetchedPage(address, fetch_source(str(file), self._limits).data)
        raise SourceMissingError(f"{address}: not in {self.folder}")


def folder_site(folder: Path, limits: Limits = DEFAULT, crew: Crew | None = None) -> SitePages:
    """The pages of a folder, the home page first."""
    saved = SavedPages(folder, limits)

    def load(source: str) -> PageTree:
        page = load_with_tables(source, limits, crew)
        address = saved.address(source)
        return msgspec.structs.replace(page, address=address) if address else page

    def read(source: str) -> bytes:
        return fetch_source(source, limits).data

    return SitePages(folder.resolve().name, tuple(map(str, saved.files)), load, read)


def _read_addresses(folder: Path) -> dict[str, str]:
    try:
        told = json.loads((folder / "urls.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    pairs = told.items() if isinstance(told, dict) else ()
    return {name: address for name, address in pairs if isinstance(address, str)}


def warc_sites(path: Path, limits: Limits = DEFAULT, crew: Crew | None = None) -> Iterator[SitePages]:
    """One site for each host of a WARC file, its pages in the order of the file."""
    archive = WarcFile(path)
    for host, addresses in archive.hosts().items():

        def load(source: str) -> PageTree:
            return read_in(crew, _read, archive.fetch(source), limits, limits=limits, name=source)

        yield SitePages(host, tuple(addresses), load, lambda source: archive.fetch(source).data)
