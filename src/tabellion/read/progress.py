"""Pages that tell when they are asked for, so that people can be shown how far a long document is.

In: the pages of a document and who is to be told. Out: the same pages. A page that is asked for again is told again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

from tabellion.model.document import Page

Watch = Callable[[int, int], None]
"""Told how many pages were asked for so far, and how many there are."""


class WatchedPages(Sequence[Page]):
    """The pages of a document; each time one is come to in turn, `watch` is told."""

    def __init__(self, pages: Sequence[Page], watch: Watch) -> None:
        self._pages, self._watch = pages, watch

    def __len__(self) -> int:
        return len(self._pages)

    @overload
    def __getitem__(self, index: int) -> Page: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Page]: ...
    def __getitem__(self, index: int | slice) -> Page | Sequence[Page]:
        return self._pages[index]

    def __iter__(self) -> Iterator[Page]:
        for number in range(len(self._pages)):
            self._watch(number, len(self._pages))
            yield self._pages[number]
        self._watch(len(self._pages), len(self._pages))
