"""The tables of printed pages, joined where they go on over pages.

In: pages in order. Out: regions that may be tables, in reading order, each with its probability. The pieces of a page
are judged one by one (a first look, and a second that knows the neighbours' judgement), likely ones are clustered,
clusters are cut where two tables meet, and each part is judged as a whole. Sideways text is treated in its own view.
Fails on tables whose cells are pictures, and on lists set like tables.

Tables that go on over pages. In: the regions of a document, page by page. Out: the same, where a region at the top of a
page goes on with the last one of the page before: it says so ("Table 2 continued"), or it has no caption of its own and
stands at the same place with the same columns or the same first row. So does one at the top of a column of text with
the one at the foot of the column before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.cuts import LEVEL_FEATURES, UPRIGHT_FEATURES
from tabellion.locate.printed.parting import Judges, part_tables, settle_chances
from tabellion.locate.printed.piece_features import PIECE_FEATURES, Earlier, piece_features
from tabellion.locate.printed.running_text import RunningText, pieces_inside
from tabellion.locate.printed.second_look import SECOND_FEATURES, PieceFacts, gather_facts, hull, second_features
from tabellion.locate.printed.surroundings import find_surroundings
from tabellion.locate.printed.whole_regions import (
    REGION_FEATURES,
    in_figure,
    lists_contents,
    region_features,
    widen_tables,
)
from tabellion.model.arrays import median
from tabellion.model.document import LIKELY, PrintedKind, PrintedRegion, Surroundings
from tabellion.model.place import Box, Place
from tabellion.model.printed import MOST_PIECES, PrintedPage
from tabellion.weights import Weights
from tabellion.weights.boosted import weigh_features

_SAME_EDGE = 6.0  # type sizes that the edges of two parts may differ by
_NEAR_EDGE = 0.35  # of the page's height: what may lie between a part and the page's upper or lower edge
_SAME_COLUMNS = 0.7  # of all columns of two parts that must stand at the same places
_DOUBTFUL = 0.05  # the probability from which a region may go on with a captioned table in the column of text before it
_RUNNING_HEAD = 0.09  # of the page's height: what stands above is a running head
_FEW_LETTERS = 160  # text between a part and the edge of the page: running heads and notes, no paragraphs


def join_parts(pages: Iterable[list[PrintedRegion]]) -> Iterator[PrintedRegion]:
    """Regions in order, each with the parts on later pages that go on with it; unlikely regions pass unjoined."""
    waiting: PrintedRegion | None = None  # the last region of the last page, to which parts may be added
    for region in (region for regions in pages for region in _by_columns(regions)):
        if region.genuine < LIKELY:
            yield region
            continue
        last = waiting and (waiting.parts[-1] if waiting.parts else waiting)
        if waiting and last and goes_on(last, region):
            waiting = msgspec.structs.replace(waiting, parts=(*waiting.parts, region))
            continue
        if waiting:
            yield waiting
        waiting = region
    if waiting:
        yield waiting


def _by_columns(regions: list[PrintedRegion]) -> list[PrintedRegion]:
    """The regions of a page in order, each that goes on with another in the next column of text right behind that."""
    found = list(regions)
    for region in regions:
        before = next((last for last in found if last is not region and _goes_on_beside(last, region)), None)
        if before is not None:
            found.remove(region)
            sure = max(region.genuine, before.genuine)  # a few rows are told by what they go on with
            found.insert(found.index(before) + 1, msgspec.structs.replace(region, genuine=sure))
    return found


def _goes_on_beside(last: PrintedRegion, region: PrintedRegion) -> bool:
    """Whether a region at the top of a column of text goes on with one at the foot of the column before it."""
    page, box, above = region.page, region.box, last.box
    least = _DOUBTFUL if last.about.label is not None else LIKELY
    if region.page is not last.page or last.genuine < LIKELY or region.genuine < least or box.left < above.right:
        return False
    if region.about.label is not None or last.about.notes or box.top > above.bottom - (above.bottom - above.top) / 2:
        return False
    if above.bottom < (1 - _NEAR_EDGE) * page.height or box.top > _NEAR_EDGE * page.height:
        return False
    over = Box(box.left, _RUNNING_HEAD * page.height, box.right, box.top)
    under = Box(above.left, above.bottom, above.right, (1 - _RUNNING_HEAD) * page.height)
    if _letters_in(page, over) or _letters_in(page, under):
        return False
    return _first_row(region) == _first_row(last) or _alike_columns(last, region)


def goes_on(last: PrintedRegion, region: PrintedRegion) -> bool:
    """Whether a region goes on with the last one of the page before, or of the column of text before."""
    if region.page is last.page:
        return _goes_on_beside(last, region)
    if region.page.number != last.page.number + 1 or region.page.turn != last.page.turn:
        return False
    label, before = region.about.label, last.about.label
    if label is not None:
        return region.about.continued and (before is None or label.casefold() == before.casefold())
    if not _first_on_page(region) or not _last_on_page(last):
        return False
    if _first_row(region) == _first_row(last):
        return True
    return not _headed(region) and not last.about.notes and _same_columns(last, region)


def _members(region: PrintedRegion) -> list[int]:
    return sorted(pieces_inside(region.page, *region.box))


def _first_row(region: PrintedRegion) -> tuple[str, ...]:
    """The texts of a region's first line."""
    pieces, members = region.page.pieces, _members(region)
    if not members:
        return ()
    first = min(members, key=lambda k: float(pieces.baseline[k]))
    level = abs(pieces.baseline[members] - pieces.baseline[first]) < 0.5 * pieces.size[first]
    return tuple(str(pieces.text[k]) for k, same in zip(members, level, strict=True) if same)


