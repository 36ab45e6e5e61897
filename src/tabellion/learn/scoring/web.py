"""Scoring the tables of web pages, marked up or drawn: which are genuine, how turned, what their values are called.

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

visual. Adjacency relations of a table: for each non-empty cell and each row it
covers, the next non-empty cell to the right; for each column it covers, the next
one below; each a triple (text, neighbour's text, direction), each neighbour
counted once a cell, as a multiset. Predicted cells with role `title` or `note`
are left out. A gold table is found if the best F of its relations against one
predicted table of its page is >= 0.9. Extraction R: found / gold tables; P:
found / predicted tables; `adjacency_f1`: the mean over gold tables of the best F.
Interpretation, over gold row-column tables with tuples: a table is right if the
F of (value, top path, left path), as a multiset, against its best predicted
table is >= 0.9. R: right / all such gold tables; P: right / such gold tables
that were found and have predicted tuples (never less than those right). Empty labels are dropped from paths.

wiki-headers. One table per page; of several predicted, the one with the most cells.
A gold cell is a header if its role is header, stub or group; a predicted one by
the same roles. Cells are joined by (row, column) of their origin; empty gold cells
and gold titles are left out on both sides. P/R/F over all cells of all pages; the
same for the top (rows below header_rows) and the rest (`left`, with group rows
and repeated headers); exact accuracy of header_rows and header_columns; `grid`:
the share of pages with the right numbers of rows and columns. A page without a
predicted table loses all its header cells.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from tabellion.learn.scoring.trust import Verdict, tell_trust

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


def values_right(gold: Json, table: Json, passed: Collection[tuple[int, int]] = ()) -> float | None:
    """The share of filled body cells whose tuple has all labels above and beside it; None where there is no such cell.

    The body is told by the gold's header counts, on the table's own cells; some may be passed over.
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
        if r0 < heads or c0 < stubs or not text or c1 - c0 >= max(2, width - stubs) or (r0, c0) in passed:
            continue
        above = {t for a, b, _, d, t in cells if a < heads and b <= c0 < d and b >= stubs and t}
        beside = {t for a, b, c, _, t in cells if b < stubs and a <= r0 < c and a >= heads and t}
        one = tuples.get((r0, c0))
        given = [letters(x) for side in ("top", "left") for x in (one or {}).get(side) or []]
        total += 1
        right += one is not None and all(has_label(x, given) for x in above | beside)
    return right / total if total else None


def judge_web(rows: list[Judged]) -> Iterator[Verdict]:
    """The confidence of each table that was found, where the gold is sure, and whether it is wholly right."""
    for _, gold, table in rows:
        if table is None or gold["source"] != "hand" or not gold["sure"] or table.get("confidence") is None:
            continue
        if gold["label"] != "genuine":
            yield table["confidence"], False
        elif gold["orientation_sure"]:
            yield table["confidence"], gold["header_rows"] == table.get("header_rows") and _all_labelled(gold, table)


def _all_labelled(gold: Json, table: Json) -> bool:
    """Whether every value has its labels; titles above the head are no rows of it, names of groups are no values."""
    cells = table.get("cells") or []
    first = min((c["row"] for c in cells if c.get("role") == "header"), default=0)
    titles = {c["row"] for c in cells if c.get("role") == "title" and c["row"] < first}
    valued = {one["row"] for one in table.get("tuples") or []}
    names = {(row, column) for node in table.get("left") or [] for row, column in node["cells"] if row not in valued}
    raised = {**gold, "header_rows": gold["header_rows"] + len(titles)}
    return values_right(raised, table, names) in (None, 1.0)


def measure_webtables(gold: list[Json], docs: dict[str, Json]) -> Json:
    rows, unjudged = judge_pages(gold, docs)
    hand = [r for r in rows if r[1]["source"] == "hand"]
    sure = [r for r in hand if r[1]["sure"]]
    out: Json = {"sure": genuine_prf(sure), "hand": genuine_prf(hand), "all": genuine_prf(rows), "unjudged": unjudged}
    by: dict[str, list[Judged]] = defaultdict(list)
    for row in sure:
        by[row[0]["corpus"]].append(row)
    out["by_corpus"] = {name: genuine_prf(part) for name, part in sorted(by.items())}
    out["confidence"] = tell_trust(list(judge_web(rows)))
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


HEAD_ROLES = {"header", "stub", "group"}


def relations(cells: list[Json]) -> Bag:
    kept = [c for c in cells if norm(c.get("text")) and c.get("role") not in ("title", "note")]
    at: dict[tuple[int, int], int] = {}
    for i, c in enumerate(kept):
        for r in range(c["row"], c["row"] + (c.get("row_span") or 1)):
            for k in range(c["column"], c["column"] + (c.get("column_span") or 1)):
                at[r, k] = i
    rows, columns = defaultdict(list), defaultdict(list)
    for r, k in sorted(at):
        rows[r].append((k, at[r, k]))
        columns[k].append((r, at[r, k]))
    seen: set[tuple[int, int, str]] = set()
    for lines, direction in ((rows, "right"), (columns, "below")):
        for line in lines.values():
            seen |= {(a, b, direction) for (_, a), (_, b) in itertools.pairwise(line) if a != b}
    return Counter((norm(kept[a]["text"]), norm(kept[b]["text"]), d) for a, b, d in seen)


