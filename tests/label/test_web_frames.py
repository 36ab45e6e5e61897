"""Web tables get their direction, header lines, groups, titles and notes."""

from __future__ import annotations

import pytest

from tabellion import extract
from tabellion.export.json import count_headers
from tabellion.label import Recognised, label_grid, label_grids
from tabellion.label.pages.headers import HeaderLines, settle_headers
from tabellion.label.pages.view import view_tables
from tabellion.model.document import MarkupRegion
from tabellion.model.frame import Frame, Labelled
from tabellion.model.place import Place
from tabellion.read.web.page import read_markup
from tabellion.recognise import recognise_grid
from tabellion.weights import Weights


def labelled(markup: str, headers: str = "boosted") -> Labelled:
    grid = recognise_grid(MarkupRegion(read_markup(markup)[0], Place(table_index=0), 0))
    return label_grid(grid, Weights(), genuine=0.9, headers=headers)  # type: ignore[arg-type]


def frame_of(markup: str) -> Frame:
    [frame] = labelled(markup).frames
    return frame


COLUMN = (
    "<table><tr><th>Name<th>Born<th>Place<tr><td>Ada<td>1815<td>London<tr><td>Emmy<td>1882<td>Erlangen"
    "<tr><td>Mary<td>1797<td>London</table>"
)
ROW = "<table><tr><th>Height:<td>28 cm<tr><th>Width:<td>14 cm<tr><th>Colour:<td>grey<tr><th>Maker:<td>Smith</table>"
BOTH = (
    "<table><tr><td><th>2009<th>2010<th>2011<tr><th>Men<td>12<td>13<td>14<tr><th>Women<td>22<td>23<td>24"
    "<tr><th>All<td>34<td>36<td>38</table>"
)


@pytest.mark.parametrize(("markup", "orientation", "rows", "columns"), [
    (COLUMN, "column", 1, 0),
    (ROW, "row", 0, 1),
    (BOTH, "row-column", 1, 1),
])  # fmt: skip
def test_the_direction_of_a_table(markup: str, orientation: str, rows: int, columns: int) -> None:
    frame = frame_of(markup)
    assert (frame.orientation, *count_headers(frame)) == (orientation, rows, columns)
    assert frame.genuine == 0.9


def test_tables_that_are_labelled_together_are_labelled_as_each_by_itself() -> None:
    page = read_markup(COLUMN + ROW + "<table><tr><td><td></table>" + BOTH)[0]
    grids = [recognise_grid(MarkupRegion(page, Place(table_index=at), at)) for at in range(4)]
    together = label_grids([Recognised(grid, 0.9) for grid in grids], Weights())
    alone = [label_grid(grid, Weights(), genuine=0.9) for grid in grids]
    assert [len(each.frames) for each in together] == [1, 1, 0, 1]
    for one, other in zip(together, alone, strict=True):
        assert (one.kind, one.labels.roles) == (other.kind, other.labels.roles)
        assert one.kind_probability == pytest.approx(other.kind_probability)
        assert [frame.stub_columns for frame in one.frames] == [frame.stub_columns for frame in other.frames]


INDEX = [
    [("alpha", "Find two estimates of reliability"), ("anova", "Compare several nested models")],
    [("D1", "Compare two nested models using D1"), ("density", "Density plot of observed data")],
    [("cart", "Imputation by trees"), ("cbind", "Combine objects by columns"), ("cc", "Select complete cases")],
    [("acs", "Helper functions"), ("all.income", "US family income, 2008"), ("Bechtoldt", "Seven data sets")],
    [("ets", "Exponential smoothing state space model"), ("easter", "Easter holidays in each season")],
    [("boys", "Growth of Dutch boys"), ("bwplot", "Box-and-whisker plot of data"), ("brands", "School data")],
]


def test_tables_of_one_making_are_read_alike() -> None:
    rows = ["".join(f"<tr><td><a href='{name}'>{name}</a><td>{text}" for name, text in part) for part in INDEX]
    page = read_markup("".join(f"<table>{part}</table>" for part in rows))[0]
    grids = [recognise_grid(MarkupRegion(page, Place(table_index=at), at)) for at in range(len(rows))]
    alone = [label_grid(grid, Weights()) for grid in grids]
    together = label_grids([Recognised(grid) for grid in grids], Weights())
    assert len({each.kind_probability for each in alone}) > 1
    assert len({(each.frames[0].orientation, round(each.kind_probability, 6)) for each in together}) == 1


