"""Whether a definition list, or text in a `<pre>`, is a table of data: by plain rules.

In: a candidate. Out: a probability, coarse: there are no labelled ones to learn from. A definition list is one record
if its terms are short words, single and distinct, and what is said of them is short and no prose, link or field.
Preformatted text is a table if most of its lines have gaps at the same places.
"""

from __future__ import annotations

import re

from tabellion.model.document import Mark
from tabellion.model.markup import Candidate, MarkupPage
from tabellion.values.aligned import find_gaps

_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(r"[^\W\d_]{3,}[.!?…](?:\s|$)")
_SHORT_TERM = 40
_SHORT_SAYING = 120
_LEAST_PAIRS = 3
_LIKELY, _UNLIKELY = 0.7, 0.1


def judge_definitions(page: MarkupPage, candidate: Candidate) -> float:
    """The probability that a definition list is a record."""
    part = slice(candidate.first, candidate.last)
    term = (page.cells.marks[part] & Mark.HEADING) > 0
    length = page.cells.length[part]
    pairs = min(int(term.sum()), int((~term).sum()))
    if pairs < _LEAST_PAIRS or abs(int(term.sum()) - int((~term).sum())) > 1:
        return _UNLIKELY
    terms, sayings = page.cells.text[part][term].tolist(), page.cells.text[part][~term].tolist()
    short = (length[term] <= _SHORT_TERM).mean() > 0.9 and (length[~term] <= _SHORT_SAYING).mean() > 0.9
    single = not any("\n" in text for text in terms) and len(set(terms)) == len(terms)
    dated = sum(bool(_DIGIT.search(text)) for text in terms) > 0.3 * len(terms)
    prose = sum(bool(_SENTENCE.search(text)) for text in sayings) > 0.3 * len(sayings)
    linked = page.cells.linked[part][~term].sum() > 0.8 * max(1, length[~term].sum())
    asking = page.cells.forms[part].any() or (length[~term] == 0).mean() > 0.3
    return _LIKELY if short and single and not (linked or asking or dated or prose) else _UNLIKELY


def judge_preformatted(candidate: Candidate) -> float:
    """The probability that preformatted text is a table."""
    lines = (candidate.text or "").split("\n")
    return _LIKELY if find_gaps(lines) else _UNLIKELY
