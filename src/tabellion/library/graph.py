"""The library as RDF, to be asked in SPARQL: a store on the disk that follows the catalogue.

In: a library. Out: its store, or the answer to a query. Each table is a named graph, and all of them together are the
default one. The store is derived: what the catalogue has and the store has not is added, from the facts that were
written when it was read, what is gone is taken out. Queries only read, and reach nothing outside. Needs the extra
`sparql`.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from sqlalchemy import select

from tabellion.errors import LibraryError, MissingExtraError, QueryError
from tabellion.library.catalogue import documents
from tabellion.library.files import SUMS, file_hash, locked, read_sums, take_away, unlike_sums, write_sums
from tabellion.library.library import Library
from tabellion.library.prepared import Quads, describe_quads, read_quads
from tabellion.library.records import documents_by_id
from tabellion.library.stored_tables import extract_stored
from tabellion.rdf import expand_name
from tabellion.rdf.facts import PREFIXES

if TYPE_CHECKING:
    import pyoxigraph

ResultForm = Literal["json", "csv", "tsv", "xml", "turtle", "nquads"]
_PATIENCE = 600.0  # seconds to wait for another process that brings the store up to date
_HELD = expand_name("tab:holds")  # document -> what the store holds of it, in the graph of that name
_OUTSIDE = re.compile(
    r"""\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)
    |<[^<>\s]*>|\#[^\n]*|\b(?P<service>service)\b""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
Told = Callable[[str], None]
_FILE = ".sst"  # the files that hold the facts
_TOGETHER = 4 * 2**20  # bytes of packed facts that are loaded at once, some hundred megabytes unpacked


@contextmanager
def open_graph(library: Library, tell: Told = lambda _: None) -> Iterator[pyoxigraph.Store]:
    """The library's graph to read, brought up to date; nobody writes to it until it is given back."""
    bring_up_to_date(library, tell)
    with locked(library.folder.graph_lock, shared=True, wait=_PATIENCE):
        yield _opened(library.folder.graph)


def bring_up_to_date(library: Library, tell: Told = lambda _: None) -> None:
    """Let the graph hold just what the catalogue has; `tell` hears of each document that is added."""
    if find_spec("pyoxigraph") is None:
        raise MissingExtraError("SPARQL needs pyoxigraph: pip install 'tabellion[sparql]'")
    if _is_current(library):
        return
    place = library.folder.graph
    with locked(library.folder.graph_lock, wait=_PATIENCE) as mine:
        if not mine:
            raise LibraryError(f"{place}: another process is still bringing it up to date")
        if find_graph_damage(library):
            take_away(place)
        _write_graph(library, tell)


def _opened(graph: Path) -> pyoxigraph.Store:
    import pyoxigraph

    try:
        return pyoxigraph.Store.read_only(str(graph))
    except (OSError, RuntimeError) as error:
        raise _unreadable(error) from None


def _unreadable(error: Exception) -> LibraryError:
    said = " ".join(str(error).split())
    return LibraryError(f"the graph cannot be read ({said}); `tabellion rebuild --index` makes it anew")


def _is_current(library: Library) -> bool:
    """Whether the graph is there, can be read, and is that of the catalogue."""
    import pyoxigraph

    try:
        return library.folder.graph.exists() and _held(
            pyoxigraph.Store.read_only(str(library.folder.graph))
        ) == _wanted(library)
    except (OSError, RuntimeError):  # damaged: it is made anew
        return False


def _write_graph(library: Library, tell: Told) -> None:
    """Bring the graph up to date, and note the hashes of its files, which never change once they are written."""
    import pyoxigraph

    if not library.folder.graph.exists():
        library.folder.graph.mkdir()
        write_sums(library.folder.graph, [])  # from now on they are missed
    store = pyoxigraph.Store(str(library.folder.graph))
    catch_up(library, store, tell)
    store.flush()
    del store  # only one process may hold it open to write; now all its files are written
    known = {name: digest for digest, name in read_sums(library.folder.graph)}
    files = sorted(library.folder.graph.glob(f"*{_FILE}"))
    write_sums(library.folder.graph, [(known.get(path.name) or file_hash(path), path.name) for path in files])


