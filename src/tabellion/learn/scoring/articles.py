"""Scoring the tables of articles, and their metadata, against the publishers' own markup.

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

Metadata.
metadata  A: right label and content, B: missed, C: wrong. A field with one value is A if right, B if nothing is
          given, C if what is given is wrong. In a list (notes, references, authors) gold items found are A, gold
          items not found B, given items that match no gold item C. precision = A/(A+C), recall = A/(A+B),
          accuracy = A/(A+B+C), as in Liu et al., JCDL 2006. A figure without any item is 0.
          `similar` is 1 - edit distance / longer length, on lower-case letters and digits only.
  index_number      equal after removing blanks and signs; tables without a known label are not scored
  caption           similar >= .9, an opening label (`Table 2.`) removed from the prediction; tables without a known
                    caption are not scored
  caption_position  equal; only where the gold knows it
  footnotes         pairs with similar >= .85, best first, each once; leading marks are removed (letters only
                    as a second try). If the notes joined are similar >= .85 to the gold joined, all are right
  references        a linked gold sentence is A if a passage holds, in order, >= .8 of its words, else B; a passage
                    (first 400 words) that holds no gold sentence at all, linked or not, is C
  title             similar >= .9
  authors           family name in full and the initial of the first given name, in any order, each once
  metadata          the sum of all fields over matched tables, title and authors of all documents
  metadata_all      the same, with all items of gold tables that were not matched as B
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from tabellion.learn.scoring.printed import (
    Json,
    evaluate_icdar,
    f1,
    grid_of,
    mean,
    normal,
    plain,
    ratio,
    relations,
    similarity,
    squeeze,
    tables_of,
)

FIELDS = ("index_number", "caption", "caption_position", "footnotes", "references", "title", "authors")
LABEL = re.compile(r"^\s*(?:supplement\w*\s+)?tab(?:le|\.)?[\s\u00a0-]*(?:\d+|[ivxl]+)\b[\s.:|\u2013\u2014-]*", re.I)
MARK = re.compile(r"^[\W\d_]+")
LETTER_MARK = re.compile(r"^[\W\d_]*(?:[a-z](?:\s*,\s*[a-z])*(?=[\sA-Z:=)]))?[\W\d_]*")


def note_forms(note: str) -> list[str]:
    """A note without its mark: signs and digits; then also letters such as `a` or `a,b`."""
    return list(
        dict.fromkeys(p for p in (plain(MARK.sub("", note)), plain(LETTER_MARK.sub("", note)), plain(note)) if p)
    )


def note_similarity(a: str, b: str) -> float:
    return max((similarity(x, y, 0.85) for x in note_forms(a) for y in note_forms(b)), default=0.0)


def pair_up(left: int, right: int, score: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """One-to-one pairs with a positive score, best first."""
    scored = sorted(((score(i, j), -i, -j) for i in range(left) for j in range(right)), reverse=True)
    used_left, used_right, pairs = set(), set(), []
    for value, i, j in scored:
        if value > 0 and -i not in used_left and -j not in used_right:
            used_left.add(-i)
            used_right.add(-j)
            pairs.append((-i, -j))
    return pairs


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKC", text or "").lower())


def holds(sentence: list[str], passage: list[str]) -> bool:
    """Whether the passage has at least .8 of the sentence's words, in order."""
    if not sentence:
        return False
    blocks = difflib.SequenceMatcher(None, sentence, passage, autojunk=False).get_matching_blocks()
    return sum(b.size for b in blocks) >= 0.8 * len(sentence)


def name_words(name: str) -> list[str]:
    folded = "".join(c for c in unicodedata.normalize("NFKD", name or "") if not unicodedata.combining(c)).lower()
    return [w for w in (re.sub(r"\d+$", "", t) for t in re.findall(r"\w+", folded)) if w]


def same_author(gold: Json, given: str) -> bool:
    family, first, got = name_words(gold["family"]), name_words(gold["given"]), name_words(given)
    for k in range(len(got) - len(family) + 1):
        if family and got[k : k + len(family)] == family:
            rest = got[:k] + got[k + len(family) :]
            if not first or any(w[0] == first[0][0] for w in rest):
                return True
    return False


