"""A first reading of a strand by rules alone: indent, then group rows, then bold.

In: attributes. Out: for each label the index of its parent, or -1. It stands on its own as a baseline, and the learned
scores take it as one feature among others. A label stands under the nearest label before it of a lower rung;
rungs compare indent first, then a row without values, then bold, then capitals of a bold label or a row without values.
A bare "Total" has nothing under it but what is indented. Fails where a total is indented deeper than its parts, or where nothing but words tells.
"""

from __future__ import annotations

import numpy as np

from tabellion.nest.attributes import Attributes, Indices


def climb(attributes: Attributes) -> Indices:
    """The parent of each label by rules, -1 at the root."""
    total = attributes.said("only_total").astype(bool) if len(attributes) else np.zeros(0, dtype=bool)
    capitals = attributes.said("capitals").astype(bool) if len(attributes) else total
    rungs = list(
        zip(
            attributes.indent.tolist(),
            (~attributes.group).tolist(),
            (~attributes.bold).tolist(),
            (~(capitals & (attributes.bold | attributes.group))).tolist(),
            strict=True,
        )
    )
    parents = np.full(len(rungs), -1, dtype=np.intp)
    stack: list[int] = []
    for here, rung in enumerate(rungs):
        while stack and not _stands_under(rungs[stack[-1]], rung, bool(total[stack[-1]])):
            stack.pop()
        if stack:
            parents[here] = stack[-1]
        stack.append(here)
    return parents


def _stands_under(
    upper: tuple[float, bool, bool, bool], lower: tuple[float, bool, bool, bool], bare_total: bool
) -> bool:
    return upper[0] < lower[0] or (not bare_total and upper < lower and upper[0] == lower[0])
