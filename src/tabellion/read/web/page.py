"""Web pages: the candidates for tables with their cells, looks and surroundings, and the facts of the page.

In: bytes of HTML in any encoding, or text. Out: one `MarkupPage`. The tree is built by lexbor, as browsers build it, so
broken markup is read as readers see it. Tables nested beyond a limit and tables with more columns than a limit are left
out with an issue. Scripts are never run, other documents never fetched.

`promises_tables` says whether markup hints at tables that no `<table>` gives, so that rendering pays. Fails where
tables are made by rules of a style sheet that is not in the page: then nothing in the markup hints at them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from math import isfinite
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabellion.errors import HostileError
from tabellion.model.markup import Candidate, MarkupCells, MarkupPage
from tabellion.model.place import Issue, Place
from tabellion.model.style import PLAIN
from tabellion.patterns import lazy_pattern
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.spreadsheet.sheets import Contents
from tabellion.read.web.cells import RECORD_FIELDS, Gathering, Slots
from tabellion.read.web.css import Rule, read_rules
from tabellion.read.web.looks import Looks
from tabellion.read.web.markup import decode_markup, is_mhtml, note_frames, unpack_mhtml
from tabellion.read.web.stated import state_table
from tabellion.read.web.walk import PageWalk
from tabellion.values.table_labels import mentions_table, part_sentences

DEEPEST = 100  # tables within tables; the deepest real layout pages have about a dozen
DEEPEST_ELEMENTS = 10_000  # elements within elements, as written; browsers stop at 512
_LONGEST_PARAGRAPH = 50_000  # letters; what is longer is a page in one element
MOST_COLUMNS = 16_384  # as in a sheet
_CONTAINERS = (
    *("div", "ul", "ol", "dl", "section", "article", "aside", "blockquote", "center", "nav", "main", "header"),
    *("footer", "fieldset", "details", "menu", "dir"),
)


def _tags(before: str, names: Sequence[str], after: str) -> re.Pattern[str]:
    """Tags of some names: letters in both cases one by one, the first of all names before: far faster than `re.I`."""
    first = "".join(sorted({name[0] for name in names}))
    spelt = "|".join("".join(f"[{c}{c.upper()}]" for c in name) for name in names)
    return re.compile(rf"<{before}(?=[{first}{first.upper()}])(?:{spelt}){after}")


_CONTAINER = _tags("(/?)", _CONTAINERS, r"[\s>]")
_STATING = "title,meta,link"  # what says something of the page
_STATES = _tags("", ("title", "meta", "link"), r"[\s/>]")
_BODY = _tags("", ("body",), r"[\s/>]")
_CANDIDATE = _tags("", ("table", "dl", "pre"), r"[\s/>]")
_ARIA_TABLES = {  # by the word they begin with, which is looked for first: far faster than all letters in both cases
    word: re.compile(rf"{word}\s*=\s*[\"']?\s*(?i:table|grid|treegrid)") for word in ("role", "ROLE", "Role")
}


class PageFacts(msgspec.Struct, frozen=True):
    """What a page says of itself."""

    title: str | None
    authors: tuple[str, ...]
    address: str | None


class Opened(msgspec.Struct, frozen=True):
    """The text of a page, wherever it was, and what came with it."""

    text: str
    notes: tuple[str, ...] = ()
    address: str | None = None
    sheets: tuple[str, ...] = ()
    parts: dict[str, tuple[str, bytes]] = {}  # the files of a web archive: address -> kind and bytes


def open_page(data: bytes, charset: str | None = None, address: str | None = None) -> Opened:
    """The page of a file or of a saved web archive; `charset` and `address` are what the server said."""
    sheets: tuple[str, ...] = ()
    parts: dict[str, tuple[str, bytes]] = {}
    if is_mhtml(data):
        archived = unpack_mhtml(data)
        data, charset, sheets, parts = archived.data, archived.charset or charset, archived.sheets, archived.parts
        address = archived.address or address
    decoded = decode_markup(data, charset)
    return Opened(decoded.text, (*decoded.notes, *note_frames(decoded.text)), address, sheets, parts)


def read_html(
    data: bytes, limits: Limits = DEFAULT, charset: str | None = None, address: str | None = None
) -> Contents:
    """The page of a file or of a saved web archive; `charset` and `address` are what the server said."""
    return read_opened(open_page(data, charset, address), limits)


def read_opened(opened: Opened, limits: Limits = DEFAULT, *, whole: bool = False) -> Contents:
    """The page of a text with its facts and doubts; `whole`: read it even where its markup can hold no table."""
    page, facts, issues = read_markup(opened.text, limits, opened.sheets, whole=whole)
    noted = tuple(Issue("read", note) for note in opened.notes)
    page = msgspec.structs.replace(page, address=facts.address or opened.address)
    return Contents((), title=facts.title, authors=facts.authors, issues=noted + issues, pages=(page,))


def read_markup(
    text: str, limits: Limits = DEFAULT, sheets: Sequence[str] = (), *, whole: bool = False
) -> tuple[MarkupPage, PageFacts, tuple[Issue, ...]]:
    """The page of a markup text; `sheets` are style sheets that belong to it but stand elsewhere."""
    if not whole and not may_hold_tables(text):
        facts = _read_facts(LexborHTMLParser(_stating_part(text)).css(_STATING))
        return MarkupPage((), _columns([], [], []), (PLAIN,), title=facts.title, address=facts.address), facts, ()
    check_nesting(text)
    parser = LexborHTMLParser(text)
    stating = parser.css(f"{_STATING},style")
    facts = _read_facts(stating)
    looks = Looks(read_sheets(stating, sheets))
    walk = PageWalk(parser, looks, DEEPEST)
    if parser.root is not None:
        walk.run(parser.root)
    mentions = read_mentions(parser)
    del parser  # the tree is many times as large as the page and no longer needed
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
        mentions=mentions,
    )
    return page, facts, tuple(issues)


def may_hold_tables(text: str) -> bool:
    """Whether anything in a markup text can be a candidate: a page without any need not be walked over.

    >>> may_hold_tables("<p>12 tables</p>"), may_hold_tables("<P>1<TABLE>"), may_hold_tables("<div role=grid>")
    (False, True, True)
    """
    return _CANDIDATE.search(text) is not None or _names_roles(text)


def _names_roles(text: str) -> bool:
    """Whether a markup text names a role that makes an element a table."""
    return any(word in text and aria.search(text) for word, aria in _ARIA_TABLES.items())


def _stating_part(text: str) -> str:
    """The part of a page that says what it is: its head, where nothing of the kind stands in its body."""
    body = _BODY.search(text)
    if body is None or _STATES.search(text, body.end()):
        check_nesting(text)
        return text
    return text[: body.start()]


def read_mentions(parser: LexborHTMLParser) -> tuple[str, ...]:
    """The sentences of paragraphs and lists that mention a table by its number."""
    if parser.body is None or not mentions_table(parser.body.text()):
        return ()
    found: list[str] = []
    for node in parser.css("p, li, dd"):
        text = node.text(separator="", strip=False)
        if len(text) < _LONGEST_PARAGRAPH and mentions_table(text):
            ended, rest = part_sentences(text)
            found += [" ".join(sentence.split()) for sentence in (*ended, rest) if mentions_table(sentence)]
    return tuple(dict.fromkeys(found))


def check_nesting(text: str) -> None:
    """Refuse elements nested so deep that any parser takes the square of their number: a page made to do harm."""
    if text.count("<") < DEEPEST_ELEMENTS:
        return
    ends = _CONTAINER.findall(text)  # a slash for each end of an element, nothing for its beginning
    if ends.count("") <= DEEPEST_ELEMENTS:
        return
    depth = 0
    for end in ends:
        depth = depth - 1 if end else depth + 1
        if depth > DEEPEST_ELEMENTS:
            raise HostileError(f"elements are nested more than {DEEPEST_ELEMENTS:,} deep")
        depth = max(0, depth)


def _settle(
    found: Sequence[Gathering], letters: int, limits: Limits, issues: list[Issue]
) -> tuple[tuple[Candidate, ...], MarkupCells]:
    """Give every cell its slot, and all cells of the page their arrays."""
    candidates: list[Candidate] = []
    texts: list[str] = []
    numbers: list[NDArray[np.int32]] = []
    placed: list[NDArray[np.int32]] = []
    for gathering in found:
        slots, whole = gathering.form(min(limits.columns, MOST_COLUMNS), limits.cells)
        count = len(slots.placed)
        candidates.append(_candidate(gathering, len(texts), count, slots, letters))
        texts += gathering.texts[:count]
        numbers.append(gathering.numbers[:count])
        flat = chain.from_iterable(slots.placed)
        placed.append(np.fromiter(flat, dtype=np.int32, count=4 * count).reshape(-1, 4))
        if not whole:
            note = f"the table has more columns or covered slots than the limit; read up to row {slots.rows}"
            issues.append(Issue("read", note, Place(path=gathering.path, table_index=gathering.table_index)))
    return tuple(candidates), _columns(texts, numbers, placed)


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
        declared_headers=gathering.declared(slots),
        stated=state_table(gathering.words, slots.placed, gathering.sections(), gathering.texts),
        exact=_numbers(gathering.exact),
        caption=gathering.caption,
        before=gathering.before,
        after=gathering.after,
        heading=gathering.heading,
        start=gathering.start / letters,
        hidden=gathering.hidden,
        text=gathering.preformatted,
    )


def _numbers(given: Mapping[int, str]) -> dict[int, float]:
    """The values that are numbers."""
    found: dict[int, float] = {}
    for cell, text in given.items():
        with suppress(ValueError):
            found[cell] = float(text)
    return {cell: number for cell, number in found.items() if isfinite(number)}


def _columns(texts: list[str], numbers: list[NDArray[np.int32]], placed: list[NDArray[np.int32]]) -> MarkupCells:
    slots = np.concatenate(placed) if placed else np.zeros((0, 4), dtype=np.int32)
    held = np.empty(len(texts), dtype=object)
    held[:] = texts
    joined = np.concatenate(numbers) if numbers else np.zeros((0, len(RECORD_FIELDS) - 1), dtype=np.int32)
    by_name: dict[str, Any] = dict(zip(RECORD_FIELDS[1:], joined.T, strict=True))
    marks = by_name.pop("marks").astype(np.uint8)
    return MarkupCells(
        candidate=np.repeat(np.arange(len(placed), dtype=np.int32), [len(part) for part in placed]),
        row=slots[:, 0],
        column=slots[:, 1],
        row_span=slots[:, 2],
        column_span=slots[:, 3],
        text=held,
        marks=marks,
        **by_name,
    )


def _read_facts(stating: Sequence[LexborNode]) -> PageFacts:
    """What the elements say that state something of the page."""
    title, address = "", None
    authors: list[str] = []
    for node in stating:
        if node.tag == "title":
            title = title or " ".join(node.text().split())
        elif node.tag in ("meta", "link"):
            attributes = node.attributes
            name = (attributes.get("name") or attributes.get("property") or attributes.get("rel") or "").lower()
            value = " ".join((attributes.get("content") or attributes.get("href") or "").split())
            if name in ("author", "dc.creator", "article:author", "citation_author") and value:
                authors.append(value)
            elif name == "canonical" and value:
                address = value
    return PageFacts(title or None, tuple(dict.fromkeys(authors)), address)


def read_sheets(nodes: Sequence[LexborNode], sheets: Sequence[str]) -> list[Rule]:
    """The rules of style sheets that stand elsewhere, and of the `<style>` elements among some nodes."""
    rules: list[Rule] = []
    for sheet in sheets:
        rules += read_rules(sheet, len(rules))
    for node in nodes:
        media = (node.attributes.get("media") or "all").lower() if node.tag == "style" else ""
        if "all" in media or "screen" in media:
            rules += read_rules(node.text(), len(rules))
    return rules


_HINTS: tuple[tuple[re.Pattern[str], int], ...] = (
    (lazy_pattern(r"display\s*:\s*(?:inline-)?(?:table|grid|flex)", re.I), 1),
    (lazy_pattern(r"grid-template|grid-column|grid-row", re.I), 1),
    (lazy_pattern(r"position\s*:\s*absolute", re.I), 6),
    (lazy_pattern(r"float\s*:\s*left|display\s*:\s*inline-block", re.I), 6),
    (lazy_pattern(r"""role\s*=\s*["']?(?:row|cell|gridcell|columnheader|rowheader)\b""", re.I), 1),
    (lazy_pattern(r"""class\s*=\s*["'][^"']*\b(?:t(?:able|bl)?[-_]?(?:row|cell|head)|row|cell|col)\b""", re.I), 6),
    (lazy_pattern(r"<pre\b", re.I), 1),
)
"""What in a page's markup promises a table that no `<table>` gives, and how often it must stand there."""


def promises_tables(text: str) -> bool:
    """Whether markup hints at tables made of other elements than `<table>`.

    >>> promises_tables("<div style='display:grid'>"), promises_tables("<p>Only text.</p>")
    (True, False)
    """
    return any(_occurs(pattern, text, least) for pattern, least in _HINTS)


def _occurs(pattern: re.Pattern[str], text: str, least: int) -> bool:
    found = pattern.finditer(text)
    return all(next(found, None) is not None for _ in range(least))
