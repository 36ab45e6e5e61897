"""Mining by the command line on a made web of thirty sites on loopback: found, mined, kept, fetched again, drawn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tabellion.cli import app

DEALERS, BAKERIES = 20, 10
SECTIONS = {"saloons": ("diesel", "petrol"), "estates": ("hybrid",), "vans": ("electric",)}
CARS = ("Audi A4", "Fiat Panda", "Honda Fit", "Mazda Six", "Opel Corsa", "Saab Ninety", "Skoda Fabia", "Volvo Amazon")


class Web:
    """The state of all sites, which a test changes: prices by car, cars that are gone, pages that were sent."""

    prices: dict[int, str]
    cars: list[int]
    sent: list[str]


def address(number: int, port: int, path: str = "/") -> str:
    return f"http://127.0.0.{number + 2}:{port}{path}"


def home_page(number: int, port: int) -> str:
    """A dealer links to the next two and to a bakery, a bakery to another one."""
    if number >= DEALERS:
        goods = "".join(f"<li><a href=/loaf/{n}>Loaf {n} of bakery {number}</a>" for n in range(6))
        other = address(DEALERS + (number + 1) % BAKERIES, port)
        return f"<title>Bakery</title><ul>{goods}</ul><a href={other}>More</a>"
    menu = "".join(
        f"<li><a href=/{name}>{name.title()}</a><ul>"
        + "".join(f"<li><a href=/{name}/{inner}>{inner.title()}</a>" for inner in below)
        + "</ul>"
        for name, below in SECTIONS.items()
    )
    shelves = [f"{name}/{inner}" for name, below in SECTIONS.items() for inner in below]
    cars = "".join(
        f"<p><a href=/{shelves[at % 4]}/offer-{car}4567>{CARS[car]}: an offer of dealer {number} for you today</a>"
        for at, car in enumerate(Web.cars)
    )
    own = "".join(f"<li><a href=/own{n}>Corner {number} {chr(97 + n)}</a>" for n in range(20))
    friends = " ".join(f"<a href={address((number + n) % DEALERS, port)}>Friend {n}</a>" for n in (1, 2))
    baker = f"<a href={address(DEALERS + number % BAKERIES, port)}>Our baker</a>"
    head = f"<title>Dealer {number}</title><nav><ul>{menu}{own}</ul></nav><h1>Dealer {number}</h1>"
    return f"{head}{cars}{friends} {baker}"


def car_page(number: int, car: int) -> str:
    """Half of the dealers tell of a car in a table, half in a list, under other labels."""
    name, engine, price = CARS[car], f"{1 + car / 10:.1f}L V{4 + car % 3}, {90 + 7 * car} hp", Web.prices[car]
    others = "".join(f"<li><a href=/x{n}>Used {CARS[(car + n) % 8]}</a> near you</li>" for n in range(1, 7))
    if number % 2:
        return (
            f"<title>Wheels {number} | {name}</title><div class=menu><a href=/a>Search</a> <a href=/b>Dealers</a></div>"
            f"<div class=head><h1>{name}</h1></div><dl><dt>Engine type<dd>{engine}<dt>MSRP<dd>{price}</dl>"
            f"<div class=more><h3>More offers</h3>{others}</div><div class=foot>Copyright</div>"
        )
    return (
        f"<title>{name} - Car shop {number}</title><ul><li><a href=/>Home</a><li><a href=/new>New cars</a></ul>"
        f"<h1>{name}</h1><table><tr><td>Engine:</td><td>{engine}</td></tr><tr><td>Price:</td><td>{price}</td></tr>"
        f"</table><h2>Others also looked at</h2><ul>{others}</ul><p><a href=/imprint>Imprint</a></p>"
    )


class Handler(BaseHTTPRequestHandler):
    """All thirty sites, told apart by the host; a page that did not change is not sent again."""

    def do_GET(self) -> None:
        host, _, port = self.headers["Host"].partition(":")
        number = int(host.rpartition(".")[2]) - 2
        offer = self.path.rpartition("/offer-")[2]
        data = b""
        if self.path == "/":
            data = home_page(number, int(port)).encode()
        elif offer.endswith("4567") and int(offer[:-4]) in Web.cars:
            data = car_page(number, int(offer[:-4])).encode()
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        same = bool(data) and self.headers.get("If-None-Match") == tag
        self.send_response(304 if same else 200 if data else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0" if same else str(len(data)))
        self.send_header("ETag", tag)
        self.end_headers()
        if data and not same:
            Web.sent.append(self.path)
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def port(made_web: Callable[[type[Handler]], AbstractContextManager[int]]) -> Iterator[int]:
    Web.prices = {car: f"${11 + car},{100 + 31 * car}" for car in range(8)}
    Web.cars, Web.sent = list(range(7)), []
    with made_web(Handler) as port:
        yield port


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, [*arguments, "--pause", "0", "--private", "yes"])
    assert result.exit_code == 0, result.output
    return result


def test_the_sites_of_a_domain_are_found_from_two_and_mined(port: int) -> None:
    homes = [address(0, port), address(1, port)]
    told = run("mine", *homes, "--expand", "40", "--pages", "1", "--depth", "0", "--format", "json")
    mined = json.loads(told.stdout)
    assert {site["site"] for site in mined["sites"]} == {f"127.0.0.{n + 2}:{port}" for n in range(DEALERS)}
    named = {concept["label"]: concept for concept in mined["concepts"]}
    assert named["Saloons"]["support"] == DEALERS
    assert named["Diesel"]["parent"] == named["Saloons"]["id"]
    assert f"{DEALERS} pages of {DEALERS} sites" in told.stderr


def test_things_of_several_sites_are_kept_and_what_changed_is_told(port: int, tmp_path: Path) -> None:
    library, history = str(tmp_path / "library"), str(tmp_path / "history.json")
    mined = ["mine", "--unified", *(address(n, port) for n in range(2)), "--pages", "9", "--format", "jsonl"]
    mined += ["--keep", str(tmp_path / "crawl"), "--update", history, "--into", library, "--name", "cars"]
    first = run(*mined)
    things = [json.loads(line) for line in first.stdout.splitlines()]
    cars = {thing["name"] for thing in things if "/offer-" in thing["source"]}
    assert cars == set(CARS[:7])
    assert "16 new, 0 values changed, 0 gone" in first.stderr
    assert "cut off" not in first.stderr
    Web.prices[3] = "$99,000"
    Web.cars = [0, 1, 2, 3, 4, 5, 7]  # one is sold, another comes in
    Web.sent.clear()
    second = run(*mined)
    assert second.stderr.count("changed: ") == 2
    assert second.stderr.count("→ $99,000") == 2
    assert "2 new" in second.stderr
    assert "2 gone" in second.stderr
    assert sorted(path.rpartition("/")[2] for path in Web.sent) == ["", "", *2 * ["offer-34567"], *2 * ["offer-74567"]]
    asked = "select count(*) n from tuples where value = 99000 and unit = '$'"
    rows = CliRunner().invoke(app, ["query", asked, "--library", library, "--format", "json"])
    assert json.loads(rows.stdout) == [{"n": 2}]


def test_a_page_of_a_site_on_the_web_is_drawn(port: int) -> None:
    page = address(0, port, "/saloons/diesel/offer-04567")
    drawn = run("mine", address(0, port), "--pages", "9", "--explain", page)
    assert drawn.stdout.startswith("<svg")
    assert "Engine:" in drawn.stdout
    assert "$11,100" in drawn.stdout
