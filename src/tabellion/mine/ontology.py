"""Sites to an ontology. Start with `mine_sites`.

Sites to an ontology: labels, concepts, taxonomy, instances, attributes, synonyms, membership (OntoMiner, section 3).
In: sites, each a set of pages that can be loaded one at a time. Out: concepts with their labels and parents, instances
with their attributes, and what could not be read. Links and templates are read in one pass, instances in a second, so
that memory grows with the links of the sites and not with their pages; instances are spooled to a file.

Synonyms beyond the letter: concepts that are one thing under two names. In: the links of concepts by site, and which
concepts sites relate. Out: pairs of concepts to be joined. Two of them are one where several sites lead both names to
the same place, or where they have most children in common; never where one site keeps them apart, with a place for
each. The paper leaves this open (section 5.3). Fails on sites that give every name a place of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import msgspec

from tabellion.errors import TabellionError
from tabellion.mine.hierarchy import SegmentMethod, segment_page
from tabellion.mine.instances import ConceptInstance, Instance, Spool, mine_instances, read_records
from tabellion.mine.labels import Label, LabelSettings, find_labels, group_labels, jaccard, section_path
from tabellion.mine.schema_org import marked_breadcrumbs, read_stated, stated_breadcrumbs
from tabellion.mine.site import (
    Link,
    Site,
    SitePage,
    find_houses,
    fold,
    gather_site,
    is_label,
    read_links,
    split_address,
)
from tabellion.mine.taxonomy import Pair, choose_parents, related_pairs, sibling_sites
from tabellion.model.markup import PageTree
from tabellion.model.place import Issue

_SITES = 2  # sites that must lead both names to one place
_CHILDREN = 3  # children that both must have
_ALIKE = 0.5  # and their share of all children


def find_synonyms(
    links: Sequence[Mapping[str, Sequence[Link]]], pairs: Mapping[Pair, Mapping[str, int]]
) -> Iterator[Pair]:
    """Pairs of concepts that are one, the first of each pair the one named before."""
    targets = [
        {site: {(link.host, section_path(link)) for link in each if link.path} for site, each in by_site.items()}
        for by_site in links
    ]
    below: list[frozenset[str]] = [frozenset(str(low) for up, low in pairs if up == n) for n in range(len(links))]
    for one, other in combinations(range(len(links)), 2):
        both = [(targets[one][site], targets[other][site]) for site in targets[one].keys() & targets[other].keys()]
        together = sum(bool(mine & yours) for mine, yours in both)
        if together < len(both):
            continue  # some site has a place for each
        children = below[one] & below[other]
        if together >= _SITES or (len(children) >= _CHILDREN and jaccard(below[one], below[other]) >= _ALIKE):
            yield one, other


ALIKE = 0.5  # share of tag paths that pages of one template have in common


class SitePages(msgspec.Struct, frozen=True):
    """A site to be mined: its name, the sources of its pages (the home page first), and how to load one.

    `read` gives the bytes of a page, where there is more to be had than its tree.
    """

    name: str
    sources: tuple[str, ...]
    load: Callable[[str], PageTree]
    read: Callable[[str], bytes] | None = None


class Concept(msgspec.Struct, frozen=True):
    """A concept of the domain; `labels` are all ways in which sites write it, `urls` where its links lead."""

    id: str
    label: str
    labels: tuple[str, ...]
    parent: str | None
    support: int
    sites: tuple[str, ...]
    urls: tuple[str, ...]


class Ontology(msgspec.Struct, frozen=True):
    """What was mined from sites."""

    concepts: tuple[Concept, ...]
    instances: Sequence[ConceptInstance]
    sites: tuple[tuple[str, int], ...]
    issues: tuple[Issue, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The ontology as the output contract says."""
        return {
            "concepts": [msgspec.to_builtins(concept) for concept in self.concepts],
            "instances": [instance_json(each) for each in self.instances],
            "sites": [{"site": name, "pages": pages} for name, pages in self.sites],
            "issues": [{"stage": issue.stage, "place": None, "note": issue.note} for issue in self.issues],
        }

    def json_parts(self) -> Iterator[bytes]:
        """The same as text, an instance at a time."""
        rest = msgspec.structs.replace(self, instances=()).as_json()
        yield b'{"concepts":' + msgspec.json.encode(rest["concepts"]) + b',"instances":['
        for number, each in enumerate(self.instances):
            yield (b"," if number else b"") + msgspec.json.encode(instance_json(each))
        ends = (msgspec.json.encode(rest[name]) for name in ("sites", "issues"))
        yield b'],"sites":%b,"issues":%b}\n' % tuple(ends)


def instance_json(each: ConceptInstance) -> dict[str, Any]:
    """An instance as the output contract says."""
    told = msgspec.to_builtins(each.instance)
    return {"id": each.id, "concept": each.concept, **told}


class MineSettings(msgspec.Struct, frozen=True):
    """What a caller may choose."""

    method: SegmentMethod = "blocks"
    labels: LabelSettings = LabelSettings()
    pair_support: int = 2  # sites that must relate two concepts
    synonyms: bool = False  # join concepts that lead to the same places or have the same children
    instances: bool = True


