"""A grid to its tables with both header trees, by one learned reader for every medium. Start with `interpret_grid`.

Cells become tokens with evidence (`tokens`, `wording`, `sums`, `evidence`, `relations`); a small network says of each
what it is and which labels it points to (`weights/network.py`); the most likely whole reading is decoded (`decode`) and
becomes frames (`frames`).
"""

from __future__ import annotations

from tabellion.interpret.confidence import rate_tables
from tabellion.interpret.decode import decode
from tabellion.interpret.evidence import FEATURES, Evidence, gather_evidence
from tabellion.interpret.frames import frame_tables
from tabellion.interpret.relations import RELATIONS, relate_flags, relate_groups
from tabellion.model.frame import Labelled
from tabellion.model.grid import Grid
from tabellion.weights import Weights
from tabellion.weights.network import Network, Outputs

__all__ = ["interpret_grid", "run_network"]


def interpret_grid(grid: Grid, weights: Weights) -> Labelled:
    """The tables of a grid: its rows labelled, its frames with their trees, each with a confidence."""
    network = weights.network("reader", (*FEATURES, *RELATIONS))
    evidence = gather_evidence(grid)
    outputs = run_network(network, evidence)
    tables = decode(evidence, outputs)
    return frame_tables(grid, evidence.tokens, tables, outputs.roles, rate_tables(tables, network.calibration))


def run_network(network: Network, evidence: Evidence) -> Outputs:
    """What the network says of the tokens of a grid."""
    groups = list(relate_groups(evidence.codes).values())
    return network.run(evidence.pieces, evidence.features, groups, relate_flags(evidence.codes))
