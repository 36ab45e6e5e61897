"""Repair in a real browser: strokes by drag and by key, what follows, look-alikes, undo, and two people at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.serving import EXAMPLES, entered, serving
from tabellion.library import open_library
from tabellion.library.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "stacked.xlsx")
        yield library


@pytest.fixture
def address(library: Library) -> Iterator[str]:
    with serving(library) as address:
        yield address


def path_of(library: Library, row: int) -> list[str]:
    said = 'select "row", "left" from tuples join tables using (table_id) where name = \'smoking\' and "column" = 1'
    return next(list(one["left"]) for one in library.query(said).to_pylist() if one["row"] == row)


def said(page: Page) -> None:
    expect(page.locator(".banner.good")).to_be_visible()


def test_a_header_is_dragged_under_another_and_back(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/table/smoking")
    tree = page.get_by_role("tree", name="left headers")
    age = tree.get_by_role("treeitem", name="18 to 24 years").first
    expect(age).to_have_attribute("aria-level", "4")
    age.drag_to(tree.get_by_role("treeitem", name="Male, total").first)
    said(page)
    expect(tree.get_by_role("treeitem", name="18 to 24 years").first).to_have_attribute("aria-level", "3")
    assert path_of(library, 7) == ["Total smokers", "Male, total", "18 to 24 years"]
    page.get_by_role("button", name="Undo").first.click()
    expect(tree.get_by_role("treeitem", name="18 to 24 years").first).to_have_attribute("aria-level", "4")
    page.get_by_role("button", name="Redo").click()
    expect(tree.get_by_role("treeitem", name="18 to 24 years").first).to_have_attribute("aria-level", "3")
    page.get_by_role("grid").press("Control+z")
    expect(tree.get_by_role("treeitem", name="18 to 24 years").first).to_have_attribute("aria-level", "4")
    page.get_by_role("tab", name="History").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("left header A8 '18 to 24 years'")
    assert page.faults == []  # type: ignore[attr-defined]


def test_headers_are_dragged_in_the_grid_and_moved_by_keys(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/table/smoking")
    page.locator("#cell-7-0").drag_to(page.locator("#cell-5-0"))
    said(page)
    assert path_of(library, 7)[-2:] == ["Male, total", "18 to 24 years"]
    page.get_by_role("button", name="Close").click()
    tree = page.get_by_role("tree", name="left headers")
    page.locator("#cell-7-0").click()
    expect(tree.locator(".node.on")).to_have_text("18 to 24 years")
    tree.focus()
    for key in ("m", "ArrowUp", "Enter"):
        tree.press(key)
    said(page)
    assert path_of(library, 7)[-2:] == ["White, total", "18 to 24 years"]


def test_look_alikes_are_offered_applied_and_taken_back(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/table/smoking")
    page.get_by_role("rowheader", name="8", exact=True).click()
    page.get_by_role("button", name="total").click()
    offer = page.locator(".alike")
    expect(offer).to_contain_text(re.compile(r"\d+ more like this"))
    offer.get_by_role("button", name="Preview").click()
    dialog = page.get_by_role("dialog")
    count = dialog.get_by_role("checkbox").count()
    assert count > 0
    dialog.get_by_role("checkbox").first.uncheck()
    dialog.get_by_role("button", name="Apply to").click()
    expect(page.locator(".banner.good")).to_contain_text(f"Corrected {count - 1} more")
    before = len(library.logs([_document(library)])[_document(library)])
    assert before == count
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".banner.good")).to_contain_text(re.compile("Undid"))
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator("#cell-7-1")).to_have_class(re.compile("role-value"))


def test_edges_are_moved_tables_cut_and_taken_for_none(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/table/smoking")
    edge = page.locator('[data-edge="bottom"]')
    box = edge.bounding_box()
    assert box
    page.mouse.move(box["x"] + 40, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] - 46, steps=4)
    page.mouse.up()
    said(page)
    expect(page.locator(".about p")).to_contain_text("A4:F21")
    page.get_by_role("grid").press("Control+z")
    expect(page.locator(".about p")).to_contain_text("A4:F23")
    page.get_by_role("button", name="Text", exact=True).click()
    page.get_by_role("button", name="unit u").click()
    page.get_by_role("textbox", name="unit").fill("per hundred")
    page.get_by_role("button", name="Save").click()
    said(page)
    page.locator("#cell-8-1").click()
    expect(page.locator(".cell-facts")).to_contain_text("per hundred")
    page.goto(address + "#/table/stacked_ferries_2")
    expect(page.locator(".about p")).to_contain_text("A10:D14")
    page.locator("#cell-10-1").click()
    page.get_by_role("button", name="Tables", exact=True).click()
    page.get_by_role("button", name="Not a table").click()
    expect(page.locator(".about p")).to_contain_text("A2:D6")
    assert library.query("select name from tables where name like 'stacked%'").to_pylist() == [{"name": "stacked"}]


def test_a_table_that_gets_another_name_by_a_stroke_stays_in_sight(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/table/smoking")
    page.locator("#cell-13-0").click()
    page.get_by_role("grid").press("/")
    said(page)
    expect(page).to_have_url(re.compile(r"/table/smoking_\w+.*cell=A14"))  # two of them are told apart by their names
    expect(page.get_by_role("combobox", name=re.compile("^Table"))).to_be_visible()
    page.get_by_role("grid").press("Control+z")
    expect(page).to_have_url(re.compile(r"/table/smoking\?.*cell=A14"))
    expect(page.locator(".about p")).to_contain_text("A4:F23")


def test_cells_and_texts_are_said_with_keys_alone(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/table/smoking")
    page.locator("#cell-8-1").click()
    grid = page.get_by_role("grid")
    grid.press("e")
    expect(page.get_by_role("dialog", name="Role of the cells")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#cell-8-1")).to_have_class(re.compile("role-note"))
    grid.press("w")
    page.keyboard.press("c")
    expect(page.get_by_role("textbox", name="caption")).to_be_focused()
    page.keyboard.type("Who smokes")
    page.keyboard.press("Enter")
    expect(page.locator(".banner.good")).to_contain_text("Who smokes")
    expect(grid).to_be_focused()
    log = library.logs([_document(library)])[_document(library)]
    assert [type(one.operation).__name__ for one in log] == ["GiveCellRole", "SayText"]


def test_two_people_in_conflict_are_told_and_nothing_is_overwritten(
    browser: Browser, address: str, library: Library
) -> None:
    ada, bob = (entered(browser, address, "#/table/smoking") for _ in range(2))
    for page, name in ((ada, "ada"), (bob, "bob")):
        page.locator("#cell-7-1").click()
        page.get_by_label("I am").fill(name)
        page.get_by_role("rowheader", name="8", exact=True).click()
    ada.get_by_role("button", name="total").click()
    said(ada)
    bob.get_by_role("button", name="group", exact=True).click()
    alert = bob.get_by_role("alert")
    expect(alert).to_contain_text("Nothing was overwritten")
    expect(alert).to_contain_text("ada")
    bob.get_by_role("button", name="Show their correction").click()
    expect(bob.locator("#cell-7-1")).to_have_class(re.compile("role-derived"))
    bob.get_by_role("button", name="group", exact=True).click()
    said(bob)
    log = library.logs([_document(library)])[_document(library)]
    assert [one.author for one in log] == ["ada", "bob"]


def _document(library: Library) -> str:
    return next(one.id for one in library.documents() if one.source.endswith("smoking.xlsx"))
