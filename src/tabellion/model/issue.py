"""A doubt or a partial failure, as data."""

from __future__ import annotations

import msgspec

from tabellion.model.place import Place


class Issue(msgspec.Struct, frozen=True):
    """A doubt or a partial failure: which stage, where, what. Never silently dropped."""

    stage: str
    note: str
    place: Place | None = None