def test_a_column_with_the_look_of_the_header_row_is_a_header() -> None:
    rows = "".join(f"<tr><td><b>{name}</b><td>grey<td>{name}-5" for name in ("same", "same", "other"))
    plain = f"<table><tr><td><b>Name</b><td><b>Colour</b><td><b>Code</b>{rows}</table>"
    assert frame_of(plain).orientation == "row-column"


def test_a_title_row_inside_the_table_is_no_header() -> None:
    frame = frame_of(COLUMN.replace("<table>", "<table><tr><td colspan=3>Mathematicians"))
    assert (frame.title_rows, frame.header_rows) == ((0,), (1,))


def test_rows_that_one_cell_fills_are_groups_inside_and_notes_at_the_end() -> None:
    markup = COLUMN.replace("<tr><td>Emmy", "<tr><td colspan=3>Germany<tr><td>Emmy")
    markup = markup.replace("</table>", "<tr><td colspan=3>Source: an encyclopedia</table>")
    assert labelled(markup).labels.roles == ("header", "data", "group", "data", "data", "note")


def test_a_header_that_recurs_is_no_data() -> None:
    head = "<tr><th>Name<th>Born<th>Place"
    found = labelled(COLUMN.replace("<tr><td>Mary", f"{head}<tr><td>Mary"))
    [frame] = found.frames
    assert frame.orientation == "multiple"
    assert (frame.header_rows, frame.body_rows) == ((0,), (1, 2, 4))


def test_bands_with_headers_of_their_own_are_frames_of_their_own() -> None:
    rows = "<tr><th>Ship<th>Built<th>Yard<tr><td>Fram<td>1892<td>Larvik<tr><td>Gauss<td>1901<td>Kiel"
    found = labelled(COLUMN.replace("</table>", f"{rows}</table>"))
    assert [frame.header_rows for frame in found.frames] == [(0,), (4,)]
    assert [frame.body_rows for frame in found.frames] == [(1, 2, 3), (5, 6)]


def test_a_header_cell_over_two_rows_makes_both_headers() -> None:
    frame = frame_of(
        "<table><tr><td rowspan=2>Canton<td colspan=2>Inhabitants<tr><td>2001<td>2011<tr><td>Bern<td>957197<td>985046"
        "<tr><td>Uri<td>34777<td>35382<tr><td>Zug<td>100052<td>115104</table>"
    )
    assert frame.header_rows == (0, 1)


def test_rows_of_header_cells_alone_are_one_head() -> None:
    rows = ["<td><th colspan=4>Both", "<td><th colspan=2>One<th colspan=2>Two", "<td><th>a<th>b<th>c<th>d"]
    rows += [f"<td>{name}<td>red<td>blue<td>green<td>grey{name}" for name in ("Ann", "Bob", "Cy")]
    assert frame_of(f"<table><tr>{'<tr>'.join(rows)}</table>").header_rows == (0, 1, 2)


def test_the_papers_clustering_finds_headers_that_stand_out() -> None:
    markup = "<table><tr><th>Year<th>Output<tr><td>1990<td>13.7<tr><td>1991<td>14.1<tr><td>1992<td>15.0</table>"
    [frame] = labelled(markup, "ontominer").frames
    assert count_headers(frame) == (1, 0)


def test_an_empty_table_has_no_frame() -> None:
    assert not labelled("<table><tr><td><td><tr><td><td></table>").frames


NAMED = (
    "<table><tr><td id=n>one<td id=w>two<tr><td id=a headers=n>red<td headers='w a'>ann"
    "<tr><td id=b headers=n>blue<td headers='w b'>ben<tr><td id=c headers=n>green<td headers='w c'>cid</table>"
)
ROLES = (
    "<div role=table><div role=row><i role=columnheader>x</i><i role=columnheader>y</i></div>"
    + "<div role=row><i role=rowheader>red</i><i role=cell>blue</i></div>" * 3
    + "</div>"
)


