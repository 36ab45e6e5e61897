"""Completion at the SQL prompt: names of relations anywhere, of columns where their relation is named already.

In: the text before the cursor. Out: names that begin so. Names that are no plain words are completed with quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from tabellion.library.relations import KEYWORDS, complete_name

if TYPE_CHECKING:
    from tabellion.library.library import Library

_WORD = re.compile(r'"\w*+$|(?<!\w)\w*+$')


class NameCompleter(Completer):
    """Completes names of one library."""

    def __init__(self, store: Library) -> None:
        self.store = store

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        match = _WORD.search(document.text_before_cursor)
        start = match[0] if match else ""
        begun = start.lstrip('"').lower()
        for name in complete_name(self.store, begun, document.text):
            yield Completion(name, start_position=-len(start))
        for word in KEYWORDS:
            if begun and word.startswith(begun):
                yield Completion(word, start_position=-len(start))
