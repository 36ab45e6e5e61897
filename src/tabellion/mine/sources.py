"""What is mined: folders of saved pages, WARC files and home pages on the web, as sites whose pages load one at a time.

In: the sources of a call. Out: sites. A folder is one site; its `urls.json` (file name → address), where there is one,
says where pages were saved from. A WARC file holds one site a host. A home page on the web is crawled first (`crawl`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tabellion.errors import SourceMissingError, UnreadableError
from tabellion.mine.crawl import CrawlSettings, crawl_site
from tabellion.mine.ontology import SitePages
from tabellion.mine.warc import WarcFile
from tabellion.model.page_tree import PageTree
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.page_tree import load_page_tree, read_page_tree

_PAGES = frozenset((".html", ".htm", ".xhtml", ".mhtml", ".mht"))
_HOMES = ("index.html", "index.htm", "home.html", "default.html")


def open_sites(
    sources: Sequence[str], limits: Limits = DEFAULT, crawl: CrawlSettings = CrawlSettings(), keep: Path | None = None
) -> Iterator[SitePages]:
    """The sites that sources name; live ones are crawled and kept as WARC files in the folder `keep`."""
    for source in sources:
        if source.startswith(("http://", "https://")):
            yield from warc_sites(crawl_site(source, crawl, keep), limits)
        elif Path(source).is_dir():
            yield folder_site(Path(source), limits)
        elif source.endswith((".warc", ".warc.gz")):
            if not Path(source).is_file():
                raise SourceMissingError(f"{source}: no such file")
            yield from warc_sites(Path(source), limits)
        elif Path(source).exists():
            raise UnreadableError(f"{source}: is neither a folder of pages nor a WARC file")
        else:
            raise SourceMissingError(f"{source}: no such folder or file")


def folder_site(folder: Path, limits: Limits = DEFAULT) -> SitePages:
    """The pages of a folder, the home page first."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _PAGES and path.is_file())
    if not files:
        raise SourceMissingError(f"{folder}: no page in this folder")
    files.sort(key=lambda path: (path.name not in _HOMES, str(path)))
    addresses = _read_addresses(folder)

    def load(source: str) -> PageTree:
        page = load_page_tree(source, limits)
        address = addresses.get(str(Path(source).relative_to(folder)))
        return msgspec.structs.replace(page, address=address) if address else page

    return SitePages(folder.resolve().name, tuple(map(str, files)), load)


def _read_addresses(folder: Path) -> dict[str, str]:
    try:
        told = json.loads((folder / "urls.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return (
        {name: address for name, address in told.items() if isinstance(address, str)} if isinstance(told, dict) else {}
    )


def warc_sites(path: Path, limits: Limits = DEFAULT) -> Iterator[SitePages]:
    """One site for each host of a WARC file, its pages in the order of the file."""
    archive = WarcFile(path)
    for host, addresses in archive.hosts().items():

        def load(source: str) -> PageTree:
            fetched = archive.fetch(source)
            return read_page_tree(fetched.data, fetched.charset, fetched.address, limits)

        yield SitePages(host, tuple(addresses), load)
