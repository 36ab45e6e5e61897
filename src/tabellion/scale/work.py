"""The unit of a run's work: places and settings in, a batch of readings out. It knows no engine and no catalogue.

Each document is read in a process of its own with hard bounds (`tabellion.isolated`): one that passes its limits, or
brings down the process that reads it, costs itself and is told of; one that brought its process down is tried once
more, alone. In: `DocumentPlace`s. Out: a `Batch`. Originals and tuples are written where all machines see them, each
file called by its content: who does the same batch again, writes the same files.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from tabellion.errors import CrashError, TabellionError
from tabellion.isolated import do_reading
from tabellion.library.adding import StoredSource, fetch_original
from tabellion.library.files import bring_to_disk, is_local, open_room
from tabellion.library.holdings import document_address
from tabellion.library.originals import Reference, Segment, is_kept, refer_original, store_original
from tabellion.library.reading import Reading, as_stored, pack_reading, read_for_library
from tabellion.library.stored_tables import editions_of
from tabellion.library.writing import store_tuples
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings
from tabellion.read.archives import load_place
from tabellion.scale.places import DAMAGED, INDEX, WEB, DocumentPlace

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
        return ReadDocument(name, None, "truncated", _damage(place))
    if place.unfit:
        return ReadDocument(name, size=size, unfit=place.unfit)
    try:
        have, log = work.known.get(name), work.logs.get(name, ())
        settings = as_stored(work.settings, have.rendered if have else None)
        data = load_bytes(place, settings)
        size, digest = len(data), hashlib.sha256(data).hexdigest()
        if have and have.sha256 == digest and have.rendered == _rendered(have, settings):
            _keep(place, data, digest, work)
            return ReadDocument(name, size=size)
        settings = msgspec.structs.replace(settings, network=False)  # what a page needs of the web is in it now
        reading = _read_bounded(name, data, settings, log, work.originals)
        _keep(place, data, digest, work)
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


def _keep(place: DocumentPlace, data: bytes, digest: str, work: WorkSettings) -> None:
    """Keep a document, or note where it lies; a copy that was damaged, and one that was only noted, is made anew."""
    originals = open_room(work.originals)
    if work.keep == "keep" or is_kept(originals, digest):
        store_original(originals, data, digest)
        return
    file = place.file if "://" in place.file else str(Path(place.file).absolute())
    refer_original(originals, Reference(file, place.offset, place.length), digest)


def _damage(place: DocumentPlace) -> str:
    """What is told of a record that cannot be read, of an archive or of an index."""
    if place.file.lower().endswith(INDEX):
        return f"{place.source}: row {place.offset:,} of {place.file} names no record"
    return f"{place.file}: a record behind byte {place.offset:,} is damaged; those after it are read"


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
    if place.offset < 0 and ("://" not in place.file or place.file.startswith(WEB)):
        return fetch_original(place.file, settings)
    return load_place(place.file, place.offset, settings.limits, place.source, place.length)
