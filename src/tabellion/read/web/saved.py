"""A web page with its own style sheets, pictures and fonts as one file, so that it can be drawn again anywhere.

In: a page as it was fetched. Out: a web archive (MHTML) of the page's bytes and of every file that it or its style
sheets name, as far as they belong to it; the bytes as they are where there is nothing to add. The same page and files
give the same bytes. Fails for files that only scripts ask for.

A web page as one file with every element and word numbered, for ground truth (VENTex, section 6).

In: a page's text and what its own style sheets and pictures are. Out: the same page as one file: style sheets and
pictures put into it, scripts left out, every element with an identifier (`data-element="e12"`) and every word in a tag
of its own (`<x id="w34">`), which browsers draw as if it were not there. Elements without a drawing (head, title) stay
as they are.
"""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
import time
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabellion.errors import TabellionError
from tabellion.read.chromium.rendered import serve_page
from tabellion.read.chromium.tabs import Answer, Ask
from tabellion.read.fetch import Source
from tabellion.read.limits import Limits
from tabellion.read.sniff import sniff_format, unpack_gzip
from tabellion.read.web.addresses import join_address
from tabellion.read.web.page import Opened, open_page
from tabellion.read.web.transport import fetch_page

_NAMED = re.compile(  # an address without quotes has no bracket inside, so that open ones cost nothing
    r"""@import\s{1,9}["']([^"']{1,4096})["']"""
    r"""|url\(\s{0,9}(?:"([^"]{1,4096})"|'([^']{1,4096})'|([^"'()\s]{1,4096}))\s{0,9}\)""",
    re.I,
)
_SAFE = "%/:=&?~#+!$,;'@()*[]"  # what browsers leave as it is in an address
_GROWTH = 1.4  # a file in an archive takes a third more, and a line for its name
_LINE = b"\r\n"


def ask_for_files(
    opened: Opened, path: Path | None, limits: Limits, *, network: bool, private: bool = True
) -> tuple[str, Ask]:
    """The address that a page has, and the way to its own files; with `network` those on the web are
    fetched, for as long as a page may take to load.
    """
    parts = {part: Answer(body, kind) for part, (kind, body) in opened.parts.items()}
    served = serve_page(b"", "utf-8", opened.address, path, parts, network=network)
    until = time.monotonic() + limits.render_seconds

    def ask(wanted: str, kind: str) -> Answer | None:
        given = served.answer(wanted, kind)
        if given is None or not given.passed_on:
            return given
        if time.monotonic() > until:
            return None
        try:
            data = fetch_page(wanted, limits, private=private).data
        except TabellionError:  # the page is drawn without it
            return None
        guessed = mimetypes.guess_type(wanted.partition("?")[0])[0]
        return Answer(data, "text/css" if kind == "Stylesheet" else guessed or "application/octet-stream")

    return served.address, ask


def whole_page(source: Source, limits: Limits, *, network: bool = False, private: bool = True) -> bytes:
    """What is kept of a source so that it can be rendered again."""
    try:
        data = unpack_gzip(source.data, limits)
        if sniff_format(data) != "html":
            return source.data
    except TabellionError:  # reading it will say why it cannot be read
        return source.data
    path = Path(source.name) if source.address is None else None
    opened = open_page(data, source.charset, source.address)
    address, ask = ask_for_files(opened, path, limits, network=network, private=private)
    root = address.rpartition("/")[0] + "/"
    files: dict[str, Answer] = {}
    room = limits.bytes - _GROWTH * len(data)
    for wanted, kind in _named_files(opened.text, address, files):
        given = ask(wanted, kind)
        if given is not None and _GROWTH * len(given.data) < room:
            room -= _GROWTH * len(given.data)
            files[wanted] = given
    if not files:
        return source.data
    if source.address is None:  # where the page lies on the disk is not its own; its name and its files are
        local = {name.removeprefix(root): given for name, given in files.items()}
        root = f"http://page.invalid/{_digest(data, local)}/"
        address, files = root + address.rpartition("/")[2], {root + name: given for name, given in local.items()}
    return _archive(data, source.charset, address, files)


def _named_files(text: str, address: str, known: Mapping[str, Answer]) -> Iterator[tuple[str, str]]:
    """The address and kind of each file that a page names, each once; what a style sheet names, once it is `known`."""
    parser = LexborHTMLParser(text)
    base = parser.css_first("base[href]")
    if base is not None:
        address = join_address(address, base.attributes.get("href") or "", otherwise=address)
    seen: set[str] = set()
    sheets = [
        join_address(address, node.attributes.get("href") or "")
        for node in parser.css("link[rel][href]")
        if "stylesheet" in (node.attributes.get("rel") or "").lower()
    ]
    others: list[str] = []
    for node in parser.css("style"):
        _sort_names(node.text(), address, sheets, others)
    for node in parser.css("[style]"):
        _sort_names(node.attributes.get("style") or "", address, sheets, others)
    while sheets:
        sheet = _written(sheets.pop(0))
        if sheet in seen:
            continue
        seen.add(sheet)
        yield sheet, "Stylesheet"
        if sheet in known:
            _sort_names(known[sheet].data.decode("utf-8", "replace"), sheet, sheets, others)
    named = [node.attributes.get(name) or "" for name in ("src", "background") for node in parser.css(f"[{name}]")]
    for node in parser.css("[srcset]"):
        named += [one.split()[0] for one in (node.attributes.get("srcset") or "").split(",") if one.split()]
    others += [join_address(address, name) for name in named]
    for other in dict.fromkeys(map(_written, others)):
        if other not in seen and not other.startswith("data:"):
            yield other, "Image"


