"""How fast the app is in a real browser: from stroke to redrawn table, from click to lit headers, opening, scrolling.

    python bench/app.py [--large]

A sheet of 5,000 cells is repaired in Chromium; with --large one of a million cells is opened and scrolled as well.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from repair import COLUMNS, write_sheet
from tabellion.library import open_library
from tabellion.read.chromium.process import find_chromium

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
STROKES, CLICKS = 40, 40
PAUSE = 250  # milliseconds between two strokes, as of a quick hand
UNTIL = """async ([act, seen]) => {
  const begun = performance.now();
  act();
  while (!seen()) {
    if (performance.now() - begun > 10000) return NaN;
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);  // a frame that shows it is made
  const told = new MessageChannel();
  await new Promise(done => { told.port1.onmessage = done; told.port2.postMessage(0); });
  return performance.now() - begun;
}"""
SCROLL = """async () => {
  const grid = document.querySelector('[role=grid]');
  const begun = performance.now();
  let frames = 0;
  while (performance.now() - begun < 4000) {
    grid.scrollTop += 120;
    frames += 1;
    await new Promise(requestAnimationFrame);
  }
  return frames / 4;
}"""


def measure(page: Page, act: str, seen: str) -> float:
    """Milliseconds from an act to what shall be seen, within the page itself."""
    return float(page.evaluate(f"({UNTIL})([() => {{ {act} }}, () => {seen}])"))


def tell(name: str, times: list[float]) -> None:
    times = sorted(times)
    late = times[max(0, math.ceil(0.95 * len(times)) - 1)]
    print(f"{name}: median {statistics.median(times):.0f} ms, 95 % within {late:.0f} ms ({len(times)} times)")


def strokes(page: Page, address: str) -> None:
    page.goto(f"{address}#/table/places")
    page.locator("#cell-20-1").wait_for()
    clicks, roles = [], []
    for number in range(CLICKS):
        row, column = 4 + number % 18, 2 + number % 7
        there = f"document.getElementById('cell-0-{column}').classList.contains('lit')"
        page.locator("#cell-3-0").click()
        clicks.append(measure(page, f"document.getElementById('cell-{row}-{column}').click()", there))
    for number in range(STROKES):
        row = 2 + number // 2 % 20
        said, role = (("derived", "derived"), ("data", "value"))[number % 2]
        page.locator(f'.row[aria-rowindex="{row + 2}"] > [role=rowheader]').click()
        act = "[...document.querySelectorAll('.paint')].find(one => one.textContent === '" + said + "').click()"
        seen = f"document.getElementById('cell-{row}-{COLUMNS - 1}').classList.contains('role-{role}')"
        roles.append(measure(page, act, seen))
        page.locator(".toolbar[aria-busy=false]").wait_for()  # it is kept
        page.wait_for_timeout(PAUSE)
    tell("from click to lit headers", clicks)
    tell("from stroke to redrawn table", roles)


def large(page: Page, address: str) -> None:
    for turn in ("first", "again"):
        page.goto(f"{address}#/find")
        page.get_by_role("searchbox").wait_for()
        page.set_default_timeout(120_000)
        begun = page.evaluate("performance.now()")
        page.goto(f"{address}#/table/million")
        page.locator("#cell-1-1").wait_for()
        print(f"a million cells, opened {turn}: {page.evaluate('performance.now()') - begun:,.0f} ms")
    print(f"scrolling: {page.evaluate(f'({SCROLL})()'):.0f} frames a second")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, wide = Path(folder) / "places.xlsx", Path(folder) / "million.csv"
        write_sheet(small)
        with open_library(f"{folder}/shelf", create=True) as library:
            library.add(small)
            if "--large" in sys.argv:
                lines = [",".join(["id", *(f"m{n}" for n in range(19))])]
                lines += [",".join([f"row {r}", *(str(r * 19 + n) for n in range(19))]) for r in range(50_000)]
                wide.write_text("\n".join(lines))
                library.add(wide)
        server = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from tabellion.cli import main; main()",
                "app",
                "--library",
                f"{folder}/shelf",
                "--no-browser",
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stderr is not None
        opened = server.stderr.readline().strip()
        try:
            with sync_playwright() as playwright:
                page = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS).new_page()
                page.goto(opened)
                page.get_by_role("searchbox").wait_for()
                strokes(page, opened.partition("#")[0])
                if "--large" in sys.argv:
                    large(page, opened.partition("#")[0])
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