def find_graph_damage(library: Library) -> str:
    """What is wrong with the graph; empty where nothing is, or there is none."""
    graph = library.folder.graph
    if not graph.exists() or find_spec("pyoxigraph") is None:
        return ""
    import pyoxigraph

    changed = [name for name in unlike_sums(graph) if (graph / name).exists() or not name.endswith(_FILE)]
    if changed:  # one that is gone was merged with others
        return f"{changed[0]} is not as it was written"
    if graph.is_dir() and not (graph / SUMS).exists():
        return f"{SUMS} is missing"
    known = {name for _, name in read_sums(graph)}
    try:
        store = pyoxigraph.Store.read_only(str(graph))
        if any(path.name not in known for path in graph.glob(f"*{_FILE}")):  # of a process that was killed
            for _ in store:
                pass
    except (OSError, RuntimeError) as error:
        return " ".join(str(error).split())
    return ""


def follow_library(library: Library) -> None:
    """Bring a graph that was asked for once up to date after documents were added, unless another process is at it."""
    if not library.folder.graph.exists() or find_spec("pyoxigraph") is None:
        return
    with locked(library.folder.graph_lock) as mine:
        if mine:
            try:
                _write_graph(library, lambda _: None)
            except (OSError, RuntimeError):  # damaged: it is made anew when it is next asked
                take_away(library.folder.graph)


def catch_up(library: Library, store: pyoxigraph.Store, tell: Told) -> None:
    """Let a store hold just what the catalogue has."""
    wanted, held = _wanted(library), _held(store)
    for document_id in sorted(set(held) - {one for one, mark in wanted.items() if held.get(one) == mark}):
        _drop(store, document_id)
    missing = sorted(one for one, mark in wanted.items() if held.get(one) != mark)
    if not missing:
        return
    with library.catalogue.reading() as connection:
        records = documents_by_id(connection, missing)
    for document_id in missing:
        _drop(store, document_id)  # what a killed process began
    by_segment = dict.fromkeys(one.segment_id for one in records.values() if one.segment_id)
    loader = _Loader(store, wanted)
    for document_id, quads in read_quads(library.folder.segments, by_segment, list(records)):
        loader.add(document_id, quads)
    for document_id in sorted(set(records) - loader.seen):
        tell(records[document_id].source)
        loader.add(document_id, describe_quads(extract_stored(library, records[document_id])))
    loader.flush()


def answer_query(store: pyoxigraph.Store, query: str, file: BinaryIO, form: ResultForm, seconds: float = 60.0) -> None:
    """Write the answer to a query that reads; rows as JSON, CSV, TSV or XML, graphs as Turtle or N-Quads."""
    import pyoxigraph

    check_query(query)
    prefixes = {**PREFIXES, "": expand_name(":")}
    until = time.monotonic() + seconds
    try:
        found = store.query(query, use_default_graph_as_union=True, prefixes=prefixes)
        if isinstance(found, pyoxigraph.QueryTriples):
            kind = pyoxigraph.RdfFormat.N_QUADS if form == "nquads" else pyoxigraph.RdfFormat.TURTLE
            pyoxigraph.serialize(_in_time(found, until), file, format=kind)
            return
        forms = pyoxigraph.QueryResultsFormat
        kinds = {"csv": forms.CSV, "tsv": forms.TSV, "xml": forms.XML}
        found.serialize(file, format=kinds.get(form, forms.JSON))
    except (SyntaxError, ValueError) as error:
        raise QueryError(" ".join(str(error).split())) from None
    except RuntimeError as error:  # a file of it is damaged
        raise _unreadable(error) from None


