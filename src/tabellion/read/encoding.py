"""Which encoding a text without a declaration is in, and the text itself.

In: bytes. Out: text, the name of the encoding, and notes on what had to be repaired. A byte order mark decides;
then UTF-16 by its zeros and UTF-8 by its own rules; all else is weighed by `encoding_guess`. Binary data is refused.
"""

from __future__ import annotations

import re
from unicodedata import category

import msgspec

from tabellion.errors import UnknownFormatError

BYTE_ORDER_MARKS = (  # those of UTF-32 before those of UTF-16 that they begin with
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x0b\x1a\x1b\x00")) + b"\x7f"
_NO_CONTROLS = dict.fromkeys((*_CONTROLS, *range(0x80, 0xA0)))
_LOOK = 2**16  # bytes that decide whether data is text at all
_SAMPLE = 2**14  # bytes with foreign letters that are weighed; more does not change the answer
_BINARY_SHARE = 0.01  # control codes a text may have; real tables have none or a few strays
_ZERO_SHARE = 0.3  # zeros that pad the fields of some mainframe exports
_UTF8_TRUST = 8  # sound sequences for each broken one that still make a text UTF-8


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
    for mark, encoding in BYTE_ORDER_MARKS:
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
    from tabellion.read.encoding_guess import guess_encoding  # its tables of letters are seldom needed

    encoding, doubt = guess_encoding(sample)
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
    pairs = head[: len(head) // 2 * 2]
    even, odd = pairs[::2].count(0), pairs[1::2].count(0)
    if max(even, odd) <= 0.02 * len(pairs) or min(even, odd) > 0.2 * max(even, odd):
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = pairs.decode(encoding, errors="replace")
    strange = sum(category(letter) in ("Cn", "Co", "Cs") for letter in text) + text.count("\ufffd")
    controls = len(text) - len(text.translate(_NO_CONTROLS))
    cut = int(len(head) == _LOOK)  # the last letter of what is looked at may be cut in two
    return encoding if strange + controls <= _BINARY_SHARE * len(text) + cut else None


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
