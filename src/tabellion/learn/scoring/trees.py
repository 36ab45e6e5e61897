"""Scoring header trees: labels with their values and their parents (troy200), trees of statistics (stattrees).

troy200
  entries      tuple addresses against gold entries; tuples with value null (marks
               for missing values, which the gold leaves out) are passed over.
  labels       label cells against gold labels.
  entry_label  pairs (value, label): for a tuple every cell in top_cells and
               left_cells; in the gold the entry's labels and all their ancestors.
  entry_label_nearest  the same without ancestors: gold as it stands; of a tuple's
               label cells those that are no ancestor, by the predicted trees, of
               another of its label cells.
  label_label  edges of both trees; label_label_top, label_label_left apart.
  perfect      tables where the set of (value, its closed label set) is exactly gold's.
  lines        as for saus-lines, on the tables that have line classes.

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
from collections import Counter, defaultdict
from typing import Any

from tabellion.learn.scoring.readings import (
    Classes,
    Json,
    Tally,
    ancestors,
    edges,
    first_cells,
    held,
    label_cells,
    ratio,
    roles_of_rows,
    tables_on,
)
from tabellion.model.place import address, cell_at, common_share, rect_at

LINE_CLASS = {
    "title": "metadata",
    "header": "header",
    "group": "group",
    "data": "data",
    "derived": "derived",
    "note": "notes",
}


def troy_gold(gold: Json) -> dict[str, Any]:
    side = {
        axis: {(x["parent"], x["address"]) for x in gold["labels"] if x["parent"] and x["axis"] == axis}
        for axis in ("top", "left")
    }
    above = ancestors(side["top"] | side["left"])
    near = {e["address"]: set(e["labels"]) for e in gold["entries"]}
    closed = {value: labels.union(*map(above, labels)) for value, labels in near.items()}
    return {"side": side, "near": near, "closed": closed, "labels": {x["address"] for x in gold["labels"]}}


def troy_found(tables: list[Json]) -> dict[str, Any]:
    side: dict[str, set[Any]] = {"top": set(), "left": set()}
    labels: set[str] = set()
    near: dict[str, set[Any]] = defaultdict(set)
    closed: dict[str, set[Any]] = defaultdict(set)
    for table in tables:
        home = first_cells(table)
        trees = {s: edges(table, s, home) for s in side}
        for s in side:
            side[s] |= {(address(*a), address(*b)) for a, b in trees[s]}
        labels |= {address(*c) for c in label_cells(table, home)}
        above = ancestors(trees["top"] | trees["left"])
        for one in table.get("tuples") or []:
            if "value" in one and one["value"] is None:
                continue  # a mark for a missing value: the gold has no entry there
            value = one.get("address") or address(one["row"], one["column"])
            cells = set(held(one.get("top_cells"), home)) | set(held(one.get("left_cells"), home))
            upper = set().union(*map(above, cells)) if cells else set()
            closed[value] |= {address(*c) for c in cells}
            near[value] |= {address(*c) for c in cells - upper}
    return {"side": side, "near": near, "closed": closed, "labels": labels}


def pairs_of(links: dict[str, set[Any]]) -> set[tuple[str, str]]:
    return {(value, label) for value, labels in links.items() for label in labels}


def score_troy(golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    names = (
        "entries",
        "labels",
        "entry_label",
        "entry_label_nearest",
        "label_label",
        "label_label_top",
        "label_label_left",
    )
    tally = {n: Tally() for n in names}
    lines, perfect = LineScores(), 0
    for case in golds:
        tables = tables_on(docs[case["file"]], case["sheet"])
        gold, found = troy_gold(case), troy_found(tables)
        tally["entries"].add(found["closed"], gold["closed"])
        tally["labels"].add(found["labels"], gold["labels"])
        tally["entry_label"].add(pairs_of(found["closed"]), pairs_of(gold["closed"]))
        tally["entry_label_nearest"].add(pairs_of(found["near"]), pairs_of(gold["near"]))
        tally["label_label"].add(
            found["side"]["top"] | found["side"]["left"], gold["side"]["top"] | gold["side"]["left"]
        )
        for axis in ("top", "left"):
            tally[f"label_label_{axis}"].add(found["side"][axis], gold["side"][axis])
        perfect += found["closed"] == gold["closed"]
        if case["lines"] is not None:
            lines.add(tables, {int(i): kind for i, kind in case["lines"].items()})
    return {
        **{n: t.scores() for n, t in tally.items()},
        "perfect": perfect,
        "perfect_share": round(ratio(perfect, len(golds)), 4),
        **lines.scores(),
    }


class LineScores:
    """Line classes, in six and in four."""

    def __init__(self) -> None:
        self.six, self.four = Classes(), Classes()
        self.wrong: list[int] = []

    def add(self, tables: list[Json], gold: dict[int, str]) -> None:
        roles = roles_of_rows(tables)
        wrong = 0
        for row, kind in gold.items():
            found = LINE_CLASS.get(roles.get(row, ""))
            self.six.add(found, kind)
            four = "data" if found in ("group", "derived") else found
            true = "data" if kind in ("group", "derived") else kind
            self.four.add(four, true)
            wrong += four != true
        self.wrong.append(wrong)

    def scores(self) -> dict[str, Any]:
        return {
            "lines": self.six.scores(),
            "lines4": {
                **self.four.scores(),
                "errors_per_sheet": round(statistics.fmean(self.wrong), 3) if self.wrong else 0.0,
            },
        }


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


def pairs_right(case: Json, tables: list[Json]) -> bool:
    """Whether tables say all pairs of both sides, and no other."""
    gold: Pairs = {"left": label_rows_above(case), "top": {tuple(pair) for pair in case["top"]}}
    return _found_pairs(case, tables)[0] == gold


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
