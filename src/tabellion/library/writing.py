"""Writing readings: some at a time, first their segment, then one transaction that makes them visible together.

In: readings. Out: what became of each. Whatever ends the process, the catalogue holds whole documents only, and what
it holds is on the disk: originals and segments are brought there before the transaction that names them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from tabellion.errors import LibraryError
from tabellion.export.arrow import clean_text
from tabellion.library.catalogue import Catalogue, documents, history, segments, tables
from tabellion.library.files import Folder, bring_files_to_disk, bring_to_disk, is_local, mark_unfinished
from tabellion.library.holdings import AddResult, DocumentRecord, Status, in_parts, pack_details
from tabellion.library.naming import name_tables
from tabellion.library.originals import Segment, load_original, segment_path, write_segment
from tabellion.library.prepared import drop_views, pack_quads, quads_path, write_quads, write_views
from tabellion.library.reading import Reading, TableReading, arrow_table, as_stored, read_for_library
from tabellion.library.records import append_log, count_logs, documents_by_id, read_logs
from tabellion.library.stored_tables import editions_of
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings

READINGS_TOGETHER = 256  # documents that become visible together; one segment of some hundred kilobytes
TUPLES_TOGETHER = 500_000  # about 100 MB of Arrow
SECONDS_TOGETHER = 2.0  # what a killed process loses at most


class UnwrittenError(LibraryError):
    """Some documents could not be written; carries their sources."""

    def __init__(self, note: str, sources: Sequence[str]) -> None:
        super().__init__(note)
        self.sources = tuple(sources)


class LogGrown(Exception):  # noqa: N818 - no error: the caller reads again
    """The logs of some documents have grown since they were read; carries their ids."""

    def __init__(self, document_ids: Sequence[str]) -> None:
        super().__init__(document_ids)
        self.document_ids = tuple(document_ids)


class ReadingWriter:
    """Collects readings and makes them visible some at a time."""

    def __init__(
        self, folder: Folder, catalogue: Catalogue, *, again: bool = False, settings: Settings = Settings()
    ) -> None:
        self.folder, self.catalogue, self.again, self.settings = folder, catalogue, again, settings
        self.failed = False
        self._waiting: dict[str, Reading] = {}
        self._tuples, self._since = 0, 0.0

    def write(self, reading: Reading) -> list[AddResult]:
        """Take one reading; returns what became of those that are visible now."""
        done = self.flush() if reading.document_id in self._waiting else []
        if not self._waiting:
            self._tuples, self._since = 0, time.monotonic()
        self._waiting[reading.document_id] = reading
        self._tuples += sum(table.tuples for table in reading.tables)
        full = len(self._waiting) >= READINGS_TOGETHER or self._tuples >= TUPLES_TOGETHER
        if full or time.monotonic() - self._since >= SECONDS_TOGETHER:
            done += self.flush()
        return done

    def flush(self) -> list[AddResult]:
        """Make all that wait visible; what was repaired while it was read is read once more.

        `UnwrittenError` where none of them could be written: it says which those are.
        """
        readings, self._waiting = list(self._waiting.values()), {}
        while readings:
            try:
                return write_readings(self.folder, self.catalogue, readings, again=self.again)
            except LogGrown as grown:
                readings = [self._read_again(one) if one.document_id in grown.document_ids else one for one in readings]
            except LibraryError as error:
                self.failed = True
                raise UnwrittenError(str(error), [one.source for one in readings]) from error
        return []

    def _read_again(self, reading: Reading) -> Reading:
        with self.catalogue.reading() as connection:
            log = read_logs(connection, [reading.document_id]).get(reading.document_id, [])
        data = load_original(self.folder.originals, reading.sha256)
        settings = as_stored(self.settings, reading.rendered)
        editions = editions_of(self.folder.originals, settings)
        return read_for_library(reading.source, reading.address, data, settings, log, editions)


def write_readings(
    folder: Folder,
    catalogue: Catalogue,
    readings: Sequence[Reading],
    *,
    again: bool = False,
    said: Mapping[str, Sequence[Correction]] | None = None,
) -> list[AddResult]:
    """Make some readings visible in one transaction; `again` replaces even those whose bytes are the same.

    `said` are new corrections by document, which the readings hold already. `LogGrown` if a log holds others as well.
    """
    said = said or {}
    try:
        segment, written = store_tuples(folder.segments, readings)
        if not is_local(folder.segments):
            pass  # what object storage takes is kept
        elif said:  # a stroke: its original has been on the disk for long
            bring_files_to_disk(written)
        else:
            bring_to_disk(folder.root)
        results, named = show_readings(catalogue, segment, readings, again=again, said=said)
    except OSError as error:
        raise LibraryError(f"{folder.root}: cannot be written ({error.strerror or error})") from error
    except BaseException:
        mark_unfinished(folder)
        raise
    if segment and not (named and all(outcome.status != "unchanged" for outcome in results)):
        mark_unfinished(folder)
    if segment and is_local(folder.segments):  # elsewhere they are cleared away with all that nothing names
        for reading, outcome in zip(readings, results, strict=True):
            if outcome.status != "unchanged":
                drop_views(folder.segments, reading.document_id, segment.segment_id)
    return results


def store_tuples(segments: Path, readings: Sequence[Reading]) -> tuple[Segment | None, list[Path]]:
    """Write the tuples of some readings as one segment, with what lies beside it; None where there are none.

    All of it is called by its bytes: whoever writes the same readings again, writes the same files. Out: what the
    catalogue must know, and the files.
    """
    parts = [arrow_table(reading.tuples) for reading in readings if reading.tuples]
    parts = [part for part in parts if part.num_rows]
    if not parts:
        return None, []
    quads = pack_quads({one.document_id: one.quads for one in readings if one.quads})
    views = {one.document_id: one.view for one in readings if one.view}
    segment = write_segment(segments, parts, (quads, *views.values()))
    beside = [quads_path(segments, segment.segment_id)] if write_quads(segments, segment.segment_id, quads) else []
    beside += write_views(segments, segment.segment_id, views)
    return segment, [segment_path(segments, segment.segment_id), *beside]


def show_readings(
    catalogue: Catalogue,
    segment: Segment | None,
    readings: Sequence[Reading],
    *,
    again: bool = False,
    said: Mapping[str, Sequence[Correction]] | None = None,
    note: Callable[[Connection, list[AddResult]], object] = lambda *_: None,
) -> tuple[list[AddResult], bool]:
    """Make readings visible whose tuples lie in a segment; what became of each, and whether the segment is named.

    `note` writes what else belongs to the same transaction.
    """
    said = said or {}
    with catalogue.writing() as connection:
        _check_logs(connection, readings, said)
        change = _Change(connection, catalogue, segment)
        results = change.apply(readings, again=again)
        for reading, outcome in zip(readings, results, strict=True):
            if outcome.status != "unchanged":
                append_log(connection, reading.document_id, said.get(reading.document_id, ()), change.sequence)
        named = change.close()
        note(connection, results)
    return results, named


def _check_logs(connection: Connection, readings: Sequence[Reading], said: Mapping[str, Sequence[Correction]]) -> None:
    """Every reading must be with all corrections that were made of its document."""
    counted = count_logs(connection, [reading.document_id for reading in readings])
    grown = [
        reading.document_id
        for reading in readings
        if counted.get(reading.document_id, 0) + len(said.get(reading.document_id, ())) != reading.corrections
    ]
    if grown:
        raise LogGrown(grown)


class _Change:
    """One transaction that adds and replaces documents."""

    def __init__(self, connection: Connection, catalogue: Catalogue, segment: Segment | None) -> None:
        self.connection, self.catalogue, self.segment = connection, catalogue, segment
        self.now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.sequence = 0
        self.used = 0  # rows of the segment that are visible

    def apply(self, readings: Sequence[Reading], *, again: bool) -> list[AddResult]:
        before = documents_by_id(self.connection, [reading.document_id for reading in readings])
        fresh = [reading for reading in readings if _is_fresh(reading, before.get(reading.document_id), again=again)]
        if fresh:
            self.sequence = self.catalogue.next_sequence(self.connection)
        names = self._free_names(fresh, before)
        for reading in fresh:
            if old := before.get(reading.document_id):
                if not again:
                    note_end(self.connection, old, "replaced", self.now, self.sequence)
                drop_document(self.connection, old)
        if fresh:
            rows = [self._document(one, self._version(one, before.get(one.document_id), again=again)) for one in fresh]
            if again:  # the same reading of the same bytes, made anew: it was added when it was added
                rows = [{**row, "added": before[str(row["document_id"])].added} for row in rows]
            self.connection.execute(insert(documents), rows)
            if held := [row for one in fresh for row in self._tables(one, names)]:
                self.connection.execute(insert(tables), held)
        written = {reading.document_id for reading in fresh}
        return [self._outcome(reading, before, reading.document_id in written) for reading in readings]

    def close(self) -> bool:
        """Name the segment, where any of its rows is visible; whether it is named now.

        One that is named already has the same bytes, and rows of it that were dead are visible again.
        """
        if self.segment is None:
            return False
        mine = segments.c.segment_id == self.segment.segment_id
        known = self.connection.execute(select(segments.c.rows).where(mine)).first()
        if known:
            if self.used:
                self.connection.execute(update(segments).where(mine).values(dead=segments.c.dead - self.used))
        elif self.used:
            held = msgspec.structs.asdict(self.segment)
            dead = self.segment.rows - self.used
            self.connection.execute(insert(segments).values(**held, sequence=self.sequence, dead=dead))
        return bool(known or self.used)

    def _outcome(self, reading: Reading, before: dict[str, DocumentRecord], fresh: bool) -> AddResult:
        status: Status = "unchanged" if not fresh else "replaced" if reading.document_id in before else "added"
        return AddResult(reading.source, status, len(reading.tables), sum(table.tuples for table in reading.tables))

    def _version(self, reading: Reading, old: DocumentRecord | None, *, again: bool) -> int:
        if old:
            return old.version if again else old.version + 1
        mine = history.c.document_id == reading.document_id
        last = self.connection.execute(select(history.c.version).where(mine).order_by(history.c.version.desc())).first()
        return int(last[0]) + 1 if last else 1

    def _document(self, reading: Reading, version: int) -> dict[str, object]:
        tuples = sum(table.tuples for table in reading.tables)
        self.used += tuples
        return {
            "document_id": reading.document_id,
            "address": clean_text(reading.address),
            "source": clean_text(reading.source),
            "medium": reading.medium,
            "kind": reading.kind,
            "sha256": reading.sha256,
            "bytes": reading.size,
            "title": _text(reading.title),
            "authors": json.dumps([clean_text(author) for author in reading.authors], ensure_ascii=False),
            "language": reading.language,
            "added": self.now,
            "version": version,
            "sequence": self.sequence,
            "segment_id": self.segment.segment_id if self.segment and tuples else None,
            "tables": len(reading.tables),
            "tuples": tuples,
            "issues": json.dumps([clean_text(issue) for issue in reading.issues], ensure_ascii=False),
            "rendered": reading.rendered,
            "others": json.dumps(reading.others, sort_keys=True) if reading.others else None,
        }

    def _tables(self, reading: Reading, names: dict[str, str]) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for number, table in enumerate(reading.tables, 1):
            place = table.details.place
            found.append(
                {
                    "table_id": _table_id(reading, table),
                    "document_id": reading.document_id,
                    "number": number,
                    "name": names[_table_id(reading, table)],
                    "sheet": _text(place.sheet),
                    "page": place.page,
                    "title": _text(table.title),
                    "caption": _text(table.caption),
                    "orientation": table.orientation,
                    "rows": table.rows,
                    "columns": table.columns,
                    "genuine": table.genuine,
                    "confidence": table.confidence,
                    "kind": table.kind,
                    "tuples": table.tuples,
                    "details": pack_details(table.details),
                }
            )
        return found

    def _free_names(self, readings: Sequence[Reading], before: dict[str, DocumentRecord]) -> dict[str, str]:
        """A name for each table: the plain one where it is free, else with a part of the document's id."""
        plain: dict[str, str] = {}
        for reading in readings:
            places = [(table.details.place.sheet, table.details.place.page) for table in reading.tables]
            named = name_tables(reading.source, places)
            plain.update(zip((_table_id(reading, table) for table in reading.tables), named, strict=True))
        longer = {table_id: f"{name}_{table_id[:6]}" for table_id, name in plain.items()}
        owner: dict[str, str] = {}
        for some in in_parts({*plain.values(), *longer.values()}):
            wanted = select(tables.c.name, tables.c.table_id).where(tables.c.name.in_(some))
            owner.update((name, table_id) for name, table_id in self.connection.execute(wanted))
        mine = {reading.document_id for reading in readings}
        in_use = {name for name, table_id in owner.items() if table_id.rpartition("-")[0] not in mine}
        same = {table_id: name for name, table_id in owner.items() if table_id in plain}
        in_use |= set(same.values())
        found: dict[str, str] = {}
        for table_id, name in plain.items():
            choices = (same.get(table_id, ""), name, longer[table_id], f"{name}_{table_id.replace('-', '_')}")
            found[table_id] = next(one for one in choices if one and (one not in in_use or same.get(table_id) == one))
            in_use.add(found[table_id])
        return found


