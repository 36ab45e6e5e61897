"""The language of a document's words, guessed from the small words that every text has.

In: text. Out: a language that stems are known for, English where nothing speaks for another. Fails on very short
texts and on tables without a sentence; the cost is a stem that is less exact.
"""

from __future__ import annotations

import re
from collections import Counter

# language -> its commonest small words that are rare elsewhere (cut to what tells it from its neighbours)
_SMALL = {
    "english": "the of and to in for is with by from are total year all not per than or other",
    "german": "der die das und von mit nach für den im zu nicht auf ist des dem insgesamt jahr oder",
    "french": "le la les des et du en pour par dans sur au aux une est selon ensemble année ou",
    "spanish": "el los las y del en por para con una según al total año que o sus",
    "italian": "il gli della delle di e per con nel dei una secondo anno totale che sono",
    "portuguese": "o os as dos das e do da em por para com uma segundo ano não ao",
    "dutch": "de het een van en in voor met naar op bij jaar totaal niet zijn of",
    "swedish": "och i av för med efter på som är den det år totalt inte samt",
    "danish": "og i af for med efter på som er den det år ikke fordelt efter",
    "norwegian": "og i av for med etter på som er den det år ikke alle",
    "finnish": "ja on mukaan yhteensä vuosi sekä tai ei ovat muut kaikki",
    "hungarian": "és a az szerint összesen év nem is vagy egy",
    "romanian": "și de la în din pe cu pentru după anul total sau",
    "russian": "и в на по с для из не от за год всего",
    "turkish": "ve ile için göre toplam yıl bir bu olan de",
}
LANGUAGES = tuple(_SMALL)
DEFAULT = "english"
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 3  # small words that must be seen before another language than English is believed
_MOST = 5_000  # letters looked at


def _known() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language, words in _SMALL.items():
        for word in words.split():
            found.setdefault(word, []).append(language)
    return found


_KNOWN = _known()


def guess_language(text: str) -> str:
    """The language whose small words are the most.

    >>> guess_language("Bevölkerung nach Alter und Geschlecht, insgesamt"), guess_language("A 1 B 2")
    ('german', 'english')
    """
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text[:_MOST].casefold()):
        languages = _KNOWN.get(word, ())
        for language in languages:
            counts[language] += 12 // len(languages)
    if not counts:
        return DEFAULT
    best, score = counts.most_common(1)[0]
    if best != DEFAULT and (score < 12 * _ENOUGH or score <= counts[DEFAULT]):
        return DEFAULT
    return best
