"""A web page as a tree of elements over its text leaves.

In: bytes of HTML in any encoding, or text. Out: a `PageTree`. Leaves are the non-empty text nodes of the body, hidden
ones too (marked so), without scripts, styles and what is only shown where scripts are off. Fails where a page builds
itself by scripts: only what is in the markup is read.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabellion.errors import TabellionError, TooLargeError, UnknownFormatError
from tabellion.model.markup import NO_ELEMENT, PageTree
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import DEFAULT, Limits
from tabellion.read.sniff import sniff_format, unpack_gzip
from tabellion.read.web.looks import HIDDEN, PLAIN_LOOK, Looks
from tabellion.read.web.markup import decode_markup, is_mhtml, unpack_mhtml
from tabellion.read.web.page import check_nesting, read_sheets

_SKIPPED = frozenset(("script", "style", "noscript", "template", "head", "title"))
_BREAKS = frozenset(("br", "hr", "p", "div", "li", "td", "th", "tr", "dd", "dt", "h1", "h2", "h3", "h4"))
_KEPT_ATTRIBUTES = (
    "id class href role rel itemprop itemscope itemtype content datetime type alt title aria-label hidden"
)
_KEPT = frozenset(_KEPT_ATTRIBUTES.split())
_PICTURE = 100  # pixels that a picture of the page's subject has at least, each way
_MOST_ELEMENTS = 2_000_000  # the largest real pages have about a hundred thousand


def read_page_tree(
    data: bytes, charset: str | None = None, address: str | None = None, limits: Limits = DEFAULT
) -> PageTree:
    """The tree of a page's bytes; `charset` and `address` are what the server said."""
    sheets: tuple[str, ...] = ()
    if len(data) > limits.bytes:
        raise TooLargeError(f"over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it")
    if is_mhtml(data):
        archived = unpack_mhtml(data)
        data, charset, sheets = archived.data, archived.charset or charset, archived.sheets
        address = archived.address or address
    return parse_page_tree(decode_markup(data, charset).text, address, sheets)


def load_page_tree(source: str | Path | bytes, limits: Limits = DEFAULT) -> PageTree:
    """The tree of a page by its path, its address, standard input (`"-"`), its bytes or its markup."""
    return load_page(source, limits)[0]


def load_page(source: str | Path | bytes, limits: Limits = DEFAULT) -> tuple[PageTree, bytes]:
    """The same, with the page's bytes."""
    name, raw, charset, address = fetch_source(source, limits)
    try:
        data = unpack_gzip(raw, limits)
        if sniff_format(data) not in ("html", "mhtml", "csv"):
            raise UnknownFormatError("this is not a web page")
        return read_page_tree(data, charset, address, limits), data
    except TabellionError as error:
        raise type(error)(f"{name}: {error}") from error


def parse_page_tree(text: str, address: str | None = None, sheets: tuple[str, ...] = ()) -> PageTree:
    """The tree of a markup text.

    >>> parse_page_tree("<h1>News</h1><p>All <b>day</b></p>").texts
    ['News', 'All', 'day']
    """
    check_nesting(text)
    parser = LexborHTMLParser(text)
    walk = _Walk(Looks(read_sheets(parser.css("style"), sheets)))
    if parser.body is not None:
        walk.run(parser.body)
    title, base = parser.css_first("title"), parser.css_first("base[href]")
    root, canonical = parser.css_first("html"), parser.css_first("link[rel=canonical][href]")
    language = root.attributes.get("lang") if root is not None else None
    stated = canonical.attributes.get("href") if canonical is not None else None
    return walk.tree(
        title=" ".join(title.text().split()) or None if title is not None else None,
        language=language.split("-")[0].lower() if language else None,
        address=address or (stated if stated and "://" in stated else None),
        base=base.attributes.get("href") if base is not None else None,
        picture=_own_picture(parser),
        data=tuple(node.text() for node in parser.css('script[type="application/ld+json"]')),
    )


