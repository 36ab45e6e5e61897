"""What is mined: folders of saved pages, WARC files and home pages on the web, as sites whose pages load one at a time.

In: the sources of a call. Out: sites. A page alone is one site, and so is a folder; the folder's `urls.json` (file name
→ address), where there is one, says where its pages were saved from. A WARC file holds one site a host. Home pages on
the web are crawled first (`crawl`).

A page comes with its data tables, read by the table pipeline: for each value its leaves and the leaves of the labels
over it. Texts tie cells to leaves, in document order; a cell whose text the page tree has not (parted lines, joined
amounts) is left out. OntoMiner takes data tables out before it partitions (section 4.2), and puts them back as these
structures. Fails where the pipeline does: tables without headers say nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tabellion.errors import SourceMissingError, TabellionError, UnreadableError
from tabellion.isolated import read_in
from tabellion.mine.crawl import Crawled, ExpansionSettings, crawl_sites, expand_sites
from tabellion.mine.live import CrawlSettings, FetchedPage, WarcFile
from tabellion.mine.ontology import SitePages
from tabellion.model.markup import DataTable, PageTree, TableValue
from tabellion.model.table import Table
from tabellion.pipeline import Settings, extract_document
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.web.page_tree import load_page, read_page_tree
from tabellion.workers import Crew

_SURE = 0.5  # share of the cells with text that must be found among the leaves
_ROWS, _OUTER_ROWS = 2, 4  # rows that a table must have; one that holds others is a layout where it has fewer
_AHEAD = 2_000  # letters that are looked through for the next cell

Cell = tuple[int, int]


def find_tables(page: PageTree, data: bytes, limits: Limits = DEFAULT) -> PageTree:
    """The page with its data tables."""
    if not _may_have_headers(page):
        return page
    try:
        found = extract_document(data, Settings(limits=limits)).tables
    except TabellionError:
        return page
    elements = [number for number, tag in enumerate(page.tags) if tag == "table"]
    values: dict[int, list[TableValue]] = {}
    for table in found:
        index = table.place.table_index
        if index is not None and index < len(elements):
            values.setdefault(elements[index], []).extend(_tie(page, elements[index], table))
    tables = [
        DataTable(element, int(page.first[element]), int(page.last[element]), tuple(told))
        for element, told in values.items()
        if told
    ]
    return msgspec.structs.replace(page, tables=tuple(tables)) if tables else page


def _may_have_headers(page: PageTree) -> bool:
    """Whether some table has enough rows of two filled cells or more: fewer do not stand under headers."""
    rows: dict[int, dict[int, int]] = {}
    outer: set[int] = set()
    around: list[int] = []  # for each element the table that it stands in
    parents, first, last = page.parents.tolist(), page.first.tolist(), page.last.tolist()
    for element, tag in enumerate(page.tags):
        parent = parents[element]
        table = around[parent] if parent >= 0 else -1
        if tag == "table":
            outer.add(table)
            table = element
        elif tag in ("td", "th") and table >= 0 and last[element] > first[element]:
            cells = rows.setdefault(table, {})
            cells[parent] = cells.get(parent, 0) + 1
        around.append(table)
    return any(
        sum(filled >= 2 for filled in cells.values()) >= (_OUTER_ROWS if table in outer else _ROWS)
        for table, cells in rows.items()
    )


def _tie(page: PageTree, element: int, table: Table) -> Iterator[TableValue]:
    """The values of a table as leaves, each with those of its labels; none where its texts are not the element's."""
    texts = _texts(table)
    spans = dict(_find_cells(page, element, texts))
    if len(spans) < _SURE * len(texts):
        return
    for each in table.tuples:
        span = spans.get((each.row, each.column))
        top = tuple(spans[cell][0] for cell in each.top_cells if cell in spans)
        left = tuple(spans[cell][0] for cell in each.left_cells if cell in spans)
        if span is not None and (top or left):
            yield TableValue(each.row, span[0], span[1], top, left)


def _texts(table: Table) -> dict[Cell, str]:
    """The texts of a grid in reading order, by their place in the source."""
    grid = table.grid
    rows, columns = grid.row_of.tolist(), grid.column_of.tolist()
    return {
        (rows[row], columns[column]): text
        for row, texts in enumerate(grid.text.tolist())
        for column, text in enumerate(texts)
        if text
    }


def _find_cells(page: PageTree, element: int, texts: dict[Cell, str]) -> Iterator[tuple[Cell, tuple[int, int]]]:
    """The leaves of each cell, found in the run of the element's letters."""
    first, last = int(page.first[element]), int(page.last[element])
    letters: list[str] = []
    owners: list[int] = []
    for leaf in range(first, last):
        bare = "".join(page.texts[leaf].split())
        letters.append(bare)
        owners += [leaf] * len(bare)
    run, at = "".join(letters), 0
    for cell, text in texts.items():
        bare = "".join(text.split())
        found = run.find(bare, at, at + _AHEAD + len(bare)) if bare else -1
        if found >= 0:
            at = found + len(bare)
            yield cell, (owners[found], owners[at - 1] + 1)


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
            raise UnreadableError(f"{source}: not a web page; give a page, a folder of pages or a WARC file")
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
