"""Signs of TeX's symbol fonts that say nothing of Unicode, so that a prime reads as the figure at its place.

Goes in: the characters of a page with their fonts. Comes out: the same with those signs put right. Only fonts and
places that were seen in documents are listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import numpy as np

from tabellion.model.printed import Font
from tabellion.read.pdf_words import LetterBoxes

_SIGNS = ((re.compile(r"(?:TeX-)?matha\d*", re.I), {0x31: 0x2032}),)  # mathabx: the prime


def mend_symbols(letters: LetterBoxes, fonts: Sequence[Font]) -> LetterBoxes:
    """The characters with the signs of symbol fonts as they look."""
    code = letters.code
    for number, font in enumerate(fonts):
        for name, signs in _SIGNS:
            if name.fullmatch(font.name):
                code = code.copy() if code is letters.code else code
                for place, sign in signs.items():
                    code[(letters.font == number) & (letters.code == place)] = sign
    return letters if code is letters.code else msgspec.structs.replace(letters, code=np.asarray(code))
