"""What of a log is in force: undone, replaced and conflicting corrections told apart.

In: corrections of one document in the order in which they were made, their places in the edition at hand. Out: where
each stands. The last word on a thing holds, if who said it had seen the word before (its `was` is the other's `to`);
otherwise two people contradict each other, and the earlier word holds until one of the two is undone. Given parents
that would close a ring contradict each other in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from tabellion.model.correction import (
    Area,
    Correction,
    MoveHeader,
    Saying,
    Spot,
    Undo,
)
from tabellion.model.place import common_share
from tabellion.repair.places import same_region

State = Literal["in force", "undone", "replaced", "conflict", "does not fit"]
_SAME_TABLE = 0.5  # the share that two rectangles have in common where they mean the same table


class Standing(msgspec.Struct, frozen=True):
    """A correction, where it stands, and why where it does not hold."""

    correction: Correction
    state: State
    note: str | None = None


def undone_ids(log: Sequence[Correction]) -> dict[str, str]:
    """The corrections that do not hold because a later one, itself not undone, takes them back; and by which."""
    undone: dict[str, str] = {}
    for correction in reversed(log):
        if isinstance(correction.operation, Undo) and correction.id not in undone:
            undone.setdefault(correction.operation.correction, correction.id)
    return undone


def weigh_corrections(log: Sequence[Correction]) -> list[Standing]:
    """Where each correction stands, by the log alone."""
    undone = undone_ids(log)
    found: list[Standing] = []
    holding: list[int] = []
    for correction in log:
        if correction.id in undone:
            found.append(Standing(correction, "undone", f"by {undone[correction.id]}"))
            continue
        said = correction.operation
        if isinstance(said, Undo):
            found.append(Standing(correction, "in force"))
            continue
        state = Standing(correction, "in force")
        for place in list(holding):
            earlier = found[place].correction
            if not same_subject(earlier, correction):
                continue
            if agrees(said, earlier) or same_value(_to(earlier.operation), said.was):
                found[place] = msgspec.structs.replace(found[place], state="replaced", note=f"by {correction.id}")
                holding.remove(place)
            else:
                by = f" by {earlier.author}" if earlier.author else ""
                state = Standing(correction, "conflict", f"with {earlier.id}{by}, who said otherwise before")
        if state.state == "in force" and (ring := _ring([found[place].correction for place in holding], correction)):
            state = Standing(correction, "conflict", f"with {ring}: headers would stand under each other")
        found.append(state)
        if state.state == "in force":
            holding.append(len(found) - 1)
    return found


def same_subject(one: Correction, other: Correction) -> bool:
    """Whether two corrections speak of the same thing."""
    first, second = one.operation, other.operation
    if type(first) is not type(second) or isinstance(first, Undo) or not same_region(one.place, other.place):
        return False
    names = [name for name in first.__struct_fields__ if name not in ("to", "was")]
    return all(_same(getattr(first, name), getattr(second, name)) for name in names)


def agrees(said: Saying, earlier: Correction) -> bool:
    """Whether an operation says what an earlier one of the same thing said."""
    return same_value(said.to, _to(earlier.operation))


def same_value(one: Any, other: Any) -> bool:
    """Whether two values of an operation are the same; of places, where they are."""
    if isinstance(one, Spot) and isinstance(other, Spot):
        return one.at == other.at
    return bool(one == other)


def _to(said: Saying | Undo) -> Any:
    return None if isinstance(said, Undo) else said.to


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Area) and isinstance(other, Area):
        return common_share(one.rect, other.rect) >= _SAME_TABLE
    return same_value(one, other)


def _ring(holding: Sequence[Correction], correction: Correction) -> str | None:
    """The correction that a given parent would close a ring with, where there is one."""
    said = correction.operation
    if not isinstance(said, MoveHeader):
        return None
    above: dict[Any, tuple[Any, str]] = {}
    for one in holding:
        other = one.operation
        if isinstance(other, MoveHeader) and other.side == said.side and same_region(one.place, correction.place):
            above[other.header.at] = (other.to.at if other.to else None, one.id)
    at, last = (said.to.at if said.to else None), correction.id
    seen: set[Any] = set()
    while at is not None and at not in seen:
        if at == said.header.at:
            return last
        seen.add(at)
        at, last = above.get(at, (None, last))
    return None


def in_turn(standings: Sequence[Standing]) -> list[Correction]:
    """The corrections in force that say something of the document."""
    held = (one.correction for one in standings if one.state == "in force")
    return [one for one in held if not isinstance(one.operation, Undo)]
