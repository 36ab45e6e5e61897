"""Where a table may be, and how sure that is: what locating gives."""

from __future__ import annotations

import msgspec

from tabellion.model.document import Issue, Sheet
from tabellion.model.markup import Candidate, MarkupPage
from tabellion.model.place import Place, Rect


class Region(msgspec.Struct, frozen=True, eq=False):
    """A part of a page that may hold tables; `rect` is in the sheet's own rows and columns."""

    page: Sheet
    place: Place
    rect: Rect
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()


class MarkupRegion(msgspec.Struct, frozen=True, eq=False):
    """A candidate of a web page, and the probability that it is a table of data."""

    page: MarkupPage
    place: Place
    number: int
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()

    @property
    def candidate(self) -> Candidate:
        return self.page.candidates[self.number]
