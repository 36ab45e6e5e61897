"""Pages that were read as a reader sees them are kept so: whole, and drawn again whenever they are read again."""

from __future__ import annotations

import json
import shutil
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tabellion.cli import app
from tabellion.errors import UsageError
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.verify import verify_library
from tabellion.pipeline import Settings
from tabellion.web.app import build_app

CELLS = (("Lake", "Area", "Depth"), ("Geneva", "580", "310"), ("Garda", "370", "346"), ("Balaton", "594", "12"))
SHEET = ".lakes{display:grid;grid-template-columns:120px 80px 80px}"
HIDDEN = ".lakes{display:none}"
RENDERED = Settings(render="always")


def write_page(folder: Path, sheet: str = SHEET) -> Path:
    """A page whose table is one only by a style sheet beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "first.css").write_text("@import url('looks/second.css');", encoding="utf-8")
    (folder / "looks").mkdir(exist_ok=True)
    (folder / "looks" / "second.css").write_text(sheet, encoding="utf-8")
    cells = "".join(f"<b>{cell}</b>" for cell in CELLS[0])
    cells += "".join(f"<span>{cell}</span>" for row in CELLS[1:] for cell in row)
    head = "<link rel=stylesheet href=first.css><title>Lakes</title>"
    path = folder / "lakes.html"
    body = f"<p>Some lakes of Europe and what is known of them.</p><div class=lakes>{cells}</div>"
    path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return path


def values(library: Library) -> list[tuple[str, ...]]:
    rows = library.query('select text, top, "left" from tuples order by "row", "column"').to_pylist()
    return [(row["text"], *row["top"], *row["left"]) for row in rows]


def test_a_rendered_page_is_rebuilt_without_the_files_it_was_drawn_with(chromium: str, tmp_path: Path) -> None:
    page, shelf = write_page(tmp_path / "pages"), str(tmp_path / "shelf")
    call = CliRunner().invoke
    done = call(app, ["add", str(page), "--render", "--library", shelf, "--format", "jsonl"])
    assert (done.exit_code, json.loads(done.stdout)["status"]) == (0, "added")
    with open_library(shelf) as library:
        before = values(library)
        assert ("346", "Depth", "Garda") in before
    shutil.rmtree(page.parent)
    assert call(app, ["rebuild", "--library", shelf]).exit_code == 0
    with open_library(shelf) as library:
        assert values(library) == before
        assert list(verify_library(library)) == []
        repair = library.repair("lakes")  # under repair the page is drawn too
        repair.set_text("title", "Lakes of Europe")
        assert values(library) == before
    published = call(app, ["export", "lakes", "--library", shelf, "--to", "csv"])
    assert published.exit_code == 0 and "346" in published.stdout


def test_a_page_is_read_again_when_it_is_to_be_rendered_or_a_file_of_its_own_changed(
    chromium: str, tmp_path: Path
) -> None:
    page = write_page(tmp_path / "pages")

    def add(settings: Settings = Settings()) -> tuple[str, int]:
        [kept] = library.add(page, settings=settings)
        return kept.status, kept.tables

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        assert add() == ("added", 0)
        assert add() == ("unchanged", 0)
        assert add(RENDERED) == ("replaced", 1)
        assert add(RENDERED) == ("unchanged", 1)
        assert add() == ("unchanged", 1)  # it stays rendered without being told again
        write_page(tmp_path / "pages", HIDDEN)
        assert add() == ("replaced", 0)
        write_page(tmp_path / "pages")
        assert add() == ("replaced", 1)


def test_the_automatic_choice_is_made_again_when_a_page_is_read_again(chromium: str, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden.html"
    cells = "".join(f"<span>{cell}</span>" for row in CELLS for cell in row)
    grid = "display:grid;grid-template-columns:120px 80px 80px"
    hidden.write_text(f"<!doctype html><html><body><div style='{grid}'>{cells}</div></body></html>", encoding="utf-8")
    plain = tmp_path / "plain.csv"
    plain.write_text("Town,1990,1991\nYork,1,2\nRipon,3,4\n", encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        for status in ("added", "unchanged"):
            kept = library.add(hidden, plain, settings=Settings(render="auto"))
            assert [(one.status, one.tables) for one in kept] == [(status, 1), (status, 1)]


def test_scripts_do_not_run_for_a_library(tmp_path: Path) -> None:
    page = write_page(tmp_path / "pages")
    with (
        open_library(str(tmp_path / "shelf"), create=True) as library,
        pytest.raises(UsageError, match="scripts do not run"),
    ):
        library.add(page, settings=Settings(render="always", scripts=True))


def test_a_page_of_the_web_is_kept_with_its_style_sheets(chromium: str, tmp_path: Path) -> None:
    folder = write_page(tmp_path / "pages").parent
    asked: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            path = folder / self.path.lstrip("/")
            self.send_response(200 if path.is_file() else 404)
            self.send_header("Content-Type", "text/css" if path.suffix == ".css" else "text/html")
            self.end_headers()
            self.wfile.write(path.read_bytes() if path.is_file() else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/lakes.html"
    shelf = str(tmp_path / "shelf")
    try:
        done = CliRunner().invoke(app, ["add", address, "--render", "--network", "--library", shelf])
    finally:
        server.shutdown()
        server.server_close()
    assert done.exit_code == 0
    assert set(asked) >= {"/lakes.html", "/first.css", "/looks/second.css"}
    assert CliRunner().invoke(app, ["rebuild", "--library", shelf]).exit_code == 0
    with open_library(shelf) as library:
        assert ("346", "Depth", "Garda") in values(library)


def test_a_page_that_is_sent_may_be_rendered(chromium: str, tmp_path: Path) -> None:
    page = write_page(tmp_path / "pages")
    whole = page.read_text().replace("<link rel=stylesheet href=first.css>", f"<style>{SHEET}</style>").encode()
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        client = TestClient(build_app(library, write=True), base_url="http://127.0.0.1:8765")
        send = {"name": "lakes.html", "render": "always"}
        assert (
            client.post("/documents", params=send, content=whole, headers={"Content-Type": "text/html"}).json()[
                "tables"
            ]
            == 1
        )
        send = {"name": "lakes.html"}
        assert (
            client.post("/documents", params=send, content=whole, headers={"Content-Type": "text/html"}).json()[
                "status"
            ]
            == "unchanged"
        )
        send = {"name": "lakes.html", "render": "sometimes"}
        assert (
            client.post("/documents", params=send, content=whole, headers={"Content-Type": "text/html"}).status_code
            == 422
        )
