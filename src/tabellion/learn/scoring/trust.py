"""How far the confidence of readings can be trusted: of those that are thought sure, how many are wholly right.

In: the gold of a corpus and lines of the output contract. Out: `tables` (readings that were judged), `right` (the share
that is wholly right), `sure` (how many have a confidence of .9 and more), `right_where_sure`, and for each tenth of
confidence how many were right of how many. What is not found has no confidence and is not judged here.

Wholly right is
  statsheets, fuste, sheetcuts  a table whose range is one of the gold's, and its header rows where the gold knows them;
  troy200                       a sheet on which every value has all its labels, and no other;
  stattrees                     a table whose header rows and both trees are the gold's;
  saus-lines                    a sheet each line of which is told to be what it is, in four classes;
  hitab-top, senbazuru-left     a sheet whose top tree, or left pairs, are the gold's;
  webtables                     (in `web`) a data table with the gold's header rows, every value of which has all
                                labels above and beside it; a title that the grid holds above the head is no header
                                row, the name of a group no value. One that the gold calls layout is wrong. Judged where
                                the gold is sure.
The confidence of a sheet with several tables is the least of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tabellion.learn.scoring.readings import Json, edges, first_cells, tables_on
from tabellion.learn.scoring.trees import LineScores, pairs_right, troy_found, troy_gold
from tabellion.model.place import address, common_share, range_text, rect_at

SURE = 0.9
Verdict = tuple[float, bool]
"""A confidence, and whether the reading is wholly right."""


def trust(corpus: str, golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    """The figures of a corpus, by the name of its scorer; none where it has no whole readings to judge."""
    judge = JUDGES.get(corpus)
    if judge is None:
        return {}
    verdicts = [
        verdict
        for gold in golds
        if gold.get("scored", True)
        for verdict in judge(gold, _rated(tables_on(docs.get(gold["file"]) or {}, gold.get("sheet"))))
    ]
    return tell_trust(verdicts)


def tell_trust(verdicts: list[Verdict]) -> dict[str, Any]:
    """The figures of judged readings.

    >>> tell_trust([(0.95, True), (0.92, False), (0.4, True)])["right_where_sure"]
    0.5
    """
    sure = [right for confidence, right in verdicts if confidence >= SURE]
    tenths: dict[int, list[bool]] = {}
    for confidence, right in verdicts:
        tenths.setdefault(min(int(10 * confidence), 9), []).append(right)
    return {
        "tables": len(verdicts),
        "right": _share([right for _, right in verdicts]),
        "sure": len(sure),
        "right_where_sure": _share(sure),
        "tenths": {f".{tenth}": f"{sum(rights)} of {len(rights)}" for tenth, rights in sorted(tenths.items())},
    }


def _rated(tables: list[Json]) -> list[Json]:
    """The tables of a sheet; none where one of them has no confidence: other programs' lines need not tell it."""
    return tables if all(table.get("confidence") is not None for table in tables) else []


def _share(rights: list[bool]) -> float | None:
    return round(sum(rights) / len(rights), 4) if rights else None


def judge_ranges(gold: Json, tables: list[Json]) -> Iterator[Verdict]:
    heads = {range_text(rect_at(part["range"])): part["header_rows"] for part in gold.get("parts", ())}
    known = {range_text(rect_at(text)) for text in gold["tables"]}
    for table in tables:
        area = range_text(rect_at(table["place"]["range"]))
        yield table["confidence"], area in known and heads.get(area) in (None, table["header_rows"])


def _judge_sheet(is_right: Callable[[Json, list[Json]], bool]) -> Callable[[Json, list[Json]], Iterator[Verdict]]:
    """A judge of all that a sheet holds together."""

    def judge(gold: Json, tables: list[Json]) -> Iterator[Verdict]:
        if tables:
            yield min(table["confidence"] for table in tables), is_right(gold, tables)

    return judge


def judge_trees(gold: Json, tables: list[Json]) -> Iterator[Verdict]:
    area = rect_at(gold["range"])
    placed = [table for table in tables if (table.get("place") or {}).get("range")]
    if placed:
        mine = max(placed, key=lambda table: common_share(rect_at(table["place"]["range"]), area))
        yield mine["confidence"], mine["header_rows"] == gold["header_rows"] and pairs_right(gold, tables)


def _labels_right(gold: Json, tables: list[Json]) -> bool:
    return bool(troy_found(tables)["closed"] == troy_gold(gold)["closed"])


def _lines_right(gold: Json, tables: list[Json]) -> bool:
    lines = LineScores()
    lines.add(tables, {row: kind for row, kind in enumerate(gold["lines"]) if kind})
    return lines.wrong == [0]


def _top_right(gold: Json, tables: list[Json]) -> bool:
    found = {(address(*a), address(*b)) for one in tables for a, b in edges(one, "top", first_cells(one))}
    return found == {tuple(pair) for pair in gold["top"]}


def _left_right(gold: Json, tables: list[Json]) -> bool:
    top, _, bottom, _ = rect_at(gold["range"])
    inside = range(top, bottom + 1)
    pairs = {(a[0], b[0]) for one in tables for a, b in edges(one, "left", first_cells(one)) if a[0] != b[0]}
    found = {(a, b) for a, b in pairs if a != gold["root_row"] and (a in inside or b in inside)}
    return found == {tuple(pair) for pair in gold["pairs"]}


JUDGES: dict[str, Callable[[Json, list[Json]], Iterator[Verdict]]] = {
    "statsheets": judge_ranges,
    "stattrees": judge_trees,
    "troy200": _judge_sheet(_labels_right),
    "saus-lines": _judge_sheet(_lines_right),
    "hitab-top": _judge_sheet(_top_right),
    "senbazuru-left": _judge_sheet(_left_right),
}
"""By the name of a corpus' scorer: fuste and sheetcuts are scored as statsheets."""
