"""The app in a real browser: what a person finds, sees and mends there."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.serving import EXAMPLES, TOKEN, entered, serving
from tabellion.library import open_library
from tabellion.library.library import Library

SCRIPT = "<img src=x onerror=\"document.title='robbed'\"><script>document.title='robbed'</script>"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("app") / "shelf"), create=True) as library:
        library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "pilots.xlsx", "lakes.html", "report.pdf")))
        yield library


@pytest.fixture(scope="module")
def address(library: Library) -> Iterator[str]:
    with serving(library) as address:
        yield address


@pytest.fixture
def web_server(library: Library) -> Iterator[str]:
    """The examples on a server of this computer, which the library may fetch from for once."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(EXAMPLES))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    library.private, before = True, library.private
    yield f"http://127.0.0.1:{server.server_port}"
    library.private = before
    server.shutdown()
    thread.join(10)


def unharmed(page: Page) -> None:
    assert page.faults == [] and "robbed" not in page.title()  # type: ignore[attr-defined]


def test_without_the_token_nothing_is_shown(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address)
    expect(page.get_by_role("heading")).to_have_text("This library is locked")
    page.get_by_label("Token").fill("guess")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_have_text("this is not the token")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("searchbox")).to_be_visible()
    (cookie,) = page.context.cookies()
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and TOKEN not in cookie["value"]
    page.reload()
    expect(page.get_by_role("searchbox")).to_be_visible()


def test_a_table_is_found_and_the_search_has_an_address(browser: Browser, address: str) -> None:
    page = entered(browser, address)
    assert TOKEN not in page.url
    page.get_by_role("searchbox").fill("smoking")
    hit = page.get_by_role("link", name="Adults who smoke")
    hit.wait_for()
    assert "q=smoking" in page.url
    expect(page.get_by_role("region", name="First rows of smoking")).to_contain_text("Male, total")
    page.get_by_role("link", name="spreadsheet").click()
    expect(page.get_by_role("searchbox")).to_have_value("smoking medium:spreadsheet")
    page.get_by_role("link", name="Uncertain first").click()
    expect(page.get_by_role("table")).to_contain_text("Area and depth of lakes")
    unharmed(page)


