"""Takes the pictures of the app in docs/images from the documents in examples/. Run by `make screenshots`.

Each is a screen of a real Chromium at 1280 by 800, or as narrow as a telephone, light or dark. The animated one shows a
repair: its frames are joined here, so that nothing for pictures has to be installed.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

from tabellion import open_library
from tabellion.read.chromium.process import find_chromium

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
SHOWN = {  # name: where, what must be there, width, height, colours
    "app-find": ("#/find?q=year&view=hits", ".preview td", 1280, 800, "light"),
    "app-sheet": ("#/table/smoking?cell=B9", ".cell-facts dl", 1280, 800, "light"),
    "app-print": ("#/table/report_page1_2?cell=C3", "svg .mark.lit", 1280, 800, "dark"),
    "app-page": ("#/table/lakes_t1?cell=B4", ".over .mark.lit", 1280, 800, "light"),
    "app-ask": ("#/ask?sql=select+*+from+stacked_ferries", ".plot", 1280, 800, "light"),
    "app-narrow": ("#/table/smoking?cell=B9&side=table", ".cell-facts dl", 390, 844, "dark"),
}
_PAUSE = 1_400  # milliseconds a frame of the animated picture is shown


def main() -> None:
    with TemporaryDirectory() as folder:
        with open_library(f"{folder}/shelf", create=True) as library:
            names = ("smoking.xlsx", "pilots.xlsx", "stacked.xlsx", "lakes.html", "report.pdf", "flat.csv")
            library.add(*(ROOT / "examples" / name for name in names))
        server = subprocess.Popen(  # noqa: S603
            [
                *(sys.executable, "-c", "from tabellion.cli import main; main()", "app", "--no-browser"),
                *("--library", f"{folder}/shelf"),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        opened = server.stderr.readline().strip() if server.stderr else ""
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
                for name, shown in SHOWN.items():
                    take(browser, opened, IMAGES / f"{name}.png", *shown)
                (IMAGES / "app-repair.png").write_bytes(animated([packed(one) for one in repairing(browser, opened)]))
                browser.close()
        finally:
            server.terminate()
            server.wait()


def open_page(browser: Browser, opened: str, width: int, height: int, colours: str) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if colours == "dark" else "light"
    )
    context.add_init_script("localStorage.setItem('tabellion.author', 'ada')")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(opened)
    page.get_by_role("searchbox").wait_for()
    return page


def take(
    browser: Browser, opened: str, path: Path, route: str, there: str, width: int, height: int, colours: str
) -> None:
    """One screen."""
    page = open_page(browser, opened, width, height, colours)
    page.goto(opened.partition("#")[0] + route)
    page.locator(there).first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)
    path.write_bytes(packed(page.screenshot()))
    page.context.close()


def repairing(browser: Browser, opened: str) -> Iterator[bytes]:
    """The frames of a repair: a header is chosen, dragged under another, and that is undone."""
    page = open_page(browser, opened, 1000, 560, "light")
    page.goto(opened.partition("#")[0] + "#/table/smoking")
    tree = page.get_by_role("tree", name="left headers")
    tree.get_by_role("treeitem", name="18 to 24 years").first.click()
    page.locator(".cell-facts p").first.wait_for()
    page.wait_for_timeout(500)
    yield page.screenshot()
    tree.get_by_role("treeitem", name="18 to 24 years").first.drag_to(
        tree.get_by_role("treeitem", name="Male, total").first
    )
    page.locator(".banner.good").wait_for()
    page.wait_for_timeout(250)
    yield page.screenshot()
    page.get_by_role("button", name="Undo").first.click()
    page.locator(".banner.good", has_text="Undid").wait_for()
    page.wait_for_timeout(1_800)
    yield page.screenshot()
    page.context.close()


def packed(picture: bytes) -> bytes:
    """The same picture in fewer bytes: browsers pack for speed."""
    parts = list(_chunks(picture))
    pixels = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    header = next(data for kind, data in parts if kind == b"IHDR")
    ends = _chunk(b"IDAT", zlib.compress(pixels, 9)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + ends


def animated(frames: Sequence[bytes]) -> bytes:
    """PNG pictures of one size as one animated PNG."""
    parts = [list(_chunks(frame)) for frame in frames]
    header = next(data for kind, data in parts[0] if kind == b"IHDR")
    width, height = struct.unpack(">II", header[:8])
    whole = [b"\x89PNG\r\n\x1a\n", _chunk(b"IHDR", header), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    turn = 0
    for number, part in enumerate(parts):
        control = struct.pack(">IIIIIHHBB", turn, width, height, 0, 0, _PAUSE, 1000, 0, 0)
        whole.append(_chunk(b"fcTL", control))
        turn += 1
        for data in (data for kind, data in part if kind == b"IDAT"):
            if number == 0:
                whole.append(_chunk(b"IDAT", data))
            else:
                whole.append(_chunk(b"fdAT", struct.pack(">I", turn) + data))
                turn += 1
    return b"".join([*whole, _chunk(b"IEND", b"")])


def _chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += 12 + length


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    main()
