"""The learned reader: what its decoder can say, what its parts keep to, and that no cell is lost."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import tabellion
from tabellion.interpret import interpret_grid
from tabellion.interpret.decode import decode
from tabellion.interpret.evidence import FEATURES, gather_evidence
from tabellion.interpret.relations import FLAGS, GROUPS, RELATIONS, relate_flags, relate_groups
from tabellion.interpret.targets import VALUE
from tabellion.interpret.tokens import select_tokens
from tabellion.interpret.windows import WindowSettings, run_network
from tabellion.learn.interpret.compose import Bank, compose_sheet
from tabellion.learn.interpret.draft import Draft, Look, grid_of
from tabellion.learn.interpret.evaluate import gold_outputs, read_tables
from tabellion.model.grid import NUMBER
from tabellion.weights import Weights
from tabellion.weights.network import GROUP_SIZES

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def made() -> list[Draft]:
    random, bank = Random(7), Bank()  # noqa: S311
    return [draft for draft in (compose_sheet(random, bank) for _ in range(120)) if draft.cells]


def test_the_decoder_gives_back_the_gold(made: list[Draft]) -> None:
    """Nearly every value of a made sheet has its head, where the network says what the gold says."""
    right = asked = 0
    for draft in made:
        grid = grid_of(draft)
        evidence = gather_evidence(grid)
        tables = read_tables(grid, evidence, gold_outputs(draft, grid, evidence))
        tops = {(one["row"], one["column"]): one["top_cells"] for table in tables for one in table["tuples"]}
        for cell, head in draft.head.items():
            if draft.role.get(cell) == VALUE:
                asked += 1
                found = tops.get(cell)
                right += found is not None and (
                    list(head) in found or (head[0] >= 0 and bool(found)) if head else not found
                )
    assert asked > 2_000
    assert right / asked > 0.97


def test_trees_are_trees_and_tables_do_not_overlap(made: list[Draft]) -> None:
    weights = Weights()
    for draft in made[::3]:
        labelled = interpret_grid(grid_of(draft), weights)
        frames = labelled.frames
        assert not any(one.rect.meets(other.rect) for n, one in enumerate(frames) for other in frames[n + 1 :])
        for frame in frames:
            assert frame.stated is not None
            for side in (frame.stated.top, frame.stated.left):
                assert all(header.parent is None or header.parent < len(side) for header in side)
            assert 0 <= frame.confidence <= 1


def test_relations_are_as_many_as_the_network_has_weights_for(made: list[Draft]) -> None:
    network = Weights().network("reader", (*FEATURES, *RELATIONS))
    assert tuple(GROUPS.values()) == GROUP_SIZES
    assert network.arrays["relations"].shape[1] == sum(GROUP_SIZES) + len(FLAGS) == len(RELATIONS)
    codes = gather_evidence(grid_of(made[0])).codes
    assert all(group.max() < size for group, size in zip(relate_groups(codes).values(), GROUP_SIZES, strict=True))
    assert len(relate_flags(codes)) == len(FLAGS) - 2  # the last two are those of the null token


def test_a_long_sheet_is_read_in_parts_as_a_whole(made: list[Draft]) -> None:
    """Where parts hold all that a cell points to, they say nearly what one pass says."""
    network = Weights().network("reader", (*FEATURES, *RELATIONS))
    draft = max(made, key=lambda one: len(one.cells))
    evidence = gather_evidence(grid_of(draft))
    whole = run_network(network, evidence)
    parts = run_network(
        network, evidence, WindowSettings(whole=10, part=max(40, len(evidence) // 2), shared=20, first=20)
    )
    assert (whole.roles.argmax(axis=1) == parts.roles.argmax(axis=1)).mean() > 0.8


def test_tokens_grow_with_what_differs() -> None:
    draft = Draft()
    for row in range(20_000):
        for column in range(6):
            draft.cells[row, column] = (str(row * column), Look(stored=NUMBER))
    assert len(select_tokens(grid_of(draft))) < 200


def test_an_empty_grid_has_no_tables() -> None:
    draft = Draft()
    draft.cells[0, 0] = ("", Look())
    labelled = interpret_grid(grid_of(draft), Weights())
    assert labelled.frames == ()
    assert decode(gather_evidence(grid_of(draft)), _nothing()) == []


def _nothing():  # type: ignore[no-untyped-def]
    from tabellion.weights.network import Outputs

    return Outputs(np.zeros((0, 10), np.float32), np.zeros((4, 0, 1), np.float32), np.zeros((0, 2), np.float32))


@pytest.mark.parametrize(
    ("name", "address", "left", "top"),
    [
        ("smoking.xlsx", "B10", ("Total smokers", "Male, total", "White, total", "65 years and over"), ("1990",)),
        ("pilots.xlsx", "E7", ("Alaska",), ("Airplane pilots", "Certificate held", "Commercial")),
        ("budget.ods", "B7", ("Income", "Donations"), ("Budget",)),
    ],
)
def test_examples_are_read_with_all_their_headers(name: str, address: str, left: tuple[str], top: tuple[str]) -> None:
    value = tabellion.extract(EXAMPLES / name, reader="learned")[0].tuples.at(address)
    assert value is not None
    assert (value.left, value.top) == (left, top)


def test_every_filled_cell_ends_somewhere(tmp_path: Path) -> None:
    """What is no value, label, title or note is named by an issue."""
    for name in ("smoking.xlsx", "stacked.xlsx", "side_by_side.xlsx", "pilots.xlsx"):
        for table in tabellion.extract(EXAMPLES / name, reader="learned"):
            assert not any("neither value" in issue.note for issue in table.issues)
