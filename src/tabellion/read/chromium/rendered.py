"""Web pages as a reader sees them: rendered by Chromium, then read as boxes.

In: a page's bytes and where they came from. Out: a `RenderedPage` that holds the visualised nodes and words beside what
the markup says. Scripts do not run and nothing is loaded but the page's own files, unless asked for; with scripts the
markup is that which they leave. Where rendering fails the page is read from its markup alone, with an issue that says
so; a missing Chromium is an error where rendering was asked for, and such an issue where it is left to the page.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from tabellion.errors import MissingExtraError, TabellionError
from tabellion.model.markup import MarkupPage, RenderedPage
from tabellion.model.place import Issue
from tabellion.read.chromium.process import find_chromium
from tabellion.read.chromium.rendering import Rendering
from tabellion.read.chromium.requests import Answer, serve_page
from tabellion.read.chromium.snapshot import read_snapshot
from tabellion.read.chromium.tabs import shared_tabs
from tabellion.read.limits import DEFAULT, Limits
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
