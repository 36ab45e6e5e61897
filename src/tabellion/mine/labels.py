"""Frequent labels of several sites, and which of them are about the domain (OntoMiner, sections 5.1 and 5.2).

In: sites. Out: labels with the sites that have them and how far their links lead to the domain's own matter. A label is
frequent where enough sites link it. The paper drops labels that are no links, that lead away from the site, or behind
which nothing new stands; here the last is asked of the addresses: a label leads to matter where articles lie below its
path, or where it lies below a path that articles lie below. So imprint, login and newsletter fall without any list of
words. Fails on sites whose addresses do not nest.

Labels to concepts: one concept for labels that say the same (OntoMiner, section 5.3).

In: labels. Out: groups of labels. Words are stemmed (Snowball, by the language of the pages), and labels whose sets of
stems overlap enough by Jaccard's coefficient are one concept. Fails on synonyms, which share no letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from tabellion.errors import MissingExtraError
from tabellion.mine.site import Link, Site, find_houses

ALIKE = 0.6  # two of three words; half is too little: "Bundesliga" is not "2. Bundesliga"
_WORD = re.compile(r"\w+")
_LANGUAGES = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "nb": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

Stem = Callable[[str], str]


def plain(word: str) -> str:
    """A word as it is, for languages without a stemmer."""
    return word


@lru_cache(maxsize=8)
def stemmer(language: str | None) -> Stem:
    """What cuts the words of a language to their stems; the words themselves where no stemmer is known.

    >>> stemmer("en")("sports")
    'sport'
    """
    name = _LANGUAGES.get((language or "").lower())
    if name is None:
        return plain
    try:
        import snowballstemmer
    except ModuleNotFoundError as error:
        raise MissingExtraError("mining sites needs snowballstemmer: pip install 'tabellion[web]'") from error
    if name not in snowballstemmer.algorithms():
        return plain
    stem: Stem = snowballstemmer.stemmer(name).stemWord
    return stem


def stems_of(label: str, language: str | None) -> frozenset[str]:
    """The stems of a label's words.

    >>> stems_of("World Sports", "en") == stems_of("sport world", "en")
    True
    """
    stem = stemmer(language)
    return frozenset(stem(word) for word in _WORD.findall(label.casefold()))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """How much two sets share: 1 all, 0 nothing."""
    return len(one & other) / len(one | other) if one or other else 0.0


def group_labels(labels: Iterable[str], language: str | None, alike: float = ALIKE) -> list[list[str]]:
    """Labels in groups that say the same, the first label of each group first in the order given.

    >>> group_labels(["Sport", "Haus & Garten", "Sports", "Haus und Garten"], "de")
    [['Sport', 'Sports'], ['Haus & Garten', 'Haus und Garten']]
    """
    groups: list[tuple[frozenset[str], list[str]]] = []
    by_stem: dict[str, list[int]] = {}
    for label in labels:
        stems = stems_of(label, language)
        near = {number for stem in stems for number in by_stem.get(stem, ())}
        best = max(near, key=lambda number: (jaccard(stems, groups[number][0]), -number), default=None)
        if best is not None and jaccard(stems, groups[best][0]) >= alike:
            groups[best][1].append(label)
            continue
        for stem in stems:
            by_stem.setdefault(stem, []).append(len(groups))
        groups.append((stems, [label]))
    return [members for _, members in groups]


_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "æ": "ae", "ø": "oe"})


class LabelSettings(msgspec.Struct, frozen=True):
    """When a label is frequent and about the domain."""

    share: float = 0.1  # of the sites that must have the label, and at least `least` of them
    least: int = 2
    matter: float = 0.375  # mean evidence over the sites that have it
    few: int = 2  # articles below a path that are no proof yet
    nested: float = 0.6  # evidence of lying below a path with many articles
    shelf: int = 15  # labels right below one path that make it a shelf of subjects
    shelved: float = 0.5  # evidence of standing on such a shelf
    company: int = 4  # links that make a list
    strong: float = 0.6  # share of a list's links with evidence of their own that speaks for the others
    accompanied: float = 0.4  # evidence of standing in such a list
    siblings: bool = False  # take labels of fewer sites too where most of their list is frequent


class Label(msgspec.Struct, frozen=True):
    """A frequent label: as most sites write it, its links by site, and the evidence that it leads to the domain."""

    key: str
    text: str
    links: dict[str, tuple[Link, ...]]
    matter: float

    @property
    def support(self) -> int:
        return len(self.links)


def needed_support(sites: int, settings: LabelSettings = LabelSettings()) -> int:
    """How many of so many sites must have a label."""
    return min(max(settings.least, round(settings.share * sites)), max(1, sites))


def find_labels(sites: Sequence[Site], settings: LabelSettings = LabelSettings()) -> list[Label]:
    """The frequent labels of the sites, with evidence; the most frequent first. Labels of the same stems are one.

    Sites of one house are one witness.
    """
    houses = find_houses(sites)
    need = needed_support(len(set(houses.values())), settings)
    by_label: dict[frozenset[str], dict[str, list[Link]]] = {}
    for site in sites:
        for key, links in site.labels.items():
            stems = stems_of(key, site.language)
            by_label.setdefault(stems, {}).setdefault(site.name, []).extend(links)
    frequent = {
        stems: by_site
        for stems, by_site in by_label.items()
        if stems and len({houses[name] for name in by_site}) >= need
    }
    if settings.siblings:
        frequent.update((stems, by_label[stems]) for stems in _group_siblings(sites, set(frequent), settings))
    evidence: dict[frozenset[str], list[float]] = {stems: [] for stems in frequent}
    for site in sites:
        weights = _site_weights(site, settings)
        for stems, by_site in frequent.items():
            if site.name in by_site:
                evidence[stems].append(max(weights[link.path, link.group] for link in by_site[site.name]))
    found: list[Label] = []
    for stems, by_site in frequent.items():
        matter = sum(evidence[stems]) / len(evidence[stems])
        linked = {name: tuple(links) for name, links in by_site.items()}
        found.append(Label(" ".join(sorted(stems)), _usual_text(linked), linked, matter))
    return sorted(found, key=lambda label: (-label.support, -label.matter, label.key))


def _group_siblings(
    sites: Sequence[Site], frequent: set[frozenset[str]], settings: LabelSettings
) -> set[frozenset[str]]:
    """The labels that stand in one list with others most of which are frequent (OntoMiner, section 5.1)."""
    found: set[frozenset[str]] = set()
    for site in sites:
        lists: dict[tuple[int, int], set[frozenset[str]]] = {}
        for key, links in site.labels.items():
            stems = stems_of(key, site.language)
            for link in links:
                lists.setdefault((link.group, link.segment), set()).add(stems)
        for labels in lists.values():
            if len(labels) >= settings.company and len(labels & frequent) >= settings.strong * len(labels):
                found |= labels
    return found - frequent - {frozenset()}


def _usual_text(links: Mapping[str, Sequence[Link]]) -> str:
    """How most sites write a label."""
    sites = Counter(text for each in links.values() for text in {link.text for link in each})
    times = Counter(link.text for each in links.values() for link in each)
    return max(sites, key=lambda text: (sites[text], times[text]))


def _site_weights(site: Site, settings: LabelSettings) -> dict[tuple[str, int], float]:
    """The evidence of each short link of a site by path and list, helped by that of the others in its list."""
    own: dict[tuple[str, int], float] = {}
    lists: dict[tuple[int, int], dict[str, float]] = {}
    for links in site.labels.values():
        for link in links:
            weight = weigh_link(site, link, settings)
            own[link.path, link.group] = max(own.get((link.path, link.group), 0.0), weight)
            lists.setdefault((link.group, link.segment), {})[link.path] = weight
    for (group, _), weights in lists.items():
        strong = sum(weight >= settings.nested for weight in weights.values())
        if len(weights) >= settings.company and strong >= settings.strong * len(weights):
            for path in weights:
                if path:
                    own[path, group] = max(own[path, group], settings.accompanied)
    return own


def weigh_link(site: Site, link: Link, settings: LabelSettings = LabelSettings()) -> float:
    """How far a link leads to the site's matter: 1 where articles lie below it, 0 where nothing speaks for it."""
    if link.host != site.host or not link.path:
        return 0.0
    path = section_path(link)
    below = site.articles_below[link.host, path]
    if below > settings.few:
        return 1.0
    above = path[: max(0, path.rfind("/"))]
    nested = bool(above) and site.articles_below[link.host, above] > settings.few
    shelved = bool(above) and site.labels_below[link.host, above] >= settings.shelf
    return max(0.8 if below else 0.0, settings.nested if nested else 0.0, settings.shelved if shelved else 0.0)


def section_path(link: Link) -> str:
    """The path that a section's articles lie below: that of its folder where the link leads to a file in it.

    >>> section_path(Link("Hamburg", "example.org", "/regional/hamburg/start/home-16344102.html", 0, 0))
    '/regional/hamburg'
    """
    path = link.path
    last = path.rsplit("/", 1)[-1]
    if "." not in last and sum(letter.isdigit() for letter in last) < 5:
        return path
    word = plain_letters(link.text)
    folders = path.split("/")[1:-1]
    for depth in range(len(folders), 0, -1):
        if plain_letters(folders[depth - 1]) == word:
            return "/" + "/".join(folders[:depth])
    return path


def plain_letters(text: str) -> str:
    """The letters of a text as addresses write them.

    >>> plain_letters("Fußball"), plain_letters("Köln")
    ('fussball', 'koeln')
    """
    spelled = text.casefold().translate(_SPELLED)
    bare = unicodedata.normalize("NFKD", spelled)
    return "".join(letter for letter in bare if letter.isalnum())
