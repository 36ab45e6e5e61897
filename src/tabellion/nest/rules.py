"""A reading of a strand by rules alone, and what labels that come again add to it.

A reading of a strand by rules alone: indent, then rows without values, then bold, then what is said again. In:
attributes. Out: for each label the index of its parent, or -1. It stands on its own as a baseline, and the learned
scores take it as one feature among others. A label stands under the nearest label before it of a lower rung; rungs
compare indent first, then rows without values and raised headings, then bold of label or values, then capitals. A bare
"Total" with values has nothing under it but what is indented by a full step. A label whose code goes on from that of
another of its indent ("S1311", "S13111") stands under that. A row without values that heads labels of another look has
nothing that looks like itself under it but its total. Then the same words are made to stand alike everywhere
(`Repeats`). Fails where nothing but the meaning of the words tells.

Labels that come again: what stands under one heading tends to stand under the next in the same words. In: attributes
and a first reading. Out: labels that must stand under a given other, and labels that have nothing under them of their
own indent. Two observations: (1) where the same run of words comes again among labels that look alike, each time right
after words that come only once, the run stands under those ("Canada Males Females", "Ontario Males Females"); (2) where
words come again that a first reading hangs under the label so many rows above, they hang so everywhere. Fails where a
list happens to repeat a few words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import msgspec
import numpy as np

from tabellion.nest.attributes import Attributes, Indices
from tabellion.nest.wording import goes_on_from

LONGEST_TRAIL = 40  # labels between a parent and a child that are compared word by word
RUNNING = 0.8  # of the labels of a kind of number that begin at one or go on with the one before
MOSTLY = 0.5  # share of like siblings that runs and headings must make up


class Repeats(msgspec.Struct):
    """What coming again tells: the parent of some labels, and labels without children at their own indent."""

    under: dict[int, int] = {}
    leaves: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.under)


def find_repeats(attributes: Attributes, parents: Indices) -> Repeats:
    """What coming again tells beyond the first reading."""
    repeats = Repeats({}, set())
    text = attributes.wording.tolist()
    times = np.bincount(attributes.wording)[attributes.wording].tolist()
    if max(times, default=1) == 1:
        return repeats
    _after_headings(attributes, parents, text, repeats)
    _as_elsewhere(attributes, parents, text, times, repeats)
    return repeats


def _after_headings(attributes: Attributes, parents: Indices, text: list[int], repeats: Repeats) -> None:
    """Runs that come again among siblings of one look, each after a heading of its own."""
    siblings: dict[tuple[int, int], list[int]] = defaultdict(list)
    for here, key in enumerate(zip(parents.tolist(), attributes.look.tolist(), strict=True)):
        siblings[key].append(here)
    total = attributes.told("only_total")
    for labels in siblings.values():
        times = Counter(text[label] for label in labels)
        opening = Counter(
            text[label] for before, label in pairwise(labels) if times[text[before]] == 1 and times[text[label]] > 1
        )
        if not opening or len(times) == len(labels):
            continue
        openers = {word for word, count in opening.items() if count > 1 and count == times[word]}
        found: dict[int, int] = {}
        heading: int | None = None
        for before, label in zip([None, *labels], labels, strict=False):
            if times[text[label]] == 1:
                heading = None
            elif text[label] in openers:
                heading = before
            if heading is not None:
                found[label] = heading
        if len(found) + len(set(found.values())) >= MOSTLY * len(labels):
            repeats.under.update((label, above) for label, above in found.items() if not total[above])


def _as_elsewhere(
    attributes: Attributes, parents: Indices, text: list[int], times: list[int], repeats: Repeats
) -> None:
    """Words that hang everywhere else at one distance under their parent, with the same words between and after."""
    above, indent = parents.tolist(), attributes.indent.tolist()
    total = attributes.told("only_total")
    after = _next_siblings(above)
    hung: dict[int, Counter[tuple[tuple[int, ...], int]]] = defaultdict(Counter)
    for here, parent in enumerate(above):
        told = times[here] > 1 and parent >= 0 and text[parent] != text[here]
        if told and here - parent <= LONGEST_TRAIL and indent[here] > indent[parent]:
            following = text[after[here]] if after[here] >= 0 else -1
            hung[text[here]][tuple(text[parent + 1 : here]), following] += 1
    for here, parent in enumerate(above):
        if here in repeats.under or text[here] not in hung:
            continue
        ((trail, following), count), *_ = hung[text[here]].most_common(1)
        place = here - 1 - len(trail)
        if 2 * count <= times[here] or place < 0 or parent == place or times[place] > 1 or total[place]:
            continue
        goes_on = following < 0 or (here + 1 < len(text) and text[here + 1] == following)
        if goes_on and tuple(text[place + 1 : here]) == trail and indent[place] >= indent[here]:
            repeats.under[here] = place
            repeats.leaves.add(here)


def _next_siblings(parents: list[int]) -> list[int]:
    """For each label the next one under the same parent, or -1."""
    result = [-1] * len(parents)
    last: dict[int, int] = {}
    for here, parent in enumerate(parents):
        if parent in last:
            result[last[parent]] = here
        last[parent] = here
    return result


LONGEST_OUTLINE = 3_000  # labels; in a longer list words come again without telling anything

LEAST_CODED = 2  # labels under others by their codes: one may be chance
FULL_STEP = 1.0  # of indent: parts that are indented below a bare total stand under it
WITHOUT_VALUES = 0.0  # the rank of rows without values among labels of one indent
Rung = tuple[float, float, bool, bool]


def climb(attributes: Attributes) -> Indices:
    """The parent of each label by rules, -1 at the root; labels of one look all stand beside each other at first."""
    if not len(attributes):
        return np.zeros(0, dtype=np.intp)
    unlike = attributes.look.any() or len(set(_listed(attributes))) > 1 or bool(_under_codes(attributes))
    first = _climb(attributes, Repeats()) if unlike else np.full(len(attributes), -1, dtype=np.intp)
    repeats = find_repeats(attributes, first) if len(attributes) <= LONGEST_OUTLINE else Repeats()
    return _climb(attributes, repeats) if repeats else first


def climb_poorly(attributes: Attributes) -> tuple[Indices, Indices]:
    """Two poorer readings, by indent alone and without what comes again: they teach how far to trust a ladder."""
    parents = np.full(len(attributes), -1, dtype=np.intp)
    stack: list[int] = []
    indent = attributes.indent.tolist()
    for here in range(len(attributes)):
        while stack and indent[stack[-1]] >= indent[here]:
            stack.pop()
        parents[here] = stack[-1] if stack else -1
        stack.append(here)
    return parents, _climb(attributes, Repeats())


def _climb(attributes: Attributes, repeats: Repeats) -> Indices:
    parents = np.full(len(attributes), -1, dtype=np.intp)
    rungs = _rungs(attributes)
    barren = _barren(attributes)
    level = _Levels(attributes)
    total, group = attributes.told("only_total"), attributes.group.tolist()
    own_total = _own_totals(attributes)
    listed = _listed(attributes)
    coded = _under_codes(attributes)
    beside = [one or other for one, other in zip(_beside_bands(attributes), _outdone(attributes), strict=True)]

    def fits(above: int, here: int, stack: list[int]) -> bool:
        """Whether a label stands under the last of the stack."""
        upper, lower = rungs[above], rungs[here]
        leaf = above in repeats.leaves and upper[0] == lower[0]
        total_of_one = total[here] and above == here - 1 and not group[above]
        closed = barren[above] and lower[0] - upper[0] < FULL_STEP
        if leaf or closed or total_of_one or (beside[above] and upper[0] == lower[0]):
            return False
        if upper[0] == lower[0] and coded.get(here) == above:
            return True
        if listed[above] != listed[here] and upper[0] == lower[0] and listed[above] and listed[here]:
            return listed[above] < listed[here]
        under = _stands_under(upper, lower, rungs[above + 1], above + 1 == here) and not level.beside(here, stack)
        return under or own_total.get(here) == above

    stack: list[int] = []
    for here in range(len(rungs)):
        forced = repeats.under.get(here)
        if forced not in stack:
            forced = None
        while stack and not (stack[-1] == forced if forced is not None else fits(stack[-1], here, stack)):
            stack.pop()
        if stack:
            parents[here] = stack[-1]
        level.note(here, stack)
        stack.append(here)
    return parents


class _Levels:
    """Which looks have stood right under a row without values of which look."""

    def __init__(self, attributes: Attributes) -> None:
        self.look, self.group, self.indent = (
            a.tolist() for a in (attributes.look, attributes.group, attributes.indent)
        )
        self.seen: set[tuple[int, int]] = set()

    def note(self, here: int, stack: list[int]) -> None:
        if stack and self.group[stack[-1]]:
            self.seen.add((self.look[stack[-1]], self.look[here]))

    def beside(self, here: int, stack: list[int]) -> bool:
        """Whether a label stands beside the last of the stack: both looks have stood right under such a row above."""
        if len(stack) < 2 or not self.group[stack[-2]] or self.group[stack[-1]]:
            return False
        above, last = self.look[stack[-2]], self.look[stack[-1]]
        both = (above, self.look[here]) in self.seen and (above, last) in self.seen
        return both and self.indent[here] == self.indent[stack[-1]]


def _rungs(attributes: Attributes) -> list[Rung]:
    """Indent; rows without values before raised headings, deeper raised ones first, before others; bold; capitals."""
    heavy = (attributes.bold | attributes.bold_values).tolist()
    loud = (attributes.bold | attributes.group).tolist()
    order = np.where(
        attributes.group, WITHOUT_VALUES, np.where(attributes.raised > 0, 1.0 - attributes.raised / 100, 2.0)
    )
    capitals = attributes.told("capitals")
    return [
        (indent, rank, not thick, not (capital and strong))
        for indent, rank, thick, capital, strong in zip(
            attributes.indent.tolist(), order.tolist(), heavy, capitals, loud, strict=True
        )
    ]


def _stands_under(upper: Rung, lower: Rung, following: Rung, at_once: bool) -> bool:
    """Whether a label may stand under an earlier one, by their rungs and that of the label below the earlier one."""
    if upper[0] != lower[0]:
        return upper[0] < lower[0]
    if upper[2] and not lower[2] and not at_once and following != lower:
        return False
    deeper = following[0] > upper[0]
    if deeper and upper[1] == WITHOUT_VALUES:
        return False
    return upper < lower and not (upper[2:] == lower[2:] and (deeper or following[2:] > lower[2:]))


def _beside_bands(attributes: Attributes) -> list[bool]:
    """Bold labels with values before a list in bands, parted by blank rows: a total beside the list, not over it."""
    heavy = (attributes.bold | attributes.bold_values).tolist()
    indent, gap = attributes.indent.tolist(), attributes.gap.tolist()
    found = [False] * len(heavy)
    parted = False  # by a blank row, two labels of the list that is gone through from below
    for here in range(len(heavy) - 1, -1, -1):
        if heavy[here]:
            found[here], parted = parted and not attributes.group[here], False
        elif here and not heavy[here - 1] and gap[here] and indent[here] == indent[here - 1]:
            parted = True
    return found


def _outdone(attributes: Attributes) -> list[bool]:
    """Bold labels whose numbers some label after them, of their own indent, exceeds: it is no part of them.

    Asked where indents tell levels, so that one indent is one level; a total may be of anything, and is not asked.
    """
    indent, values = attributes.indent.tolist(), attributes.values
    heavy = (attributes.bold | attributes.bold_values).tolist()
    found = [False] * len(indent)
    if len(set(indent)) < 2 or not values.shape[1]:
        return found
    total = attributes.told("has_total")
    for here in np.flatnonzero(attributes.bold | attributes.bold_values).tolist():
        known = ~np.isnan(values[here])
        after = here + 1
        while after < len(indent) and indent[after] >= indent[here] and not (
            heavy[after] and indent[after] == indent[here]
        ):  # fmt: skip
            after += 1
        parts = [label for label in range(here + 1, after) if indent[label] == indent[here]]
        if parts and known.any() and not total[here]:
            most = np.fmax.reduce(values[parts][:, known], axis=0)
            found[here] = bool((most > values[here, known]).mean() > MOSTLY)
    return found


def _listed(attributes: Attributes) -> list[int]:
    """The level of each label that a running number opens: kinds of numbers in the order they first come, else 0.

    A kind of number ("1.", "(1)", "A.") runs where its labels mostly begin at one or go on with the one before.
    """
    items = attributes.told("item")
    last: dict[str, int] = {}
    runs: Counter[str] = Counter()
    times = Counter(item.kind for item in items if item)
    for item in items:
        if item:
            runs[item.kind] += item.number in (1, last.get(item.kind, 0) + 1)
            last[item.kind] = item.number
    running = [kind for kind in times if times[kind] > 1 and runs[kind] >= RUNNING * times[kind]]
    level = {kind: number for number, kind in enumerate(running, 1)}
    return [level.get(item.kind, 0) if item else 0 for item in items]


def _under_codes(attributes: Attributes) -> dict[int, int]:
    """Labels whose code goes on from that of another, as in "S1311 State", "S13111 Ministries": label -> that other.

    Told of labels of one indent, in which what goes on from a code follows it before any other code does: "1", "2",
    ..., "10" are a list.
    """
    codes = attributes.told("code")
    if sum(map(bool, codes)) < LEAST_CODED:
        return {}
    found: dict[int, int] = {}
    open_at: dict[float, list[int]] = defaultdict(list)
    closed: dict[float, set[str]] = defaultdict(set)
    for here, (code, indent) in enumerate(zip(codes, attributes.indent.tolist(), strict=True)):
        if not code:
            continue
        above, done = open_at[indent], closed[indent]
        while above and not goes_on_from(code, codes[above[-1]]):
            done.add(codes[above.pop()])
        if code not in done and any(goes_on_from(code, one) for one in done):
            return {}
        if above:
            found[here] = above[-1]
        above.append(here)
    return found if len(found) >= LEAST_CODED else {}


def _barren(attributes: Attributes) -> list[bool]:
    """Labels that have nothing under them: a bare total with values, unless a colon opens it."""
    told = zip(attributes.told("only_total"), attributes.told("colon"), attributes.group.tolist(), strict=True)
    return [total and not colon and not group for total, colon, group in told]


def _own_totals(attributes: Attributes) -> dict[int, int]:
    """Totals that say again the words of the last row without values: total -> that row."""
    found: dict[int, int] = {}
    group: int | None = None
    stems = attributes.told("stems")
    for here, (is_group, starts) in enumerate(
        zip(attributes.group.tolist(), attributes.told("starts_total"), strict=True)
    ):
        if is_group:
            group = here
        elif group is not None and starts:
            upper = set(stems[group])
            if upper and 2 * len(upper.intersection(stems[here])) >= len(upper):
                found[here] = group
    return found
