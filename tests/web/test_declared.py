"""Web tables whose markup says what heads what: the patterns of the W3C's tutorial on tables, and lists of terms."""

from __future__ import annotations

import pytest

from tabellion import extract
from tabellion.api import Tables

Said = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


def row(*cells: str) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def td(*texts: object, **attributes: str) -> str:
    said = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return "".join(f"<td{said}>{text}</td>" for text in texts)


def th(*texts: str, **attributes: str) -> str:
    said = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return "".join(f"<th{said}>{text}</th>" for text in texts)


def read(*rows: str, attributes: str = "") -> Tables:
    return extract(f"<h1>A page</h1><table{attributes}>{''.join(rows)}</table>".encode())


def told(found: Tables) -> Said:
    """The labels of each value by its text; the texts of these tables differ."""
    return {one.text: (one.top, one.left) for table in found for one in table.tuples}


HOLIDAYS = [("215", "Abel", 5, 2), ("231", "Annette", 0, 7), ("173", "Bernard", 3, 11), ("141", "Gerald", 1, 10)]


def test_headers_of_rows_may_stand_in_the_second_column() -> None:
    head = row(th("ID", "Name", "July", "August", scope="col"))
    rows = [row(td(code), th(who, scope="row"), td(july, august)) for code, who, july, august in HOLIDAYS]
    said = told(read(head, *rows))
    assert said["215"] == (("ID",), ("Abel",)) and said["11"] == (("August",), ("Bernard",))
    assert len(said) == 12 and "Abel" not in said


def test_a_plain_cell_with_the_scope_of_a_row_names_it_wherever_it_stands() -> None:
    head = row(th("ID", "Name", "July", "August"))
    rows = [row(td(code), td(who, scope="row"), td(july, august)) for code, who, july, august in HOLIDAYS]
    said = told(read(head, *rows))
    assert said["215"] == (("ID",), ("Abel",)) and said["11"] == (("August",), ("Bernard",))
    towns = [("North", "Alden", 512), ("North", "Brook", 633), ("South", "Cliff", 418)]
    head = row(th("Area", "Code", "Town", "People", scope="col"))
    rows = [
        row(th(area, scope="row"), td(n), td(town, scope="row"), td(people))
        for n, (area, town, people) in enumerate(towns)
    ]
    assert told(read(head, *rows))["633"] == (("People",), ("North", "Brook"))


def test_a_relation_whose_rows_nothing_names_says_so() -> None:
    values = [("5.2", "0.3", "812"), ("4.1", "-0.2", "655"), ("5.2", "0.4", "913"), ("3.7", "0.9", "401")]
    head = row(th("Price", "Change", "Volume"))
    [bare] = read(head, *(row(td(*each)) for each in values))
    assert not any(one.left for one in bare.tuples)
    assert any("nothing names the rows" in issue.note for issue in bare.issues)
    [named] = read(
        row(th("Stock", "Price", "Change")), *(row(td(f"Firm {n}", *each[:2])) for n, each in enumerate(values))
    )
    assert all(one.left for one in named.tuples) and not named.issues


def test_labels_may_stand_at_the_right() -> None:
    values = [("5", "70", "31", "France"), ("6", "80", "42", "Spain"), ("9", "20", "13", "Italy")]
    head = row(th("2001", "2002", "2003", "Country"))
    marked = told(read(head, *(row(td(*numbers), th(name)) for *numbers, name in values)))
    plain = told(read(head, *(row(td(*numbers, name)) for *numbers, name in values)))
    for said in (marked, plain):
        assert said["80"] == (("2002",), ("Spain",)) and said["13"] == (("2003",), ("Italy",))


def test_a_series_before_words_still_names_the_rows() -> None:
    head = row(th("Year", "Cases", "Remark"))
    said = told(read(head, *(row(td(2001 + n, 17 * n % 7 + 30, f"Remark {n}")) for n in range(5))))
    assert said["Remark 3"][1] == ("2004",)


def test_headers_over_groups_of_columns() -> None:
    groups = th("Mars", "Venus", colspan="2", scope="colgroup")
    kinds = th("Produced", "Sold", "Produced", "Sold", scope="col")
    top = '<col><colgroup span="2"></colgroup><colgroup span="2"></colgroup>' + row('<td rowspan="2"></td>', groups)
    body = [row(th("Bears", scope="row"), td(50, 30, 100, 80)), row(th("Games", scope="row"), td(10, 5, 12, 9))]
    said = told(read(top, row(kinds), *body))
    assert said["30"] == (("Mars", "Sold"), ("Bears",)) and said["12"] == (("Venus", "Produced"), ("Games",))


