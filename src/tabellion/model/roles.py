"""The words for what a row, a column, a cell or a sheet is."""

from __future__ import annotations

from typing import Literal, get_args

RowRole = Literal["title", "header", "data", "group", "derived", "note", "blank"]
ROW_ROLES: tuple[RowRole, ...] = get_args(RowRole)
ColumnRole = Literal["stub", "value"]
CellRole = Literal["title", "header", "stub", "group", "value", "derived", "note", "other"]
Orientation = Literal["column", "row", "row-column", "multiple", "none"]
SheetKind = Literal["data frame", "relation", "form", "list", "diagram", "other"]
