"""The unit of work of a run: places and settings in, readings out. It knows no engine, library or other unit.

Each document is read in a process of its own with hard bounds (`tabellion.isolated`): one that passes its limits, or
brings down the process that reads it, costs itself and is told of. In: `DocumentPlace`s. Out: one `ReadDocument` each,
in order. Originals are written to a folder that all machines see.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from tabellion.errors import SourceMissingError, TabellionError, TruncatedError
from tabellion.isolated import do_reading
from tabellion.library.originals import store_original
from tabellion.library.reading import pack_reading, read_for_library
from tabellion.pipeline import Settings
from tabellion.scale.sources import DocumentPlace, load_fastwarc, opened


class WorkSettings(msgspec.Struct, frozen=True):
    """How the documents of a run are read."""

    originals: str  # the folder that keeps them
    settings: Settings = Settings()
    known: Mapping[str, str] = {}  # sources that are there already, with the hash of their bytes


class ReadDocument(msgspec.Struct, frozen=True):
    """What came of one document: a packed `Reading`, nothing where it is unchanged, or why it could not be read."""

    source: str
    reading: bytes | None = None
    kind: str = ""  # of what went wrong
    note: str = ""
    seconds: float = 0.0
    size: int = 0


def read_documents(places: Sequence[DocumentPlace], work: WorkSettings) -> list[ReadDocument]:
    """Read some documents; whatever goes wrong with one is told of it alone."""
    return [_read(place, work) for place in places]


def _read(place: DocumentPlace, work: WorkSettings) -> ReadDocument:
    start = time.monotonic()
    size = place.size
    try:
        data = load_bytes(place, work.settings)
        size = len(data)
        digest = hashlib.sha256(data).hexdigest()
        if work.known.get(place.source) == digest:
            return ReadDocument(place.source, seconds=time.monotonic() - start, size=size)
        limits = work.settings.limits
        reading = do_reading(_read_bytes, place.source, data, work.settings, limits=limits, name=place.source)
        store_original(Path(work.originals), data, digest)
    except TabellionError as error:
        return ReadDocument(place.source, None, error.kind, str(error), time.monotonic() - start, size)
    except MemoryError:
        note = f"{place.source}: not enough memory to read it"
        return ReadDocument(place.source, None, "memory", note, time.monotonic() - start, size)
    except Exception as error:  # a defect of ours, or of a library below: the run goes on
        note = " ".join(f"{place.source}: a defect of tabellion ({type(error).__name__}: {error})".split())
        return ReadDocument(place.source, None, "defect", note, time.monotonic() - start, size)
    return ReadDocument(place.source, reading, seconds=time.monotonic() - start, size=size)


def _read_bytes(source: str, data: bytes, settings: Settings) -> bytes:
    return pack_reading(read_for_library(source, source, data, settings))


def load_bytes(place: DocumentPlace, settings: Settings) -> bytes:
    """The bytes of a document, from its file, its address, or its record in an archive."""
    if place.offset >= 0:
        return _load_record(place, settings)
    if place.file.startswith(("http://", "https://")) or "://" not in place.file:
        from tabellion.read.fetch import fetch_source

        return fetch_source(place.file, settings.limits).data
    with opened(place.file) as stream:
        return _bounded(stream.read(settings.limits.bytes + 1), place, settings)


def _load_record(place: DocumentPlace, settings: Settings) -> bytes:
    warc = load_fastwarc()
    with opened(place.file) as stream:
        stream.seek(place.offset)
        try:
            record = next(iter(warc.ArchiveIterator(stream, record_types=warc.WarcRecordType.response)), None)
            if record is None:
                raise SourceMissingError(f"{place.source}: no record at byte {place.offset} of {place.file}")
            return _bounded(record.reader.read(settings.limits.bytes + 1), place, settings)
        except (OSError, ValueError, EOFError, RuntimeError) as error:
            raise TruncatedError(f"{place.source}: its record in {place.file} is damaged ({error})") from error


def _bounded(data: bytes, place: DocumentPlace, settings: Settings) -> bytes:
    from tabellion.errors import TooLargeError

    if len(data) > settings.limits.bytes:
        raise TooLargeError(f"{place.source}: more than {settings.limits.bytes:,} bytes (limit bytes)")
    return data
