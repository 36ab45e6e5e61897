"""Running the network over a grid, in parts where the grid is long.

In: the network and the evidence of a grid. Out: what it says of each token. A grid of more tokens than one part holds
is read in parts of whole rows that overlap, each below the first rows of the grid, so that heads stay in view. What a
token points to outside its part is not seen: a label far above its rows is lost, and a table that goes on is joined by
the rows that two parts share.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.evidence import Evidence
from tabellion.interpret.relations import LABELS_ABOVE, relate_flags, relate_groups
from tabellion.weights.network import Network, Outputs

Ints = NDArray[np.intp]


class WindowSettings(msgspec.Struct, frozen=True):
    """The parts of a long grid, in tokens; one pass takes the square of its tokens in time and memory."""

    whole: int = 900  # up to which a grid is read at once; the network is trained on sheets up to 1,000
    part: int = 500
    shared: int = 120  # with the part before
    first: int = 120  # of the grid's first rows, in view of every part


SETTINGS = WindowSettings()
_UNSEEN = -30.0  # log probability of what a part does not see


def run_network(network: Network, evidence: Evidence, settings: WindowSettings = SETTINGS) -> Outputs:
    """What the network says of the tokens of a grid."""
    if len(evidence) <= settings.whole:
        return _run(network, evidence)
    windows = cut_windows(evidence.tokens.at[0], settings)
    found: Outputs | None = None
    done = 0
    for number, (first, window) in enumerate(windows):
        outputs = _run(network, part_of(evidence, window))
        if found is None:
            found = _empty(len(evidence), outputs)
        # Tokens that two parts share are taken half from the one, half from the other.
        last = number + 1 == len(windows)
        until = len(evidence) if last else (windows[number + 1][0] + int(window[-1]) + 1) // 2
        own = (
            np.flatnonzero((window >= max(first, done)) & (window < until))
            if number
            else np.flatnonzero(window < until)
        )
        at = window[own]
        found.roles[at], found.flags[at] = outputs.roles[own], outputs.flags[own]
        targets = np.concatenate([[0], window + 1])
        for pointer, said in zip(found.pointers, outputs.pointers, strict=True):
            pointer[np.ix_(at, targets)] = said[own]
        done = until
    assert found is not None  # noqa: S101  # a long grid has a part
    return found


def cut_windows(rows: Ints, settings: WindowSettings = SETTINGS) -> list[tuple[int, Ints]]:
    """The tokens of each part and the first of those that are not of the grid's first rows; rows are not cut.

    >>> settings = WindowSettings(whole=0, part=4, shared=1, first=2)
    >>> [(first, window.tolist()) for first, window in cut_windows(np.arange(8), settings)]
    [(0, [0, 1, 2, 3]), (3, [0, 1, 3, 4, 5, 6]), (6, [0, 1, 6, 7])]
    """
    count = len(rows)
    begins = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    context = np.arange(_row_start(begins, settings.first))
    found, start = [], 0
    while True:
        end = _row_start(begins, start + settings.part)
        end = count if end <= start or start + settings.part >= count else end
        found.append((start, np.concatenate([context[context < start], np.arange(start, end)])))
        if end >= count:
            return found
        following = _row_start(begins, end - settings.shared)
        start = following if following > start else end


def _row_start(begins: Ints, token: int) -> int:
    """The first token of the row that a token is in."""
    return int(begins[max(0, int(np.searchsorted(begins, token, side="right")) - 1)])


def part_of(evidence: Evidence, window: Ints) -> Evidence:
    """The evidence of some tokens; labels above that are not among them are none."""
    place = np.zeros(len(evidence) + 1, dtype=np.int16)
    place[window + 1] = np.arange(1, len(window) + 1)
    codes = {name: code[window] for name, code in evidence.codes.items()}
    for name in LABELS_ABOVE:
        codes[name] = place[codes[name]]
    return msgspec.structs.replace(
        evidence, pieces=evidence.pieces[window], features=evidence.features[window], codes=codes
    )


def _run(network: Network, evidence: Evidence) -> Outputs:
    groups = list(relate_groups(evidence.codes).values())
    return network.run(evidence.pieces, evidence.features, groups, relate_flags(evidence.codes))


def _empty(count: int, like: Outputs) -> Outputs:
    pointers = np.full((len(like.pointers), count, count + 1), _UNSEEN, dtype=np.float32)
    roles, flags = (np.zeros((count, said.shape[1]), np.float32) for said in (like.roles, like.flags))
    return Outputs(roles, pointers, flags)