def mine_sites(given: Sequence[SitePages], settings: MineSettings = MineSettings()) -> Ontology:
    """The ontology of several sites of one domain."""
    issues: list[Issue] = []
    sites: list[Site] = []
    templates: list[list[list[str]]] = []
    for pages in given:
        site, groups = _read_site(pages, settings, issues)
        sites.append(site)
        templates.append(groups)
    concepts, members = build_concepts(sites, settings)
    instances = Spool()
    if settings.instances:
        for pages, site, groups in zip(given, sites, templates, strict=True):
            membership = _Membership(concepts, members)
            for each in _site_instances(pages, site, groups, membership, issues, settings.method):
                instances.append(each)
    counted = tuple((site.name, len(site.pages)) for site in sites)
    return Ontology(tuple(concepts), instances, counted, tuple(issues))


def _read_site(pages: SitePages, settings: MineSettings, issues: list[Issue]) -> tuple[Site, list[list[str]]]:
    """The links of a site's pages, and its pages grouped by template."""
    shapes: list[tuple[frozenset[int], list[str]]] = []

    def read() -> Iterator[tuple[SitePage, list[Link]]]:
        for source in pages.sources:
            try:
                page = pages.load(source)
            except TabellionError as error:
                issues.append(Issue("read", str(error)))
                continue
            shape = page_shape(page)
            alike = next((group for first, group in shapes if shared_shape(first, shape) >= ALIKE), None)
            if alike is None:
                shapes.append((shape, [source]))
            else:
                alike.append(source)
            yield read_site_page(page, source, settings.method)

    site = gather_site(pages.name, read())
    return site, [group for _, group in shapes]


def read_site_page(page: PageTree, source: str, method: SegmentMethod = "blocks") -> tuple[SitePage, list[Link]]:
    """What mining keeps of a page, and its links."""
    place = split_address(page.address or "", "") or ("", "")
    links = read_links(segment_page(page, method), page.address)
    roots = {fold(link.text) for link in links if not link.path}
    crumbs = [
        tuple(name for name, at in chain if is_label(name) and not _is_root(at) and fold(name) not in roots)
        for chain in (*stated_breadcrumbs(read_stated(page.data)), *marked_breadcrumbs(page))
    ]
    return SitePage(source, page.address, place[0], place[1], page.language, tuple(crumbs)), links


def _is_root(address: str | None) -> bool:
    place = split_address(address or "", "")
    return place is not None and not place[1]


def page_shape(page: PageTree) -> frozenset[int]:
    """A number for each kind of place on a page that holds text."""
    names: list[int] = []
    for parent, tag in zip(page.parents.tolist(), page.tags, strict=True):
        names.append(hash((names[parent] if parent >= 0 else 0, tag)))
    return frozenset(names[holder] for holder in page.holder.tolist())


def shared_shape(one: frozenset[int], other: frozenset[int]) -> float:
    """Which share of their kinds of places two pages have in common."""
    return len(one & other) / max(1, len(one | other))


def build_concepts(
    sites: Sequence[Site], settings: MineSettings = MineSettings()
) -> tuple[list[Concept], dict[tuple[str, str], str]]:
    """The concepts with their parents, and which concept each path of a site belongs to."""
    labels = [label for label in find_labels(sites, settings.labels) if label.matter >= settings.labels.matter]
    language = next((site.language for site in sites if site.language), None)
    by_text = {label.text: label for label in labels}
    groups = [_merge([by_text[text] for text in group]) for group in group_labels(by_text, language)]
    if settings.synonyms:
        groups = _join_synonyms(sites, groups)
    names = [group[0] for group in groups]
    links = [group[1] for group in groups]
    named = _name_concepts(links)
    _add_crumbs(sites, names, links, named)
    pairs = related_pairs(sites, links, named)
    houses = find_houses(sites)
    beside = sibling_sites(links)
    parents = choose_parents(len(names), pairs, settings.pair_support, houses, links, beside)
    _hang_crumbs(sites, named, parents, {number for number, by_site in enumerate(links) if not any(by_site.values())})
    concepts: list[Concept] = []
    members: dict[tuple[str, str], str] = {}
    for number, (name, by_site) in enumerate(zip(names, links, strict=True)):
        upper = parents[number]
        texts = dict.fromkeys([name, *(link.text for each in by_site.values() for link in each)])
        urls = sorted({link.address for each in by_site.values() for link in each if link.host})
        concepts.append(
            Concept(
                id=f"c{number + 1}",
                label=name,
                labels=tuple(texts),
                parent=None if upper is None else f"c{upper + 1}",
                support=len(by_site),
                sites=tuple(sorted(by_site)),
                urls=tuple(urls),
            )
        )
        for each in by_site.values():
            for link in each:
                members.setdefault((link.host, section_path(link)), f"c{number + 1}")
    return concepts, members