def answer_meanwhile(graph: Path, lock: Path, query: str, form: ResultForm, seconds: float = 60.0) -> bytes:
    """The answer to a query, while others may write.

    Who writes merges files that are just being read: then it is asked again, and at last while nobody writes.
    """
    for more in (True, True, False):
        file = io.BytesIO()
        try:
            with nullcontext() if more else locked(lock, shared=True, wait=seconds):
                answer_query(_opened(graph), query, file, form, seconds)
            return file.getvalue()
        except LibraryError:
            if not more:
                raise
    raise AssertionError


def check_query(query: str) -> None:
    """Refuse a query that would ask another server, however it spells that."""
    query = _ESCAPED.sub(lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)), query)
    for match in _OUTSIDE.finditer(query):
        open_string = match.end() == len(query) and match[0][:1] in (
            "'",
            '"',
        )  # a quote that nothing closes hides nothing
        if not match["service"] and not (open_string and "service" in match[0].casefold()):
            continue
        raise QueryError("a query stays within the library: SERVICE is not allowed")


def _in_time(found: Iterator[pyoxigraph.Triple], until: float) -> Iterator[pyoxigraph.Triple]:
    for triple in found:
        if time.monotonic() > until:
            raise QueryError("the query took longer than its limit; raise it with --seconds")
        yield triple


def _wanted(library: Library) -> dict[str, str]:
    """Document -> what it was read from and when it last changed."""
    c = documents.c
    with library.catalogue.reading() as connection:
        rows = connection.execute(select(c.document_id, c.sha256, c.sequence)).all()
    return {document_id: f"{sha256}-{sequence}" for document_id, sha256, sequence in rows}


def _held(store: pyoxigraph.Store) -> dict[str, str]:
    from pyoxigraph import NamedNode

    quads = store.quads_for_pattern(None, NamedNode(_HELD), None, NamedNode(_HELD))
    return {_local(quad.subject): quad.object.value for quad in quads}  # type: ignore[union-attr,arg-type]


class _Loader:
    """Adds the facts of documents some at a time: the names of their graphs, the facts, and last that they are held."""

    def __init__(self, store: pyoxigraph.Store, editions: Mapping[str, str]) -> None:
        self.store, self.editions = store, editions
        self.seen: set[str] = set()
        self._waiting: dict[str, Quads] = {}
        self._size = 0

    def add(self, document_id: str, quads: Quads) -> None:
        self.seen.add(document_id)
        self._waiting[document_id] = quads
        self._size += len(quads.packed)
        if self._size > _TOGETHER:
            self.flush()

    def flush(self) -> None:
        from pyoxigraph import Literal, NamedNode, Quad, RdfFormat

        place, waiting = NamedNode(_HELD), self._waiting
        self.store.extend(
            Quad(_document_node(one), NamedNode(_HELD + "Graph"), NamedNode(graph), place)
            for one, quads in waiting.items()
            for graph in quads.graphs
        )
        if waiting:
            facts = b"".join(quads.unpack() for quads in waiting.values())
            # they are our own, so their addresses need no check, which would take a third of the time
            self.store.bulk_load(facts, format=RdfFormat.N_QUADS, lenient=True)
        marks = ((_document_node(one), Literal(self.editions[one])) for one in waiting)
        self.store.extend(Quad(named, place, mark, place) for named, mark in marks)
        self._waiting, self._size = {}, 0


def _drop(store: pyoxigraph.Store, document_id: str) -> None:
    """Take out the graphs of a document, but those that another document of the same bytes has too."""
    from pyoxigraph import NamedNode

    place, kind, named = NamedNode(_HELD), NamedNode(_HELD + "Graph"), _document_node(document_id)
    for quad in list(store.quads_for_pattern(named, None, None, place)):
        store.remove(quad)
        alone = quad.predicate == kind and not any(store.quads_for_pattern(None, kind, quad.object, place))
        if alone and isinstance(quad.object, NamedNode):
            store.remove_graph(quad.object)


def _document_node(document_id: str) -> pyoxigraph.NamedNode:
    from pyoxigraph import NamedNode

    return NamedNode(expand_name(f"tab:library-{document_id}"))


def _local(node: pyoxigraph.NamedNode) -> str:
    return node.value.rpartition("-")[2]
