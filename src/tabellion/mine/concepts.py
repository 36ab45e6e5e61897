"""Labels to concepts: one concept for labels that say the same (OntoMiner, section 5.3).

In: labels. Out: groups of labels. Words are stemmed (Snowball, by the language of the pages), and labels whose sets of
stems overlap enough by Jaccard's coefficient are one concept. Fails on synonyms, which share no letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from tabellion.errors import MissingExtraError

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
