"""Runs on a cluster, measured: what documents cost by kind, a web archive, the same as `add`, and the driver's memory.

    make scale                                         # all of it at length; an hour or two on two free cores
    python bench/scale.py                              # all parts, small
    python bench/scale.py cost --documents 100         # processor seconds and bytes per 1,000 documents
    python bench/scale.py archive --records 5000       # every record accounted for; beside fastwarc and others
    python bench/scale.py same --made 20000 --dev 0    # two workers, one worker and `add` end alike; how fast
    python bench/scale.py memory --tasks 200000        # the driver's memory over empty tasks

Seconds are of the processor, so that they hold on a busy machine too; where the clock is meant, it is said.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import re
import resource
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import hostile_files
from tabellion.errors import TabellionError
from tabellion.learn.corpora import archive_candidates, corpora_root, corpus_folder
from tabellion.library import open_library
from tabellion.library.files import count_bytes
from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import read_for_library
from tabellion.library.verify import verify_library
from tabellion.library.writing import show_readings, store_tuples
from tabellion.pipeline import Settings
from tabellion.read.archives import load_fastwarc
from tabellion.read.limits import Limits
from tabellion.scale import DocumentPlace, Manifest, prepare_work, run_sources
from tabellion.scale import driver as running

EXAMPLES = Path(__file__).parents[1] / "examples"
KINDS = {
    "workbooks": ("*.xlsx", "*.xls", "*.ods"),
    "web pages": ("*.html", "*.htm"),
    "PDF files": ("*.pdf",),
    "CSV files": ("*.csv",),
}
_BESIDE = (".json", ".jsonl", ".md")  # what a corpus says of its documents
LIMITS = Settings(limits=Limits(seconds=20, memory=2 * 2**30))
PATIENT = Settings(limits=Limits(seconds=300, memory=2 * 2**30))  # so that no machine is too slow for a document
MEMORY_LIMIT, SPEED_LIMIT = 500, 1.7  # MB of the driver; times one worker's speed on two free cores
_NUMBER = re.compile(rb"(?<=[>,\t;])(\d+)(?=[<,\t;\r\n])")


def processor_seconds() -> float:
    """What this process and all that it has seen end have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = processor_seconds()
    made = work()
    return processor_seconds() - start, made


def dev_documents(kind: str | None = None, most: int | None = None) -> list[Path]:
    """Documents of the dev corpora, of a kind or all, in a mixed order; corpora that are packed are unpacked first."""
    for archive in {path for place in archive_candidates("*") for path in place.parent.glob(place.name)}:
        corpus_folder(archive.name.removesuffix(".tar.xz"))
    patterns = KINDS[kind] if kind else ("*",)
    files = {path for room in (corpora_root(), EXAMPLES) for pattern in patterns for path in room.rglob(pattern)}
    held = sorted(path for path in files if path.is_file() and path.suffix not in _BESIDE)
    found = [path for path in held if EXAMPLES not in path.parents] or held
    random.Random(3).shuffle(found)  # noqa: S311 - the same ones every time
    return found[:most]


def measure_cost(most: int, folder: Path) -> None:
    """Processor seconds and bytes of 1,000 documents of each kind, by what they are spent on."""
    print(
        "per 1,000 documents: seconds to read, to write files, to show, to index; MB read, originals, segments, index"
    )
    for kind in KINDS:
        spent: Counter[str] = Counter()
        count = tables = size = 0
        with open_library(str(folder / kind), create=True) as library:
            readings = []
            for path in dev_documents(kind, most):
                data = path.read_bytes()
                try:
                    took, reading = timed(lambda: read_for_library(str(path), str(path), data, LIMITS))  # noqa: B023
                except TabellionError:
                    continue
                spent["read"] += took
                spent["write"] += timed(lambda: store_original(library.folder.originals, data, reading.sha256))[0]  # noqa: B023
                count, tables, size = count + 1, tables + len(reading.tables), size + len(data)
                readings.append(reading)
            for first in range(0, len(readings), running.BATCH_DOCUMENTS):
                some = readings[first : first + running.BATCH_DOCUMENTS]
                took, (segment, _) = timed(lambda: store_tuples(library.folder.segments, some))  # noqa: B023
                spent["write"] += took
                spent["show"] += timed(lambda: show_readings(library.catalogue, segment, some))[0]  # noqa: B023
            spent["index"] = timed(lambda: library.index.catch_up(wait=True))[0]  # type: ignore[assignment]
            rooms = [library.folder.originals, library.folder.segments, library.folder.index]
            held = [size, *map(count_bytes, rooms)]
        held.append((folder / kind / "catalogue.sqlite").stat().st_size)
        each = 1000 / max(count, 1)
        seconds = " ".join(f"{spent[name] * each:8.1f}" for name in ("read", "write", "show", "index"))
        print(f"{kind:9} {count:5} documents, {tables * each:7.0f} tables: {seconds} s", flush=True)
        print(f"      MB: {' '.join(f'{one * each / 1e6:8.1f}' for one in held)} (the last: catalogue)", flush=True)


