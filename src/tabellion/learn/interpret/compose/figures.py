"""The values of a made table: columns of one kind, numbers that sum up, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.model.grid import NUMBER, TEXT

Number = float | None


class Measure(NamedTuple):
    """A kind of values: `kind` number or a kind of texts; of numbers their size, places and form of writing."""

    kind: str = "number"
    scale: float = 1000.0
    places: int = 0
    form: str = "exact"  # exact, shown, comma, blank, money, brackets, percent
    additive: bool = True
    texts: Sequence[str] = ()
    stored: int = TEXT  # of texts

    @property
    def numeric(self) -> bool:
        return self.kind == "number"


def draw_measure(pen: Pen) -> Measure:
    """A kind of numbers."""
    kind = pen.among(count=5, decimal=3, percent=1.5, money=1, fraction=0.5)
    form = pen.manner.number_form
    if pen.chance(0.12):
        form = pen.pick(("comma", "comma", "blank", "brackets"))
    scale = 10.0 ** pen.number(0, 6) if pen.chance(0.6) else 1000.0
    if kind == "percent":
        form = "percent" if pen.chance(0.4) else "exact"
        return Measure(scale=20.0, places=pen.pick((0, 1, 1, 2)), form=form, additive=pen.chance(0.5))
    if kind == "fraction":
        return Measure(scale=0.3, places=pen.number(2, 4), form="exact", additive=False)
    if kind == "money":
        return Measure(scale=scale, places=pen.pick((0, 2, 2)), form=pen.pick(("money", "money", "exact", "shown")))
    if kind == "decimal":
        return Measure(scale=min(scale, 10_000.0), places=pen.number(1, 3), form=form)
    return Measure(scale=max(scale, 10.0), places=0, form=form)


def draw_texts(pen: Pen, kind: str = "") -> Measure:
    """A kind of values that are no numbers: words, flags, codes, dates, sentences, telephone numbers."""
    kind = kind or pen.among(words=4, flag=3, code=1, date=1.5, text=1, name=1)
    texts: Sequence[str] = ()
    stored = TEXT
    if kind in ("words", "name"):
        texts = pen.pick(pen.bank.columns) if pen.bank.columns and pen.chance(0.5) else pen.words(pen.number(2, 12))[1]
    elif kind == "flag":
        texts = pen.pick(words.FLAGS)
    elif kind == "text":
        texts = words.SENTENCES
    elif kind in ("date", "code"):
        labels = pen.dates(20) if kind == "date" else pen.codes(20)[1]
        texts, stored = [text for text, _ in labels], labels[0][1]
    elif kind == "phone":
        form = pen.pick(("{}-{}-{}", "({}) {}-{}", "{}/{}-{}", "+{} {} {}"))
        texts = [form.format(pen.number(200, 999), pen.number(200, 999), pen.number(1000, 9999)) for _ in range(20)]
    elif kind == "unit":
        texts = words.UNITS
    return Measure("words" if kind == "name" else kind, texts=texts, additive=False, stored=stored)


def draw_number(pen: Pen, measure: Measure, negative: float) -> float:
    value = pen.random.lognormvariate(0, 0.9) * measure.scale
    return round(-value if pen.random.random() < negative else value, measure.places)


def say_number(value: float, measure: Measure) -> Label:
    """A number as it is written."""
    places, form = measure.places, measure.form
    if form == "exact":
        return (f"{value:.{places}f}".rstrip("0").rstrip(".") if places else f"{value:.0f}"), NUMBER
    if form == "shown":
        return f"{value:,.{places}f}", NUMBER
    if form == "percent":
        return f"{value:.{places}f}%", NUMBER
    text = f"{abs(value):,.{places}f}"
    if form == "blank":
        text = text.replace(",", " ")
    elif form == "money":
        text = "$" + text
    if value < 0:
        text = f"({text})" if form != "comma" else f"-{text}"
    return text, TEXT


def say_text(pen: Pen, measure: Measure) -> Label:
    """A value that is no number."""
    return pen.pick(measure.texts or ("x",)), measure.stored
