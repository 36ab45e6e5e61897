"""Scoring the tables of PDF files: adjacency relations of cells, and regions (icdar2013).

A predicted table is read as: page = place.page, box = place.box, cells as given. A document without a line, or with
`error`, counts as nothing found.

ADJACENCY RELATIONS (both corpora). A relation joins a non-blank cell with the next non-blank cell to its
right or below: (direction, text, text, number of blank cells in between). A cell that spans is laid over all
its grid places; a pair of cells counts once in each direction. A table is the multiset of its relations.
P = right / predicted, R = right / gold, F1 their harmonic mean.
Text rule: NFKC, blanks removed, upper case, then 0: no more; 1: each character outside A-Z 0-9 _ becomes `_`;
2: such characters are removed. icdar2013 uses 1, jats 2.

ICDAR2013. Of several gold alternatives the one with the better F is taken, for cells and for regions separately.
  cells     Gold tables in order take the unused predicted table on their page with most shared relations.
            Per document P and R (relations of predicted tables left over count in P; 0 where nothing was
            found), averaged over all documents: cells_P, cells_R; cells_F1 is the harmonic mean of the two.
            pooled_P, pooled_R, pooled_F1: relations summed over all documents. perfect: gold tables whose
            relations are all found, with no other. false_tables: predicted tables left over.
  regions   A region holds the characters whose centre lies in its box. Gold regions in order take the unused
            predicted region on their page with most shared characters (at least one). complete: all gold
            characters are in it; pure: it has no other. completeness = complete / gold regions, purity =
            pure / matched regions; both = complete and pure. char_P, char_R: shared / predicted and shared / gold
            characters per document (regions left over count in P), averaged; char_F1 their harmonic mean.
            iou50_F1: 2 * matched with area overlap (intersection over union) >= .5 / (gold + predicted regions).
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError

Json = dict[str, Any]
Relations = Counter[tuple[str, str, str, int]]
Grid = list[tuple[int, int, int, int, str]]
"""Row, column, last row, last column, text of each cell."""


def load_gold(corpus: Path) -> list[Json]:
    files = sorted((corpus / "gold").glob("*.json"))
    if not files:
        raise TabellionError(f"no gold/*.json in {corpus}")
    return [json.loads(f.read_text(encoding="utf-8")) for f in files]


def tables_of(doc: Json | None) -> list[Json]:
    return [] if doc is None or doc.get("error") else list(doc.get("tables") or [])


def grid_of(table: Json) -> Grid:
    out = []
    for c in table.get("cells") or []:
        r, k = int(c["row"]), int(c["column"])
        out.append(
            (r, k, r + int(c.get("row_span") or 1) - 1, k + int(c.get("column_span") or 1) - 1, c.get("text") or "")
        )
    return out


def normal(text: str, rule: int) -> str:
    text = re.sub(r"\s", "", unicodedata.normalize("NFKC", text))
    if rule:
        text = re.sub(r"[^A-Za-z0-9_]", "_" if rule == 1 else "", text)
    return text.upper()


def relations(cells: Grid, rule: int) -> Relations:
    places: dict[tuple[int, int], int] = {}
    for k, (r0, c0, r1, c1, text) in enumerate(cells):
        if text.strip():
            places.update({(r, c): k for r in range(r0, r1 + 1) for c in range(c0, c1 + 1)})
    rows: dict[int, list[tuple[int, int]]] = defaultdict(list)
    columns: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (r, c), k in places.items():
        rows[r].append((c, k))
        columns[c].append((r, k))
    pairs: dict[tuple[str, int, int], int] = {}
    for direction, lines in (("right", rows), ("down", columns)):
        for at in sorted(lines):
            line = sorted(lines[at])
            for (p0, k0), (p1, k1) in itertools.pairwise(line):
                if k0 != k1:
                    pairs.setdefault((direction, k0, k1), p1 - p0 - 1)
    texts = [normal(c[4], rule) for c in cells]
    return Counter((d, texts[a], texts[b], blanks) for (d, a, b), blanks in pairs.items())


def squeeze(cells: Grid) -> Grid:
    """Without blank cells and without rows and columns in which no text starts."""
    kept = [c for c in cells if c[4].strip()]
    rows = _squeeze_line([(c[0], c[2]) for c in kept])
    columns = _squeeze_line([(c[1], c[3]) for c in kept])
    return [(r0, c0, r1, c1, c[4]) for c, (r0, r1), (c0, c1) in zip(kept, rows, columns, strict=True)]


def _squeeze_line(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last places of spans, counted over the places in which some span starts."""
    starts = sorted({first for first, _ in spans})
    place = {start: k for k, start in enumerate(starts)}
    return [(place[first], place[first] + sum(first < s <= last for s in starts)) for first, last in spans]


def ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


