"""The kinds of things that templates tell of.

In: for each template of each site some pages, the names of their things, and the labels over their facts. Out: a kind
each. Where pages state in schema.org what their thing is, that is its kind. Other templates go with the one whose
labels they share most; templates of one site are of different kinds, unless they state the same. A kind that nobody
states is named by the word that most of its sites have in their titles. Fails where titles say nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import msgspec

from tabellion.mine.labels import stems_of
from tabellion.mine.schema_org import fold_text, read_stated
from tabellion.mine.slots import PageSlots

_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN = frozenset(
    ("and", "the", "for", "with", "from", "com", "org", "net", "www", "new", "home", "page", "free", "online", "site",
     "your", "our", "all", "more", "find", "und", "der", "die", "das", "les", "des", "del", "information", "overview",
     "details", "official", "welcome")
)  # fmt: skip
_GENERAL = frozenset(
    ("thing", "webpage", "website", "itempage", "organization", "breadcrumblist", "listitem", "imageobject", "offer",
     "aggregaterating", "rating", "review", "postaladdress", "searchaction", "sitenavigationelement", "wpheader",
     "wpfooter", "wpsidebar", "collectionpage", "corporation", "newsmediaorganization")
)  # fmt: skip
_MOST = 0.6  # share of the pages that state a kind, or have a word in their titles
_LABELS = 0.15  # share of labels from which on templates of two sites are of one kind
_ONE = "thing"


class Batch(msgspec.Struct, frozen=True, eq=False):
    """Some pages of one template of a site, the names of their things, and the labels over their facts."""

    site: str
    pages: Sequence[PageSlots]
    names: Sequence[str | None]
    labels: frozenset[str]


def name_kinds(batches: Sequence[Batch]) -> list[str]:
    """The kind of each batch."""
    stated = [_stated_kind(batch) for batch in batches]
    groups = list(range(len(batches)))
    order = sorted(combinations(range(len(batches)), 2), key=lambda pair: -_likeness(batches, stated, *pair))
    for one, other in order:
        if groups[one] != groups[other] and _may_join(batches, stated, groups, one, other):
            old, new = groups[other], groups[one]
            groups = [new if group == old else group for group in groups]
    names: dict[int, str] = {}
    for group in dict.fromkeys(groups):
        members = [number for number in range(len(batches)) if groups[number] == group]
        told = Counter(stated[number] for number in members if stated[number])
        name = told.most_common(1)[0][0] if told else _title_word([batches[number] for number in members])
        while name in names.values():
            name = f"{name} {len(names) + 1}"
        names[group] = name or _ONE
    return [names[group] for group in groups]


def _likeness(batches: Sequence[Batch], stated: Sequence[str], one: int, other: int) -> float:
    if stated[one] and stated[one] == stated[other]:
        return 2.0
    mine, yours = batches[one].labels - {""}, batches[other].labels - {""}
    shared = len(mine & yours) / max(1, min(len(mine), len(yours)))
    return shared + (0.1 if len(batches[one].pages) > 2 and len(batches[other].pages) > 2 else 0.0)


def _may_join(batches: Sequence[Batch], stated: Sequence[str], groups: Sequence[int], one: int, other: int) -> bool:
    """Whether two groups of batches are of one kind."""
    mine = [number for number in range(len(batches)) if groups[number] == groups[one]]
    yours = [number for number in range(len(batches)) if groups[number] == groups[other]]
    kinds = {stated[number] for number in (*mine, *yours)} - {""}
    if len(kinds) > 1:
        return False
    if stated[one] and stated[one] == stated[other]:
        return True
    if {batches[number].site for number in mine} & {batches[number].site for number in yours}:
        return False
    firsts = _first_of_site(batches)
    main = one in firsts and other in firsts
    return main or _likeness(batches, stated, one, other) >= _LABELS


def _first_of_site(batches: Sequence[Batch]) -> set[int]:
    """The batch of each site with the most pages: what the site is about."""
    found: dict[str, int] = {}
    for number, batch in enumerate(batches):
        if batch.site not in found or len(batch.pages) > len(batches[found[batch.site]].pages):
            found[batch.site] = number
    return set(found.values())


def _stated_kind(batch: Batch) -> str:
    """What most pages state that their thing is, in schema.org markup; empty where they do not."""
    counts: Counter[str] = Counter()
    for page, name in zip(batch.pages, batch.names, strict=True):
        counts.update(_types(page, fold_text(name or "")))
    kind, count = counts.most_common(1)[0] if counts else ("", 0)
    return kind if count >= _MOST * len(batch.pages) else ""


def _types(page: PageSlots, name: str) -> set[str]:
    found: set[str] = set()
    for each in read_stated(page.page.data):
        if name and fold_text(str(each.get("name") or each.get("headline") or "")) == name:
            found |= set(_plain_types(each.get("@type")))
    for attributes in page.page.attributes:
        if "itemtype" in attributes:
            found |= set(_plain_types(attributes["itemtype"].rstrip("/").rpartition("/")[2]))
    return found


def _plain_types(told: Any) -> Iterable[str]:
    types = told if isinstance(told, list) else [told]
    return (kind for kind in types if isinstance(kind, str) and kind and kind.lower() not in _GENERAL)


def _title_word(batches: Sequence[Batch]) -> str:
    """The word that most sites have in the titles of most pages, as it is mostly written."""
    sites: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for batch in batches:
        words: Counter[str] = Counter()
        for page, name in zip(batch.pages, batch.names, strict=True):
            title = (page.page.title or "").casefold().replace((name or "").casefold(), " ")
            for word in set(_WORD.findall(title)):
                stem = " ".join(stems_of(word, "en"))
                if word not in _PLAIN:
                    words[stem] += 1
                    written.setdefault(stem, Counter())[word] += 1
        sites.update(stem for stem, count in words.items() if count >= _MOST * len(batch.pages))
    if not sites or sites.most_common(1)[0][1] < max(min(2, len(batches)), _MOST * len(batches)):
        return _ONE
    return min(written[sites.most_common(1)[0][0]].most_common(1))[0]
