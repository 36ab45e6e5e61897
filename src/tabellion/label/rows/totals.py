"""Rows that are sums of other rows, and the features that this gives.

A row is a sum where, column by column, its numbers equal the sum of a run of the rows next to it, within rounding;
totals of totals are found in further rounds. Fails where parts are missing, and on small whole numbers in few columns,
which sum by chance: `evidence` counts the digits that agree, less those that chance explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.view import Bools, Column, Floats, Ints, RowView, at_most, share

Rows = NDArray[np.intp]


class SumSettings(msgspec.Struct, frozen=True):  # how far sums are looked for
    rounds: int = 3  # levels of totals of totals
    columns: int = 12  # columns looked at: more tell no more
    longest: int = 300  # parts of one total, but for a total of all the rest
    work: int = 3_000_000  # rows × parts × columns compared in a round: bounds time on long sheets, not on usual ones
    enough: float = 2.0  # digits of evidence from which on a row counts as a total in the next round
    agreement: float = 0.5  # share of the row's numbers that must agree for that
    rounding: float = 0.51  # in steps of the last digit: what a total may be off by itself,
    drift: float = 0.25  # and for the square root of the number of parts
    roughness: float = 0.005  # what a rough sum may be off by, of the total: parts rounded on their own, chained prices
    chance: float = 0.3  # digits in a column that agree by chance, beside those of the number of parts


DEFAULT = SumSettings()
_FEW = 8_000  # sums that are all compared: to put them in order takes longer
_MANY = 20_000  # sums of one column that may be near enough: more are looked at column by column


class Sums(msgspec.Struct, frozen=True, eq=False):
    """For each row the best sum in one direction; rows are counted in that direction."""

    evidence: Floats  # digits that agree, over all columns
    share: Floats  # of the row's numbers that agree
    parts: Ints  # how many parts, stepping over the parts of parts; 0 where there is no sum
    end: Rows  # the row just beyond the last part

    def better(self, other: Sums, margin: float = 1e-9) -> Sums:
        """Row by row these, or the other ones where their evidence is greater by a margin."""
        wins = other.evidence > self.evidence + margin
        return Sums(
            np.where(wins, other.evidence, self.evidence),
            np.where(wins, other.share, self.share),
            np.where(wins, other.parts, self.parts),
            np.where(wins, other.end, self.end),
        )

    def reversed(self) -> Sums:  # the same, with rows counted from the other end
        last = len(self.end) - 1
        return Sums(self.evidence[::-1], self.share[::-1], self.parts[::-1], last - self.end[::-1])


class FoundSums(msgspec.Struct, frozen=True, eq=False):
    """Sums of following rows and of preceding rows: within rounding, and roughly."""

    after: Sums
    before: Sums
    rough_after: Sums
    rough_before: Sums


def find_sums(amount: Floats, settings: SumSettings = DEFAULT) -> FoundSums:
    """The sums among rows. `amount` is (rows, columns), NaN for no number.

    >>> found = find_sums(np.array([[300.0, 30.5], [100.0, 10.25], [200.0, 20.25], [300.0, 30.5]]))
    >>> found.after.parts.tolist(), found.before.parts.tolist()
    ([2, 0, 0, 0], [0, 0, 0, 2])
    """
    amount = _telling_columns(amount, settings.columns)
    unit = column_units(amount)
    after, rough_after = _sums_after(amount, unit, settings)
    before, rough_before = _sums_after(amount[::-1], unit, settings)
    return FoundSums(after, before.reversed(), rough_after, rough_before.reversed())


def _telling_columns(amount: Floats, most: int) -> Floats:  # the columns with most numbers, in their order
    if amount.shape[1] <= most:
        return amount
    numbers = (~np.isnan(amount)).sum(axis=0)
    return np.asarray(amount[:, np.sort(np.argsort(-numbers, kind="stable")[:most])])


def column_units(amount: Floats) -> Floats:
    """The rounding step of each column: 1 for whole numbers, 0.1 for one decimal and so on."""
    told = ~np.isnan(amount)
    few = 0.1 * told.sum(axis=0)
    plain = np.nan_to_num(amount)
    units = np.full(amount.shape[1], 1e-6)
    open_columns = np.ones(amount.shape[1], dtype=bool)
    for decimals in range(5):
        scaled = plain * 10.0**decimals
        off = np.abs(scaled - scaled.round()) > 1e-6 * np.maximum(1.0, np.abs(scaled))
        fits = open_columns & (off.sum(axis=0) <= few)
        units[fits] = 10.0**-decimals
        open_columns &= ~fits
        if not open_columns.any():
            break
    return units


def _sums_after(amount: Floats, unit: Floats, settings: SumSettings) -> tuple[Sums, Sums]:
    count = len(amount)
    none = np.zeros(count)
    sums = Sums(none, none, none.astype(np.int64), np.arange(count) + 1)
    if not amount.size:
        return sums, sums
    matcher = _Matcher(amount, unit, settings)
    step = np.minimum(np.arange(count + 1) + 1, count)
    for _ in range(settings.rounds):
        sums = sums.better(matcher.best(step)).better(matcher.best(step, start=2), settings.enough)
        sure = (sums.evidence >= settings.enough) & (sums.share >= settings.agreement)
        next_step = np.append(np.where(sure, sums.end, np.arange(count) + 1), count)
        if (next_step == step).all():
            break
        step = next_step
    return sums, sums.better(matcher.best(step, rough=True))


def _between(rest: Floats, low: Floats, high: Floats) -> tuple[Rows, Rows, Rows]:
    """Column by column the order of `rest`; how many of it lie below each of `low`, and not above each of `high`."""
    order = np.argsort(rest.T, axis=1, kind="stable")
    below, within = np.empty(low.T.shape, dtype=np.intp), np.empty(low.T.shape, dtype=np.intp)
    for column, ordered in enumerate(np.take_along_axis(rest.T, order, axis=1)):
        below[column] = ordered.searchsorted(low[:, column])
        within[column] = ordered.searchsorted(high[:, column], side="right")
    return order.T, below.T, within.T


class _Matcher:  # compares every row with all sums of the rows after it
    def __init__(self, amount: Floats, unit: Floats, settings: SumSettings) -> None:
        self.settings = settings
        self.count, width = amount.shape
        self.told: Bools = ~np.isnan(amount)
        self.plain = np.nan_to_num(amount)
        self.unit = unit
        self.size = np.log10(np.maximum(1.0, np.abs(self.plain) / self.unit))
        self.numbers = np.maximum(1, self.told.sum(axis=1))
        reach = max(8, settings.work // (self.count * width))
        self.reach = int(min(settings.longest, reach, self.count))
        self._held: tuple[Rows, tuple[Floats, Rows, bool]] | None = None

    def best(self, step: Rows, start: int = 1, rough: bool = False) -> Sums:
        """The best sum of each row over the rows that `step` leads to, from the next row on or the one after it."""
        rest, left, plain = self._rest(step)
        first = np.minimum(np.arange(self.count) + start, self.count)
        chain = self._chain(step, left, first, plain)
        whole = np.maximum(2, left[first])
        last = chain.shape[1] - 1
        wanted = rest[first] - self.plain
        size, rough_by = self.size, np.zeros(self.plain.shape)
        if rough:
            rough_by = self.settings.roughness * np.abs(self.plain)
            size = np.minimum(size, -np.log10(self.settings.roughness))
        widest = np.maximum(rough_by, self._slack(np.maximum(whole.max(), last + 1)) * self.unit)
        places, tellings = [], []
        for at, kind, column in self._near(rest, wanted, widest, chain, left, first):
            length = np.where(kind == last, whole[at], kind + 2)
            off = np.abs(rest[chain[at, kind], column] - wanted[at, column])
            equal = (off <= np.maximum(self._slack(length) * self.unit[column], rough_by[at, column])).nonzero()[0]
            at, kind, column, length = at[equal], kind[equal], column[equal], length[equal]
            tellings.append(np.maximum(0.0, size[at, column] - (np.log10(length) + self.settings.chance)))
            places.append(at * chain.shape[1] + kind)
        place = places[0] if len(places) == 1 else np.concatenate(places)
        if not len(place):
            return self._none()
        told = tellings[0] if len(places) == 1 else np.concatenate(tellings)
        digits, agreeing = np.bincount(place, told, chain.size), np.bincount(place, minlength=chain.size)
        row, kind = np.arange(self.count), digits.reshape(chain.shape).argmax(axis=1)
        place = row * chain.shape[1] + kind
        evidence = digits[place]
        found = evidence > 0
        return Sums(
            evidence,
            np.where(found, agreeing[place] / self.numbers, 0.0),
            np.where(found, np.where(kind == last, whole, kind + 2), 0).astype(np.int64),
            np.where(found, chain[row, kind], row + 1),
        )

    def _none(self) -> Sums:  # no row is a sum
        none = np.zeros(self.count)
        return Sums(none, none, none.astype(np.int64), np.arange(self.count) + 1)

    def _slack(self, length: Rows) -> Floats:
        """What a sum of so many parts may be off by, in steps of the last digit."""
        return np.asarray(self.settings.rounding + self.settings.drift * np.sqrt(length))

    def _near(
        self, rest: Floats, wanted: Floats, widest: Floats, chain: Rows, left: Rows, first: Rows
    ) -> Iterator[tuple[Rows, Rows, Rows]]:
        """Rows, lengths and columns whose sums may be near enough: found in order of size, but for few rows."""
        if chain.size <= _FEW:
            near = np.abs(rest[chain] - wanted[:, None]) <= widest[:, None]
            at, kind, column = np.nonzero(near & self.told[:, None] & (chain >= 0)[:, :, None])
            yield at, kind, column
            return
        order, low, high = _between(rest, wanted - widest, wanted + widest)
        found = np.where(self.told, high - low, 0)
        dense = found.sum(axis=0) > max(chain.size // 4, _MANY)  # a column of noughts, say: all are near
        found[:, dense] = 0
        column, row = (np.repeat(each, found.T.ravel()) for each in np.divmod(np.arange(found.size), self.count))
        before = np.repeat(found.T.ravel().cumsum() - found.T.ravel(), found.T.ravel())
        end = order[low[row, column] + np.arange(len(row)) - before, column]
        kind = left[first[row]] - left[end] - 2
        inside = (kind >= 0) & (kind < chain.shape[1] - 1)
        row, end, kind, column = row[inside], end[inside], kind[inside], column[inside]
        there = chain[row, kind] == end
        whole, of = np.nonzero(self.told & ~dense & (chain[:, -1:] >= 0))
        yield (
            np.concatenate([row[there], whole]),
            np.concatenate([kind[there], np.full(len(whole), chain.shape[1] - 1)]),
            np.concatenate([column[there], of]),
        )
        for number in np.flatnonzero(dense).tolist():
            at, kind = np.nonzero((chain >= 0) & self.told[:, number, None])
            yield at, kind, np.full(len(at), number)

    def _rest(self, step: Rows) -> tuple[Floats, Rows, bool]:
        """For each row the sum of all that `step` leads to, how many rows, and whether each leads to the next."""
        if self._held is None or self._held[0] is not step:
            plain = bool((step[:-1] == np.arange(1, self.count + 1)).all())
            self._held = step, (*self._add_up(step, plain), plain)
        return self._held[1]

    def _add_up(self, step: Rows, plain: bool) -> tuple[Floats, Rows]:
        rest = np.zeros((self.count + 1, self.plain.shape[1]))
        if plain:
            rest[:-1] = self.plain[::-1].cumsum(axis=0)[::-1]
            return rest, np.arange(self.count, -1, -1)
        rest[:-1] = self.plain
        left, jump = np.append(np.ones(self.count, dtype=np.intp), 0), step
        while (jump < self.count).any():  # twice as far each time
            rest, left, jump = rest + rest[jump], left + left[jump], jump[jump]
        rest, left = rest + rest[jump], left + left[jump]
        return rest, left

    def _chain(self, step: Rows, left: Rows, first: Rows, plain: bool) -> Rows:
        """(rows, lengths): the row just beyond 2, 3 ... parts, and beyond all the rest; -1 where there are too few."""
        second = step[first]
        whole = np.where(second < self.count, self.count, -1)
        if plain:
            before = second[:, None] + np.arange(min(self.reach - 1, self.count - int(second.min())))
            return np.column_stack([np.where(before >= self.count, -1, before + 1), whole])
        longest = min(self.reach - 1, int(left[second].max()))
        reached, jump = second[:, None], step
        while reached.shape[1] <= longest:  # twice as far each time
            reached, jump = np.column_stack([reached, jump[reached]]), jump[jump]
        number = np.arange(1, longest + 1)
        return np.column_stack([np.where(number <= left[second, None], reached[:, 1 : longest + 1], -1), whole])


Feature = Callable[[RowView], Column]
Direction = Callable[[FoundSums], Sums]

MOST_EVIDENCE = 30  # in half digits
SURE = 2.0  # digits of evidence that make a sum worth counting
HALF = 0.5
COMPARED = 12  # columns looked at for larger numbers
NEARLY_ALL = 0.8
REACH = 8  # neighbours looked at


def after(found: FoundSums) -> Sums:
    return found.after


def before(found: FoundSums) -> Sums:
    return found.before


def better(found: FoundSums) -> Sums:
    return found.after.better(found.before)


def roughly_better(found: FoundSums) -> Sums:
    return found.rough_after.better(found.rough_before)


def found_sums(view: RowView) -> FoundSums:
    return view.once("sums", lambda: find_sums(view.amount[view.valued][:, view.value_columns]))


def on_all_rows(view: RowView, told: NDArray[Any]) -> Column:  # what is told of the valued rows; nought for the others
    result = np.zeros(len(view))
    result[view.valued] = told
    return result


def evidence(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, at_most(np.round(2 * which(found_sums(view)).evidence), MOST_EVIDENCE))


def agreement(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, share(which(found_sums(view)).share, 1))


def parts(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, at_most(which(found_sums(view)).parts, 20))


def known_sum(known: float, feature: Feature) -> Feature:
    """A feature of sums, for which a row that adds up others by formula is as sure as can be."""
    return lambda view: np.where(view.added_up, known, feature(view))


def is_sum(view: RowView, which: Direction) -> Bools:
    return np.asarray((on_all_rows(view, which(found_sums(view)).evidence) >= SURE) | view.added_up)


def look_sums(which: Direction) -> Feature:  # the share of the valued rows with the same look that are sums

    def feature(view: RowView) -> Column:
        look = view.look_kind
        total = np.bincount(look, weights=is_sum(view, which))
        return share(total[look], np.bincount(look, weights=view.valued)[look])

    return feature


def named_as_sum(view: RowView) -> Column:  # how often a row with the same label is a sum
    times: dict[str, list[int]] = {}
    for label, found in zip(view.first_labels, is_sum(view, better).tolist(), strict=True):
        counts = times.setdefault(label, [0, 0])
        counts[0] += 1
        counts[1] += found
    return np.array([round(10 * times[label][1] / times[label][0]) for label in view.first_labels], dtype=np.float64)


def part_depth(view: RowView) -> Column:  # how many totals above a row lies among the parts of
    told = found_sums(view).after
    count = len(told.end)
    sure = np.flatnonzero((told.evidence >= SURE) & (told.share >= HALF))
    edges = np.bincount(sure + 1, minlength=count + 1) - np.bincount(told.end[sure], minlength=count + 1)
    return on_all_rows(view, at_most(np.cumsum(edges)[:count], 4))


def shape(view: RowView) -> Column:
    """How a total stands to its parts below: 1, and 1 for another look, 2 for less indent, 4 for a border after."""
    told = found_sums(view).after
    count = len(told.end)
    if not count:
        return np.zeros(len(view))
    first = np.minimum(np.arange(count) + 1, count - 1)
    beyond = np.minimum(told.end, count - 1)
    looks, depth = view.look_number[view.valued], view.indent[view.valued]
    apart = (np.diff(np.flatnonzero(view.valued), prepend=-2) > 1) | (view.gap[view.valued] > 0)
    border = (told.end >= count) | apart[beyond] | (depth[beyond] < depth[first]) | (looks[beyond] == looks)
    told_shape = 1 + (looks[first] != looks) + 2 * (depth[first] > depth) + 4 * border
    return on_all_rows(view, np.where(told.parts > 0, told_shape, 0))


def larger_than(direction: int) -> Feature:  # how many neighbours in a row have smaller numbers, in nearly all columns

    def feature(view: RowView) -> Column:
        amount = view.amount[view.valued][:, view.value_columns][:, :COMPARED]
        amount = amount[::direction]
        there = ~np.isnan(amount)
        run, live = np.zeros(len(amount)), np.ones(len(amount), dtype=bool)
        for offset in range(1, min(REACH + 1, len(amount))):
            told = (there[:-offset] & there[offset:]).sum(axis=1)
            larger = (amount[:-offset] >= amount[offset:]).sum(axis=1)
            live[-offset:] = False
            live[:-offset] &= (larger >= NEARLY_ALL * told) & (told > 0)
            if not live.any():
                break
            run += live
        run = run[::direction]
        return on_all_rows(view, run)

    return feature


TOTAL_FEATURES: dict[str, Feature] = {
    "sum after evidence": evidence(after),
    "sum after share": agreement(after),
    "sum after parts": parts(after),
    "sum after shape": shape,
    "sum before evidence": evidence(before),
    "sum before share": agreement(before),
    "sum before parts": parts(before),
    "sum evidence": known_sum(MOST_EVIDENCE, evidence(better)),
    "sum share": known_sum(10, agreement(better)),
    "rough sum evidence": known_sum(MOST_EVIDENCE, evidence(roughly_better)),
    "rough sum share": known_sum(10, agreement(roughly_better)),
    "look sums after": look_sums(after),
    "look sums before": look_sums(before),
    "named as sum": named_as_sum,
    "part depth": part_depth,
    "larger than next": larger_than(1),
    "larger than last": larger_than(-1),
}
