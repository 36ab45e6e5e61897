"""Texts of an xlsx workbook: the shared strings part and inline strings, with what is bold in them.

Plain entries are found by one pattern over the part; a part that the pattern does not fully cover (prefixes,
comments, CDATA) is parsed by lxml instead, with the same result. Phonetic runs are left out; short superscripts
become the superscript letters of Unicode.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from tabellion.read.spreadsheet.package import parse_xml

# No pattern can run past the next entry or run, so that the cost is linear whatever the part holds.
_ENTRY = re.compile(r'<si>(?:<t(?: xml:space="preserve")?+>([^<]*+)</t></si>|((?:[^<]++|<(?!/?si>))*+)</si>)|<si ?+/>')
_TEXT = re.compile(r"<t[ >/]")
_PLAIN = re.compile(r'<t(?: xml:space="preserve")?+>([^<]*+)</t>')
_RUN = re.compile(
    r"<r>(?:<rPr>((?:[^<]++|<(?!/rPr>|rPr>|r>))*+)</rPr>|(<rPr ?+/>)|)<t(?: [^<>]*+)?+(?:(?<=/)>|>([^<]*+)</t>)</r>"
)
_PHONETIC = re.compile(r"<rPh\b(?:[^<]++|<(?!/?rPh\b))*+</rPh>|<phoneticPr\b[^<>]*+/>")
_BOLD = re.compile(r"<b(?: ?/>| val=\"(?:1|true|on)\" ?/>)")
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);")
_RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz()", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁽⁾")
_MARK = re.compile(r"\s*[0-9a-pr-z()]{1,3}(?:, ?[0-9a-pr-z]{1,2})*\s*")
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
        return [element_text(e) for e in parse_xml(part, name).iterfind("{*}si")]
    return [Text(unescaped(plain)) if not rich else inner_text(rich) for plain, rich in found]


def inner_text(inner: str) -> Text:
    """The text inside an `si` or `is` element."""
    if "<rPh" in inner or "<phoneticPr" in inner:
        inner = _PHONETIC.sub("", inner)
    if plain := _PLAIN.fullmatch(inner):
        return Text(unescaped(plain[1]))
    runs = _RUN.findall(inner)
    if len(runs) != inner.count("<r>") or len(runs) != len(_TEXT.findall(inner)):
        return element_text(parse_xml(f"<si>{inner}</si>", "strings"))
    pieces, raised, bold = [], [], 0
    for properties, empty, escaped in runs:
        text = unescaped(escaped)
        if text and not text.isspace():
            bold |= _run_bold(bool(properties or empty), bool(_BOLD.search(properties)))
        pieces.append(text)
        raised.append("superscript" in properties)
    return Text(joined_runs(pieces, raised), bold)


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
    pieces, raised, bold = [], [], 0
    for child in element:
        name = str(child.tag).rpartition("}")[2]
        if name == "t":
            pieces.append(child.text or "")
            raised.append(False)
        elif name == "r":
            text = "".join(t.text or "" for t in child.iterfind("{*}t"))
            properties = child.find("{*}rPr")
            if text and not text.isspace():
                mark = properties.find("{*}b") if properties is not None else None
                is_bold = mark is not None and mark.get("val") not in ("0", "false", "off")
                bold |= _run_bold(properties is not None, is_bold)
            place = properties.find("{*}vertAlign") if properties is not None else None
            pieces.append(text)
            raised.append(place is not None and place.get("val") == "superscript")
    return Text(unescaped(joined_runs(pieces, raised), entities=False), bold)


def joined_runs(pieces: list[str], raised: list[bool]) -> str:
    """Runs as one text, short superscripts as a reader sees them, so that a note mark is no part of its word.

    >>> joined_runs(["Total", "1", " in km", "2"], [False, True, False, True]), joined_runs(["12"], [True])
    ('Total¹ in km²', '12')
    """
    if not any(raised) or all(up or not piece.strip() for piece, up in zip(pieces, raised, strict=True)):
        return "".join(pieces)
    return "".join(
        piece.translate(_RAISED) if up and _MARK.fullmatch(piece) else piece
        for piece, up in zip(pieces, raised, strict=True)
    )


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
