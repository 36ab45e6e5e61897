"""What a page states of itself in schema.org markup (JSON-LD): texts and breadcrumbs.

In: the texts of a page's JSON-LD scripts. Out: plain facts, used as one more witness beside what is shown. Broken JSON
is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

_MOST = 20_000  # values looked at on one page
_WORDS = 40


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
                    found.add(fold_text(text))
    return found


def stated_breadcrumbs(objects: Iterable[dict[str, Any]]) -> Iterator[tuple[tuple[str, str | None], ...]]:
    """The breadcrumbs, each a chain of name and address from the top down."""
    for each in objects:
        kind = each.get("@type")
        items = each.get("itemListElement")
        if "BreadcrumbList" not in (kind if isinstance(kind, list) else [kind]) or not isinstance(items, list):
            continue
        chain = [crumb for item in sorted(items, key=_position) if (crumb := _crumb(item))]
        if chain:
            yield tuple(chain)


def fold_text(text: str) -> str:
    """A text without case, marks and double blanks."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.casefold()).split())


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
    return " ".join(name.split()), address if isinstance(address, str) else None
