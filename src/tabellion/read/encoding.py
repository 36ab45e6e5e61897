"""Which encoding a text without a declaration is in, and the text itself.

In: bytes. Out: text, the name of the encoding, and notes on what had to be repaired. A byte order mark decides;
then UTF-16 by its zeros, UTF-8 by its own rules; all else is weighed: every encoding that can hold the bytes is
tried for every language written in it, and the share of foreign letters that the language uses often decides. Fails
where a file has only a handful of foreign letters, which several encodings read as something sensible (a note says
so), and on languages that are not listed. Written by hand since the libraries for this guess from megabytes of prose;
a table often has a dozen foreign letters in all.
"""

from __future__ import annotations

import re
from collections import Counter
from unicodedata import category

import msgspec

from tabellion.errors import UnknownFormatError
from tabellion.read.alphabets import ALPHABETS, SIGNS, Alphabet, Script

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x0b\x1a\x1b\x00")) + b"\x7f"
_NO_CONTROLS = dict.fromkeys(_CONTROLS)
_LOOK = 2**16  # bytes that decide whether data is text at all
_SAMPLE = 2**14  # bytes with foreign letters that are weighed; more does not change the answer
_BINARY_SHARE = 0.01  # control codes a text may have; real tables have none or a few strays
_ZERO_SHARE = 0.3  # zeros that pad the fields of some mainframe exports
_UTF8_TRUST = 8  # sound sequences for each broken one that still make a text UTF-8
_BROKEN_SHARE = 0.002  # broken characters a file in its true encoding may have
_DOUBT = 0.08  # a lead over the second-best encoding that leaves a doubt where there are
_FEW_LETTERS = 30  # at most so many foreign letters to go by
_FOREIGN = re.compile(r"[^\x00-\x7f]")


class Decoded(msgspec.Struct, frozen=True):
    """A text, the encoding it was in, and what had to be guessed or repaired."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode_text(data: bytes) -> Decoded:
    """The text of some bytes; raises `UnknownFormatError` where they are no text.

    >>> decode_text("Année;Qualité".encode("cp1252")).text
    'Année;Qualité'
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding)
    head = data[:_LOOK]
    wide = _zeros_of_utf16(head)
    if wide:
        return _decoded(data, wide)
    _check_text(head)
    notes: tuple[str, ...] = ()
    zeros = data.count(0)
    if zeros:
        data = data.replace(b"\x00", b"")
        notes = (f"{zeros} zero bytes in the text were left out",)
    data = data.removesuffix(b"\x1a")
    if b"\x1b$" in head and not _foreign(head):
        return _decoded(data, "iso2022_jp", notes)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", notes)
    except UnicodeDecodeError as error:
        if error.end >= len(data) - 3 and error.start > 0 and _foreign(data[: error.start]):
            return _decoded(data, "utf-8", notes)
    sample = _foreign_lines(data)
    if _mostly_utf8(sample):
        return _decoded(data, "utf-8", notes)
    encoding, doubt = _weigh(sample)
    return _decoded(data, encoding, notes + ((doubt,) if doubt else ()))


def _decoded(data: bytes, encoding: str, notes: tuple[str, ...] = ()) -> Decoded:
    try:
        return Decoded(data.decode(encoding).replace("\x00", ""), encoding, notes)
    except UnicodeDecodeError as error:
        text = data.decode(encoding, errors="replace").replace("\x00", "")
        broken = text.count("\ufffd")
        note = f"{broken} characters are not valid {encoding} and could not be read, the first at byte {error.start}"
        return Decoded(text, encoding, (*notes, note))


def _zeros_of_utf16(head: bytes) -> str | None:
    """UTF-16 without a mark: digits, blanks and line ends have a zero, always on the same side of the pair."""
    head = head[: len(head) // 2 * 2]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < 0.02 * len(head) or min(even, odd) > 0.2 * max(even, odd):
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = head.decode(encoding, errors="replace")
    strange = sum(category(letter) in ("Cn", "Co", "Cs") for letter in text) + text.count("\ufffd")
    controls = len(text) - len(text.translate(_NO_CONTROLS))
    return encoding if strange + controls <= _BINARY_SHARE * len(text) + 1 else None


def _check_text(head: bytes) -> None:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > _BINARY_SHARE * len(head) or head.count(0) > _ZERO_SHARE * len(head):
        raise UnknownFormatError("the bytes are of no format that is read (binary data)")


def _foreign(data: bytes) -> bool:
    return not data.isascii()


def _foreign_lines(data: bytes) -> bytes:
    """Lines that hold letters beyond ASCII, up to the size of a sample."""
    lines: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[^\r\n]*[\x80-\xff][^\r\n]*", data):
        lines.append(match[0][:_SAMPLE])
        size += len(lines[-1])
        if size > _SAMPLE:
            break
    return b"\n".join(lines)


def _mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    sound = sum(not character.isascii() for character in text) - broken
    return sound > _UTF8_TRUST * broken


def _weigh(sample: bytes) -> tuple[str, str | None]:
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
