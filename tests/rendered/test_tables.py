"""Tables as a reader sees them, whatever they are made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.model.table import Table
from tabellion.pipeline import Extraction, Settings, extract_document
from tabellion.read.chromium import process as chromium_module

HEAD = ("Lake", "Area", "Depth")
ROWS = (
    ("Geneva", "580", "310"),
    ("Constance", "536", "251"),
    ("Garda", "370", "346"),
    ("Balaton", "594", "12"),
    ("Ladoga", "17700", "230"),
)
CELLS = (HEAD, *ROWS)


def grid() -> str:
    cells = "".join(f"<b>{cell}</b>" for cell in HEAD)
    cells += "".join(f"<span>{cell}</span>" for row in ROWS for cell in row)
    return f"<div style='display:grid;grid-template-columns:120px 80px 80px'>{cells}</div>"


def flex() -> str:
    def row(cells: tuple[str, ...], style: str = "") -> str:
        made = "".join(f"<div style='flex:0 0 100px;{style}'>{cell}</div>" for cell in cells)
        return f"<div style='display:flex'>{made}</div>"

    return f"<div>{row(HEAD, 'font-weight:bold')}<div>{''.join(row(cells) for cells in ROWS)}</div></div>"


def css_table() -> str:
    def row(cells: tuple[str, ...], style: str = "") -> str:
        made = "".join(f"<p style='display:table-cell;padding:4px;{style}'>{cell}</p>" for cell in cells)
        return f"<section style='display:table-row'>{made}</section>"

    rows = row(HEAD, "font-weight:bold") + "".join(row(cells) for cells in ROWS)
    return f"<article style='display:table'>{rows}</article>"


def placed() -> str:
    """Text placed by pixels, written column by column; numbers are set flush right without a box of their own width."""
    made = [
        f"<span style='position:absolute;top:{20 * at}px;"
        f"{f'left:{20}px' if column == 0 else f'right:{1000 - 120 * column}px'};{'font-weight:bold' * (at == 0)}'>"
        f"{row[column]}</span>"
        for column in range(3)
        for at, row in enumerate(CELLS)
    ]
    return f"<div style='position:relative;width:1200px;height:150px'>{''.join(made)}</div>"


def bars() -> str:
    return "<div>" + "<br>".join(" | ".join(row) for row in CELLS) + "</div>"


def only_table(extraction: Extraction) -> Table:
    [table] = extraction.tables
    return table


@pytest.mark.parametrize("make", [grid, flex, css_table, placed, bars])
def test_a_table_of_other_elements_is_read_like_a_table(
    render: Callable[..., Extraction], make: Callable[[], str]
) -> None:
    table = only_table(render(f"<p>Some lakes of Europe and what is known of them.</p>{make()}<p>End.</p>"))
    assert table.grid.text.tolist() == [list(row) for row in CELLS]
    assert table.grid.found == "boxes"
    garda = next(each for each in table.tuples if each.text == "346")
    assert (garda.top, garda.left) == (("Depth",), ("Garda",))


@pytest.mark.parametrize("frames", ["arranged", "gridded", "ventex"])
def test_every_way_to_frames_reads_touching_boxes_without_their_spacers(
    render: Callable[..., Extraction], frames: str
) -> None:
    def row(cells: tuple[str, ...], style: str = "") -> str:
        spacer = "<div style='flex:0 0 12px'></div>"
        made = spacer.join(f"<div style='flex:0 0 90px;{style}'>{cell}</div>" for cell in cells)
        return f"<div style='display:flex'>{made}</div>"

    body = row(HEAD, "font-weight:bold") + "".join(row(cells) for cells in ROWS)
    table = only_table(render(f"<section>{body}</section>", frames=frames))
    assert table.grid.text.tolist() == [list(row) for row in CELLS]


def test_a_table_among_comments_and_list_marks_has_its_place_and_is_read_once(
    render: Callable[..., Extraction],
) -> None:
    rows = "<!-- row -->".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for cells in CELLS)
    table = only_table(render(f"<ul><li>Lakes <table><!-- data --><tbody>{rows}</tbody></table></li></ul>"))
    assert table.grid.place.path == "html > body > ul:nth-child(1) > li:nth-child(1) > table:nth-child(1)"
    assert table.grid.place.box is not None
    [nested] = render(f"<table><tr><!-- --><td>{css_table()}</td><td>Some words beside it.</td></tr></table>").tables
    assert str(nested.grid.place.path).startswith(
        "html > body > table:nth-child(1) > tbody:nth-child(1) > tr:nth-child(1)"
    )


def test_cells_that_span_columns_and_rows_of_a_grid(render: Callable[..., Extraction]) -> None:
    cells = (
        "<b style='grid-row:1/span 2'>Lake</b><b style='grid-column:2/span 2'>Size</b><b>Area</b><b>Depth</b>"
        + "".join(f"<span>{cell}</span>" for row in ROWS for cell in row)
    )
    body = f"<div style='display:grid;grid-template-columns:120px 80px 80px'>{cells}</div>"
    table = only_table(render(body))
    assert table.grid.spans.tolist() == [[0, 0, 2, 1], [0, 1, 1, 2]]
    assert table.tuples[1].top == ("Size", "Depth")


def test_a_table_is_told_once_with_its_box_and_how_it_was_found(render: Callable[..., Extraction]) -> None:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in CELLS)
    first, second = render(f"<div><div><table>{rows}</table></div></div><h2>Again</h2>{grid()}").tables
    assert (first.grid.found, first.place.table_index) == ("table", 0)
    assert (second.grid.found, second.place.table_index) == ("boxes", None)
    assert first.place.box is not None
    assert second.place.box is not None
    assert first.place.box.bottom <= second.place.box.top
    assert second.grid.boxes is not None
    left, top, right, bottom = second.grid.boxes[1, 1].tolist()
    assert (right - left, top > second.place.box.top, bottom > top) == (80, True, True)


def test_menus_teasers_forms_and_columns_of_text_are_no_tables(render: Callable[..., Extraction]) -> None:
    menu = "".join(f"<li style='float:left;width:400px;padding:9px'><a href=#>{word}</a></li>" for word in HEAD * 3)
    teaser = (
        "<div style='float:left;width:200px'><b>Read more</b><p>There is much to tell of this and more.</p></div>" * 6
    )
    form = "<form style='display:grid;grid-template-columns:90px 200px'>" + "<label>Name</label><input>" * 4 + "</form>"
    prose = f"<div style='columns:2'>{'<p>Lakes are still waters, and some of them are deep. </p>' * 12}</div>"
    found = render(f"<ul>{menu}</ul><div>{teaser}</div><div style='clear:both'>{form}</div>{prose}")
    assert not found.tables
    assert {each.kind for each in found.rejected} >= {"list", "form"}


@pytest.mark.parametrize("names", [("1908", "1926", "1947", "1968", "2000"), ("Reporter", "Mayor") * 3])
def test_paragraphs_beside_years_or_speakers_are_an_article(
    render: Callable[..., Extraction], names: tuple[str, ...]
) -> None:
    said = "The river rose again after much rain, and those who live along its banks were asked to leave their homes. "
    parts = "".join(
        f"<div style='display:flex;gap:10px'><b style='width:90px'>{name}</b><div>{said * 3}</div></div>"
        for name in names
    )
    assert not render(f"<h1>A century of floods</h1><p>{said}</p>{parts}").tables


def test_a_style_sheet_beside_the_page_is_its_own(render: Callable[..., Extraction], tmp_path: Path) -> None:
    (tmp_path / "look.css").write_text(".g { display: grid; grid-template-columns: 120px 80px 80px }", encoding="utf-8")
    body = grid().replace("style='display:grid;grid-template-columns:120px 80px 80px'", "class=g")
    assert not render(body).tables
    assert len(render(body, "<link rel=stylesheet href=look.css>").tables) == 1


def test_words_are_parted_and_joined_as_they_are_drawn(render: Callable[..., Extraction]) -> None:
    cells = (
        "<b>Name</b><b>Note</b>"
        + "<div>A<i>da</i> Love&shy;lace</div><div>10<sup>6</sup> in all, or nearly so</div>" * 4
    )
    body = f"<div style='display:grid;grid-template-columns:160px 90px'>{cells}</div>"
    table = only_table(render(body))
    assert table.grid.text[1].tolist() == ["Ada Lovelace", "10⁶ in all, or nearly so"]


def test_scripts_run_where_they_are_allowed(render: Callable[..., Extraction]) -> None:
    built = f"<script>document.body.innerHTML += `{grid()}`</script>"
    assert not render(built).tables
    assert len(render(built, scripts=True).tables) == 1


def test_auto_renders_only_what_promises_tables(chromium: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    found = chromium_module.find_chromium
    monkeypatch.setattr("tabellion.read.chromium.rendered.find_chromium", lambda: asked.append(True) or found())
    assert not extract_document("<html><body><p>Only text.</p>", Settings(render="auto")).tables
    assert not asked
    assert len(extract_document(f"<html><body>{grid()}", Settings(render="auto")).tables) == 1
    assert asked
