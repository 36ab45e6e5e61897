"""Web pages: the candidates for tables with their cells, looks and surroundings, and the facts of the page.

In: bytes of HTML in any encoding, or text. Out: one `MarkupPage`. The tree is built by lexbor, as browsers build it, so
broken markup is read as readers see it. Tables nested beyond a limit and tables with more columns than a limit are
left out with an issue. Scripts are never run, other documents never fetched.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser

from tabellion.model.issue import Issue
from tabellion.model.markup import Candidate, MarkupCells, MarkupPage
from tabellion.model.place import Place
from tabellion.model.style import PLAIN
from tabellion.read.contents import Contents
from tabellion.read.css import Rule, read_rules
from tabellion.read.html_encoding import decode_markup
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.looks import Looks
from tabellion.read.markup_box import RECORD_FIELDS, CellRecord, Gathering
from tabellion.read.mhtml import is_mhtml, unpack_mhtml
from tabellion.read.page_walk import PageWalk
from tabellion.read.slots import Slots

DEEPEST = 100  # tables within tables; the deepest real layout pages have about a dozen
MOST_COLUMNS = 16_384  # as in a sheet


class PageFacts(msgspec.Struct, frozen=True):
    """What a page says of itself."""

    title: str | None
    authors: tuple[str, ...]
    address: str | None


def read_html(
    data: bytes, limits: Limits = DEFAULT, charset: str | None = None, address: str | None = None
) -> Contents:
    """The page of a file or of a saved web archive; `charset` and `address` are what the server said."""
    sheets: tuple[str, ...] = ()
    if is_mhtml(data):
        archived = unpack_mhtml(data)
        data, charset, sheets = archived.data, archived.charset or charset, archived.sheets
        address = archived.address or address
    decoded = decode_markup(data, charset)
    page, facts, issues = read_markup(decoded.text, limits, sheets)
    noted = tuple(Issue("read", note) for note in decoded.notes)
    page = msgspec.structs.replace(page, address=facts.address or address)
    return Contents((), title=facts.title, authors=facts.authors, issues=noted + issues, pages=(page,))


def read_markup(
    text: str, limits: Limits = DEFAULT, sheets: Sequence[str] = ()
) -> tuple[MarkupPage, PageFacts, tuple[Issue, ...]]:
    """The page of a markup text; `sheets` are style sheets that belong to it but stand elsewhere."""
    parser = LexborHTMLParser(text)
    facts = _read_facts(parser)
    looks = Looks(read_sheets(parser, sheets))
    walk = PageWalk(parser, looks, DEEPEST)
    if parser.root is not None:
        walk.run(parser.root)
    issues: list[Issue] = []
    if walk.too_deep:
        issues.append(Issue("read", f"tables nested more than {DEEPEST} deep were left out"))
    candidates, cells = _settle(walk.found, max(1, walk.letters), limits, issues)
    page = MarkupPage(
        candidates=candidates,
        cells=cells,
        styles=tuple(looks.styles) or (PLAIN,),
        title=facts.title,
        address=facts.address,
        headings=tuple(walk.headings),
        letters=walk.letters,
    )
    return page, facts, tuple(issues)


def _settle(
    found: Sequence[Gathering], letters: int, limits: Limits, issues: list[Issue]
) -> tuple[tuple[Candidate, ...], MarkupCells]:
    """Give every cell its slot, and all cells of the page their arrays."""
    candidates: list[Candidate] = []
    records: list[CellRecord] = []
    placed: list[tuple[int, int, int, int]] = []
    counts: list[int] = []
    for gathering in found:
        slots, cells, whole = gathering.form(min(limits.columns, MOST_COLUMNS), limits.cells)
        candidates.append(_candidate(gathering, len(records), len(cells), slots, letters))
        records += cells
        placed += slots.placed[: len(cells)]
        counts.append(len(cells))
        if not whole:
            note = f"the table has more columns or covered slots than the limit; read up to row {slots.rows}"
            issues.append(Issue("read", note, Place(path=gathering.path, table_index=gathering.table_index)))
    return tuple(candidates), _columns(records, placed, counts)


def _candidate(gathering: Gathering, first: int, count: int, slots: Slots, letters: int) -> Candidate:
    return Candidate(
        kind=gathering.kind,
        path=gathering.path,
        table_index=gathering.table_index,
        attributes=gathering.attributes,
        first=first,
        last=first + count,
        rows=slots.rows,
        columns=slots.width,
        depth=gathering.depth,
        parent=gathering.parent,
        sections=gathering.sections()[: slots.rows],
        declared_columns=gathering.declared_columns,
        scoped=gathering.scoped,
        sized=gathering.sized,
        caption=gathering.caption,
        before=gathering.before,
        after=gathering.after,
        heading=gathering.heading,
        start=gathering.start / letters,
        hidden=gathering.hidden,
        text=gathering.preformatted,
    )


def _columns(records: list[CellRecord], placed: list[tuple[int, int, int, int]], counts: list[int]) -> MarkupCells:
    slots = np.array(placed, dtype=np.int32).reshape(-1, 4)
    texts = np.empty(len(records), dtype=object)
    texts[:] = [record[0] for record in records]
    numbers = np.array([record[1:] for record in records], dtype=np.int32).reshape(-1, len(RECORD_FIELDS) - 1)
    by_name: dict[str, NDArray[np.int32]] = dict(zip(RECORD_FIELDS[1:], numbers.T, strict=True))
    marks = by_name.pop("marks").astype(np.uint8)
    return MarkupCells(
        candidate=np.repeat(np.arange(len(counts), dtype=np.int32), counts),
        row=slots[:, 0],
        column=slots[:, 1],
        row_span=slots[:, 2],
        column_span=slots[:, 3],
        text=texts,
        marks=marks,
        **by_name,
    )


def _read_facts(parser: LexborHTMLParser) -> PageFacts:
    title = parser.css_first("title")
    authors: list[str] = []
    address = None
    for node in parser.css("meta[name],meta[property],link[rel]"):
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or attributes.get("rel") or "").lower()
        value = " ".join((attributes.get("content") or attributes.get("href") or "").split())
        if name in ("author", "dc.creator", "article:author", "citation_author") and value:
            authors.append(value)
        elif name == "canonical" and value:
            address = value
    text = " ".join(title.text().split()) if title is not None else ""
    return PageFacts(text or None, tuple(dict.fromkeys(authors)), address)


def read_sheets(parser: LexborHTMLParser, sheets: Sequence[str]) -> list[Rule]:
    rules: list[Rule] = []
    for sheet in sheets:
        rules += read_rules(sheet, len(rules))
    for node in parser.css("style"):
        media = (node.attributes.get("media") or "all").lower()
        if "all" in media or "screen" in media:
            rules += read_rules(node.text(), len(rules))
    return rules
