"""What was judged not to be a table is told in every medium: its place, its chance, what it seems to be and why."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from tabellion import extract
from tabellion.model.document import PrintedRegion
from tabellion.pipeline import Settings, find_regions, read_source, reject_region
from tabellion.weights import Weights

EXAMPLES = Path(__file__).parents[1] / "examples"
LAYOUT = (
    "<table width='100%'><tr><td><a href='/a'>Home</a></td><td><a href='/b'>News</a></td><td>"
    "<form><input name='q'><button>Go</button></form></td></tr><tr><td colspan='3'>A long text of a page that says a "
    "good deal of things in whole sentences, one after the other, as running text does.</td></tr>"
    "<tr><td><img src='a.png'></td><td><img src='b.png'></td><td>©</td></tr></table>"
)


def test_a_sheet_that_is_a_form() -> None:
    (told,) = json.loads(extract(EXAMPLES / "form.xlsx", why=True).to_json(every=True))["rejected"]
    assert set(told) == {"place", "genuine", "kind", "why"}
    assert told["place"]["sheet"] == "Card" and told["kind"] == "form" and told["genuine"] < 0.5
    assert told["why"] == [["no rows of values", 0.0]]


def test_a_table_of_a_web_page_that_is_layout() -> None:
    (told,) = json.loads(extract(LAYOUT.encode(), why=True).to_json(every=True))["rejected"]
    assert told["kind"] in ("layout", "form", "list") and told["genuine"] < 0.5 and len(told["why"]) == 5
    (plain,) = json.loads(extract(LAYOUT.encode()).to_json(every=True))["rejected"]
    assert plain["kind"] == told["kind"] and plain["why"] == []


def test_a_part_of_a_printed_page() -> None:
    settings, weights = Settings(why=True), Weights()
    document = read_source(EXAMPLES / "report.pdf", settings, weights)
    region = next(iter(find_regions(document, settings, weights)))
    assert isinstance(region, PrintedRegion)
    text = reject_region(msgspec.structs.replace(region, genuine=0.2), settings, weights)
    assert text.place.page and text.kind == "text" and len(text.why) == 5 and all(weight for _, weight in text.why)
    figure = reject_region(msgspec.structs.replace(region, genuine=0.2, kind="figure"), settings, weights)
    assert figure.kind == "figure" and figure.why[0] == ("it is a part of a figure", 0.0)
    contents = reject_region(msgspec.structs.replace(region, genuine=0.1, kind="contents"), settings, weights)
    assert contents.kind == "contents" and contents.why[0] == ("it is a list of contents", 0.0)
