"""How long a rendered page takes: tabellion to tuples, beside Chromium's own load and a bare Playwright snapshot.

    python bench/rendered.py [--pages N]

In: the pages of the corpora visual and webtables. Out: at the median, the seconds per page of (1) loading it in
Chromium, (2) the whole way to tuples, rendered, (3) the same from the markup alone, and (4) where the extra `bench` is
installed, Playwright with its usual driver: load, then the same snapshot over a session of the protocol. What must
hold: (2) at most 0.3 seconds beyond (1).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tabellion.learn.corpora import corpus_folder
from tabellion.pipeline import Settings, extract_document
from tabellion.read.chromium.process import find_chromium
from tabellion.read.chromium.rendered import serve_page
from tabellion.read.chromium.tabs import STYLES, Tab, Tabs

LIMIT = 0.3  # seconds beyond the load


def median_of(work: Callable[[Path], object], pages: list[Path]) -> float:
    """The median time of a page, after one that is not counted."""
    work(pages[0])
    times = []
    for page in pages:
        start = time.perf_counter()
        work(page)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def load_alone(tab: Tab, page: Path) -> None:
    """Load a page as `Tab.render` does, without looking at it."""
    served = serve_page(page.read_bytes(), "utf-8", path=page)
    tab.browser.send("Page.navigate", {"url": served.address}, tab._session)
    tab._load(served.answer, time.monotonic() + 20)


def by_playwright(pages: list[Path]) -> float | None:
    """The median of Playwright's load and a snapshot with the same styles."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    wanted = {"computedStyles": list(STYLES)}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        context = browser.new_context(java_script_enabled=False, offline=True)
        page = context.new_page()
        session = context.new_cdp_session(page)

        def look(path: Path) -> None:
            page.goto(path.resolve().as_uri())
            session.send("DOMSnapshot.captureSnapshot", wanted)

        seconds = median_of(look, pages)
        browser.close()
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100, help="how many pages of each corpus")
    count = parser.parse_args().pages
    within = True
    for corpus in ("visual", "webtables"):
        folder = corpus_folder(corpus)
        if folder is None:
            print(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
            return 2
        every = sorted((folder / "pages").iterdir())
        pages = every[:: max(1, len(every) // count)]
        tabs = Tabs()
        load = median_of(lambda page, tab=tabs._take(): load_alone(tab, page), pages)
        tabs.close()
        ours = median_of(lambda page: extract_document(page, Settings(render="always")), pages)
        still = median_of(extract_document, pages)
        print(f"{corpus}: {len(pages)} pages, seconds per page at the median")
        print(f"  Chromium's load                     {load:.3f}")
        print(f"  tabellion, rendered, to tuples      {ours:.3f}  ({ours - load:+.3f}; must: {LIMIT:+.1f})")
        print(f"  tabellion, from the markup alone    {still:.3f}")
        driver = by_playwright(pages)
        if driver is not None:
            print(f"  Playwright, load and bare snapshot  {driver:.3f}")
        within &= ours - load <= LIMIT
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
