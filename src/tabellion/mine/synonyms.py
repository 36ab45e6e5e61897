"""Synonyms beyond the letter: concepts that are one thing under two names.

In: the links of concepts by site, and which concepts sites relate. Out: pairs of concepts to be joined. Two of them are
one where several sites lead both names to the same place, or where they have most children in common; never where one
site keeps them apart, with a place for each. The paper leaves this open (section 5.3). Fails on sites that give every
name a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from tabellion.mine.concepts import jaccard
from tabellion.mine.labels import section_path
from tabellion.mine.site import Link
from tabellion.mine.taxonomy import Pair

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
