"""Which requests of a rendered page are answered, and with what.

In: the page's bytes and where it came from. Out: an address to load it under, and a function that answers requests: the
page itself, and of other files only style sheets, pictures and fonts that belong to it, beside it in its folder or in
its web archive. All else is refused unless the network is allowed. A local page is shown under a host name that exists
nowhere, so it cannot read files; one that runs scripts has a host of its own, so that it cannot meet another page.
Without scripts pages share a host, each under a path of its own, which spares Chromium a process a page.
"""

from __future__ import annotations

import itertools
import mimetypes
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import msgspec

_KINDS = ("Stylesheet", "Image", "Font")
_LARGEST = 20 * 2**20  # bytes of one own file
_numbers = itertools.count(1)


class Answer(msgspec.Struct, frozen=True):
    """What a request gets: bytes of a kind, or the way to the network."""

    data: bytes = b""
    kind: str = "application/octet-stream"
    passed_on: bool = False


Ask = Callable[[str, str], Answer | None]
"""What is there at an address, asked for as a kind of file: `Stylesheet`, `Image`, `Font`, `Document`."""


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