def abc(right: int = 0, missed: int = 0, wrong: int = 0) -> Counter[str]:
    return Counter(A=right, B=missed, C=wrong)


def single(
    wanted: str | None, given: str | None, same: Callable[[str, str], bool], optional: bool = False
) -> Counter[str]:
    """A field with one value. `optional`: what is given where the gold knows nothing is not judged."""
    if not wanted:
        return abc(wrong=int(bool(given) and not optional))
    if not given:
        return abc(missed=1)
    return abc(right=1) if same(wanted, given) else abc(wrong=1)


def score_footnotes(wanted: list[str], given: list[str]) -> Counter[str]:
    if wanted and given and note_similarity(" ".join(wanted), " ".join(given)) >= 0.85:
        return abc(right=len(wanted))
    pairs = pair_up(len(wanted), len(given), lambda i, j: note_similarity(wanted[i], given[j]))
    return abc(len(pairs), len(wanted) - len(pairs), len(given) - len(pairs))


def score_references(wanted: list[Json], given: list[str]) -> Counter[str]:
    passages = [words(p)[:400] for p in given]
    linked = [words(r["text"]) for r in wanted if r["via"] == "xref"]
    every = [words(r["text"]) for r in wanted]
    right = sum(any(holds(s, p) for p in passages) for s in linked)
    wrong = sum(not any(holds(s, p) for s in every) for p in passages)
    return abc(right, len(linked) - right, wrong)


def table_metadata(gold: Json, table: Json | None) -> dict[str, Counter[str]]:
    given = ((table or {}).get("metadata") or {}).get("affiliated") or {}
    caption = LABEL.sub("", given.get("caption") or "")
    return {
        "index_number": single(
            gold["label"], given.get("index_number"), lambda a, b: plain(a) == plain(b), optional=True
        ),
        "caption": single(
            gold["caption"],
            caption,
            lambda a, b: similarity(plain(LABEL.sub("", a)), plain(b), 0.9) >= 0.9,
            optional=True,
        ),
        "caption_position": single(
            gold["caption_position"], none_to_null(given.get("caption_position")), lambda a, b: a == b, optional=True
        ),
        "footnotes": score_footnotes(gold["footnotes"], [str(x) for x in given.get("footnotes") or []]),
        "references": score_references(gold["references"], [str(x) for x in given.get("references") or []]),
    }


def none_to_null(value: str | None) -> str | None:
    return None if value == "none" else value


def document_metadata(gold: Json, doc: Json | None) -> dict[str, Counter[str]]:
    given = doc or {}
    people = [str(a) for a in given.get("authors") or []]
    pairs = pair_up(len(gold["authors"]), len(people), lambda i, j: float(same_author(gold["authors"][i], people[j])))
    return {
        "title": single(gold["title"], given.get("title"), lambda a, b: similarity(plain(a), plain(b), 0.9) >= 0.9),
        "authors": abc(len(pairs), len(gold["authors"]) - len(pairs), len(people) - len(pairs)),
    }


def bag(table: Json) -> Counter[str]:
    return Counter(w for c in table.get("cells") or [] for w in words(c.get("text") or ""))


def match_tables(gold: list[Json], found: list[Json]) -> list[tuple[int, int]]:
    a, b = [bag(t) for t in gold], [bag(t) for t in found]

    def score(i: int, j: int) -> float:
        value = ratio(2 * (a[i] & b[j]).total(), a[i].total() + b[j].total())
        return value if value >= 0.5 else 0.0

    return pair_up(len(a), len(b), score)


def summary(c: Counter[str]) -> Json:
    return {
        "A": c["A"],
        "B": c["B"],
        "C": c["C"],
        "precision": ratio(c["A"], c["A"] + c["C"]),
        "recall": ratio(c["A"], c["A"] + c["B"]),
        "accuracy": ratio(c["A"], c["A"] + c["B"] + c["C"]),
    }


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
