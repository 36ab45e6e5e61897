"""The tables of printed pages.

Goes in: pages in order. Comes out: regions that may be tables, in reading order, each with its probability. The pieces
of a page are judged one by one (a first look, and a second that knows the neighbours' judgement), likely ones are
clustered, clusters are cut where two tables meet, and each part is judged as a whole. Sideways text is treated in its
own view. Fails on tables whose cells are pictures, and on lists set like tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.parting import Judges, part_tables, settle_chances
from tabellion.locate.piece_facts import PieceFacts, gather_facts, hull
from tabellion.locate.piece_features import Earlier, outer_pieces, piece_features
from tabellion.locate.region_features import region_features
from tabellion.locate.running_text import RunningText, pieces_inside
from tabellion.locate.second_look import second_features
from tabellion.locate.surroundings import find_surroundings
from tabellion.model.place import Box, Place
from tabellion.model.printed import MOST_PIECES, PrintedPage
from tabellion.model.region import LIKELY, PrintedRegion
from tabellion.weights import Weights

FIRST_LOOK, SECOND_LOOK = "printed-pieces-first", "printed-pieces"  # names of the weights
LEVEL_CUTS, UPRIGHT_CUTS, REGIONS = "printed-level-cuts", "printed-upright-cuts", "printed-regions"
_LENIENT = 0.4  # log-odds added to what is said of a region: a table missed costs more than one too many
_MARGIN = 1.0  # points around the text of a table that its box takes in


def locate_printed(
    pages: Iterable[PrintedPage], weights: Weights, text: RunningText | None = None
) -> Iterator[list[PrintedRegion]]:
    """The regions of each page and of its sideways views; what the page says of tables is told to `text`."""
    before: frozenset[tuple[str, int]] = frozenset()
    for page in pages:
        found: list[PrintedRegion] = []
        for view in (page, *page.sideways):
            regions = _locate_view(view, Earlier(before), weights)
            found += regions
            if text is not None:
                text.add(view, _aside(regions), before)
        before = outer_pieces(page)
        yield sorted(found, key=_reading_order)


def _aside(regions: list[PrintedRegion]) -> set[int]:
    """The pieces of a view that are of tables, or of what belongs to them."""
    likely = [region for region in regions if region.genuine >= LIKELY]
    inside = [pieces_inside(region.page, *region.box) for region in likely]
    return set().union(*inside, *(region.about.pieces for region in likely))


def _locate_view(page: PrintedPage, earlier: Earlier, weights: Weights) -> list[PrintedRegion]:
    if not 0 < len(page.pieces) <= MOST_PIECES:
        return []
    facts = gather_facts(page)
    chance = settle_chances(facts, judge_pieces(page, earlier, weights))
    judges = Judges(
        level=weights.boosted(LEVEL_CUTS).probabilities, upright=weights.boosted(UPRIGHT_CUTS).probabilities
    )
    regions = [_region(facts, chance, members, weights) for members in part_tables(facts, chance, judges)]
    likely = [region for region in regions if region.genuine >= LIKELY]
    about = dict(zip(map(id, likely), find_surroundings(facts, [region.box for region in likely]), strict=True))
    return [
        msgspec.structs.replace(region, about=about[id(region)]) if id(region) in about else region
        for region in regions
    ]


def judge_pieces(page: PrintedPage, earlier: Earlier, weights: Weights) -> NDArray[np.float64]:
    """The probability of each piece that it belongs to a table."""
    own = piece_features(page, earlier)
    first = weights.boosted(FIRST_LOOK).probabilities(own)
    return weights.boosted(SECOND_LOOK).probabilities(np.hstack([own, second_features(page, first)]))


def _region(
    facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp], weights: Weights
) -> PrintedRegion:
    rows = region_features(facts, chance, members)[None, :]
    genuine = 1 / (1 + np.exp(-float(weights.boosted(REGIONS).scores(rows)[0, 0]) - _LENIENT))
    left, top, right, bottom = hull(facts.box[members])
    box = Box(left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN)
    upright = facts.page.upright_box(hull(facts.box[members]))
    place = Place(page=facts.page.number, box=Box(*(round(v, 2) for v in upright)))
    return PrintedRegion(facts.page, place, box, round(float(genuine), 4))


def _reading_order(region: PrintedRegion) -> tuple[int, float, float]:
    """Down the page, left before right where two tables stand side by side."""
    box = region.place.box or region.box
    return region.page.turn, round(box.top / 40), box.left
