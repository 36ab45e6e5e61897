"""What a run reads, and the unit of its work: places and settings in, a batch of readings out.

Places of documents, told one after the other, however many there are. In: files, folders, patterns, addresses, `@FILE`
(a list of them, a line each), WARC and WACZ archives, and Parquet files of Common Crawl's index (`url`,
`warc_filename`, `warc_record_offset`, `warc_record_length`); all but folders and patterns also by an address that
fsspec knows (`s3://`, `file://`). Of an archive only the heads of its records are read here; a record is a document
where its server answered 200 with something that may hold tables.

Work knows no engine and no catalogue. Each document is read in a process of its own with hard bounds
(`tabellion.isolated`): one that passes its limits, or brings down the process that reads it, costs itself and is told
of; one that brought its process down is tried once more, alone. In: `DocumentPlace`s. Out: a `Batch`. Originals and
tuples are written where all machines see them, each file called by its content: who does the same batch again, writes
the same files.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from tabellion.errors import CrashError, TabellionError, UsageError
from tabellion.isolated import do_reading
from tabellion.library.adding import StoredSource, fetch_original
from tabellion.library.files import bring_to_disk, is_local, open_room
from tabellion.library.holdings import document_address
from tabellion.library.originals import Reference, Segment, refer_original, store_original
from tabellion.library.reading import Reading, as_stored, pack_reading, read_for_library
from tabellion.library.stored_tables import editions_of
from tabellion.library.writing import store_tuples
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings
from tabellion.read.fetch import ARCHIVES, expand_sources, load_fastwarc, load_place, name_archives, opened, read_heads

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


Originals = Literal["keep", "refer"]


class WorkSettings(msgspec.Struct, frozen=True):
    """How the documents of a batch are read, and where what is kept of them goes: folders, or addresses of a store."""

    originals: str
    segments: str
    settings: Settings = Settings()
    keep: Originals = "keep"
    known: Mapping[str, StoredSource] = {}  # what the library has of the sources
    logs: Mapping[str, tuple[Correction, ...]] = {}  # corrections that were made of them


class ReadDocument(msgspec.Struct, frozen=True):
    """What came of one document: a packed `Reading`, nothing where it is unchanged, or why it could not be read."""

    source: str
    reading: bytes | None = None  # without its tuples, which are in the segment
    kind: str = ""  # of what went wrong
    note: str = ""
    seconds: float = 0.0
    size: int = 0
    unfit: str = ""  # why a record of an archive is no document


class Batch(msgspec.Struct, frozen=True):
    """What came of some documents, and the segment that holds all their tuples."""

    documents: tuple[ReadDocument, ...]
    segment: Segment | None = None


def read_batch(places: Sequence[DocumentPlace], work: WorkSettings) -> Batch:
    """Read some documents; whatever goes wrong with one is told of it alone."""
    done: list[ReadDocument] = []
    readings: list[Reading] = []
    for place in places:
        start = time.monotonic()
        outcome = _read(place, work)
        if isinstance(outcome, ReadDocument):
            done.append(msgspec.structs.replace(outcome, seconds=time.monotonic() - start))
            continue
        readings.append(outcome)
        packed = pack_reading(msgspec.structs.replace(outcome, tuples=b"", quads=None, view=None))
        done.append(ReadDocument(place.source, packed, seconds=time.monotonic() - start, size=outcome.size))
    segments = open_room(work.segments)
    segment, _ = store_tuples(segments, readings)
    if readings and is_local(segments):
        bring_to_disk(segments)  # what the catalogue is to name outlasts this machine
    return Batch(tuple(done), segment)


def _read(place: DocumentPlace, work: WorkSettings) -> Reading | ReadDocument:
    """A document that was read, or what else became of it."""
    name, size = place.source, place.size
    if place.unfit == DAMAGED:
        note = f"{place.file}: a record behind byte {place.offset:,} is damaged; those after it are read"
        return ReadDocument(name, None, "truncated", note)
    if place.unfit:
        return ReadDocument(name, size=size, unfit=place.unfit)
    try:
        have, log = work.known.get(name), work.logs.get(name, ())
        settings = as_stored(work.settings, have.rendered if have else None)
        data = load_bytes(place, settings)
        size, digest = len(data), hashlib.sha256(data).hexdigest()
        if have and have.sha256 == digest and have.rendered == _rendered(have, settings):
            return ReadDocument(name, size=size)
        settings = msgspec.structs.replace(settings, network=False)  # what a page needs of the web is in it now
        reading = _read_bounded(name, data, settings, log, work.originals)
        originals = open_room(work.originals)
        if work.keep == "refer":
            file = place.file if "://" in place.file else str(Path(place.file).absolute())
            refer_original(originals, Reference(file, place.offset), digest)
        else:
            store_original(originals, data, digest)
    except TabellionError as error:
        return ReadDocument(name, None, error.kind, str(error), size=size)
    except MemoryError:
        return ReadDocument(name, None, "memory", f"{name}: not enough memory to read it", size=size)
    except OSError:
        raise  # the store cannot be written: no fault of the document, the batch is done again
    except Exception as error:  # a defect of ours, or of a library below: the run goes on
        note = " ".join(f"{name}: a defect of tabellion ({type(error).__name__}: {error})".split())
        return ReadDocument(name, None, "defect", note, size=size)
    return reading


def _rendered(have: StoredSource, settings: Settings) -> str | None:
    """How a document would be rendered now."""
    return settings.render if settings.render != "never" and have.medium == "html" else None


def _read_bounded(name: str, data: bytes, settings: Settings, log: Sequence[Correction], originals: str) -> Reading:
    """Read a document within its limits; one whose process was lost is tried once more, in a new one."""
    for tries in (1, 2):
        try:
            return do_reading(_read_bytes, name, data, settings, log, originals, limits=settings.limits, name=name)
        except CrashError:
            if tries == 2:
                raise
    raise AssertionError


def _read_bytes(source: str, data: bytes, settings: Settings, log: Sequence[Correction], originals: str) -> Reading:
    editions = editions_of(open_room(originals), settings)
    return read_for_library(source, document_address(source), data, settings, log, editions)


def load_bytes(place: DocumentPlace, settings: Settings) -> bytes:
    """The bytes that are kept of a document, from its file, its address, or its record in an archive."""
    if place.offset < 0 and ("://" not in place.file or place.file.startswith(("http://", "https://"))):
        return fetch_original(place.file, settings)
    return load_place(place.file, place.offset, settings.limits, place.source)
