"""Accents that are set as characters of their own, put on the letter they are printed over.

Old fonts have no "ú": a document prints "u" and a spacing acute at one place, in either order. Goes in: the
characters of a view. Comes out: the same with the letter composed and the accent taken out.
"""

from __future__ import annotations

import unicodedata

import msgspec
import numpy as np

from tabellion.read.pdf_words import LetterBoxes

_COMBINING = {
    0xB4: "\u0301", 0x60: "\u0300", 0xA8: "\u0308", 0x2C6: "\u0302", 0x5E: "\u0302", 0x2DC: "\u0303", 0x7E: "\u0303",
    0xB8: "\u0327", 0x2DA: "\u030a", 0x2C7: "\u030c", 0x2D8: "\u0306", 0x2DD: "\u030b", 0x2D9: "\u0307",
}  # fmt: skip
_NOTHING = 0x200B
_DOTLESS = {0x131: "i", 0x237: "j"}
_OVERLAP = 0.4  # of the accent's width that must lie over the letter


def compose_accents(letters: LetterBoxes) -> LetterBoxes:
    """The characters with composed letters."""
    at = np.flatnonzero(np.isin(letters.code, list(_COMBINING)))
    if not len(at):
        return letters
    code = letters.code.copy()
    for i in at.tolist():
        shares = {k: _share(letters, i, k) for k in (i - 1, i + 1) if 0 <= k < len(code)}
        best = max(shares, key=lambda k: shares[k], default=None)
        if best is None or shares[best] < _OVERLAP:
            continue
        letter = _DOTLESS.get(int(code[best])) or chr(int(code[best]))
        composed = unicodedata.normalize("NFC", letter + _COMBINING[int(letters.code[i])])
        if letter.isalpha() and len(composed) == 1:
            code[best], code[i] = ord(composed), _NOTHING
    return msgspec.structs.replace(letters, code=code)


def _share(letters: LetterBoxes, accent: int, letter: int) -> float:
    """How much of the accent's width lies over the letter."""
    a, b = letters.box[accent], letters.box[letter]
    if abs(float(letters.baseline[accent] - letters.baseline[letter])) > 0.6 * float(letters.size[letter]):
        return 0.0
    return float(min(a[2], b[2]) - max(a[0], b[0])) / max(float(a[2] - a[0]), 0.1)
