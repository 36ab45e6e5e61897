"""How a row looks, and what its first text says: two groups of its features.

What the first text of a row says: a caption, a source, a footnote, a total, a unit. In: texts. Out: one small whole
number a text and question of `QUESTIONS`. The words are those of the languages that statistical offices publish in; a
text in another language still has its marks, its length and its case. A long sheet has a hundred thousand texts, so a
question looks at its start, its end or for a word.

Features of how a row looks: weight, alignment, borders, indent and spans, and its neighbours' look beside it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.view import Column, RowView, at_most, clipped, column, share, shifted
from tabellion.model.arrays import median
from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon
from tabellion.values.words import Meaning

Feature = Callable[[RowView], Column]

DEEPEST = 9  # rows that are looked at for their indent


def look_share(name: str) -> Feature:
    return lambda view: share((view.look(name).astype(bool) & view.filled).sum(axis=1), view.held)


def first_look(name: str) -> Feature:
    return lambda view: column(view.first_of(view.look(name)))


def drawn(side: str) -> Feature:
    """The share of all columns, empty cells too, with a border on that side."""
    return lambda view: share(view.look(f"border_{side}").sum(axis=1), view.filled.shape[1])


def aligned(side: str) -> Feature:
    return lambda view: share(((view.look("align") == side) & view.filled).sum(axis=1), view.held)


def first_centred(view: RowView) -> Column:
    return column(view.first_of(view.look("align") == "center"))


def size_against_usual(view: RowView) -> Column:
    sizes = view.look("size")
    return clipped(np.round(2 * (view.first_of(sizes) - median(sizes[view.filled]))), 8)


def filled_with_colour(view: RowView) -> Column:
    fills = np.array([style.fill is not None for style in view.grid.styles])[view.style]
    return share((fills & view.filled).sum(axis=1), view.held)


def colour_unusual(view: RowView) -> Column:
    """Whether the first cell's colour is not the one that most rows have."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(style.colour for style in view.grid.styles))}
    mine = np.array([numbers[style.colour] for style in view.grid.styles])[view.first_of(view.style)]
    return column(mine != np.bincount(mine).argmax())


def indent_against(offset: int) -> Feature:
    """The indent less a neighbour's, in half steps; -9 where there is no neighbour."""

    def feature(view: RowView) -> Column:
        less = np.round(2 * (view.indent - shifted(view.indent, offset, np.nan)))
        return column(np.nan_to_num(clipped(less, 8), nan=-9))

    return feature


def run_after(holds: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]) -> Feature:
    """How many rows in a row follow whose indent stands so to this one's."""

    def feature(view: RowView) -> Column:
        run, live = np.zeros(len(view)), np.ones(len(view), dtype=bool)
        for offset in range(1, DEEPEST + 1):
            live &= holds(shifted(view.indent, offset, -1), view.indent)
            if not live.any():
                break
            run += live
        return run

    return feature


def same_look_as(offset: int) -> Feature:
    """Whether a neighbour's first cell looks the same."""
    return lambda view: column(view.look_number == shifted(view.look_number, offset))


def look_usual(view: RowView) -> Column:
    """How usual the look of the first cell is among valued rows."""
    body = view.look_number[view.valued]
    if not len(body):
        return np.zeros(len(view))
    known, times = np.unique(body, return_counts=True)
    at = np.minimum(np.searchsorted(known, view.look_number), len(known) - 1)
    return share(np.where(known[at] == view.look_number, times[at], 0), len(body))


def widest_span(view: RowView) -> Column:
    widest = np.ones(len(view))
    np.maximum.at(widest, view.spans[:, 0], view.spans[:, 3])
    return column(np.where(widest > 1, share(widest, view.grid.shape[1]), 0))


def spans_along(side: int) -> Feature:
    """How many spans of a row reach over several columns (side 3) or rows (side 2)."""

    def feature(view: RowView) -> Column:
        long = view.spans[view.spans[:, side] > 1]
        return at_most(np.bincount(long[:, 0], minlength=len(view)), 6)

    return feature


