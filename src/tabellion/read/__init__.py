"""Reading: bytes of any kind become a `Document` of pages with styled cells.

Start with `read_document`: it fetches the bytes, tells the format by its content, never by its name, and calls
the format's reader. Every refusal is one line that names the source, the reason and what to do.

`WatchedPages` tell when they are asked for, so that people can be shown how far a long document is; a page that is
asked for again is told again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import overload

from tabellion.errors import MalformedError, TabellionError, TooLargeError, UnknownFormatError, UsageError
from tabellion.model.document import Document, Page
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import DEFAULT, Limits, Rendering, begin_reading, over_memory
from tabellion.read.sniff import sniff_format, unpack_gzip
from tabellion.read.spreadsheet.sheets import Contents

__all__ = ["Contents", "Limits", "Rendering", "read_document"]

Reader = Callable[[bytes, Limits, str | None], Contents]

# format by content -> module and function that reads it; imported when first needed, so that a plain csv costs no lxml
READERS = {
    "xlsx": ("tabellion.read.excel.xlsx", "read_xlsx"),
    "xlsb": ("tabellion.read.excel.xlsb", "read_xlsb"),
    "ods": ("tabellion.read.opendocument.ods", "read_ods"),
    "xls": ("tabellion.read.excel.xls", "read_xls"),
    "spreadsheetml": ("tabellion.read.excel.xml2003", "read_spreadsheetml"),
    "csv": ("tabellion.read.delimited", "read_delimited"),
}


def read_document(
    source: str | Path | bytes,
    limits: Limits = DEFAULT,
    sheet: str | None = None,
    pages: tuple[int, int] | None = None,
    rendering: Rendering | None = None,
    password: str | None = None,
    *,
    private: bool = True,
) -> Document:
    """Read a path, an address, standard input (`"-"`), bytes or markup.

    With `sheet`, that sheet of a workbook only; with `pages`, those pages of a PDF, first and last; with
    `rendering`, a web page as Chromium draws it; with `password`, an encrypted PDF; without `private`, no
    address of this computer or its own network is fetched.
    """
    name, raw, charset, address = fetch_source(source, limits, private=private)
    begin_reading()
    try:
        data = unpack_gzip(raw, limits)
        kind = sniff_format(data)
        if kind in ("html", "mhtml"):
            if rendering is None:
                from tabellion.read.web.page import read_html  # a sheet costs no parser for markup

                return _page_document(name, kind, raw, read_html(data, limits, charset, address))
            from tabellion.read.chromium.rendered import read_rendered  # nor does a plain page cost a browser

            path = Path(name) if isinstance(source, (str, Path)) and address is None and name != "-" else None
            return _page_document(name, kind, raw, read_rendered(data, limits, charset, address, path, rendering))
        if kind == "pdf":
            return _read_printed(name, raw, data, limits, pages, password)
        contents = _reader(kind)(data, limits, sheet)
    except TabellionError as error:
        raise type(error)(f"{name}: {error}") from error
    except RecursionError as error:
        raise MalformedError(f"{name}: too deeply nested to read") from error
    except MemoryError as error:
        raise TooLargeError(f"{name}: {over_memory(limits.memory)}") from error
    sheets = contents.sheets
    if sheet is not None:
        sheets = tuple(page for page in sheets if page.name == sheet)
        if not sheets:
            names = contents.names or tuple(page.name or "" for page in contents.sheets)
            raise UsageError(f"{name}: no sheet named {sheet!r}; the sheets are: {', '.join(names)}")
    return Document(
        source=name,
        medium="spreadsheet",
        kind=kind,
        sha256=hashlib.sha256(raw).hexdigest(),
        pages=sheets,
        title=contents.title,
        authors=contents.authors,
        issues=contents.issues,
    )


def _page_document(name: str, kind: str, raw: bytes, contents: Contents) -> Document:
    """A web page, which has one page and no sheets."""
    return Document(
        source=name,
        medium="html",
        kind=kind,
        sha256=hashlib.sha256(raw).hexdigest(),
        pages=contents.pages,
        title=contents.title,
        authors=contents.authors,
        issues=contents.issues,
    )


def _read_printed(
    name: str, raw: bytes, data: bytes, limits: Limits, pages: tuple[int, int] | None, password: str | None
) -> Document:
    """A PDF, whose pages are read when they are asked for."""
    from tabellion.read.pdf.document import read_pdf  # a sheet costs no PDFium

    contents = read_pdf(data, limits, pages, password)
    return Document(
        source=name,
        medium="pdf",
        kind="pdf",
        sha256=hashlib.sha256(raw).hexdigest(),
        pages=contents.pages,
        title=contents.title,
        authors=contents.authors,
    )


def _reader(kind: str) -> Reader:
    if kind not in READERS:
        raise UnknownFormatError(f"this is {kind.upper()}, which is not read as a spreadsheet")
    module, function = READERS[kind]
    reader: Reader = getattr(import_module(module), function)
    return reader


Watch = Callable[[int, int], None]
"""Told how many pages were asked for so far, and how many there are."""


class WatchedPages(Sequence[Page]):
    """The pages of a document; each time one is come to in turn, `watch` is told."""

    def __init__(self, pages: Sequence[Page], watch: Watch) -> None:
        self._pages, self._watch = pages, watch

    def __len__(self) -> int:
        return len(self._pages)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | Sequence[Page]:
        return self._pages[index]

    def __iter__(self) -> Iterator[Page]:
        for number in range(len(self._pages)):
            self._watch(number, len(self._pages))
            yield self._pages[number]
        self._watch(len(self._pages), len(self._pages))
