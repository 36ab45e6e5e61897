"""Learning the roles of rows from corrections, beside the corpora.

In: repaired tables. Out: figures without and with them, cross-validated by document, and weights `rows` on demand, as
for the parents (`teach`). All rows of a sheet on which somebody repaired a table are taken to be labelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tabellion.label.row_labels import BOOSTED
from tabellion.label.row_view import view_rows
from tabellion.learn.cards import Card, Material, write_card
from tabellion.learn.corrected import CORPUS
from tabellion.learn.folds import FOLDS
from tabellion.learn.nest_gold import GoldFrame
from tabellion.learn.row_examples import RowExample, row_example, row_examples
from tabellion.learn.row_gold import ROLES
from tabellion.learn.row_scores import RowScores
from tabellion.learn.rows import fit_roles, role_sequences, row_material
from tabellion.learn.teach import Comparison, appearing

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
