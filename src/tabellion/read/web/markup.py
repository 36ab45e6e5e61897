"""The markup of a page from its bytes: the page among the parts of a saved archive, and its encoding.

The text of a web page's bytes, in the encoding that a browser would choose. In: bytes, and the character set that the
server named, if any. Out: text and notes. Order: byte order mark, server, `<meta>` (or the XML declaration) in the
first kilobyte, then the letters themselves. A page whose bytes contradict what it declares is read by its letters where
those are plain, with a note; else broken characters are replaced, as in browsers.

Saved web archives (`.mht`, `.mhtml`) and sets of frames: the page among the parts. In: the bytes of a MIME message.
Out: the bytes of its first HTML part, the character set the part declares, and the address the page was saved from.
Style sheets of other parts are put into the page, so that looks are not lost. Where that page is a set of frames, as of
a workbook saved as one file, the other pages follow one another in its place.

Pages that are sets of frames: they name other pages and hold no table, as workbooks saved as web pages do. In: the
markup of a page. Out: whether it is such a page, and which others it names. Frames are never fetched.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

import msgspec

from tabellion.errors import MalformedError, UnknownFormatError
from tabellion.read.encoding import BYTE_ORDER_MARKS, Decoded, decode_text

if TYPE_CHECKING:
    from email.message import Message

_SET = re.compile(r"<frameset\b", re.I)
_NAMED = re.compile(r"<(?:frame|link)\b[^<>]{0,300}?\b(?:src|href)\s*=\s*[\"']?([^\"'\s<>]{1,200}\.html?)\b", re.I)
_MOST_NAMED = 5  # pages that a note names


def is_frames(text: str) -> bool:
    """Whether a page is a set of frames."""
    return _SET.search(text, 0, _LOOK) is not None


def note_frames(text: str) -> tuple[str, ...]:
    """A word on the pages that a set of frames names; nothing for other pages."""
    if not is_frames(text):
        return ()
    named = list(dict.fromkeys(_NAMED.findall(text[:_LOOK])))
    names = ", ".join(named[:_MOST_NAMED]) + (", ..." if len(named) > _MOST_NAMED else "")
    return (f"the page is a set of frames; its tables are in other files, read those{': ' if names else ''}{names}",)


_KNOWN = re.compile(rb"^(?:from|subject|date|mime-version|content-type|snapshot-content-location):", re.I | re.M)
_RELATED = re.compile(rb"^content-type:\s*multipart/(?:related|mixed|alternative)", re.I | re.M)
_LOOK = 2**16  # bytes that tell a set of frames


class Archived(msgspec.Struct, frozen=True):
    """The page of an archive."""

    data: bytes
    charset: str | None
    address: str | None
    sheets: tuple[str, ...] = ()
    parts: dict[str, tuple[str, bytes]] = {}  # address -> kind and bytes of each file that has an address


def is_mhtml(head: bytes) -> bool:
    """Whether bytes begin like a saved web archive."""
    start = head[:4096].lstrip()
    return bool(_KNOWN.match(start)) and bool(_RELATED.search(start) or b"text/html" in start[:2048].lower())


def unpack_mhtml(data: bytes) -> Archived:
    """The page of an archive, by the message's own start where it names one."""
    from email import message_from_bytes  # only a saved archive is a message

    message = message_from_bytes(data.lstrip())
    parts = [part for part in message.walk() if not part.is_multipart()]
    pages = [part for part in parts if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    if not pages:
        raise MalformedError("the web archive holds no page")
    start = message.get_param("start")
    page = next((part for part in pages if start and part.get("Content-ID") == start), pages[0])
    data = _payload(page)
    if is_frames(data[:_LOOK].decode("latin-1")):
        others = [_payload(part) for part in pages if part is not page]
        data = b"\n".join(other for other in others if b"<table" in other.lower()) or data
    address = page.get("Content-Location") or message.get("Snapshot-Content-Location")
    sheets = tuple(_text(part) for part in parts if part.get_content_type() == "text/css")
    files = {
        str(part["Content-Location"]): (part.get_content_type(), _payload(part))
        for part in parts
        if part is not page and part.get("Content-Location")
    }
    return Archived(data, page.get_content_charset(), str(address) if address else None, sheets, files)


def _payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Message) -> str:
    return _payload(part).decode("utf-8", errors="replace")


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
_OF_PYTHON = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape")  # which no page is written in
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
    return name if getattr(found, "_is_text_encoding", True) and found.name not in _OF_PYTHON else None


def _decoded(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    broken = text.count("\ufffd")
    note = f"{broken} characters are not valid {encoding} and could not be read"
    return Decoded(text, encoding, (note,) if broken else ())
