"""Places of documents that a run reads, told one after the other, however many there are.

In: files, folders, patterns, addresses, `@FILE` (a list of them, a line each, gzip or not), WARC and WACZ archives, and
Parquet files of Common Crawl's index (`url`, `warc_filename`, `warc_record_offset`, `warc_record_length`), which a
folder must hold alone; all of them also by an address that fsspec knows (`s3://`, `file://`). Out: `DocumentPlace`s. Of
an archive only the heads of its records are read here; a record is a document where its server answered 200 with
something that may hold tables.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tabellion.errors import SourceMissingError, TruncatedError, UnreadableError
from tabellion.read.archives import ARCHIVES, check_packing, load_fastwarc, name_archives, read_heads
from tabellion.read.sources import ENDINGS, expand_sources
from tabellion.read.stores import open_store, opened

_INDEX_COLUMNS = ("url", "warc_filename", "warc_record_offset", "warc_record_length")
LIST = "@"
INDEX = ".parquet"
WEB = ("http://", "https://")
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
    length: int = 0  # bytes of a record in its archive, where an index says it: no more is fetched


class SourceFile(NamedTuple):
    """A document, an archive or an index: where it lies, what it would be called as a document, and its bytes."""

    file: str
    name: str
    size: int = 0


def expand_places(
    sources: Iterable[str], archives: str | None = None, within: tuple[str, ...] = ()
) -> Iterator[DocumentPlace]:
    """The place of every document that the sources name, and every record of an archive that holds none.

    `archives` is where the archives lie that a list or an index names without an address, `within` the lists that the
    sources are of.
    """
    for source in sources:
        if source.startswith(LIST):
            yield from expand_places(read_list(source, archives, within), archives, (*within, source))
        else:
            for one in list_files(source):
                for part in archives_in(one):
                    yield from places_in(part, archives)


def archives_in(one: SourceFile) -> Iterator[SourceFile]:
    """The archives in a WACZ file; itself, of another file."""
    for file in name_archives(one.file):
        yield one._replace(file=file)


def list_files(source: str) -> Iterator[SourceFile]:
    """The files that a source other than a list names."""
    if "://" not in source:
        for path in _local(source):
            yield SourceFile(path, str(Path(path).absolute()), _size(path))
    elif source.startswith(WEB) or not (source.endswith("/") or has_magic(source)):
        yield SourceFile(source, local_path(source))
    else:
        for address, size in _stored(source):
            yield SourceFile(address, local_path(address), size)


def places_in(one: SourceFile, archives: str | None = None) -> Iterator[DocumentPlace]:
    """The records of an archive, those that an index names, or the document that a file is."""
    if one.file.lower().endswith(ARCHIVES):
        yield from _records(one.file)
    elif one.file.lower().endswith(INDEX):
        yield from _indexed(one.file, archives)
    else:
        yield DocumentPlace(one.name, one.file, size=one.size)


def _local(source: str) -> list[str]:
    """The documents and archives that a path, a folder or a pattern names, else its indexes; itself without any."""
    others: list[str] = []
    found = [path for path in expand_sources([source], others) if path != source]
    archives = [path for path in others if path.lower().endswith(ARCHIVES)]
    return sorted(found + archives) or [path for path in others if path.lower().endswith(INDEX)] or [source]


def local_path(file: str) -> str:
    """The path of a file of this machine, also where it is named by `file://`; of another one, its address.

    >>> local_path("file:///reports/a.html"), local_path("s3://reports/a.html")
    ('/reports/a.html', 's3://reports/a.html')
    """
    path = file.removeprefix("file://")
    return file if "://" in path else str(Path(path).absolute())


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def _stored(source: str) -> Iterator[tuple[str, int]]:
    """What `_local` tells, of a folder or a pattern in a store, all by their endings; with their sizes."""
    store, path = open_store(source)
    try:
        found = store.glob(path, detail=True) if has_magic(path) else store.find(path, detail=True)
    except Exception as error:  # each kind of store has errors of its own
        raise UnreadableError(f"{source}: cannot be listed ({error})") from error
    files = {name: said["size"] or 0 for name, said in found.items() if said["type"] == "file"}
    fitting = (*ENDINGS, *(f"{ending}.gz" for ending in ENDINGS), *ARCHIVES)
    held = [name for name in files if name.lower().endswith(fitting)]
    held = held or [name for name in files if name.lower().endswith(INDEX)]
    if not held:
        raise SourceMissingError(f"{source}: there is no document at this address")
    for name in sorted(held):
        yield store.unstrip_protocol(name), files[name]


def read_list(source: str, archives: str | None, within: tuple[str, ...] = ()) -> Iterator[str]:
    """The sources that `@FILE` lists, a line each."""
    if source in within:
        raise UnreadableError(f"{source}: a list that holds itself")
    file = source.removeprefix(LIST)
    beside = _Beside(file, archives, first="")
    with opened(file) as stream, gzip.open(stream) if file.lower().endswith(".gz") else nullcontext(stream) as lines:
        try:
            for line in lines:
                text = line.decode("utf-8", "replace").replace("\0", "\ufffd").strip()  # no name has a zero
                if text and not text.startswith("#"):
                    yield beside.find(text) if text.lower().endswith(ARCHIVES) else text
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise TruncatedError(f"{file}: not a list, though its ending names one ({error})") from error


class _Beside:
    """Where the archives lie that a list or an index names without an address.

    That is where it was said. Else it is the nearest folder above the list that has the first of them: Common Crawl's
    names begin at the top of its store, others at the list itself.
    """

    def __init__(self, file: str, said: str | None, first: str | None = None) -> None:
        self.file, self.first = file, first  # `first` is looked at before all others
        self.base = said.rstrip("/") if said else None

    def find(self, name: str) -> str:
        if "://" in name or Path(name).is_absolute():
            return name
        if self.base is None:
            folders = [one for one in (self.first, *_folders_above(self.file)) if one is not None]
            self.base = next((one for one in folders if _exists(_joined(one, name))), folders[0])
        return _joined(self.base, name)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _folders_above(file: str) -> Iterator[str]:
    """The folder of a file, the one above it, and so on.

    >>> list(_folders_above("s3://crawl/index/2024/part.parquet")), list(_folders_above("lists/2024/paths"))
    (['s3://crawl/index/2024', 's3://crawl/index', 's3://crawl'], ['lists/2024', 'lists', ''])
    """
    start, _, path = file.rpartition("://")
    prefix = f"{start}://" if start else ""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield prefix + path
    if not prefix and path:
        yield ""


def _exists(file: str) -> bool:
    if "://" not in file:
        return Path(file).exists()
    store, path = open_store(file)
    try:
        return bool(store.exists(path))
    except Exception:  # each kind of store has errors of its own; who reads the file tells it
        return False


def _records(file: str) -> Iterator[DocumentPlace]:
    response = load_fastwarc().WarcRecordType.response
    with opened(file) as stream:
        check_packing(stream, file)
        last, lost = -1, 0
        for record in read_heads(stream):
            if record is None:
                lost += 1
                if last >= 0:
                    yield _lost(file, last, lost)
                continue
            if last < 0:  # what was lost before the first of all
                yield from (_lost(file, 0, number) for number in range(1, lost + 1))
            last, lost = record.stream_pos, 0
            if record.record_type == response:
                address = record.headers.get("WARC-Target-URI", "").strip("<>")
                name = name_record(address or f"{file}#at={last}", record.headers.get("WARC-Date", ""))
                yield DocumentPlace(name, file, last, record.content_length, _unfit(record))
        if last < 0 < lost:
            raise TruncatedError(f"{file}: not an archive, though its ending names one (no record can be read)")


def _lost(file: str, last: int, number: int) -> DocumentPlace:
    """A record behind another one that cannot be read."""
    return DocumentPlace(f"{file}#after={last}&lost={number}", file, last, unfit=DAMAGED)


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


def _indexed(file: str, archives: str | None) -> Iterator[DocumentPlace]:
    import pyarrow.parquet

    with opened(file) as stream:
        try:
            index = pyarrow.parquet.ParquetFile(stream)
        except (OSError, pyarrow.ArrowException) as error:
            raise TruncatedError(f"{file}: not an index, though its ending names one ({_line(error)})") from error
        lacking = [name for name in _INDEX_COLUMNS if name not in index.schema_arrow.names]
        if lacking:
            raise UnreadableError(f"{file}: no index of web archives (it has no column {lacking[0]})")
        beside = _Beside(file, archives)
        dated = [name for name in ("fetch_time",) if name in index.schema_arrow.names]
        batches = index.iter_batches(columns=[*_INDEX_COLUMNS, *dated])
        number = 0
        while rows := _next_rows(batches, file):
            for number, row in enumerate(rows, number + 1):  # noqa: B020 - counted on from batch to batch
                yield _indexed_place(row, number, file, beside)


def _next_rows(batches: Iterator[Any], file: str) -> list[dict[str, Any]]:
    """The next rows of an index that has any; none at its end."""
    import pyarrow

    try:
        return next((rows for batch in batches if (rows := batch.to_pylist())), [])
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise TruncatedError(f"{file}: the index is damaged; the rows before that are read ({_line(error)})") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _indexed_place(row: dict[str, Any], number: int, file: str, beside: _Beside) -> DocumentPlace:
    """The record that a row of an index names; damaged where it does not say of what, where, or how long it is."""
    url, archive, offset, length = (row[name] for name in _INDEX_COLUMNS)
    name = name_record(url, _date(row.get("fetch_time"))) if url and isinstance(url, str) else f"{file}#row={number}"
    named = isinstance(url, str) and url and isinstance(archive, str) and archive
    if not (named and isinstance(offset, int) and isinstance(length, int) and offset >= 0 <= length):
        return DocumentPlace(name, file, number, unfit=DAMAGED)
    return DocumentPlace(name, beside.find(archive), offset, length, length=length)


def _date(fetched: Any) -> str:
    """A time of an index as a record of an archive writes it."""
    return fetched.strftime("%Y-%m-%dT%H:%M:%SZ") if hasattr(fetched, "strftime") else ""
