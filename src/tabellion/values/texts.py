"""What a cell's text says, by leaders, marks, numbers and dates; whether texts are read from the right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content
from tabellion.patterns import lazy_pattern
from tabellion.values.conventions import ENGLISH, Conventions, settle_conventions
from tabellion.values.date import read_date
from tabellion.values.marks import is_missing_mark, join_blanks, split_leaders, split_marks
from tabellion.values.number import read_number

# Most cells of a large sheet are plain numbers or plain words; both are known at one look.
_PLAIN_NUMBER = lazy_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_PLAIN_COLUMN = lazy_pattern(rf"{_PLAIN_NUMBER.pattern}(?:\n{_PLAIN_NUMBER.pattern})*+")
_GROUPED_NUMBER = lazy_pattern(r"-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_LETTER = r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ]"
_PLAIN_WORDS = lazy_pattern(rf"(?={_LETTER}{{3}}){_LETTER}+(?:[ \-&'’]{_LETTER}+)*")
_NUMBER_STARTS = "-0123456789"
_TEXTS_KEPT, _CONVENTIONS_KEPT = 8_192, 8  # short texts whose meaning is kept, by each of so many conventions
_LONG = 48  # a longer text is prose: neither a number nor a date


_LEFTWARD_LETTERS = ((0x590, 0x900), (0xFB1D, 0xFE00), (0xFE70, 0xFEFF))  # Hebrew, Arabic and their kin; their forms
_LEFTWARD = lazy_pattern("[" + "".join(f"{chr(first)}-{chr(end - 1)}" for first, end in _LEFTWARD_LETTERS) + "]")


def leftward_letters(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which characters are of a script that runs to the left."""
    return np.asarray(np.logical_or.reduce([(codes >= first) & (codes < end) for first, end in _LEFTWARD_LETTERS]))


def reads_leftwards(texts: Iterable[str]) -> bool:
    """Whether most letters of texts are of a script that runs to the left: the texts are read from the right.

    >>> reads_leftwards(["שלום", "12"]), reads_leftwards(["Tel Aviv", "תל"]), reads_leftwards(["12"])
    (True, False, False)
    """
    whole = "".join(texts)
    return not whole.isascii() and 2 * len(_LEFTWARD.findall(whole)) > sum(map(str.isalpha, whole))


class Saying(msgspec.Struct, frozen=True, gc=False):
    """A text understood: `label` is the text without leaders and note marks, `indent` what led it."""

    content: Content
    label: str
    number: float = float("nan")
    indent: float = 0.0
    notes: tuple[str, ...] = ()
    unit: str | None = None


def read_texts(texts: Iterable[str], conventions: Conventions | None = None) -> dict[str, Saying]:
    r"""What each distinct text says; conventions that are not given are settled from all texts of the grid together.

    Pass what is stored as text only: the texts of stored numbers follow their format and not the grid's conventions.

    >>> read_texts([r"\2 16.2"])[r"\2 16.2"]
    Saying(content=<Content.NUMBER: 2>, label='16.2', number=16.2, indent=0.0, notes=('2',), unit=None)
    """
    distinct: Collection[str] = texts if isinstance(texts, (set, frozenset, dict)) else dict.fromkeys(texts)
    conventions = conventions or settle_conventions(distinct)
    plain_number, grouped_number = _PLAIN_NUMBER.fullmatch, _GROUPED_NUMBER.fullmatch
    plain_words, read = _PLAIN_WORDS.fullmatch, _reader(conventions)
    number, words, dot = Content.NUMBER, Content.TEXT, conventions.decimal == "."
    said: dict[str, Saying] = {}
    for text in distinct:
        if text[:1] not in _NUMBER_STARTS:
            if plain_words(text):
                said[text] = Saying(words, text)
                continue
        elif plain_number(text) and (dot or "." not in text):
            said[text] = Saying(number, text, float(text))
            continue
        elif dot and grouped_number(text):
            said[text] = Saying(number, text, float(text.replace(",", "")))
            continue
        said[text] = read(text) if len(text) <= _LONG else read_text(text, conventions)
    return said


def read_plain_numbers(texts: Sequence[str], conventions: Conventions) -> list[float] | None:
    """The numbers of a long column, where all its texts are plain ones, as `read_texts` would read each; else None.

    >>> read_plain_numbers(["12", "-0.5"], ENGLISH), read_plain_numbers(["12", "007"], ENGLISH)
    ([12.0, -0.5], None)
    """
    joined = "\n".join(texts)
    if (conventions.decimal != "." and "." in joined) or not _PLAIN_COLUMN.fullmatch(joined):
        return None
    return list(map(float, texts)) if joined.count("\n") == len(texts) - 1 else None


@lru_cache(maxsize=_CONVENTIONS_KEPT)
def _reader(conventions: Conventions) -> Callable[[str], Saying]:
    """Reading by some conventions, with what was read last kept: the tables of a document often say the same."""
    return lru_cache(maxsize=_TEXTS_KEPT)(partial(read_text, conventions=conventions))


def read_text(text: str, conventions: Conventions = ENGLISH) -> Saying:
    """What one text says by the conventions of its grid.

    >>> read_text("..65 years and over").label, read_text("..65 years and over").indent
    ('65 years and over', 1.0)
    """
    core = text.strip(" \t\n\r\x0b\x0c\xa0\u2002\u2003\u2007\u2009\u202f\u3000\u200b\ufeff")
    if not core:
        return Saying(Content.EMPTY, "")
    if is_missing_mark(core):
        return Saying(Content.MISSING, core, indent=split_leaders(text)[1])
    if len(core) <= _LONG:
        number = read_number(core, conventions)
        if number:
            indent = split_leaders(text)[1]
            return Saying(Content.NUMBER, join_blanks(number.core), number.value, indent, number.notes, number.unit)
    body, indent = split_leaders(text)
    label, notes = split_marks(join_blanks(body), conventions.numbered) if body else (core, ())
    day = read_date(label, conventions)
    if day is not None:
        return Saying(Content.DATE, label, day, indent, notes)
    return Saying(Content.TEXT, label, indent=indent, notes=notes)