def test_headers_over_groups_of_rows() -> None:
    head = f"<thead>{row(th('Poster', 'Colour', scope='col'), th('Sizes', colspan='2', scope='colgroup'))}</thead>"

    def group(name: str, *rows: tuple[str, str, str]) -> str:
        first = th(name, rowspan=str(len(rows)), scope="rowgroup")
        lines = [row(first if not n else "", th(one[0], scope="row"), td(*one[1:])) for n, one in enumerate(rows)]
        return f"<tbody>{''.join(lines)}</tbody>"

    zodiac = group("Zodiac", ("Full colour", "A2", "A3"), ("Black and white", "A1", "B2"), ("Sepia", "C3", "C4"))
    angels = group("Angels", ("Black and white", "D1", "D3"), ("Sepia", "E2", "E3"))
    said = told(read(head, zodiac, angels))
    assert said["B2"] == (("Sizes",), ("Zodiac", "Black and white")) and said["E3"] == (("Sizes",), ("Angels", "Sepia"))
    assert len(said) == 10


def test_three_headers_for_each_value() -> None:
    head = row(td(""), th("Studio", scope="col", id="stud"), th("Villa", scope="col", id="villa"))

    def town(name: str, *prices: tuple[int, int]) -> str:
        lines = [row(th(name, id=name, colspan="3", scope="colgroup"))]
        for number, (studio, villa) in enumerate(prices, 1):
            bed = f"{name}{number}"
            cells = td(studio, headers=f"{name} {bed} stud") + td(villa, headers=f"{name} {bed} villa")
            lines.append(row(th(f"{number} bedroom", headers=name, id=bed), cells))
        return "".join(lines)

    said = told(read(head, town("Paris", (11, 23), (12, 32), (14, 40)), town("Rome", (13, 3), (15, 30))))
    assert said["32"] == (("Villa",), ("Paris", "2 bedroom")) and said["30"] == (("Villa",), ("Rome", "2 bedroom"))
    assert len(said) == 10


def test_bands_with_headers_of_their_own() -> None:
    def band(number: int, *names: str) -> list[str]:
        keys = [f"co{number}{place}" for place in range(len(names))]
        lines = [row(td(""), *(th(name, id=key) for name, key in zip(names, keys, strict=True)))]
        for what in ("Contact", "Position", "Email"):
            key = f"{what}{number}"
            cells = (td(f"{what} of {name}", headers=f"{co} {key}") for name, co in zip(names, keys, strict=True))
            lines.append(row(th(what, id=key), *cells))
        return lines

    said = told(read(*band(1, "First Ltd", "Second Co"), *band(2, "Third Ltd", "Fourth Inc")))
    assert said["Email of Second Co"] == (("Second Co",), ("Email",))
    assert said["Contact of Fourth Inc"] == (("Fourth Inc",), ("Contact",))
    assert len(said) == 12


@pytest.mark.parametrize("scope", [True, False])
def test_headers_named_by_some_cells_only_lose_no_column(scope: bool) -> None:
    across, down = ({"scope": "col"}, {"scope": "row"}) if scope else ({}, {})
    names = {"a": "Region", "b": "North", "c": "South", "d": "West"}
    head = row(*(th(name, id=key, **across) for key, name in names.items()))
    rows = [
        row(th(f"200{n}", id=f"r{n}", **down), td(10 + n, headers=f"b r{n}"), td(20 + n, headers=f"c r{n}"), td(30 + n))
        for n in range(1, 5)
    ]
    found = read(head, *rows)
    assert told(found)["32"] == (("West",), ("2002",)) and len(told(found)) == 12
    assert not found.issues


def test_a_title_over_the_head_does_not_hide_what_is_declared() -> None:
    rows = [
        row(th("Climate data for Testtown", colspan="5")),
        row(th("Month", scope="row"), th("Jan", "Feb", "Mar", "Year", scope="col")),
        row(th("Record high °C", scope="row"), td("14.2", "16.8", "22.5", "22.6")),
        row(th("Mean daily °C", scope="row"), td("0.5", "1.4", "5.1", "2.3")),
        row(th("Rainy days", scope="row"), td("11", "9", "10", "30")),
    ]
    said = told(read(*rows))
    assert said["14.2"] == (("Jan",), ("Record high °C",)) and said["30"] == (("Year",), ("Rainy days",))
    assert len(said) == 12


