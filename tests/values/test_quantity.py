"""Numbers that are not plain: with an error, a range or a bound, as a power of ten, as a fraction."""

from __future__ import annotations

import pytest

from tabellion.model.table import Quantity
from tabellion.values.number import Conventions, read_quantities, read_quantity, suspects_quantity


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("32.5 ± 0.6", Quantity(32.5, error=0.6)),
        ("32.5±0.6 %", Quantity(32.5, error=0.6)),
        ("3 +/- 0.2", Quantity(3, error=0.2)),
        ("12–15", Quantity(low=12, high=15)),
        ("1,200-1,500", Quantity(low=1200, high=1500)),
        ("-5 to -3", Quantity(low=-5, high=-3)),
        ("$10–$15", Quantity(low=10, high=15)),
        ("<0.05", Quantity(0.05, bound="<")),
        ("< 0.001***", Quantity(0.001, bound="<")),
        ("<=5%", Quantity(5, bound="≤")),
        ("≥ 3", Quantity(3, bound="≥")),
        (">1.2×10⁻⁵", Quantity(1.2e-5, bound=">")),
        ("1.2×10³", Quantity(1200)),
        ("4 x 10^-2", Quantity(0.04)),
        ("1/2", Quantity(0.5)),
        ("1 3/4", Quantity(1.75)),
        ("2½", Quantity(2.5)),
        ("12 (10–15)", Quantity(12, 10, 15)),
        ("0.8 (95% CI 0.6, 1.1)", Quantity(0.8, 0.6, 1.1)),
        ("−0.3 [−0.5 to −0.1]", Quantity(-0.3, -0.5, -0.1)),
    ],
)
def test_what_a_text_says_beside_its_number(text: str, said: Quantity) -> None:
    assert suspects_quantity(text)
    assert read_quantity(text) == said


@pytest.mark.parametrize(
    "text", ["15-12", "2010-11", "17/365", "n = 5", "A-12", "12-Jan", "5 (20%)", "12 (1–3)", "3x10", "a ± b"]
)
def test_what_says_nothing_of_the_kind(text: str) -> None:
    assert read_quantity(text) is None


def test_a_column_decides_what_its_dashes_and_slashes_mean() -> None:
    assert set(read_quantities(["10-12", "12-15", "15+"])) == {"10-12", "12-15"}
    assert read_quantities(["3-1", "0-2", "1-4"]) == {}  # scores
    assert read_quantities(["1/2", "17/20", "3/4", "9/11"]) == {}  # so many of so many
    assert set(read_quantities(["3-1", "<5"])) == {"<5"}


def test_the_decimal_sign_is_that_of_the_grid() -> None:
    assert read_quantity("1,5 ± 0,2", Conventions(decimal=",")) == Quantity(1.5, error=0.2)
