"""Spreadsheets that are XML, in a zip package or in one file, read without any risk.

A zip package of XML parts (OOXML, ODF): parts by name, relationships, and XML read without any risk. Part names are
found whatever their case and slashes. A part is refused where it unpacks to more than the limits allow or is squeezed
as only a bomb is; XML with a document type is refused, since these formats never have one and every entity attack needs
one.

The XML of spreadsheets in one file, in two goes: what stands before the sheets as elements, the sheets as a stream. In:
the bytes of a document. Out: elements by their tags, or calls for every element and text, so that a sheet of any size
takes no tree. Fails with `MalformedError` where the XML is not well-formed.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from posixpath import dirname, join, normpath
from typing import Any
from xml.parsers import expat

import msgspec
from lxml import etree

from tabellion.errors import EncryptedError, HostileError, MalformedError, TooLargeError, TruncatedError
from tabellion.patterns import lazy_pattern
from tabellion.read.limits import Deadline, Limits

_BOMB_BYTES = 16 * 2**20  # small parts of nothing but blanks are harmless and do compress a thousandfold
_DOCTYPE = lazy_pattern(r"(?>\s+|<\?(?:[^?]|\?(?!>))*+\?>|<!--(?:[^-]|-(?!->))*+-->)*+<!DOCTYPE")
_DECLARED = lazy_pattern(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"'][^>]*\?>")
_DECLARATION = lazy_pattern(r"\ufeff?\s*<\?xml\b[^>]*\?>|\ufeff")
_ENCODINGS = lazy_pattern(
    r"utf-?(?:8|16|16le|16be|32)|us-ascii|ascii|iso-?8859-\d+|latin-?1|windows-\d+|cp\d+|koi8-[ru]|gb2312|gbk|gb18030"
    r"|big5|shift_jis|euc-(?:jp|kr)"
)
_HEAD = 1024  # bytes in which a declaration stands
SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}


class Relationship(msgspec.Struct, frozen=True):
    """What one part says of another: the last word of its type, and the target part."""

    kind: str
    target: str
    external: bool


class Package:
    """The parts of one zip package. `notes` collects what was repaired on the way."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self.limits = limits
        self.deadline = Deadline(limits)
        self.notes: list[str] = []
        self._left = limits.unpacked_bytes
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise TruncatedError(
                f"the zip container is damaged or cut short ({error}); fetch the file again"
            ) from error
        self._names = {_plain(name): name for name in reversed(self._zip.namelist())}

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._names

    @property
    def names(self) -> list[str]:
        """All part names, in lower case and with forward slashes."""
        return list(self._names)

    def part(self, name: str) -> bytes | None:
        """The bytes of a part, or None where there is no such part."""
        stored = self._names.get(_plain(name))
        if stored is None:
            return None
        self.deadline.check()
        info = self._zip.getinfo(stored)
        self._check_size(info)
        try:
            data = self._zip.read(info)
        except RuntimeError as error:
            if info.flag_bits & 1:
                raise EncryptedError("the zip container is protected by a password; save it without one") from error
            raise MalformedError(f"part {name} cannot be unpacked ({error})") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise TruncatedError(f"part {name} is damaged or cut short ({error}); fetch the file again") from error
        self._left -= len(data)
        return data

    def xml(self, name: str) -> str | None:
        """A part as XML text without a declaration, or None where there is no such part."""
        data = self.part(name)
        return None if data is None else xml_text(data, f"part {name}", self.notes)

    def tree(self, name: str) -> etree._Element | None:
        """The parsed root of an XML part, or None where the part is absent."""
        data = self.xml(name)
        return None if data is None else parse_xml(data, name)

    def relationships(self, name: str) -> dict[str, Relationship]:
        """The relationships of a part by their id; of the package itself for an empty name."""
        folder = dirname(name)
        root = self.tree(join(folder, "_rels", name[len(folder) :].lstrip("/") + ".rels"))
        found: dict[str, Relationship] = {}
        for element in root if root is not None else ():
            key, target = element.get("Id"), (element.get("Target") or "").replace("\\", "/")
            if key is None or not isinstance(element.tag, str):
                continue
            external = element.get("TargetMode") == "External"
            if not external:
                target = normpath(target if target.startswith("/") else join("/", folder, target)).lstrip("/")
            found[key] = Relationship((element.get("Type") or "").rsplit("/", 1)[-1], target, external)
        return found

    def _check_size(self, info: zipfile.ZipInfo) -> None:
        limits, size = self.limits, info.file_size
        if size > _BOMB_BYTES and size > limits.unpacked_ratio * max(info.compress_size, 1):
            raise HostileError(
                f"part {info.filename} unpacks {size / max(info.compress_size, 1):,.0f} times its size, as a zip bomb "
                "does; raise Limits.unpacked_ratio if you trust it"
            )
        if size > limits.part_bytes:
            raise TooLargeError(
                f"part {info.filename} unpacks to {size:,} bytes, over the limit of {limits.part_bytes:,}; "
                "raise Limits.part_bytes to read it"
            )
        if size > self._left:
            raise TooLargeError(
                f"the parts unpack to more than {limits.unpacked_bytes:,} bytes; raise Limits.unpacked_bytes"
            )


def xml_text(data: bytes, what: str, notes: list[str]) -> str:
    """XML as text without its declaration, by byte order mark, declaration, or UTF-8; a document type is refused."""
    declared = _DECLARED.match(data[:_HEAD])
    encoding = declared[1].decode().lower() if declared else "utf-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif data.startswith(b"\xef\xbb\xbf") or encoding in ("us-ascii", "ascii"):
        encoding = "utf-8"
    if not _ENCODINGS.fullmatch(encoding):
        raise MalformedError(f"{what} is in an unknown encoding, {encoding}")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        notes.append(f"{what} says it is {encoding} but is not; it was read as windows-1252")
        text = data.decode("cp1252", errors="replace")
    except LookupError:
        raise MalformedError(f"{what} is in an unknown encoding, {encoding}") from None
    declaration = _DECLARATION.match(text)
    text = text[declaration.end() :] if declaration else text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _DOCTYPE.match(text):
        raise HostileError(f"{what} has a document type (entities), which a workbook never has")
    return text


def parse_xml(text: str, name: str) -> etree._Element:
    """Parse XML that `Package.xml` has checked."""
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), etree.XMLParser(encoding="utf-8", **SAFE))
    except etree.XMLSyntaxError as error:
        raise broken_part(name, error) from error


def broken_part(name: str, error: etree.XMLSyntaxError) -> MalformedError:
    """The error for a part that is not well-formed, in one line."""
    return MalformedError(f"part {name} is not well-formed XML ({' '.join((error.msg or '').split())})")


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


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
