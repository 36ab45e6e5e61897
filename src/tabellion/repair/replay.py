"""A document read with all corrections that were ever made of it.

In: the document at hand, the log of its corrections, and a way to its earlier editions. Out: its reading, in which
all that is in force holds, and where every correction stands. What does not fit any more is kept and shown.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tabellion.model.correction import Correction, JoinLines, PartLine, Undo
from tabellion.model.document import Issue
from tabellion.pipeline import Extraction, Settings, extract_document, read_source
from tabellion.repair.observe import UNKNOWN, observe
from tabellion.repair.reanchor import Editions as Editions
from tabellion.repair.reanchor import Misfit
from tabellion.repair.standing import Standing, in_turn, same_value, weigh_corrections
from tabellion.repair.workpiece import Placed, Workpiece
from tabellion.weights import Weights


class Replayed(msgspec.Struct, frozen=True, eq=False):
    """A reading with its corrections."""

    extraction: Extraction
    standings: tuple[Standing, ...]


def replay(workpiece: Workpiece, log: Sequence[Correction], editions: Editions) -> Replayed:
    """Read a document with its corrections; what does not hold is an issue of the reading."""
    if not log:
        return Replayed(workpiece.read(), ())
    carried, misfits = carry_log(workpiece, log, editions)
    standings = [
        Standing(one.correction, "does not fit", misfits[one.correction.id])
        if one.correction.id in misfits and one.state in ("in force", "conflict")
        else one
        for one in weigh_corrections(carried)
    ]
    held = in_turn(standings)
    extraction = workpiece.read(placed(held))
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
    document = read_source(data, settings, Weights(settings.weights))
    return replay(Workpiece(document, settings), log, editions).extraction


def carry_log(
    workpiece: Workpiece, log: Sequence[Correction], editions: Editions
) -> tuple[list[Correction], dict[str, str]]:
    """The corrections in the edition at hand, and why some are not in it."""
    here = workpiece.document.sha256
    carried: list[Correction] = []
    misfits: dict[str, str] = {}
    for correction in log:
        if correction.sha256 != here and not isinstance(correction.operation, Undo):
            try:
                correction = workpiece.carrier(correction.sha256, editions).carry(correction)
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
    if isinstance(said, JoinLines | PartLine) or (found is not UNKNOWN and same_value(found, said.to)):
        return standing
    note = "there is no such thing in this reading" if found is UNKNOWN else f"the reading has {_plain(found)} there"
    return Standing(standing.correction, "does not fit", note)


def _plain(found: object) -> str:
    return repr(getattr(found, "text", found))
