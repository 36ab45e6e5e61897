"""Saved web archives (`.mht`, `.mhtml`) and sets of frames: the page among the parts.

In: the bytes of a MIME message. Out: the bytes of its first HTML part, the character set the part declares, and the
address the page was saved from. Style sheets of other parts are put into the page, so that looks are not lost. Where
that page is a set of frames, as of a workbook saved as one file, the other pages follow one another in its place.

Pages that are sets of frames: they name other pages and hold no table, as workbooks saved as web pages do. In: the
markup of a page. Out: whether it is such a page, and which others it names. Frames are never fetched.
"""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import Message

import msgspec

from tabellion.errors import MalformedError

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
