"""The labels of a strand as the hierarchy extractor sees them: one array per property.

In: a frame and a strand. Out: `Attributes` (the paper's word for header cells, section 2.1): looks, words, and the
values of each label's row. `look` numbers the formatting styles, so that two labels look alike where it is equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any
from unicodedata import combining, normalize

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.frame import Frame
from tabellion.model.grid import Content, Grid
from tabellion.model.style import Style
from tabellion.nest.stub import Strand
from tabellion.nest.wording import Wording, read_wordings
from tabellion.patterns import lazy_pattern

SUMMED_COLUMNS = 6  # value columns whose numbers are compared and added up: enough to tell, cheap on wide sheets
USUALLY_FILLED = 0.7  # a column filled in this share of the rows
FIRST_COLUMNS = 3  # of those, the columns that a row with values fills
LEAST_SORTED = 6  # labels in the order of the alphabet that are no chance
LEAST_NUMBERED = 3  # the same of numbers
MOST_LACKING = 2  # rows without values, one after the other, that are no headings
SLIPS = 0.1  # the share of neighbours out of order that a long sorted list may have
FEW_VALUES = 0.4  # of the typical number of values in a row
_NUMBER, _AGGREGATE = int(Content.NUMBER), int(Mark.AGGREGATE)  # numpy is slow to ask an enumeration
SINGLE_BLANK = 0.5  # steps that one blank indents
LEAST_LABELS = 3  # of a strand in which a single one may be indented by a slip
_LAST_NUMBER = lazy_pattern(r"(\d{1,4})([^\W\d_]?)$")  # with a letter behind it, as in years of some scripts
FIRST_RAISED = 2  # labels that may head all the rest from a deeper indent: more are a list

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]
Indices = NDArray[np.intp]


ROOT = -1


Pairs = tuple[Indices, Indices]


class Attributes(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Parallel arrays, one entry per label, in reading order.

    They may be those of several strands one after the other (`join_strands`): looks and wordings are then numbered
    apart, and `first` tells where each strand begins.
    """

    row: Indices
    indent: Numbers  # that of a raised label is the indent of what it heads
    raised: Numbers  # the own indent of a heading that is indented deeper than what it heads, else 0
    bold: Flags
    italic: Flags
    underline: Flags
    centred: Flags
    size: Numbers
    fill: Indices
    spanning: Flags
    group: Flags  # a label whose row has no values
    bold_values: Flags
    gap: Indices  # blank rows between the label before and this one
    border: Flags  # a line above
    first: Flags  # of its strand
    last: Flags
    values: Numbers  # (labels, some value columns), NaN where there is no number
    formula: Flags  # most of its values add up or average others, as formulas of the source
    look: Indices
    wordings: tuple[Wording, ...]
    wording: Indices  # which of `wordings` is the label's: equal for equal texts

    def __len__(self) -> int:
        return len(self.row)

    def told(self, name: str) -> list[Any]:
        """One fact of the wording of every label, as a list: short strands are gone through label by label."""
        facts = [getattr(w, name) for w in self.wordings]
        return [facts[which] for which in self.wording.tolist()]

    def said(self, name: str) -> NDArray[Any]:
        """The same as an array: `attributes.said("only_total")`."""
        memory: dict[str, NDArray[Any]] = self.__dict__
        if name not in memory:
            memory[name] = np.array([getattr(w, name) for w in self.wordings])[self.wording]
        return memory[name]


