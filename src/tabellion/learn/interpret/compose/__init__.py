"""Composes tables with complete gold: sheets, web tables and printed tables that nobody has to read by hand.

In: a source of chance and a bank of texts. Out: drafts whose every cell is known. The grammar has many independent
draws: what labels there are and how they nest (`rows`, `heads`), what the values are (`figures`, `body`), how a sheet
is written (`manner`), what is put on it (`sheets`, `kinds`), and what its medium makes of it (`media`).
"""

from tabellion.learn.interpret.compose.bank import Bank
from tabellion.learn.interpret.compose.sheets import compose_sheet

__all__ = ["Bank", "compose_sheet"]
