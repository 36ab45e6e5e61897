"""Scoring the tables of articles against the publishers' own markup.

JATS. Rows and columns in which no text starts are removed on both sides before relations are taken.
  tables    Overlap of two tables: 2 * shared words / (words of both), over the words of all cells (lower case,
            letters and digits a-z 0-9). Pairs with overlap >= .5 are taken best first, each table once.
            tables_P, tables_R, tables_F1 count matched tables against predicted and gold tables.
  cells     cells_P/R/F1: per document, averaged, as in icdar2013, everything predicted counts in P.
            pooled_P/R/F1: summed over documents. matched_P/R/F1: summed over matched pairs only.
            good: matched tables with P and R >= .9.
  numbers      what the tuples are for: every number in the body of a gold table with head rows (outside its first
            column) with the labels of its column in the head rows and its row's label in the first column. Right if a
            tuple of the matched table has the same text, the same labels on top (as a set), and the row's label among
            those at the left; a note mark of one or two characters at a label's end does not count. numbers_R over all
            gold numbers, numbers_P over the tuples that are numbers in matched tables. Section rows and nested stubs
            are not judged: the markup does not say what they hold.
  header_rows  share of the matched tables with marked head rows whose `header_rows` is exactly the gold's.

The metadata are scored by `metadata`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from tabellion.learn.scoring.metadata import FIELDS, document_metadata, match_tables, summary, table_metadata
from tabellion.learn.scoring.printed import (
    Json,
    evaluate_icdar,
    f1,
    grid_of,
    mean,
    normal,
    ratio,
    relations,
    squeeze,
    tables_of,
)

NUMBER = re.compile(r"(?=.*\d)[\s\d.,±%()\[\]<>=≤≥~+\-−–*/:†‡§¶a-e]*")


def is_number(text: str) -> bool:
    return NUMBER.fullmatch(unicodedata.normalize("NFKC", text).strip()) is not None


def alike(a: str, b: str) -> bool:
    """Equal, or one with a note mark of up to two characters at its end."""
    return a == b or (abs(len(a) - len(b)) <= 2 and bool(a) and bool(b) and (a.startswith(b) or b.startswith(a)))


def covers(labels: Iterable[str], others: Iterable[str]) -> bool:
    return all(any(alike(a, b) for b in others) for a in labels)


def gold_numbers(table: Json) -> list[tuple[str, frozenset[str], str, str]]:
    """Of every number of the body: text without signs, labels of its column in the head, label of its row, text."""
    heads = table["header_rows"]
    if not heads:
        return []
    cells = [(r0, c0, r1, c1, normal(text, 2), text) for r0, c0, r1, c1, text in grid_of(table)]
    out = []
    for r0, c0, _, _, plain_text, text in cells:
        if r0 >= heads and c0 > 0 and plain_text and is_number(text):
            top = frozenset(t for a, b, _, d, t, _ in cells if a < heads and b <= c0 <= d and t)
            stub = next((t for a, b, c, _, t, _ in cells if b == 0 and a <= r0 <= c and a >= heads), "")
            out.append((plain_text, top, stub, text))
    return out


def right_numbers(wanted: list[tuple[str, frozenset[str], str, str]], table: Json) -> tuple[int, int]:
    """How many gold numbers have a tuple with the same text, the same labels on top and the row's label among those at
    the left; how many tuples that are numbers there are.
    """
    given = [
        (
            normal(t.get("text") or "", 2),
            [normal(x, 2) for x in t.get("top") or []],
            [normal(x, 2) for x in t.get("left") or []],
        )
        for t in table.get("tuples") or []
        if is_number(t.get("text") or "")
    ]
    free: dict[str, list[int]] = defaultdict(list)
    for k, one in enumerate(given):
        free[one[0]].append(k)
    right = 0
    for text, top, stub, _ in wanted:
        for k in free[text]:
            _, above, beside = given[k]
            above = [x for x in above if x]
            if covers(top, above) and covers(above, top) and (not stub or covers([stub], beside)):
                free[text].remove(k)
                right += 1
                break
    return right, len(given)


class ArticleScores:
    """Gathers what was found, document by document."""

    def __init__(self, rule: int) -> None:
        self.rule = rule
        self.sums: Counter[str] = Counter()
        self.fields: dict[str, Counter[str]] = {field: Counter() for field in FIELDS}
        self.missed: Counter[str] = Counter()
        self.shares: list[tuple[float, float]] = []  # precision and recall of the relations of each document

    def add(self, gold: Json, doc: Json | None) -> None:
        tables = tables_of(doc)
        want = [relations(squeeze(grid_of(t)), self.rule) for t in gold["tables"]]
        have = [relations(squeeze(grid_of(t)), self.rule) for t in tables]
        pairs = match_tables(gold["tables"], tables)
        own: Counter[str] = Counter(
            gold=sum(w.total() for w in want),
            given=sum(h.total() for h in have),
            tables=len(want),
            found=len(have),
            matched=len(pairs),
            numbers=sum(len(gold_numbers(t)) for t in gold["tables"]),
        )
        for i, j in pairs:
            k, n, m = (want[i] & have[j]).total(), want[i].total(), have[j].total()
            own.update(right=k, matched_gold=n, matched_given=m, good=int(k >= 0.9 * n and k >= 0.9 * m))
            own.update(_judge_pair(gold["tables"][i], tables[j]))
            for field, value in table_metadata(gold["tables"][i], tables[j]).items():
                self.fields[field].update(value)
        for i in set(range(len(want))) - {i for i, _ in pairs}:
            for value in table_metadata(gold["tables"][i], None).values():
                self.missed.update(value)
        for field, value in document_metadata(gold, doc).items():
            self.fields[field].update(value)
        self.shares.append((ratio(own["right"], own["given"]), ratio(own["right"], own["gold"])))
        self.sums.update(own)

    def figures(self) -> Json:
        s = self.sums
        p, q = mean([x for x, _ in self.shares]), mean([y for _, y in self.shares])
        whole: Counter[str] = Counter()
        for one in self.fields.values():
            whole.update(one)
        return {
            **{name: s[name] for name in ("tables", "found", "matched", "good")},
            "tables_P": ratio(s["matched"], s["found"]),
            "tables_R": ratio(s["matched"], s["tables"]),
            "tables_F1": ratio(2 * s["matched"], s["found"] + s["tables"]),
            "cells_P": p,
            "cells_R": q,
            "cells_F1": f1(p, q),
            "pooled_P": ratio(s["right"], s["given"]),
            "pooled_R": ratio(s["right"], s["gold"]),
            "pooled_F1": ratio(2 * s["right"], s["gold"] + s["given"]),
            "matched_P": ratio(s["right"], s["matched_given"]),
            "matched_R": ratio(s["right"], s["matched_gold"]),
            "matched_F1": ratio(2 * s["right"], s["matched_gold"] + s["matched_given"]),
            "header_rows": ratio(s["heads_right"], s["heads"]),
            "header_rows_scored": s["heads"],
            "numbers": s["numbers"],
            "numbers_P": ratio(s["numbers_right"], s["numbers_given"]),
            "numbers_R": ratio(s["numbers_right"], s["numbers"]),
            "numbers_F1": ratio(2 * s["numbers_right"], s["numbers"] + s["numbers_given"]),
            **{field: summary(one) for field, one in self.fields.items()},
            "metadata": summary(whole),
            "metadata_all": summary(whole + self.missed),
        }


def _judge_pair(gold: Json, table: Json) -> Counter[str]:
    """Numbers and head rows of a table that was matched."""
    found: Counter[str] = Counter()
    wanted = gold_numbers(gold)
    if wanted:
        hit, given = right_numbers(wanted, table)
        found.update(numbers_right=hit, numbers_given=given)
    if gold["header_rows"]:
        found.update(heads=1, heads_right=int(table.get("header_rows") == gold["header_rows"]))
    return found


def evaluate_jats(golds: list[Json], found: dict[str, Json], rule: int) -> Json:
    scores = ArticleScores(rule)
    for gold in golds:
        doc = found.get(gold["source"])
        scores.add(gold, None if doc is None or doc.get("error") else doc)
    return scores.figures()


def evaluate(golds: list[Json], found: dict[str, Json]) -> Json:
    """The figures of a printed corpus, from its gold and the lines of the output contract by file name."""
    corpus = golds[0]["corpus"]
    head: Json = {
        "corpus": corpus,
        "documents": len(golds),
        "missing": sum(g["source"] not in found for g in golds),
        "errors": sum(bool(found.get(g["source"], {}).get("error")) for g in golds),
    }
    return head | (evaluate_icdar(golds, found, 1) if corpus == "icdar2013" else evaluate_jats(golds, found, 2))


def describe(result: Json) -> Iterator[str]:
    """The figures, one line each."""
    for name, value in result.items():
        if not isinstance(value, dict):
            yield f"{name:20s} {value:.3f}" if isinstance(value, float) else f"{name:20s} {value}"
    nested = {name: value for name, value in result.items() if isinstance(value, dict)}
    if nested:
        yield f"{'':20s} {'A':>5s} {'B':>5s} {'C':>5s}  precision recall accuracy"
    for name, v in nested.items():
        counts = f"{v['A']:5d} {v['B']:5d} {v['C']:5d}"
        yield f"{name:20s} {counts}  {v['precision']:9.3f} {v['recall']:6.3f} {v['accuracy']:8.3f}"