def read_attributes(frame: Frame, strand: Strand) -> Attributes:
    """The properties of a strand's labels. Values and bold speak for the leading strand of a stub only."""
    grid = frame.grid
    row, column = strand.row, strand.column
    style = grid.style[row, column]
    values = np.asarray(frame.value_columns, dtype=np.intp)
    wordings, wording = read_wordings(grid.label[row, column].tolist())
    beside = (strand.value_rows(frame)[:, None], values)
    filled = grid.filled[beside] & (values != column[:, None])
    bold_cells = grid.by_style("bold")[grid.style[beside]] & filled
    counted = np.add.reduce(filled, axis=1, dtype=np.intp)
    indent = _without_slip(grid.indent[row, column].astype(np.float64) + 2.0 * strand.step, counted)
    indent = _counted_on(indent, grid.label[row, column].tolist(), counted)
    plain = looks_of([indent, style])
    group = _without_values(filled, counted) & strand.leads
    gap = _gaps(strand)
    if group.any():
        told = [wordings[which] for which in wording.tolist()]
        letters = [grid.by_style(name)[style] for name in ("bold", "italic", "underline", "size", "align")]
        look = looks_of([indent, *letters, _numbered([s.fill for s in grid.styles])[style]])
        group &= ~_lack_values(group, plain, told, grid.label[row, column])
        group &= ~_one_of_a_list(group, look, told, wording.tolist(), gap)
    parts: dict[str, NDArray[Any]] = {
        "indent": indent,
        "bold": grid.by_style("bold")[style] & strand.leads,
        "italic": grid.by_style("italic")[style],
        "underline": grid.by_style("underline")[style],
        "centred": _is_centred(grid.styles)[style],
        "size": grid.by_style("size")[style].astype(np.float64),
        "group": group,
        "spanning": _reach_values(grid, row, column, values),
        "bold_values": (2 * np.add.reduce(bold_cells, axis=1, dtype=np.intp) > counted) & strand.leads,
    }
    capitals, only_total = (
        np.array([getattr(w, name) for w in wordings], dtype=bool)[wording] for name in ("capitals", "only_total")
    )
    raised = _raised(indent, parts["bold"] | parts["bold_values"], only_total, gap) & strand.leads
    parts["indent"] = _lowered(indent, raised)
    parts["raised"] = np.where(raised, indent, 0.0)
    look = looks_of([*parts.values(), capitals & (parts["bold"] | group)])
    return Attributes(
        row=row,
        **parts,
        fill=_numbered([s.fill for s in grid.styles])[style],
        gap=gap,
        border=grid.by_style("border_top")[style]
        | grid.by_style("border_bottom")[grid.style[np.maximum(row - 1, 0), column]],
        first=np.arange(len(row)) == 0,
        last=np.arange(len(row)) == len(row) - 1,
        values=_numbers(grid, *beside),
        formula=2 * ((grid.marks[beside] & _AGGREGATE) > 0).sum(axis=1) > counted,
        look=look,
        wordings=tuple(wordings),
        wording=wording,
    )


def join_strands(strands: Sequence[Attributes]) -> Attributes:
    """The labels of several strands one after the other."""
    looks = _offsets([int(one.look.max(initial=-1)) + 1 for one in strands])
    wordings = _offsets([len(one.wordings) for one in strands])
    joined: dict[str, Any] = {
        "look": np.concatenate([one.look + before for one, before in zip(strands, looks, strict=True)]),
        "wording": np.concatenate([one.wording + before for one, before in zip(strands, wordings, strict=True)]),
        "wordings": tuple(chain.from_iterable(one.wordings for one in strands)),
        "values": np.concatenate([_widened(one.values) for one in strands]),
    }
    for name in Attributes.__struct_fields__:
        if name not in joined:
            joined[name] = np.concatenate([getattr(one, name) for one in strands])
    return Attributes(**joined)


def _offsets(counts: list[int]) -> list[int]:
    return list(accumulate(counts, initial=0))[:-1]


def _widened(values: Numbers) -> Numbers:
    """Values with as many columns as any strand has, none known in those that it lacks."""
    wide = np.full((len(values), SUMMED_COLUMNS), np.nan)
    wide[:, : values.shape[1]] = values
    return wide


def _gaps(strand: Strand) -> Indices:
    """Rows between each label and the last row of the one before."""
    last = strand.row.copy()
    for place, more in strand.more.items():
        last[place] = more[-1]
    return np.concatenate([strand.row[:1] * 0, strand.row[1:] - last[:-1] - 1])


def _without_slip(indent: Numbers, counted: Indices) -> Numbers:
    """Indents but a single blank before one label alone, below one that has values: a slip of the hand."""
    deep = np.flatnonzero(indent)
    if len(deep) != 1 or len(indent) < LEAST_LABELS or indent[deep[0]] > SINGLE_BLANK:
        return indent
    return np.zeros_like(indent) if deep[0] and counted[deep[0] - 1] else indent


