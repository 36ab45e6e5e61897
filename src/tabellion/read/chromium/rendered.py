"""Web pages as a reader sees them: rendered by Chromium, then read as boxes.

In: a page's bytes and where they came from. Out: a `RenderedPage` that holds the visualised nodes and words beside what
the markup says. Scripts do not run and nothing is loaded but the page's own files, unless asked for; with scripts the
markup is that which they leave. Where rendering fails the page is read from its markup alone, with an issue that says
so; a missing Chromium is an error where rendering was asked for, and such an issue where it is left to the page.

`serve_page` gives an address to load a page under, and a function that answers requests: the page itself, and of other
files only style sheets, pictures and fonts that belong to it, beside it in its folder or in its web archive. All else
is refused unless the network is allowed. A local page is shown under a host name that exists nowhere, so it cannot read
files; one that runs scripts has a host of its own, so that it cannot meet another page. Without scripts pages share a
host, each under a path of its own, which spares Chromium one process per page.
"""

from __future__ import annotations

import itertools
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import msgspec

from tabellion.errors import MissingExtraError, TabellionError
from tabellion.model.markup import MarkupPage, RenderedPage
from tabellion.model.place import Issue
from tabellion.read.chromium.process import find_chromium
from tabellion.read.chromium.snapshot import read_snapshot
from tabellion.read.chromium.tabs import Answer, Ask, shared_tabs
from tabellion.read.limits import DEFAULT, Limits, Rendering
from tabellion.read.spreadsheet.sheets import Contents
from tabellion.read.web.page import open_page, read_opened


def read_rendered(
    data: bytes,
    limits: Limits = DEFAULT,
    charset: str | None = None,
    address: str | None = None,
    path: Path | None = None,
    rendering: Rendering = Rendering(),
) -> Contents:
    """The page of a file, an archive or an address, rendered."""
    opened = open_page(data, charset, address)
    plain: Contents | None = None  # what the markup says, where that decides whether to render
    if rendering.wanted is not None:
        plain = read_opened(opened, limits, whole=True)
        [page] = plain.pages
        if not isinstance(page, MarkupPage) or not rendering.wanted(opened.text, page):
            return plain
    try:
        find_chromium()
    except MissingExtraError as error:
        if plain is None:
            raise
        return _left_unrendered(plain, error)
    parts = {name: Answer(body, kind) for name, (kind, body) in opened.parts.items()}
    served = serve_page(
        opened.text.encode("utf-8", "replace"),
        "utf-8",
        opened.address,
        path,
        parts,
        network=rendering.network,
        scripts=rendering.scripts,
        private=rendering.private,
    )
    tabs = shared_tabs(network=rendering.network, scripts=rendering.scripts)
    issues: list[Issue] = []
    try:
        snapshot = tabs.render(served.address, served.answer, limits.render_seconds)
        seen = read_snapshot(snapshot.data)
    except (TabellionError, msgspec.DecodeError) as error:
        return _left_unrendered(plain or read_opened(opened, limits, whole=True), error)
    if not snapshot.whole:
        seconds = f"{limits.render_seconds:g} seconds"
        issues.append(Issue("read", f"the page had not loaded after {seconds}; read as far as it was"))
    if snapshot.markup is not None:
        opened, plain = msgspec.structs.replace(opened, text=snapshot.markup), None
    contents = plain or read_opened(opened, limits, whole=True)
    [markup] = contents.pages
    if not isinstance(markup, MarkupPage):
        return contents
    drawn = RenderedPage(seen.nodes, seen.words, seen.styles, seen.width, seen.height, markup)
    return msgspec.structs.replace(contents, pages=(drawn,), issues=(*contents.issues, *issues))


def _left_unrendered(contents: Contents, error: Exception) -> Contents:
    note = f"not rendered, read from its markup alone: {error}"
    return msgspec.structs.replace(contents, issues=(*contents.issues, Issue("read", note)))


_KINDS = ("Stylesheet", "Image", "Font")
_LARGEST = 20 * 2**20  # bytes of one own file
_numbers = itertools.count(1)


class Served(msgspec.Struct, frozen=True):
    """A page as it is given to Chromium: its address, and what its requests get."""

    address: str
    answer: Ask


def serve_page(
    data: bytes,
    charset: str,
    address: str | None = None,
    path: Path | None = None,
    parts: Mapping[str, Answer] | None = None,
    *,
    network: bool = False,
    scripts: bool = False,
    private: bool = True,
) -> Served:
    """Serve a page: from the web (`address`), from a file (`path`) or from an archive (`parts` by address).

    Without `private`, nothing of this computer or its own network is loaded.
    """
    number = next(_numbers)
    root = f"http://page-{number}.invalid/" if scripts else f"http://page.invalid/{number}/"
    own = address or f"{root}{quote(path.name) if path else ''}"
    folder = path.resolve().parent if path is not None and address is None else None
    page = Answer(data, f"text/html; charset={charset}")

    def answer(requested: str, kind: str) -> Answer | None:
        plain = requested.partition("#")[0]
        if plain == own.partition("#")[0] and kind == "Document":
            return page
        if parts and plain in parts and kind in _KINDS:
            return parts[plain]
        if folder is not None and kind in _KINDS and plain.startswith(root):
            return _own_file(folder, unquote(urlsplit(plain.removeprefix(root)).path))
        if network and urlsplit(plain).scheme in ("http", "https") and (private or _is_public(plain)):
            return Answer(passed_on=True)
        return None

    return Served(own, answer)


def _is_public(address: str) -> bool:
    """Whether the host of an address is of the public network, by every address that it has."""
    from tabellion.read.web.transport import all_public

    return all_public(urlsplit(address).hostname or "")


def _own_file(folder: Path, name: str) -> Answer | None:
    """A file beside the page, never one above it."""
    try:
        path = (folder / name.lstrip("/")).resolve()
        if not path.is_relative_to(folder) or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        kind = mimetypes.guess_type(path.name)[0] or ""
        if not kind.startswith(("image/", "font/")) and kind != "text/css":
            return None
        return Answer(path.read_bytes(), kind)
    except (OSError, ValueError):
        return None
