"""A web page as one file with every element and word numbered, for ground truth (VENTex, section 6).

In: a page's text and what its own style sheets and pictures are. Out: the same page as one file: style sheets and
pictures put into it, scripts left out, every element with an identifier (`data-element="e12"`) and every word in a tag
of its own (`<x id="w34">`), which browsers draw as if it were not there. Elements without a drawing (head, title) stay
as they are.
"""

from __future__ import annotations

import base64
import re
from html import escape
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabellion.read.chromium.requests import Ask

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
            given = self._ask(urljoin(self._address, told["src"]), "Image")
            if given is not None:
                told["src"] = f"data:{given.kind};base64,{base64.b64encode(given.data).decode()}"
        if "body" in open_tags or tag == "body":
            told["data-element"] = f"e{self._elements}"
            self._elements += 1
        return "".join(f' {name}="{escape(value)}"' for name, value in told.items())

    def _sheet(self, href: str) -> None:
        given = self._ask(urljoin(self._address, href), "Stylesheet")
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
