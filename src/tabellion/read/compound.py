"""The compound file (OLE2) that wraps an old workbook: its record stream, and title and author of the document.

In: bytes; out: a `Compound`. A file without the wrapper (Excel 2 to 4) is its own record stream. A broken chain of
sectors is followed as far as it goes, with a note.
"""

from __future__ import annotations

from struct import error as StructError  # noqa: N812
from struct import unpack_from

import msgspec
from xlrd.compdoc import SIGNATURE, CompDoc, CompDocError

from tabellion.errors import EncryptedError, MalformedError, TruncatedError
from tabellion.read.biff import Silence

_BROKEN = (CompDocError, StructError, IndexError, AssertionError, UnicodeDecodeError, RecursionError, MemoryError)
_TITLE, _AUTHOR, _CODE_PAGE = 2, 4, 1
_TEXT_TYPES = {30: "bytes", 31: "utf-16-le"}


class Compound(msgspec.Struct, frozen=True):
    """What the wrapper holds."""

    stream: bytes
    title: str | None = None
    author: str | None = None
    notes: tuple[str, ...] = ()


def open_compound(data: bytes) -> Compound:
    """The record stream of a workbook, with the facts of the document."""
    if not data.startswith(SIGNATURE):
        return Compound(data)
    notes: tuple[str, ...] = ()
    try:
        stream, facts = _streams(data, tolerant=False)
    except _BROKEN:
        try:
            stream, facts = _streams(data, tolerant=True)
        except _BROKEN as error:
            raise TruncatedError(
                f"the file is cut short or its sectors are broken ({error}); fetch it again"
            ) from error
        notes = ("the file's chain of sectors is broken; parts of the workbook may be missing",)
    title, author = _facts(facts)
    return Compound(stream, title, author, notes)


def _streams(data: bytes, tolerant: bool) -> tuple[bytes, bytes | None]:
    container = CompDoc(data, logfile=Silence(), ignore_workbook_corruption=tolerant)
    for name in ("Workbook", "Book"):
        memory, start, length = container.locate_named_stream(name)
        if memory:
            try:
                facts = container.get_named_stream("\x05SummaryInformation")
            except _BROKEN:
                facts = None
            return bytes(memory[start : start + length]), facts
    if container.get_named_stream("EncryptedPackage") is not None:
        raise EncryptedError("the workbook is protected by a password; save it without one and try again")
    raise MalformedError("this OLE container holds no workbook")


def _facts(data: bytes | None) -> tuple[str | None, str | None]:
    """Title and author from the summary property set; nothing where it is broken."""
    if not data:
        return None, None
    try:
        (section,) = unpack_from("<I", data, 44)
        _, count = unpack_from("<II", data, section)
        places = dict(unpack_from("<II", data, section + 8 + 8 * i) for i in range(min(count, 64)))
        code_page = 1252
        if _CODE_PAGE in places:
            (code_page,) = unpack_from("<H", data, section + places[_CODE_PAGE] + 4)
        found = [_text(data, section + places[key], code_page) if key in places else None for key in (_TITLE, _AUTHOR)]
    except (StructError, LookupError, ValueError):
        return None, None
    return found[0], found[1]


def _text(data: bytes, at: int, code_page: int) -> str | None:
    kind, length = unpack_from("<II", data, at)
    if kind not in _TEXT_TYPES:
        return None
    raw = data[at + 8 : at + 8 + length * (2 if kind == 31 else 1)]
    special = {65001: "utf-8", 1200: "utf-16-le", 10000: "mac_roman"}
    encoding = "utf-16-le" if kind == 31 else special.get(code_page, f"cp{code_page}")
    return raw.decode(encoding, errors="replace").split("\x00")[0].strip() or None