def _sort_names(sheet: str, address: str, sheets: list[str], others: list[str]) -> None:
    """The files that a style sheet names: other sheets, and pictures and fonts."""
    for match in _NAMED.finditer(sheet):
        name = join_address(address, match[match.lastindex or 0])
        before = sheet[max(0, match.start() - 12) : match.start()].lower()
        (sheets if match[1] or "@import" in before else others).append(name)


def _written(address: str) -> str:
    """An address as Chromium asks for it."""
    return quote(address.partition("#")[0].strip(), safe=_SAFE)


def _digest(data: bytes, files: dict[str, Answer]) -> str:
    """A name of a page and its files, since pages drawn under one address could be shown each other's files."""
    digest = hashlib.sha256(hashlib.sha256(data).digest())
    for name, given in files.items():
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(given.data).digest())
    return digest.hexdigest()[:16]


def _archive(data: bytes, charset: str | None, address: str, files: dict[str, Answer]) -> bytes:
    """A web archive whose first part is the page."""
    boundary = f"----part-{hashlib.sha256(data).hexdigest()[:32]}"
    kind = f"text/html; charset={charset}" if charset else "text/html"
    head = f'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="{boundary}"\r\n'
    pieces = [head.encode()]
    for name, given in ((address, Answer(data, kind)), *files.items()):
        told = (
            f"--{boundary}",
            f"Content-Type: {given.kind}",
            "Content-Transfer-Encoding: base64",
            f"Content-Location: {name}",
        )
        pieces.append(_LINE.join(line.encode() for line in told) + _LINE)
        pieces.append(base64.encodebytes(given.data))
    pieces.append(f"--{boundary}--\r\n".encode())
    return _LINE.join(pieces)


_VOID = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_DROPPED = frozenset(("script", "noscript", "template", "iframe", "object", "embed"))
_RAW = frozenset(("style", "textarea", "title", "option", "select", "svg", "math"))
_WORD = re.compile(r"\S+")


def number_page(text: str, address: str, ask: Ask) -> str:
    """The numbered page; `ask` gives the page's own files by address and kind."""
    return _Writer(address, ask).write(LexborHTMLParser(text))


class _Writer:
    """Writes a parsed page anew, numbering as it goes; keeps its own stack, whatever the nesting."""

    def __init__(self, address: str, ask: Ask) -> None:
        self._address, self._ask = address, ask
        self._elements = self._words = 0
        self._parts: list[str] = ["<!doctype html>"]

    def write(self, parser: LexborHTMLParser) -> str:
        root = parser.root
        node: LexborNode | None = root
        open_tags: list[str] = []
        while node is not None:
            child = self._open(node, open_tags)
            if child is not None:
                open_tags.append(node.tag or "")
                node = child
                continue
            while node is not None and node.next is None:
                parent = node.parent
                if parent is None or not open_tags:
                    return "".join(self._parts)
                self._parts.append(f"</{open_tags.pop()}>")
                node = parent
                if not open_tags:
                    return "".join(self._parts)
            node = node.next if node is not None else None
        return "".join(self._parts)

    def _open(self, node: LexborNode, open_tags: list[str]) -> LexborNode | None:
        """Write the beginning of a node; its first child where it has some to go on with."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "", open_tags)
            return None
        if tag.startswith(("-", "!")) or tag in _DROPPED:
            return None
        if tag == "link" and "stylesheet" in (node.attributes.get("rel") or "").lower():
            self._sheet(node.attributes.get("href") or "")
            return None
        self._parts.append(f"<{tag}{self._attributes(tag, node, open_tags)}>")
        if tag in _VOID:
            return None
        if node.first_child is None:
            self._parts.append(f"</{tag}>")
        return node.first_child

    def _attributes(self, tag: str, node: LexborNode, open_tags: list[str]) -> str:
        told = {name: value or "" for name, value in node.attributes.items() if not name.startswith("on")}
        if tag == "img" and told.get("src"):
            given = self._ask(join_address(self._address, told["src"]), "Image")
            if given is not None:
                told["src"] = f"data:{given.kind};base64,{base64.b64encode(given.data).decode()}"
        if "body" in open_tags or tag == "body":
            told["data-element"] = f"e{self._elements}"
            self._elements += 1
        return "".join(f' {name}="{escape(value)}"' for name, value in told.items())

    def _sheet(self, href: str) -> None:
        given = self._ask(join_address(self._address, href), "Stylesheet")
        if given is not None:
            sheet = given.data.decode("utf-8", "replace").replace("</", "<\\/")
            self._parts.append(f"<style>{sheet}</style>")

    def _text(self, text: str, open_tags: list[str]) -> None:
        if open_tags and open_tags[-1] in ("style",):
            self._parts.append(text)
        elif "body" not in open_tags or any(tag in _RAW for tag in open_tags):
            self._parts.append(escape(text, quote=False))
        else:
            self._parts.append(_WORD.sub(self._number, text))

    def _number(self, match: re.Match[str]) -> str:
        self._words += 1
        return f'<x id="w{self._words - 1}">{escape(match[0], quote=False)}</x>'
