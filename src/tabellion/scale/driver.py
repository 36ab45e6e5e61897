"""The run: batches of documents go to the workers of a cluster, and what they read becomes visible batch by batch.

In: places, a library and a cluster: `local`, `local:N`, the address of a Dask scheduler, or its file. Out: a
`RunReport`. Workers write originals and tuples; this process alone writes the catalogue, the batches in the order of
their sources, so that a run ends the same however its workers were. What ends it, whatever part of it, it is taken up
by calling it again (`manifest`). Only so many batches are under way as keep the workers busy: memory does not grow with
the run. What the search index says of the tables is described by the workers too, once all is visible. A batch whose
worker was lost is tried again document by document, each once; a lost connection to the database is made again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from tabellion import __version__
from tabellion.errors import LibraryError, MissingExtraError, TabellionError, UsageError
from tabellion.library.writing import LogGrown
from tabellion.pipeline import Settings
from tabellion.scale.manifest import Manifest, RunReport, name_batch, name_run
from tabellion.scale.named import pass_over_repeats
from tabellion.scale.places import LIST, DocumentPlace, SourceFile, archives_in, list_files, places_in, read_list
from tabellion.scale.work import Batch, Originals, ReadDocument, WorkSettings, read_batch

if TYPE_CHECKING:
    from tabellion.library.library import Library

Made = TypeVar("Made")
BATCH_DOCUMENTS = 32  # web pages; of what costs more there are fewer
BATCH_BYTES = 16 * 2**20
_AHEAD, _LEAST_AHEAD = 8, 16  # batches under way for each worker: one that takes minutes does not stop the others
_PATIENCE = 60.0  # seconds for which a database that does not answer is asked again
_PAUSE = 0.5
_ASKED_AGAIN = 1.0  # seconds after which a cluster is asked again how many workers it has
_COSTS = {".pdf": 8, ".xlsx": 2, ".xlsm": 2, ".xlsb": 2, ".xls": 2, ".ods": 2}
Listener = Callable[[ReadDocument, RunReport], object]


class ClusterLostError(TabellionError):
    """The scheduler of a cluster is gone."""

    kind = "cluster"


class Planned(NamedTuple):
    """Documents that are read together, and what they are known by."""

    batch_id: str
    places: list[DocumentPlace]


class UnderWay(NamedTuple):
    """A batch that workers are at, or that an earlier call had done."""

    planned: Planned
    work: WorkSettings | None
    future: Any
    report: RunReport | None


def run_sources(
    sources: Iterable[str],
    library: Library,
    cluster: str = "local",
    settings: Settings = Settings(),
    listen: Listener | None = None,
    originals: Originals = "keep",
    tell: Callable[[str], object] = lambda _: None,
    archives: str | None = None,
) -> RunReport:
    """Read all documents that the sources name into a library, on a cluster; `tell` hears where it can be watched.

    `archives` is where the archives lie that a list or an index names without an address.
    """
    start = time.monotonic()
    sources = list(sources)
    settings = library.settle(settings)
    work = prepare_work(library, (), settings, originals)
    run_id = name_run(sources, (settings, originals, archives, __version__))
    run = _Run(library, work, Manifest(library.catalogue, run_id), listen)
    with connected(cluster) as client, library.writing_documents(settings=settings):
        tell(str(client.dashboard_link))
        run.read(client, plan_batches(run.list_places(sources, archives)))
        _patiently(run.manifest.end)
        _patiently(lambda: library.index.catch_up(wait=True, spread=partial(_spread, client)))
    run.report.seconds = time.monotonic() - start
    return run.report


def prepare_work(
    library: Library, places: Iterable[DocumentPlace], settings: Settings = Settings(), originals: Originals = "keep"
) -> WorkSettings:
    """How some documents are read for a library: with what it has of them, and what was corrected in them."""
    rooms = [str(room.absolute()) for room in (library.folder.originals, library.folder.segments)]
    names = [place.source for place in places if not place.unfit]
    known, logs = (library.known(names), library.corrections(names)) if names else ({}, {})
    return WorkSettings(rooms[0], rooms[1], library.settle(settings), originals, known, logs)


def plan_batches(places: Iterable[DocumentPlace]) -> Iterator[Planned]:
    """Documents that are read together: so many by what their kind costs, or so many bytes.

    The same places give the same batches. What is named again is in none, or passed over (`named`).
    """
    batch: list[DocumentPlace] = []
    size = cost = 0
    for place in pass_over_repeats(places):
        own = cost_of(place)
        if batch and (cost + own > BATCH_DOCUMENTS or size + place.size > BATCH_BYTES):
            yield Planned(name_batch(batch), batch)
            batch, size, cost = [], 0, 0
        batch.append(place)
        size, cost = size + place.size, cost + own
    if batch:
        yield Planned(name_batch(batch), batch)


def cost_of(place: DocumentPlace) -> int:
    """About how many web pages take as long as a document, told by its ending.

    >>> cost_of(DocumentPlace("https://a.example/report.pdf?page=2", "a")), cost_of(DocumentPlace("b.html", "b"))
    (8, 1)
    """
    path = place.source.partition("#")[0].partition("?")[0]
    return 0 if place.unfit else _COSTS.get(PurePosixPath(path).suffix.lower(), 1)


class _Run:
    """One call of a run: what it is to do, and its report as far as it is."""

    def __init__(self, library: Library, work: WorkSettings, manifest: Manifest, listen: Listener | None) -> None:
        self.library, self.work, self.manifest = library, work, manifest
        self.listen = listen or (lambda *_: None)
        self.report = RunReport()
        self._number = 0

    def list_places(
        self, sources: Iterable[str], archives: str | None, within: tuple[str, ...] = ()
    ) -> Iterator[DocumentPlace]:
        """The places of all sources; what cannot be listed, a source or a file of it, is told of, and the others go on.

        So do those of a list, which is `within` those that it stands in.
        """
        for source in sources:
            if source.startswith(LIST):
                listed = read_list(source, archives, within)
                yield from self._told(source, self.list_places(listed, archives, (*within, source)))
            else:
                files = (self._told(one.file, self._inside(one, archives)) for one in list_files(source))
                yield from self._told(source, chain.from_iterable(files))

    def _inside(self, one: SourceFile, archives: str | None) -> Iterator[DocumentPlace]:
        for part in archives_in(one):
            yield from self._told(part.file, places_in(part, archives))

    def _told(self, source: str, places: Iterable[DocumentPlace]) -> Iterator[DocumentPlace]:
        """Places as far as they can be listed; why no further is told of the source."""
        try:
            yield from places
        except (MissingExtraError, UsageError):
            raise
        except TabellionError as error:
            self._tell(ReadDocument(source, None, error.kind, str(error)))
        except Exception as error:  # a defect of ours, or of a library below: the run goes on
            note = " ".join(f"{source}: a defect of tabellion ({type(error).__name__}: {error})".split())
            self._tell(ReadDocument(source, None, "defect", note))

    def _tell(self, fault: ReadDocument) -> None:
        self.report.note(fault)
        self.listen(fault, self.report)

    def read(self, client: Any, planned: Iterator[Planned]) -> None:
        """Have all batches read, and make each visible in its turn."""
        under_way: deque[UnderWay] = deque()
        ahead = Ahead(client)
        while True:
            while len(under_way) < ahead.most() and (batch := next(planned, None)):
                under_way.append(self._begin(client, batch))
            if not under_way:
                return
            self._finish(client, under_way.popleft())

    def _begin(self, client: Any, planned: Planned) -> UnderWay:
        if done := _patiently(lambda: self.manifest.report_of(planned.batch_id)):
            return UnderWay(planned, None, None, done)
        given = (planned.places, self.work.settings, self.work.keep)
        work = _patiently(lambda: prepare_work(self.library, *given))
        return UnderWay(planned, work, self._submit(client, planned.places, work), None)

    def _submit(self, client: Any, places: list[DocumentPlace], work: WorkSettings) -> Any:
        self._number += 1
        return client.submit(
            read_batch, places, work, key=f"read-{self.manifest.run_id[:8]}-{self._number}", pure=False
        )

    def _finish(self, client: Any, one: UnderWay) -> None:
        if one.report:
            self.report.add(one.report)
            self.report.resumed += 1
            return
        while True:
            parts = list(self._parts(client, one))
            try:
                shown = _patiently(lambda: self.manifest.show(one.planned.batch_id, parts))  # noqa: B023 - used at once
                break
            except LogGrown:  # corrected while it was read: read again, with the correction
                one = self._begin(client, one.planned)
        self.report.add(shown)
        for part in parts:
            for done in part.documents:
                if not done.unfit:
                    self.listen(done, self.report)

    def _parts(self, client: Any, one: UnderWay) -> Iterator[Batch]:
        """What the workers made of a batch: as a whole, or document by document where its worker was lost."""
        places, work = one.planned.places, one.work
        assert work is not None  # noqa: S101 - it was submitted
        try:
            yield _result(one.future)
        except WorkerGone as lost:
            if len(places) == 1:
                yield _lost(places[0], lost)
                return
            alone = [(place, self._submit(client, [place], work)) for place in places]
            for place, future in alone:
                try:
                    yield _result(future)
                except WorkerGone as again:
                    yield _lost(place, again)


class Ahead:
    """How many tasks are given to a cluster before the first of them is done: by its workers, asked once a second."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._until, self._most = 0.0, _LEAST_AHEAD

    def most(self) -> int:
        if time.monotonic() > self._until:
            workers = len(self.client.scheduler_info(n_workers=-1)["workers"])
            self._until, self._most = time.monotonic() + _ASKED_AGAIN, max(_LEAST_AHEAD, _AHEAD * workers)
        return self._most