def test_three_rows_of_headers_swallow_no_value() -> None:
    rows = [
        row(th("Month", rowspan="3"), th("Temperature", colspan="4"), th("Rain", rowspan="2", colspan="2")),
        row(th("Average", "Record", colspan="2")),
        row(th("High", "Low", "High", "Low", "mm", "days")),
        row(td("Jan", "3.1", "-2.0", "14.2", "-20.1", "45", "11")),
        row(td("Feb", "4.2", "-1.5", "16.8", "-18.3", "38", "9")),
        row(td("Mar", "9.0", "1.2", "22.5", "-10.4", "50", "10")),
    ]
    said = told(read(*rows))
    assert said["14.2"] == (("Temperature", "Record", "High"), ("Jan",)) and said["45"] == (("Rain", "mm"), ("Jan",))
    assert len(said) == 18


def test_siblings_without_values_are_no_parents() -> None:
    countries = {"Austria": (5, 60), "Belgium": ("", ""), "Croatia": (7, 80), "Denmark": (4, 30), "Estonia": ("", "")}
    rows = [row(td(name, *values)) for name, values in {**countries, "Finland": (2, 10)}.items()]
    said = told(read(row(th("Country", "2001", "2002")), *rows))
    assert said["80"] == (("2002",), ("Croatia",)) and said["10"] == (("2002",), ("Finland",))


def test_a_table_that_says_that_it_holds_no_data_is_none() -> None:
    rows = [row(th("Name", "Age")), *(row(td(f"Person {n}", 30 + n)) for n in range(6))]
    assert len(read(*rows)) == 1
    assert len(read(*rows, attributes=' datatable="0"')) == 0
    assert len(read(*rows, attributes=' role="presentation"')) == 0


def definitions(*pairs: tuple[str, str], apart: bool = False) -> str:
    lines = [f"<dt>{term}</dt><dd>{saying}</dd>" for term, saying in pairs]
    return "".join(f"<dl>{line}</dl>\n" for line in lines) if apart else f"<dl>{''.join(lines)}</dl>"


def test_lists_of_one_pair_that_follow_each_other_are_one() -> None:
    pairs = [("Population", "12,000"), ("Area", "45 km²"), ("Mayor", "Jane Doe"), ("Founded", "1820")]
    found = extract(f"<p>Facts</p>{definitions(*pairs, apart=True)}<p>More</p>".encode())
    assert len(found) == 1 and told(found)["45 km²"] == ((), ("Area",))
    assert told(found) == told(extract(f"<p>Facts</p>{definitions(*pairs)}".encode()))


def test_linked_values_are_a_record_and_menus_are_none() -> None:
    record = [(term, f'<a href="/{term}">{term} here</a>') for term in ("Director", "Country", "Language", "Genre")]
    assert told(extract(definitions(*record).encode()))["Genre here"] == ((), ("Genre",))
    menu = "".join(
        f"<dt>{term}</dt>" + "".join(f'<dd><a href="/{n}">{term} {n}</a></dd>' for n in range(3))
        for term in ("Products", "Help", "About")
    )
    assert len(extract(f"<dl>{menu}</dl>".encode())) == 0
    linked = [(f'<a href="/{n}">Entry {n}</a>', f'<a href="/to{n}">More of it</a>') for n in "abcd"]
    assert len(extract(definitions(*linked).encode())) == 0


def test_pages_in_utf_32_are_read() -> None:
    page = "<table>" + row(th("Stadt", "Größe")) + "".join(row(td(f"Ort {n}", n)) for n in range(4)) + "</table>"
    assert told(extract(page.encode("utf-32"))) == told(extract(page.encode()))


def test_a_row_of_years_goes_on_with_the_head() -> None:
    values = [("Accrued pay", "$1,133", "$1,737"), ("Sales", "1,003", "994"), ("Dividends", "526", "529")]
    body = [row(td(*value)) for value in (*values, ("Taxes", "311", "402"), ("Other", "88", "97"))]
    head = row(td("", "<b>August 31,</b>", "<b>May 31,</b>"))
    said = told(read(head, row(td("(Dollars in millions)", "2023", "2022")), *body))
    assert said["994"] == (("May 31,", "2022"), ("Sales",))


def test_the_first_group_is_no_head() -> None:
    head = [
        row(th("(millions)"), th("Three months", "Six months", colspan="2")),
        row(th("", "2023", "2022", "2023", "2022")),
    ]
    group = row(th("Earnings after tax"), td("", "", "", ""))
    body = [row(td(name, 3 + n, 15 + n, 27 + n, 49 + n)) for n, name in enumerate(("United States", "Other", "Total"))]
    said = told(read(*head, group, *body))
    assert said["28"][0] == ("Six months", "2023") and said["28"][1][-1] == "Other"
