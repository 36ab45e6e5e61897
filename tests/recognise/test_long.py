"""Long delimited files are read column by column, with the same tuples as short ones."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tabellion import extract
from tabellion.nest import frames
from tabellion.recognise import sheet

EXAMPLES = Path(__file__).parents[2] / "examples"


def relation(rows: int, decimal: str = ".") -> bytes:
    """A number, words, a year, plain and grouped measures, marks for missing values."""
    chance = Random(3)  # noqa: S311
    lines = ["id;region;product;year;units;price;share;note"]
    for number in range(rows):
        price = f"{chance.random() * 100:.2f}".replace(".", decimal)
        share = chance.choice(["..", "NA", f"{chance.random():.4f}".replace(".", decimal), "-0" + decimal + "5"])
        words = f"{1000 + number};{chance.choice(['North', 'South'])};item {chance.randrange(90)};{2000 + number % 20}"
        note = chance.choice(["", "12-15", "<5", "revised 1)"])
        lines.append(f"{words};{chance.randrange(10_000)};{price};{share};{note}")
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "source",
    [relation(400), relation(400, ","), EXAMPLES / "flat.csv"],
    ids=["decimal points", "decimal commas", "an example"],
)
def test_both_ways_give_the_same_tuples(source: bytes | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = extract(source).to_csv()
    monkeypatch.setattr(sheet, "_MANY_TEXTS", 0)
    monkeypatch.setattr(frames, "MANY_RECORDS", 20)
    assert extract(source).to_csv() == plain
    assert plain.count(b"\n") > 20
