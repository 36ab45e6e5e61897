"""What a run has done: its report, and the manifest in the catalogue by which it is taken up after it was stopped.

In: batches that came back from workers. Out: documents that are visible, a batch at a time, each batch with its line in
the manifest in one transaction. A run is known by its sources and settings, a batch by its documents. A line says what
came of every document of the batch, so that the report of a run that was killed and called again is that of an
undisturbed one. When a run has ended its lines are taken out: the next call looks at every document again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from tabellion.errors import LibraryError
from tabellion.library.catalogue import Catalogue, batches
from tabellion.library.holdings import AddResult
from tabellion.library.reading import unpack_reading
from tabellion.library.writing import show_readings
from tabellion.scale.places import DocumentPlace
from tabellion.scale.work import Batch, ReadDocument

_SLOWEST = 5
_NAME = 32  # digits of the hashes that runs and batches are known by


class RunReport(msgspec.Struct):
    """What a run did: documents by what became of them, failures by kind, the slowest documents, costs by format."""

    documents: Counter[str] = msgspec.field(default_factory=Counter)
    kinds: Counter[str] = msgspec.field(default_factory=Counter)  # documents that were read, by format
    kind_seconds: Counter[str] = msgspec.field(default_factory=Counter)  # and how long that took
    kind_bytes: Counter[str] = msgspec.field(default_factory=Counter)
    failures: Counter[str] = msgspec.field(default_factory=Counter)
    unfit: Counter[str] = msgspec.field(default_factory=Counter)  # records of archives that are no documents, by why
    slowest: list[tuple[float, str]] = []
    tables: int = 0
    values: int = 0
    size: int = 0
    resumed: int = 0  # batches that an earlier call had done
    seconds: float = 0.0

    def note(self, done: ReadDocument) -> None:
        """Count one document that came back."""
        self.size += done.size
        if done.unfit:
            self.documents["passed over"] += 1
            self.unfit[done.unfit] += 1
            return
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

    def add(self, other: RunReport) -> None:
        """Count what another report counts."""
        for name in ("documents", "kinds", "kind_seconds", "kind_bytes", "failures", "unfit"):
            getattr(self, name).update(getattr(other, name))
        for name in ("tables", "values", "size", "resumed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest = sorted([*self.slowest, *other.slowest], reverse=True)[:_SLOWEST]


class _Line(msgspec.Struct):
    """A report as it stands in the manifest: `RunReport`, its counts as JSON has them."""

    documents: dict[str, int]
    kinds: dict[str, int]
    kind_seconds: dict[str, float]
    kind_bytes: dict[str, int]
    failures: dict[str, int]
    unfit: dict[str, int]
    slowest: list[tuple[float, str]]
    tables: int
    values: int
    size: int
    resumed: int
    seconds: float


def name_run(sources: Iterable[str], settings: object) -> str:
    """What a run is known by: what it reads and how."""
    return _hash(repr(list(sources)), repr(settings))


def name_batch(places: Iterable[DocumentPlace]) -> str:
    """What a batch is known by: the places of its documents."""
    return _hash(*(repr(place) for place in places))


def _hash(*texts: str) -> str:
    told = hashlib.sha256()
    for text in texts:
        told.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return told.hexdigest()[:_NAME]


class Manifest:
    """The lines of one run in the catalogue."""

    def __init__(self, catalogue: Catalogue, run_id: str) -> None:
        self.catalogue, self.run_id = catalogue, run_id
        self._resumes: bool | None = None  # whether an earlier call left any lines

    def report_of(self, batch_id: str) -> RunReport | None:
        """What an earlier call did of a batch; None where it is yet to be done, or again, for its line is damaged."""
        if self._resumes is None:
            self._resumes = self._line() is not None
        said = self._line(batches.c.batch_id == batch_id) if self._resumes else None
        report = _decode(said) if said else None
        if said is not None and report is None:
            with self.catalogue.writing() as connection:
                mine = (batches.c.run_id == self.run_id, batches.c.batch_id == batch_id)
                connection.execute(delete(batches).where(*mine))
        return report

    def _shown(self, batch_id: str) -> RunReport | None:
        said = self._line(batches.c.batch_id == batch_id)
        return _decode(said) if said else None

    def _line(self, *which: ColumnElement[bool]) -> str | None:
        wanted = select(batches.c.report).where(batches.c.run_id == self.run_id, *which).limit(1)
        with self.catalogue.reading() as connection:
            return connection.execute(wanted).scalar()

    def show(self, batch_id: str, parts: Sequence[Batch]) -> RunReport:
        """Make a batch visible, with its line; `LogGrown` where a document was corrected since it was read.

        A batch that is shown already, because word of that was lost, is not shown twice: there is one line for each.
        """
        report = RunReport()
        try:
            for number, part in enumerate(parts, 1):
                last = number == len(parts)
                self._show_part(part, report, self._noting(batch_id, part, report) if last else lambda _: None)
        except LibraryError as error:
            if isinstance(error.__cause__, IntegrityError) and (done := self._shown(batch_id)):
                return done
            raise
        return report

    def _show_part(self, part: Batch, report: RunReport, note: Callable[[Connection], object]) -> None:
        readings = []
        for done in part.documents:
            if done.reading is not None:
                readings.append(unpack_reading(done.reading))
                kind = readings[-1].kind
                report.kinds[kind] += 1
                report.kind_seconds[kind] += done.seconds  # type: ignore[assignment]
                report.kind_bytes[kind] += done.size
            report.note(done)

        def keep(connection: Connection, results: list[AddResult]) -> None:
            report.wrote(results)
            note(connection)

        show_readings(self.catalogue, part.segment, readings, note=keep)

    def _noting(self, batch_id: str, part: Batch, report: RunReport) -> Callable[[Connection], object]:
        segment_id = part.segment.segment_id if part.segment else None

        def note(connection: Connection) -> None:
            said = msgspec.json.encode(report).decode()
            line = {"run_id": self.run_id, "batch_id": batch_id, "segment_id": segment_id, "report": said}
            connection.execute(insert(batches).values(**line))

        return note

    def end(self) -> None:
        """The run is done: its lines are of no more use."""
        with self.catalogue.writing() as connection:
            connection.execute(delete(batches).where(batches.c.run_id == self.run_id))


def _decode(said: str) -> RunReport | None:
    """What a line says; None where it is damaged."""
    try:
        fields = msgspec.json.decode(said, type=_Line)
    except (msgspec.DecodeError, UnicodeError):
        return None
    report = RunReport()
    for name in fields.__struct_fields__:
        value = getattr(fields, name)
        setattr(report, name, Counter(value) if isinstance(getattr(report, name), Counter) else value)
    return report