def _counted_on(indent: Numbers, texts: list[str], counted: Indices) -> Numbers:
    """Indents but those of bare numbers that count on from a label with values: "Showa 5", "  10", "  15"."""
    if not indent.any():
        return indent
    result = indent.copy()
    first, number, sign = -1, 0, ""  # the label that they count on from, the last number and what stands behind it
    for here, text in enumerate(texts):
        said = _LAST_NUMBER.search(text) if counted[here] else None
        bare = said is not None and said[0] == text
        if said and bare and first >= 0 and said[2] in ("", sign) and int(said[1]) > number:
            number = int(said[1])
            result[here] = min(indent[here], indent[first])
        elif said and not bare:
            first, number, sign = here, int(said[1]), said[2]
        else:
            first = -1
    return result


def _raised(indent: Numbers, heavy: Flags, only_total: Flags, gap: Indices) -> Flags:
    """Headings that are indented deeper than what they head: "    Total smokers" over "Male".

    The first labels are, where deeper than what follows. Others are deeper than their neighbours (or follow another
    such), and bold over one that is not, or a bare total, or as deep as the first and as bold or after a blank row.
    """
    count = len(indent)
    raised = np.zeros(count, dtype=bool)
    deep, thick, total = indent.tolist(), heavy.tolist(), only_total.tolist()
    alike = next((n for n in range(count) if deep[n] != deep[0]), count)
    raised[:alike] = alike <= FIRST_RAISED and alike < count and deep[alike] < deep[0]
    for here in range(alike, count - 1):
        as_bold = thick[here] == thick[0] or gap[here] > 0
        like_first = bool(raised[0]) and deep[here] == deep[0] and as_bold
        stands_out = (
            deep[here - 1] < deep[here] or raised[here - 1] or (like_first and thick[here] and not thick[here - 1])
        )
        if deep[here + 1] >= deep[here] or not stands_out:
            continue
        raised[here] = total[here] or (thick[here] and not thick[here + 1]) or like_first
    return raised


def _lowered(indent: Numbers, raised: Flags) -> Numbers:
    """The indent of a raised label is that of the next label which is not."""
    if not raised.any():
        return indent
    result = indent.tolist()
    for here in np.nonzero(raised)[0][::-1].tolist():
        result[here] = result[here + 1]
    return np.array(result, dtype=np.float64)


def _reach_values(grid: Grid, row: Indices, column: Indices, values: Indices) -> Flags:
    """Labels that are merged into the value columns or stand there."""
    among = np.zeros(grid.shape[1], dtype=bool)
    among[values] = True
    reach = among[column]
    spans = grid.span_at
    if spans and len(values):
        first = int(values.min())
        for place, cell in enumerate(zip(row.tolist(), column.tolist(), strict=True)):
            across = spans.get(cell, (1, 1))[1]
            reach[place] |= across > 1 and cell[1] + across > first
    return np.asarray(reach)


