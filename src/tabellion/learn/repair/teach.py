"""Learning from the corrections of a library: parents of headers, and roles of rows.

Learning from corrections: parents trained with repaired tables beside the corpora, compared, installed on demand. In: a
library with corrections, the corpora. Out: figures without and with the corrections, cross-validated by document on
both, so that what gets worse shows as well; and, only when told, weights in the library's own folder, which then come
before those that are shipped. The shipped weights are never touched.

Learning the roles of rows from corrections, beside the corpora. In: repaired tables. Out: figures without and with
them, cross-validated by document, and weights `rows` on demand, as for the parents (`teach`). All rows of a sheet on
which somebody repaired a table are taken to be labelled.

Corrections as labelled data: the tables that people repaired, as gold.

In: a library. Out: for each table with a correction in force its frame, the parents of its headers and the roles of its
rows, as they are after the repair: what nobody touched in a table that somebody mended is taken to be right. As JSON
lines for other uses, and as gold frames to learn from.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from tabellion.label.rows.labels import BOOSTED
from tabellion.label.rows.view import view_rows
from tabellion.learn.corpora import FOLDS, LeftOut, assign_folds, is_seen
from tabellion.learn.sheets.gold import ROLES, Case, load_cases
from tabellion.learn.sheets.nest_gold import GoldFrame, gold_frames
from tabellion.learn.sheets.parents import CORPORA, JUDGED, Edge, Tally, edges_of, train_side
from tabellion.learn.sheets.rows import (
    RowExample,
    RowScores,
    fit_roles,
    role_sequences,
    row_example,
    row_examples,
    row_material,
)
from tabellion.learn.training import Card, Material, write_card
from tabellion.library.files import write_sums
from tabellion.library.holdings import DocumentRecord
from tabellion.library.library import Library
from tabellion.library.records import list_documents
from tabellion.model.correction import Undo
from tabellion.model.table import Table
from tabellion.nest import nest_headers
from tabellion.repair.places import same_region
from tabellion.repair.session import Repair
from tabellion.weights import Weights

CORPUS = "corrections"


class LabelledTable(msgspec.Struct, frozen=True):
    """A repaired table as labelled data; rows and columns are the source's own."""

    source: str
    sha256: str
    sheet: str | None
    range: str | None
    row_roles: dict[int, str]
    left: list[tuple[tuple[int, int], tuple[int, int]]]
    top: list[tuple[tuple[int, int], tuple[int, int]]]
    corrections: int


class Corrected(msgspec.Struct, frozen=True, eq=False):
    """A document with its repaired tables."""

    record: DocumentRecord
    tables: tuple[Table, ...]
    corrections: int


def corrected_documents(library: Library) -> Iterator[Corrected]:
    """The documents of a library that have a correction in force."""
    with library.catalogue.reading() as connection:
        records = list_documents(connection)
    logged = library.logs(record.document_id for record in records)
    held = {document.id: document.tables for document in library.documents()}
    for record in records:
        if record.document_id in logged and held[record.document_id]:
            repair = library.repair(held[record.document_id][0])
            tables = _repaired(repair)
            if tables:
                yield Corrected(record, tables, len(logged[record.document_id]))


def _repaired(repair: Repair) -> tuple[Table, ...]:
    places = [
        one.correction.place
        for one in repair.history
        if one.state == "in force" and not isinstance(one.correction.operation, Undo)
    ]
    tables = repair.extraction.tables
    return tuple(table for table in tables if any(same_region(table.grid.place, place) for place in places))


def label_corrected(corrected: Corrected) -> Iterator[LabelledTable]:
    """The repaired tables of a document as labelled data."""
    for table in corrected.tables:
        grid = table.grid

        def source(cell: tuple[int, int], table: Table = table) -> tuple[int, int]:
            return int(table.grid.row_of[cell[0]]), int(table.grid.column_of[cell[1]])

        trees = {
            side: sorted((source(parent), source(child)) for parent, child in edges_of(tree))
            for side, tree in (("left", table.left), ("top", table.top))
        }
        yield LabelledTable(
            source=corrected.record.source,
            sha256=corrected.record.sha256,
            sheet=table.place.sheet,
            range=table.place.range,
            row_roles={int(grid.row_of[row]): role for row, role in enumerate(table.frame.labels.roles)},
            left=trees["left"],
            top=trees["top"],
            corrections=corrected.corrections,
        )


def corrected_gold(library: Library) -> list[GoldFrame]:
    """The repaired tables of a library to learn from; those of a document share a fold."""
    documents = list(corrected_documents(library))
    folds = assign_folds(CORPUS, (one.record.document_id for one in documents))
    golds: list[GoldFrame] = []
    for one in documents:
        case = Case(
            corpus=CORPUS,
            file=one.record.source,
            path=Path(one.record.source),
            fold=folds[one.record.document_id],
            gold={},
            grids=tuple({id(table.grid): table.grid for table in one.tables}.values()),
        )
        for table in one.tables:
            left, top = ({child: parent for parent, child in edges_of(tree)} for tree in (table.left, table.top))
            golds.append(
                GoldFrame(case, msgspec.structs.replace(table.frame, fixes=type(table.frame.fixes)()), left, top)
            )
    return golds


SIDES = ("left", "top")


class Comparison(msgspec.Struct, frozen=True):
    """One figure without and with the corrections; `part` is what was learned: left or top parents, or rows."""

    part: str
    corpus: str
    figure: str
    before: float
    after: float


