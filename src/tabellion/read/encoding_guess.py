"""Which encoding some bytes are in that are no UTF-8: every encoding is weighed for every language written in it.

In: lines with letters beyond ASCII; out: the name of the encoding, and a doubt where it is a guess. The share of
foreign letters that a language uses often decides, and how many stand where a language has none. Written by hand
since the libraries for this guess from pages of prose; a table often has a dozen foreign letters in all. Fails on
languages that `alphabets` does not list.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from tabellion.read.alphabets import ALPHABETS, SIGNS, Alphabet, Script

_BROKEN_SHARE = 0.002  # broken characters a file in its true encoding may have
_DOUBT = 0.08  # a lead over the second-best encoding that leaves a doubt where there are
_FEW_LETTERS = 30  # at most so many foreign letters to go by
_FOREIGN = re.compile(r"[^\x00-\x7f]")


def guess_encoding(sample: bytes) -> tuple[str, str | None]:
    """The encoding under which the foreign letters look most like those of a language, and a doubt."""
    best: dict[str, float] = {}
    readings: dict[tuple[str, Script], _Reading | None] = {}
    for alphabet in ALPHABETS:
        for rank, encoding in enumerate(alphabet.encodings):
            key = encoding, alphabet.script
            if key not in readings:
                readings[key] = _read_as(sample, *key)
            reading = readings[key]
            if reading is not None:
                likeness = _likeness(reading, alphabet) - alphabet.handicap - 0.001 * rank
                best[encoding] = max(best.get(encoding, -1.0), likeness)
    ranked = sorted(best, key=lambda name: -best[name])
    if not ranked or best[ranked[0]] < 0:
        return "cp1252", "the encoding could not be told; it was read as cp1252"
    first = ranked[0]
    text = sample.decode(first, errors="replace")
    if len(_FOREIGN.findall(text)) > _FEW_LETTERS:
        return first, None
    for second in ranked[1:]:
        if best[first] - best[second] < _DOUBT and sample.decode(second, errors="replace") != text:
            return first, f"the encoding was guessed: {first}, though {second} is nearly as likely"
    return first, None


class _Reading(msgspec.Struct, frozen=True):
    """The foreign characters of a sample under one encoding: how often each, and how many stand where none should."""

    letters: Counter[str]
    odd: int


def _read_as(sample: bytes, encoding: str, script: Script) -> _Reading | None:
    """The sample under an encoding; None where it cannot be that encoding."""
    text = sample.decode(encoding, errors="replace")
    if text.count("\ufffd") > _BROKEN_SHARE * len(text):
        return None
    if script == "ideograph":
        return _Reading(Counter(_FOREIGN.findall(text)), 0)
    letters: Counter[str] = Counter()
    odd = 0
    padded = f"  {text} "
    for match in _FOREIGN.finditer(padded):
        at = match.start()
        if _odd(padded[at - 2], padded[at - 1], padded[at], padded[at + 1], script):
            odd += 1
        else:
            letters[padded[at]] += 1
    return _Reading(letters, odd)


def _odd(before: str, left: str, letter: str, right: str, script: Script) -> bool:
    """Whether a foreign character stands where a language has none.

    A sign inside a word, a capital after a small letter, a letter alone, a Cyrillic letter beside a Latin one.
    """
    if not letter.isalpha():
        return left.isalpha() and right.isalpha() and letter not in "’‘´·–—\xad"
    if letter.isupper() and left.islower():
        return True
    if script == "other":
        return (left.isascii() and left.isalpha()) or (right.isascii() and right.isalpha())
    if left.isalpha() and not left.isascii():
        return before.isalpha() and not before.isascii()
    return not (left.isalpha() or right.isalpha())


def _likeness(reading: _Reading, alphabet: Alphabet) -> float:
    """The mean weight of the foreign characters: 1 for those the language uses often, below 0 for strange ones."""
    total = -float(reading.odd)
    for letter, count in reading.letters.items():
        if letter in alphabet.frequent:
            weight = 1.0
        elif letter in alphabet.known or letter in SIGNS:
            weight = 0.5
        else:
            weight = -1.0
        total += count * weight
    return total / max(reading.letters.total() + reading.odd, 1)