def _without_values(filled: Flags, counted: Indices) -> Flags:
    """Rows without values, or with few, and none where values usually begin: what stands there is beside the table."""
    some = np.sort(counted[counted > 0])
    if not len(some):
        return np.asarray(counted == 0)
    typical = (some[(len(some) - 1) // 2] + some[len(some) // 2]) / 2
    few = counted <= FEW_VALUES * typical
    if not few.any():
        return np.asarray(few)
    usual = np.flatnonzero(filled.sum(axis=0) / len(filled) >= USUALLY_FILLED)[:FIRST_COLUMNS]
    return np.asarray((counted == 0) | (few & ~filled[:, usual].any(axis=1) & (len(usual) > 0)))


def _lack_values(group: Flags, look: Indices, wordings: list[Wording], texts: NDArray[Any]) -> Flags:
    """Rows without values in the middle of a list: like the rows around them, and numbered or sorted with them."""
    lacking = np.zeros(len(group), dtype=bool)
    starts = np.flatnonzero(np.diff(look, prepend=-1))
    run = np.searchsorted(starts, np.arange(len(look)), side="right") - 1
    bounds = [*starts.tolist(), len(look)]
    in_order = {number: _is_sorted(texts[bounds[number] : bounds[number + 1]]) for number in set(run[group].tolist())}
    for here in np.flatnonzero(group)[::-1].tolist():
        first, end = bounds[run[here]], bounds[run[here] + 1]
        if here + 1 == end or (here == first and not lacking[here + 1]):
            continue
        before, item, after = (wordings[max(place, first)].item for place in (here - 1, here, here + 1))
        if before and item and after and before.kind == item.kind == after.kind:
            lacking[here] = before.number + 1 == item.number == after.number - 1
        else:
            lacking[here] = in_order[int(run[here])] and _in_order(texts[max(here - 1, first) : here + 2])
    return lacking


def _one_of_a_list(group: Flags, look: Indices, wordings: list[Wording], texts: list[int], gap: Indices) -> Flags:
    """Rows without values that look just as the rows around them, which have some: more of their list.

    They stand between two such rows, or the same words have values elsewhere. A heading stands out, by its look,
    capitals, a colon or a blank row above it. Where no label of the strand stands out by its look, nothing tells,
    unless the list begins with two rows that have values, below a total or not.
    """
    lacking = np.zeros(len(group), dtype=bool)
    alike = [(shape, words.capitals) for shape, words in zip(look.tolist(), wordings, strict=True)]
    first = int(wordings[0].has_total)
    if len(set(alike)) == 1 and group[: first + 2].any():
        return lacking
    valued = {(shape, text) for shape, text, empty in zip(alike, texts, group, strict=True) if not empty}
    here = 0
    while here < len(group) - 1:
        after = here
        while after < len(group) and group[after]:
            after += 1
        if here < after < min(len(group), here + MOST_LACKING + 1):
            again = all((alike[at], texts[at]) in valued for at in range(here, after)) and bool(look.any())
            before = here if again else here - 1
            whole = before >= 0 and len(set(alike[before : after + 1])) == 1 and not gap[here + 1 : after + 1].any()
            heads = any(words.colon for words in wordings[here:after]) or (bool(gap[here]) and not again)
            lacking[here:after] = whole and not heads
        here = after + 1
    return lacking


def _is_sorted(texts: NDArray[Any]) -> bool:
    """Whether a list is sorted: nearly all of many names, or all of three numbers or more."""
    named = [_sort_key(str(text)) for text in texts]
    if len(named) >= LEAST_NUMBERED and all(number is not None for number, _ in named):
        return _in_order(texts)
    slips = sum(one >= after for (_, one), (_, after) in pairwise(named))
    return len(named) >= LEAST_SORTED and slips <= SLIPS * (len(named) - LEAST_SORTED)


def _in_order(texts: NDArray[Any]) -> bool:
    """Whether each of some texts comes after the one before; numbers, where all are some, may go down as well."""
    named = [_sort_key(str(text)) for text in texts]
    numbers = [number for number, _ in named if number is not None]
    if len(numbers) == len(named):
        steps = np.diff(np.array(numbers, dtype=np.float64))
        return bool((steps > 0).all() or (steps < 0).all())
    return all(one < after for (_, one), (_, after) in pairwise(named))


def _sort_key(text: str) -> tuple[int | None, str]:
    """The number that a text is, if any, and its letters without accents."""
    bare = "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))
    return int(bare) if bare.isascii() and bare.isdigit() else None, bare


def _numbers(grid: Grid, row: Indices, values: Indices) -> Numbers:
    """The numbers of the first columns that are mostly numbers."""
    chosen = values[: 4 * SUMMED_COLUMNS]
    numeric = grid.content[row, chosen] == _NUMBER
    if len(chosen) > SUMMED_COLUMNS:
        most = np.sort(np.argsort(-numeric.sum(axis=0), kind="stable")[:SUMMED_COLUMNS])
        chosen, numeric = chosen[most], numeric[:, most]
    return np.where(numeric, grid.number[row, chosen], np.nan)


def _is_centred(styles: tuple[Style, ...]) -> Flags:
    return np.array([s.align is not None and s.align.startswith("cent") for s in styles], dtype=bool)


def _numbered(things: list[Any]) -> Indices:
    known: dict[Any, int] = {}
    return np.array([known.setdefault(thing, len(known)) for thing in things], dtype=np.intp)


def looks_of(properties: list[NDArray[Any]]) -> Indices:
    """A number for each distinct combination of properties, in order of first appearance."""
    if not len(properties[0]):
        return np.zeros(0, dtype=np.intp)
    known: dict[tuple[Any, ...], int] = {}
    alike = zip(*(each.tolist() for each in properties), strict=True)
    return np.fromiter((known.setdefault(one, len(known)) for one in alike), dtype=np.intp, count=len(properties[0]))
