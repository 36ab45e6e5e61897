"""Learning how likely a finished reading is right: what chooses among readings of a sheet, and how far one is trusted.

In: weights by fold. Each sheet is read with weights that have not seen it, as a whole and by all its cuts; so are made
sheets (`variants`), composed of tables that those weights have not seen, and forms, which no corpus has. A frame is
right where it is a gold table, head rows and all. Out: the weights `confidence`, boosted trees over the signals of
`reading_signals`. The scores on the card are those of corpora that were left out, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from tabellion.label import make_reader
from tabellion.label.edges import find_cuts
from tabellion.label.frames import CONFIDENCE_WEIGHTS, SIGNALS, frame_signals
from tabellion.label.readings import Reader, Reading, join_parts, only, suppose, suppositions
from tabellion.learn.corpora import FOLDS, LeftOut, is_seen, spread
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.learn.parts import Target
from tabellion.learn.sheets.frames import RANGED
from tabellion.learn.sheets.gold import ROLES, Case, allowed_roles, load_cases
from tabellion.learn.sheets.variants import Piece, form_of, make_sheet, plain
from tabellion.learn.training import Card, Material, write_card
from tabellion.model.frame import Frame
from tabellion.model.grid import Grid
from tabellion.model.place import Rect, rect_at
from tabellion.model.style import PLAIN
from tabellion.weights import Weights
from tabellion.weights.boosted import Boosted

CORPORA = (*RANGED, "troy200", "saus-lines", "hitab-top")
MADE, FORMS = "made", "forms"
MADE_OF_A_FOLD, FORMS_OF_A_FOLD = 60, 20
MOST_CELLS = 40_000  # of a sheet whose cuts are read
MOST_CUTS = 10
SETTINGS = BoostingSettings(rounds=80, leaves=7, rate=0.06, least_rows=20, columns=0.5, ridge=5.0, members=3)
SURE = 0.9


class Judged(msgspec.Struct, frozen=True, eq=False):
    """A frame that some reading of a sheet has: its signals, whether it is right, what a mistake about it counts."""

    source: str
    fold: int
    corpora: tuple[str, ...]  # whose tables it is made of
    signals: NDArray[np.float64]
    right: bool
    whole: bool  # of the reading without a cut

    def may_be_seen(self, left_out: LeftOut) -> bool:
        return all(is_seen(corpus, self.fold, left_out) for corpus in self.corpora)


def train_confidence(targets: Sequence[Target], folds: Path) -> None:
    """Write the weights `confidence` for each target, from readings by the weights under `folds`."""
    for corpus in CORPORA:
        load_cases(corpus)
    parts = [(fold, source, folds) for fold in range(FOLDS) for source in (*CORPORA, MADE, FORMS)]
    judged = [one for found in spread(judged_frames, parts, chunk=1) for one in found]
    for folder, left_out in targets:
        seen = [one for one in judged if one.may_be_seen(left_out)]
        train_on(seen).save(folder / f"{CONFIDENCE_WEIGHTS}.npz")
        scores = score_left_out(seen) if left_out is None else {}
        method = "boosted trees on signals of finished readings"
        write_card(folder, Card(CONFIDENCE_WEIGHTS, method, _material(seen, left_out), left_out, scores))


def _material(judged: Sequence[Judged], left_out: LeftOut) -> dict[str, Material]:
    """What was seen, by corpus."""
    found: dict[str, Material] = {}
    folds = len({one.fold for one in judged})
    made = {MADE: MADE_OF_A_FOLD * folds, FORMS: sum(one.source == FORMS and one.whole for one in judged)}
    for source in (*CORPORA, *made):
        count = sum(one.source == source for one in judged)
        cases = () if source in made else load_cases(source)
        documents = sum(is_seen(source, case.fold, left_out) for case in cases)
        if count:
            found[source] = Material(made.get(source, documents), count)
    return found


def train_on(judged: Sequence[Judged]) -> Boosted:
    """Trees that tell right frames from wrong ones."""
    return train_boosted(
        np.array([one.signals for one in judged]),
        np.array([one.right for one in judged]).astype(np.int64),
        SIGNALS,
        ("wrong", "right"),
        np.array([1.0 if one.whole else 0.5 for one in judged]),
        SETTINGS,
    )


def score_left_out(judged: Sequence[Judged]) -> dict[str, float]:
    """For each corpus, by trees that have not seen it: how well frames are told apart, how many sure ones are right.

    And of all corpora together: how many frames have a confidence between two tenths, and how many of them are right.
    """
    scores: dict[str, float] = {}
    told: list[tuple[NDArray[np.float64], NDArray[np.bool_]]] = []
    for corpus in CORPORA:
        own = [one for one in judged if one.source == corpus and one.whole]
        trees = train_on([one for one in judged if one.may_be_seen(corpus)])
        likely = trees.probabilities(np.array([one.signals for one in own]))
        right = np.array([one.right for one in own])
        sure = likely >= SURE
        told.append((likely, right))
        scores[f"{corpus} right"] = round(float(right.mean()), 3)
        scores[f"{corpus} sure"] = round(float(sure.mean()), 3)
        scores[f"{corpus} right where sure"] = round(float(right[sure].mean()), 3) if sure.any() else 0.0
        if 0 < right.mean() < 1:
            scores[f"{corpus} auc"] = round(float(roc_auc_score(right, likely)), 3)
    likely, right = (np.concatenate(parts) for parts in zip(*told, strict=True))
    tenths = np.minimum(np.floor(10 * likely), 9).astype(np.intp)
    for tenth in np.unique(tenths).tolist():
        scores[f"tenth {tenth} frames"] = int((tenths == tenth).sum())
        scores[f"tenth {tenth} right"] = round(float(right[tenths == tenth].mean()), 3)
    return scores


def judged_frames(part: tuple[int, str, Path]) -> list[Judged]:
    """The frames of all readings of the sheets of a fold and a corpus, or of sheets made of the tables of a fold."""
    fold, source, folds = part
    weights = Weights(folds / f"fold{fold}")
    reader = make_reader(weights, rated=False)
    made = {MADE: _made_sheets, FORMS: _made_forms}
    sheets = made[source](fold) if source in made else _real_sheets(fold, source)
    return [
        one
        for grid, tables, corpora in sheets
        for one in judge_grid(grid, tables, reader, weights, (source, fold, corpora))
    ]


Sheet = tuple[Grid, "list[Gold]", tuple[str, ...]]
"""A grid, its tables, and the corpora that these are of."""


def _real_sheets(fold: int, corpus: str) -> Iterator[Sheet]:
    """The sheets of a fold with their tables, with and without formatting."""
    for case in load_cases(corpus):
        if case.fold == fold:
            for grid in case.grids:
                tables = gold_tables(case, grid)
                yield grid, tables, (corpus,)
                if grid.styles != (PLAIN,):
                    yield plain(grid), tables, (corpus,)


def _pieces(fold: int) -> list[Piece]:
    """The tables of a fold."""
    return [
        Piece(grid, rect, corpus)
        for corpus in CORPORA
        for case in load_cases(corpus)
        if case.fold == fold
        for grid in case.grids
        for rect, _ in gold_tables(case, grid)
        if rect.bottom > rect.top
    ]


def _made_sheets(fold: int) -> Iterator[Sheet]:
    chance = Random(fold)  # noqa: S311
    pieces = _pieces(fold)
    for _ in range(MADE_OF_A_FOLD):
        chosen = chance.sample(pieces, chance.choice((2, 2, 3)))
        made = make_sheet(chosen, chance)
        yield made.grid, [(rect, None) for rect in made.tables], tuple(sorted({piece.corpus for piece in chosen}))


def _made_forms(fold: int) -> Iterator[Sheet]:
    """Rows of relations as forms, which have no head."""
    chance = Random(fold)  # noqa: S311
    pieces = _pieces(fold)
    chance.shuffle(pieces)
    forms = (form for piece in pieces if (form := form_of(piece, chance)))
    for form in islice(forms, FORMS_OF_A_FOLD):
        made = make_sheet([form], chance)
        yield made.grid, [(rect, 0) for rect in made.tables], (form.corpus,)


Gold = tuple[Rect, int | None]
"""A table in the lines of a grid, and how many of its rows are heads, where that is known."""


def judge_grid(
    grid: Grid, tables: Sequence[Gold], reader: Reader, weights: Weights, origin: tuple[str, int, tuple[str, ...]]
) -> Iterator[Judged]:
    """The frames of the reading of a grid as a whole, and those that only its cuts have."""
    if not tables:
        return
    whole = reader.read(grid, {})
    seen: set[tuple[Rect, int]] = set()
    for frame in whole.frames:
        seen.add((frame.rect, len(frame.header_rows)))
        yield Judged(*origin, frame_signals(frame, weights), _is_right(frame, tables), whole=True)
    if grid.content.size > MOST_CELLS:
        return
    for reading in _others(grid, whole, reader):
        for frame in reading.frames:
            key = (frame.rect, len(frame.header_rows))
            if key not in seen:
                seen.add(key)
                yield Judged(*origin, frame_signals(frame, weights), _is_right(frame, tables), whole=False)


def _others(grid: Grid, whole: Reading, reader: Reader) -> Iterator[Reading]:
    """The readings that a reading of the whole is held against."""
    for roles in suppositions(grid, whole.frames):
        yield suppose(whole, roles, reader, {})
    for cut in islice(find_cuts(grid, whole.frames), MOST_CUTS):
        yield join_parts(grid, whole, [reader.read(only(grid, part), {}) for part in cut], reader)


def _is_right(frame: Frame, tables: Sequence[Gold]) -> bool:
    heads = len(frame.header_rows)
    return any(frame.rect == rect and known in (None, heads) for rect, known in tables)


def gold_tables(case: Case, grid: Grid) -> list[Gold]:
    """The tables of a case in the lines of its grid."""
    if case.corpus == "hitab-top":
        heads = case.gold["header_rows"] - 1
        return [(Rect(0, 0, grid.shape[0] - 1, grid.shape[1] - 1), heads)] if heads > 0 else []
    if case.corpus in RANGED:
        heads_of = {part["range"]: part["header_rows"] for part in case.gold.get("parts", ())}
        placed = [(_placed(grid, rect_at(area)), heads_of.get(area)) for area in case.gold["tables"]]
        return [(rect, known) for rect, known in placed if rect]
    allowed = allowed_roles(case, grid)
    outside = allowed[:, [ROLES.index("title"), ROLES.index("note")]].any(axis=1)
    rows = np.flatnonzero(allowed.any(axis=1) & ~outside)
    heads = int(allowed[:, ROLES.index("header")].sum())
    if not len(rows):
        return []
    columns = np.flatnonzero((grid.content.ravel()[grid.home] != 0)[rows].any(axis=0))
    return [(Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1])), heads)]


def _placed(grid: Grid, area: Rect) -> Rect | None:
    rows = np.flatnonzero((grid.row_of >= area.top) & (grid.row_of <= area.bottom))
    columns = np.flatnonzero((grid.column_of >= area.left) & (grid.column_of <= area.right))
    if not len(rows) or not len(columns):
        return None
    return Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1]))
