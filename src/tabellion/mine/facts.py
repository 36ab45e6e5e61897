"""Facts of a page's own subject, told from menus, related items, advertising and comments.

In: pages of one template. Out: for each page its texts that change from page to page, each with the labels over it and
the chance that it is a fact of the page's own subject. The slots of the template (`mine.template_slots`) are judged by
learned trees, which have seen sites of other matters; nothing is thrown away. A template is learned from some pages; a
slot that only later pages have is judged by what is seen of it there. Fails on a page alone, where nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.slots import FEATURES, Candidate, PageSlots, SlotKey, read_slots
from tabellion.mine.template import Template, learn_template
from tabellion.mine.template_slots import SlotTable, gather_slots, part_slots, place_in_parts, same_slots, stand_in
from tabellion.model.page_tree import PageTree
from tabellion.weights import Weights

WEIGHTS = "mined_facts"
MAIN = 0.05  # chance from which on a text is a fact: few slots are facts, and a fact lost costs more than one too many


class Fact(msgspec.Struct, frozen=True):
    """A text of a page: its leaf, its slot, the labels over it, and the chance that it is a fact of the subject."""

    leaf: int
    slot: SlotKey
    label: tuple[str, ...]
    tight: bool
    placed: bool
    chance: float

    @property
    def main(self) -> bool:
        return self.chance >= MAIN


class TemplateFacts(msgspec.Struct, frozen=True, eq=False):
    """What was learned of a template: what its pages share, its slots, how they are parted, and the chance of each."""

    template: Template
    same: dict[SlotKey, SlotKey]
    parts: dict[SlotKey, dict[str, str]]
    slots: SlotTable
    chances: NDArray[np.float64]

    def view(self, page: PageTree) -> PageSlots:
        """The candidates of a page."""
        return place_in_parts(stand_in(read_slots(page, self.template), self.same), self.parts)

    def read(self, seen: PageSlots) -> list[Fact]:
        """The texts of a page with their chances."""
        unknown = [each for each in seen.candidates if each.slot not in self.slots.numbers]
        later: dict[SlotKey, float] = {}
        if unknown:
            alone = gather_slots([seen])
            later = dict(zip(alone.numbers, judge_slots(alone.rows).tolist(), strict=True))
        return [self._fact(each, later) for each in seen.candidates]

    def _fact(self, each: Candidate, later: dict[SlotKey, float]) -> Fact:
        number = self.slots.numbers.get(each.slot)
        chance = later[each.slot] if number is None else float(self.chances[number])
        return Fact(each.leaf, each.slot, each.label, each.tight, each.placed, chance)


def learn_facts(pages: Iterable[PageTree]) -> tuple[TemplateFacts, list[PageSlots]]:
    """What is to be known of a template to read its pages, and what was seen of these pages."""
    facts, views = view_template(list(pages))
    return msgspec.structs.replace(facts, chances=judge_slots(facts.slots.rows)), views


def view_template(trees: list[PageTree]) -> tuple[TemplateFacts, list[PageSlots]]:
    """The same, before the slots are judged."""
    template = learn_template(trees)
    views = [read_slots(page, template) for page in trees]
    same = same_slots(views)
    views = [stand_in(each, same) for each in views]
    parts = part_slots(views)
    views = [place_in_parts(each, parts) for each in views]
    slots = gather_slots(views)
    return TemplateFacts(template, same, parts, slots, np.zeros(len(slots.rows))), views


def judge_slots(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance of each slot that it holds facts of the page's own subject."""
    return Weights().boosted(WEIGHTS, FEATURES).probabilities(rows) if len(rows) else np.zeros(0)
