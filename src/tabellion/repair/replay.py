"""A document read with all of its corrections that are in force.

In: the document at hand, the log of its corrections, and a way to its earlier editions. Out: its reading, in which all
that is in force holds, and where every correction stands. What does not fit any more is kept and shown.

What of a log is in force: undone, replaced and conflicting corrections told apart. In: corrections of one document in
the order in which they were made, their places in the edition at hand. Out: where each stands. The last word on a thing
holds, if who said it had seen the word before (its `was` is the other's `to`); otherwise two people contradict each
other, and the earlier word holds until one of the two is undone. Given parents that would close a ring contradict each
other in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from tabellion.model.correction import (
    Area,
    Correction,
    JoinLines,
    MoveHeader,
    PartLine,
    SameLabel,
    Saying,
    Spot,
    Undo,
)
from tabellion.model.document import Issue
from tabellion.model.place import common_share
from tabellion.pipeline import Extraction, Settings, extract_document, read_source
from tabellion.read.limits import one_deadline
from tabellion.repair.editions import Editions as Editions
from tabellion.repair.editions import Misfit
from tabellion.repair.places import same_region
from tabellion.repair.rereading import UNKNOWN, Placed, Rereading, observe
from tabellion.weights import Weights

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
                state = Standing(correction, "conflict", f"with {earlier.id}{by}, who gave another value before")
        if state.state == "in force" and (ring := _ring([found[place].correction for place in holding], correction)):
            state = Standing(correction, "conflict", f"with {ring}: headers would be parents of each other")
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


def same_labels(log: Sequence[Correction]) -> dict[str, str]:
    """The labels of a document that are another name for one of other tables, as the log has them in force."""
    held = (one.operation for one in in_turn(weigh_corrections(log)))
    return {said.label: said.to for said in held if isinstance(said, SameLabel) and said.to}


class Replayed(msgspec.Struct, frozen=True, eq=False):
    """A reading with its corrections."""

    extraction: Extraction
    standings: tuple[Standing, ...]


def replay(rereading: Rereading, log: Sequence[Correction], editions: Editions) -> Replayed:
    """Read a document with its corrections; what does not hold is an issue of the reading."""
    if not log:
        return Replayed(rereading.read(), ())
    carried, misfits = carry_log(rereading, log, editions)
    standings = [
        Standing(one.correction, "does not fit", misfits[one.correction.id])
        if one.correction.id in misfits and one.state in ("in force", "conflict")
        else one
        for one in weigh_corrections(carried)
    ]
    held = in_turn(standings)
    extraction = rereading.read(placed(held))
    standings = [_seen(one, extraction) for one in standings]
    issues = tuple(
        Issue("repair", f"correction {one.correction.id}: {one.state}: {one.note}", one.correction.place)
        for one in standings
        if one.state in ("does not fit", "conflict")
    )
    extraction = msgspec.structs.replace(extraction, issues=extraction.issues + issues)
    return Replayed(extraction, tuple(standings))


def extract_repaired(
    data: bytes, settings: Settings, log: Sequence[Correction] = (), editions: Editions = lambda _: None
) -> Extraction:
    """Read a document from its bytes with the corrections that were made of it."""
    if not log:
        return extract_document(data, settings)
    with one_deadline(settings.limits):
        document = read_source(data, settings, Weights(settings.weights))
        return replay(Rereading(document, settings), log, editions).extraction


def carry_log(
    rereading: Rereading, log: Sequence[Correction], editions: Editions
) -> tuple[list[Correction], dict[str, str]]:
    """The corrections in the edition at hand, and why some are not in it."""
    here = rereading.document.sha256
    carried: list[Correction] = []
    misfits: dict[str, str] = {}
    for correction in log:
        if correction.sha256 != here and not isinstance(correction.operation, Undo):
            try:
                correction = rereading.carrier(correction.sha256, editions).carry(correction)
            except Misfit as why:
                misfits[correction.id] = str(why)
        carried.append(correction)
    return [_apart(one) if one.id in misfits else one for one in carried], misfits


def placed(corrections: Sequence[Correction]) -> list[Placed]:
    """The operations of some corrections with their regions."""
    return [Placed(one.place, one.operation) for one in corrections if not isinstance(one.operation, Undo)]


def _apart(correction: Correction) -> Correction:
    """A correction that has no place here, so that it meets no other one."""
    nowhere = msgspec.structs.replace(correction.place, sheet=f"{correction.id} of another edition")
    return msgspec.structs.replace(correction, place=nowhere)


def _seen(standing: Standing, extraction: Extraction) -> Standing:
    """A correction in force, once it is seen whether it holds."""
    said = standing.correction.operation
    if standing.state != "in force" or isinstance(said, Undo):
        return standing
    found = observe(extraction, standing.correction.place, said)
    if isinstance(said, JoinLines | PartLine | SameLabel) or (found is not UNKNOWN and same_value(found, said.to)):
        return standing
    note = "there is no such thing in this reading" if found is UNKNOWN else f"the reading has {_plain(found)} there"
    return Standing(standing.correction, "does not fit", note)


def _plain(found: object) -> str:
    return repr(getattr(found, "text", found))
