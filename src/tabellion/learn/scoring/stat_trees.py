"""Scoring the header trees of statistical tables.

stattrees
  left         what the tuples say: pairs (row of a label in left_cells, row of the
               value), rows different, both below the header rows of the range;
               against all ancestors of the gold's labels that have values.
  top          edges of `top` (first cells) whose child lies in the range.
  left_by_table, top_by_table  F1 of each table, averaged (no table outweighs others).
  header_rows, stub_columns  share of tables where `header_rows` and `header_columns`
               of the table that overlaps the range most are exactly the gold's.
  right_share  tables with left, top and header_rows all right.
  empty_kept   gold rows of data without any value that have no children.

"""

from __future__ import annotations

import statistics
from collections import Counter
from typing import Any

from tabellion.learn.scoring.counting import Tally
from tabellion.learn.scoring.readings import Json, edges, first_cells, held, tables_on
from tabellion.model.place import address, cell_at, common_share, rect_at


def label_rows_above(case: Json) -> set[tuple[int, int]]:
    """(row of an ancestor's label, row of a label with values), from the gold's pairs."""
    parent = {child: up for up, child in case["left"]}
    found = set()
    for child in set(parent) - set(case["groups"]) - set(case["empty"]):
        up = parent.get(child)
        while up is not None:
            found.add((up - 1, child - 1))
            up = parent.get(up)
    return found


Pairs = dict[str, set[Any]]


def score_stattrees(golds: list[Json], docs: dict[str, Json]) -> Json:
    tally = {"left": Tally(), "top": Tally(), "both": Tally()}
    shares: dict[str, list[float]] = {"left": [], "top": []}
    counts: Counter[str] = Counter()
    for case in golds:
        tables = tables_on(docs[case["file"]], case["sheet"])
        found, uppers = _found_pairs(case, tables)
        gold: Pairs = {"left": label_rows_above(case), "top": {tuple(pair) for pair in case["top"]}}
        for side in ("left", "top"):
            tally[side].add(found[side], gold[side])
            one_case = Tally()
            one_case.add(found[side], gold[side])
            shares[side].append(one_case.scores()["f1"])
        tally["both"].add({(s, *p) for s in found for p in found[s]}, {(s, *p) for s in gold for p in gold[s]})
        placed = [t for t in tables if (t.get("place") or {}).get("range")]
        area = rect_at(case["range"])
        mine = max(placed, key=lambda t: common_share(rect_at(t["place"]["range"]), area), default={})
        heads = mine.get("header_rows") == case["header_rows"]
        stubs = mine.get("header_columns") == case["stub_columns"]
        counts.update(heads=heads, stubs=stubs, right=heads and found == gold)
        counts.update(empty=len(case["empty"]), empty_wrong=sum(row - 1 in uppers for row in case["empty"]))
    mean = {side: round(statistics.fmean(values), 4) for side, values in shares.items()}
    return {
        **{name: t.scores() for name, t in tally.items()},
        "left_by_table": mean["left"],
        "top_by_table": mean["top"],
        "header_rows": round(counts["heads"] / len(golds), 4),
        "stub_columns": round(counts["stubs"] / len(golds), 4),
        "right_share": round(counts["right"] / len(golds), 4),
        "empty_kept": round(1 - counts["empty_wrong"] / counts["empty"], 4) if counts["empty"] else 1.0,
    }


def _found_pairs(case: Json, tables: list[Json]) -> tuple[Pairs, set[int]]:
    """The pairs of both sides that tables say, and the rows of labels above some value."""
    top, first, bottom, last = rect_at(case["range"])
    body, columns = range(top + case["header_rows"], bottom + 1), range(first, last + 1)
    # a label that was joined from several cells is named by its first cell
    pieces = {cell_at(b): cell_at(a) for a, b in case["joined"] if cell_at(a)[0] in body}
    known = {row - 1 for pair in case["left"] for row in pair}
    moved = {b[0]: a[0] for b, a in pieces.items() if b[0] not in known and a[0] in known}
    found: Pairs = {"left": set(), "top": set()}
    uppers: set[int] = set()
    for table in tables:
        home = first_cells(table)
        found["top"] |= {
            (address(*a), address(*b))
            for a, b in edges(table, "top", home)
            if b[0] in range(top, bottom + 1) and b[1] in columns
        }
        for one in table.get("tuples") or []:
            row = moved.get(one["row"], one["row"])
            above = {pieces.get(cell, cell)[0] for cell in held(one.get("left_cells"), home)} - {row}
            found["left"] |= {(up, row) for up in above if up in body and row in body and one["column"] in columns}
            uppers |= above
    return found, uppers
