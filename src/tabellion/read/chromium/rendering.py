"""Whether and how a web page is rendered before it is read.

In: the text of a page's markup. Out: whether it hints at tables that no `<table>` gives, so that rendering pays. Fails
where tables are made by rules of a style sheet that is not in the page: then nothing in the markup hints at them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from tabellion.model.markup import MarkupPage

_HINTS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"display\s*:\s*(?:inline-)?(?:table|grid|flex)", re.I), 1),
    (re.compile(r"grid-template|grid-column|grid-row", re.I), 1),
    (re.compile(r"position\s*:\s*absolute", re.I), 6),
    (re.compile(r"float\s*:\s*left|display\s*:\s*inline-block", re.I), 6),
    (re.compile(r"""role\s*=\s*["']?(?:row|cell|gridcell|columnheader|rowheader)\b""", re.I), 1),
    (re.compile(r"""class\s*=\s*["'][^"']*\b(?:t(?:able|bl)?[-_]?(?:row|cell|head)|row|cell|col)\b""", re.I), 6),
    (re.compile(r"<pre\b", re.I), 1),
)
"""What in a page's markup promises a table that no `<table>` gives, and how often it must stand there."""


class Rendering(msgspec.Struct, frozen=True):
    """What a page may do while it is rendered: run its scripts, load files from the network.

    `wanted` is asked with the text and the markup of each page whether to render it; without it all are rendered.
    """

    scripts: bool = False
    network: bool = False
    wanted: Callable[[str, MarkupPage], bool] | None = None
    private: bool = True  # of the network, that of this computer and its own too


def promises_tables(text: str) -> bool:
    """Whether markup hints at tables made of other elements than `<table>`.

    >>> promises_tables("<div style='display:grid'>"), promises_tables("<p>Only text.</p>")
    (True, False)
    """
    return any(_occurs(pattern, text, least) for pattern, least in _HINTS)


def _occurs(pattern: re.Pattern[str], text: str, least: int) -> bool:
    found = pattern.finditer(text)
    return all(next(found, None) is not None for _ in range(least))
