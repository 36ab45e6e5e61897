"""Marks that stand for a missing value.

In: a text. Out: whether it is such a mark, by itself (`strict`) or given that it stands among numbers.
Fails where an office uses a number for missing (9999), or a tick "X" in a column of numbers.
"""

from __future__ import annotations

import re

# By itself each of these can only mean that there is no value. Some statistical offices use brackets, some dots.
_LETTERS = """
NA N/A n/a n.a. N.A. n.a N.A n.v. n.c. n.s. n.d. N.D. n.r. N.R. k.A. o.A. nd ND x null NULL nan NaN <NA>
#N/A #N/A! #DIV/0! #VALUE! #REF! #NUM! #NAME? #NULL!
(NA) (na) (N/A) (n/a) (n.a.) (N.A.) (X) (x) (Z) (z) (S) (s) (D) (d) (B) (N) (H) (L) (P) [NA] [x] [X] [c] [z] [u] [low]
"""
_SIGNS = """
. .. ... .... ..... … …. ‥ : :: ; ! / // /// # * ** *** **** † ‡ • · ∙ △ ※ ＊
- -- --- ---- – –– — —— − ‐ ‑ ― ─ －
(-) (--) (---) (–) (—) (−) (.) (..) (...) (…) (:) (*) (**) (#) (†) (‡) [†] [‡]
"""
_SURE = frozenset(f"{_LETTERS} {_SIGNS}".split())
_LONE = re.compile(
    r"[(\[]?(?:[^\W\d_]{1,2}|[^\w\s]{1,5}|\\\w{1,2}|\d{1,2}|\*\d|n\.?\s?[a-z]\.?)[)\]]?(?:\s*(?:[*†‡]+|\\\w))*", re.I
)
_POINTER = re.compile(r"\(?\\\w{1,2}\\?\)?")  # a note mark in place of a value
_WORDS = re.compile(
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
