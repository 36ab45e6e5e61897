"""What the first text of a row says: a caption, a source, a footnote, a total, a unit.

In: texts. Out: one small whole number a text and question of `QUESTIONS`. The words are those of the languages that
statistical offices publish in; a text in another language still has its marks, its length and its case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Question = Callable[[str], int]


def _pattern(text: str) -> Question:
    search = re.compile(text, re.IGNORECASE).search
    return lambda said: search(said) is not None


def _exact_pattern(text: str) -> Question:
    search = re.compile(text).search
    return lambda said: search(said) is not None


def _length(said: str) -> int:
    return len(said).bit_length() * 2 + (len(said) > 3 << max(0, len(said).bit_length() - 2))


def _words(said: str) -> int:
    return min(40, len(said.split()))


def _capitals(said: str) -> int:
    """0 no letters, 1 all lower, 2 first capital only, 3 most words capital, 4 all upper."""
    words = [word for word in said.split() if word[0].isalpha()]
    if not words:
        return 0
    if said.upper() == said:
        return 4
    capital = sum(word[0].isupper() for word in words)
    if not capital:
        return 1
    return 3 if len(words) > 1 and capital * 3 > len(words) * 2 else 2


def _digits(said: str) -> int:
    return 4 * sum(character.isdigit() for character in said) // max(1, len(said))


QUESTIONS: dict[str, Question] = {
    "caption word": _pattern(
        r"^\W*(table|tab\.|tableau|tabelle|tabla|tabela|tabell|tabel|taulukko|figure|fig\.|chart|graph|graphique"
        r"|gráfico|cuadro|annex|appendix|exhibit|schedule|表|図|第\d+)"
    ),
    "note word": _pattern(
        r"^\W*(sources?|notes?|footnotes?|fuentes?|quelle|fontes?|bron|kilde|källa|lähde|źródło|notas?|anmerkung"
        r"|champ|lecture|remarks?|n\.b\.|data source|last modified|updated|inquir|contact|copyright|explanation"
        r"|symbols?|abbreviations|legend|internet release|director|released|produced|prepared|for (more|further|info)"
        r"|more info|available|資料|出典|注|備考)\b"
    ),
    "source": _pattern(r"sources?\b|published|survey|census|bureau|statistics|report|<|http|www\.|@"),
    "see": _pattern(r"^\W*(see|return to|back to|go to|voir|siehe)\b"),
    "numbered mark": _exact_pattern(r"^\s*\(?\d{1,2}(\)|/|\.?\s+[^\W\d])"),
    "backslash mark": _exact_pattern(r"^\s*\\"),
    "symbol mark": _exact_pattern(r"^\s*[*†‡§#!¹²³⁴⁵⁶⁷⁸⁹•©®-]"),
    "lettered mark": _exact_pattern(r"^\s*\(?[a-zA-Z]{1,3}\)?\.?\s*[=:–-]|^\s*\([a-z]\)|^\s*[a-z][).] |^[a-z] [A-Z]"),
    "legend": _pattern(r"^\W*\w{0,4}\W*(not (applic|avail|shown)|less than|represents|estimate|prelim|revised|zero)"),
    "total": _pattern(
        r"\b(sub)?total|insgesamt|gesamt|\bsumme\b|\bensemble\b|totaal|\bi alt\b|yhteensä|合計|総数|総計|^計"
        r"|\brazem\b|ogółem|\bcelkem\b|toplam|итого|всего|somme"
    ),
    "total first": _pattern(r"^\W*(grand |sub)?total|^\W*(insgesamt|gesamt|ensemble|合計|総数)"),
    "total last": _pattern(r"total\W*$"),
    "all": _pattern(r"^\W*(all|both|any|overall|entire|whole)\b"),
    "whole": _pattern(
        r"^\W*(united states|u\. ?s\.|world|national|nation|country|europ|oecd|canada|england|australia)"
    ),
    "average": _pattern(r"\b(average|mean|median|medio|moyenne|durchschnitt|平均)"),
    "balance": _pattern(r"\b(balance|net|gross|surplus|deficit|difference|change|equals?|growth)\b"),
    "other": _pattern(r"^\W*(others?|unknown|not |no |misc|autres?|andere)"),
    "less": _pattern(r"^\W*(less|minus|plus|add|of which|including|excluding|dont)\b"),
    "percent": _pattern(r"%|percent|per cent|distribution|\brate|ratio|index|per \d|proportion|share"),
    "unit": _pattern(
        r"\b(millions?|thousands?|billions?|dollars?|euros?|units?|number|tons|tonnes|hours|1,000|persons)\b|\$|€|£|円|人"
    ),
    "parentheses": _exact_pattern(r"^\s*[(\[（].*[)\]）]\W*$"),
    "ends open": _exact_pattern(r"[(,&-]\s*$|\b(and|of|the|for|in|by|to|with|or)\s*$"),
    "colon end": _exact_pattern(r"[:：]\W*$"),
    "colon": _exact_pattern(r"[:：]."),
    "period end": _exact_pattern(r"[.。]\W*$"),
    "comma": _exact_pattern(r"[,，、]"),
    "year": _exact_pattern(r"\b(1[789]|20)\d\d\b"),
    "year first": _exact_pattern(r"^\W*(1[789]|20)\d\d\b"),
    "starts lower": lambda said: said[:1].islower(),
    "starts digit": lambda said: said[:1].isdigit(),
    "length": _length,
    "words": _words,
    "capitals": _capitals,
    "digits": _digits,
}


def ask_texts(texts: Iterable[str]) -> NDArray[np.int16]:
    """The answers, (texts, questions); texts that come again are asked once."""
    asked: dict[str, int] = {}
    where = [asked.setdefault(text, len(asked)) for text in texts]
    answers = np.zeros((len(asked), len(QUESTIONS)), dtype=np.int16)
    stripped = [text.strip() for text in asked]
    for column, question in enumerate(QUESTIONS.values()):
        answers[:, column] = np.fromiter(map(question, stripped), dtype=np.int16, count=len(stripped))
    return answers[where]
