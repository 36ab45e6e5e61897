"""What a run is to read: the place of every document, told one after the other, however many there are.

In: files, folders, patterns, addresses, `@FILE` (a list of them, a line each), WARC and WACZ archives, and Parquet
files of Common Crawl's index (`url`, `warc_filename`, `warc_record_offset`, `warc_record_length`); all but folders and
patterns also by an address that fsspec knows (`s3://`, `file://`). Out: places. Of an archive only the heads of its
records are read here; a record is a document where its server answered 200 with something that may hold tables.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tabellion.errors import MissingExtraError, SourceMissingError, TruncatedError, UsageError
from tabellion.read.fetch import expand_sources

ARCHIVES = (".warc", ".warc.gz", ".wacz")
INSIDE = "!"  # between a WACZ file and the archive in it
_INDEX_COLUMNS = ("url", "warc_filename", "warc_record_offset", "warc_record_length")
_HELD = ("html", "xml", "pdf", "excel", "spreadsheet", "ms-office", "csv", "tab-separated", "octet-stream", "zip")
"""Parts of content types that may hold tables; where a server names none, the bytes decide."""


class DocumentPlace(msgspec.Struct, frozen=True):
    """Where the bytes of one document lie: a file or address, or a record in an archive.

    `source` is what the document is called, and what makes it the same one next time; of a record it is its own address
    with its date.
    """

    source: str
    file: str
    offset: int = -1  # of a record; a whole file has none
    size: int = 0  # about how many bytes it has, where that is known before it is read


def expand_places(sources: Iterable[str]) -> Iterator[DocumentPlace]:
    """The place of every document that the sources name."""
    for source in sources:
        if source.startswith("@"):
            yield from expand_places(_listed(source[1:]))
        elif source.lower().endswith(ARCHIVES):
            yield from _records(source)
        elif source.lower().endswith(".parquet"):
            yield from _indexed(source)
        elif "://" in source:
            yield DocumentPlace(source, source)
        else:
            for path in expand_sources([source]):
                if path.lower().endswith(ARCHIVES):
                    yield from _records(path)
                else:
                    yield DocumentPlace(str(Path(path).absolute()), path, size=_size(path))


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _listed(file: str) -> Iterator[str]:
    with opened(file) as lines:
        for line in lines:
            text = line.decode("utf-8", "replace").strip()
            if text and not text.startswith("#"):
                yield text


def _records(file: str) -> Iterator[DocumentPlace]:
    if file.lower().endswith(".wacz"):
        with opened(file) as packed, zipfile.ZipFile(packed) as archive:
            inside = [name for name in archive.namelist() if name.lower().endswith(ARCHIVES[:2])]
        for name in inside:
            yield from _records_of(f"{file}{INSIDE}{name}")
    else:
        yield from _records_of(file)


def _records_of(file: str) -> Iterator[DocumentPlace]:
    warc = load_fastwarc()
    with opened(file) as stream:
        try:
            for record in warc.ArchiveIterator(stream, record_types=warc.WarcRecordType.response):
                address = record.headers.get("WARC-Target-URI", "").strip("<>")
                if address and _may_hold(record):
                    date = record.headers.get("WARC-Date", "")
                    yield DocumentPlace(name_record(address, date), file, record.stream_pos, record.content_length)
        except (OSError, ValueError, EOFError, RuntimeError) as error:
            raise TruncatedError(f"{file}: the archive is damaged ({error}); what comes before was read") from error


def name_record(address: str, date: str) -> str:
    """What a record of an archive is called: its address, and when it was fetched.

    >>> name_record("https://example.org/a.html", "2020-05-01T10:00:00Z")
    'https://example.org/a.html#fetched=2020-05-01T10:00:00Z'
    """
    return f"{address}#fetched={date}" if date else address


def _may_hold(record: Any) -> bool:
    answer = record.http_headers
    if answer is None or answer.status_code != 200:
        return False
    kind = (answer.get("Content-Type") or "").lower()
    return not kind or any(part in kind for part in _HELD)


def _indexed(file: str) -> Iterator[DocumentPlace]:
    import pyarrow.parquet

    with opened(file) as stream:
        index = pyarrow.parquet.ParquetFile(stream)
        lacking = [name for name in _INDEX_COLUMNS if name not in index.schema_arrow.names]
        if lacking:
            raise UsageError(f"{file}: no index of web archives (it has no column {lacking[0]})")
        base = file.rpartition("/")[0]
        for batch in index.iter_batches(columns=list(_INDEX_COLUMNS)):
            for row in batch.to_pylist():
                archive = str(row["warc_filename"])
                place = archive if "://" in archive or Path(archive).is_absolute() else f"{base}/{archive}"
                yield DocumentPlace(
                    str(row["url"]), place, int(row["warc_record_offset"]), int(row["warc_record_length"])
                )


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file, by path or by an address that fsspec knows, or an archive inside a WACZ file."""
    outer, inside, name = file.partition(INSIDE)
    if inside and outer.lower().endswith(".wacz"):
        with opened(outer) as packed, zipfile.ZipFile(packed) as archive, archive.open(name) as stream:
            yield stream  # type: ignore[misc]
        return
    if "://" not in file:
        try:
            with Path(file).open("rb") as stream:
                yield stream
        except FileNotFoundError as error:
            raise SourceMissingError(f"{file}: no such file") from error
        return
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{file}: needs fsspec: pip install 'tabellion[scale]'") from error
    with fsspec.open(file, "rb") as stream:
        yield stream


def load_fastwarc() -> Any:
    """The reader of web archives."""
    try:
        import fastwarc.warc
    except ModuleNotFoundError as error:
        raise MissingExtraError("web archives need FastWARC: pip install 'tabellion[scale]'") from error
    return fastwarc.warc
