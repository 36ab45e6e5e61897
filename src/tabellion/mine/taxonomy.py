"""The taxonomy of concepts: which is above which (OntoMiner, section 5.4, TaxMiner).

In: concepts with their links on each site, and the sites. Out: the parent of each concept. On each site a concept is
i-related to another where i steps lead from one down to the other: in the page's hierarchy, along breadcrumbs, or along
the folders of an address. Pairs that too few sites have as neighbours are counted together with those farther apart, as
TaxMiner does, until enough sites have them. Each concept then hangs below the frequent pair's upper end that most sites
name, the nearest first; a circle is broken where it is weakest. Fails where sites disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from tabellion.mine.labels import section_path
from tabellion.mine.site import Link, Site, fold

Pair = tuple[int, int]  # upper, lower concept
FAIR = 0.35  # share of the sites with both concepts that must hang one below the other


def related_pairs(
    sites: Sequence[Site], links: Sequence[Mapping[str, Sequence[Link]]], named: Mapping[str, int]
) -> dict[Pair, dict[str, int]]:
    """For each pair of concepts the sites that relate them, with the least number of steps between."""
    found: dict[Pair, dict[str, int]] = {}
    for site in sites:
        paths: dict[tuple[str, str], int] = {}
        for concept, by_site in enumerate(links):
            for link in by_site.get(site.name, ()):
                if link.path and link.host == site.host:
                    paths.setdefault((link.host, section_path(link)), concept)
        for concept, by_site in enumerate(links):
            for link in by_site.get(site.name, ()):
                for upper, steps in [*_above_by_path(link, paths), *_above_by_label(link, named)]:
                    _note(found, (upper, concept), site.name, steps)
        for page in site.pages:
            for crumbs in page.crumbs:
                _note_chain(found, [named.get(fold(crumb)) for crumb in crumbs], site.name)
    return found


def sibling_sites(links: Sequence[Mapping[str, Sequence[Link]]]) -> dict[Pair, set[str]]:
    """For each two concepts (the lower number first) the sites that show them side by side in one list."""
    lists: dict[tuple[str, int, int], set[int]] = {}
    for concept, by_site in enumerate(links):
        for site, each in by_site.items():
            for link in each:
                lists.setdefault((site, link.group, link.segment), set()).add(concept)
    found: dict[Pair, set[str]] = {}
    for (site, _, _), concepts in lists.items():
        for pair in combinations(sorted(concepts), 2):
            found.setdefault(pair, set()).add(site)
    return found


def _above_by_path(link: Link, paths: Mapping[tuple[str, str], int]) -> list[tuple[int, int]]:
    """The concepts whose path a link's path lies below, the nearest first."""
    path, steps, found = section_path(link), 0, []
    cut = path.rfind("/")
    while cut > 0:
        upper = paths.get((link.host, path[:cut]))
        if upper is not None:
            steps += 1
            found.append((upper, steps))
        cut = path.rfind("/", 0, cut)
    return found


def _above_by_label(link: Link, named: Mapping[str, int]) -> list[tuple[int, int]]:
    """The concepts among the labels above a link in its page's hierarchy."""
    known = [named[fold(text)] for text in link.above if fold(text) in named]
    return [(upper, steps) for steps, upper in enumerate(known, start=1)]


def _note_chain(found: dict[Pair, dict[str, int]], chain: Sequence[int | None], site: str) -> None:
    known = [concept for concept in chain if concept is not None]
    for low in range(1, len(known)):
        for high in range(low):
            _note(found, (known[high], known[low]), site, low - high)


def _note(found: dict[Pair, dict[str, int]], pair: Pair, site: str, steps: int) -> None:
    if pair[0] != pair[1]:
        sites = found.setdefault(pair, {})
        sites[site] = min(steps, sites.get(site, steps))


def frequent_pairs(pairs: Mapping[Pair, Mapping[str, int]], support: int) -> dict[Pair, int]:
    """TaxMiner: the pairs that enough sites have, with the number of steps at which they became frequent.

    >>> frequent_pairs({(0, 1): {"a": 1, "b": 2}, (0, 2): {"a": 1}}, 2)
    {(0, 1): 2}
    """
    found: dict[Pair, int] = {}
    deepest = max((steps for sites in pairs.values() for steps in sites.values()), default=0)
    for steps in range(1, deepest + 1):
        for pair, sites in pairs.items():
            if pair not in found and sum(least <= steps for least in sites.values()) >= support:
                found[pair] = steps
    return found


def choose_parents(
    concepts: int,
    pairs: Mapping[Pair, Mapping[str, int]],
    support: int,
    houses: Mapping[str, str] | None = None,
    having: Sequence[Collection[str]] | None = None,
    beside: Mapping[Pair, Collection[str]] = {},
) -> list[int | None]:
    """The parent of each concept, or None at the top; sites of one house count once.

    With `having`, the sites of each concept, a pair must be stated by a fair share of the sites that have both; with
    `beside`, by more sites than those that only show the two side by side in one list.
    """
    houses = houses or {}
    pairs = {pair: _by_house(sites, houses) for pair, sites in pairs.items()}
    frequent = frequent_pairs(pairs, support)
    if having is not None:
        shown = [{houses.get(site, site) for site in sites} for sites in having]
        frequent = {
            (upper, lower): steps
            for (upper, lower), steps in frequent.items()
            if len(pairs[upper, lower]) >= FAIR * len(shown[upper] & shown[lower])
        }
    level = {pair: {houses.get(site, site) for site in sites} for pair, sites in beside.items()}
    frequent = {
        pair: steps
        for pair, steps in frequent.items()
        if len(pairs[pair]) > len(level.get((min(pair), max(pair)), set()) - set(pairs[pair]))
    }
    uppers: dict[int, list[tuple[int, int, int]]] = {}
    for (upper, lower), steps in frequent.items():
        against = len(pairs.get((lower, upper), ()))
        weight = len(pairs[upper, lower])
        if weight > against:
            uppers.setdefault(lower, []).append((weight, -steps, upper))
    parents: list[int | None] = [None] * concepts
    order = sorted(uppers, key=lambda lower: -max(uppers[lower])[0])
    for lower in order:
        options = sorted(uppers[lower], reverse=True)
        best = options[0]
        # below the best, a nearer one that itself lies below the best is the better parent
        for option in options[1:]:
            nearer = (best[2], option[2]) in frequent and (option[2], best[2]) not in frequent
            if nearer and 2 * option[0] >= best[0]:
                best = option
        if not _is_above(lower, best[2], parents):
            parents[lower] = best[2]
    return parents


def _by_house(sites: Mapping[str, int], houses: Mapping[str, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for site, steps in sites.items():
        house = houses.get(site, site)
        found[house] = min(steps, found.get(house, steps))
    return found


def _is_above(upper: int, lower: int, parents: Sequence[int | None]) -> bool:
    """Whether one concept is another or above it already."""
    here: int | None = lower
    while here is not None:
        if here == upper:
            return True
        here = parents[here]
    return False
