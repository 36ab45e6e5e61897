"""Texts of sheets by what they are, gathered from sheets read by hand."""

from __future__ import annotations

from collections.abc import Iterable

from tabellion.interpret.targets import FIELD, GROUP, HEAD, LEVEL, NOTE, OTHER, STUB, TITLE, VALUE
from tabellion.learn.interpret.draft import Draft
from tabellion.model.grid import TEXT

_LONGEST = 120  # letters of a text that is kept


class Bank:
    """Lists of texts: `stubs`, `heads` and `columns` hold lists that stand together, the others single texts."""

    def __init__(self) -> None:
        self.stubs: list[list[str]] = []
        self.heads: list[list[str]] = []
        self.columns: list[list[str]] = []
        self.titles: list[str] = []
        self.notes: list[str] = []
        self.groups: list[str] = []
        self.fields: list[str] = []
        self.names: list[str] = []
        self.strays: list[str] = []

    @classmethod
    def of(cls, drafts: Iterable[Draft]) -> Bank:
        """The texts of drafts whose roles are known; numbers and dates are left out."""
        bank = cls()
        single = {TITLE: bank.titles, NOTE: bank.notes, GROUP: bank.groups, FIELD: bank.fields, LEVEL: bank.names}
        single[OTHER] = bank.strays
        for draft in drafts:
            lists: dict[tuple[int, int, int], list[str]] = {}
            for cell in sorted(draft.cells):
                text, look = draft.cells[cell]
                text, role = text.strip()[:_LONGEST], draft.role.get(cell, -1)
                if look.stored != TEXT or not text or text.replace(".", "").replace(",", "").isdigit():
                    continue
                if role in (STUB, VALUE, HEAD):
                    lists.setdefault((role, draft.table[cell], cell[role != HEAD]), []).append(text)
                elif role in single:
                    single[role].append(text)
            for (role, _, _), texts in lists.items():
                texts = list(dict.fromkeys(texts))
                if len(texts) > 2 or (role == HEAD and len(texts) > 1):
                    {STUB: bank.stubs, HEAD: bank.heads, VALUE: bank.columns}[role].append(texts[:60])
        for texts in single.values():
            texts[:] = sorted(set(texts))
        return bank
