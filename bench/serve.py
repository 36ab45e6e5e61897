"""The HTTP API of a real server: whether its description is true, and how many requests it answers in a second.

    python bench/serve.py [FOLDER] [--calls N]

FOLDER is a library (without one, the examples are put into one). The calls are made by schemathesis from the OpenAPI
description, with all its checks but one for `/query` and `/plot`: no schema can say which texts are SQL that this
library answers.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tabellion.library import open_library

EXAMPLES = Path(__file__).parents[1] / "examples"
SECONDS = 5
CLIENTS = 4


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    return connection.getresponse().read()


def wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            ask(port, "/openapi.json")
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit("the server did not start")


def check_description(port: int, calls: int, folder: Path) -> None:
    settings = folder / "schemathesis.toml"
    table = json.loads(ask(port, "/tables?limit=1"))["tables"][0]
    settings.write_text(
        f'[parameters]\n"path.table" = "{table["name"]}"\n"path.document" = "{table["document"]}"\n'
        '[[operations]]\ninclude-path = ["/query", "/query/export", "/plot", "/sparql"]\n'
        "checks.positive_data_acceptance.enabled = false\n"
    )
    operations = sum(len(path) for path in json.loads(ask(port, "/openapi.json"))["paths"].values())
    command = [
        str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(settings), "run", f"http://127.0.0.1:{port}/openapi.json",
        "--max-examples", str(calls // operations), "--phases", "coverage,fuzzing",
        "--seed", "1", "--continue-on-failure",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    print(done.stdout[done.stdout.rfind("SUMMARY") :] if "SUMMARY" in done.stdout else done.stdout + done.stderr)
    print(f"schemathesis ends with status {done.returncode}")


def client(port: int, path: str, counts: multiprocessing.Queue[int]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    until, count = time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        count += 1
    counts.put(count)


def report_speed(port: int) -> None:
    table = json.loads(ask(port, "/tables?limit=1"))["tables"][0]["id"]
    for name, path in {"one page of tuples": f"/tables/{table}/tuples", "a page of tables": "/tables?limit=20"}.items():
        counts: multiprocessing.Queue[int] = multiprocessing.Queue()
        ways = [threading.Thread(target=client, args=(port, path, counts)) for _ in range(CLIENTS)]
        for way in ways:
            way.start()
        for way in ways:
            way.join()
        print(f"{name}: {sum(counts.get() for _ in ways) / SECONDS:.0f} requests per second, {CLIENTS} clients")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--calls", type=int, default=2_400)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = given.folder or f"{scratch}/shelf"
        if not given.folder:
            with open_library(place, create=True) as library:
                library.add(*sorted(path for path in EXAMPLES.iterdir() if path.suffix in (".xlsx", ".csv", ".html")))
        port = free_port()
        command = ["-c", "from tabellion.cli import main; main()", "serve", "--library", place, "--port", str(port)]
        server = subprocess.Popen([sys.executable, *command])
        try:
            wait_for(port)
            report_speed(port)
            check_description(port, given.calls, Path(scratch))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
