"""What the runs of a rich text say of its cell: bold in part, throughout, or not at all."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tabellion.model.style import Style


def bold_of_runs(runs: Iterable[tuple[str, bool]]) -> tuple[bool, bool]:
    """Whether some of the text is bold, and whether some of it is not; blanks do not count.

    >>> bold_of_runs([("Total", True), (" ", False)])
    (True, False)
    """
    looks = {bold for text, bold in runs if text and not text.isspace()}
    return True in looks, False in looks


def twin_style(styles: list[Style], twins: dict[tuple[int, bool], int], style: int, bold: bool) -> int:
    """The number of the same style, bold or not bold; added to the styles where it is new."""
    key = style, bold
    if key not in twins:
        twins[key] = len(styles)
        styles.append(msgspec.structs.replace(styles[style], bold=bold))
    return twins[key]
