"""What the network says of a token: its role, and what it points to."""

from __future__ import annotations

TITLE, NOTE, OTHER, HEAD, LEVEL, STUB, GROUP, VALUE, JOIN, FIELD = range(10)
"""Roles. LEVEL names a level of the stub (the head over it), JOIN is a further piece of a label, GROUP a label of rows
that has no values, FIELD a part of a form outside tables."""

ROLES = ("title", "note", "other", "head", "level", "stub", "group", "value", "join", "field")
FLAGS = ("derived", "key")
"""Whether a row is a total or another result, and whether a stub is the key of a relation: a field like the others."""

POINTERS = ("first cell of its table", "nearest head", "nearest row label", "parent label")
TABLE_FIRST, NEAREST_HEAD, NEAREST_LABEL, PARENT = range(4)
DERIVED, KEY = range(2)
