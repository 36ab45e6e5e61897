"""Answers to one question a page at a time, while others add to the library.

In: a search index that may change at any time, also by other processes. Out: searchers, each of one state of it. Ranks
depend on all tables there are, so the pages of an answer are given from the state that the first one was given from; a
state that is neither the newest nor still held is gone, and the page is refused. A page in another process is of the
same state as long as nothing was written to the index.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from threading import Lock

from tabellion.errors import LibraryError
from tabellion.library.catalogue import Catalogue
from tabellion.library.folder import Folder
from tabellion.library.index import SearchIndex
from tabellion.library.search import Searcher

_HELD = 16  # states that are held; each costs the parts of the index that the others do not share
_NEXT = re.compile(r"([0-9]{1,12}\.[0-9]{1,12})\.([0-9]{1,9})")


class GoneError(LibraryError):
    """What was asked for is no longer as it was when its first page was asked for."""


class SearchStates:
    """The searchers of one library, those that were used last."""

    def __init__(self, folder: Folder, catalogue: Catalogue, index: SearchIndex) -> None:
        self._parts = folder, catalogue, index
        self._held: OrderedDict[str, Searcher] = OrderedDict()
        self._lock = Lock()

    def newest(self) -> Searcher:
        """The searcher of the index as it is now."""
        folder, catalogue, index = self._parts
        with self._lock:
            state = index.state()
            if state not in self._held:
                searcher = Searcher(folder, catalogue, index)
                state = searcher.state
                self._held.setdefault(state, searcher)
            return self._used(state)

    def after(self, place: str) -> tuple[Searcher, int]:
        """The searcher that gave a page, and how many hits come before the next one; `place` is what the page said."""
        match = _NEXT.fullmatch(place)
        if match is None:
            raise LibraryError(f"{place!r} is not where a page ended")
        if match[1] not in self._held:
            self.newest()
        with self._lock:
            if match[1] not in self._held:
                raise GoneError("the library has changed since the page before: begin with the first page")
            return self._used(match[1]), int(match[2])

    def _used(self, state: str) -> Searcher:
        self._held.move_to_end(state)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return self._held[state]