def tuple_bag(tuples: list[Json] | None) -> Bag:
    def path(labels: list[str] | None) -> tuple[str, ...]:
        return tuple(x for x in map(norm, labels or []) if x)

    return Counter(
        (norm(t.get("text")), path(t.get("top")), path(t.get("left"))) for t in tuples or [] if norm(t.get("text"))
    )


def measure_visual(gold: list[Json], docs: dict[str, Json]) -> Json:
    groups: dict[str, list[Json]] = defaultdict(list)
    for page in gold:
        tables = predicted(docs, page["file"])
        bags = [relations(t.get("cells") or []) for t in tables]
        row: Json = {
            "gold": 0,
            "found": 0,
            "predicted": len(tables),
            "f": 0.0,
            "crossed": 0,
            "read": 0,
            "right": 0,
            "heads": [],
        }
        for want in page["tables"]:
            bag = relations(want["cells"])
            scores = [overlap_f(bag, b) for b in bags]
            best = max(range(len(scores)), key=scores.__getitem__, default=None)
            score = scores[best] if best is not None else 0.0
            row["gold"] += 1
            row["f"] += score
            row["found"] += score >= 0.9
            if best is not None and score >= 0.9:
                row["heads"].append((want["header_rows"], tables[best].get("header_rows")))
            if want["tuples"]:
                row["crossed"] += 1
                if best is not None and score >= 0.9 and tables[best].get("tuples"):
                    row["read"] += 1
                if best is not None:
                    row["right"] += overlap_f(tuple_bag(want["tuples"]), tuple_bag(tables[best].get("tuples"))) >= 0.9
        groups[page["realisation"]].append(row)
    out = visual_sum([r for rows in groups.values() for r in rows])
    out["by_realisation"] = {name: visual_sum(rows) for name, rows in sorted(groups.items())}
    return out


def visual_sum(rows: list[Json]) -> Json:
    def add(key: str) -> int:
        return int(sum(r[key] for r in rows))

    heads = [h for r in rows for h in r["heads"]]
    return {
        "extraction": prf(add("found"), add("predicted"), add("gold")),
        "adjacency_f1": ratio(float(sum(r["f"] for r in rows)), add("gold")),
        "interpretation": prf(add("right"), max(add("read"), add("right")), add("crossed")),
        "header_rows_accuracy_found": accuracy(heads),
    }


def measure_wiki(gold: list[Json], docs: dict[str, Json]) -> Json:
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("all", "top", "left")}
    rows, columns, grids = [], [], []
    kinds: dict[str, list[tuple[int, object]]] = defaultdict(list)
    for page in gold:
        table = max(predicted(docs, page["file"]), key=lambda t: len(t.get("cells") or []), default={})
        guess = {(c["row"], c["column"]) for c in table.get("cells") or [] if c.get("role") in HEAD_ROLES}
        top_end = page["title_rows"] + page["header_rows"]
        for cell in page["cells"]:
            if cell["role"] == "title" or not norm(cell["text"]):
                continue
            want, got = cell["role"] in HEAD_ROLES, (cell["row"], cell["column"]) in guess
            for name in ("all", "top" if cell["row"] < top_end else "left"):
                counts[name] += Counter(hit=want and got, guessed=got, wanted=want)
        rows.append((page["header_rows"], table.get("header_rows")))
        columns.append((page["header_columns"], table.get("header_columns")))
        kinds[page["kind"]].append(rows[-1])
        grids.append(((page["rows"], page["columns"]), (table.get("rows"), table.get("columns"))))
    out: Json = {name: prf(c["hit"], c["guessed"], c["wanted"]) for name, c in counts.items()}
    out |= {
        "header_rows_accuracy": accuracy(rows),
        "header_columns_accuracy": accuracy(columns),
        "grid": accuracy(grids),
    }
    out["header_rows_by_kind"] = {k: accuracy(v) for k, v in sorted(kinds.items())}
    return out


MEASURES = {
    "webtables": measure_webtables,
    "t2dv2": measure_t2dv2,
    "visual": measure_visual,
    "wiki-headers": measure_wiki,
}


def measure(kind: str, gold: list[Json], docs: dict[str, Json]) -> Json:
    names = {g["file"] for g in gold}
    out: Json = {
        "corpus": kind,
        "pages": len(gold),
        "missing": len(names - set(docs)),
        "errors": sum(1 for n in names if (docs.get(n) or {}).get("error")),
    }
    return out | MEASURES[kind](gold, docs)


def describe(result: Json, indent: str = "") -> Iterator[str]:
    """The figures, one line each."""
    for key, value in result.items():
        if isinstance(value, dict) and "p" in value:
            extra = f"  (P+R)/2 {value['mean_pr']:.3f}" if "mean_pr" in value else ""
            three = "  ".join(f"{name.upper()} {value[name]:.3f}" for name in "prf")
            yield f"{indent}{key:28s} {three}{extra}  of {value['n']}"
        elif isinstance(value, dict):
            yield f"{indent}{key}"
            yield from describe(value, indent + "  ")
        else:
            yield f"{indent}{key:28s} {value:.3f}" if isinstance(value, float) else f"{indent}{key:28s} {value}"
