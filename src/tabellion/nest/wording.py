"""What the words of a label say of its place in a hierarchy.

In: label texts without leaders and note marks. Out: small facts (is it a total, does it end in a colon, how is it
numbered). A total in a language that the vocabulary does not list is an ordinary label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon

_TOTAL, _ALL, _OF_WHICH = lexicon("total"), lexicon("all", "total"), lexicon("of which")
_OTHER = lazy_pattern(r"(?:other|others|not |unknown|unspecified|n\.e\.c|remaining|rest of|misc)", re.IGNORECASE)
_NUMBERING = lazy_pattern(
    r"[\[(]?(?:[A-Z]{1,3}[. ]?)?(\d{1,3}(?:\.\d{1,3})*)[.):\]]?\s+\D|[\[(]?([A-Za-z]|[IVXivx]{1,4})[.)\]]\s+\S"
)
_NUMBERED = lazy_pattern(
    r"(?P<open>[(\[<]?)(?:(?P<digit>\d{1,3})|(?P<ideograph>[一二三四五六七八九十]{1,3})"
    r"|(?P<roman>[IVX]{1,4}|[ivx]{1,4})(?=[.):])|(?P<letter>[A-Za-z])(?=[.):]))(?P<close>[.):\]>、]|(?=\s))\s*(?=\S)"
)
_IDEOGRAPHS = "一二三四五六七八九"
_ROMAN = {"I": 1, "V": 5, "X": 10}
_CODE = lazy_pattern(r"([A-Z]{0,3}\d{1,6}(?:\.\d{1,3})*)\.?(?:\s*[-–—:]\s*|\s+)(?=[^\W\d_])")
_BRACKETED = lazy_pattern(r"[(\[][^)\]]*[)\]]?")
_TRAIL = lazy_pattern(r"(?<![\s:.,;*†‡\d)(/\\])[\s:.,;*†‡\d)(/\\]+$")
_SMALL_WORDS = {"and", "the", "for", "sub", "all", "with"}
_WORD = lazy_pattern(r"[^\W\d_]+|\d+")
MANY = 3_000  # different labels; of more, only those are read closely that may be a total or open with a colon

KEPT = 10_000  # labels whose facts are kept: a table is nested again after every stroke of a repair


class Item(NamedTuple):
    """The number that opens a label: how it is written ("(1)", "A.") and which it is."""

    kind: str
    number: int


class Wording(msgspec.Struct, frozen=True):
    """The facts of one label."""

    only_total: bool
    has_total: bool
    starts_total: bool
    starts_all: bool
    colon: bool
    of_which: bool
    other: bool
    capitals: bool
    numeric: bool
    lower: bool
    open_ended: bool
    numbering: tuple[str, ...]
    item: Item | None
    code: str  # that opens it: "S1311", "01.1"; empty where none or another stands in it
    words: int
    first_word: str
    last_word: str
    stems: tuple[str, ...]  # beginnings of the words that carry meaning


_GOES_ON = tuple(
    f" {word}"
    for word in (
        "and", "or", "the", "of", "for", "on", "in", "by", "to", "with", "from", "per", "than", "et", "ou", "de", "des",
        "du", "und", "oder", "von", "der", "für", "y", "con", "por", "para", "e", "do", "da", "di", "della",
    )
)  # fmt: skip
"""What no label ends with, unless it goes on in the next row."""


@lru_cache(maxsize=KEPT)
def read_wording(label: str) -> Wording:
    """The facts of one label.

    >>> read_wording("Total").only_total, read_wording("Total revenue").only_total
    (True, False)
    >>> read_wording("1.2 University clinics").numbering
    ('1', '2')
    """
    text = label.strip()
    bare = _TRAIL.sub("", text)
    loud = _BRACKETED.sub("", text)
    words = _WORD.findall(text.lower())
    has_total = _TOTAL.among(text.lower(), words)
    return Wording(
        only_total=_ALL.fills(bare),
        has_total=has_total,
        starts_total=has_total and _TOTAL.opens(text),
        starts_all=_ALL.opens(text),
        colon=text.endswith(":"),
        of_which=_OF_WHICH.opens(text),
        other=_OTHER.match(text) is not None,
        capitals=loud.upper() == loud and sum(map(str.isalpha, loud)) > 3,
        numeric=bool(text) and not any(map(str.isalpha, text)),
        lower=bool(text) and text[0].islower(),
        open_ended=text.endswith((",", "-", "–", "(")) or text.lower().endswith(_GOES_ON),
        numbering=_numbering(text),
        item=_item(text),
        code=_code(text),
        words=len(words),
        first_word=_kind(words[0]) if words else "",
        last_word=_kind(words[-1]) if words else "",
        stems=_stems([word for word in words if word not in _TOTAL.words] if has_total else words),
    )


def read_wordings(labels: Sequence[str]) -> tuple[list[Wording], NDArray[np.intp]]:
    """The facts of each distinct label, and for each label which of them are its own."""
    known: dict[str, int] = {}
    which = np.fromiter((known.setdefault(label, len(known)) for label in labels), dtype=np.intp, count=len(labels))
    if len(known) <= MANY:
        return [read_wording(label) for label in known], which
    plain = read_wording("Plain")
    return [read_wording(label) if _is_telling(label) else plain for label in known], which


def _is_telling(label: str) -> bool:
    return label.rstrip().endswith(":") or _ALL.within(label)


def _stems(words: list[str]) -> tuple[str, ...]:
    return tuple(sorted({word[:3] for word in words if len(word) > 2} - _SMALL_WORDS))


def _numbering(text: str) -> tuple[str, ...]:
    found = _NUMBERING.match(text)
    if not found:
        return ()
    if found.group(1):
        return tuple(found.group(1).split("."))
    return (found.group(2),)


def _item(text: str) -> Item | None:
    """The number that opens a label.

    >>> _item("（２）海岸"), _item("十一　災害復旧費"), _item("B. Services"), _item("Services")
    (Item(kind='(digit)', number=2), Item(kind='ideograph', number=11), Item(kind='letter.', number=2), None)
    """
    found = _NUMBERED.match(unicodedata.normalize("NFKC", text[:12]))
    if not found:
        return None
    kind = next(kind for kind in ("digit", "ideograph", "roman", "letter") if found[kind])
    return Item(f"{found['open']}{kind}{found['close']}", _counted(kind, found[kind]))


def _code(text: str) -> str:
    """The code that opens a label of words, if it has no other.

    >>> _code("S1311 - State"), _code("1.2. Clinics"), _code("S13 and S212 - All"), _code("2010")
    ('S1311', '1.2', '', '')
    """
    found = _CODE.match(text)
    return found[1].rstrip(".") if found and not any(map(str.isdigit, text[found.end() :])) else ""


def goes_on_from(code: str, other: str) -> bool:
    """Whether a code is another with more behind it: at a point where it has points.

    >>> goes_on_from("1.10", "1"), goes_on_from("1.10", "1.1"), goes_on_from("S13111", "S1311"), goes_on_from("12", "1")
    (True, False, True, False)
    """
    if "." in code:
        return code.startswith(f"{other}.")
    return len(other) > 1 and len(code) > len(other) and code.startswith(other)


def _counted(kind: str, said: str) -> int:
    if kind == "digit":
        return int(said)
    if kind == "ideograph":
        tens, ten, ones = said.rpartition("十")
        first = _IDEOGRAPHS.index(tens[-1]) + 1 if tens else len(ten)
        return 10 * first + (_IDEOGRAPHS.index(ones[-1]) + 1 if ones else 0)
    if kind == "roman":
        worths = [_ROMAN[sign] for sign in said.upper()]
        return sum(-one if one < after else one for one, after in zip(worths, [*worths[1:], 0], strict=True))
    return ord(said.lower()) - ord("a") + 1


def _kind(word: str) -> str:
    """Numbers are of one kind, so that "18 to 24" and "25 to 34" begin alike."""
    return "#" if word.isdigit() else word