def note_marks(view: RowView) -> Column:
    """Note marks in the row's cells."""
    wide = view.grid.shape[1]
    rows = np.array([cell // wide for cell in view.grid.notes], dtype=np.int64)
    return at_most(np.bincount(rows, minlength=view.grid.shape[0])[view.rows], 4)


LOOK_FEATURES: dict[str, Feature] = {
    "bold share": look_share("bold"),
    "underline share": look_share("underline"),
    "first bold": first_look("bold"),
    "wrap": first_look("wrap"),
    "border top": drawn("top"),
    "border bottom": drawn("bottom"),
    "centred share": aligned("center"),
    "right share": aligned("right"),
    "first centred": first_centred,
    "size against usual": size_against_usual,
    "filled with colour": filled_with_colour,
    "colour unusual": colour_unusual,
    "indent": lambda view: at_most(np.round(2 * view.indent), 16),
    "indent against last": indent_against(-1),
    "indent against next": indent_against(1),
    "deeper after": run_after(np.greater),
    "no less deep after": run_after(np.greater_equal),
    "same look before": same_look_as(-1),
    "same look after": same_look_as(1),
    "look usual": look_usual,
    "widest span": widest_span,
    "spans": spans_along(3),
    "spans down": spans_along(2),
    "note marks": note_marks,
}


LONG = 160  # letters from which on a text is only looked at from its start

_KEPT = 20_000  # texts whose answers are kept: a sheet that is cut in several ways is read as often

_WORDS = lazy_pattern(r"[^\W_]+")


class Said:
    """A text taken apart once, for all questions; its end is that of the label, without note marks."""

    __slots__ = ("ending", "lower", "start", "text", "words")

    def __init__(self, text: str, label: str) -> None:
        self.text = text.strip()
        self.ending = label[-12:]
        self.lower = self.text[:LONG].lower()
        self.words = _WORDS.findall(self.lower)
        self.start = self.lower.lstrip(" .-–—*\"'([（【■○●◆#\\/")


Question = Callable[[Said], int]


def starts(*words: str) -> Question:
    """Whether the text starts with one of some words, marks before it aside."""
    return lambda said: said.start.startswith(words)


def first_word(*words: str) -> Question:
    known = frozenset(words)
    return lambda said: bool(said.words) and said.words[0] in known


def has_word(*words: str) -> Question:
    absent = frozenset(words).isdisjoint
    return lambda said: not absent(said.words)


def opens_with(*meanings: Meaning) -> Question:
    """Whether the text starts with a word of some meanings, in any language of the vocabulary."""
    known = lexicon(*meanings)
    return lambda said: known.opens(said.start)


def says(*meanings: Meaning) -> Question:
    """Whether a word of some meanings is in the text."""
    known = lexicon(*meanings)
    return lambda said: known.among(said.lower, said.words)


def has_part(*parts: str) -> Question:
    """For marks, for scripts without spaces, and for words that others are built with."""
    found = lazy_pattern("|".join(map(re.escape, parts)))
    if not any(part.isascii() for part in parts):
        return lambda said: not said.lower.isascii() and found.search(said.lower) is not None
    return lambda said: found.search(said.lower) is not None


def either(first: Question, second: Question) -> Question:
    return lambda said: first(said) or second(said)


def begins(pattern: str) -> Question:
    start = lazy_pattern(pattern)
    return lambda said: start.match(said.text) is not None


def ends(*endings: str) -> Question:
    return lambda said: said.ending.rstrip(" \"'”’)").endswith(endings)


def has_year(said: Said) -> int:
    return any(len(word) == 4 and word[:2] in _CENTURIES and word.isdigit() for word in said.words)


_CENTURIES = frozenset(("17", "18", "19", "20"))


def length(said: Said) -> int:
    """Half powers of two."""
    letters = len(said.text)
    return letters.bit_length() * 2 + (letters > 3 << max(0, letters.bit_length() - 2))


def capitals(said: Said) -> int:
    """0 no letters, 1 no capital first, 2 few capitals first, 3 most, 4 all upper case."""
    text = said.text[:LONG]
    if not (said.lower != text or text.upper() != text):
        return 0
    if text.isupper():
        return 4
    words = [word for word in text.split() if word[0].isalpha()]
    capital = sum(word[0].isupper() for word in words)
    if not capital:
        return 1
    return 3 if len(words) > 1 and capital * 3 > len(words) * 2 else 2


def digits(said: Said) -> int:
    """Quarters."""
    count = sum(len(word) for word in said.words if word.isdigit())
    return 4 * count // max(1, len(said.lower))


QUESTIONS: dict[str, Question] = {
    "caption word": either(
        opens_with("table", "tables", "other list", "figure"), starts("annex", "appendix", "第")
    ),
    "note word": either(
        opens_with("source", "note"),
        starts(
            "last modified", "updated", "inquir", "contact", "copyright", "internet release", "director in",
            "released", "produced", "prepared", "for more", "for further", "for information", "more info", "available",
        ),
    ),
    "source": either(
        has_word("source", "sources", "published", "survey", "census", "bureau", "statistics", "report", "http", "www"),
        has_part("<http", "@"),
    ),
    "see": first_word("see", "return", "back", "go", "voir", "siehe"),
    "numbered mark": begins(r"\(?\d{1,2}(\)|/|\.?\s+[^\W\d])"),
    "symbol mark": begins(r"[*†‡§#!¹²³⁴⁵⁶⁷⁸⁹•©®-]"),
    "lettered mark": begins(r"\(?[a-zA-Z]{1,3}\)?\.?\s*[=:–-]|\([a-z]\)|[a-z][).] |[a-z] [A-Z]"),
    "total": says("total"),
    "total first": opens_with("total"),
    "total last": ends("total", "Total", "TOTAL", "totals"),
    "all": opens_with("all"),
    "whole": starts("united states", "u.s.", "u. s.", "world", "nation", "country", "europ", "oecd", "canada",
                    "england", "australia", "great britain", "united kingdom"),
    "average": either(has_word("average", "mean", "median", "moyenne", "durchschnitt"), has_part("平均")),
    "balance": has_word("balance", "net", "gross", "surplus", "deficit", "difference", "change", "equals", "equal",
                        "growth"),
    "percent": either(
        has_word("percent", "cent", "distribution", "rate", "rates", "ratio", "index", "proportion", "share", "per"),
        has_part("%"),
    ),
    "unit": either(
        has_word("million", "millions", "thousand", "thousands", "billion", "billions", "dollar", "dollars", "euro",
                 "euros", "unit", "units", "number", "tons", "tonnes", "hours", "persons", "000"),
        has_part("$", "€", "£", "円", "人"),
    ),
    "unit line": either(
        opens_with("unit"),
        starts("en %", "en mill", "in thous", "in mill", "in bill", "in per", "thousands", "millions", "percent",
               "in %", "％", "%"),
    ),
    "parentheses": lambda said: said.text[:1] in "([（" and said.text[-1:] in ")]）",
    "ends open": either(
        ends("(", ",", "&", "-"),
        lambda said: bool(said.words) and said.words[-1] in {"and", "of", "the", "for", "in", "by", "to", "with", "or"},
    ),
    "colon end": ends(":", "："),
    "colon": lambda said: ":" in said.lower or "：" in said.lower,
    "period end": ends(".", "。"),
    "comma": lambda said: "," in said.lower or "，" in said.lower or "、" in said.lower,
    "year": has_year,
    "year first": begins(r"\W*(1[789]|20)\d\d\b"),
    "starts lower": lambda said: said.text[:1].islower(),
    "starts digit": lambda said: said.text[:1].isdigit(),
    "length": length,
    "words": lambda said: min(40, len(said.words)),
    "capitals": capitals,
    "digits": digits,
}  # fmt: skip


def ask_texts(texts: Iterable[str], labels: Iterable[str]) -> NDArray[np.int16]:
    """The answers, (texts, questions); texts that come again are asked once."""
    asked: dict[tuple[str, str], int] = {}
    where = [asked.setdefault(both, len(asked)) for both in zip(texts, labels, strict=True)]
    answers = np.frombuffer(b"".join(_ask(text, label) for text, label in asked), dtype=np.int16)
    return answers.reshape(-1, len(QUESTIONS))[where]


@lru_cache(maxsize=_KEPT)
def _ask(text: str, label: str) -> bytes:
    """The answers of one text, as 16-bit numbers."""
    said = Said(text, label)
    return array("h", [question(said) for question in QUESTIONS.values()]).tobytes()
