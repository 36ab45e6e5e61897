"""Lines of the output contract: how they are made for scoring, what they say of a sheet, and how they are counted.

How a prediction is read (all corpora)
  sheet      Only tables whose place.sheet is the annotated sheet, or is missing.
             Several tables on one sheet are taken together.
  cell       A [row, column] pair is the sheet's own, from 0. A pair inside a
             spanned cell (row_span, column_span of `cells`) means its first cell.
  label      Every cell held by a node of `top` or `left`.
  edge       (first cell of the parent node, first cell of the child node). A
             parent without cells is passed over for its own parent.
  P, R, F1   Micro: over all cases together. F1 of two empty sets is 1; P is 0
             where nothing is found but something was there. `macro` is the mean
             over cases of the case's F1.

Lines of the output contract, made for scoring: one per document, with weights that have not seen it.

In: files, each with its settings. Out: the lines, which are also kept in a file for a look. A document that cannot be
read gives a line with `error`.
"""

from __future__ import annotations

import json
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError
from tabellion.export import error_json, to_json
from tabellion.learn.corpora import without
from tabellion.pipeline import Settings, extract_document
from tabellion.weights import SHIPPED

Job = tuple[Path, Settings]


def weights_for(folds: Path | None, fold: int, left_out: str | None = None) -> str:
    """The weights that have not seen a fold, or a whole corpus; the shipped ones where there are none of that kind.

    A corpus that nothing is learned from has no weights of its own: the shipped ones have not seen it.
    """
    if folds is None:
        return str(SHIPPED)
    if left_out is None:
        return str(folds / f"fold{fold}")
    folder = folds / without(left_out)
    return str(folder if folder.is_dir() else SHIPPED)


def predict(jobs: Sequence[Job], kept: Path, workers: int | None = None) -> dict[str, Json]:
    """What is read of each file, by its name; the lines are kept in a file."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        kept.write_bytes(b"".join(map(predict_line, jobs)))
    else:
        with kept.open("wb") as file, ProcessPoolExecutor(max_workers=workers) as pool:
            for line in pool.map(predict_line, jobs, chunksize=4):
                file.write(line)
    with kept.open(encoding="utf-8") as lines:
        return read_lines(lines)


def predict_line(job: Job) -> bytes:
    """The line of one document."""
    path, settings = job
    try:
        return to_json(extract_document(path, settings), every=True) + b"\n"
    except TabellionError as error:
        return error_json(str(path), error.kind, str(error)) + b"\n"


class Tally:
    """True positives, false positives and false negatives of sets, summed over cases."""

    def __init__(self) -> None:
        self.hit = self.extra = self.missed = 0
        self.single: list[float] = []

    def add(self, found: Iterable[Any], gold: Iterable[Any]) -> None:
        found, gold = set(found), set(gold)
        hit, extra, missed = len(found & gold), len(found - gold), len(gold - found)
        self.hit, self.extra, self.missed = self.hit + hit, self.extra + extra, self.missed + missed
        self.single.append(ratio(2 * hit, 2 * hit + extra + missed))

    def scores(self) -> dict[str, Any]:
        found = self.hit + self.extra
        return {
            "p": round(self.hit / found, 4) if found else float(not self.missed),
            "r": round(ratio(self.hit, self.hit + self.missed), 4),
            "f1": round(ratio(2 * self.hit, 2 * self.hit + self.extra + self.missed), 4),
            "macro": round(statistics.fmean(self.single), 4) if self.single else 1.0,
            "gold": self.hit + self.missed,
        }


class Classes:
    """Per-class F1 of single labels; a prediction of None is a miss and nothing else."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str | None, str]] = Counter()

    def add(self, found: str | None, gold: str) -> None:
        self.pairs[found, gold] += 1

    def scores(self) -> dict[str, Any]:
        each = {}
        for kind in sorted({g for _, g in self.pairs}):
            hit = self.pairs[kind, kind]
            found = sum(n for (f, _), n in self.pairs.items() if f == kind)
            gold = sum(n for (_, g), n in self.pairs.items() if g == kind)
            each[kind] = round(2 * hit / (found + gold), 4)
        total = sum(self.pairs.values())
        right = sum(n for (f, g), n in self.pairs.items() if f == g)
        return {
            "macro_f1": round(statistics.fmean(each.values()), 4) if each else 1.0,
            "accuracy": round(ratio(right, total), 4),
            "f1": each,
            "gold": total,
        }


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def rounded(value: Any) -> Any:
    """Figures to four places, however they are nested."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


Cell = tuple[int, int]
Json = dict[str, Any]


def tables_on(doc: Json, sheet: str | None) -> list[Json]:
    """The document's tables on the sheet (all of them where no sheet is named)."""
    return [t for t in doc.get("tables") or [] if sheet is None or (t.get("place") or {}).get("sheet") in (None, sheet)]


