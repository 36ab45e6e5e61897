"""The XML of spreadsheets in one file, in two goes: what stands before the sheets as elements, the sheets as a stream.

In: the bytes of a document. Out: elements by their tags, or calls for every element and text, so that a sheet of any
size takes no tree. Fails with `MalformedError` where the XML is not well-formed.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from xml.parsers import expat

from lxml import etree

from tabellion.errors import MalformedError
from tabellion.read.package import SAFE


def elements_before(xml: bytes, wanted: tuple[str, ...], end: str) -> dict[str, etree._Element]:
    """The elements with wanted tags that stand before the first with the tag `end`."""
    found: dict[str, etree._Element] = {}
    try:
        for event, element in etree.iterparse(io.BytesIO(xml), events=("start", "end"), tag=(*wanted, end), **SAFE):
            if element.tag == end:
                break
            if event == "end":
                found[element.tag] = element
    except etree.XMLSyntaxError as error:
        raise MalformedError(f"the spreadsheet is not well-formed XML ({error.msg})") from error
    return found


def stream_elements(
    xml: bytes,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:
    """Tell every element, as namespace, closing bracket and name, and every text of a document."""
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        raise MalformedError(f"the spreadsheet is not well-formed XML ({error})") from error