def _spread(client: Any, work: Callable[..., Made], parts: Iterable[Sequence[Any]]) -> Iterator[Made]:
    """What `work` makes of each part, in turn, on the workers of a cluster; here, where they are lost."""
    under_way: deque[tuple[Sequence[Any], Any]] = deque()
    todo, ended = iter(parts), False
    ahead = Ahead(client)
    while under_way or not ended:
        while len(under_way) < ahead.most() and not ended:
            part = next(todo, None)
            ended = part is None
            if part is not None:
                under_way.append((part, client.submit(work, *part, pure=False)))
        if under_way:
            part, future = under_way.popleft()
            try:
                yield _result(future)
            except (WorkerGone, ClusterLostError):
                yield work(*part)


class WorkerGone(Exception):  # noqa: N818 - no error: the documents are tried again
    """The workers that had a batch were lost."""


def _result(future: Any) -> Any:
    """What a worker made of its task."""
    distributed = _load_distributed()
    try:
        found = future.result()
    except distributed.scheduler.KilledWorker as error:
        raise WorkerGone(str(error)) from None
    except (CancelledError, distributed.client.FuturesCancelledError, TimeoutError) as error:
        raise ClusterLostError("the scheduler of the cluster is gone; run the same again to go on") from error
    except OSError as error:
        if isinstance(error, distributed.comm.CommClosedError):
            raise ClusterLostError("the scheduler of the cluster is gone; run the same again to go on") from error
        raise LibraryError(f"the files of the library cannot be written ({error}); run the same again") from error
    finally:
        future.release()
    return found