def _name_concepts(links: Sequence[dict[str, list[Link]]]) -> dict[str, int]:
    """Which concept each label means."""
    named: dict[str, int] = {}
    for number, by_site in enumerate(links):
        for each in by_site.values():
            for link in each:
                named.setdefault(fold(link.text), number)
    return named


def _join_synonyms(
    sites: Sequence[Site], groups: list[tuple[str, dict[str, list[Link]]]]
) -> list[tuple[str, dict[str, list[Link]]]]:
    """The concepts with those joined that are one under two names; the more frequent name stays."""
    links = [by_site for _, by_site in groups]
    home = list(range(len(groups)))
    for one, other in find_synonyms(links, related_pairs(sites, links, _name_concepts(links))):
        home = [home[one] if number == home[other] else number for number in home]
    joined: dict[int, tuple[str, dict[str, list[Link]]]] = {}
    for number, (name, by_site) in enumerate(groups):
        kept = joined.setdefault(home[number], (name, {}))[1]
        for site, each in by_site.items():
            kept.setdefault(site, []).extend(each)
    return list(joined.values())


def _merge(labels: Sequence[Label]) -> tuple[str, dict[str, list[Link]]]:
    """Labels of one concept: the most frequent text, and all links by site."""
    links: dict[str, list[Link]] = {}
    for label in labels:
        for site, each in label.links.items():
            links.setdefault(site, []).extend(each)
    return max(labels, key=lambda label: label.support).text, links


def _add_crumbs(
    sites: Sequence[Site], names: list[str], links: list[dict[str, list[Link]]], named: dict[str, int]
) -> None:
    """Concepts that a site's own breadcrumbs state, on one site only as well; not the name of a home page."""
    homes = {
        name for site in sites for name, each in site.labels.items() if any(_leads_home(site, one) for one in each)
    }
    for site in sites:
        for page in site.pages:
            for crumb in (crumb for chain in page.crumbs for crumb in chain[: None if len(chain) == 1 else -1]):
                if fold(crumb) in homes:
                    continue
                number = named.setdefault(fold(crumb), len(names))
                if number == len(names):
                    names.append(crumb)
                    links.append({})
                links[number].setdefault(site.name, [])


def _leads_home(site: Site, link: Link) -> bool:
    return link.host == site.host and not link.path


def _hang_crumbs(sites: Iterable[Site], named: dict[str, int], parents: list[int | None], free: set[int]) -> None:
    """Hang concepts that only breadcrumbs name where the breadcrumbs hang them."""
    for site in sites:
        for page in site.pages:
            for chain in page.crumbs:
                known = [named[fold(crumb)] for crumb in chain if fold(crumb) in named]
                for upper, lower in pairwise(known):
                    if lower in free and parents[lower] is None and upper != lower and parents[upper] != lower:
                        parents[lower] = upper


class _Membership:
    """Which concept a page belongs to."""

    def __init__(self, concepts: Iterable[Concept], paths: dict[tuple[str, str], str]) -> None:
        self._paths = paths
        self._names = {fold(label): concept.id for concept in concepts for label in concept.labels}

    def is_detail(self, page: SitePage) -> bool:
        """Whether a page tells of one thing: it is no home page, and no concept's links lead to it."""
        if page.address is None:
            return True
        return bool(page.path) and (page.host, page.path) not in self._paths

    def own_page_of(self, page: SitePage) -> str | None:
        """The concept whose links lead to a page; none for a home page."""
        return self._paths.get((page.host, page.path)) if page.path else None

    def concept_of(self, page: SitePage) -> str | None:
        """The concept whose path a page lies below, the nearest; else the nearest that its breadcrumbs name."""
        path = page.path
        while path:
            path = path[: path.rfind("/")]
            if (page.host, path) in self._paths:
                return self._paths[page.host, path]
        crumbs = (crumb for chain in page.crumbs for crumb in reversed(chain))
        return next((self._names[fold(crumb)] for crumb in crumbs if fold(crumb) in self._names), None)


def _site_instances(
    pages: SitePages,
    site: Site,
    groups: list[list[str]],
    membership: _Membership,
    issues: list[Issue],
    method: SegmentMethod,
) -> Iterator[ConceptInstance]:
    """The instances of a site: what its detail pages tell of, then the records that a concept's own pages list."""
    places = {page.source: page for page in site.pages}
    number = 0

    def load(source: str) -> PageTree | None:
        try:
            return pages.load(source)
        except TabellionError as error:
            issues.append(Issue("instances", str(error)))
            return None

    for group in groups:
        details = [source for source in group if membership.is_detail(places[source])]
        for instance in mine_instances(details, load, method):
            number += 1
            yield ConceptInstance(f"i{number}-{site.name}", membership.concept_of(places[instance.source]), instance)
    for page in site.pages:
        concept = membership.own_page_of(page)
        tree = load(page.source) if concept else None
        for record in (record for each in read_records(tree) for record in each.records) if tree is not None else ():
            number += 1
            yield ConceptInstance(f"i{number}-{site.name}", concept, Instance(page.source, record))