@pytest.mark.parametrize(
    ("markup", "rows", "columns"),
    [
        ("<table>" + "<tr><td scope=row>red<td>blue<td>green" * 4 + "</table>", 0, 1),
        ("<table><tr><td scope=col>red<td scope=col>blue" + "<tr><td>green<td>grey" * 4 + "</table>", 1, 0),
        (NAMED, 1, 1),
        (ROLES, 1, 1),
    ],
)
def test_headers_that_the_markup_declares_are_believed(markup: str, rows: int, columns: int) -> None:
    frame = frame_of(markup)
    assert frame.grid.declared_headers == (rows, columns)
    assert len(frame.header_rows) >= rows
    assert len(frame.stub_columns) >= columns


def test_a_row_above_the_body_that_looks_like_the_groups_is_the_first_of_them() -> None:
    section = "<tr><th colspan=2>{}</th></tr><tr><td>Type<td>{}</tr><tr><td>Phone<td>{}</tr>"
    parts = [section.format(*each) for each in (("Main", "private", "77 11"), ("Branch", "public", "77 12"))]
    assert labelled(f"<table>{''.join(parts)}</table>").labels.roles == ("group", "data", "data") * 2
    titled = f"<table><tr><td colspan=2><big>College</big></td></tr>{parts[0]}{parts[1]}</table>"
    assert labelled(titled).labels.roles[:2] == ("title", "group")


def test_an_empty_corner_between_distinct_names_tells_a_cross_table() -> None:
    hours = "<tr><td>9:00<td>Maths<td>Art<td>PE</tr><tr><td>10:00<td>French<td>Maths<td>Art</tr>"
    frame = labelled(f"<table border=1><tr><td><td>Mon<td>Tue<td>Wed</tr>{hours}</table>").frames[0]
    assert (frame.orientation, frame.header_rows, frame.stub_columns) == ("row-column", (0,), (0,))


def test_rows_are_named_by_several_columns_where_one_heads_the_next() -> None:
    head = "<tr><th>Region<th>City<th>Men<th>Women</tr>"
    north = "<tr><td rowspan=2>North<td>Aville<td>100<td>110</tr><tr><td>Bville<td>90<td>95</tr>"
    south = "<tr><td>South<td>Ctown<td>10<td>11</tr><tr><td>South<td>Dtown<td>20<td>21</tr>"
    frame = labelled(f"<table>{head}{north}{south}</table>").frames[0]
    assert (frame.orientation, frame.stub_columns, frame.keyed) == ("column", (0, 1), True)
    assert (frame.value_columns, frame.fields) == ((2, 3), (0, 1, 2, 3))


def test_attribute_lists_side_by_side_are_read_one_by_one() -> None:
    rows = "<tr><th>Length<td>4.2 m<th>Power<td>90 kW</tr><tr><th>Width<td>1.8 m<th>Torque<td>220 Nm</tr>"
    frames = labelled(f"<table>{rows}</table>").frames
    assert [(frame.stub_columns, frame.value_columns) for frame in frames] == [((0,), (1,)), ((2,), (3,))]
    plain = labelled(f"<table>{rows.replace('th>', 'td>')}</table>").frames
    assert len(plain) == 1


def table(*rows: str) -> str:
    """Cells parted by |; `Name^2` spans two columns."""
    lines = []
    for row in rows:
        cells = [cell.partition("^") for cell in row.split("|")]
        lines.append("".join(f"<td colspan={wide or 1}>{text}</td>" for text, _, wide in cells))
    return f"<table><tr>{'</tr><tr>'.join(lines)}</tr></table>"


BODY = ("Sales|$512|$498|$1,020|$997", "Costs|311|305|640|618", "Taxes|81|77|160|151")


