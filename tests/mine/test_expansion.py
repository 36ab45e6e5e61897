"""OntoMiner's loop on a made web of thirty sites on loopback, of which twenty are of the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tabellion.mine.crawl import ExpansionSettings, expand_sites
from tabellion.mine.live import CrawlSettings
from tabellion.mine.ontology import mine_sites
from tabellion.mine.sources import warc_sites

NEWS, SHOPS = 20, 10
SECTIONS = {"sport": ("football", "tennis"), "politics": ("europe",), "culture": ("music", "books")}


def page(number: int, path: str, port: int) -> str:
    """A page of a site: news sites link to the next two and to a shop, shops to other shops."""

    def home(other: int) -> str:
        return f"http://127.0.0.{other + 2}:{port}/"

    if number >= NEWS:
        goods = "".join(f"<li><a href=/goods/{n}>Item {n} of shop {number}</a>" for n in range(6))
        return f"<title>Shop {number}</title><ul>{goods}</ul><a href={home(NEWS + (number + 1) % SHOPS)}>Partner</a>"
    menu = "".join(
        f"<li><a href=/{name}>{name.title()}</a><ul>"
        + "".join(f"<li><a href=/{name}/{inner}>{inner.title()}</a>" for inner in below)
        + "</ul>"
        for name, below in SECTIONS.items()
    )
    menu += "".join(f"<li><a href=/own{n}>Column {number} {chr(97 + n)}</a>" for n in range(20))
    stories = "".join(
        f"<p><a href=/{name}/{inner}/story-of-the-day-{number}{n}4567>A long story {n} about {inner} of the day</a>"
        for name, below in SECTIONS.items()
        for inner in below
        for n in range(3)
    )
    friends = f"<a href={home((number + 1) % NEWS)}>Neighbour</a> <a href={home((number + 2) % NEWS)}>Friend</a>"
    shop = f"<a href={home(NEWS + number % SHOPS)}>Our shop</a>"
    return f"<title>News {number}</title><nav><ul>{menu}</ul></nav><h1>Paper {number}</h1>{stories}{friends} {shop}"


class Handler(BaseHTTPRequestHandler):
    """All thirty sites, told apart by the host."""

    def do_GET(self) -> None:
        host, _, port = self.headers["Host"].partition(":")
        known = self.path != "/robots.txt"
        data = page(int(host.rpartition(".")[2]) - 2, self.path, int(port)).encode() if known else b""
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def port(made_web: Callable[[type[Handler]], AbstractContextManager[int]]) -> Iterator[int]:
    with made_web(Handler) as port:
        yield port


def test_sites_of_the_domain_are_found_by_links_and_their_taxonomy_is_merged(port: int, tmp_path: Path) -> None:
    homes = [f"http://127.0.0.{number + 2}:{port}/" for number in (0, 1)]
    crawl = CrawlSettings(pages=1, depth=0, pause=0.0)
    found = expand_sites(homes, crawl, tmp_path, ExpansionSettings(sites=30, rounds=12))
    numbers = {int((urlsplit(each.home).hostname or "").rpartition(".")[2]) - 2 for each in found if each.error is None}
    assert numbers == set(range(NEWS))
    ontology = mine_sites([site for each in found for site in warc_sites(each.path)])
    named = {concept.label: concept for concept in ontology.concepts}
    assert {"Sport", "Politics", "Culture", "Football", "Music"} <= set(named)
    assert named["Sport"].support == NEWS
    assert named["Football"].parent == named["Sport"].id
    assert named["Books"].parent == named["Culture"].id


def test_no_more_sites_are_found_than_asked_for(port: int, tmp_path: Path) -> None:
    homes = [f"http://127.0.0.{number + 2}:{port}/" for number in (0, 1)]
    found = expand_sites(homes, CrawlSettings(pages=1, depth=0, pause=0.0), tmp_path, ExpansionSettings(sites=3))
    assert len(found) == 5
