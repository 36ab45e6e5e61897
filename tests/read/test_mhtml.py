"""Saved web archives hold a page, its character set, its address and its style sheets."""

from __future__ import annotations

import pytest

from tabellion.errors import MalformedError
from tabellion.model.markup import MarkupPage
from tabellion.read import Limits, read_document
from tabellion.read.fetch import Source
from tabellion.read.web.saved import whole_page

ARCHIVE = b"""From: <Saved by a browser>
Snapshot-Content-Location: https://example.org/rain.html
Subject: Rain
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="--x--"

----x--
Content-Type: text/css
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/a.css

td.h { font-weight: bold }

----x--
Content-Type: text/html; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/rain.html

<html><title>Rain</title><table><tr><td class=3Dh>Caf=E9<td>1</table>

----x----
"""


def test_an_archive_is_read_as_the_page_in_it() -> None:
    document = read_document(ARCHIVE)
    page = document.pages[0]
    assert isinstance(page, MarkupPage)
    assert (document.kind, document.title, page.address) == ("mhtml", "Rain", "https://example.org/rain.html")
    assert page.cells.text.tolist() == ["Café", "1"]
    assert page.styles[page.cells.style[0]].bold


def test_an_archive_without_a_page_is_refused() -> None:
    with pytest.raises(MalformedError, match="no page"):
        read_document(ARCHIVE.replace(b"text/html; charset", b"image/png; charset"))


def test_the_sheets_of_a_workbook_saved_as_one_file_follow_one_another() -> None:
    part = b"----x--\nContent-Type: text/html; charset=us-ascii\nContent-Location: file:///C:/%s\n\n%s\n\n"
    frames = b'<html><frameset><frame src="b_files/sheet001.htm"><frame src="b_files/tabs.htm"></frameset></html>'
    head = b'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="--x--"\n\n'
    sheets = [b"<html><body><table><tr><td>%s<td>%d</table></body></html>" % (b"abc"[n : n + 1], n) for n in range(2)]
    pages = {b"b.htm": frames, b"1.htm": sheets[0], b"tabs.htm": b"<html>a b</html>", b"2.htm": sheets[1]}
    document = read_document(head + b"".join(part % page for page in pages.items()) + b"----x----\n")
    page = document.pages[0]
    assert isinstance(page, MarkupPage)
    assert (document.issues, page.cells.text.tolist()) == ((), ["a", "0", "b", "1"])


def test_a_style_sheet_of_open_addresses_costs_no_more_than_its_length() -> None:
    page = f"<style>{'url(' * 500_000}</style><p>words</p>".encode()
    assert whole_page(Source("page.html", page), Limits()) == page
