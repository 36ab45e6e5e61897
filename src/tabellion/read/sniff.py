"""The format of a document by its bytes, never by its name.

An `.xls` is often HTML, XML or tab-separated text inside, and a download may have no ending at all.

A document packed with gzip (`.html.gz`, `.csv.gz`), unpacked within limits.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import Literal

from tabellion.errors import (
    EncryptedError,
    HostileError,
    TooLargeError,
    TruncatedError,
    UnknownFormatError,
    UnreadableError,
)
from tabellion.patterns import lazy_pattern
from tabellion.read.encoding import decode_text
from tabellion.read.limits import Limits
from tabellion.read.web.markup import is_mhtml

_MAGIC = b"\x1f\x8b"
_STEP = 2**20
_LEAST_GIVEN = 2**12  # bytes given at first: what a small member does not take is copied


def unpack_gzip(data: bytes, limits: Limits) -> bytes:
    """The bytes inside; the same bytes where they are not packed."""
    if not data.startswith(_MAGIC):
        return data
    unpacked = bytearray()
    most = min(limits.bytes, int(limits.unpacked_ratio * max(len(data), _STEP)))
    at = 0
    try:
        while data.startswith(_MAGIC, at):  # an archive may have several members, also very many small ones
            inflater, given = zlib.decompressobj(wbits=31), _LEAST_GIVEN
            while not inflater.eof:
                packed = data[at : at + given]
                piece = inflater.decompress(packed, _STEP)
                taken = len(packed) - len(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
                if not piece and not taken and not inflater.eof:
                    raise TruncatedError("the gzip archive is cut short; fetch the file again")
                at, given = at + taken, min(2 * given, _STEP)
                unpacked += piece
                _check_size(len(unpacked), most, limits)
    except zlib.error as error:
        raise TruncatedError(f"the gzip archive is damaged ({error}); fetch the file again") from error
    return bytes(unpacked)


def _check_size(size: int, most: int, limits: Limits) -> None:
    if size <= most:
        return
    if most < limits.bytes:
        raise HostileError(f"the gzip archive unpacks to more than {limits.unpacked_ratio:g} times its size")
    raise TooLargeError(f"unpacked over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it")


Format = Literal["xlsx", "xlsb", "ods", "xls", "spreadsheetml", "csv", "html", "mhtml", "pdf"]

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = lazy_pattern(
    r"(?>\s+|<\?xml[^>]*>|<!--.*?(?:-->|$))*+<(?:!doctype\s+html|html|head|body|table|meta|div|style|title|script|link|"
    r"p|h[1-6]|center|font|span|a|ul|ol|dl|pre|section|article|main|header|nav|form|b|i|img|br|hr|noscript|base|tr|td)\b",
    re.I | re.S,
)
_HTML_LATER = lazy_pattern(r"<(?:!doctype\s+html|html|body)\b[^>]*>|^\s*<!.*<(?:meta|link|table|div|td)\b", re.I | re.S)
_SPREADSHEET_ML = lazy_pattern(
    r"(?>\s+|<\?(?:[^?]|\?(?!>))*+\?>|<!--(?:[^-]|-(?!->))*+-->|<!DOCTYPE\b(?:\[[^\]]*+\]|[^\[>])*+>)*+"
    r"<(?:[\w.-]{1,40}:)?Workbook\b[^<>]*urn:schemas-microsoft-com:office:spreadsheet\b"
)
_FLAT_ODS = lazy_pattern(r"<office:document\b[^>]*opendocument", re.S)
_BINARY = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"{\\rtf", "rich text (RTF)"),
)
_LOOK = 8192  # bytes looked at: enough for any prolog or leading comment seen so far


def sniff_format(data: bytes) -> Format:
    r"""Which format the bytes are of; raises where it is none that is read.

    >>> sniff_format(b"year;value\n1990;13.7\n")
    'csv'
    """
    if not data:
        raise UnreadableError("the file is empty")
    if data.startswith(b"PK\x03\x04"):
        return _sniff_package(data)
    if data.startswith(_OLE):
        return _sniff_compound(data)
    if data[:2] == b"\x09\x08" or data[:4] in (b"\x09\x04\x06\x00", b"\x09\x02\x06\x00", b"\x09\x00\x04\x00"):
        return "xls"
    if b"%PDF-" in data[:1024]:
        return "pdf"
    for start, name in _BINARY:
        if data.startswith(start):
            raise UnknownFormatError(f"this is {name}, not a document with tables")
    if data.startswith(b"PK"):
        raise UnknownFormatError("this is an empty or split zip archive, not a workbook")
    return _sniff_text(data[:_LOOK])


def _sniff_package(data: bytes) -> Format:
    """A zip: which office format it holds, by the names of its parts."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = [name.replace("\\", "/").lstrip("/").lower() for name in package.namelist()]
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise TruncatedError(f"the zip container is damaged or cut short ({error}); fetch the file again") from error
    if any(name.endswith("workbook.bin") for name in names):
        return "xlsb"
    if any(re.search(r"(^|/)workbook\d*\.xml$", name) for name in names) or any(n.startswith("xl/") for n in names):
        return "xlsx"
    if "content.xml" in names:
        return "ods"
    for start, what in (("word/", "a Word document"), ("ppt/", "a PowerPoint file")):
        if any(name.startswith(start) for name in names):
            raise UnknownFormatError(f"this is {what}, not a workbook; save its tables as .xlsx")
    raise UnknownFormatError("this is a zip archive, not a workbook; unpack it and name a file in it")


def _sniff_compound(data: bytes) -> Format:
    """An OLE container: an old workbook, or a password-protected new one. Stream names are UTF-16."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise EncryptedError("the workbook is protected by a password; save it without one and try again")
    if "book".encode("utf-16-le") in data.lower():  # a stream called Workbook, or Book, in any case of letters
        return "xls"
    raise UnknownFormatError("this is an OLE container (perhaps an old Word file), but holds no workbook")


def _sniff_text(head: bytes) -> Format:
    """Text in any encoding: Excel 2003 XML, flat OpenDocument, HTML, or else delimited; binary data is refused."""
    text = decode_text(head).text
    if _SPREADSHEET_ML.match(text):
        return "spreadsheetml"
    if _FLAT_ODS.search(text):
        return "ods"
    if is_mhtml(head):
        return "mhtml"
    if _HTML.match(text) or _HTML_LATER.search(text):
        return "html"
    return "csv"
