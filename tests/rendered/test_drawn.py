"""Tables of the markup are judged by how they are drawn, where a page is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.locate.rendered.candidates import DRAWN_FEATURES
from tabellion.locate.rendered.regions import locate_rendered
from tabellion.model.document import MarkupRegion
from tabellion.model.markup import RenderedPage
from tabellion.pipeline import Extraction
from tabellion.weights import SHIPPED, Weights

LAKES = (("Lake", "Area", "Depth"), ("Geneva", "580", "310"), ("Garda", "370", "346"), ("Balaton", "594", "12"))


def table(rows: tuple[tuple[str, ...], ...], style: str = "") -> str:
    made = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table style='{style}'>{made}</table>"


def regions(extraction: Extraction, weights: Weights) -> list[MarkupRegion]:
    [page] = extraction.document.pages
    assert isinstance(page, RenderedPage)
    return locate_rendered(page, weights)


def seen(region: MarkupRegion) -> dict[str, float]:
    assert region.drawn is not None
    return dict(zip(DRAWN_FEATURES, region.drawn.tolist(), strict=True))


def test_what_is_seen_of_a_table_is_what_is_drawn(render: Callable[..., Extraction]) -> None:
    prose = "It is said that some lakes are deeper than others, and that nobody knows why they are. " * 3
    spaced = tuple((first, "", *rest) for first, *rest in LAKES)  # an empty column shows nothing
    head = "<style>td{width:100px}</style>"
    data, text = regions(render(table(spaced) + table(((prose, "x"), ("y", prose))), head), Weights())
    assert seen(data)["texts beside each other"] == 3
    assert seen(data)["one line share"] == 1
    assert seen(data)["unaligned columns"] == 0
    assert seen(text)["one line share"] == 0.5
    assert seen(text)["texts beside each other"] == 2


def test_a_table_that_is_not_drawn_is_judged_by_its_markup(render: Callable[..., Extraction]) -> None:
    [hidden] = regions(render(table(LAKES, "display:none")), Weights())
    assert hidden.drawn is None
    [shown] = regions(render(table(LAKES)), Weights())
    assert shown.drawn is not None


def test_weights_that_know_nothing_of_drawn_tables_judge_by_the_markup(
    render: Callable[..., Extraction], tmp_path: Path
) -> None:
    """A library that taught its own judge is not overruled by the one that is shipped."""
    shutil.copy(SHIPPED / "genuine.npz", tmp_path)
    page = table((("a long story of this and that", "Menu"), ("News", "12"), ("Sport", "7")))
    [own] = regions(render(page), Weights(tmp_path))
    [shipped] = regions(render(page), Weights())
    [plain] = regions(render(page.replace("<table style=''", "<table style='display:none'")), Weights())
    assert own.genuine == pytest.approx(plain.genuine, abs=0.3)
    assert own.genuine != shipped.genuine


def test_why_a_drawn_table_was_rejected_is_told_by_what_judged_it(render: Callable[..., Extraction]) -> None:
    menu = (("Home", "News"), ("Sport", "Culture"), ("About us", "Contact"))
    rows = tuple(tuple(f"<a href='/{word}'>{word}</a>" for word in row) for row in menu)
    [rejected] = render(table(rows), why=True).rejected
    assert rejected.genuine < 0.5
    assert len(rejected.why) == 5 and all(weight for _, weight in rejected.why)