def _headed(region: PrintedRegion) -> bool:
    """Whether anything but a running head stands above a region."""
    above = Box(0.0, _RUNNING_HEAD * region.page.height, region.page.width, region.box.top)
    return _letters_in(region.page, above) > 0


def _same_columns(last: PrintedRegion, region: PrintedRegion) -> bool:
    """Whether two regions stand at the same place, and what stands in the columns of the one does in the other's."""
    em = median(region.page.pieces.size)
    return abs(region.box.left - last.box.left) / em < 3 * _SAME_EDGE and _alike_columns(last, region)


def _alike_columns(last: PrintedRegion, region: PrintedRegion) -> bool:
    """Whether two regions are as wide, and what stands in the columns of the one does in the other's."""
    em = median(region.page.pieces.size)
    widths = abs((region.box.right - region.box.left) - (last.box.right - last.box.left)) / em
    if widths >= _SAME_EDGE:
        return False
    one, other = _columns(last, em), _columns(region, em)
    fewer, more = sorted((one, other), key=len)
    shared = sum(any(abs(a - b) < em or abs(c - d) < em for b, d in more) for a, c in fewer)
    return shared >= _SAME_COLUMNS * len(more)


def _columns(region: PrintedRegion, em: float) -> list[tuple[float, float]]:
    """The columns that the pieces of a region stand in, from its left edge: white parts them from top to foot."""
    width = region.box.right - region.box.left
    boxes = region.page.pieces.box[_members(region)]
    found: list[tuple[float, float]] = []
    for left, _, right, _ in sorted(boxes.tolist()):
        if right - left > 0.5 * width:
            continue
        if found and left < found[-1][1] + 0.4 * em:
            found[-1] = (found[-1][0], max(found[-1][1], right))
        else:
            found.append((left, right))
    return [(left - region.box.left, right - region.box.left) for left, right in found]


def _letters_in(page: PrintedPage, box: Box) -> int:
    b = page.pieces.box
    x, y = (b[:, 0] + b[:, 2]) / 2, (b[:, 1] + b[:, 3]) / 2
    inside = (x > box.left) & (x < box.right) & (y > box.top) & (y < box.bottom)
    return sum(len(t) for t in page.pieces.text[inside])


def _first_on_page(region: PrintedRegion) -> bool:
    page = region.page
    above = Box(0.0, 0.0, page.width, region.box.top)
    return region.box.top < _NEAR_EDGE * page.height and _letters_in(page, above) < _FEW_LETTERS


def _last_on_page(region: PrintedRegion) -> bool:
    page = region.page
    below = Box(0.0, region.box.bottom, page.width, page.height)
    return region.box.bottom > (1 - _NEAR_EDGE) * page.height and _letters_in(page, below) < _FEW_LETTERS


FIRST_LOOK, SECOND_LOOK = "printed-pieces-first", "printed-pieces"  # names of the weights
LEVEL_CUTS, UPRIGHT_CUTS, REGIONS = "printed-level-cuts", "printed-upright-cuts", "printed-regions"
BOTH_LOOKS = (*PIECE_FEATURES, *SECOND_FEATURES)  # what the second look sees
_HOPELESS = 0.02  # a page on which no piece is likelier to be of a table needs no second look
_LENIENT = 0.4  # log-odds added to what is said of a region: a table missed costs more than one too many
_DOUBT: dict[PrintedKind, float] = {"text": 1.0, "figure": 0.4, "contents": 0.1}  # times its probability of a table
_WHY = {"figure": "it is a part of a figure", "contents": "it is a list of contents"}
_MARGIN = 1.0  # points around the text of a table that its box takes in


def locate_printed(
    pages: Iterable[PrintedPage], weights: Weights, text: RunningText | None = None
) -> Iterator[list[PrintedRegion]]:
    """The regions of each page and of its sideways views; what the page says of tables is told to `text`."""
    earlier = Earlier()
    for page in pages:
        found: list[PrintedRegion] = []
        after = earlier
        for view in (page, *page.sideways):
            regions = _locate_view(view, earlier, weights)
            found += regions
            if text is not None:
                text.add(view, _aside(regions), earlier.seen)
            after = after.past(view)
        earlier = after
        yield sorted(found, key=_reading_order)


