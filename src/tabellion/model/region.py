"""Where a table may be, and how sure that is: what locating gives."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Issue, Sheet
from tabellion.model.markup import Candidate, MarkupPage
from tabellion.model.place import Box, Place, Rect
from tabellion.model.printed import PrintedPage

LIKELY = 0.5  # the probability from which a region counts as a table


class Region(msgspec.Struct, frozen=True, eq=False):
    """A part of a page that may hold tables; `rect` is in the sheet's own rows and columns."""

    page: Sheet
    place: Place
    rect: Rect
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()


class Surroundings(msgspec.Struct, frozen=True):
    """What belongs to a printed table and stands outside it; `pieces` are those of the page that it takes up."""

    caption: str | None = None
    position: Literal["above", "below"] | None = None
    label: str | None = None
    continued: bool = False
    notes: tuple[str, ...] = ()
    pieces: frozenset[int] = frozenset()
    caption_pieces: frozenset[int] = frozenset()
    page_columns: int | None = None


NO_SURROUNDINGS = Surroundings()


PrintedKind = Literal["text", "figure", "contents"]


class PrintedRegion(msgspec.Struct, frozen=True, eq=False):
    """A part of a printed page that may be a table; `box` is in the page's view, `place` on the page as it lies.

    `parts` holds the regions on the pages that follow which go on with the same table.
    """

    page: PrintedPage
    place: Place
    box: Box
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()
    parts: tuple[PrintedRegion, ...] = ()
    about: Surroundings = NO_SURROUNDINGS
    kind: PrintedKind = "text"  # what it is if it is no table
    seen: NDArray[np.float64] | None = None  # what it was judged by


class MarkupRegion(msgspec.Struct, frozen=True, eq=False):
    """A candidate of a web page, and the probability that it is a table of data."""

    page: MarkupPage
    place: Place
    number: int
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()
    drawn: NDArray[np.float64] | None = None  # what was seen of it on a rendered page, where it was judged by that too

    @property
    def candidate(self) -> Candidate:
        return self.page.candidates[self.number]


AnyRegion: TypeAlias = Region | PrintedRegion | MarkupRegion