def write_archive(path: Path, records: int) -> Counter[str]:
    """A web archive of dev pages, workbooks and PDF files, pictures, pages not found, broken ones, a bomb, a hang."""
    pages, choose = dev_documents("web pages"), random.Random(4)  # noqa: S311 - the same archive every time
    sheets, prints = dev_documents("workbooks", records // 20), dev_documents("PDF files", records // 50)
    made: list[tuple[str, str, str, bytes]] = [("a bomb", "200 OK", "application/pdf", hostile_files.packed_twice())]
    made += [("a hang", "200 OK", "application/pdf", hostile_files.forms_that_draw_each_other())]
    made += [("a workbook", "200 OK", "application/vnd.ms-excel", one.read_bytes()) for one in sheets]
    made += [("a PDF file", "200 OK", "application/pdf", one.read_bytes()) for one in prints]
    made += [("a picture", "200 OK", "image/png", b"\x89PNG" + bytes(2000))] * (records // 10)
    made += [("not found", "404 Not Found", "text/html", b"<h1>Not found</h1>")] * (records // 25)
    damaged = records // 100
    while len(made) < records:
        page = pages[len(made) % len(pages)].read_bytes()
        kind = "a page" if len(made) < records - damaged else "damaged"
        made.append((kind, "200 OK", "text/html", vary(page, choose)))
    choose.shuffle(made)
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for number, (kind, status, type_, body) in enumerate(made):
            headers = StatusAndHeaders(status, [("Content-Type", type_)], protocol="HTTP/1.1")
            address = f"https://site{number % 97}.example/{number}"
            begin = file.tell()
            writer.write_record(
                writer.create_warc_record(address, "response", payload=io.BytesIO(body), http_headers=headers)
            )
            if kind == "damaged":
                end = file.tell()
                file.seek(begin + (end - begin) // 2)
                file.write(b"\xff" * 16)
                file.seek(end)
    return Counter(kind for kind, *_ in made)


def vary(page: bytes, choose: random.Random) -> bytes:
    """The same page with other numbers, so that it is another document."""
    return _NUMBER.sub(lambda found: str(choose.randrange(10 ** len(found[1]))).encode(), page)


def measure_archive(records: int, folder: Path) -> int:
    """Read an archive on one worker; pages a second of processor time beside other ways to read the same pages."""
    path = folder / "pages.warc.gz"
    made = write_archive(path, records)
    print(f"an archive of {records:,} records, {path.stat().st_size / 1e6:.1f} MB: {dict(made)}", flush=True)
    with open_library(str(folder / "archive"), create=True) as library:
        took, report = timed(lambda: run_sources([str(path)], library, "local:1", LIMITS))
        faults = list(verify_library(library))
    told = sum(report.documents.values())
    print(f"told of: {told:,} records ({dict(report.documents)}; {dict(report.failures)}; {dict(report.unfit)})")
    pages = [body for type_, body in answers(path) if type_ == "text/html"]
    each = {kind: f"{1000 * report.kind_seconds[kind] / count:.0f} ms" for kind, count in report.kinds.items()}
    print(f"tabellion run: {took:.1f} s of the processor for {records:,} records; by the clock of a worker {each}")
    ways: dict[str, Callable[[], int]] = {
        "fastwarc alone": lambda: sum(1 for _ in answers(path)),
        "tabellion, pages alone": lambda: sum(len(read_for_library("p", "p", page, LIMITS).tables) for page in pages),
        "resiliparse": lambda: sum(map(count_by_resiliparse, pages)),
        "pandas": lambda: sum(map(count_by_pandas, pages)),
    }
    for name, way in ways.items():
        if name == "resiliparse" and find_spec(name) is None:
            print("resiliparse: not installed (pip install resiliparse)")
            continue
        took, found = timed(way)
        print(f"{name}: {len(pages) / max(took, 1e-9):,.0f} pages a second and core ({found:,} found)", flush=True)
    return int(told != records or bool(faults))


def answers(path: Path) -> Iterator[tuple[str, bytes]]:
    """What can be read of an archive by its reader alone, from record to record."""
    from tabellion.read.archives import read_heads
    from tabellion.read.stores import opened

    response = load_fastwarc().WarcRecordType.response
    with opened(str(path)) as stream:
        for record in read_heads(stream):
            if record is not None and record.record_type == response and record.http_headers.status_code == 200:
                with suppress(OSError):  # a damaged one
                    yield record.http_headers.get("Content-Type") or "", record.reader.read()


def count_by_resiliparse(page: bytes) -> int:
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    tree = HTMLTree.parse_from_bytes(page, detect_encoding(page))
    tables = tree.body.get_elements_by_tag_name("table") if tree.body else []
    for table in tables:
        for row in table.get_elements_by_tag_name("tr"):
            _ = [cell.text for name in ("th", "td") for cell in row.get_elements_by_tag_name(name)]
    return len(tables)


def count_by_pandas(page: bytes) -> int:
    import pandas

    try:
        return len(pandas.read_html(io.BytesIO(page), flavor="lxml"))
    except (ValueError, AssertionError, IndexError):
        return 0  # pandas says so where it finds no table


def make_documents(folder: Path, count: int) -> Path:
    """Small documents made from the examples by changing their numbers."""
    choose = random.Random(6)  # noqa: S311 - the same documents every time
    folder.mkdir()
    models = [EXAMPLES / name for name in ("flat.csv", "lakes.html", "list.xlsx", "smoking.xlsx", "side_by_side.xlsx")]
    for number in range(count):
        model = models[number % len(models)]
        aim = folder / f"{model.stem}-{number:05}{model.suffix}"
        aim.write_bytes(_varied(model, choose))
    return folder


def _varied(model: Path, choose: random.Random) -> bytes:
    if model.suffix != ".xlsx":
        return vary(model.read_bytes(), choose)
    sink = io.BytesIO()
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, _vary_sheet(data, choose) if name.startswith("xl/worksheets/sheet") else data)
    return sink.getvalue()


def _vary_sheet(data: bytes, choose: random.Random) -> bytes:
    """Other numbers in the cells that hold numbers; those that name shared texts stay."""
    cell = re.compile(rb'(<c r="[A-Z]+\d+"(?: s="\d+")?><v>)(\d+)(?=</v>)')
    return cell.sub(lambda found: found[1] + str(choose.randrange(10 ** len(found[2]))).encode(), data)


def fingerprints(library: Library) -> dict[str, int]:
    """Of each table, by its document's source and its place there, a sum over all its tuples."""
    asked = library.query(
        'select source, name, bit_xor(hash(row, "column", address, text, value, unit, top, "left", notes)) as told '
        "from tuples join tables using (table_id) join documents on documents.document_id = tables.document_id "
        "group by source, name"
    )
    return {f"{one['source']} {one['name']}": one["told"] for one in asked.to_pylist()}


def measure_same(made: int, dev: int | None, ways: Iterable[str], folder: Path) -> int:
    """`add`, a run on one worker and one on two: the same tuples, table for table; and how fast each was.

    The clock of a run begins when its workers have read some documents: to start a cluster takes what it takes.
    """
    sources = [str(make_documents(folder / "made", made))]
    few = str(make_documents(folder / "few", 6 * running.BATCH_DOCUMENTS))
    kinds = KINDS if dev else (None,)
    sources += [str(path) for kind in kinds for path in dev_documents(kind, dev)]
    held: dict[str, dict[str, int]] = {}
    clock: dict[str, float] = {}
    for way in ways:
        before = processor_seconds()
        with open_library(str(folder / way.replace(":", "")), create=True) as library:
            if way == "add":
                start = time.monotonic()
                _add_each(library, sources)
                clock[way] = time.monotonic() - start
            else:
                with running.connected(way) as client:
                    with open_library(str(folder / f"few-{way[-1]}"), create=True) as warm:
                        run_sources([few], warm, client.scheduler.address, PATIENT)
                    start = time.monotonic()
                    run_sources(sources, library, client.scheduler.address, PATIENT)
                    clock[way] = time.monotonic() - start
            used = processor_seconds() - before
            held[way] = fingerprints(library)
            faults = list(verify_library(library))
        print(
            f"{way}: {len(held[way]):,} tables, {clock[way]:.0f} s by the clock, {used:.0f} s of processors", flush=True
        )
        if faults:
            print(f"{way}: verify says {faults[0]}")
            return 1
    names = {name for one in held.values() for name in one}
    differing = [name for name in names if len({one.get(name) for one in held.values()}) > 1]
    print(f"tables that differ: {len(differing)} {differing[:3]}")
    if "local:1" in clock and "local:2" in clock:
        faster = clock["local:1"] / clock["local:2"]
        print(f"two workers: {faster:.2f} times as fast as one (at least {SPEED_LIMIT} on free cores)")
    return int(bool(differing))


def _add_each(library: Library, sources: Iterable[str]) -> None:
    from tabellion.scale import expand_places

    library.isolate()
    with library.writing_documents(settings=PATIENT) as writer:
        for place in expand_places(sources):
            try:
                writer.write(library.read(place.source, PATIENT, (), None))
            except TabellionError:
                continue  # neither way reads it


def measure_memory(tasks: int, folder: Path) -> int:
    """What the driver holds after so many tasks that do nothing, each a batch of its own."""
    places = (DocumentPlace(f"none:{number}", "none", unfit="empty") for number in range(tasks))
    batches = (running.Planned(f"{number:032}", [place]) for number, place in enumerate(places))
    page, most = os.sysconf("SC_PAGE_SIZE"), 0
    with open_library(str(folder / "memory"), create=True) as library, running.connected("local:1") as client:
        run = running._Run(library, prepare_work(library, ()), Manifest(library.catalogue, "memory"), None)
        for done in range(0, tasks, max(1, tasks // 10)):
            run.read(client, iter([one for _, one in zip(range(max(1, tasks // 10)), batches, strict=False)]))
            held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * page // 2**20
            most = max(most, held)
            print(f"{done + max(1, tasks // 10):,} tasks: {held} MB", flush=True)
    return int(most > MEMORY_LIMIT)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", nargs="?", choices=["cost", "archive", "same", "memory"], help="one part alone")
    parser.add_argument("--documents", type=int, default=20, help="of each kind, for cost")
    parser.add_argument("--records", type=int, default=500, help="of the archive")
    parser.add_argument("--made", type=int, default=500, help="documents that are made, for same")
    parser.add_argument("--dev", type=int, default=20, help="documents of each kind of the corpora, for same; 0: all")
    parser.add_argument("--ways", nargs="*", default=["local:2", "local:1", "add"], help="that are compared, for same")
    parser.add_argument("--tasks", type=int, default=2_000, help="empty tasks, for memory")
    given = parser.parse_args()
    wrong = 0
    memory = Path("/dev/shm")  # noqa: S108 - what the disk of others does is not measured
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        if given.part in (None, "cost"):
            measure_cost(given.documents, folder)
        if given.part in (None, "archive"):
            wrong += measure_archive(given.records, folder)
        if given.part in (None, "same"):
            wrong += measure_same(given.made, given.dev or None, given.ways, folder)
        if given.part in (None, "memory"):
            wrong += measure_memory(given.tasks, folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
