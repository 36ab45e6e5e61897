"""Passages of a web page that mention a table are told with it."""

from __future__ import annotations

from tabellion.pipeline import extract_document

PAGE = """<!doctype html><title>Lakes</title>
<p>Many lakes were measured. As Table 2 shows, the deepest is in the east. It is cold.</p>
<table><caption>Table 2. Depth of lakes</caption><tr><th>Lake</th><th>Depth (m)</th></tr>
<tr><td>Long</td><td>120</td></tr><tr><td>Blue</td><td>87</td></tr><tr><td>Moor</td><td>12</td></tr></table>
<p>Table 3 is elsewhere.</p>"""


def test_the_sentence_that_names_the_table_is_quoted():
    (table,) = extract_document(PAGE).tables
    about = table.metadata.affiliated
    assert about.index_number == "Table 2"
    assert about.references == ("As Table 2 shows, the deepest is in the east.",)


def test_exhibits_and_schedules_are_quoted_as_tables_are():
    page = PAGE.replace("Table 2", "Exhibit 2").replace("Table 3", "Schedule 3")
    (table,) = extract_document(page).tables
    about = table.metadata.affiliated
    assert about.index_number == "Exhibit 2"
    assert about.references == ("As Exhibit 2 shows, the deepest is in the east.",)
