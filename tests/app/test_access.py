"""Who cannot see, point or wait: no violation by axe on any screen, in light and dark; narrow screens; large sheets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app.serving import EXAMPLES, entered, serving
from tabellion.library import open_library
from tabellion.library.library import Library

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = {
    "find": ("#/find", "table.list"),
    "hits": ("#/find?q=smoking&view=hits", ".preview table"),
    "sheet": ("#/table/smoking?cell=B9", ".cell-facts dl"),
    "page": ("#/table/lakes_t1?cell=B4", ".over .mark"),
    "print": ("#/table/report_page1?view=grid", ".grid .cell"),
    "ask": ("#/ask?sql=select+*+from+smoking", ".plot"),
    "sites": ("#/sites", "code"),
    "annotate": ("#/annotate?annotator=ada", "table.list"),
    "doubt": ("#/find?view=doubt", "table.list"),
    "map": ("#/ask?sql=select+*+from+pilots", ".map svg"),
    "history": ("#/table/smoking?view=history", ".panel .note"),
    "tidy": ("#/table/smoking?view=tidy", ".list.tight"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("access") / "shelf"), create=True) as library:
        library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "lakes.html", "report.pdf", "pilots.xlsx")))
        yield library


@pytest.fixture(scope="module")
def address(library: Library) -> Iterator[str]:
    with serving(library) as address:
        yield address


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_on_any_screen(browser: Browser, address: str, colours: str) -> None:
    if not AXE.exists():
        missing = "axe is not there: `make components` installs it, where Node is there"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    page = entered(browser, address, color_scheme=colours)
    found: list[str] = []
    for name, (route, there) in SCREENS.items():
        page.goto(address + route)
        page.locator(there).first.wait_for()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        said = page.evaluate("axe.run(document, {iframes: false}).then(one => one.violations)")
        found += [f"{name}: {one['id']}: {one['nodes'][0]['html'][:160]}" for one in said]
    assert not found, "\n".join(found)


def test_a_narrow_screen_shows_one_side_at_a_time(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/table/smoking", viewport={"width": 390, "height": 844})
    expect(page.get_by_role("grid")).to_be_visible()
    expect(page.get_by_role("tree").first).to_be_hidden()
    page.get_by_role("button", name="table", exact=True).click()
    expect(page.get_by_role("tree").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_at_double_size_everything_is_within_reach(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/table/smoking", viewport={"width": 640, "height": 400})
    page.locator("#cell-4-1").click()
    page.get_by_role("button", name="table", exact=True).click()
    expect(page.get_by_role("tab", name="Trees")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_of_a_large_sheet_only_what_is_seen_is_drawn(
    browser: Browser, address: str, library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "long.csv"
    lines = [",".join(f"m{n}" for n in range(20))]
    lines += [",".join(str(row * 20 + n) for n in range(20)) for row in range(2_000)]
    path.write_text("\n".join(lines))
    library.add(path)
    page = entered(browser, address, "#/table/long")
    grid = page.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "2002")
    expect(page.locator("#cell-1-0")).to_have_text("0")
    assert page.locator(".cell").count() < 1_500
    grid.evaluate("one => { one.scrollTop = 1500 * 24 }")
    expect(page.locator("#cell-1510-2")).to_have_text(str(1509 * 20 + 2))
    assert page.locator(".cell").count() < 1_500
    grid.focus()
    grid.press("Control+End")
    expect(page.locator(".cell.current")).to_have_id(re.compile(r"cell-\d+-19"))
