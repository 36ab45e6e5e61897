"""Texts of an xlsx workbook: the shared strings part and inline strings, with what is bold in them.

Plain entries are found by one pattern over the part; a part that the pattern does not fully cover (prefixes,
comments, CDATA) is parsed by lxml instead, with the same result. Phonetic runs are left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from tabellion.read.package import parse_xml

_ENTRY = re.compile(r'<si>(?:<t(?: xml:space="preserve")?>([^<]*)</t></si>|(.*?)</si>)|<si/>', re.S)
_PLAIN = re.compile(r'<t(?: xml:space="preserve")?>([^<]*)</t>')
_RUN = re.compile(r"<r>(?:<rPr>(.*?)</rPr>|(<rPr/>)|())<t(?: [^>]*)?(?:/>|>([^<]*)</t>)</r>", re.S)
_PHONETIC = re.compile(r"<rPh\b.*?</rPh>|<phoneticPr\b[^>]*/>|<phoneticPr\b.*?</phoneticPr>", re.S)
_BOLD = re.compile(r"<b(?:/>| val=\"(?:1|true|on)\"/>)")
_ENTITY = re.compile(r"&(#[0-9]+|#x[0-9A-Fa-f]+|amp|lt|gt|quot|apos);")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


# which kinds of runs a text has; plain numbers, since an enum member is slow to reach in a loop
BOLD, NOT_BOLD = 1, 2
AS_CELL = 4  # a run that looks as its cell does


class Text(NamedTuple):
    """A text and the kinds of its runs: 0 for a text without runs."""

    text: str
    bold: int = 0


def read_strings(part: str, name: str) -> list[Text]:
    """All entries of a shared strings part, in order."""
    found = _ENTRY.findall(part)
    if "<!" in part or len(found) != part.count("<si"):
        return [_parsed(e) for e in parse_xml(part, name).iterfind("{*}si")]
    return [Text(unescaped(plain)) if not rich else inner_text(rich) for plain, rich in found]


def inner_text(inner: str) -> Text:
    """The text inside an `si` or `is` element."""
    if "<rPh" in inner or "<phoneticPr" in inner:
        inner = _PHONETIC.sub("", inner)
    if plain := _PLAIN.fullmatch(inner):
        return Text(unescaped(plain[1]))
    runs = _RUN.findall(inner)
    if len(runs) != inner.count("<t") - inner.count("<tint") or not runs:
        return _parsed(parse_xml(f'<si xmlns:xml="http://www.w3.org/XML/1998/namespace">{inner}</si>', "strings"))
    pieces, bold = [], 0
    for properties, empty, _, text in runs:
        pieces.append(text)
        if text and not text.isspace():
            bold |= _run_bold(bool(properties or empty), bool(_BOLD.search(properties)))
    return Text(unescaped("".join(pieces)), bold)


def unescaped(text: str, entities: bool = True) -> str:
    r"""Text with entities and the `_x000A_` escapes of OOXML resolved.

    >>> unescaped("Smith &amp; Sons_x000A_Ltd")
    'Smith & Sons\nLtd'
    """
    if entities and "&" in text:
        text = _ENTITY.sub(_entity, text)
    if "_x" in text:
        text = _ESCAPE.sub(lambda match: _letter(int(match[1], 16)), text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def element_text(element: etree._Element) -> Text:
    """The text of a parsed `si` or `is` element."""
    return _parsed(element)


def _parsed(element: etree._Element) -> Text:
    pieces, bold = [], 0
    for child in element:
        name = etree.QName(child).localname
        if name == "t":
            pieces.append(child.text or "")
        elif name == "r":
            text = "".join(t.text or "" for t in child.iterfind("{*}t"))
            pieces.append(text)
            if text and not text.isspace():
                properties = child.find("{*}rPr")
                mark = properties.find("{*}b") if properties is not None else None
                is_bold = mark is not None and mark.get("val") not in ("0", "false", "off")
                bold |= _run_bold(properties is not None, is_bold)
    return Text(unescaped("".join(pieces), entities=False), bold)


def _run_bold(own: bool, bold: bool) -> int:
    if not own:
        return AS_CELL
    return BOLD if bold else NOT_BOLD


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name in _NAMED:
        return _NAMED[name]
    return _letter(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))


def _letter(code: int) -> str:
    """A character by its code; surrogates and codes beyond Unicode become the replacement sign."""
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"
