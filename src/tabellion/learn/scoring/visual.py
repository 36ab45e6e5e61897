"""Scoring rendered pages and the headers of Wikipedia tables, and the way in for all corpora of web pages.

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
from collections import Counter, defaultdict
from collections.abc import Iterator

from tabellion.learn.scoring.web import (
    Bag,
    Json,
    accuracy,
    measure_t2dv2,
    measure_webtables,
    norm,
    overlap_f,
    predicted,
    prf,
    ratio,
)

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
