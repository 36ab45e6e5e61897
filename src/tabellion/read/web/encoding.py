"""The text of a web page's bytes, in the encoding that a browser would choose.

In: bytes, and the character set that the server named, if any. Out: text and notes. Order: byte order mark, server,
`<meta>` (or the XML declaration) in the first kilobyte, then the letters themselves. A page whose bytes contradict what
it declares is read by its letters where those are plain, with a note; else broken characters are replaced, as in
browsers.
"""

from __future__ import annotations

import codecs
import re

from tabellion.errors import UnknownFormatError
from tabellion.read.encoding import BYTE_ORDER_MARKS, Decoded, decode_text

_PRESCAN = 1024  # bytes that a browser looks at; some servers put longer comments first
_LONG_PRESCAN = 8192
_COMMENTS = re.compile(rb"<!--.*?-->", re.S)
_META = re.compile(rb"<meta\b[^>]*?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.I)
_XML = re.compile(rb"^\s*<\?xml[^>]*encoding\s*=\s*[\"']([\w.:+-]+)", re.I)

# Labels that browsers read as a larger set than they name (WHATWG Encoding, section 4.2).
_AS_BROWSERS = {
    **dict.fromkeys(
        ("iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "iso_8859-1", "l1"), "cp1252"
    ),
    **dict.fromkeys(("x-user-defined", "windows-1252", "x-cp1252", "ansi"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "latin5", "windows-1254"), "cp1254"),
    **dict.fromkeys(("tis-620", "iso-8859-11", "windows-874"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "gb_2312-80", "x-gbk", "chinese", "csgb2312"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987", "ksc5601", "korean"), "cp949"),
    **dict.fromkeys(("big5", "big5-hkscs", "cn-big5", "x-x-big5"), "big5hkscs"),
    **dict.fromkeys(("utf8", "unicode-1-1-utf-8"), "utf-8"),
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "windows-949": "cp949",
}
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x0b\x1a\x1b"))
_CONTROL_SHARE = 0.02  # control codes that a page may have; real ones have a few strays
_LONG_LOOK = 2**16
_BROKEN_SHARE = 0.001  # broken characters a text may have before what it declares is doubted
_GARBLED = re.compile(r"[ÃÂ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")  # UTF-8 read as Windows-1252


def decode_markup(data: bytes, declared: str | None = None) -> Decoded:
    r"""The text of a page; `declared` is what the server said.

    >>> decode_markup(b'<meta charset="iso-8859-1"><p>5 \x80').text[-3:]
    '5 €'
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding)
    _check_text(data[:_LONG_LOOK])
    named = _codec(declared) or _declared_inside(data)
    if named is None:
        return decode_text(data)
    return _checked(data, named)


def _check_text(head: bytes) -> None:
    """Refuse binary data that begins like a page."""
    if len(head) - len(head.translate(None, _CONTROLS)) > _CONTROL_SHARE * len(head):
        raise UnknownFormatError("the bytes begin like a web page but are binary data")


def _checked(data: bytes, encoding: str) -> Decoded:
    """The text in the encoding that was declared, unless the bytes say otherwise."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return _contradicted(data, encoding)
    if encoding == "cp1252" and not data.isascii():
        try:
            sound = data.decode("utf-8")
        except UnicodeDecodeError:
            return Decoded(text, encoding)
        if _GARBLED.search(text):
            return Decoded(sound, "utf-8", ("the page declares windows-1252, but its bytes are UTF-8",))
    return Decoded(text, encoding)


def _contradicted(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    broken = text.count("\ufffd")
    if broken <= max(3, _BROKEN_SHARE * len(text)):
        return Decoded(text, encoding, (f"{broken} characters are not valid {encoding} and could not be read",))
    guessed = decode_text(data)
    if guessed.encoding == encoding or guessed.text.count("\ufffd") >= broken:
        return Decoded(text, encoding, (f"{broken} characters are not valid {encoding} and could not be read",))
    note = f"the page declares {encoding}, but its bytes are not; it was read as {guessed.encoding}"
    return Decoded(guessed.text, guessed.encoding, (note, *guessed.notes))


def _declared_inside(data: bytes) -> str | None:
    head = data[:_PRESCAN]
    if b"charset" not in head:
        head = _COMMENTS.sub(b"", data[:_LONG_PRESCAN])
    found = _XML.match(head) or _META.search(head)
    if not found:
        return None
    encoding = _codec(found[1].decode("ascii", "replace"))
    # A page that could be read this far is not in UTF-16, whatever it says.
    return "utf-8" if encoding is not None and encoding.startswith("utf-16") else encoding


def _codec(label: str | None) -> str | None:
    """Python's name of the encoding that browsers take a label for; None where there is none for text."""
    if not label:
        return None
    name = label.strip().strip("\"'").lower()
    name = _AS_BROWSERS.get(name, name)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    return name if getattr(found, "_is_text_encoding", True) else None


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    broken = text.count("\ufffd")
    note = f"{broken} characters are not valid {encoding} and could not be read"
    return Decoded(text, encoding, (note,) if broken else ())
