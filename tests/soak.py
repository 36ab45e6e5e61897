"""Attacks at length: mutants of every format, flipped bytes in a library, kills, and load on a server.

    make soak                                   # all of it, for hours
    python tests/soak.py --mutants 200 --flips 20 --kills 10 --minutes 1

Each part prints its figures and what went wrong; the exit status is 1 where anything did.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "library")]

from shelving import contents, write_documents

from tabellion.errors import LibraryError, TabellionError
from tabellion.isolated import extract_isolated
from tabellion.library import open_library
from tabellion.library.verify import verify_library
from tabellion.read.limits import Limits
from tabellion.settings import Settings
from tabellion.workers import Crew
from tabellion.workers.inside import held_bytes

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
LIMITS = Limits(seconds=10.0, memory=2**30)
_ENTRY = "from tabellion.cli import main; main()"


def samples() -> dict[str, bytes]:
    """One small document of each format that the examples have."""
    found = {path.suffix[1:]: path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.suffix in _KINDS}
    archive = b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html"
    found["mht"] = archive + b"\r\n\r\n" + found["html"] + b"\r\n--b--\r\n"
    return found


_KINDS = (".xlsx", ".xls", ".xlsb", ".xml", ".ods", ".csv", ".html", ".pdf")


def mutate(data: bytes, choose: random.Random) -> bytes:
    """Bytes changed, doubled, cut out and moved, as a fuzzer does it."""
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


def soak_mutants(count: int) -> int:
    """Read mutants of each format in a worker; foreign exceptions and documents over their limits are faults."""
    choose, faults = random.Random(1), 0  # noqa: S311 - the same mutants every time
    for kind, data in samples().items():
        said: Counter[str] = Counter()
        slowest, begun = 0.0, time.monotonic()
        with Crew(1) as crew:
            for _ in range(count):
                mutant, at = mutate(data, choose), time.monotonic()
                try:
                    extract_isolated(mutant, Settings(limits=LIMITS), crew=crew)
                    said["read"] += 1
                except TabellionError as error:
                    said[error.kind] += 1
                    faults += error.kind == "crash"
                except Exception as error:
                    said[f"foreign: {type(error).__name__}"] += 1
                    faults += 1
                slowest = max(slowest, time.monotonic() - at)
        faults += slowest > LIMITS.seconds + 5
        told = ", ".join(f"{number:,} {word}" for word, number in said.most_common())
        print(f"mutants {kind}: {told}; slowest {slowest:.1f} s, all {time.monotonic() - begun:.0f} s", flush=True)
    return faults


def run(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _ENTRY, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def make_shelf(folder: Path, count: int = 12) -> tuple[Path, list[str]]:
    sources = write_documents(folder / "documents", count)
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sources)
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


def soak_flips(count: int, folder: Path) -> int:
    """Flip a byte somewhere in a library; verify must tell it, and rebuild make whole again what can be."""
    whole, _ = make_shelf(folder)
    with open_library(str(whole)) as library:
        expected = contents(library)
    files = [path for path in sorted(whole.rglob("*")) if path.is_file() and path.stat().st_size]
    files = [path for path in files if path.name[0] != "." and path.suffix != ".lock"]
    choose, untold, unmended = random.Random(2), 0, 0  # noqa: S311 - the same flips every time
    for number in range(count):
        shelf = Path(shutil.copytree(whole, folder / f"flip-{number}"))
        path = shelf / choose.choice(files).relative_to(whole)
        data = bytearray(path.read_bytes())
        place = choose.randrange(len(data))
        data[place] ^= 1 << choose.randrange(8)
        path.write_bytes(bytes(data))
        if not faults_of(shelf) and path.suffix != ".sqlite":  # room between rows and free pages hold nothing
            untold += 1
            print(f"flip not told: {path.name} at {place}")
        run("rebuild", "-l", str(shelf), "-j", "1").wait()
        with open_library(str(shelf)) as library:
            if contents(library) != expected:
                unmended += 1
                print(f"flip not mended: {path.name} at {place}")
        shutil.rmtree(shelf)
    print(f"flips: {count}, {untold} not told, {unmended} not mended", flush=True)
    return untold + unmended


def soak_kills(count: int, folder: Path) -> int:
    """Kill commands that write at any point; the end state must be that of runs that were not disturbed."""
    _, sources = make_shelf(folder, 30)
    with open_library(str(folder / "shelf")) as library:
        expected = contents(library)
    place, choose = str(folder / "killed"), random.Random(4)  # noqa: S311
    commands = [("add", *sources, "-l", place, "-j", "1"), ("rebuild", "-l", place, "-j", "1")]
    for number in range(count):
        process = run(*commands[number % 2])
        time.sleep(choose.uniform(0.3, 6.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    for command in commands:
        run(*command).wait()
    with open_library(place) as library:
        same = contents(library) == expected
    told = faults_of(Path(place))
    print(f"kills: {count}, end state {'as undisturbed' if same else 'ANOTHER'}, {len(told)} faults", flush=True)
    return (not same) + len(told)


def soak_load(minutes: float, folder: Path) -> int:
    """Mixed load on a server; memory and handles must not grow after the first part."""
    shelf, _ = make_shelf(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = run("serve", "-l", str(shelf), "--port", str(port), "--write")
    address, ended, asked = f"http://127.0.0.1:{port}", threading.Event(), Counter[int]()

    def ask(seed: int) -> None:
        choose = random.Random(seed)  # noqa: S311
        with httpx.Client(base_url=address, timeout=60) as client:
            while not ended.is_set():
                how = choose.randrange(5)
                try:
                    if how == 0:
                        answer = client.get("/search", params={"q": str(choose.random())})
                    elif how == 1:
                        answer = client.post("/query", json={"sql": "select text from tuples limit 9"})
                    elif how == 2:
                        kind = {"Content-Type": "application/octet-stream"}
                        name = {"name": f"{choose.randrange(20)}.csv"}
                        data = b"a,b\nx,%d\n" % choose.randrange(99)
                        answer = client.post("/documents", params=name, headers=kind, content=data)
                    else:
                        answer = client.get("/tables", params={"limit": choose.randrange(1, 50)})
                    asked[answer.status_code] += 1
                except httpx.TransportError:
                    asked[0] += 1

    threads = [threading.Thread(target=ask, args=(seed,), daemon=True) for seed in range(4)]
    time.sleep(10)
    for thread in threads:
        thread.start()
    looks: list[tuple[int, int]] = []
    for _ in range(12):
        time.sleep(minutes * 60 / 12)
        looks.append((held_bytes(process.pid), len(list(Path(f"/proc/{process.pid}/fd").iterdir()))))
    ended.set()
    process.terminate()
    process.wait(20)
    early, late = looks[3], looks[-1]
    grown = f"memory {early[0]:,} -> {late[0]:,}, handles {early[1]} -> {late[1]}"
    print(f"load: {minutes} minutes, answers {dict(asked)}; {grown}")
    return (late[0] > 1.3 * early[0]) + (late[1] > early[1] + 20) + (asked[500] > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=20_000)
    parser.add_argument("--flips", type=int, default=500)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tabellion-soak-") as name:
        folder = Path(name)
        faults = soak_mutants(chosen.mutants) if chosen.mutants else 0
        faults += soak_flips(chosen.flips, folder / "flips") if chosen.flips else 0
        faults += soak_kills(chosen.kills, folder / "kills") if chosen.kills else 0
        faults += soak_load(chosen.minutes, folder / "load") if chosen.minutes else 0
    print("no fault" if not faults else f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