@pytest.mark.parametrize(("rows", "found", "expected"), [
    (("|Quarter^2|Half year^2", "|July 1, 2023|June 25, 2022|July 1, 2023|June 25, 2022", *BODY), (1, 0), (2, 1)),
    (("|Quarter^2|Half year^2", "|Amount|% Sales|Amount|% Sales", "|(In millions)^4", *BODY), (1, 0), (3, 1)),
    (("|% of sales^4", "|Quarter^2|Half year^2", "|2023|2022|2023|2022", *BODY), (1, 0), (3, 1)),
    (("Item|Quarter^2|Half year^2", *BODY), (1, 0), (1, 1)),
    (("Item|Store|Quarter|Half year", "Sales|Main|5|8", "Sales|Low|2|9", "Costs|Main|1|3"), (1, 0), (1, 0)),
    (("|May|June|July|August", "Assets||||", "Current:||||", *BODY), (2, 0), (1, 1)),
    (("||Sales|Costs", "Soap|2023|512|1,998", "|2022|498|305", "Care|2023|81|77", "|2022|60|51"), (1, 0), (1, 2)),
    (("||Sales|Note", "Soap|2023|512|none", "|2022|498|of two", "Care|2023|81|all", "|2022|60|none"), (1, 0), (1, 0)),
    (("|May|June|July|August", "(In millions)||||", *BODY), (2, 0), (2, 1)),
    (("Name|Address^2|Contact^2", "Ann|Main St|Alden|a@a.org|12-34", "Bob|Low St|Brook|b@b.org|56-7"), (1, 0), (1, 0)),
    (("|2021|2022|2023|2024", "Jan 13|5|6|7|8", "Jan 26|5|3|7|9", "Jan 27|4|6|2|8"), (1, 0), (1, 1)),
    (("|Race|Team|Place|Points", "Ann|Alden|Reds|5|8", "Bob|Brook|Blues|2|9", "Cy|Cliff|Reds|1|3"), (1, 0), (1, 0)),
    (("|Half year^4", "|2023^2|2022^2", "Vested|70.7^2|61.2^2"), (1, 0), (2, 1)),
    (("(Dollars in millions)|Note|May|June|July", *BODY), (1, 0), (1, 1)),
    (("Inventories|2021|2022|2023|2024", *BODY), (1, 0), (1, 1)),
    (("|May|June|July|August", "Cash|—|5|—|8", "Bonds|7|—|—|9", "Notes|1|—|2|3", "|8|5|2|20"), (1, 0), (1, 1)),
    (("Rider|Club|Heat|Place|Points", "Ann|Reds|5|1|8", "Bob|Blues|4|2|9", "Cy|Reds|3|3|3"), (1, 0), (1, 0)),
    (("No|Rider|1|2|3|4", "1|Ann|3|2|0|2", "2|Bob|1|1|2|3", "3|Cy|0|0|1|0"), (0, 0), (1, 0)),
    (("1|2|3|4|5", "6|7|8|9|10", "11|12|13|14|15"), (0, 0), (0, 0)),
    (("sim|Helper functions", "sim.data|Simulate data", "smc|Helper functions", "sum|Add up"), (1, 0), (0, 0)),
    (("Name|Place", "Ann|Alden", "Bob|Brook", "Name|Place", "Cy|Cliff"), (1, 0), (1, 0)),
])  # fmt: skip
def test_a_head_goes_on_until_what_it_spans_is_told_apart(
    rows: tuple[str, ...], found: tuple[int, int], expected: tuple[int, int]
) -> None:
    grid = recognise_grid(MarkupRegion(read_markup(table(*rows))[0], Place(table_index=0), 0))
    settled = settle_headers(view_tables([grid]).tables[0], HeaderLines(*found))
    assert (settled.rows, settled.columns) == expected


def test_header_cells_that_come_again_in_part_are_a_head() -> None:
    rows = "".join(f"<tr><td>{name}<td>{name}ville<td>Results" for name in ("Ann", "Bob", "Cy"))
    for head in ("<tr><th>Name<th>Place<th>Results", "<tr><td rowspan=2>Name<td>Place<td>Results<tr><td>Town<td>Link"):
        grid = recognise_grid(MarkupRegion(read_markup(f"<table>{head}{rows}</table>")[0], Place(table_index=0), 0))
        assert settle_headers(view_tables([grid]).tables[0], HeaderLines(1, 0)).rows == head.count("<tr>")


def test_an_attribute_without_a_value_is_no_group_of_the_next_ones() -> None:
    rows = [("Base pay:", "$20"), ("Other pay:", ""), ("Job type:", "Full-time"), ("Travel:", ""), ("Degree:", "None")]
    table = "".join(f"<tr><td>{name}<td>{value}" for name, value in rows)
    [found] = extract(f"<table>{table}</table>".encode())
    assert {one.text: one.left for one in found.tuples if one.text} == {
        "$20": ("Base pay:",), "Full-time": ("Job type:",), "None": ("Degree:",),
    }  # fmt: skip
    spanned = table.replace("<tr><td>Other pay:<td>", "<tr><td colspan=2>Other pay:")
    [grouped] = extract(f"<table>{spanned}</table>".encode())
    assert ("Other pay:", "Job type:") in {one.left for one in grouped.tuples}
