"""Scoring the tables of web pages: which are genuine, how they are turned, what their values are called.

Predictions are lines of the output contract, joined to the pages by the base
name of `source`. A page without a line, or with `error`, counts as a page on
which nothing was found; both are counted and printed. Only tables with
`genuine` >= 0.5 (or without that field) count as predicted.

P, R, F: precision, recall and their harmonic mean. macro-F1: the plain mean of
the F of the classes that occur in the gold. Texts are compared after NFKC, with
white space squeezed.

webtables. A gold table counts as predicted genuine if a predicted table has its
`place.table_index`. P/R/F of "genuine", and (P+R)/2, over: `sure` (hand-labelled
and sure), `hand` (all hand-labelled), `all` (with the tables that are layout by
rule). Predictions that name a table without a gold entry (not a leaf table, or
unlabelled on a partly labelled page) are ignored for P and R and counted as
`unjudged`. Orientation accuracy and macro-F1, exact accuracy of header_rows and
header_columns: over genuine tables that are sure, whose orientation is sure, and
that were found. The `sure` figures are repeated for each source of pages.
values_with_labels, over the same tables: the share of the filled body cells (body by
the gold's header counts, cells as predicted, cells over the whole width left out)
whose tuple has all labels of the header rows above it and the header columns
beside it, in `top` or `left`; averaged over tables. values_without_left: the share
of all tuples of these tables with an empty `left` (no figure to reach: some
tables have nothing that names their rows).

t2dv2. One table per page. A page is predicted genuine if it has a predicted table;
P/R/F of genuine (every type but LAYOUT). Over genuine gold tables, a table not
found being wrong: orientation macro-F1 over those with an orientation and a
header (a table without header has no contract orientation but `none`), and
over all with an orientation (`orientation_macro_f1_all`); header presence
accuracy (header_rows + header_columns > 0) where the gold is consistent; header
position accuracy: first-row = header_rows > 0, first-column = header_columns > 0
and header_rows = 0, mixed = both > 0, none = neither.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
Bag = Counter[Any]
Judged = tuple[Json, Json, Json | None]
"""A page, a gold table, and the table that was predicted for it."""


def norm(text: object) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", str(text or ""))).strip()


def predicted(docs: dict[str, Json], file: str) -> list[Json]:
    doc = docs.get(file) or {}
    if doc.get("error"):
        return []
    return [t for t in doc.get("tables") or [] if t.get("genuine") is None or t["genuine"] >= 0.5]


def ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def prf(hits: int, guessed: int, wanted: int) -> Json:
    p, r = ratio(hits, guessed), ratio(hits, wanted)
    return {"p": p, "r": r, "f": ratio(2 * p * r, p + r), "n": wanted}


def macro_f1(pairs: list[tuple[str, str | None]]) -> float:
    """Pairs of (gold, predicted); the classes are those of the gold."""
    classes = sorted({g for g, _ in pairs})
    scores = [
        prf(sum(g == p == c for g, p in pairs), sum(p == c for _, p in pairs), sum(g == c for g, _ in pairs))["f"]
        for c in classes
    ]
    return ratio(sum(scores), len(scores))


def accuracy(pairs: Sequence[tuple[object, object]]) -> float:
    return ratio(sum(a == b for a, b in pairs), len(pairs))


def overlap_f(a: Bag, b: Bag) -> float:
    return ratio(2 * sum((a & b).values()), sum(a.values()) + sum(b.values()))


def judge_pages(gold: list[Json], docs: dict[str, Json]) -> tuple[list[Judged], int]:
    """(page, gold table, predicted table or None) for each gold table; and the unjudged."""
    rows, unjudged = [], 0
    for page in gold:
        found = {(t.get("place") or {}).get("table_index"): t for t in predicted(docs, page["file"])}
        known = {t["table_index"] for t in page["tables"]}
        unjudged += sum(1 for i in found if i not in known)
        rows += [(page, t, found.get(t["table_index"])) for t in page["tables"]]
    return rows, unjudged


def genuine_prf(rows: list[Judged]) -> Json:
    hits = sum(t["label"] == "genuine" and p is not None for _, t, p in rows)
    out = prf(hits, sum(p is not None for *_, p in rows), sum(t["label"] == "genuine" for _, t, _ in rows))
    return out | {"mean_pr": (out["p"] + out["r"]) / 2, "tables": len(rows)}


def letters(text: object) -> str:
    return re.sub(r"[\W_]+", "", norm(text)).lower()


def has_label(label: str, given: list[str]) -> bool:
    """Among the given labels, a note mark of up to two characters aside."""
    return any(
        label == g or (g and abs(len(g) - len(label)) <= 2 and (g.startswith(label) or label.startswith(g)))
        for g in given
    )


def values_right(gold: Json, table: Json) -> float | None:
    """The share of filled body cells whose tuple has all labels above and beside it; None where there is no such cell.

    The body is told by the gold's header counts, on the table's own cells.
    """
    cells = [
        (
            c["row"],
            c["column"],
            c["row"] + (c.get("row_span") or 1),
            c["column"] + (c.get("column_span") or 1),
            letters(c.get("text")),
        )
        for c in table.get("cells") or []
        if c.get("role") != "title"
    ]
    heads, stubs = gold["header_rows"], gold["header_columns"]
    width = max((c[3] for c in cells), default=0)
    tuples = {(t["row"], t["column"]): t for t in table.get("tuples") or []}
    right = total = 0
    for r0, c0, _, c1, text in cells:
        if r0 < heads or c0 < stubs or not text or c1 - c0 >= max(2, width - stubs):
            continue
        above = {t for a, b, _, d, t in cells if a < heads and b <= c0 < d and b >= stubs and t}
        beside = {t for a, b, c, _, t in cells if b < stubs and a <= r0 < c and a >= heads and t}
        one = tuples.get((r0, c0))
        given = [letters(x) for side in ("top", "left") for x in (one or {}).get(side) or []]
        total += 1
        right += one is not None and all(has_label(x, given) for x in above | beside)
    return right / total if total else None


def measure_webtables(gold: list[Json], docs: dict[str, Json]) -> Json:
    rows, unjudged = judge_pages(gold, docs)
    hand = [r for r in rows if r[1]["source"] == "hand"]
    sure = [r for r in hand if r[1]["sure"]]
    out: Json = {"sure": genuine_prf(sure), "hand": genuine_prf(hand), "all": genuine_prf(rows), "unjudged": unjudged}
    by: dict[str, list[Judged]] = defaultdict(list)
    for row in sure:
        by[row[0]["corpus"]].append(row)
    out["by_corpus"] = {name: genuine_prf(part) for name, part in sorted(by.items())}
    both = [(t, p) for _, t, p in sure if t["label"] == "genuine" and t["orientation_sure"] and p is not None]
    out["orientation_accuracy"] = accuracy([(t["orientation"], p.get("orientation")) for t, p in both])
    out["orientation_macro_f1"] = macro_f1([(t["orientation"], p.get("orientation")) for t, p in both])
    out["header_rows_accuracy"] = accuracy([(t["header_rows"], p.get("header_rows")) for t, p in both])
    out["header_columns_accuracy"] = accuracy([(t["header_columns"], p.get("header_columns")) for t, p in both])
    out["structure_tables"] = len(both)
    shares = [share for t, p in both if p.get("cells") is not None and (share := values_right(t, p)) is not None]
    if shares:
        out["values_with_labels"] = sum(shares) / len(shares)
        out["values_without_left"] = 1 - accuracy(
            [(bool(t.get("left")), True) for _, p in both for t in p.get("tuples") or []]
        )
    return out


def position(table: Json) -> str:
    rows, columns = table.get("header_rows") or 0, table.get("header_columns") or 0
    return "mixed" if rows and columns else "first-row" if rows else "first-column" if columns else "none"


def measure_t2dv2(gold: list[Json], docs: dict[str, Json]) -> Json:
    pairs = [(g, next(iter(predicted(docs, g["file"])), None)) for g in gold]
    out: Json = {
        "genuine": prf(
            sum(g["genuine"] and p is not None for g, p in pairs),
            sum(p is not None for _, p in pairs),
            sum(g["genuine"] for g, _ in pairs),
        )
    }
    real = [(g, p) for g, p in pairs if g["genuine"]]
    turned = [(g, p.get("orientation") if p else None) for g, p in real if g["orientation"]]
    headed = [(g["orientation"], o) for g, o in turned if g["has_header"]]
    out["orientation_macro_f1"], out["orientation_accuracy"] = macro_f1(headed), accuracy(headed)
    out["orientation_macro_f1_all"] = macro_f1([(g["orientation"], o) for g, o in turned])
    judged = [(g, p) for g, p in real if g["has_header"] is not None]
    out["header_presence_accuracy"] = accuracy(
        [(g["has_header"], position(p) != "none" if p else None) for g, p in judged]
    )
    out["header_position_accuracy"] = accuracy([(g["header_position"], position(p) if p else None) for g, p in judged])
    return out