def _lost(place: DocumentPlace, error: WorkerGone) -> Batch:
    note = " ".join(f"{place.source}: the worker that read it was lost, twice ({error})".split())
    return Batch((ReadDocument(place.source, None, "crash", note),))


def _patiently(work: Callable[[], Made]) -> Made:
    """What `work` returns; where the connection to the database is lost, it is made again for some time."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return work()
        except LibraryError as error:
            if not getattr(error.__cause__, "connection_invalidated", False) or time.monotonic() > until:
                raise
            time.sleep(_PAUSE)


@contextmanager
def connected(cluster: str) -> Iterator[Any]:
    """A client of a cluster: one of this machine that is started for it, or one that runs."""
    distributed = _load_distributed()
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.worker.daemon": False}):
        name, _, count = cluster.partition(":")
        if name == "local":
            if count and not (count.isdecimal() and int(count)):
                raise UsageError(f"--cluster {cluster}: after local: comes a number of workers")
            made = distributed.LocalCluster(
                n_workers=int(count) if count else None, threads_per_worker=1, dashboard_address=":0", memory_limit=0
            )
            with made, distributed.Client(made) as client:
                yield client
        else:
            with _client_of(cluster) as client:
                yield client


def _client_of(cluster: str) -> Any:
    """A client of a cluster that runs."""
    if "://" not in cluster and not cluster.endswith(".json"):
        raise UsageError(f"--cluster {cluster}: local, local:N, an address such as tcp://host:8786, or a file")
    address = cluster if "://" in cluster else _address_in(cluster)
    try:
        return _load_distributed().Client(address)
    except (OSError, ValueError, RuntimeError) as error:  # a time that is up is of the first kind
        raise ClusterLostError(f"--cluster {cluster}: no scheduler answers there ({error})") from error


def _address_in(file: str) -> str:
    """The address that the file of a scheduler says."""
    try:
        return str(msgspec.json.decode(Path(file).read_bytes(), type=_SchedulerFile).address)
    except OSError as error:
        raise UsageError(f"--cluster {file}: cannot be read ({error.strerror or error})") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"--cluster {file}: not the file of a scheduler ({error})") from error


class _SchedulerFile(msgspec.Struct):
    """What is needed of the file that a scheduler writes."""

    address: str


def _load_distributed() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise MissingExtraError("runs on a cluster need Dask: pip install 'tabellion[scale]'") from error
    return distributed
