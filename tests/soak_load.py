"""Mixed load on a server: who searches, asks, looks, repairs, exports, adds, and asks for what is not there.

In: a library. Out: how many things went wrong: memory or handles that grow after the first minutes, an answer of 500.
"""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil

from tabellion.workers.inside import held_bytes

_ENTRY = "from tabellion.cli import main; main()"
_CLIENTS = 4
_PAUSE = 0.1  # seconds between two requests of a client
_LOOKS = 12  # at memory and handles
_LAST = 3  # of these, at the end
_GROWN = 1.1  # times what it held after the first minutes: more is growth
_MORE_HANDLES = 10
_EXPECTED = (200, 404, 409, 422)  # there is no such table; somebody else said otherwise; that is so already
_SHOWN = 20  # other answers that are printed


class Client:
    """One of those who ask, each in a way of their own."""

    def __init__(self, address: str, seed: int) -> None:
        self.http = httpx.Client(base_url=address, timeout=60)
        self.choose = random.Random(seed)  # noqa: S311 - the same every time
        self.ways: list[Callable[[], httpx.Response]] = [
            self.search, self.query, self.add, self.list_tables, self.look, self.repair, self.export, self.ask_graph,
            self.miss,
        ]  # fmt: skip

    def ask(self) -> tuple[str, int, str]:
        """The way that was asked in, the status of the answer, and what it says where it is none that was expected."""
        way = self.choose.choice(self.ways)
        answer = way()
        return way.__name__, answer.status_code, "" if answer.status_code in _EXPECTED else answer.text[:300]

    def search(self) -> httpx.Response:
        return self.http.get("/search", params={"q": self.choose.choice(["total", str(self.choose.random())])})

    def query(self) -> httpx.Response:
        return self.http.post("/query", json={"sql": "select text from tuples limit 9"})

    def add(self) -> httpx.Response:
        data = b"a,b\nx,%d\n" % self.choose.randrange(99)
        kind = {"Content-Type": "application/octet-stream"}
        return self.http.post(
            "/documents", params={"name": f"{self.choose.randrange(20)}.csv"}, headers=kind, content=data
        )

    def list_tables(self) -> httpx.Response:
        return self.http.get("/tables", params={"limit": self.choose.randrange(1, 50)})

    def look(self) -> httpx.Response:
        table = self._some_table()["id"]
        self.http.get(f"/tables/{table}/reading")
        return self.http.get(f"/tables/{table}/cells", params={"bottom": self.choose.randrange(5, 200)})

    def repair(self) -> httpx.Response:
        """A stroke, and its undoing; two may say different things, so that one of them is refused."""
        table = self._some_table()
        row = self.choose.randrange(12)
        stroke = {"do": "row-role", "row": {"row": row}, "to": self.choose.choice(["data", "derived", "note"])}
        made = self.http.post(f"/tables/{table['id']}/corrections", json={"operations": [stroke], "author": "ada"})
        if made.status_code != 200:
            return made
        ids = [one["id"] for one in made.json()["corrections"]]
        return self.http.post(f"/documents/{table['document']}/undo", json={"corrections": ids, "author": "ada"})

    def export(self) -> httpx.Response:
        form = self.choose.choice(["csv", "xlsx", "json", "turtle", "html"])
        return self.http.get(f"/tables/{self._some_table()['id']}/export", params={"form": form})

    def ask_graph(self) -> httpx.Response:
        return self.http.post("/sparql", json={"query": "select (count(*) as ?n) where { ?s ?p ?o }"})

    def miss(self) -> httpx.Response:
        return self.http.get(f"/tables/{self.choose.randrange(10**9)}")

    def _some_table(self) -> dict[str, Any]:
        return dict(self.choose.choice(self.http.get("/tables", params={"limit": 40}).json()["tables"]))


def held_by(server: int) -> tuple[int, int]:
    """The memory and the handles of a server and its workers together."""
    memory = handles = 0
    for process in [server, *(one.pid for one in psutil.Process(server).children(recursive=True))]:
        memory += held_bytes(process)
        with suppress(OSError):  # a worker may have ended meanwhile
            handles += len(list(Path(f"/proc/{process}/fd").iterdir()))
    return memory, handles


def soak_load(minutes: float, shelf: Path) -> int:
    """Mixed load on a server; memory and handles must not grow after the first five minutes, or a third of fewer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ("serve", "-l", str(shelf), "--port", str(port), "--write")
    with (shelf.parent / "server.log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "-c", _ENTRY, *arguments], stdout=subprocess.DEVNULL, stderr=log)
    _wait_for(port)
    ended, asked = threading.Event(), Counter[int]()
    odd: list[str] = []

    def go_on(seed: int) -> None:
        client = Client(f"http://127.0.0.1:{port}", seed)
        while not ended.wait(_PAUSE):
            try:
                way, status, said = client.ask()
                asked[status] += 1
                odd.extend([f"{way}: {status} {said}"] if said else [])
            except httpx.TransportError:
                asked[0] += 1

    for seed in range(_CLIENTS):
        threading.Thread(target=go_on, args=(seed,), daemon=True).start()
    looks: list[tuple[int, int]] = []
    for number in range(1, _LOOKS + 1):
        time.sleep(minutes * 60 / _LOOKS)
        looks.append(held_by(process.pid))
        told = f"{looks[-1][0] / 2**20:.0f} MiB, {looks[-1][1]} handles, answers {dict(sorted(asked.items()))}"
        print(f"load after {number * minutes / _LOOKS:.0f} minutes: {told}", flush=True)
    ended.set()
    process.terminate()
    process.wait(20)
    early = looks[0 if minutes >= 60 else _LOOKS // 3 - 1]
    late = [min(one) for one in zip(*looks[-_LAST:], strict=True)]  # a look may fall into a request that opens files
    grown = f"memory {early[0]:,} -> {late[0]:,}, handles {early[1]} -> {late[1]}"
    print(f"load: {minutes} minutes, answers {dict(asked)}; {grown}")
    for one in odd[:_SHOWN]:
        print(one)
    if asked[500]:
        print((shelf.parent / "server.log").read_text(errors="replace"))
    return (late[0] > _GROWN * early[0]) + (late[1] > early[1] + _MORE_HANDLES) + (asked[500] > 0)


def _wait_for(port: int) -> None:
    """Return once a server listens."""
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.2)
