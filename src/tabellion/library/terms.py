"""The terms that are searched for, the language that their stems are of, and where they stand in a table.

From text to the terms that are searched for: words by their stem, numbers by what they say. In: text and its language.
Out: terms, with their places where they are needed for highlights. The same code makes the terms of tables and of
questions, so "1,234.5" finds 1234.5 and a plural its singular. Fails on scripts without blanks between words, where a
run of letters is one term.

The language of a document's words, guessed from the small words that every text has. In: text. Out: a language that
stems are known for, English where nothing speaks for another. Fails on very short texts and on tables without a
sentence; the cost is a stem that is less exact.

Where the words of a question stand in a table: short pieces of text with the words between marks. In: a question and a
table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first some hundred are looked
through, which the index keeps for that.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import tantivy

from tabellion.library.holdings import Details, DocumentRecord, TableRecord, decode_held

if TYPE_CHECKING:
    from tabellion.library.entries import Question

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


_TERM = re.compile(r"\d+(?:[.,'’ \u00a0\u202f]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_SEPARATORS = re.compile(r"[.,'’ \u00a0\u202f]")
_SPACED = re.compile(r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
BREAK = "¶"  # stands between two labels, so that a phrase does not cross from one into the next
_LONGEST = 60  # letters of a term


class Term(NamedTuple):
    """A term, where it stands in its text, and the word as it is written there."""

    term: str
    start: int
    end: int
    word: str = ""


def find_terms(text: str, language: str) -> Iterator[Term]:
    """The terms of a text, in order.

    >>> [t.term for t in find_terms("Smoking rates: 1,234.5 or 1234.5", "english")]
    ['smoke', 'rate', '1234.5', 'or', '1234.5']
    """
    for match in _TERM.finditer(text):
        word = match[0]
        if word[0].isdigit():
            if " " in word or "\u00a0" in word or "\u202f" in word:
                yield from _spaced_numbers(word, match.start())
            else:
                yield Term(plain_number(word), match.start(), match.end())
        else:
            yield Term(stem(word, language), match.start(), match.end(), word)


def terms(text: str, language: str) -> list[str]:
    return [found.term for found in find_terms(text, language)]


@lru_cache(maxsize=10_000)
def is_stop_word(word: str, language: str) -> bool:
    """Whether a word stands in every text of a language, so that finding it says nothing.

    >>> is_stop_word("The", "english"), is_stop_word("total", "english"), is_stop_word("und", "german")
    (True, False, True)
    """
    stopper = _stopper(language)
    return bool(word) and stopper is not None and not stopper.analyze(word)


def is_number(term: str) -> bool:
    return term[:1].isdigit()


@lru_cache(maxsize=100_000)
def plain_number(written: str) -> str:
    """A number without the separators of its thousands; what could be both is taken for them.

    >>> plain_number("1,234.5"), plain_number("1.234,5"), plain_number("12.5"), plain_number("1,234")
    ('1234.5', '1234.5', '12.5', '1234')
    """
    parts = _SEPARATORS.split(written)
    if len(parts) == 1:
        return written[:_LONGEST]
    last = parts[-1]
    kinds = set(_SEPARATORS.findall(written))
    grouped = len(last) == 3 and len(parts[0]) <= 3 and parts[0] != "0" and (len(kinds) == 1)
    whole = "".join(parts if grouped else parts[:-1])
    return (whole if grouped else f"{whole}.{last}")[:_LONGEST]


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a word without accents and capitals."""
    flat = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))
    plain = "".join(letter for letter in flat if not unicodedata.combining(letter)).removesuffix("'s").replace("'", "")
    # a stemmer expects the accents of its language, so it sees the word with them
    found = _analyzer(language).analyze(word.casefold())
    if len(found) != 1:
        return plain[:_LONGEST]
    flat = unicodedata.normalize("NFKD", found[0])
    return "".join(letter for letter in flat if not unicodedata.combining(letter))[:_LONGEST]


@cache
def _analyzer(language: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.stemmer(language)).build()


