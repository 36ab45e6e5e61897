"""A grid to its tables with both header trees, by one learned reader for every medium. Start with `interpret_grid`.

Cells become tokens with evidence (`tokens`, `wording`, `sums`, `evidence`, `relations`); a small network says of each
what it is and which labels it points to (`weights/network.py`); the most likely whole reading is decoded (`decode`) and
becomes frames (`frames`). Long grids are read in parts (`windows`).
"""

from __future__ import annotations

import numpy as np

from tabellion.interpret.confidence import rate_tables
from tabellion.interpret.decode import decode
from tabellion.interpret.evidence import FEATURES, gather_evidence
from tabellion.interpret.frames import frame_tables
from tabellion.interpret.relations import RELATIONS
from tabellion.interpret.targets import ROLES
from tabellion.interpret.windows import run_network
from tabellion.model.frame import Labelled
from tabellion.model.grid import Grid
from tabellion.weights import Weights

__all__ = ["interpret_grid"]


def interpret_grid(grid: Grid, weights: Weights) -> Labelled:
    """The tables of a grid: its rows labelled, its frames with their trees, each with a confidence."""
    network = weights.network("reader", (*FEATURES, *RELATIONS))
    evidence = gather_evidence(grid)
    if not len(evidence):
        return frame_tables(grid, evidence.tokens, [], np.zeros((0, len(ROLES))), ())
    outputs = run_network(network, evidence)
    tables = decode(evidence, outputs)
    return frame_tables(grid, evidence.tokens, tables, outputs.roles, rate_tables(tables, network.calibration))
