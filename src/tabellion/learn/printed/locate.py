"""Learning where the tables of printed pages are, and the printed documents that methods learn from.

Cases. In: the names of corpora. Out: real documents with their gold laid over the words, and specimens, each with fold,
views (pages, and their sideways text) and laid tables. Specimens are printed when they are first asked for and kept
beside the corpora (`TABELLION_SPECIMENS` names another folder).

Training. In: the printed documents but those of the fold left out. Out: the weights of `locate.printed`: which pieces
of text are of a table (a first look and a second), where a cluster of them is cut, and which parts are tables. Each
judge learns from what those before it say of documents that they have not seen.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import TabellionError
from tabellion.learn.corpora import FOLDS, LeftOut, assign_folds, corpora_root, corpus_folder, is_seen, spread
from tabellion.learn.fitting import Across, BoostingSettings, Examples, fit_across
from tabellion.learn.printed.gold import GoldTable, lay_tables
from tabellion.learn.printed.specimens import print_specimens, read_specimens
from tabellion.learn.training import Card, Material, write_card
from tabellion.locate.printed.cuts import (
    LEVEL_FEATURES,
    UPRIGHT_FEATURES,
    level_cuts,
    level_features,
    rows_of,
    upright_cuts,
    upright_features,
)
from tabellion.locate.printed.parting import FEWEST_PIECES, Judges, clusters, part_tables, settle_chances
from tabellion.locate.printed.piece_features import PIECE_FEATURES, Earlier, piece_features
from tabellion.locate.printed.regions import BOTH_LOOKS, FIRST_LOOK, LEVEL_CUTS, REGIONS, SECOND_LOOK, UPRIGHT_CUTS
from tabellion.locate.printed.second_look import PieceFacts, gather_facts, hull, second_features
from tabellion.locate.printed.whole_regions import REGION_FEATURES, region_features
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.read.pdf.document import PrintedPages

PRINTED_CORPORA = ("icdar2013", "jats", "articles")
SPECIMENS = "specimens"
_SPECIMEN_COUNT = 270
_LATER_PAGES = 13  # a table of the gold may go on so many pages after the one it begins on
_AROUND = (12.0, 12.0, 25.0, 15.0)  # points around a gold box in which its words are looked for
_MOST_PAGES = 12  # specimens with more are left out
_EVERYWHERE = Box(-1e9, -1e9, 1e9, 1e9)


class PrintedCase(msgspec.Struct, frozen=True, eq=False):
    """A document with its gold tables laid over its views."""

    corpus: str
    name: str
    fold: int
    views: tuple[PrintedPage, ...]
    tables: tuple[GoldTable, ...]


def fold_of(corpus: str) -> dict[str, int]:
    """The fold of each document of a corpus; those of one journal, or else of one number, share theirs."""
    groups: dict[str, str] = {}
    for path in sorted((_folder(corpus) / "gold").glob("*.json")):
        journal = json.loads(path.read_text(encoding="utf-8")).get("journal")
        groups[path.stem] = journal or re.sub(r"(?<=\d)[a-z]$", "", path.stem)
    folds = assign_folds(corpus, groups.values())
    return {name: folds[group] for name, group in groups.items()}


@lru_cache(maxsize=4)
def printed_cases(corpus: str) -> tuple[PrintedCase, ...]:
    """All documents of a corpus."""
    if corpus == SPECIMENS:
        return tuple(_specimen_cases())
    folder, folds = _folder(corpus), fold_of(corpus)
    return tuple(spread(_case, [(corpus, folder, name, fold) for name, fold in folds.items()]))


def _folder(corpus: str) -> Path:
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    return folder


def _case(found: tuple[str, Path, str, int]) -> PrintedCase:
    corpus, folder, name, fold = found
    gold = json.loads((folder / "gold" / f"{name}.json").read_text(encoding="utf-8"))
    pages = PrintedPages((folder / "pdf" / gold["source"]).read_bytes())
    views = tuple(view for page in pages for view in (page, *page.sideways))
    tables = gold["alternatives"][0]["tables"] if "alternatives" in gold else gold["tables"]
    return PrintedCase(corpus, name, fold, views, tuple(lay_tables(views, tables, [_where(views, t) for t in tables])))


def _where(views: Iterable[PrintedPage], table: dict[str, Any]) -> dict[int, Box] | None:
    """The part of each view in which a gold table is looked for; None for all of all."""
    if "regions" not in table:
        page = table.get("page")
        if not page:
            return None
        return {k: _EVERYWHERE for k, v in enumerate(views) if page - 1 <= v.number <= page + _LATER_PAGES}
    found: dict[int, Box] = {}
    for region in table["regions"]:
        left, top, right, bottom = region["box"]
        box = Box(left - _AROUND[0], top - _AROUND[1], right + _AROUND[2], bottom + _AROUND[3])
        for k, view in enumerate(views):
            if view.number == region["page"] and not view.turn:
                old = found.get(k, box)
                found[k] = Box(
                    min(old.left, box.left),
                    min(old.top, box.top),
                    max(old.right, box.right),
                    max(old.bottom, box.bottom),
                )
    return found


def _specimen_cases() -> Iterable[PrintedCase]:
    folder = Path(os.environ.get("TABELLION_SPECIMENS") or corpora_root() / SPECIMENS)
    if len(list(folder.glob("*.json"))) < _SPECIMEN_COUNT:
        print_specimens(folder, _SPECIMEN_COUNT)
    for name, views, tables in read_specimens(folder):
        if len(views) <= _MOST_PAGES:
            yield PrintedCase(SPECIMENS, name, int(name) % FOLDS, tuple(views), tuple(tables))


PIECES = BoostingSettings(rounds=200, leaves=24, rate=0.08, least_rows=20, ridge=2.0, columns=0.4, rows=0.8)
CUTS = BoostingSettings(rounds=120, leaves=15, rate=0.06, least_rows=8, ridge=2.0, columns=0.4, rows=0.8)
NO_TABLE, UNKNOWN = -1, -2
_FOUND = 0.75  # share of a gold table's text that must be found for its place to count as known
_SPECIMEN_WEIGHT = 0.3
_CUT_WEIGHT = 4.0  # of a cut between two tables: they are few, and missing one costs two tables
_DEEPEST = 8
_THINNED = 2  # of the pages of long documents that hold no table, every so many is looked at: most are running text
_LONG = 8  # pages
_SAME = 0.4  # overlap from which a part counts as a table of the gold


class Seen(msgspec.Struct, frozen=True, eq=False):
    """A view with what is seen of its pieces, and the gold table of each piece (NO_TABLE, UNKNOWN)."""

    corpus: str
    fold: int
    facts: PieceFacts
    rows: NDArray[np.float32]
    table: NDArray[np.int64]

    @property
    def weight(self) -> float:
        return _SPECIMEN_WEIGHT if self.corpus == SPECIMENS else 1.0


@lru_cache(maxsize=1)
def seen_views() -> tuple[Seen, ...]:
    """All views of all documents that hold text."""
    cases = [case for name in (*PRINTED_CORPORA, SPECIMENS) for case in printed_cases(name)]
    return tuple(seen for found in spread(_see, cases) for seen in found)


def _see(case: PrintedCase) -> list[Seen]:
    found: list[Seen] = []
    earlier = after = Earlier()
    for number, view in enumerate(case.views):
        earlier = earlier if view.turn else after
        after = after.past(view)
        tables = _tables_of(view, case.tables, number)
        if len(view.pieces) and ((tables != NO_TABLE).any() or len(case.views) <= _LONG or not number % _THINNED):
            rows = piece_features(view, earlier)
            found.append(Seen(case.corpus, case.fold, gather_facts(view, earlier), rows, tables))
    return found


def _tables_of(view: PrintedPage, tables: tuple[GoldTable, ...], number: int) -> NDArray[np.int64]:
    """The gold table of each piece."""
    box = view.pieces.box
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    result = np.full(len(box), NO_TABLE, dtype=np.int64)
    for k, table in enumerate(tables):
        words = list(table.words_of(number))
        if not words:
            continue
        left, top, right, bottom = hull(view.words.box[words])
        inside = (x > left - 1) & (x < right + 1) & (y > top - 1) & (y < bottom + 1)
        result[inside & (result == NO_TABLE)] = k if table.found > _FOUND else UNKNOWN
        if table.found > _FOUND:
            result[np.unique(view.words.piece[words])] = k
    return result


def train_printed_locate(folder: Path, left_out: LeftOut = None) -> None:
    """Write the five weights."""
    views = [v for v in seen_views() if is_seen(v.corpus, v.fold, left_out)]
    own = [_pieces(v, v.rows) for v in views]
    first = fit_across(own, PIECE_FEATURES, PIECES)
    both = [
        np.hstack([v.rows, second_features(v.facts.page, said)]) for v, said in zip(views, first.say(own), strict=True)
    ]
    examples = [_pieces(v, rows) for v, rows in zip(views, both, strict=True)]
    second = fit_across(examples, BOTH_LOOKS, PIECES)
    chances = [settle_chances(v.facts, said) for v, said in zip(views, second.say(examples), strict=True)]
    taught = [_teach_cuts(v, chance) for v, chance in zip(views, chances, strict=True)]
    level = fit_across([t[0] for t in taught], LEVEL_FEATURES, CUTS)
    upright = fit_across([t[1] for t in taught], UPRIGHT_FEATURES, CUTS)
    judged = [_judge_parts(v, chance, level, upright) for v, chance in zip(views, chances, strict=True)]
    regions = fit_across(judged, REGION_FEATURES, CUTS)
    for name, across, seen in (
        (FIRST_LOOK, first, own),
        (SECOND_LOOK, second, examples),
        (LEVEL_CUTS, level, [t[0] for t in taught]),
        (UPRIGHT_CUTS, upright, [t[1] for t in taught]),
        (REGIONS, regions, judged),
    ):
        across.trees.save(folder / f"{name}.npz")
        method = "gradient-boosted trees over layout, each judge on what the one before says of unseen documents"
        write_card(folder, Card(name, method, printed_material(left_out), left_out, across.figures(seen)))


def printed_material(left_out: LeftOut) -> dict[str, Material]:
    """What was seen, by corpus."""
    found: dict[str, Material] = {}
    for corpus in (*PRINTED_CORPORA, SPECIMENS):
        cases = [case for case in printed_cases(corpus) if is_seen(corpus, case.fold, left_out)]
        found[corpus] = Material(len(cases), sum(len(case.tables) for case in cases))
    return found


def _pieces(view: Seen, rows: NDArray[np.floating]) -> Examples:
    return Examples(view.fold, rows, view.table >= 0, view.table != UNKNOWN, view.weight)


class _Lessons:
    """Cuts that were met, with their features, and whether two tables meet there."""

    def __init__(self) -> None:
        self.rows: list[NDArray[np.float64]] = []
        self.true: list[bool] = []

    def examples(self, view: Seen, width: int) -> Examples:
        true = np.array(self.true, dtype=bool)
        rows = np.array(self.rows).reshape(-1, width)
        return Examples(
            view.fold, rows, true, np.ones(len(true), dtype=bool), view.weight * np.where(true, _CUT_WEIGHT, 1.0)
        )


def _teach_cuts(view: Seen, chance: NDArray[np.float64]) -> tuple[Examples, Examples]:
    """Level and upright cuts of all clusters of a view."""
    level, upright = _Lessons(), _Lessons()
    for members in clusters(view.facts, chance):
        _teach(view, chance, members, level, upright, 0)
    return level.examples(view, len(LEVEL_FEATURES)), upright.examples(view, len(UPRIGHT_FEATURES))


def _teach(
    view: Seen, chance: NDArray[np.float64], members: NDArray[np.intp], level: _Lessons, upright: _Lessons, depth: int
) -> None:
    if len(members) < FEWEST_PIECES or depth > _DEEPEST:
        return
    facts, table = view.facts, view.table
    left = facts.box[members, 0]
    through: list[float] = []
    cuts = upright_cuts(facts, members)
    for cut, row in zip(cuts, upright_features(facts, chance, members, cuts), strict=True):
        before = set(table[members[left < cut.x]].tolist()) - {UNKNOWN}
        after = set(table[members[left >= cut.x]].tolist()) - {UNKNOWN}
        if before and after:
            parts = not (before & after) - {NO_TABLE} and before | after != {NO_TABLE}
            upright.rows.append(row)
            upright.true.append(parts)
            through += [cut.x] if parts else []
    if through:
        for low, high in pairwise([-1e9, *through, 1e9]):
            _teach(view, chance, members[(left >= low) & (left < high)], level, upright, depth + 1)
        return
    bands = rows_of(facts, members)
    tables = [_mostly(table[band]) for band in bands]
    starts = [0]
    cuts_down = level_cuts(facts, bands)
    for down, row in zip(cuts_down, level_features(facts, chance, members, bands, cuts_down), strict=True):
        pair = {tables[down.above - 1], tables[down.above]}
        if UNKNOWN in pair or pair == {NO_TABLE}:
            continue
        level.rows.append(row)
        level.true.append(len(pair) > 1)
        starts += [down.above] if len(pair) > 1 else []
    if len(starts) > 1:
        for start, end in pairwise([*starts, len(bands)]):
            _teach(view, chance, np.concatenate(bands[start:end]), level, upright, depth + 1)


def _mostly(tables: NDArray[np.int64]) -> int:
    known = [t for t in tables.tolist() if t != UNKNOWN]
    return max(set(known), key=known.count) if known else UNKNOWN


def _judge_parts(view: Seen, chance: NDArray[np.float64], level: Across, upright: Across) -> Examples:
    """The parts that judges who have not seen a view make of it, and which of them are tables."""
    judges = Judges(level.unseen(view.fold).probabilities, upright.unseen(view.fold).probabilities)
    parts = part_tables(view.facts, chance, judges)
    boxes = view.facts.box
    gold = [hull(boxes[view.table == k]) for k in np.unique(view.table[view.table >= 0]).tolist()]
    unsure = [hull(boxes[view.table == UNKNOWN])] if (view.table == UNKNOWN).any() else []
    found = [hull(boxes[members]) for members in parts]
    rows = [region_features(view.facts, chance, members) for members in parts]
    return Examples(
        view.fold,
        np.array(rows).reshape(-1, len(REGION_FEATURES)),
        np.array([any(overlap(box, g) > _SAME for g in gold) for box in found], dtype=bool),
        np.array([not any(overlap(box, u) > 0.1 for u in unsure) for box in found], dtype=bool),
        view.weight,
    )


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes.

    >>> overlap(Box(0, 0, 2, 1), Box(1, 0, 3, 1))
    0.3333333333333333
    """
    width, height = min(a.right, b.right) - max(a.left, b.left), min(a.bottom, b.bottom) - max(a.top, b.top)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a.right - a.left) * (a.bottom - a.top) + (b.right - b.left) * (b.bottom - b.top) - shared)
