"""Copying a library as a whole, while others go on writing to it.

In: a library, and a place where there is none: a folder, or a PostgreSQL URL with a folder for the files. Out: a
library there with the same documents, tables, history, corrections, weights, mined
things and annotations. The catalogue is copied as it is at one moment, and the files that it names then are never
changed; nobody clears files away meanwhile. The index is derived: the first search makes it anew.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import delete, insert, select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import FILES, catalogue, facts
from tabellion.library.files import PART, bring_to_disk, locked, whole_file
from tabellion.library.library import Library
from tabellion.library.originals import find_original, segment_path
from tabellion.library.prepared import QUADS, view_path
from tabellion.library.sealing import seal_all

_LONG_WAIT = 600.0  # seconds for which leavings may be being cleared away
_TOGETHER = 500  # rows that are written at once


def copy_library(source: Library, place: str, files: str | None = None) -> int:
    """Copy a library to a place where there is none yet; returns how many documents it has."""
    with locked(source.folder.write_lock, shared=True, wait=_LONG_WAIT), Library(place, files, create=True) as target:
        with target.catalogue.reading() as there:
            others = [table for table in catalogue.sorted_tables if table is not facts]
            if any(there.execute(select(table).limit(1)).first() for table in others):
                raise LibraryError(f"{place}: there is a library already; name a place where there is none")
        with source.catalogue.reading() as connection:
            held = {table: connection.execute(select(table)).mappings().all() for table in catalogue.sorted_tables}
        rows = {table.name: [dict(row) for row in found] for table, found in held.items()}
        _copy_files(source, target, rows)
        bring_to_disk(target.folder.root)
        with target.catalogue.writing() as there:
            for table in catalogue.sorted_tables:
                if table is facts:
                    kept = [row for row in rows[table.name] if row["name"] not in ("schema", FILES)]
                    there.execute(delete(facts).where(facts.c.name.in_([row["name"] for row in kept])))
                else:
                    kept = rows[table.name]
                for first in range(0, len(kept), _TOGETHER):
                    there.execute(insert(table), kept[first : first + _TOGETHER])
            seal_all(there)
        return len(rows["documents"])


def _copy_files(source: Library, target: Library, rows: dict[str, list[dict[str, object]]]) -> None:
    hashes = {str(row["sha256"]) for name in ("documents", "history") for row in rows[name]}
    held = [segment_path(source.folder.segments, str(row["segment_id"])) for row in rows["segments"]]
    held += [beside for path in held if (beside := path.with_suffix(QUADS)).exists()]
    shown = [(str(row["segment_id"]), str(row["document_id"])) for row in rows["documents"]]
    held += [view for one in shown if (view := view_path(source.folder.segments, *one)).exists()]
    wanted = [(path, target.folder.segments / path.name) for path in held]
    kept = [path for sha256 in hashes if (path := find_original(source.folder.originals, sha256))]
    wanted += [(path, target.folder.originals / path.name[:2] / path.name) for path in kept]
    try:
        for path, aim in wanted:
            aim.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(aim) as part, path.open("rb") as there, part.open("wb") as here:
                shutil.copyfileobj(there, here)
        for room in ("weights", "mined", "annotations"):
            if (source.folder.root / room).is_dir():
                _copy_room(source.folder.root / room, target.folder.root / room)
    except OSError as error:
        raise LibraryError(f"{target.folder.root}: cannot be copied ({error.strerror or error})") from error


def _copy_room(room: Path, aim: Path) -> None:
    """Copy the files of a room, and of those in it, each with its hash as it is at one moment."""
    aim.mkdir(parents=True, exist_ok=True)
    with locked(room / "sums.lock", wait=_LONG_WAIT):
        for path in sorted(room.iterdir()):
            if path.is_dir():
                _copy_room(path, aim / path.name)
            elif path.suffix not in (".lock", PART):
                shutil.copyfile(path, aim / path.name)
