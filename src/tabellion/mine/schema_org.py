"""What a page states of itself in schema.org markup (JSON-LD and microdata): texts and breadcrumbs.

In: a page tree, with the texts of the page's JSON-LD scripts. Out: plain facts, used as one more witness beside what is
shown. Broken JSON is passed over, and what many sites escape twice (`&amp;amp;`) is read once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

from tabellion.model.markup import PageTree

Chain = tuple[tuple[str, str | None], ...]  # breadcrumbs from the top down: name, and address where one is stated

_MOST = 20_000  # values looked at on one page
_WORDS = 40
_MARKS = re.compile(r"[\W_]+")


def read_stated(scripts: Iterable[str]) -> list[dict[str, Any]]:
    """All objects in the scripts, nested ones too."""
    found: list[dict[str, Any]] = []
    for script in scripts:
        try:
            waiting: list[Any] = [json.loads(script, strict=False)]
        except (ValueError, RecursionError):
            continue
        while waiting and len(found) < _MOST:
            each = waiting.pop()
            if isinstance(each, dict):
                found.append(each)
                waiting.extend(reversed(list(each.values())))
            elif isinstance(each, list):
                waiting.extend(reversed(each))
    return found


def stated_texts(objects: Iterable[dict[str, Any]]) -> set[str]:
    """The short texts that the objects hold, folded as shown texts are compared."""
    found: set[str] = set()
    for each in objects:
        for value in each.values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and len(text.split()) <= _WORDS:
                    found.add(fold_text(unescape(text)))
    return found


def stated_breadcrumbs(objects: Iterable[dict[str, Any]]) -> Iterator[Chain]:
    """The breadcrumbs, each a chain of name and address from the top down."""
    for each in objects:
        kind = each.get("@type")
        items = each.get("itemListElement")
        if "BreadcrumbList" not in (kind if isinstance(kind, list) else [kind]) or not isinstance(items, list):
            continue
        chain = [crumb for item in sorted(items, key=_position) if (crumb := _crumb(item))]
        if chain:
            yield tuple(chain)


def marked_texts(page: PageTree) -> set[str]:
    """The short texts that a page marks as properties by microdata, folded."""
    found: set[str] = set()
    for element, attributes in enumerate(page.attributes):
        if "itemprop" in attributes and "itemscope" not in attributes:
            text = attributes.get("content") or page.text_of(element)
            if len(text.split()) <= _WORDS:
                found.add(fold_text(text))
    return found - {""}


def marked_breadcrumbs(page: PageTree) -> Iterator[Chain]:
    """The breadcrumbs that a page marks by microdata."""
    for element, attributes in enumerate(page.attributes):
        if not attributes.get("itemtype", "").rstrip("/").endswith("BreadcrumbList"):
            continue
        chain: list[tuple[str, str | None]] = []
        for inner in range(element + 1, page.ends[element]):
            if page.attributes[inner].get("itemprop") == "name":
                name = page.attributes[inner].get("content") or page.text_of(inner)
                around = (page.attributes[each].get("href") for each in page.ancestors(inner) if each > element)
                if name:
                    chain.append((name, next((href for href in around if href), None)))
        if chain:
            yield tuple(chain)


def fold_text(text: str) -> str:
    """A text without case, marks and double blanks.

    >>> fold_text("  Price (US_$):")
    'price us'
    """
    return _MARKS.sub(" ", text.casefold()).strip()


def _position(item: object) -> float:
    try:
        return float(item["position"])  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        return 1e9


def _crumb(item: object) -> tuple[str, str | None] | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("item")
    name = item.get("name") or (inner.get("name") if isinstance(inner, dict) else None)
    address = (inner.get("@id") or inner.get("url")) if isinstance(inner, dict) else inner
    if not isinstance(name, str) or not name.strip():
        return None
    return " ".join(unescape(name).split()), address if isinstance(address, str) else None
