"""The ladder, rules alone, on the corpora: a floor that may rise and never fall."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.learn.sheets.gold import load_cases
from tabellion.learn.sheets.nest_gold import gold_frames
from tabellion.nest.attributes import read_attributes
from tabellion.nest.rules import climb
from tabellion.nest.stub import find_strands
from tabellion.pipeline import extract_document


@pytest.mark.parametrize(("corpus", "floor"), [("senbazuru-left", 0.99), ("troy200", 0.995)])
def test_rules_alone_find_the_left_pairs(corpora: Callable[[str], Path], corpus: str, floor: float) -> None:
    corpora(corpus)
    hits = found = wanted = 0
    for case in load_cases(corpus):
        for gold in gold_frames(case):
            edges = set()
            for strand in find_strands(gold.frame):
                cells = list(zip(strand.row.tolist(), strand.column.tolist(), strict=True))
                parents = climb(read_attributes(gold.frame, strand)).tolist()
                edges |= {(cell, cells[up]) for cell, up in zip(cells, parents, strict=True) if up >= 0}
            hits += len(edges & set(gold.left.items()))
            found += len(edges)
            wanted += len(gold.left)
    assert 2 * hits / (found + wanted) >= floor


def test_a_label_does_not_go_on_for_ever() -> None:
    rows = "".join("(1)(1)(1),1\n" for _ in range(400))
    [table] = extract_document(f"Name,2019\n{rows}".encode()).tables
    assert max(len(node.cells) for node in table.nested.left.nodes) <= 12