def f1(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def mean(values: list[float]) -> float:
    return ratio(sum(values), len(values))


def icdar_cells(gold: Json, tables: list[Json], rule: int) -> Counter[str]:
    found = [((t.get("place") or {}).get("page"), relations(grid_of(t), rule)) for t in tables]
    left = list(range(len(found)))
    s: Counter[str] = Counter()
    for g in gold["tables"]:
        want = relations(grid_of(g), rule)
        n = want.total()
        s.update(gold=n, tables=1)
        shared = [((want & found[j][1]).total(), -j) for j in left if found[j][0] in g["pages"]]
        if not shared:
            continue
        k, j = max(shared)[0], -max(shared)[1]
        left.remove(j)
        m = found[j][1].total()
        s.update(right=k, given=m, perfect=int(k == n == m))
    s.update(given=sum(found[j][1].total() for j in left), false_tables=len(left))
    return s


def chars_in(page: Json, box: list[float]) -> frozenset[int]:
    xs, ys = page["chars"][0::2], page["chars"][1::2]
    x0, y0, x1, y1 = (v * 100 for v in box)
    return frozenset(i for i, (x, y) in enumerate(zip(xs, ys, strict=False)) if x0 <= x <= x1 and y0 <= y <= y1)


def overlap(a: list[float], b: list[float]) -> float:
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def icdar_regions(gold: Json, tables: list[Json], pages: dict[int, Json]) -> Counter[str]:
    found = []
    for t in tables:
        where = t.get("place") or {}
        if where.get("box") and where.get("page") in pages:
            found.append((where["page"], where["box"], chars_in(pages[where["page"]], where["box"])))
    regions = [r for t in gold["tables"] for r in t["regions"]]
    left = list(range(len(found)))
    s: Counter[str] = Counter(regions=len(regions), found=len(found))
    for r in regions:
        chars = chars_in(pages[r["page"]], r["box"])
        s["gold_chars"] += len(chars)
        shared = [(len(chars & found[j][2]), -len(found[j][2]), -j) for j in left if found[j][0] == r["page"]]
        if not shared or max(shared)[0] == 0:
            continue
        j = -max(shared)[2]
        left.remove(j)
        got = found[j][2]
        s.update(
            matched=1,
            complete=int(chars <= got),
            pure=int(got <= chars),
            both=int(chars == got),
            right_chars=len(chars & got),
            given_chars=len(got),
            iou50=int(overlap(r["box"], found[j][1]) >= 0.5),
        )
    s.update(given_chars=sum(len(found[j][2]) for j in left), false_regions=len(left))
    return s


def evaluate_icdar(golds: list[Json], found: dict[str, Json], rule: int) -> Json:
    cells: Counter[str] = Counter()
    regions: Counter[str] = Counter()
    prs: list[tuple[float, float]] = []
    chars: list[tuple[float, float]] = []
    for gold in golds:
        tables = tables_of(found.get(gold["source"]))
        pages = {p["page"]: p for p in gold["pages"]}
        c = max(
            (icdar_cells(a, tables, rule) for a in gold["alternatives"]),
            key=lambda s: ratio(2 * s["right"], s["gold"] + s["given"]),
        )
        r = max(
            (icdar_regions(a, tables, pages) for a in gold["alternatives"]),
            key=lambda s: ratio(2 * s["right_chars"], s["gold_chars"] + s["given_chars"]),
        )
        prs.append((ratio(c["right"], c["given"]), ratio(c["right"], c["gold"])))
        chars.append((ratio(r["right_chars"], r["given_chars"]), ratio(r["right_chars"], r["gold_chars"])))
        cells.update(c)
        regions.update(r)
    p, q = mean([x for x, _ in prs]), mean([y for _, y in prs])
    cp, cq = mean([x for x, _ in chars]), mean([y for _, y in chars])
    return {
        "cells_P": p,
        "cells_R": q,
        "cells_F1": f1(p, q),
        "pooled_P": ratio(cells["right"], cells["given"]),
        "pooled_R": ratio(cells["right"], cells["gold"]),
        "pooled_F1": ratio(2 * cells["right"], cells["gold"] + cells["given"]),
        "tables": cells["tables"],
        "perfect": cells["perfect"],
        "false_tables": cells["false_tables"],
        "regions": regions["regions"],
        "regions_found": regions["found"],
        "regions_matched": regions["matched"],
        "false_regions": regions["false_regions"],
        "complete": regions["complete"],
        "pure": regions["pure"],
        "both": regions["both"],
        "completeness": ratio(regions["complete"], regions["regions"]),
        "purity": ratio(regions["pure"], regions["matched"]),
        "char_P": cp,
        "char_R": cq,
        "char_F1": f1(cp, cq),
        "iou50_F1": ratio(2 * regions["iou50"], regions["regions"] + regions["found"]),
    }


def plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text or "").lower() if c.isalnum())


def similarity(a: str, b: str, least: float) -> float:
    """1 - edit distance / longer length of two plain strings; 0 where it is below `least`."""
    if a == b:
        return 1.0 if a else 0.0
    longer = max(len(a), len(b))
    limit = int((1 - least) * longer + 1e-9)
    if not a or not b or abs(len(a) - len(b)) > limit:
        return 0.0
    before = {j: j for j in range(min(len(b), limit) + 1)}
    for i, ch in enumerate(a, 1):
        row: dict[int, int] = {}
        for j in range(max(0, i - limit), min(len(b), i + limit) + 1):
            best = before.get(j, longer) + 1
            if j:
                best = min(best, row.get(j - 1, longer) + 1, before.get(j - 1, longer) + (ch != b[j - 1]))
            row[j] = best
        before = row
        if min(row.values()) > limit:
            return 0.0
    distance = before.get(len(b), longer)
    return 1 - distance / longer if distance <= limit else 0.0
