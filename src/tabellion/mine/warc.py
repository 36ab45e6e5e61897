"""Pages kept as WARC files (ISO 28500), so that every crawl can be repeated.

In and out: addresses with the bytes and headers a server gave. Reading goes through the file once and keeps where each
page begins; a damaged end of a file is left out. Records other than responses are passed over.
"""

from __future__ import annotations

import io
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import msgspec

from tabellion.errors import MissingExtraError, SourceMissingError, TruncatedError

PAGE_TYPES = ("text/html", "application/xhtml")


class FetchedPage(msgspec.Struct, frozen=True):
    """A page as a server gave it."""

    address: str
    data: bytes
    charset: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


class WarcFile:
    """The pages of a WARC file by address."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        self._dates: dict[str, str] = {}
        self._warcio = _load_warcio()
        try:
            with path.open("rb") as file:
                self._index(file)
        except self._warcio.exceptions.ArchiveLoadFailed as error:
            if not self._places:
                raise TruncatedError(f"{path}: is no WARC file or is damaged ({error})") from error

    def _index(self, file: BinaryIO) -> None:
        records = self._warcio.archiveiterator.ArchiveIterator(file)
        for record in records:
            if record.rec_type == "response" and record.http_headers is not None:
                kind = record.http_headers.get_header("Content-Type") or ""
                status = record.http_headers.get_statuscode()
                if status == "200" and kind.lower().startswith(PAGE_TYPES):
                    address = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
                    self._places.setdefault(address, records.get_record_offset())
                    self._dates.setdefault(address, record.rec_headers.get_header("WARC-Date") or "")

    def hosts(self) -> dict[str, list[str]]:
        """The addresses of the pages by host, without `www`."""
        found: dict[str, list[str]] = {}
        for address in self._places:
            found.setdefault(urlsplit(address).netloc.lower().removeprefix("www."), []).append(address)
        return found

    def kept(self, address: str) -> str:
        """When a page was kept, as the file says it; empty where it does not."""
        return self._dates.get(address, "")

    def __contains__(self, address: str) -> bool:
        return address in self._places

    def fetch(self, address: str) -> FetchedPage:
        """The page of an address."""
        if address not in self._places:
            raise SourceMissingError(f"{address}: not in {self.path}")
        with self.path.open("rb") as file:
            file.seek(self._places[address])
            record = next(iter(self._warcio.archiveiterator.ArchiveIterator(file)))
            kind = record.http_headers.get_header("Content-Type") or ""
            headers = tuple((name, value) for name, value in record.http_headers.headers)
            return FetchedPage(address, record.content_stream().read(), charset_of(kind), headers)


class WarcWriter:
    """Writes responses to a WARC file as they come."""

    def __init__(self, path: Path) -> None:
        self._warcio = _load_warcio()
        self._file = path.open("wb")
        self._writer = self._warcio.warcwriter.WARCWriter(self._file, gzip=path.suffix == ".gz")

    def write(self, page: FetchedPage) -> None:
        """Keep one page; its data is the body as decoded, so what says how it was packed is left out."""
        packing = ("content-encoding", "transfer-encoding")
        told = [(name, value) for name, value in page.headers if name.lower() not in packing]
        response = self._warcio.statusandheaders.StatusAndHeaders("200 OK", told, protocol="HTTP/1.1")
        record = self._writer.create_warc_record(
            page.address, "response", payload=io.BytesIO(page.data), http_headers=response
        )
        self._writer.write_record(record)
        self._file.flush()

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def charset_of(content_type: str) -> str | None:
    """The character set that a content type names.

    >>> charset_of("text/html; charset=ISO-8859-1")
    'ISO-8859-1'
    """
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return value.strip().strip("\"'")
    return None


def _load_warcio() -> Any:
    try:
        import warcio.archiveiterator
        import warcio.exceptions
        import warcio.statusandheaders
        import warcio.warcwriter
    except ModuleNotFoundError as error:
        raise MissingExtraError("WARC files need warcio: pip install 'tabellion[web]'") from error
    return warcio
