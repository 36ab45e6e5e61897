"""How a made sheet is written: its looks, drawn once a sheet so that they hold together."""

from __future__ import annotations

from random import Random
from typing import NamedTuple


class Manner(NamedTuple):
    """What a sheet's author does throughout. `indent` is the means by which a label is shown to stand lower."""

    styled: bool
    spans: bool
    head_bold: bool
    head_fill: bool
    head_align: str | None
    head_above: bool
    head_below: bool
    boxed: bool
    group_bold: bool
    group_italic: bool
    group_fill: bool
    group_caps: bool
    colon: bool
    total_bold: bool
    total_fill: bool
    total_above: bool
    label_bold: bool
    label_align: str | None
    value_align: str | None
    indent: str  # style, blanks, dots, dashes, none
    step: int
    title_bold: bool
    title_big: bool
    title_align: str | None
    formulas: bool
    number_form: str  # exact, shown: how stored numbers read
    wide: float  # the share of blank columns between parts
    gaps: float  # the share of blank rows between blocks


def draw_manner(random: Random, styled: bool, spans: bool) -> Manner:
    """A manner; without styles nothing is bold, filled, lined or aligned, and indents are in the text."""
    chance = random.random

    def at(share: float) -> bool:
        return styled and chance() < share

    indents = (
        ("style", "style", "blanks", "blanks", "dots", "none") if styled else ("blanks", "blanks", "dashes", "none")
    )
    return Manner(
        styled=styled, spans=spans and chance() < 0.85, head_bold=at(0.65), head_fill=at(0.35),
        head_align="center" if at(0.65) else None, head_above=at(0.4), head_below=at(0.5), boxed=at(0.27),
        group_bold=at(0.55), group_italic=at(0.1), group_fill=at(0.12), group_caps=chance() < 0.12,
        colon=chance() < 0.12, total_bold=at(0.5), total_fill=at(0.15), total_above=at(0.45), label_bold=at(0.08),
        label_align=("right" if at(0.5) else "center") if at(0.06) else None,
        value_align=("right" if at(0.6) else "center") if at(0.42) else None,
        indent=indents[int(chance() * len(indents))], step=(1, 1, 1, 2, 3)[int(chance() * 5)],
        title_bold=at(0.72), title_big=at(0.55), title_align="center" if at(0.3) else None,
        formulas=chance() < 0.3, number_form="exact" if chance() < 0.5 else "shown",
        wide=0.3 if chance() < 0.12 else 0.0, gaps=0.5 if chance() < 0.35 else 0.0,
    )  # fmt: skip
