"""Chromium is started, killed, hung and put away without a page being lost or anything being left behind."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tabellion.errors import MissingExtraError
from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read.chromium.process import Chromium, _machine, sweep_folders
from tabellion.read.chromium.rendered import serve_page
from tabellion.read.chromium.tabs import Answer, TabLostError, Tabs
from tabellion.read.limits import Limits

PAGE = b"<!doctype html><p>Some words.</p><img src=picture.png>"


@pytest.fixture(scope="module")
def tabs(chromium: str) -> Iterator[Tabs]:
    made = Tabs()
    yield made
    made.close()


def render_small(tabs: Tabs, during: Callable[[], None] = lambda: None, seconds: float = 20.0) -> bytes:
    """Render a small page; `during` is done when it asks for its picture."""
    served = serve_page(PAGE, "utf-8")

    def answer(address: str, kind: str) -> Answer | None:
        if kind == "Image":
            during()
        return served.answer(address, kind)

    return bytes(tabs.render(served.address, answer, seconds).data)


def kill(tabs: Tabs) -> None:
    assert tabs._browser is not None
    os.killpg(tabs._browser.process, signal.SIGKILL)


def running_in(folder: Path) -> list[str]:
    """The commands of all processes that mention a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) in command and int(entry.name) != os.getpid():
                found.append(command.decode(errors="replace"))
    return found


def test_one_tab_serves_page_after_page(tabs: Tabs) -> None:
    for _ in range(5):
        assert b"Some words." in render_small(tabs)
    assert len(tabs._idle) == 1


def test_chromium_killed_between_or_within_pages_is_started_anew(tabs: Tabs) -> None:
    render_small(tabs)
    kill(tabs)
    assert b"Some words." in render_small(tabs)
    killed: list[bool] = []

    def kill_once() -> None:
        if not killed:
            killed.append(True)
            kill(tabs)

    assert b"Some words." in render_small(tabs, kill_once)
    assert killed


def test_a_page_that_brings_its_tab_down_costs_its_tab(tabs: Tabs) -> None:
    render_small(tabs)
    [tab] = tabs._idle

    def crash() -> None:
        tab.browser.send("Page.crash", {}, tab._session)

    with pytest.raises(TabLostError):
        render_small(tabs, crash, seconds=5)
    assert b"Some words." in render_small(tabs)


def test_a_page_that_hangs_costs_its_time_and_is_read_from_its_markup(
    render: Callable[..., Extraction],
) -> None:
    rows = "".join(f"<tr><td>{year}<td>{year - 1900}.5" for year in range(1990, 1998))
    body = f"<table><tr><th>Year<th>Output{rows}</table><script>while (true) {{}}</script>"
    found = render(body, scripts=True, limits=Limits(render_seconds=1.0))
    assert len(found.tables) == 1
    assert any("not rendered" in issue.note for issue in found.issues)


def test_a_run_leaves_no_process_and_no_folder_behind(chromium: str, tmp_path: Path) -> None:
    pages, home = tmp_path / "pages", tmp_path / "home"
    pages.mkdir()
    home.mkdir()
    for number in range(4):
        (pages / f"{number}.html").write_bytes(PAGE)
    run = "from tabellion.cli import main; main()"
    command = [sys.executable, "-c", run, "extract", *map(str, pages.iterdir()), "--render", "--jobs", "2"]
    done = subprocess.run(command, env={**os.environ, "TMPDIR": str(home)}, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == 4
    assert list(home.glob("tabellion-*")) == []
    assert running_in(home) == []


def test_what_a_killed_run_left_is_swept_away_by_a_later_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    here, other = f"tabellion-chromium-{_machine()}", "tabellion-chromium-elsewhere"
    kept = [tmp_path / f"{here}-{os.getpid()}-alive", tmp_path / f"{other}-4194305-young"]
    gone = tmp_path / f"{other}-4194305-old"
    (tmp_path / f"{here}-4194305-young").mkdir()
    for folder in (*kept, gone):
        folder.mkdir()
    for folder in (kept[0], gone):
        os.utime(folder, (0, 0))
    sweep_folders()
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_without_chromium_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABELLION_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(MissingExtraError, match="apt-get install chromium"):
        extract_document("<html><body><p>words", Settings(render="always"))
    assert not extract_document("<html><body><p>words").issues


def test_without_chromium_a_page_that_wants_rendering_is_read_from_its_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABELLION_CHROMIUM", "/nowhere/chromium")
    grid = "<div style='display:grid'><span>Name</span><span>Age</span></div>"
    [issue] = extract_document(f"<html><body>{grid}", Settings(render="auto")).issues
    assert "read from its markup alone" in issue.note
    assert not extract_document("<html><body><p>words", Settings(render="auto")).issues


def test_a_process_that_has_set_much_aside_starts_chromium(chromium: str) -> None:
    with mmap.mmap(-1, 5 * 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):
        browser = Chromium()
        browser.close()