def test_a_sheet_shows_a_value_and_lights_its_headers(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/table/smoking")
    page.locator("#cell-8-1").click()
    facts = page.locator(".cell-facts")
    expect(facts).to_contain_text("Total smokers › Male, total › White, total › 25 to 34 years")
    expect(facts).to_contain_text("31.6 %")
    expect(page.locator("#cell-3-1")).to_have_class(re.compile("lit"))
    expect(page).to_have_url(re.compile("cell=B9"))
    page.locator("#cell-5-0").click()
    expect(facts).to_contain_text("over 45 values")
    expect(page.locator("#cell-13-5")).to_have_class(re.compile("lit"))
    page.get_by_role("grid").press("ArrowDown")
    expect(facts).to_contain_text("White, total")
    for view, said in (("Tidy", "95 values"), ("Relation", "18 to 24 years"), ("Metadata", "smoking.xlsx")):
        page.get_by_role("tab", name=view).click()
        expect(page.get_by_role("tabpanel")).to_contain_text(said)
    unharmed(page)


def test_a_printed_page_is_shown_as_it_is(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/table/report_page1")
    picture = page.get_by_role("img", name="Page 1 of")
    picture.wait_for()
    assert picture.evaluate("one => one.decode().then(() => one.naturalWidth)") > 900
    page.locator("rect.role-value").first.click()
    expect(page.locator(".cell-facts dl")).to_be_visible()
    expect(page.locator("rect.mark.lit").first).to_be_visible()
    page.get_by_role("tab", name="Grid").click()
    expect(page.get_by_role("grid")).to_contain_text("2023")
    unharmed(page)


def test_a_saved_page_is_shown_without_its_scripts(
    browser: Browser, address: str, library: Library, tmp_path: Path
) -> None:
    rows = "".join(f"<tr><td>Lake {n}</td><td>{n * 7}</td></tr>" for n in range(1, 6))
    struck = "<script>top.document.title='robbed'</script><img src=x onerror=\"top.document.title='robbed'\">"
    path = tmp_path / "hostile.html"
    path.write_text(f"<h1>Lakes</h1>{struck}<table><tr><th>Lake</th><th>Depth</th></tr>{rows}</table>")
    library.add(path)
    page = entered(browser, address, "#/table/hostile")
    mark = page.locator(".over .mark.role-value").first
    mark.click()
    expect(page.locator(".cell-facts dl")).to_contain_text("Depth")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading")).to_have_text("Lakes")
    assert page.locator("iframe").get_attribute("sandbox") == "allow-same-origin"
    assert "robbed" not in page.title()


def test_cells_are_text_whatever_they_say(browser: Browser, address: str, library: Library, tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "<b>Sheet"
    for row in ([SCRIPT], ["Town", "<svg onload=alert(1)>", "2001"], [SCRIPT, 3, 4], ["Lyon", 5, 6], ["Oslo", 7, 8]):
        sheet.append(row)
    path = tmp_path / "struck.xlsx"
    book.save(path)
    library.add(path)
    page = entered(browser, address, "#/find?q=lyon&view=hits")
    page.get_by_role("link", name="<img").first.click()
    expect(page.get_by_role("grid")).to_contain_text("<svg onload=alert(1)>")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    page.locator("#cell-2-1").click()
    for view in ("Trees", "Tidy", "Relation", "Metadata"):
        page.get_by_role("tab", name=view).click()
        expect(page.get_by_role("tab", name=view)).to_have_attribute("aria-selected", "true")
    unharmed(page)
    assert page.locator("main img, main script").count() == 0


def test_a_broken_file_is_told_of_and_others_are_kept(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address)
    page.get_by_label("Files", exact=True).set_input_files(
        [
            {"name": "broken.xlsx", "mimeType": "application/octet-stream", "buffer": b"PK\x03\x04 not a workbook"},
            {"name": "towns.csv", "mimeType": "text/csv", "buffer": b"town,people\nLyon,5\nOslo,7\nBern,3\n"},
        ]
    )
    jobs = page.get_by_role("region", name="Documents that were sent")
    expect(jobs).to_contain_text("2 read, 1 could not be")
    expect(jobs.locator(".failed")).to_contain_text("broken.xlsx")
    expect(jobs.locator(".kept")).to_contain_text("1 table, 3 values")
    expect(page.get_by_role("table")).to_contain_text("towns.csv")


def test_a_folder_and_an_address_are_taken(
    browser: Browser, address: str, library: Library, tmp_path: Path, web_server: str
) -> None:
    (tmp_path / "towns" / "north").mkdir(parents=True)
    (tmp_path / "towns" / "south.csv").write_text("town,people\nLyon,5\nBern,3\nGraz,2\n")
    (tmp_path / "towns" / "north" / "cold.csv").write_text("town,people\nOslo,7\nTurku,3\nUmea,1\n")
    page = entered(browser, address)
    page.get_by_label("Folder", exact=True).set_input_files(tmp_path / "towns")
    jobs = page.get_by_role("region", name="Documents that were sent")
    expect(jobs).to_contain_text("2 read, 0 could not be")
    expect(jobs).to_contain_text("towns/north/cold.csv")
    page.get_by_label("Address of a document").fill(f"{web_server}/flat.csv")
    page.get_by_role("button", name="Fetch").click()
    expect(jobs).to_contain_text("3 read, 0 could not be")
    page.get_by_label("Address of a document").fill(f"{web_server}/gone.html")
    page.get_by_role("button", name="Fetch").click()
    expect(jobs).to_contain_text("4 read, 1 could not be")
    expect(jobs.locator(".failed")).to_contain_text("404")
    sources = [one.source for one in library.documents()]
    assert f"{web_server}/flat.csv" in sources and any("cold.csv" in one for one in sources)
    unharmed(page)


def test_a_question_is_completed_answered_and_drawn(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/ask")
    box = page.get_by_label("SQL")
    box.fill("")
    box.press_sequentially("select * from smo")
    option = page.get_by_role("option", name="smoking")
    option.wait_for()
    box.press("Enter")
    expect(box).to_have_value("select * from smoking")
    box.press("Control+Enter")
    expect(page.get_by_role("img", name="bar plot of 1990")).to_be_visible()
    expect(page.get_by_role("region", name="Rows")).to_contain_text("18 to 24 years")
    page.get_by_role("combobox", name="Plot").select_option("scatter")
    expect(page.get_by_role("img", name="scatter plot")).to_be_visible()
    assert "sql=select" in page.url and "plot=scatter" in page.url
    with page.expect_download() as saved:
        page.get_by_role("combobox", name="Save").select_option("csv")
    assert saved.value.path().read_text().startswith("sex_race_and_age_1,")
    with page.expect_download() as saved:
        page.get_by_role("combobox", name="Save").select_option("xlsx")
    assert saved.value.suggested_filename == "answer.xlsx" and saved.value.path().read_bytes().startswith(b"PK")
    page.get_by_role("button", name="Joins of pilots").click()
    expect(page.get_by_role("heading", name="Joins of pilots")).to_be_visible()
    unharmed(page)


def test_a_question_is_saved_with_its_parameter_and_asked_again(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/ask")
    page.get_by_label("SQL").fill("select * from tables where name = :wanted")
    page.get_by_label("Name of the query").fill("one_table")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="one_table", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Give a value for wanted")
    page.get_by_label("wanted", exact=True).fill("pilots")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("region", name="Rows")).to_contain_text("pilots")
    page.get_by_role("button", name="Forget one_table").click()
    expect(page.get_by_role("list", name="Saved queries")).to_be_empty()


def test_ground_truth_is_made_apart_from_the_library(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/annotate?annotator=eve")
    page.get_by_role("link", name="Adults who smoke").click()
    page.get_by_text("Labels by eve").wait_for()
    page.get_by_role("rowheader", name="8", exact=True).click()
    page.get_by_role("button", name="total").click()
    expect(page.locator("#cell-7-1")).to_have_class(re.compile("role-derived"))
    page.get_by_role("checkbox").click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    page.get_by_role("link", name="All tables").click()
    expect(page.get_by_role("row", name=re.compile("Adults who smoke"))).to_contain_text("done")
    expect(page.get_by_role("link", name="Export 1 finished")).to_be_visible()
    page.goto(address + "#/table/smoking")
    expect(page.locator("#cell-7-1")).to_have_class(re.compile("role-value"))


def test_the_parts_of_a_page_are_said_by_keys_and_kept(browser: Browser, address: str, library: Library) -> None:
    page = entered(browser, address, "#/annotate?annotator=eve")
    page.get_by_role("link", name="lakes.html").click()
    expect(page.get_by_role("heading", name="Parts of a page")).to_be_visible()
    text = page.locator(".page-parts button:not([aria-pressed=true])").first
    said = text.inner_text()
    text.focus()
    text.press("Enter")
    expect(page.locator(".page-parts button[aria-pressed=true]", has_text=said).first).to_be_visible()
    expect(page.get_by_text("as eve says")).to_be_visible()
    page.get_by_role("checkbox").click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    page.reload()
    expect(page.get_by_text("as eve says")).to_be_visible()
    unharmed(page)


def test_places_are_drawn_on_a_map(browser: Browser, address: str) -> None:
    page = entered(browser, address, "#/ask?sql=select+*+from+pilots")
    expect(page.get_by_role("img", name="map of")).to_be_visible()
    expect(page.locator('[data-place="US-CA"]')).to_have_class(re.compile("shade"))
    expect(page.locator(".map figcaption")).to_contain_text("71,053")
    page.get_by_role("combobox", name="Plot").select_option("bar")
    expect(page.get_by_role("img", name="bar plot")).to_be_visible()
    unharmed(page)
