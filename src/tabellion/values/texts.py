"""What a cell's text says: its leaders, its marks, a number or a date; whether texts are read from the right.

Note marks in labels: what points to a footnote and is no part of the label. In: a label. Out: the label without its
marks, and the marks in the order read. A digit glued to a word ("Imports1") is a mark only where `numbered` says that
the grid has a note of that number; "CO2" and "m²" stay whole. Fails where a bracketed number at the end is part of the
name.

What leads a label: blanks, dots, dashes and bullets, as one indent. In: a text as it stands in a cell. Out: the text
without its leaders and the indent in steps of about two letters, the measure of `Style.indent`. Dot leaders that run
from a label to its values are dropped as well. One dot before a small letter is of the name (".csv", ".com"), and so
are the dashes of options ("--file", "-v"). Fails where another dash that leads is part of the label itself.

Marks that stand for a missing value. In: a text. Out: whether it is such a mark, by itself (`strict`) or given that it
stands among numbers. Fails where an office uses a number for missing (9999), or a tick "X" in a column of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from functools import lru_cache, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content
from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.values.date import read_date
from tabellion.values.number import ENGLISH, Conventions, read_number, settle_conventions

_WIDE = "\t\u2003\u3000"  # a tab, an em space or an ideographic space is a whole step
_BLANKS = lazy_pattern(r"[\s\u200b\ufeff]*")
_DOTS = lazy_pattern(r"(?!\.[a-z])[.…·](?:\s*[.…·])*\s*(?=[^\W_]|[$(\"'<>≥≤])")
_DASHES = lazy_pattern(
    r"(?!--[a-z]|-[A-Za-z](?![^\W_]))(?:[-‐‑‒–—―−•●○◦▪■□►▸⁃]\s*)+(?=[^\W\d_]|[\"'(])|(?:[-–—•●○◦▪■□►▸⁃]\s+)+(?=\d)"
)
_LONGEST = 400  # a longer text is prose, and no leader runs from it to a value
_LEADERS_END = (".", "…", "·", "_")
_TRAILING = short_pattern(r"(?:\s*[.…·_]){3,}\s*$|(?<=\w)\s*\.{2,}\s*$")


def split_leaders(text: str) -> tuple[str, float]:
    """The text without what leads it, and the indent.

    >>> split_leaders("..65 years and over")
    ('65 years and over', 1.0)
    >>> split_leaders("    - of which women")
    ('of which women', 3.0)
    >>> split_leaders("Total, all ages........")
    ('Total, all ages', 0.0)
    >>> split_leaders(".csv"), split_leaders(".Wyoming")
    (('.csv', 0.0), ('Wyoming', 0.5))
    >>> split_leaders("--file"), split_leaders("-v, --verbose"), split_leaders("-men"), split_leaders("--Men")
    (('--file', 0.0), ('-v, --verbose', 0.0), ('men', 1.0), ('Men', 2.0))
    """
    end, indent = (0, 0.0) if text[:1].isalnum() else _leaders(text)
    body = text[end:].rstrip(" \t\n\r\xa0\u200b\ufeff\u3000")
    return _TRAILING.sub("", body) if body[-1:] in _LEADERS_END and len(body) <= _LONGEST else body, indent


def _leaders(text: str) -> tuple[int, float]:
    """Where what leads a text ends, and the indent that it makes."""
    end = _match_end(_BLANKS, text, 0)
    indent = sum((1.0 if sign in _WIDE else 0.5 for sign in text[:end]), 0.0)
    dots = _DOTS.match(text, end)
    if dots:
        indent += 0.5 * sum(3 if sign == "…" else sign in ".·" for sign in dots[0])
        end = dots.end()
    dashes = _DASHES.match(text, end)
    if dashes:
        indent += sum(not sign.isspace() for sign in dashes[0])
        end = dashes.end()
    return end, indent


def join_blanks(text: str) -> str:
    r"""The text on one line with single blanks.

    >>> join_blanks("Asian/  Pacific\nIslander ")
    'Asian/ Pacific Islander'
    """
    return " ".join(text.split())


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


# By itself each of these can only mean that there is no value. Some statistical offices use brackets, some dots.
_LETTERS = """
NA N/A n/a N/D n/d n.a. N.A. n.a N.A n.v. n.c. n.s. n.d. N.D. n.r. N.R. k.A. o.A. nd ND x null NULL nan NaN <NA>
#N/A #N/A! #DIV/0! #VALUE! #REF! #NUM! #NAME? #NULL!
(NA) (na) (N/A) (n/a) (n.a.) (N.A.) (X) (x) (Z) (z) (S) (s) (D) (d) (B) (N) (H) (L) (P) [NA] [x] [X] [c] [z] [u] [low]
"""
_MISSING_SIGNS = """
. .. ... .... ..... … …. ‥ : :: ; ! / // /// # * ** *** **** † ‡ • · ∙ △ ※ ＊
- -- --- ---- – –– — —— − ‐ ‑ ― ─ －
(-) (--) (---) (–) (—) (−) (.) (..) (...) (…) (:) (*) (**) (#) (†) (‡) [†] [‡]
"""
_SURE = frozenset(f"{_LETTERS} {_MISSING_SIGNS}".split())
_LONE = short_pattern(
    r"[(\[]?(?:[^\W\d_]{1,2}|[^\w\s]{1,5}|\\\w{1,2}|\d{1,2}|\*\d|n\.?\s?[a-z]\.?)[)\]]?(?:\s*(?:[*†‡]+|\\\w))*", re.I
)
_POINTER = lazy_pattern(r"\(?\\\w{1,2}\\?\)?")  # a note mark in place of a value
_WORDS = lazy_pattern(
    r"[(\[]?(?:not (?:available|applicable|reported|stated|published|known|collected|calculated)|none|nil|missing|"
    r"unknown|suppressed|withheld|confidential|no data|keine angabe|non disponible|no disponible)[)\]]?\.?",
    re.I,
)


def is_missing_mark(text: str, strict: bool = True) -> bool:
    """Whether the text stands for a missing value; not `strict`: given that it stands where numbers do.

    >>> is_missing_mark("(NA)"), is_missing_mark("F"), is_missing_mark("F", strict=False)
    (True, False, True)
    """
    mark = text.strip()
    if mark in _SURE or _POINTER.fullmatch(mark):
        return True
    if len(mark) > 24:
        return False
    if not strict and not mark.isdigit() and (_LONE.fullmatch(mark) or _WORDS.fullmatch(mark)):
        return True
    squeezed = "".join(mark.split())
    return squeezed != mark and squeezed in _SURE and not squeezed.isalnum()


_BACKSLASH = short_pattern(r"\s*\(?\\(\d{1,2}|[A-Za-z])(?![\w.]\w)\\?\)?(?:\s*,(?=\s*\\))?")
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ"
_PLAIN = str.maketrans(_SUPERSCRIPT, "0123456789abcdefpr")
_RAISED = short_pattern(
    rf"(?<![⁻⁺])(?<!\b10)(?<!\b[^\W\d_])(?<!\b[ckdmh]m)(?<!\bft)(?<!\bin)(?<!\byd)"
    rf"\s*[⁽(]?([{_SUPERSCRIPT}]{{1,6}})[⁾)]?(?![\w^])"
)
_SIGNS = short_pattern(r"(?:(?<=[\w.)\]%\"'’])\s*|\s+)([*∗]{1,4}|[†‡]{1,2}|[§¶](?=$)|(?<! )#(?=$))(?=$|[\s,:;)])")
_LEADING_SIGN = lazy_pattern(r"([*∗]{1,3}|[†‡]{1,2})\s*(?=\w)")
_NUMBERS = r"\d{1,2}(?:\s*[,;]\s*\d{1,2})*"
_BRACKETED = lazy_pattern(
    rf"(?<=[\w.)\]%:])(?:\s*\(\s*({_NUMBERS})\s*\)|\s+\(\s*([a-z])\s*\)|\s*\[\s*({_NUMBERS}|[a-z])\s*\])$"
)
_NAMED_BY_NUMBER = lazy_pattern(
    r"\b(?:models?|col(?:umn)?s?\.?|eq(?:uation)?s?\.?|no\.?|part|lines?|items?|rows?)$", re.I
)
_UNITS = frozenset("glmst")  # Depth (m): grams, litres, metres, seconds, tonnes, where no note is known by the letter
_CLOSED = short_pattern(r"(?:(?<=[^\W\d])\s*|\s+)(\d{1,2})[/)]$")
_SLASHED = short_pattern(r"(?:\s+|(?<=[^\W\d]))/(\d{1,2})$")
_YEAR_FLAG = lazy_pattern(r"\b((?:1[89]|20)\d\d)\s?([rpe])\b(?!\.)")
_GLUED = lazy_pattern(
    r"(?<=[a-zà-öø-ÿ]{3})(?<![Tt]ype)(?<!evel)(?<!hase)(\d{1,2}(?:,\d{1,2})*)(?=$|[\s,:;])|(?<=[)\]])(\d)$"
)
_SUSPECT_ENDS, _SUSPECT_SIGNS = ")]/\n", lazy_pattern(rf"[\d\\{_SUPERSCRIPT}*∗†‡§¶#]")  # no mark without one of these
_SUSPECT = lazy_pattern(  # one look that spares most labels the rest
    rf"[\\{_SUPERSCRIPT}*∗†‡§¶#]|[)\]/]$|/\d\d?$|(?:1[89]|20)\d\d ?[rpe]\b|[^\W\d_]\d\d?(?:$|[ ,:;])|[)\]]\d$"
)


def split_marks(text: str, numbered: Set[str] = frozenset()) -> tuple[str, tuple[str, ...]]:
    r"""A label without its note marks, and the marks; `numbered` holds the numbers of notes known to exist.

    >>> split_marks(r"1990 \1, \3")
    ('1990', ('1', '3'))
    >>> split_marks("Carbon dioxide**"), split_marks("Land use (LULUCF) 1)")
    (('Carbon dioxide', ('**',)), ('Land use (LULUCF)', ('1',)))
    >>> split_marks("Depth (m)"), split_marks("Exports (b)")
    (('Depth (m)', ()), ('Exports', ('b',)))
    >>> split_marks("Imports1"), split_marks("Imports1", {"1"}), split_marks("CO2", {"2"})
    (('Imports1', ()), ('Imports', ('1',)), ('CO2', ()))
    """
    if not (text[-1:] in _SUSPECT_ENDS or _SUSPECT_SIGNS.search(text)) or not _SUSPECT.search(text):
        return text, ()
    label, found = text, list[tuple[int, str]]()
    for pattern in (_BACKSLASH, _RAISED, _SIGNS):
        label = _take(pattern, label, found)
    label = _take(_LEADING_SIGN, label, found, at_start=True)
    for _ in range(3):
        before = label
        bracketed = _BRACKETED.search(label)
        unit = bracketed and bracketed[2] in _UNITS and bracketed[2] not in numbered
        if bracketed and not unit and not _NAMED_BY_NUMBER.search(label[: bracketed.start()]):
            label = _take(_BRACKETED, label, found)
        if label.endswith("/") or label.count("(") < label.count(")"):
            label = _take(_CLOSED, label, found)
        label = _take(_SLASHED, label, found)
        if label == before:
            break
    flagged = _YEAR_FLAG.search(label)
    if flagged:
        found.append((flagged.start(2), flagged[2]))
        label = f"{label[: flagged.end(1)]}{label[flagged.end(2) :]}"
    if numbered:
        glued = _GLUED.search(label)
        if glued and set((glued[1] or glued[2]).split(",")) <= numbered:
            label = _take(_GLUED, label, found)
    label = label.strip()
    if not label or not found:
        return text, ()
    marks = (mark for _, joined in sorted(found) for mark in re.split(r"(?:(?<!\s)\s+)?[,;]\s*", joined))
    return label, tuple(dict.fromkeys(marks))


def _take(pattern: re.Pattern[str], label: str, found: list[tuple[int, str]], at_start: bool = False) -> str:
    """Remove what the pattern finds and remember the marks with their places."""

    def remember(match: re.Match[str]) -> str:
        mark = next(group for group in match.groups() if group)
        found.append((match.start(), mark.translate(_PLAIN)))
        return ""

    if at_start:
        match = pattern.match(label)
        return remember(match) + label[match.end() :] if match else label
    return pattern.sub(remember, label)


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
