"""Checking a library, clearing away what nothing names, and making anew what can be made anew.

Whether a library is what its catalogue says: hashes, counts, and the index. In: a library. Out: what is wrong, a line
each. An index that is behind catches up first, and files that no row names are no fault: both are what a killed process
leaves, and neither is ever seen.

What killed processes leave behind: files that no row of the catalogue names. They are invisible and cleared away. In: a
library. Out: nothing is left that no one refers to. Only while nobody writes, since a file that is just being written
looks the same.

Making what can be made again: tuples and catalogue facts from the stored originals, the index from both. In: a library.
Out: the same documents, read by this tabellion. A document that this one cannot read keeps the reading that it has.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import tantivy
from sqlalchemy import Connection, delete, select

from tabellion.errors import LibraryError, TabellionError
from tabellion.library.adding import read_source
from tabellion.library.catalogue import Catalogue, corrections, documents, history, segments, tables
from tabellion.library.files import LEAVINGS, PART, Folder, file_hash, is_local, locked, unlike_sums, unsummed_files
from tabellion.library.graph import find_graph_damage
from tabellion.library.holdings import DocumentRecord, SegmentRecord
from tabellion.library.library import Library
from tabellion.library.originals import (
    ENDING,
    PACKED,
    REFERRED,
    is_whole,
    list_originals,
    load_original,
    name_segment,
    segment_path,
)
from tabellion.library.prepared import QUADS, VIEW, are_damaged, is_damaged, quads_documents, quads_path, view_path
from tabellion.library.reading import Reading, as_stored, read_for_library
from tabellion.library.records import list_documents, list_segments
from tabellion.library.salvage import find_damage
from tabellion.library.sealing import broken_rows
from tabellion.library.stored_tables import editions_of
from tabellion.model.correction import Correction, Undo
from tabellion.pipeline import Settings
from tabellion.read.sniff import sniff_format

_LONG_WAIT = 600.0  # seconds that one waits for another that clears leavings away or writes the graph
_MENDS = "`tabellion rebuild`"
_MOST_TOLD = 20  # originals without a document that are named each by itself
_LONGEST_RUN = 86_400.0  # seconds between a file in object storage and the transaction that names it


def sweep(folder: Folder, catalogue: Catalogue, *, always: bool = False, forget: bool = False) -> int:
    """Clear away what unfinished runs left, where there were any; returns how many files that were.

    An original that no row names goes only where an unfinished run wrote it, where its document was forgotten, or with
    `forget`: else it may be all that is left of a document whose row was lost.
    """
    if not always and not folder.unfinished.exists():
        return 0
    with locked(folder.write_lock) as alone:
        if not alone:
            return 0
        with catalogue.writing() as connection:
            connection.execute(delete(segments).where(segments.c.dead >= segments.c.rows))
            named = _named(connection)
        files = [path for path in _files(folder) if path.name not in named and _is_old(path)]
        files += [path for path in _spare_originals(folder, forget) if path.name not in named and _is_old(path)]
        for path in files:
            path.unlink(missing_ok=True)
        folder.unfinished.unlink(missing_ok=True)
    return len(files)


@contextmanager
def writing_mark(folder: Folder) -> Iterator[None]:
    """While files are written that the catalogue does not name yet. A process that is killed leaves the mark."""
    with locked(folder.write_lock, shared=True, wait=_LONG_WAIT):
        folder.unfinished.open("ab").close()  # one that is there keeps its time
        yield
    with locked(folder.write_lock) as alone:
        if alone and folder.unfinished.exists() and LEAVINGS not in folder.unfinished.read_bytes():
            folder.unfinished.unlink(missing_ok=True)


def _named(connection: Connection) -> set[str]:
    """The names of all files that the catalogue knows."""
    named = connection.execute(select(segments.c.segment_id)).scalars().all()
    found = {f"{segment_id}{ending}" for segment_id in named for ending in (ENDING, QUADS)}
    for segment_id, document_id in connection.execute(select(documents.c.segment_id, documents.c.document_id)):
        found.add(view_path(Path(), segment_id, document_id).name)
    for held in (documents, history):
        for sha256 in connection.execute(select(held.c.sha256).distinct()).scalars():
            found |= {f"{sha256}{ending}" for ending in ("", PACKED, REFERRED)}
    return found


def _is_old(path: Path) -> bool:
    """Whether no other machine can be about to name a file; a lock keeps only those apart that see one folder."""
    return is_local(path) or time.time() - path.stat().st_mtime > _LONGEST_RUN


def _files(folder: Folder) -> Iterator[Path]:
    yield from folder.segments.glob(f"*{ENDING}")
    yield from folder.segments.glob(f"*{QUADS}")
    yield from folder.segments.glob(f"*{VIEW}")
    yield from folder.root.rglob(f".*{PART}")


def _spare_originals(folder: Folder, forget: bool) -> list[Path]:
    """The originals that may go if no row names them."""
    marked = folder.unfinished.exists()
    begun = folder.unfinished.stat().st_mtime if marked else float("inf")
    named = set(folder.unfinished.read_text(encoding="utf-8", errors="replace").split()) if marked else set()
    held = list_originals(folder.originals)
    return [path for sha256, path in held if forget or sha256 in named or path.stat().st_mtime >= begun]


def tell_orphans(library: Library) -> list[str]:
    """The originals that no row names and no unfinished run left, with what can be done about them, a line each."""
    with library.catalogue.reading() as connection:
        named = _named(connection)
    spare = set(_spare_originals(library.folder, forget=False))
    held = list_originals(library.folder.originals)
    found = [(sha256, path) for sha256, path in held if path.name not in named and path not in spare]
    told = []
    for sha256, path in found[:_MOST_TOLD]:
        try:
            data = load_original(library.folder.originals, sha256)
            told.append(f"original {path} ({sniff_format(data)}, {len(data):,} bytes): no document names it")
        except TabellionError:
            told.append(f"original {path}: no document names it")
    if len(found) > _MOST_TOLD:
        told.append(f"{len(found) - _MOST_TOLD:,} more originals: no document names them")
    if found:
        told.append(
            "originals that no document names are kept: `tabellion restore` a backup, or `tabellion add` the documents "
            "again; `tabellion rebuild --forget` clears them away for good"
        )
    return told


def read_again(record: DocumentRecord, originals: Path, settings: Settings, log: Sequence[Correction] = ()) -> Reading:
    """Read a document once more from its original, with the corrections that were made of it."""
    settings = as_stored(settings, record.rendered)
    data, editions = load_original(originals, record.sha256), editions_of(originals, settings)
    return read_for_library(record.source, record.address, data, settings, log, editions)


def read_whole(record: DocumentRecord, originals: Path, settings: Settings, log: Sequence[Correction] = ()) -> Reading:
    """The same; from its source, where the original is damaged and the source is still there."""
    if is_whole(originals, record.sha256) or not ("://" in record.source or Path(record.source).exists()):
        return read_again(record, originals, settings, log)
    return read_source(record.source, originals, as_stored(settings, record.rendered), log)


def verify_library(library: Library) -> Iterator[str]:
    """What is wrong, where, and what to do about it, a line each; nothing where all is well."""
    if damage := "" if library.place and "://" in library.place else find_damage(library.folder.catalogue):
        yield f"catalogue {library.folder.catalogue}: {damage}; `tabellion rebuild`, or `tabellion restore` a backup"
    yield from _check_seals(library)
    try:
        library.index.catch_up(wait=True)
    except BaseException as error:  # whatever is wrong with what the index is made of is told below
        pass_on(error)
        yield f"index: cannot be brought up to date ({error}); `tabellion rebuild --index`"
    with library.catalogue.reading() as connection:
        documents = list_documents(connection)
        segments = list_segments(connection)
        old = connection.execute(select(history.c.sha256).distinct()).scalars().all()
        rows = connection.execute(select(tables.c.table_id, tables.c.document_id, tables.c.tuples)).all()
        counted: dict[str, dict[str, int]] = {}  # document -> table -> tuples
        for table_id, document_id, tuples in rows:
            counted.setdefault(document_id, {})[table_id] = int(tuples)
        try:
            index_at, now = library.index.applied(), library.catalogue.last_sequence(connection)
        except LibraryError:  # told by the seals
            index_at, now = -1, 0
    if library.outdated_weights:
        yield library.outdated_weights
    yield from _check_beside(library.folder)
    yield from _check_graph(library)
    yield from _check_corrections(library)
    yield from _check_originals(library, {document.sha256 for document in documents} | set(old))
    yield from _check_tables(documents, counted)
    by_segment: dict[str, list[DocumentRecord]] = {}
    for document in documents:
        if document.segment_id:
            by_segment.setdefault(document.segment_id, []).append(document)
    known = {segment.segment_id for segment in segments}
    for segment_id, held in by_segment.items():
        if segment_id not in known:
            yield f"document {held[0].source}: its segment {segment_id} is not in the catalogue; `tabellion rebuild`"
    for segment in segments:
        if are_damaged(library.folder.segments, segment.segment_id):
            yield f"facts for SPARQL of segment {segment.segment_id}: not as they were written; `tabellion rebuild`"
        for document in by_segment.get(segment.segment_id, []):
            view = view_path(library.folder.segments, segment.segment_id, document.document_id)
            if view.exists() and is_damaged(view):
                yield f"view of {document.source}: not as it was written; `tabellion rebuild`"
        yield from _check_segment(library, segment, by_segment.get(segment.segment_id, []), counted)
    if index_at == now:  # else another process writes just now: the index is of another state
        for name in library.index.damage():
            yield f"index, {name}: its bytes are not those that were written; `tabellion rebuild --index`"
        try:
            yield from _check_index(library, {table_id for held in counted.values() for table_id in held})
        except BaseException as error:
            pass_on(error)
            yield f"index: cannot be read ({error}); `tabellion rebuild --index`"


def _check_beside(folder: Folder) -> Iterator[str]:
    """What annotators said and what was mined: files that nothing else of the library is made of."""
    for name in unlike_sums(folder.mined):
        yield f"mined, {name}: not as it was written; `tabellion mine --library` again, or `tabellion restore` a backup"
    for name in unsummed_files(folder.mined):
        yield f"mined, {name}: no hash of it is noted; `tabellion mine --library` again, or take it away"
    for room in sorted(path for path in folder.annotations.glob("*") if path.is_dir()):
        for name in (*unlike_sums(room), *unsummed_files(room)):
            yield f"annotations of {room.name}, {name}: not as they were written; `tabellion restore` a backup"


def _check_seals(library: Library) -> Iterator[str]:
    with library.catalogue.reading() as connection:
        for table, key in broken_rows(connection):
            if key:
                yield f"catalogue, {table.name} {' '.join(map(str, key))}: changed since written; `tabellion rebuild`"
            else:
                yield f"catalogue, {table.name}: rows were lost, changed or put in; `tabellion rebuild`"


def _check_originals(library: Library, hashes: set[str]) -> Iterator[str]:
    for sha256 in sorted(hashes):
        try:
            load_original(library.folder.originals, sha256)
        except LibraryError as error:
            yield f"original {error}; add the document again, or `tabellion restore` a backup"


def _check_graph(library: Library) -> Iterator[str]:
    if not library.folder.graph.exists():
        return
    with locked(library.folder.graph_lock, shared=True, wait=_LONG_WAIT):  # who writes merges files
        damage = find_graph_damage(library)
    if damage:
        yield f"graph: {damage}; `tabellion rebuild --index`"


def _check_corrections(library: Library) -> Iterator[str]:
    """Every entry of the log must be readable, and an undoing must name an entry of its own document."""
    with library.catalogue.reading() as connection:
        entries = connection.execute(
            select(corrections.c.correction_id, corrections.c.document_id, corrections.c.body).order_by(
                corrections.c.sequence, corrections.c.place
            )
        ).all()
    known: set[tuple[str, str]] = set()
    for correction_id, document_id, body in entries:
        known.add((document_id, correction_id))
        try:
            said = msgspec.json.decode(body, type=Correction).operation
        except msgspec.DecodeError as error:
            yield f"correction {correction_id}: cannot be read ({error}); {_MENDS}"
            continue
        if isinstance(said, Undo) and (document_id, said.correction) not in known:
            yield f"correction {correction_id}: undoes {said.correction}, which is not there; restore a backup"


def _check_tables(documents: list[DocumentRecord], counted: dict[str, dict[str, int]]) -> Iterator[str]:
    known = {document.document_id for document in documents}
    for document in documents:
        held = counted.get(document.document_id, {})
        if len(held) != document.tables or sum(held.values()) != document.tuples:
            yield f"document {document.source}: the catalogue does not hold its {document.tables} tables; {_MENDS}"
    for document_id in sorted(set(counted) - known):
        yield f"tables of {document_id} are in the catalogue, which is no document; {_MENDS}"


def _check_segment(
    library: Library, segment: SegmentRecord, documents: list[DocumentRecord], counted: dict[str, dict[str, int]]
) -> Iterator[str]:
    path = segment_path(library.folder.segments, segment.segment_id)
    try:
        if file_hash(path) != segment.sha256:
            yield f"segment {path}: its bytes are not those that were written; `tabellion rebuild`"
            return
        with path.open("rb") as file:
            held = pq.read_table(file, columns=["table_id", "document_id"])
    except (OSError, pa.ArrowException) as error:
        yield f"segment {path}: cannot be read ({error}); `tabellion rebuild`"
        return
    if _has_other_facts(library.folder, segment, set(held["document_id"].unique().to_pylist())):
        yield f"facts for SPARQL of segment {segment.segment_id}: are those of another one; `tabellion rebuild`"
    if held.num_rows != segment.rows:
        yield f"segment {path}: {held.num_rows:,} rows, {segment.rows:,} in the catalogue; {_MENDS}"
    alive = {document.document_id for document in documents}
    counts = held.group_by("table_id").aggregate([("document_id", "count")]).to_pydict()
    inside = dict(zip(counts["table_id"], counts["document_id_count"], strict=True))
    visible = {table_id: count for table_id, count in inside.items() if table_id.rpartition("-")[0] in alive}
    if sum(visible.values()) != segment.rows - segment.dead:
        seen, wanted = sum(visible.values()), segment.rows - segment.dead
        yield f"segment {path}: {seen:,} visible rows instead of {wanted:,}; {_MENDS}"
    for document_id in alive:
        for table_id, tuples in counted.get(document_id, {}).items():
            if visible.get(table_id, 0) != tuples:
                yield f"table {table_id}: {visible.get(table_id, 0):,} tuples, {tuples:,} in the catalogue; {_MENDS}"


def _has_other_facts(folder: Folder, segment: SegmentRecord, inside: set[str]) -> bool:
    """Whether the facts beside a segment are of other documents, and not those by which it was called."""
    if not quads_documents(folder.segments, segment.segment_id) - inside:
        return False
    facts = quads_path(folder.segments, segment.segment_id).read_bytes()
    return name_segment(segment.sha256, [facts]) != segment.segment_id


def _check_index(library: Library, known: set[str]) -> Iterator[str]:
    searcher = library.index.open().searcher()
    result = searcher.search(tantivy.Query.all_query(), max(searcher.num_docs, 1))
    found = [searcher.doc(address)["table_id"][0] for _, address in result.hits]
    indexed = set(found)
    if len(found) != len(indexed):
        yield f"index: {len(found) - len(indexed):,} tables are in it more than once; `tabellion rebuild --index`"
    if missing := known - indexed:
        yield f"index: {len(missing):,} tables are missing, for example {min(missing)}; `tabellion rebuild --index`"
    if surplus := indexed - known:
        yield f"index: {len(surplus):,} tables are gone since, for example {min(surplus)}; `tabellion rebuild --index`"


def pass_on(error: BaseException) -> None:
    """Raise again what is no fault of a file; a panic of the index, which is none of Python's exceptions, is one."""
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error
