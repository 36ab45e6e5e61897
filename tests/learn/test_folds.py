"""Documents that belong together are kept apart together."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tabellion.learn.corpora import FOLDS, assign_folds
from tabellion.learn.sheets.gold import load_cases


@given(st.sets(st.text(), min_size=1))
def test_folds_are_even_and_do_not_hang_on_the_order(groups):
    folds = assign_folds("corpus", groups)
    assert folds == assign_folds("corpus", sorted(groups, reverse=True))
    sizes = Counter(folds.values())
    assert max(sizes.values()) - min(sizes.get(fold, 0) for fold in range(FOLDS)) <= 1


def test_an_agency_is_in_one_fold(corpora):
    corpora("statsheets")
    folds = {(case.gold["agency"], case.fold) for case in load_cases("statsheets")}
    assert len(folds) == len({agency for agency, _ in folds})
