"""Scoring readings of spreadsheets, delimited text included, against gold (fuste and sheetcuts as statsheets).

In: a corpus folder with corpus.json, gold.jsonl and inputs, and lines of the output contract, matched to cases by the
base name of `source`. A case with no line, or with a line that has `error`, counts as nothing found. Out: the figures.

senbazuru-left
  pairs        edges of `left` as (row of parent, row of child), parent row and
               child row different. Edges from the root row (the stub head) are
               left out on both sides; so are edges that lie wholly outside the
               annotated rows. Sheets with "scored": false are run but not counted.
  repairs      false positives + false negatives of a sheet (Chen & Cafarella 2013,
               definition 5): mean and median over sheets; `human` is the number of
               true pairs, the work of someone who starts from nothing.
  example      if examples/expected.json is there: is the cell's reading right?

saus-lines
  lines        row_roles[i] is sheet row i: title=metadata, header, group, data,
               derived, note=notes. Gold lines that are empty are ignored; a line
               with role `blank` or none is wrong (a miss of its class, no false
               positive). Of several tables the first with a role other than blank
               speaks. F1 per class, macro over the six classes, accuracy.
  lines4       the same with group and derived counted as data; `errors_per_sheet`
               is the mean number of wrong lines.
  cells        roles title=metadata, header, stub=data, value=data, group, derived,
               note=notes over non-empty gold cells; spanned cells by their first
               cell; a missing or `other` cell is a miss. F1 per class, macro.
  cells_total_stub  the same, but a `stub` in a row whose row role is `derived`
               counts as group: so the annotators label it (98 % of such lines).

statsheets
  tables       place.range against gold ranges on the sheet: exact, and one-to-one
               with the ratio of common to joint cells at least 0.5 (best first).
  cells        header: header, stub, group; data: value, derived; title: title;
               other: note, other. Over non-empty gold cells; a role covers the
               whole span of its cell; a cell with no role is a miss. F1 per class, macro.

hitab-top
  top, left    edges of each tree against gold pairs; both together; macro.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from tabellion.learn.scoring.readings import (
    Classes,
    Json,
    Tally,
    edges,
    first_cells,
    held,
    roles_of_cells,
    roles_of_rows,
    tables_on,
)
from tabellion.learn.scoring.trees import LineScores, score_stattrees, score_troy
from tabellion.learn.scoring.trust import trust
from tabellion.model.place import address, common_share, range_text, rect_at

LETTER_CLASS = {"m": "metadata", "h": "header", "g": "group", "d": "data", "v": "derived", "n": "notes"}
CELL_CLASS = {
    "title": "metadata",
    "header": "header",
    "stub": "data",
    "value": "data",
    "group": "group",
    "derived": "derived",
    "note": "notes",
}
STAT_CLASS = {
    "header": "H",
    "stub": "H",
    "group": "H",
    "value": "D",
    "derived": "D",
    "title": "T",
    "note": "O",
    "other": "O",
}
STAT_NAME = {"H": "header", "D": "data", "T": "title", "O": "other"}


def score_saus(golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    lines, cells, variant = LineScores(), Classes(), Classes()
    for case in golds:
        tables = tables_on(docs[case["file"]], None)
        rows = roles_of_rows(tables)
        lines.add(tables, {i: kind for i, kind in enumerate(case["lines"]) if kind})
        roles = roles_of_cells(tables, whole_span=False)
        for i, row in enumerate(case["cells"]):
            for j, letter in enumerate(row):
                if letter != ".":
                    role = roles.get((i, j), "")
                    cells.add(CELL_CLASS.get(role), LETTER_CLASS[letter])
                    if role == "stub" and rows.get(i) == "derived":
                        role = "group"
                    variant.add(CELL_CLASS.get(role), LETTER_CLASS[letter])
    return {**lines.scores(), "cells": cells.scores(), "cells_total_stub": variant.scores()}


def left_rows(tables: list[Json]) -> set[tuple[int, int]]:
    return {(a[0], b[0]) for t in tables for a, b in edges(t, "left", first_cells(t)) if a[0] != b[0]}


def score_senbazuru(golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    tally, repairs, human = Tally(), [], []
    for case in golds:
        if not case["scored"]:
            continue
        top, _, bottom, _ = rect_at(case["range"])
        inside = range(top, bottom + 1)
        found = {
            (a, b)
            for a, b in left_rows(tables_on(docs[case["file"]], case["sheet"]))
            if a != case["root_row"] and (a in inside or b in inside)
        }
        gold = {tuple(p) for p in case["pairs"]}
        tally.add(found, gold)
        repairs.append(len(found ^ gold))
        human.append(len(gold))
    return {
        "pairs": tally.scores(),
        "scored_sheets": len(repairs),
        "repairs": {
            "mean": round(statistics.fmean(repairs), 2),
            "median": statistics.median(repairs),
            "sheets_without": repairs.count(0),
        },
        "human": {"mean": round(statistics.fmean(human), 2), "median": statistics.median(human)},
    }


def check_example(expected: Json, doc: Json) -> bool:
    for table in tables_on(doc, expected["sheet"]):
        home = first_cells(table)
        for one in table.get("tuples") or []:
            if one.get("address") == expected["address"]:
                return all(
                    [address(*c) for c in held(one.get(f"{s}_cells"), home)] == expected[f"{s}_addresses"]
                    for s in ("top", "left")
                )
    return False


def matched(found: list[str], gold: list[str]) -> set[str]:
    """Gold ranges with a partner of their own at 0.5 or more, best partner first."""
    options = sorted(((common_share(rect_at(f), rect_at(g)), f, g) for f in found for g in gold), reverse=True)
    used, done = set(), set()
    for score, f, g in options:
        if score >= 0.5 and f not in used and g not in done:
            used.add(f)
            done.add(g)
    return done


def unrolled(row: str) -> list[str]:
    return [kind for size, kind in re.findall(r"(\d+)(\D)", row) for _ in range(int(size))]


def ranges_of(tables: list[Json]) -> set[str]:
    texts = [(t.get("place") or {}).get("range") for t in tables]
    return {range_text(rect_at(text)) for text in texts if text}


def score_statsheets(golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    exact, loose, cells = Tally(), Tally(), Classes()
    for case in golds:
        tables = tables_on(docs[case["file"]], case["sheet"])
        gold = {range_text(rect_at(text)) for text in case["tables"]}
        found = ranges_of(tables)
        exact.add(found, gold)
        pairs = matched(sorted(found), sorted(gold))
        loose.add(pairs | {("extra", i) for i in range(len(found) - len(pairs))}, gold)
        roles = roles_of_cells(tables, whole_span=True)
        for i, row in enumerate(case["rows"]):
            for j, kind in enumerate(unrolled(row)):
                if kind != ".":
                    cells.add(STAT_NAME.get(STAT_CLASS.get(roles.get((i, j), ""), "")), STAT_NAME[kind])
    return {"tables_exact": exact.scores(), "tables_half": loose.scores(), "cells": cells.scores()}


def score_hitab(golds: list[Json], docs: dict[str, Json]) -> dict[str, Any]:
    tally = {"top": Tally(), "left": Tally(), "both": Tally()}
    for case in golds:
        tables = tables_on(docs[case["file"]], None)
        found = {
            s: {(address(*a), address(*b)) for t in tables for a, b in edges(t, s, first_cells(t))}
            for s in ("top", "left")
        }
        gold = {s: {tuple(p) for p in case[s]} for s in ("top", "left")}
        for s in ("top", "left"):
            tally[s].add(found[s], gold[s])
        tally["both"].add({(s, *p) for s in found for p in found[s]}, {(s, *p) for s in gold for p in gold[s]})
    return {name: t.scores() for name, t in tally.items()}


SCORERS = {
    "troy200": score_troy,
    "senbazuru-left": score_senbazuru,
    "saus-lines": score_saus,
    "statsheets": score_statsheets,
    "hitab-top": score_hitab,
    "stattrees": score_stattrees,
}
HEADLINE = {
    "troy200": (
        "entries.f1",
        "labels.f1",
        "entry_label.f1",
        "entry_label_nearest.f1",
        "label_label.f1",
        "label_label_top.f1",
        "label_label_left.f1",
        "perfect_share",
        "lines.macro_f1",
    ),
    "senbazuru-left": ("pairs.p", "pairs.r", "pairs.f1", "repairs.mean", "human.mean", "example"),
    "saus-lines": (
        "lines.macro_f1",
        "lines.accuracy",
        "lines4.macro_f1",
        "lines4.errors_per_sheet",
        "cells.macro_f1",
        "cells_total_stub.macro_f1",
    ),
    "statsheets": ("tables_exact.f1", "tables_half.f1", "cells.macro_f1"),
    "hitab-top": ("top.f1", "left.f1", "both.f1"),
    "stattrees": (
        "left.f1",
        "top.f1",
        "left_by_table",
        "top_by_table",
        "header_rows",
        "stub_columns",
        "right_share",
        "empty_kept",
    ),
}


def load_gold(folder: Path) -> tuple[Json, list[Json]]:
    about = json.loads((folder / "corpus.json").read_text())
    with (folder / "gold.jsonl").open(encoding="utf-8") as lines:
        return about, [json.loads(line) for line in lines]


def score(folder: Path, docs: dict[str, Json], files: Collection[str] | None = None) -> dict[str, Any]:
    """The figures of a corpus, or of some of its files."""
    about, golds = load_gold(folder)
    golds = [gold for gold in golds if files is None or gold["file"] in files]
    missing = [g["file"] for g in golds if g["file"] not in docs]
    failed = [g["file"] for g in golds if (docs.get(g["file"]) or {}).get("error")]
    usable = {g["file"]: {} if g["file"] in failed else docs.get(g["file"], {}) for g in golds}
    result = {
        "corpus": about["corpus"],
        "part": about["part"],
        "cases": len(golds),
        "missing": len(missing),
        "errors": len(failed),
        **SCORERS[about["corpus"]](golds, usable),
        "confidence": trust(about["corpus"], golds, usable),
    }
    example = folder / "examples" / "expected.json"
    if example.exists():
        expected = json.loads(example.read_text())
        result["example"] = check_example(expected, docs.get(expected["file"], {}))
    return result


def describe(result: Json) -> Iterator[str]:
    """The figures, one line each."""
    counts = ", ".join(
        f"{result[name]} {word}" for name, word in (("cases", "cases"), ("missing", "missing"), ("errors", "in error"))
    )
    yield f"{result['corpus']} ({result['part']}): {counts}"
    for name, value in result.items():
        if isinstance(value, dict):
            flat = {k: v for k, v in value.items() if not isinstance(v, dict)}
            yield f"  {name:22}" + "  ".join(f"{k} {v}" for k, v in flat.items())
            for inner in (v for v in value.values() if isinstance(v, dict)):
                yield " " * 26 + "  ".join(f"{k} {v}" for k, v in inner.items())
        elif name not in ("corpus", "part", "cases", "missing", "errors"):
            yield f"  {name:22}{value}"


def headline(result: dict[str, Any]) -> dict[str, Any]:
    out = {k: result[k] for k in ("corpus", "part", "cases", "missing", "errors")}
    for name in HEADLINE[result["corpus"]]:
        value: Any = result
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            out[name] = value
    if "seconds" in result:
        out["seconds"] = result["seconds"]
    return out
