"""What a run has met already. In: places of documents, however many. Out: the same without those that are named again.

A file that two sources name, by its path and by `file://`, say, is one document, read and counted once, as by `add`;
so is a record at one place of one archive. Another record of the same name, the same address fetched in the same
second, is a document that the library cannot tell from the first: it is passed over, and counted as such.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing

import msgspec

from tabellion.errors import LibraryError, TabellionError
from tabellion.library.holdings import document_address
from tabellion.scale.places import DocumentPlace, local_path

AGAIN = "named again"
_MEET = "insert or ignore into met values (?, ?)"
_SAME = "select 1 from met where name = ? and place = ?"
_CACHE = "pragma cache_size = -32768"  # kB of memory


def pass_over_repeats(places: Iterable[DocumentPlace]) -> Iterator[DocumentPlace]:
    """Every document once; the same places always give the same.

    What is met is held in a database without a name, which SQLite begins in memory (32 MB) and goes on with in a
    temporary file that is gone with the process: 24 bytes of hashes for each document, which take 33 there (of 1.5
    million). So the memory of a run stays bounded, and 40 million documents take 1.3 GB where temporary files lie.
    """
    try:
        with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as met:
            met.execute(_CACHE)
            met.execute("pragma journal_mode = off")
            met.execute("begin")  # one transaction, never ended: nothing is written but what the memory does not hold
            met.execute("create table met (name blob primary key, place blob) without rowid")
            for place in places:
                if (kept := _met(place, met)) is not None:
                    yield kept
    except sqlite3.Error as error:
        raise LibraryError(f"temporary files cannot be written ({error}); TMPDIR names their folder") from error


def _met(place: DocumentPlace, met: sqlite3.Connection) -> DocumentPlace | None:
    """A place that is met for the first time, or that is passed over; None where it was met before."""
    where = f"{local_path(place.file)}\0{place.offset}"
    at = _hash(where, 8)
    here = (_hash(f"{place.source}\0{where}", 16), at)
    named = here if place.unfit else (_hash(_address(place), 16), at)  # what is no document takes no name
    if met.execute(_MEET, named).rowcount:
        return place
    if place.offset < 0 or place.unfit or met.execute(_SAME, named).fetchone():
        return None
    return msgspec.structs.replace(place, unfit=AGAIN) if met.execute(_MEET, here).rowcount else None


def _address(place: DocumentPlace) -> str:
    try:
        return place.source if place.offset >= 0 else document_address(place.source)
    except TabellionError:  # who reads it tells that there is no such file
        return place.source


def _hash(text: str, size: int) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