def first_cells(table: Json) -> dict[Cell, Cell]:
    """Covered cell -> first cell of the spanned cell."""
    home = {}
    for cell in table.get("cells") or []:
        down, across = cell.get("row_span") or 1, cell.get("column_span") or 1
        if down > 1 or across > 1:
            start = (cell["row"], cell["column"])
            for i in range(start[0], start[0] + down):
                for j in range(start[1], start[1] + across):
                    home[i, j] = start
    return home


def held(pairs: Iterable[Iterable[int]] | None, home: dict[Cell, Cell]) -> list[Cell]:
    cells = [(row, column) for row, column in pairs or []]
    return [home.get(cell, cell) for cell in cells]


def edges(table: Json, side: str, home: dict[Cell, Cell]) -> set[tuple[Cell, Cell]]:
    """(first cell of parent, first cell of child) of one header tree."""
    nodes = {n["id"]: n for n in table.get(side) or []}
    found = set()
    for node in nodes.values():
        cells = held(node.get("cells"), home)
        parent = nodes.get(node.get("parent"))
        seen = set()
        while parent is not None and not parent.get("cells") and parent["id"] not in seen:
            seen.add(parent["id"])
            parent = nodes.get(parent.get("parent"))
        if cells and parent is not None and parent.get("cells"):
            found.add((held(parent["cells"], home)[0], cells[0]))
    return found


def label_cells(table: Json, home: dict[Cell, Cell]) -> set[Cell]:
    return {c for side in ("top", "left") for n in table.get(side) or [] for c in held(n.get("cells"), home)}


def ancestors(pairs: set[tuple[Any, Any]]) -> Callable[[Any], set[Any]]:
    """The ancestors of a label under parent-child pairs (safe against rings)."""
    parents = defaultdict(set)
    for parent, child in pairs:
        parents[child].add(parent)

    def above(label: Any) -> set[Any]:
        found, todo = set(), list(parents.get(label, ()))
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += parents.get(one, ())
        return found

    return above


def roles_of_rows(tables: list[Json]) -> dict[int, str]:
    roles: dict[int, str] = {}
    for table in tables:
        for row, role in enumerate(table.get("row_roles") or []):
            if role and role != "blank":
                roles.setdefault(row, role)
    return roles


def roles_of_cells(tables: list[Json], whole_span: bool) -> dict[Cell, str]:
    roles: dict[Cell, str] = {}
    for table in tables:
        for cell in table.get("cells") or []:
            if not cell.get("role"):
                continue
            down = (cell.get("row_span") or 1) if whole_span else 1
            across = (cell.get("column_span") or 1) if whole_span else 1
            for i in range(cell["row"], cell["row"] + down):
                for j in range(cell["column"], cell["column"] + across):
                    roles.setdefault((i, j), cell["role"])
    return roles


def read_lines(lines: Iterable[str]) -> dict[str, Json]:
    docs = {}
    for line in lines:
        if line.strip():
            doc = json.loads(line)
            docs[re.split(r"[/\\]", doc["source"])[-1]] = doc
    return docs