def _aside(regions: list[PrintedRegion]) -> set[int]:
    """The pieces of a view that are of tables, or of what belongs to them."""
    likely = [region for region in regions if region.genuine >= LIKELY]
    inside = [pieces_inside(region.page, *region.box) for region in likely]
    return set().union(*inside, *(region.about.pieces for region in likely))


def _locate_view(page: PrintedPage, earlier: Earlier, weights: Weights) -> list[PrintedRegion]:
    if not 0 < len(page.pieces) <= MOST_PIECES:
        return []
    facts = gather_facts(page, earlier)
    chance = settle_chances(facts, judge_pieces(page, earlier, weights))
    judges = Judges(
        level=weights.boosted(LEVEL_CUTS, LEVEL_FEATURES).probabilities,
        upright=weights.boosted(UPRIGHT_CUTS, UPRIGHT_FEATURES).probabilities,
    )
    regions = [_region(facts, chance, members, weights) for members in part_tables(facts, chance, judges)]
    likely = [region for region in regions if region.genuine >= LIKELY]
    around = find_surroundings(facts, [region.box for region in likely])
    seems = {id(region): _seems(facts, region, about) for region, about in zip(likely, around, strict=True)}
    if any(kind != "text" for kind in seems.values()):
        regions = [_doubted(region, seems.get(id(region), "text")) for region in regions]
        likely = [region for region in likely if seems[id(region)] == "text"]
        around = find_surroundings(facts, [region.box for region in likely])
    wider = widen_tables(facts, [region.box for region in likely], around)
    whole = dict(zip(map(id, likely), zip(wider, find_surroundings(facts, wider), strict=True), strict=True))
    return [_settled(region, *whole[id(region)]) if id(region) in whole else region for region in regions]


def _seems(facts: PieceFacts, region: PrintedRegion, about: Surroundings) -> PrintedKind:
    """What a region is by laws, if it is no table."""
    if about.caption is None and lists_contents(facts, region.box):
        return "contents"
    return "figure" if in_figure(facts, region.box, about) else "text"


def _doubted(region: PrintedRegion, kind: PrintedKind) -> PrintedRegion:
    """A region, with the doubt that it is a table where it seems to be something else."""
    return msgspec.structs.replace(region, genuine=round(_DOUBT[kind] * region.genuine, 4), kind=kind)


def _settled(region: PrintedRegion, box: Box, about: Surroundings) -> PrintedRegion:
    """A region with what stands around it, and its box as that says."""
    place = region.place if box == region.box else _place_of(region.page, box)
    return msgspec.structs.replace(region, box=box, place=place, about=about)


def _place_of(page: PrintedPage, box: Box) -> Place:
    """Where the text in a region's box is on the page as it lies."""
    text = (box.left + _MARGIN, box.top + _MARGIN, box.right - _MARGIN, box.bottom - _MARGIN)
    return Place(page=page.number, box=Box(*(round(v, 2) for v in page.upright_box(Box(*text)))))


def judge_pieces(page: PrintedPage, earlier: Earlier, weights: Weights) -> NDArray[np.float64]:
    """The probability of each piece that it belongs to a table."""
    own = piece_features(page, earlier)
    first = weights.boosted(FIRST_LOOK, PIECE_FEATURES).probabilities(own)
    if first.max(initial=0.0) < _HOPELESS:
        return first
    both = np.hstack([own, second_features(page, first)])
    return weights.boosted(SECOND_LOOK, BOTH_LOOKS).probabilities(both)


def _region(
    facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp], weights: Weights
) -> PrintedRegion:
    rows = region_features(facts, chance, members)[None, :]
    odds = float(weights.boosted(REGIONS, REGION_FEATURES).scores(rows)[0, 0])
    genuine = 1 / (1 + np.exp(-odds - _LENIENT))
    left, top, right, bottom = hull(facts.box[members])
    box = Box(left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN)
    return PrintedRegion(facts.page, _place_of(facts.page, box), box, round(float(genuine), 4), seen=rows[0])


def explain_printed(region: PrintedRegion, weights: Weights, most: int = 5) -> tuple[tuple[str, float], ...]:
    """The features that weighed most for or against a region, each with what it added to the log-odds."""
    reasons = [(_WHY[region.kind], 0.0)] if region.kind in _WHY else []
    if region.seen is None:
        return tuple(reasons)
    trees = weights.boosted(REGIONS, REGION_FEATURES)
    moved = weigh_features(trees, region.seen[None])[0]
    order = np.argsort(-np.abs(moved))[: most - len(reasons)].tolist()
    return (*reasons, *((trees.features[number], round(float(moved[number]), 3)) for number in order))


def _reading_order(region: PrintedRegion) -> tuple[int, float, float]:
    """Down the page, left before right where two tables stand side by side."""
    box = region.place.box or region.box
    return region.page.turn, round(box.top / 40), box.left