def _own_picture(parser: LexborHTMLParser) -> str | None:
    """The picture that a page gives for itself, else its first large one by the sizes that it states."""
    for choice in (
        'meta[property="og:image"]',
        'meta[name="twitter:image"]',
        'link[rel="image_src"]',
        "[itemprop=image]",
    ):
        node = parser.css_first(choice)
        if node is not None:
            found = next(
                (node.attributes[name] for name in ("content", "href", "src") if node.attributes.get(name)), None
            )
            if found:
                return found
    for node in parser.css("img[src]"):
        sizes = [node.attributes.get(name) or "" for name in ("width", "height")]
        if all(size.isdecimal() and int(size) >= _PICTURE for size in sizes):
            return node.attributes.get("src")
    return None


class _Walk:
    """Reads each node once, with its own stack, so that no nesting is too deep."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks
        self.tags: list[str] = []
        self.parents: list[int] = []
        self.position: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.attributes: list[dict[str, str]] = []
        self.texts: list[str] = []
        self.leaves: list[tuple[int, int, int, bool]] = []  # holder, link, look, whether a blank stands before it

    def run(self, body: LexborNode) -> None:
        """Walk everything below an element."""
        look = self._looks.enter(PLAIN_LOOK, "body", body.attributes)
        here = self._open("body", -1, 1, body.attributes)
        link = NO_ELEMENT
        stack: list[tuple[int, int, int, int]] = []
        count = 0
        blank = True
        node = body.first_child
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                text = node.text_content or ""
                folded = " ".join(text.split())
                if folded:
                    self.texts.append(folded)
                    self.leaves.append((here, link, look, blank or text[0].isspace()))
                    blank = text[-1].isspace()
                else:
                    blank = True
            elif tag and tag[0] not in "-!":
                count += 1
                blank = blank or tag in _BREAKS
                child = None if tag in _SKIPPED else node.first_child
                attributes = node.attributes
                number = self._open(tag, here, count, attributes)
                if child is not None:
                    stack.append((here, link, look, count))
                    if tag == "a" and attributes.get("href"):
                        link = number
                    look = self._looks.enter(look, tag, attributes)
                    here, count, node = number, 0, child
                    continue
            after = node.next
            while after is None and stack:
                self.last[here] = len(self.texts)
                here, link, look, count = stack.pop()
                parent = node.parent
                if parent is None:
                    break
                node, after = parent, parent.next
            node = after
        while stack:
            self.last[here] = len(self.texts)
            here = stack.pop()[0]
        self.last[0] = len(self.texts)

    def _open(self, tag: str, parent: int, position: int, attributes: dict[str, str | None]) -> int:
        if len(self.tags) >= _MOST_ELEMENTS:
            raise TooLargeError(f"more than {_MOST_ELEMENTS:,} elements on one page")
        self.tags.append(tag)
        self.parents.append(parent)
        self.position.append(position)
        self.first.append(len(self.texts))
        self.last.append(len(self.texts))
        kept = {name: value or "" for name, value in attributes.items() if name in _KEPT} if attributes else {}
        self.attributes.append(kept)
        return len(self.tags) - 1

    def tree(
        self,
        title: str | None,
        language: str | None,
        address: str | None,
        base: str | None,
        picture: str | None,
        data: tuple[str, ...],
    ) -> PageTree:
        """What was gathered, as arrays."""
        numbers = np.array(self.leaves, dtype=np.int32).reshape(-1, 4)
        looks, flags = self._looks.looks, self._looks.flags
        used = numbers[:, 2].tolist()
        return PageTree(
            tags=self.tags,
            parents=np.array(self.parents, dtype=np.int32),
            position=np.array(self.position, dtype=np.int32),
            first=np.array(self.first, dtype=np.int32),
            last=np.array(self.last, dtype=np.int32),
            attributes=self.attributes,
            texts=self.texts,
            holder=numbers[:, 0].copy(),
            link=numbers[:, 1].copy(),
            spaced=numbers[:, 3].astype(bool),
            bold=np.array([looks[look].bold for look in used], dtype=bool),
            size=np.array([looks[look].size for look in used], dtype=np.float32),
            hidden=np.array([bool(flags[look] & HIDDEN) for look in used], dtype=bool),
            title=title,
            language=language,
            address=address,
            base=base,
            picture=picture,
            data=data,
        )
