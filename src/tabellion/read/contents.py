"""What every format module under `read` gives: sheets and the facts of the document.

A format module has one entry, `read_NAME(data: bytes, limits: Limits, sheet: str | None = None) -> Contents`
(xlsx, xls, ods, xlsb, spreadsheetml, delimited), and raises the errors of `tabellion.errors` without a file name:
`read_document` adds it. With `sheet` it may leave the other sheets unread, but `names` lists them all.
"""

from __future__ import annotations

import msgspec

from tabellion.model.document import Issue, Sheet
from tabellion.model.markup import MarkupPage
from tabellion.model.rendered import RenderedPage


class Contents(msgspec.Struct, frozen=True, eq=False):
    """Sheets in workbook order, the names of all sheets, title and authors, and the doubts met while reading."""

    sheets: tuple[Sheet, ...]
    names: tuple[str, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()
    pages: tuple[MarkupPage | RenderedPage, ...] = ()  # of a web page, which has no sheets
