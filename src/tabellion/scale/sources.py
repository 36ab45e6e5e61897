"""What a run is to read: the place of every document, told one after the other, however many there are.

In: files, folders, patterns, addresses, `@FILE` (a list of them, a line each), WARC and WACZ archives, and Parquet
files of Common Crawl's index (`url`, `warc_filename`, `warc_record_offset`, `warc_record_length`); all but folders and
patterns also by an address that fsspec knows (`s3://`, `file://`). Out: places. Of an archive only the heads of its
records are read here; a record is a document where its server answered 200 with something that may hold tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import UsageError
from tabellion.read.archives import ARCHIVES, load_fastwarc, name_archives, opened, read_heads
from tabellion.read.fetch import expand_sources

_INDEX_COLUMNS = ("url", "warc_filename", "warc_record_offset", "warc_record_length")
DAMAGED = "damaged"  # why a record cannot be read at all
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
    unfit: str = ""  # why a record of an archive holds no document; it is counted and not read


def expand_places(sources: Iterable[str]) -> Iterator[DocumentPlace]:
    """The place of every document that the sources name, and every record of an archive that holds none."""
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


def _records(source: str) -> Iterator[DocumentPlace]:
    response = load_fastwarc().WarcRecordType.response
    for file in name_archives(source):
        with opened(file) as stream:
            last = 0
            for record in read_heads(stream):
                if record is None:
                    yield DocumentPlace(f"{file}#after={last}", file, last, unfit=DAMAGED)
                    continue
                last = record.stream_pos
                if record.record_type == response:
                    address = record.headers.get("WARC-Target-URI", "").strip("<>")
                    name = name_record(address or f"{file}#at={last}", record.headers.get("WARC-Date", ""))
                    yield DocumentPlace(name, file, last, record.content_length, _unfit(record))


def name_record(address: str, date: str) -> str:
    """What a record of an archive is called: its address, and when it was fetched.

    >>> name_record("https://example.org/a.html", "2020-05-01T10:00:00Z")
    'https://example.org/a.html#fetched=2020-05-01T10:00:00Z'
    """
    return f"{address}#fetched={date}" if date else address


def _unfit(record: Any) -> str:
    """Why a record holds no document: what its server answered, or what kind of thing it sent."""
    answer = record.http_headers
    if answer is None:
        return "no answer"
    if answer.status_code != 200:
        return f"status {answer.status_code}"
    kind = (answer.get("Content-Type") or "").lower().partition(";")[0].strip()
    return "" if not kind or any(part in kind for part in _HELD) else kind


def _indexed(file: str) -> Iterator[DocumentPlace]:
    import pyarrow.parquet

    with opened(file) as stream:
        index = pyarrow.parquet.ParquetFile(stream)
        lacking = [name for name in _INDEX_COLUMNS if name not in index.schema_arrow.names]
        if lacking:
            raise UsageError(f"{file}: no index of web archives (it has no column {lacking[0]})")
        base = file.rpartition("/")[0]
        dated = [name for name in ("fetch_time",) if name in index.schema_arrow.names]
        for batch in index.iter_batches(columns=[*_INDEX_COLUMNS, *dated]):
            for row in batch.to_pylist():
                archive = str(row["warc_filename"])
                place = archive if "://" in archive or Path(archive).is_absolute() else f"{base}/{archive}"
                name = name_record(str(row["url"]), _date(row.get("fetch_time")))
                yield DocumentPlace(name, place, int(row["warc_record_offset"]), int(row["warc_record_length"]))


def _date(fetched: Any) -> str:
    """A time of an index as a record of an archive writes it."""
    return fetched.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(fetched, "strftime") else ""