def note_end(connection: Connection, old: DocumentRecord, how: str, now: str, sequence: int) -> None:
    """Keep in the history that a document was there, and how it ended."""
    noted = ("document_id", "version", "address", "source", "sha256", "added", "tables", "tuples")
    values = {name: getattr(old, name) for name in noted}
    connection.execute(insert(history).values(**values, ended=now, how=how, sequence=sequence))


def drop_document(connection: Connection, old: DocumentRecord) -> None:
    """Take a document out of sight; the rows of its segment are dead."""
    connection.execute(delete(tables).where(tables.c.document_id == old.document_id))
    connection.execute(delete(documents).where(documents.c.document_id == old.document_id))
    if old.segment_id:
        mine = segments.c.segment_id == old.segment_id
        connection.execute(update(segments).where(mine).values(dead=segments.c.dead + old.tuples))


def _is_fresh(reading: Reading, old: DocumentRecord | None, *, again: bool) -> bool:
    """Whether a reading changes anything; one that is made anew must be of a document that is still there."""
    if again:
        return old is not None and old.sha256 == reading.sha256
    return old is None or old.sha256 != reading.sha256 or old.rendered != reading.rendered


def _table_id(reading: Reading, table: TableReading) -> str:
    return f"{reading.document_id}-{table.id}"


def _text(text: str | None) -> str | None:
    return None if text is None else clean_text(text)
