"""A page falls into the parts a reader sees, by our method and by the paper's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabellion.errors import HostileError
from tabellion.mine.hierarchy import SegmentMethod, segment_page
from tabellion.mine.sources import find_tables
from tabellion.read.web.page_tree import parse_page_tree, read_page_tree

METHODS: tuple[SegmentMethod, ...] = ("blocks", "ontominer")
SHOP = """<header><ul><li>Home<li>Shop<li>Help</ul></header>
<main><h1>Lamp</h1><p>A lamp that gives light all night long and asks for nothing in return.</p>
<h2>Details</h2><table><tr><td>Height<td>40 cm<tr><td>Weight<td>2 kg<tr><td>Colour<td>red</table>
<h2>Customers also bought</h2><ul><li>Bulb<li>Cable<li>Plug<li>Shade</ul></main>
<footer><a href="/imprint">Imprint</a> <a href="/terms">Terms</a></footer>"""


def test_a_segment_begins_at_each_heading_and_landmark() -> None:
    firsts = [segment[0] for segment in segment_page(parse_page_tree(SHOP)).segments]
    assert firsts == ["Home", "Lamp", "Details", "Customers also bought", "Imprint"]


def test_a_label_in_a_row_names_its_value_below_the_heading() -> None:
    tree = segment_page(parse_page_tree(SHOP)).as_json("shop")["tree"]
    details = next(node for node in tree["children"] if node["label"] == "Details")
    assert [(row["label"], row["children"][0]["label"]) for row in details["children"]] == [
        ("Height", "40 cm"),
        ("Weight", "2 kg"),
        ("Colour", "red"),
    ]


def test_teasers_under_one_heading_stay_together() -> None:
    teasers = "".join(f"<div><a><h3>Story {n}</h3></a><span>From</span><span>World</span></div>" for n in range(4))
    page = parse_page_tree(f"<h2>Top</h2><section>{teasers}</section><h2>More</h2><section>{teasers}</section>")
    assert [len(segment) for segment in segment_page(page).segments] == [13, 13]


STATISTICS = """<h1>Ada</h1><p>Player of the year in her league, with many games behind her.</p>
<h2>Seasons</h2><table><tr><th>Season<th>Games<th>Points{rows}</table><p>More to come."""


def test_a_data_table_is_put_back_with_its_labels_over_its_values() -> None:
    rows = "".join(f"<tr><td>{2001 + n}<td>{70 + n}<td>{500 + 7 * n}" for n in range(5))
    markup = STATISTICS.format(rows=rows)
    page = find_tables(parse_page_tree(markup), markup.encode())
    assert [(table.first, table.last) for table in page.tables] == [(3, 21)]
    tree = segment_page(page).as_json("statistics")["tree"]
    seasons = next(node for node in tree["children"] if node["label"] == "Seasons")
    points = [node for node in walk(seasons) if node["label"] == "Points"]
    assert {child["label"] for node in points for child in node["children"]} >= {"500", "507", "528"}


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from walk(child)


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_page_has_no_segments(method: SegmentMethod) -> None:
    assert segment_page(parse_page_tree("<script>x</script>"), method).segments == []


NESTING = st.recursive(
    st.text("ab .:", min_size=1, max_size=5),
    lambda inner: st.tuples(
        st.sampled_from(["div", "p", "ul", "li", "b", "td", "tr", "table", "h2", "a"]), st.lists(inner)
    ),
    max_leaves=40,
)


def markup(part: object) -> str:
    if isinstance(part, str):
        return part
    tag, inner = part  # type: ignore[misc]
    return f"<{tag}>{''.join(map(markup, inner))}</{tag}>"


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(part=NESTING)
def test_the_segments_are_all_leaves_in_order(method: SegmentMethod, part: object) -> None:
    page = parse_page_tree(markup(part))
    assert [text for segment in segment_page(page, method).segments for text in segment] == page.texts


@pytest.mark.parametrize("method", METHODS)
def test_deep_and_long_pages_are_read(method: SegmentMethod) -> None:
    assert len(segment_page(parse_page_tree("<div>x" * 500), method).page) == 500


def boundaries(firsts: list[int], gold: list[int]) -> float:
    """F1 of boundaries at the very leaf."""
    hits = len(set(firsts) & set(gold))
    return 2 * hits / (len(firsts) + len(gold))


def test_segments_of_the_corpus_keep_their_floor(corpora: Callable[[str], Path]) -> None:
    import json

    folder = corpora("segments")
    found: dict[str, list[float]] = {method: [] for method in METHODS}
    for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        page = read_page_tree((folder / row["source"]).read_bytes())
        for method in METHODS:
            found[method].append(boundaries(list(segment_page(page, method).starts)[1:], row["boundaries"]))
    means = {method: sum(scores) / len(scores) for method, scores in found.items()}
    assert means["blocks"] > 0.83
    assert means["ontominer"] > 0.42


def test_a_page_nested_without_end_is_refused() -> None:
    with pytest.raises(HostileError, match="nested more than"):
        parse_page_tree("<div>" * 200_000)


def _starts(markup: str) -> list[str]:
    page = segment_page(parse_page_tree(markup))
    return [page.page.texts[start] for start in page.starts]


def test_records_with_several_texts_each_are_one_segment() -> None:
    record = "<div><h4>Review by {0}</h4><p>I ate {0} here and it was good to eat, twice a day.</p>"
    record += "<span>Was this helpful?</span><a href='/y{0}'>Yes</a><a href='/n{0}'>No</a><i>Report {0}</i></div>"
    records = "".join(record.format(name) for name in ("fish", "rice", "soup", "cake"))
    menu = "".join(f"<li><a href='/{n}'>Part {n}</a></li>" for n in range(8))
    assert _starts(f"<div><ul>{menu}</ul></div><div>{records}</div>") == ["Part 0", "Review by fish"]


def test_a_table_with_a_list_in_a_cell_is_one_segment() -> None:
    rows = "".join(f"<tr><td>Label {n}</td><td>value {n}</td></tr>" for n in range(20))
    modes = "".join(f"<li>mode {n}</li>" for n in range(14))
    table = f"<table>{rows}<tr><td>Modes</td><td><ul>{modes}</ul></td></tr>{rows}</table>"
    text = "<p>A long text that says what the page is about, in many words, one after the other.</p>" * 4
    assert _starts(f"<div>{text}</div><h2>Facts</h2>{table}")[-1] == "Facts"


def test_a_menu_with_nested_lists_is_one_segment() -> None:
    teams = "".join(f"<dd><a href='/t{n}'>Team {n}</a></dd>" for n in range(15))
    entries = "".join(f"<li><a href='/{n}'>Entry {n}</a></li>" for n in range(4))
    menu = f"<ul>{entries}<li><a href='/t'>Teams</a><div><dl>{teams}</dl><dl>{teams}</dl></div></li>{entries}</ul>"
    text = "<p>A long text that says what the page is about, in many words, one after the other.</p>" * 4
    assert _starts(f"<div>{menu}</div><div><h1>Title</h1>{text}</div>") == ["Entry 0", "Title"]


def test_bold_tells_nothing_where_most_of_a_page_is_bold() -> None:
    links = "".join(f"<a href='/{n}'>Link {n}</a> " for n in range(6))
    more = "<p><a href=/one>One</a></p><p><a href=/two>Two</a></p>"
    assert _starts(f"<b><div>{links}</div><div>{more}</div></b>") == ["Link 0"]


def test_what_follows_a_menu_and_is_no_link_of_it_is_no_part_of_it() -> None:
    links = "".join(f"<a href='/{n}'>Link {n}</a> " for n in range(6))
    assert _starts(f"<div>{links}</div><div><div>Ray Allen</div><div>#20</div></div>") == ["Link 0", "Ray Allen"]
    assert _starts(f"<div>{links}</div><div><a href=/more>More</a></div>") == ["Link 0"]
