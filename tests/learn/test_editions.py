"""Corrections find their places in an edited edition of a sheet, and never a wrong one."""

from __future__ import annotations

import pytest

from tabellion.errors import TabellionError
from tabellion.learn.repair.editions import Tally, carry_corrections
from tabellion.learn.sheets.gold import load_cases

SHEETS = 20


@pytest.mark.parametrize(("figures", "least"), [(False, 0.95), (True, 0.85)])
def test_corrections_are_carried_into_edited_sheets(figures: bool, least: float) -> None:
    """Rows inserted and deleted, a column added, the sheet renamed; then every figure changed as well."""
    try:
        cases = load_cases("senbazuru-left")[:SHEETS]
    except TabellionError as error:
        pytest.skip(str(error))
    tally = Tally()
    for seed, case in enumerate(cases):
        carry_corrections(case, seed, tally, figures=figures)
    assert tally.right > 1000
    assert tally.wrong == 0
    assert tally.share >= least