def compare_teaching(golds: Sequence[GoldFrame]) -> list[Comparison]:
    """Cross-validated figures of the parents, without and with the corrections to learn from."""
    tallies = {
        (side, corpus, taught): Tally() for side in SIDES for corpus in _judged(side) for taught in (False, True)
    }
    with TemporaryDirectory() as folder:
        for fold in range(FOLDS):
            for taught in (False, True):
                extra = [gold for gold in golds if gold.case.fold != fold] if taught else []
                place = Path(folder) / f"{fold}-{taught}"
                place.mkdir()
                for side in SIDES:
                    train_side(place, side, _material(side, fold) + extra, fold)
                _judge(Weights(place), fold, golds, taught, tallies)
    found = []
    for side in SIDES:
        for corpus in _judged(side):
            pair = [tallies[side, corpus, taught] for taught in (False, True)]
            if not any(tally.found + tally.wanted for tally in pair):
                continue  # no header of these documents stands under another one
            before, after = (tally.figures(corpus) for tally in pair)
            for name, value in before.items():
                found.append(Comparison(side, corpus, name.removeprefix(f"{corpus} "), value, after[name]))
    return found


def train_taught(folder: Path, golds: Sequence[GoldFrame]) -> list[Path]:
    """Weights of all that there is to learn from, in a folder."""
    with appearing(folder) as made:
        for side in SIDES:
            train_side(made, side, [*_material(side, None), *golds], None)
    return sorted(folder.glob("*_parents.*"))


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A folder to write to, whose files come to another one together, once all are written; what it had beside stays.

    What a process leaves that is killed goes with the next one.
    """
    made, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    if old.is_dir() and not folder.is_dir():
        old.rename(folder)
    for left in (made, old):
        shutil.rmtree(left, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, made)
    try:
        yield made
        write_sums(made)
        folder.rename(old)
        made.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _judged(side: str) -> tuple[str, ...]:
    return (*JUDGED[side], CORPUS)


def _material(side: str, left_out: LeftOut) -> list[GoldFrame]:
    return [
        gold
        for corpus in CORPORA[side]
        for case in load_cases(corpus)
        if is_seen(case.corpus, case.fold, left_out)
        for gold in gold_frames(case)
    ]


def _judge(
    weights: Weights,
    fold: int,
    golds: Sequence[GoldFrame],
    taught: bool,
    tallies: dict[tuple[str, str, bool], Tally],
) -> None:
    """Add up how the documents of a fold are read with weights that have not seen them."""
    for side in SIDES:
        for corpus in _judged(side):
            held = [gold for gold in golds if gold.case.fold == fold] if corpus == CORPUS else None
            if held is None:
                held = [gold for case in load_cases(corpus) if case.fold == fold for gold in gold_frames(case)]
            documents: dict[tuple[str, int], tuple[set[Edge], set[Edge]]] = {}
            for gold in held:
                nested = nest_headers(gold.frame, weights)
                found, wanted = documents.setdefault((gold.case.file, id(gold.frame.grid)), (set(), set()))
                found |= edges_of(nested.left if side == "left" else nested.top)
                edges = gold.left if side == "left" else gold.top
                wanted |= {(parent, child) for child, parent in edges.items()}
            for found, wanted in documents.values():
                tallies[side, corpus, taught].add(found, wanted)


WEIGHT = 1.0  # what a corrected row counts: as much as one of a corpus that tells all roles


def corrected_rows(golds: Sequence[GoldFrame]) -> list[RowExample]:
    """The rows of the sheets of repaired tables, with their roles."""
    found = []
    for gold in {id(gold.frame.grid): gold for gold in golds}.values():
        view = view_rows(gold.frame.grid)
        roles = [gold.frame.labels.roles[row] for row in view.rows.tolist()]
        allowed = np.array([[role == name for name in ROLES] for role in roles], dtype=bool).reshape(-1, len(ROLES))
        found.append(row_example(gold.case, view, allowed, WEIGHT, varied=False))
    return found


def compare_rows(golds: Sequence[GoldFrame]) -> list[Comparison]:
    """Cross-validated figures of the row labels, without and with the corrections to learn from."""
    mine = corrected_rows(golds)
    before, after = RowScores(), RowScores()
    for fold in range(FOLDS):
        plain = role_sequences(fold)
        extra = [(one, one.allowed.argmax(axis=1)) for one in mine if one.case.fold != fold]
        unseen = [one for one in (*row_examples(), *mine) if one.case.fold == fold and not one.varied]
        for scores, sequences in ((before, plain), (after, [*plain, *extra])):
            trees = fit_roles(sequences)
            for example in unseen:
                scores.add(example, trees.scores(example.features).argmax(axis=1))
    figures = after.figures()
    kept = ("accuracy", "macro F1")
    return [
        Comparison("rows", corpus, name, value, figures[f"{corpus} {name}"])
        for whole, value in before.figures().items()
        for corpus, _, name in [whole.partition(" ")]
        if name in kept
    ]


def train_taught_rows(folder: Path, golds: Sequence[GoldFrame]) -> list[Path]:
    """Weights of all rows that there are to learn from, in a folder."""
    mine = corrected_rows(golds)
    extra = [(one, one.allowed.argmax(axis=1)) for one in mine]
    learned = row_material(None) | {CORPUS: Material(len(mine), sum(len(one.allowed) for one in mine))}
    with appearing(folder) as made:
        fit_roles([*role_sequences(None), *extra]).save(made / f"{BOOSTED}.npz")
        write_card(made, Card(BOOSTED, "gradient-boosted trees over features of a row and its neighbours", learned))
    return sorted(folder.glob(f"{BOOSTED}.*"))
