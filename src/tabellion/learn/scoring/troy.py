"""Scoring readings of troy200: values with their labels, labels with their parents, and classes of lines.

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
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from tabellion.learn.scoring.counting import Classes, Tally, ratio
from tabellion.learn.scoring.readings import (
    Json,
    ancestors,
    edges,
    first_cells,
    held,
    label_cells,
    roles_of_rows,
    tables_on,
)
from tabellion.model.place import address

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
