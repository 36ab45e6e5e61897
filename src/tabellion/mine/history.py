"""What became of things since they were mined last: new, changed, gone; the history of their values.

In: a file of histories and the things of today. Out: what changed, and the file brought up to date. A thing is known
again by its key; each of its unified attributes has a list of editions, with the days on which a value was seen first
and last. Things are gone where their site was read and they were not there; a site that gave nothing at all is not
read.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import msgspec

from tabellion.errors import UnreadableError
from tabellion.mine.things import NAME, Thing


class Edition(msgspec.Struct):
    """The values of an attribute, and the days on which they were seen first and last."""

    values: list[str]
    since: str
    until: str


class KnownThing(msgspec.Struct):
    """A thing as it was seen, with the editions of its attributes, the newest last."""

    name: str | None
    kind: str
    site: str
    attributes: dict[str, list[Edition]]
    gone: str | None = None


class Change(msgspec.Struct, frozen=True):
    """Another value than before."""

    key: str
    name: str | None
    attribute: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Changes(msgspec.Struct, frozen=True):
    """What is new, changed and gone; keys and changes in the order of the sites."""

    new: tuple[str, ...]
    changed: tuple[Change, ...]
    gone: tuple[str, ...]


def read_history(path: Path) -> dict[str, KnownThing]:
    """The histories of a file by key; empty where there is none yet."""
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, KnownThing])
    except (msgspec.DecodeError, OSError) as error:
        raise UnreadableError(f"{path}: is no history that `mine --update` wrote ({error})") from error


def update_history(path: Path, things: Iterable[Thing], today: str | None = None) -> Changes:
    """Bring a file of histories up to date; what changed."""
    day = today or date.today().isoformat()
    known = read_history(path)
    new: list[str] = []
    changed: list[Change] = []
    seen: set[str] = set()
    sites: set[str] = set()
    for thing in things:
        seen.add(thing.key)
        sites.add(thing.site)
        before = known.get(thing.key)
        if before is None or before.gone:
            new.append(thing.key)
        if before is None:
            before = known[thing.key] = KnownThing(thing.name, thing.kind, thing.site, {})
        changed += _note(before, thing, day)
        before.name, before.kind, before.gone = thing.name, thing.kind, None
    gone = [key for key, each in known.items() if each.site in sites and key not in seen and not each.gone]
    for key in gone:
        known[key].gone = day
    write_whole(path, known)
    return Changes(tuple(new), tuple(changed), tuple(gone))


def write_whole(path: Path, told: object) -> None:
    """Write a file of JSON that people read, and that is there whole or as it was before, whenever this is killed."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _note(before: KnownThing, thing: Thing, day: str) -> list[Change]:
    """Add what a thing says today to its history; what is other than before."""
    told: dict[str, dict[str, None]] = {}
    for attribute in thing.attributes:
        name = attribute.unified or (attribute.label[-1].strip(" :") if attribute.label else "")
        if attribute.main and name and name != NAME:
            told.setdefault(name, {})[attribute.value] = None
    changes: list[Change] = []
    for name, values in told.items():
        editions = before.attributes.setdefault(name, [])
        if editions and editions[-1].values == list(values):
            editions[-1].until = day
            continue
        if editions:
            changes.append(Change(thing.key, thing.name, name, tuple(editions[-1].values), tuple(values)))
        editions.append(Edition(list(values), day, day))
    return changes
