"""The values of a made table: numbers that sum up down the rows and across the columns, missing ones, texts.

In: the rows of a stub and the plan of the columns. Out: for each row the labels of its values by column.
"""

from __future__ import annotations

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.figures import (
    Measure,
    Number,
    draw_measure,
    draw_number,
    draw_texts,
    say_number,
    say_text,
)  # fmt: skip
from tabellion.learn.interpret.compose.heads import Plan
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.compose.rows import BLANK, DATA, GROUP_ROW, RESULT, TOTAL, Row
from tabellion.model.grid import NUMBER, TEXT

Values = dict[int, Label]


def draw_measures(pen: Pen, plan: Plan, labels: list[str]) -> list[Measure]:
    """The kind of values of each column: one for all, one for each head's text, or each its own; some of texts."""
    kind = pen.among(one=5, texts=3, own=2, words=0.6)
    if kind == "words":
        one = draw_texts(pen)
        return [one if pen.chance(0.85) else draw_texts(pen) for _ in labels]
    found: dict[str, Measure] = {}
    first = draw_measure(pen)
    measures = []
    for label in labels:
        measure = first if kind == "one" else found.get(label) if kind == "texts" else None
        if measure is None:
            measure = draw_measure(pen)
            if "%" in label or "ercent" in label or "rozent" in label:
                measure = measure._replace(scale=30.0, places=1, additive=False)
            elif label[:4] in ("Unit", "Einh", "Unid"):
                measure = draw_texts(pen, "unit")
            found[label] = measure
        measures.append(measure)
    if pen.chance(0.12) and not plan.sums:
        texts = [draw_texts(pen) for _ in range(pen.number(1, 2))]
        for measure in texts:
            measures[pen.number(0, len(measures) - 1)] = measure
    return measures


class Body:
    """Draws the values of a table. `true_sums` says whether its totals are what their parts add up to."""

    def __init__(
        self, pen: Pen, plan: Plan, rows: list[Row], measures: list[Measure], by_row: list[Measure] | None = None
    ) -> None:
        self.pen, self.plan, self.rows, self.measures = pen, plan, rows, measures
        self.by_row = dict(zip(map(id, rows), by_row, strict=True)) if by_row else {}
        self.half = False
        self.counts = not any(measure.numeric for measure in measures) and not by_row
        self.true_sums = pen.chance(0.9)
        self.rounded = pen.chance(0.1)
        self.missing = pen.pick((0.0, 0.0, 0.0, 0.0, 0.0, 0.03, 0.08, 0.2, 0.4, 0.7))
        if plan.count < 3:
            self.missing = min(self.missing, 0.08)
        self.mark = pen.pick(words.MISSING) if pen.chance(0.5) else ""
        self.negative = pen.pick((0.0, 0.0, 0.0, 0.1, 0.3))
        self.notes = pen.pick(("*", " 1)", " r", "(a)", "e", " p")) if pen.chance(0.06) else ""
        self.numbers: dict[int, list[Number]] = {}

    def values(self) -> dict[int, Values]:
        """The values of each row, by its number."""
        said = {number: self._say(row) for number, row in enumerate(self.rows) if row.kind not in (BLANK, GROUP_ROW)}
        if self.half:
            said = {number: {at: one for at, one in row.items() if at <= number} for number, row in said.items()}
        return said

    def _numbers(self, row: Row) -> list[Number]:
        """The numbers of a row: a sum where it sums others."""
        known = self.numbers.get(id(row))
        if known is not None:
            return known
        parts = [self._numbers(part) for part in row.parts if part.kind != GROUP_ROW or part.parts]
        summed = bool(parts) and self.true_sums
        leaf = row.kind == DATA and not row.parts
        made: list[Number] = []
        for column, measure in enumerate(self._measures(row)):
            if not measure.numeric or (leaf and self.missing and self.pen.random.random() < self.missing):
                made.append(None)
            elif summed and measure.additive:
                value = sum(part[column] or 0.0 for part in parts)
                if self.rounded and self.pen.chance(0.3):
                    value += self.pen.pick((-1, 1)) * 10.0**-measure.places
                made.append(round(value, measure.places))
            else:
                made.append(self._other(measure, [part[column] for part in parts]))
        if not summed:
            self._across(made)
        self.numbers[id(row)] = made
        return made

    def _other(self, measure: Measure, parts: list[Number]) -> float:
        """A number that is no sum: of rows with parts one of their size, or near their mean."""
        known = [part for part in parts if part is not None]
        if known and not measure.additive:
            return round(sum(known) / len(known) * self.pen.random.uniform(0.9, 1.1), measure.places)
        return round(draw_number(self.pen, measure, self.negative) * max(1, len(known)), measure.places)

    def _measures(self, row: Row) -> list[Measure]:
        own = self.by_row.get(id(row))
        return [own] * len(self.measures) if own else self.measures

    def _across(self, made: list[Number]) -> None:
        """Sum up across the columns."""
        for column, others in self.plan.sums.items():
            measure = self.measures[column]
            if measure.numeric and measure.additive and self.true_sums and made[column] is not None:
                made[column] = round(sum(made[other] or 0.0 for other in others), measure.places)

    def _say(self, row: Row) -> Values:
        pen, said = self.pen, Values()
        if row.fixed is not None:
            return row.fixed
        numbers = self._numbers(row)
        if row.empty:
            return {column: (self.mark, TEXT) for column in range(len(numbers)) if self.mark}
        for column, (value, measure) in enumerate(zip(numbers, self._measures(row), strict=True)):
            if value is not None:
                said[column] = say_number(value, measure)
                if self.notes and pen.chance(0.1):
                    said[column] = (said[column][0] + self.notes, TEXT)
            elif row.kind == DATA and (measure.numeric or pen.random.random() < self.missing):
                if self.mark and pen.chance(0.9):
                    said[column] = (self.mark, TEXT)
            elif row.kind == DATA and (self.counts or not row.parts):
                said[column] = say_text(pen, measure)
            elif row.kind in (TOTAL, RESULT) and self.counts:
                said[column] = (str(pen.number(0, 12)), NUMBER)
        if row.aside:
            said |= self._aside(row.aside)
        if not said:
            column = pen.number(0, len(numbers) - 1)
            measure = self._measures(row)[column]
            drawn = say_number(draw_number(pen, measure, 0.0), measure) if measure.numeric else say_text(pen, measure)
            said[column] = (self.mark, TEXT) if self.mark else drawn
        return said

    def _aside(self, text: str) -> Values:
        """A label in the last column of texts before the numbers of a row."""
        texts = [column for column, measure in enumerate(self.measures) if not measure.numeric]
        before = [column for column in texts if column + 1 < len(self.measures) and self.measures[column + 1].numeric]
        return {before[-1]: (text, TEXT)} if before else {}

    def derived(self, row: Row) -> bool:
        """Whether a row is a total or another result of rows."""
        adds = any(measure.numeric and measure.additive for measure in self.measures)
        return row.kind in (TOTAL, RESULT) or (self.true_sums and adds and len(row.parts) > 1 and row.kind == DATA)
