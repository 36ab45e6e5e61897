"""Attacks at length: mutants of every format, flipped bytes in a library, kills, and load on a server.

    make soak                                   # all of it, for hours
    python tests/soak.py --mutants 200 --flips 20 --kills 10 --minutes 1

Each part prints its figures and what went wrong; the exit status is 1 where anything did.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shutil
import sqlite3
import struct
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "library"), str(Path(__file__).parents[1])]

from shelving import contents, fill_rooms, write_documents
from tests.read.test_spreadsheetml import book
from tests.read.test_xlsb import cell, wide, workbook

from soak_kills import Round, rebuild, soak_kills, start
from soak_load import soak_load
from tabellion.errors import LibraryError, TabellionError
from tabellion.isolated import extract_isolated
from tabellion.library import open_library
from tabellion.library.graph import open_graph
from tabellion.library.library import Library
from tabellion.library.verify import verify_library
from tabellion.read.limits import Limits
from tabellion.settings import Settings
from tabellion.workers import Crew, reading_bounds

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
LIMITS = Limits(seconds=10.0, memory=2**30)
_KEPT = ("annotations", "mined", "weights")  # told; nothing that they could be made anew of is in the library
_TOLD_AS: dict[
    str, str | tuple[str, ...]
] = {  # how verify begins to speak of what lies in a room, of those that can be flipped at the same time
    "annotations": "annotations of",
    "graph": "graph:",
    "index": ("index, ", "index: "),
    "mined": "mined,",
    "originals": "original ",
    "segments": ("segment ", "facts for SPARQL of", "view of"),
    "weights": "the weights of",
}
_KEPT_AS = tuple(str(_TOLD_AS[room]) for room in _KEPT)


def samples() -> dict[str, bytes]:
    """One small document of each format."""
    found = {kind: (EXAMPLES / name).read_bytes() for kind, name in _EXAMPLES.items()}
    archive = b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html"
    found["mht"] = archive + b"\r\n\r\n" + found["html"] + b"\r\n--b--\r\n"
    found["xls"], found["xlsb"], found["xml"] = _xls(), _xlsb(), _spreadsheetml()
    return found


_EXAMPLES = {"xlsx": "stacked.xlsx", "ods": "budget.ods", "csv": "flat.csv", "html": "lakes.html", "pdf": "report.pdf"}
_ROWS = [("Region", "1990", "2000"), ("All", 310.5, 421), ("  North", 120, 130.25), ("  South", 190.5, 290.75)]
_PACKED = ("xlsx", "xlsb", "ods")  # zip files: half of their mutants are changed inside their parts


def _xls() -> bytes:
    import xlwt

    book, file = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("Data")
    bold = xlwt.easyxf("font: bold on; align: indent 1", num_format_str='"$"#,##0.00')
    for number, row in enumerate(_ROWS):
        for column, value in enumerate(row):
            sheet.write(number, column, value, bold if number == 1 else xlwt.Style.default_style)
    sheet.write_merge(5, 5, 0, 2, "Note: made")
    book.save(file)
    return file.getvalue()


def _xlsb() -> bytes:
    rows = {}
    for number, row in enumerate(_ROWS):
        told = [cell(6, at, wide(one)) if isinstance(one, str) else _number(at, one) for at, one in enumerate(row)]
        rows[number] = b"".join(told)
    return workbook(rows)


def _number(column: int, value: float) -> bytes:
    return cell(5, column, struct.pack("<d", value))


def _spreadsheetml() -> bytes:
    kinds = {str: "String", int: "Number", float: "Number"}
    rows = "".join(
        "<Row>" + "".join(f'<Cell><Data ss:Type="{kinds[type(one)]}">{one}</Data></Cell>' for one in row) + "</Row>"
        for row in _ROWS
    )
    return book(rows).encode()


def mutate(data: bytes, choose: random.Random, kind: str = "") -> bytes:
    """Bytes changed, doubled, cut out and moved, as a fuzzer does it; of a packed file also inside its parts."""
    if kind in _PACKED and choose.random() < 0.5:
        return _mutate_part(data, choose)
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 2, 4, 16))):
        at = choose.randrange(len(changed))
        size = choose.choice((1, 2, 8, 64, 1_024))
        how = choose.randrange(5)
        if how == 0:
            changed[at] = choose.randrange(256)
        elif how == 1:
            del changed[at : at + size]
        elif how == 2:
            changed[at:at] = changed[at : at + size] * choose.choice((1, 2, 50))
        elif how == 3:
            changed[at : at + size] = choose.randbytes(min(size, len(changed) - at))
        else:
            changed[at : at + 4] = choose.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"9999"))
        if not changed:
            return b"\0"
    return bytes(changed)


def _mutate_part(data: bytes, choose: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen = choose.choice([name for name in names if old.getinfo(name).file_size])
        for name in names:
            part = old.read(name)
            new.writestr(name, mutate(part, choose) if name == chosen else part)
    return file.getvalue()


def soak_mutants(count: int, seed: int = 1, kinds: Sequence[str] = ()) -> int:
    """Read mutants of each format in a worker; foreign exceptions and documents over their limits are faults."""
    faults = 0
    for kind, data in samples().items():
        if kinds and kind not in kinds:
            continue
        choose = random.Random(f"{seed} {kind}")  # noqa: S311 - the same mutants every time
        said: Counter[str] = Counter()
        slowest, begun = 0.0, time.monotonic()
        with Crew(1) as crew:
            crew.do(os.getpid, bounds=reading_bounds(LIMITS))
            for number in range(count):
                mutant, at = mutate(data, choose, kind), time.monotonic()
                try:
                    extract_isolated(mutant, Settings(limits=LIMITS), crew=crew)
                    said["read"] += 1
                except TabellionError as error:
                    said[error.kind] += 1
                    if error.kind in ("crash", "defect"):
                        faults += _keep(kind, seed, number, mutant, error)
                except Exception as error:
                    said[f"foreign: {type(error).__name__}"] += 1
                    faults += _keep(kind, seed, number, mutant, error)
                slowest = max(slowest, time.monotonic() - at)
        faults += slowest > LIMITS.seconds + 5
        told = ", ".join(f"{number:,} {word}" for word, number in said.most_common())
        print(f"mutants {kind}: {told}; slowest {slowest:.1f} s, all {time.monotonic() - begun:.0f} s", flush=True)
    return faults


def _keep(kind: str, seed: int, number: int, mutant: bytes, error: Exception) -> int:
    """Put a mutant aside that was a fault, to be looked at."""
    path = Path(tempfile.gettempdir()) / f"tabellion-mutant-{seed}-{number}.{kind}"
    path.write_bytes(mutant)
    print(f"mutant {path}: {type(error).__name__}: {error}", flush=True)
    return 1


def make_shelf(folder: Path, count: int = 12) -> tuple[Path, list[str]]:
    sources = write_documents(folder / "documents", count)
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sources)
        fill_rooms(library)
        library.search("")
    with closing(sqlite3.connect(folder / "shelf" / "catalogue.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "shelf", sources


def faults_of(shelf: Path) -> list[str]:
    try:
        with open_library(str(shelf)) as library:
            return list(verify_library(library))
    except LibraryError as error:
        return [str(error)]


def soak_flips(count: int, folder: Path, seed: int = 2) -> int:
    """Flip bytes in a library, one in each of its rooms; verify must tell them, and rebuild make whole what can be."""
    whole, _ = make_shelf(folder, 5)
    with open_library(str(whole)) as library:
        library.repair(library.documents()[0].tables[0], author="ada").set_text("title", "Repaired")
        wanted = contents(library), _facts(library)
        mined = {one.sha256 for one in library.documents() if one.source.startswith("mined:")}  # no source has them
    rooms: dict[str, list[Path]] = {}
    for path in sorted(whole.rglob("*")):
        passed_over = path.name[0] == "." or path.suffix == ".lock" or path.name.split(".")[0] in mined
        if path.is_file() and path.stat().st_size and not passed_over:
            rooms.setdefault(path.relative_to(whole).parts[0], []).append(path)
    choose, told, done = random.Random(seed), Counter[str](), 0  # noqa: S311 - the same flips every time
    while done < count:
        flips = [(room, *_choose_byte(choose.choice(rooms[room]), choose)) for room in sorted(rooms)]
        shelf = _flipped(whole, folder / "flipped", [flip for flip in flips if flip[0] in _TOLD_AS])
        said = faults_of(shelf)
        alone = [flip for flip in flips if not any(one.startswith(_TOLD_AS.get(flip[0], ())) for one in said)]
        told.update(f"{flip[0]} told" for flip in flips if flip not in alone)
        start(rebuild, Round(str(shelf), str(shelf), "", "", "")).join()
        kept = [one for one in faults_of(shelf) if not one.startswith(_KEPT_AS)]
        if _held(shelf) != wanted or kept:
            told["not mended"] += 1
            print(f"flips not mended: {[(path.name, place) for _, path, place, _ in flips]}: {kept[:1]}", flush=True)
        for flip in alone:
            _flip_alone(flip, whole, folder / "flipped", wanted, told)
        done += len(flips)
        print(f"flips: {done}, {dict(sorted(told.items()))}", flush=True)
    return told["not told"] + told["not mended"]


def _choose_byte(path: Path, choose: random.Random) -> tuple[Path, int, int]:
    """Where a byte is flipped, and which bit; not where a database has room that is empty."""
    return path, choose.choice([at for at, one in enumerate(path.read_bytes()) if one]), 1 << choose.randrange(8)


def _flipped(whole: Path, shelf: Path, flips: Sequence[tuple[str, Path, int, int]]) -> Path:
    """A copy of a library with some bits turned."""
    shutil.rmtree(shelf, ignore_errors=True)
    shutil.copytree(whole, shelf)
    for _, chosen, place, bit in flips:
        path = shelf / chosen.relative_to(whole)
        data = bytearray(path.read_bytes())
        data[place] ^= bit
        path.write_bytes(bytes(data))
    return shelf


def _flip_alone(
    flip: tuple[str, Path, int, int],
    whole: Path,
    aim: Path,
    wanted: tuple[dict[str, Any], set[str]],
    told: Counter[str],
) -> None:
    """Flip one byte; where nobody tells it, it must have touched nothing."""
    room, path, place, _ = flip
    shelf = _flipped(whole, aim, [flip])
    if faults_of(shelf):
        told[f"{room} told"] += 1
    elif room not in _KEPT and _held(shelf) == wanted:  # between rows, a log, what is made anew by itself
        told[f"{room} harmless"] += 1
    else:
        told["not told"] += 1
        print(f"flip not told: {path.name} at {place}", flush=True)
    start(rebuild, Round(str(shelf), str(shelf), "", "", "")).join()
    if _held(shelf) != wanted or (room not in _KEPT and faults_of(shelf)):
        told["not mended"] += 1
        print(f"flip not mended: {path.name} at {place}: {faults_of(shelf)[:1]}", flush=True)


def _held(shelf: Path) -> tuple[dict[str, Any], set[str]] | None:
    try:
        with open_library(str(shelf)) as library:
            return contents(library), _facts(library)
    except LibraryError:
        return None


def _facts(library: Library) -> set[str]:
    """What the graph says, but for its own notes of what it holds."""
    with open_graph(library) as store:
        return {str(one) for one in store if not str(one.predicate).endswith("holds>")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=20_000, help="of each format")
    parser.add_argument("--formats", default="", help="only mutants of these, with commas between")
    parser.add_argument("--flips", type=int, default=500)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=60, help="of load on a server")
    parser.add_argument("--seed", type=int, default=1, help="other mutants, flips and kills, for a piece of the whole")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tabellion-soak-") as name:
        folder = Path(name)
        kinds = [kind for kind in chosen.formats.split(",") if kind]
        faults = soak_mutants(chosen.mutants, chosen.seed, kinds) if chosen.mutants else 0
        faults += soak_flips(chosen.flips, folder / "flips", chosen.seed) if chosen.flips else 0
        faults += soak_kills(chosen.kills, folder / "kills", chosen.seed) if chosen.kills else 0
        faults += soak_load(chosen.minutes, make_shelf(folder / "load")[0]) if chosen.minutes else 0
    print("no fault" if not faults else f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
