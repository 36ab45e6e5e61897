"""Which passages of the running text speak of a table.

In: the table's index number and the sentences that mention tables. Out: those that mention this one, alone or in a list
or range ("Tables 1 and 3", "Tables 2-4", "Table 1a").
"""

from __future__ import annotations

from collections.abc import Iterable

from tabellion.values.table_labels import find_labels, read_label


def find_mentions(index_number: str | None, sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences that mention a table, each once.

    >>> find_mentions("Table 2", ["See Tables 1–3.", "Table 12 shows it.", "As in Table 2a, so here."])
    ('See Tables 1–3.', 'As in Table 2a, so here.')
    """
    own = read_label(index_number or "")
    if own is None:
        return ()
    return tuple(dict.fromkeys(s for s in sentences if any(label.names(own) for label in find_labels(s))))
