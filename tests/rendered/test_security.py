"""A rendered page reaches nothing: no network, no file system, no other page."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read.chromium.process import sweep_folders
from tabellion.read.limits import Limits


class Listener:
    """A server on this machine that counts every connection and every datagram, and answers none of them well."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._datagrams.bind(self._socket.getsockname())
        for work in (self._listen, self._hear):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    asked = connection.recv(4_096)
                    self.seen.append(asked)
                    page = b"<!doctype html><img src=/image>" if b" /page " in asked else b""
                    connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page)
                except OSError:
                    continue

    def close(self) -> None:
        self._socket.close()
        self._datagrams.close()

    def _hear(self) -> None:
        while True:
            try:
                self.seen.append(self._datagrams.recv(2_000))
            except OSError:
                return


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def reach_out(address: str, secret: Path) -> str:
    """Markup that tries every way out of a page."""
    here = f"http://{address}"
    return f"""
    <link rel=preconnect href={here}><link rel=dns-prefetch href={here}><link rel=prefetch href={here}/prefetch>
    <link rel=stylesheet href={here}/a.css><link rel=icon href={here}/icon><link rel=manifest href={here}/manifest>
    <style>@import url({here}/b.css); @font-face {{ font-family: f; src: url({here}/font) }}
    p {{ font-family: f; background: url({here}/background) }}</style>
    <p>words</p><img src={here}/image srcset="{here}/large 2x"><iframe src={here}/frame></iframe>
    <object data={here}/object></object><embed src={here}/embed><video src={here}/video autoplay></video>
    <audio src={here}/audio autoplay></audio><script src={here}/script></script><form action={here}/form></form>
    <svg><image href={here}/svg /></svg><iframe src=file://{secret}></iframe><object data=file://{secret}></object>
    <iframe src=secret.html></iframe><img src=../secret.png><img src=/etc/passwd>
    <meta http-equiv=refresh content="0;url={here}/refresh">
    <script>
    fetch("{here}/fetch").catch(() => 0); new Image().src = "{here}/script-image";
    navigator.sendBeacon("{here}/beacon", "x"); try {{ new WebSocket("ws://{address}/socket") }} catch (error) {{}}
    try {{ new EventSource("{here}/events") }} catch (error) {{}}
    try {{ const c = new RTCPeerConnection({{iceServers: [{{urls: "stun:{address}"}}]}});
      c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)) }} catch (error) {{}}
    try {{ const c = new RTCPeerConnection({{iceServers: [{{urls: "turn:{address}?transport=udp", username: "words",
      credential: "words"}}], iceTransportPolicy: "all"}});
      c.createDataChannel("x"); c.createOffer().then(o => c.setLocalDescription(o)) }} catch (error) {{}}
    try {{ new WebTransport("https://{address}/transport") }} catch (error) {{}}
    try {{ new Worker(URL.createObjectURL(new Blob(["new WebTransport('https://{address}/worker')"]))) }}
    catch (error) {{}}
    window.open("{here}/window"); setTimeout(() => {{ location = "{here}/location" }}, 50);
    </script>"""


@pytest.mark.parametrize("scripts", [False, True])
def test_a_page_cannot_reach_the_network_or_the_file_system(
    render: Callable[..., Extraction], listener: Listener, tmp_path: Path, scripts: bool
) -> None:
    secret = tmp_path / "secret.html"
    rows = "<tr><td>key<td>value" + "".join(f"<tr><td>secret {n}<td>{n}" for n in range(5))
    secret.write_text(f"<table>{rows}</table>", encoding="utf-8")
    found = render(reach_out(listener.address, secret), scripts=scripts)
    assert listener.seen == []
    assert not found.tables


def test_the_listener_hears_a_page_that_may_use_the_network(chromium: str, listener: Listener) -> None:
    extract_document(f"http://{listener.address}/page", Settings(render="always", network=True))
    assert any(b"/image" in heard for heard in listener.seen)


def test_what_one_page_stores_another_cannot_read(render: Callable[..., Extraction]) -> None:
    show = "<script>document.body.append(document.cookie + (localStorage.getItem('left') || 'nothing'))</script>"
    assert not render(
        "<script>localStorage.setItem('left', 'a trace'); document.cookie = 'a=trace'</script>", scripts=True
    ).issues
    row = (
        "<div style='display:grid;grid-template-columns:90px 90px'>"
        + "<b>a</b><b>b</b>"
        + "<i>1</i><i>2</i>" * 4
        + "</div>"
    )
    found = render(row + show, scripts=True)
    assert "trace" not in str([table.grid.text.tolist() for table in found.tables])


@pytest.mark.parametrize("apart", [True, False], ids=["in a network of its own", "where there is none"])
def test_no_datagram_leaves_a_page(
    render: Callable[..., Extraction],
    listener: Listener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    apart: bool,
) -> None:
    """With scripts, which know ways out that are no requests; also on systems that have no networks of one's own."""
    from tabellion.read.chromium import process, tabs

    if not apart:
        monkeypatch.setattr(process, "without_network", lambda: ())
    monkeypatch.setattr(tabs, "_pools", {})
    wait = "<script>const end = Date.now() + 1500; while (Date.now() < end);</script>"
    render(reach_out(listener.address, tmp_path / "none") + wait, scripts=True)
    for pool in tabs._pools.values():
        pool.close()
    assert listener.seen == []


def test_a_page_that_reloads_itself_costs_its_time_once(render: Callable[..., Extraction]) -> None:
    begun = time.monotonic()
    render("<script>location.reload()</script><p>words", scripts=True, limits=Limits(render_seconds=3))
    assert time.monotonic() - begun < 60  # of a page that would go on for ever


def test_the_folder_of_a_killed_run_is_cleared_at_the_next_start(chromium: str) -> None:
    code = (
        "import os, signal; from tabellion.read.chromium.process import Chromium\n"
        "print(Chromium().folder, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    left = Path(subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).stdout.decode().strip())
    assert left.exists()
    until = time.monotonic() + 20
    while left.exists() and time.monotonic() < until:  # its Chromium may still be ending
        sweep_folders()
        time.sleep(0.2)
    assert not left.exists()


def test_a_run_leaves_no_folder_behind(chromium: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<table><tr><th>a<th>b<tr><td>1<td>2</table>")
    code = "from tabellion.cli import main; main()"
    arguments = [sys.executable, "-c", code, "extract", "--render", str(tmp_path / "page.html")]
    subprocess.run(arguments, capture_output=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert not list(tmp_path.glob("tabellion-chromium-*"))


def test_a_page_cannot_take_all_memory(render: Callable[..., Extraction]) -> None:
    greedy = """<script>const held = [];
    try { for (let n = 0; n < 64; n++) held.push(new Uint8Array(1 << 28)); } catch (error) {}
    document.title = `${held.length} held`; held.length = 0;</script>"""
    title = render(greedy, scripts=True).document.title
    assert title is not None and int(title.split()[0]) <= 16  # of a quarter of a gigabyte each


@pytest.mark.parametrize(("user", "said"), [(0, True), (1000, False)])
def test_a_missing_sandbox_is_said(user: int, said: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from tabellion.cli import app

    page = tmp_path / "flat.csv"  # nothing of it is rendered, so that no browser is needed
    page.write_text("a,b\nx,1\n", encoding="utf-8")
    monkeypatch.setattr("os.geteuid", lambda: user)
    done = CliRunner().invoke(app, ["extract", str(page), "--render", "--jobs", "1", "-f", "jsonl"])
    assert ("Chromium runs without its sandbox as root" in done.stderr) is said
