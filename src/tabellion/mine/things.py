"""Things with names, kinds and keys, over several sites, with one schema for each kind. Start with `unify_sites`.

In: sites whose pages tell of things, one a page. Out: for each page a thing: its name, its kind, a key that stays when
the page is read again, its address and picture, and its attributes, each marked as a fact of the thing (`main`) or as
something beside it, and named as all sites name it (`as`). The pages of a site are parted by template first. Pages are
held a batch at a time. Fails on sites with very few pages of a template, where little is seen to change.

Kinds: where pages state in schema.org what their thing is, that is its kind. Other templates go with the one whose
labels they share most; templates of one site are of different kinds, unless they state the same. A kind that nobody
states is named by the word that most of its sites have in their titles. Fails where titles say nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from tabellion.errors import TabellionError
from tabellion.mine.facts import MAIN, Fact, SlotProfile, TemplateFacts, describe_slots, learn_facts
from tabellion.mine.instances import SAMPLE, spread
from tabellion.mine.labels import stems_of
from tabellion.mine.names import choose_names
from tabellion.mine.ontology import SitePages, page_shape, shared_shape
from tabellion.mine.schema import UnifiedAttribute, unify_slots
from tabellion.mine.schema_org import fold_text, read_stated
from tabellion.mine.slots import PageSlots, SlotKey
from tabellion.model.markup import PageTree
from tabellion.model.place import Issue
from tabellion.read.web.addresses import join_address, take_apart

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


_ALIKE = 0.3  # share of tag paths that pages of one template have in common at least
_TRACKING = ("utm_", "sid", "session", "phpsessid", "jsessionid", "fbclid", "gclid", "ref")
NAME = "name"

Fixed = Mapping[tuple[str, SlotKey], str]  # by site and slot: the unified attribute that a person says it is


class ThingAttribute(msgspec.Struct, frozen=True, rename={"unified": "as"}):
    """A value of a thing: labels over it, its text, where it stands; `unified` is printed as `as`."""

    label: tuple[str, ...]
    value: str
    path: str
    unified: str | None
    main: bool


class Thing(msgspec.Struct, frozen=True):
    """What a page tells of."""

    source: str
    site: str
    kind: str
    name: str | None
    key: str
    attributes: tuple[ThingAttribute, ...]
    address: str | None = None
    picture: str | None = None


class KindSchema(msgspec.Struct, frozen=True):
    """A kind of things, the sites that have it, and its attributes over all of them."""

    kind: str
    sites: tuple[str, ...]
    attributes: tuple[UnifiedAttribute, ...]


class UnifiedSites(msgspec.Struct, frozen=True):
    """What was learned of sites: one schema for each kind; `things` reads the pages, one thing each."""

    schemas: tuple[KindSchema, ...]
    templates: tuple[_Template, ...]
    issues: list[Issue]

    def things(self) -> Iterator[Thing]:
        """The things of all sites, page by page in the order of the sites."""
        named = {
            (member.site, schema.kind, member.slot): attribute.name
            for schema in self.schemas
            for attribute in schema.attributes
            for member in attribute.members
        }
        for template in self.templates:
            yield from template.things(named)


class _Template(msgspec.Struct, eq=False):
    """The pages of one template of a site, and what was learned of it."""

    site: SitePages
    sources: list[str]
    load: Callable[[str], PageTree | None]
    facts: TemplateFacts
    views: dict[str, PageSlots]  # of the pages that it was learned from
    names: dict[str, str | None]
    kind: str = "thing"

    def things(self, named: Mapping[tuple[str, str, SlotKey], str]) -> Iterator[Thing]:
        """The things of its pages."""
        for first in range(0, len(self.sources), SAMPLE):
            part = self.sources[first : first + SAMPLE]
            views = dict(self._views(part))
            later = [source for source in views if source not in self.names]
            names = dict(zip(later, choose_names([views[source] for source in later]), strict=True)) | self.names
            for source, view in views.items():
                yield self._thing(source, view, names[source], named)

    def _views(self, sources: Sequence[str]) -> Iterator[tuple[str, PageSlots]]:
        for source in sources:
            if source in self.views:
                yield source, self.views[source]
            elif (page := self.load(source)) is not None:
                yield source, self.facts.view(page)

    def _thing(
        self, source: str, view: PageSlots, name: str | None, named: Mapping[tuple[str, str, SlotKey], str]
    ) -> Thing:
        page = view.page
        folded = fold_text(name or "")
        attributes: dict[ThingAttribute, None] = {}
        for fact in self.facts.read(view):
            unified = named.get((self.site.name, self.kind, fact.slot)) if fact.main else None
            attribute = _attribute(page, fact, unified)
            if folded and fold_text(attribute.value) == folded:
                attribute = msgspec.structs.replace(attribute, unified=NAME, main=True)
            attributes[attribute] = None
        if name and all(attribute.unified != NAME for attribute in attributes):
            attributes = {ThingAttribute((), name, "title", NAME, True): None, **attributes}
        address = page.address
        key = thing_key(self.site.name, address or source, whole=address is not None)
        picture = join_address(address or "", page.picture) if page.picture else None
        return Thing(source, self.site.name, self.kind, name, key, tuple(attributes), address, picture)


def _attribute(page: PageTree, fact: Fact, unified: str | None) -> ThingAttribute:
    label = tuple(part.strip() for part in fact.label)
    path = page.css_path(int(page.holder[fact.leaf]))
    return ThingAttribute(label, page.texts[fact.leaf], path, unified, fact.main)


def unify_sites(sites: Sequence[SitePages], fixed: Fixed | None = None) -> UnifiedSites:
    """What is to be known of sites to tell their things: templates, kinds, and a schema for each kind."""
    issues: list[Issue] = []
    templates: list[_Template] = []
    profiles: list[list[SlotProfile]] = []
    for site in sites:
        for sources, load in _part_by_template(site, issues):
            template = _learn(site, sources, load)
            if template is not None:
                templates.append(template)
                views = list(template.views.values())
                told = describe_slots(site.name, views, template.facts.slots, template.facts.chances, least=MAIN)
                profiles.append(told)
    batches = [
        Batch(each.site.name, list(each.views.values()), list(each.names.values()), frozenset(p.name for p in told))
        for each, told in zip(templates, profiles, strict=True)
    ]
    for template, kind in zip(templates, name_kinds(batches), strict=True):
        template.kind = kind
    schemas = []
    for kind in dict.fromkeys(template.kind for template in templates):
        chosen = [told for template, told in zip(templates, profiles, strict=True) if template.kind == kind]
        names = tuple(dict.fromkeys(template.site.name for template in templates if template.kind == kind))
        found = unify_slots([each for told in chosen for each in told], fixed or {})
        schemas.append(KindSchema(kind, names, tuple(found)))
    return UnifiedSites(tuple(schemas), tuple(templates), issues)


def _learn(site: SitePages, sources: list[str], load: Callable[[str], PageTree | None]) -> _Template | None:
    pages = {source: page for source in spread(sources, SAMPLE) if (page := load(source)) is not None and len(page)}
    if not pages:
        return None
    facts, views = learn_facts(pages.values())
    names = dict(zip(pages, choose_names(views), strict=True))
    return _Template(site, sources, load, facts, dict(zip(pages, views, strict=True)), names)


def _part_by_template(
    site: SitePages, issues: list[Issue]
) -> Iterator[tuple[list[str], Callable[[str], PageTree | None]]]:
    """The pages of a site by template; those read last are kept, since they are asked for at once."""
    kept: dict[str, PageTree] = {}

    def load(source: str) -> PageTree | None:
        if source in kept:
            return kept[source]
        try:
            return site.load(source)
        except TabellionError as error:
            issues.append(Issue("read", str(error)))
            return None

    groups: list[tuple[frozenset[int], list[str]]] = []
    for source in site.sources:
        page = load(source)
        if page is None:
            continue
        if len(kept) < SAMPLE:
            kept[source] = page
        shape = page_shape(page)
        alike = max(groups, key=lambda group: shared_shape(group[0], shape), default=None)
        if alike is not None and shared_shape(alike[0], shape) >= _ALIKE:
            alike[1].append(source)
        else:
            groups.append((shape, [source]))
    for _, sources in groups:
        yield sources, load


def thing_key(site: str, place: str, *, whole: bool) -> str:
    """A key that stays: the address without scheme, sessions and tracking; of a saved page its site and file.

    >>> thing_key("a", "https://www.example.org/item?id=7&utm_source=x#top", whole=True)
    'example.org/item?id=7'
    >>> thing_key("shop", "/tmp/shop/0001.htm", whole=False)
    'shop/0001.htm'
    """
    if not whole and "://" not in place:
        return f"{site}/{PurePath(place).name}"
    parts = take_apart(place)
    asked = [pair for pair in parse_qsl(parts.query) if not pair[0].lower().startswith(_TRACKING)]
    question = f"?{urlencode(sorted(asked))}" if asked else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/') or '/'}{question}"
