"""Pages that are sets of frames: they name other pages and hold no table, as workbooks saved as web pages do.

In: the markup of a page. Out: whether it is such a page, and which others it names. Frames are never fetched.
"""

from __future__ import annotations

import re

_LOOK = 2**16  # letters of the head of a page; the script of a workbook's tabs takes some thousand
_SET = re.compile(r"<frameset\b", re.I)
_NAMED = re.compile(r"<(?:frame|link)\b[^<>]{0,300}?\b(?:src|href)\s*=\s*[\"']?([^\"'\s<>]{1,200}\.html?)\b", re.I)
_MOST_NAMED = 5  # pages that a note names


def is_frames(text: str) -> bool:
    """Whether a page is a set of frames."""
    return _SET.search(text, 0, _LOOK) is not None


def note_frames(text: str) -> tuple[str, ...]:
    """A word on the pages that a set of frames names; nothing for other pages."""
    if not is_frames(text):
        return ()
    named = list(dict.fromkeys(_NAMED.findall(text[:_LOOK])))
    names = ", ".join(named[:_MOST_NAMED]) + (", ..." if len(named) > _MOST_NAMED else "")
    return (f"the page is a set of frames; its tables are in other files, read those{': ' if names else ''}{names}",)