@cache
def _stopper(language: str) -> tantivy.TextAnalyzer | None:
    """What leaves the stop words of a language out; None where they are not known."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.lowercase())
    try:
        return builder.filter(tantivy.Filter.stopword(language)).build()
    except ValueError:
        return None


def _spaced_numbers(run: str, start: int) -> Iterator[Term]:
    """Digits with blanks between them: one number where they stand in threes, else several."""
    if _SPACED.fullmatch(run):
        yield Term(plain_number(run), start, start + len(run))
        return
    for match in re.finditer(r"[^ \u00a0\u202f]+", run):
        yield Term(plain_number(match[0]), start + match.start(), start + match.end())


OPEN, CLOSE = "«", "»"  # around a word that was found
_PIECES = 3  # pieces shown of one field
_PLAIN_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")  # of plain letters
_ENDS_IN_WORD = re.compile(r".?[a-z]\Z|[a-z]'\Z").match
_GOES_ON = re.compile(r"[a-z]|'[a-z]").match
_START = attrgetter("start")
_AROUND = 60  # letters shown before the first and after the last word


def highlight_table(
    asked: Question, document: DocumentRecord, table: TableRecord, details: Details, cells: Callable[[], list[str]]
) -> dict[str, list[str]]:
    """The pieces of each field that hold a word of the question; cells are asked for where others do not hold all."""
    language = document.language
    wanted = _wanted(tuple(one.text for one in asked.clauses if not one.forbidden), language)
    if not wanted:
        return {}
    affiliated = details.metadata.affiliated
    fields: dict[str, Sequence[str]] = {
        "caption": table.titles,
        "header": details.all_heads,
        "stub": details.stub_words,
        "note": affiliated.footnotes,
        "reference": affiliated.references,
        "document": [
            document.title or "",
            document.source.rpartition("/")[2],
            *(decode_held(document.authors, list[str]) if document.authors != "[]" else ()),
            table.sheet or "",
        ],
    }
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    joined = {field: "\n".join(texts).lower() for field, texts in fields.items()}
    words = _words_found("\n".join(one for one in joined.values() if one.isascii()), wanted, language)
    for field, texts in fields.items():
        if pieces := _pieces(texts, joined[field], words, wanted, language, seen):
            found[field] = pieces
    if missing := wanted - seen:
        texts = cells()
        whole = "\n".join(texts).lower()
        words = _words_found(whole, missing, language) if whole.isascii() else frozenset()
        if pieces := _pieces(texts, whole, words, missing, language, seen):
            found["cell"] = pieces
    return found


@lru_cache(maxsize=1_000)
def _wanted(asked: tuple[str, ...], language: str) -> frozenset[str]:
    """The terms of a question in a language; those that every text has only where it has no others."""
    found_by = [term for text in asked for term in find_terms(text, language)]
    telling = {term.term for term in found_by if not is_stop_word(term.word, language)}
    return frozenset(telling or (term.term for term in found_by))


def _pieces(
    texts: Sequence[str], whole: str, words: Set[str], wanted: Set[str], language: str, seen: set[str]
) -> list[str]:
    """The first texts that hold a wanted term; `whole` is all in small letters, `words` what to look for."""
    pieces: list[str] = []
    plain = whole.isascii()
    here = {word for word in words if word in whole} if plain else {""}
    if not here:
        return pieces  # most texts hold none of the words, which is seen at once
    plain = plain and not any(map(is_number, here))
    for text in texts:
        lowered = text.lower()
        if not any(word in lowered for word in here):
            continue
        spots = _find_words(lowered, here, language) if plain else None
        marked = mark_words(text, wanted, language, seen) if spots is None else _mark(text, spots, seen)
        if marked and marked not in pieces:
            pieces.append(marked)
            if len(pieces) == _PIECES:
                break
    return pieces


def _words_found(text: str, wanted: Set[str], language: str) -> frozenset[str]:
    """Letters of which an ASCII text must hold some to hold a wanted term; nothing where it holds none."""
    words = set(_PLAIN_WORD.findall(text))
    if language == DEFAULT:  # whose stems begin as their words do
        begun = {term[0] for term in wanted}
        words = {word for word in words if word[0] in begun}
    numbers = (term[0] for term in wanted if is_number(term))
    return frozenset([*(word for word in words if stem(word, language) in wanted), *numbers])


def mark_words(text: str, wanted: Set[str], language: str, seen: set[str] | None = None) -> str:
    """The text around the words, each between marks; empty where there is none.

    >>> mark_words("Adults who smoke, by age", {"smoke"}, "english")
    'Adults who «smoke», by age'
    """
    return _mark(text, [term for term in find_terms(text, language) if term.term in wanted], seen)


def _find_words(text: str, words: Set[str], language: str) -> list[Term]:
    """Where a text has some words in small letters, told as `find_terms` tells words of ASCII letters."""
    found = []
    for word in words:
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            before, after = text[max(0, start - 2) : start], text[end : end + 2]
            if not (_ENDS_IN_WORD(before) or _GOES_ON(after)):
                found.append(Term(stem(word, language), start, end, word))
            start = text.find(word, end)
    return sorted(found, key=_START)


def _mark(text: str, spots: list[Term], seen: set[str] | None) -> str:
    if not spots:
        return ""
    if seen is not None:
        seen.update(spot.term for spot in spots)
    first, last = max(spots[0].start - _AROUND, 0), min(spots[-1].end + _AROUND, len(text))
    if last - first > 6 * _AROUND:
        last = min(spots[0].end + 5 * _AROUND, len(text))
    marked, at = ["…" if first else ""], first
    for spot in spots:
        if spot.end > last:
            break
        marked += [text[at : spot.start], OPEN, text[spot.start : spot.end], CLOSE]
        at = spot.end
    return "".join([*marked, text[at:last], "…" if last < len(text) else ""])
