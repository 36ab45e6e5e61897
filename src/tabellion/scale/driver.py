"""The run: batches of documents go to the workers of a cluster, and what they read into the library as it comes.

In: places, a library and a cluster: `local`, `local:N`, the address of a Dask scheduler, or its file. Out: a
`RunReport`. The library has one writer, this process, and holds whole documents only; so a run that was stopped or
killed, whatever part of it, is taken up by calling it again: what the library has is passed over by the hash of its
bytes. So many batches are under way as keep the workers busy, no more: memory does not grow with the run. A batch whose
worker was lost is tried again document by document, each once.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from tabellion.errors import MissingExtraError, TabellionError, UsageError
from tabellion.library.reading import unpack_reading
from tabellion.pipeline import Settings
from tabellion.scale.sources import DocumentPlace, expand_places
from tabellion.scale.work import ReadDocument, WorkSettings, read_documents

if TYPE_CHECKING:
    from tabellion.library.kept import AddResult
    from tabellion.library.library import Library
    from tabellion.library.writing import ReadingWriter

BATCH_DOCUMENTS = 32
BATCH_BYTES = 16 * 2**20
_AHEAD = 3  # batches under way for each worker
_SLOWEST = 5
_LOOKED_UP = 512  # documents that the library is asked for together


class RunReport(msgspec.Struct):
    """What a run did: documents by what became of them, failures by kind, the slowest documents."""

    documents: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    slowest: list[tuple[float, str]] = []
    tables: int = 0
    values: int = 0
    size: int = 0
    seconds: float = 0.0

    def note(self, done: ReadDocument) -> None:
        """Count one document that came back."""
        self.size += done.size
        self.slowest = sorted([*self.slowest, (round(done.seconds, 2), done.source)], reverse=True)[:_SLOWEST]
        if done.kind:
            self.documents["error"] += 1
            self.failures[done.kind] += 1
        elif done.reading is None:
            self.documents["unchanged"] += 1

    def wrote(self, results: Sequence[AddResult]) -> None:
        """Count documents that are visible now."""
        for one in results:
            self.documents[one.status] += 1
            self.tables += one.tables
            self.values += one.tuples


Listener = Callable[[ReadDocument], object]


def run_sources(
    sources: Iterable[str],
    library: Library,
    cluster: str = "local",
    settings: Settings = Settings(),
    listen: Listener | None = None,
) -> RunReport:
    """Read all documents that the sources name into a library, on a cluster."""
    start = time.monotonic()
    report = RunReport()
    settings = library.settle(settings)
    with connected(cluster) as client, library.writing_documents(settings=settings) as writer:
        work = WorkSettings(str(library.folder.originals), settings)
        for done in _spread(client, _batches(_faults_told(sources, report, listen), library, work)):
            _take(done, writer, report, listen)
        report.wrote(writer.flush())
    report.seconds = time.monotonic() - start
    return report


def _take(done: ReadDocument, writer: ReadingWriter, report: RunReport, listen: Listener | None) -> None:
    report.note(done)
    if done.reading is not None:
        reading = unpack_reading(done.reading)
        report.kinds[reading.kind] += 1
        report.wrote(writer.write(reading))
    if listen:
        listen(done)


def _faults_told(sources: Iterable[str], report: RunReport, listen: Listener | None) -> Iterator[DocumentPlace]:
    """The places of all sources; a source that cannot be listed is told of, and the others go on."""
    seen: set[str] = set()
    for source in sources:
        try:
            for place in expand_places([source]):
                if place.source not in seen:
                    seen.add(place.source)
                    yield place
        except TabellionError as error:
            if isinstance(error, MissingExtraError | UsageError):
                raise
            fault = ReadDocument(source, None, error.kind, str(error))
            report.note(fault)
            if listen:
                listen(fault)


Batch = tuple[list[DocumentPlace], WorkSettings]


def _batches(places: Iterable[DocumentPlace], library: Library, work: WorkSettings) -> Iterator[Batch]:
    """Documents that are read together: so many, or so many bytes; each batch knows what is there of its own."""
    batch: list[DocumentPlace] = []
    size = 0
    for place in places:
        if batch and (len(batch) >= BATCH_DOCUMENTS or size + place.size > BATCH_BYTES):
            yield _ready(batch, library, work)
            batch, size = [], 0
        batch.append(place)
        size += place.size
    if batch:
        yield _ready(batch, library, work)


def _ready(batch: list[DocumentPlace], library: Library, work: WorkSettings) -> Batch:
    known = {source: one.sha256 for source, one in library.known([place.source for place in batch]).items()}
    return batch, msgspec.structs.replace(work, known=known)


def _spread(client: Any, batches: Iterator[Batch]) -> Iterator[ReadDocument]:
    """What the workers of a cluster make of the batches, as it comes."""
    distributed = _load_distributed()
    under_way: dict[str, Batch] = {}
    coming = distributed.as_completed(with_results=False, raise_errors=False)
    again: deque[Batch] = deque()
    number = 0
    while True:
        most = _AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        while len(under_way) < most and (batch := again.popleft() if again else next(batches, None)):
            number += 1
            future = client.submit(read_documents, *batch, key=f"read-{number}", pure=False)
            under_way[future.key] = batch
            coming.add(future)
        if not under_way:
            return
        future = next(coming)
        places, work = under_way.pop(future.key)
        if future.status == "finished":
            yield from future.result()
        elif len(places) > 1:
            again.extend(([place], work) for place in places)
        else:
            note = f"{places[0].source}: the worker that read it was lost ({future.exception()!r})"
            yield ReadDocument(places[0].source, None, "crash", " ".join(note.split()))
        future.release()


@contextmanager
def connected(cluster: str) -> Iterator[Any]:
    """A client of a cluster: one of this machine that is started for it, or one that runs."""
    distributed = _load_distributed()
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.worker.daemon": False}):
        name, _, count = cluster.partition(":")
        if name == "local":
            if count and not count.isdigit():
                raise UsageError(f"--cluster {cluster}: after local: comes a number of workers")
            made = distributed.LocalCluster(
                n_workers=int(count) if count else None, threads_per_worker=1, dashboard_address=":0", memory_limit=0
            )
            with made, distributed.Client(made) as client:
                yield client
        elif cluster.endswith(".json"):
            with distributed.Client(scheduler_file=cluster) as client:
                yield client
        elif "://" in cluster:
            with distributed.Client(cluster) as client:
                yield client
        else:
            raise UsageError(f"--cluster {cluster}: local, local:N, an address such as tcp://host:8786, or a file")


def _load_distributed() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise MissingExtraError("runs on a cluster need Dask: pip install 'tabellion[scale]'") from error
    return distributed
