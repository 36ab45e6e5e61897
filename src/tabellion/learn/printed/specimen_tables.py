"""What specimens are printed from: tables of the sheet and web corpora, and invented ones.

Goes in: a random generator. Comes out: tables as plain cells, with title and notes, none of which ever stood in a PDF
of the corpora that are measured. Invented tables have what statistical and scientific tables have and sheets seldom do:
means with deviations, raised marks, units, sequences, long wrapped texts.
"""

from __future__ import annotations

import json
import random
from functools import lru_cache

import msgspec

from tabellion.errors import TabellionError
from tabellion.learn.corpora import corpus_folder, load_gold
from tabellion.model.document import Sheet
from tabellion.read import read_document

_MOST_ROWS, _MOST_COLUMNS, _LONGEST_TEXT = 38, 13, 160
_WORDS = (
    "rate of change in the total annual growth by region, mean value per sample and treatment group after control for age "
    "number of persons reported with at least one estimated share under observed conditions during first second third year "
    "method result response time energy temperature pressure density surface volume protein cell plant leaf extract "
    "water soil health care service household income education level industry public private local national"
).split()
_NAMES = (
    "Austria Belgium Denmark Finland France Germany Greece Ireland Italy Norway Poland Portugal Spain Sweden Canada Mexico "
    "Liver Kidney Heart Spleen Control Sham Vehicle Placebo Limonene Linalool Eugenol Camphene Sabinene Glucose Fructose "
    "Manufacturing Construction Transport Agriculture Mining Wholesale Finance Insurance Welfare Housing Culture"
).split()
_UNITS = (
    "(%)",
    "(mg/kg)",
    "(n = 12)",
    "(USD)",
    "(min)",
    "(kg/year)",
    "(95% CI)",
    "(g)",
    "(thousands)",
    "(per 1,000)",
    "(µg/ml)",
)


class Specimen(msgspec.Struct, frozen=True):
    """A table to print. Text may hold raised marks as `{^a}`."""

    cells: tuple[tuple[int, int, int, int, str], ...]  # row, column, row span, column span, text
    header_rows: int
    groups: frozenset[int] = frozenset()  # rows that only name those below
    indents: dict[int, int] = {}
    title: str = ""
    notes: tuple[str, ...] = ()


def draw_table(chance: random.Random) -> Specimen:
    """A table of the corpora or an invented one."""
    kind = chance.random()
    if kind < 0.55:
        return invent(chance)
    return _cut(chance.choice(_collected()), chance)


@lru_cache(maxsize=1)
def _collected() -> tuple[Specimen, ...]:
    return (*_of_wiki(), *_of_sheets())


def _of_wiki() -> list[Specimen]:
    folder = corpus_folder("wiki-headers")
    if folder is None:
        raise TabellionError("corpus wiki-headers not found")
    result = []
    for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        gold = json.loads(line)
        cells = tuple(
            (c["row"], c["column"], c["row_span"], c["column_span"], " ".join(c["text"].split())[:_LONGEST_TEXT])
            for c in gold["cells"]
        )
        groups = frozenset(c["row"] for c in gold["cells"] if c["role"] == "group")
        result.append(Specimen(cells, gold["header_rows"] + gold["title_rows"], groups, {}, ""))
    return result


def _of_sheets() -> list[Specimen]:
    result = []
    for corpus in ("hitab-top", "troy200"):
        folder = corpus_folder(corpus)
        if folder is None:
            raise TabellionError(f"corpus {corpus} not found")
        for gold in load_gold(folder):
            page = read_document(folder / "inputs" / gold["file"]).pages[0]
            if isinstance(page, Sheet):
                result.append(_of_sheet(page, gold))
    return [s for s in result if s.cells]


def _of_sheet(page: Sheet, gold: dict[str, object]) -> Specimen:
    """A sheet's table: what the gold calls metadata is its title, what it calls notes its notes."""
    kinds = {int(k): v for k, v in dict(gold.get("lines") or {}).items()}  # type: ignore[call-overload]
    merges = {(m.top, m.left): m for m in page.merges}
    texts: dict[tuple[int, int], str] = {}
    for row, column, text in zip(page.cells.row.tolist(), page.cells.column.tolist(), page.cells.text, strict=True):
        if str(text).strip():
            texts[row, column] = " ".join(str(text).split())[:_LONGEST_TEXT]
    body = [r for r in sorted({r for r, _ in texts}) if kinds.get(r) not in ("metadata", "notes")]
    if not body:
        return Specimen((), 0)
    columns = sorted({c for r, c in texts if r in set(body)})
    row_at, column_at = {r: k for k, r in enumerate(body)}, {c: k for k, c in enumerate(columns)}
    cells = []
    for (row, column), text in texts.items():
        if row not in row_at:
            continue
        area = merges.get((row, column))
        down = sum(row <= r <= area.bottom for r in body) if area else 1
        across = sum(column <= c <= area.right for c in columns) if area else 1
        cells.append((row_at[row], column_at[column], max(down, 1), max(across, 1), text))
    marked = gold.get("header_rows")
    heads = int(str(marked)) if marked is not None else sum(kinds.get(r) == "header" for r in body)
    notes = tuple(t for (r, _), t in texts.items() if kinds.get(r) == "notes")[:4]
    title = gold.get("title") or " ".join(t for (r, _), t in sorted(texts.items()) if kinds.get(r) == "metadata")
    groups = frozenset(row_at[r] for r in body if kinds.get(r) == "group")
    return Specimen(tuple(sorted(cells)), heads, groups, {}, str(title)[:240], notes)


def _cut(table: Specimen, chance: random.Random) -> Specimen:
    """A table cut to a size that fits a page, its rows to be found by spans that stay whole."""
    rows = max(r + d for r, _, d, _, _ in table.cells)
    columns = max(c + a for _, c, _, a, _ in table.cells)
    most = chance.randint(table.header_rows + 3, _MOST_ROWS)
    widest = chance.randint(min(3, columns), _MOST_COLUMNS)
    if rows <= most and columns <= widest:
        return table
    cells = tuple(
        (r, c, min(d, most - r), min(a, widest - c), t) for r, c, d, a, t in table.cells if r < most and c < widest
    )
    return msgspec.structs.replace(table, cells=cells)


def phrase(chance: random.Random, fewest: int, most: int) -> str:
    """Some words in a row, with a capital."""
    text = " ".join(chance.choices(_WORDS, k=chance.randint(fewest, most)))
    return text[:1].upper() + text[1:]


def invent(chance: random.Random) -> Specimen:
    """A table as statistics and science print them."""
    columns = chance.choice((2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 11))
    rows = chance.choice((2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 28, 34))
    kinds = [chance.choice(_COLUMN_KINDS) for _ in range(columns)]
    kinds[0] = chance.choice(("name", "name", "name", "phrase", "phrase", "year", "number"))
    if columns <= 4 and chance.random() < 0.3:
        kinds[-1] = "long"
    cells: list[tuple[int, int, int, int, str]] = []
    heads = _invent_header(chance, columns, cells)
    groups: set[int] = set()
    indents: dict[int, int] = {}
    grouped = chance.random() < 0.3
    sparse = chance.random() < 0.2
    row = heads
    for n in range(rows):
        if grouped and (n == 0 or chance.random() < 0.2):
            spans = columns if chance.random() < 0.4 else 1
            cells.append((row, 0, 1, spans, phrase(chance, 1, 4)))
            groups.add(row)
            row += 1
        indents[row] = int(grouped and chance.random() < 0.85)
        for c, kind in enumerate(kinds):
            if c and sparse and chance.random() < 0.5:
                continue
            text = _value(chance, kind)
            if text:
                cells.append((row, c, 1, 1, text))
        row += 1
    if chance.random() < 0.3:
        cells.append((row, 0, 1, 1, chance.choice(("Total", "Average", "All", "Mean"))))
        cells += [
            (row, c, 1, 1, _value(chance, k)) for c, k in enumerate(kinds) if c and k not in ("long", "phrase", "name")
        ]
    notes = tuple(f"{{^{m}}} {phrase(chance, 4, 18)}." for m in "abc"[: chance.choice((0, 0, 1, 2, 3))])
    cells = [(r, c, d, a, _marked(chance, t, bool(notes))) for r, c, d, a, t in cells if t]
    return Specimen(tuple(cells), heads, frozenset(groups), indents, phrase(chance, 4, 24), notes)


_COLUMN_KINDS = (
    "number", "number", "decimal", "decimal", "percent", "deviation", "deviation", "interval", "money", "p",
    "name", "phrase", "sign", "code", "year", "bracket",
)  # fmt: skip


def _invent_header(chance: random.Random, columns: int, cells: list[tuple[int, int, int, int, str]]) -> int:
    """Header cells, on one or two rows; how many rows."""
    two = columns >= 3 and chance.random() < 0.4
    column = 0
    while column < columns:
        width = chance.randint(2, min(4, columns - column)) if two and column and columns - column >= 2 else 1
        if width > 1:
            cells.append((0, column, 1, width, phrase(chance, 1, 5)))
            cells += [(1, column + k, 1, 1, _head(chance)) for k in range(width)]
        elif two:
            cells.append(
                (0, column, 2, 1, _head(chance)) if chance.random() < 0.6 else (1, column, 1, 1, _head(chance))
            )
        elif column or chance.random() < 0.8:
            cells.append((0, column, 1, 1, _head(chance)))
        column += width
    return 2 if two else 1


def _head(chance: random.Random) -> str:
    text = phrase(chance, 1, chance.choice((1, 2, 3, 5)))
    return f"{text} {chance.choice(_UNITS)}" if chance.random() < 0.35 else text


def _marked(chance: random.Random, text: str, notes: bool) -> str:
    return f"{text}{{^{chance.choice(('a', 'b', 'c', 'a,b', '*', '1'))}}}" if notes and chance.random() < 0.06 else text


def _value(chance: random.Random, kind: str) -> str:
    """A cell of a column."""
    if chance.random() < 0.05:
        return chance.choice(("–", "-", "n.a.", "", "", "NA", "..."))
    size = chance.choice((10, 100, 1000, 100000, 10000000))
    match kind:
        case "number":
            return f"{chance.randrange(size):,}" if chance.random() < 0.8 else str(chance.randrange(size))
        case "decimal":
            return f"{chance.random() * min(size, 1000):.{chance.choice((1, 2, 2, 3))}f}"
        case "percent":
            return f"{chance.random() * 100:.1f}%" if chance.random() < 0.7 else f"{chance.randrange(100)} %"
        case "deviation":
            mark = f"{{^{chance.choice('abc')}}}" if chance.random() < 0.3 else ""
            return f"{chance.random() * 100:.2f} ± {chance.random() * 5:.2f}{mark}"
        case "interval":
            low = chance.random() * 100
            return f"{low:.1f} ({low * 0.8:.1f}–{low * 1.3:.1f})"
        case "bracket":
            return f"{chance.randrange(500)} ({chance.randrange(100)}%)"
        case "money":
            return f"${chance.randrange(size):,}"
        case "p":
            return chance.choice(("<0.001", "0.03", "0.47", "0.012*", "NS"))
        case "name":
            return " ".join(chance.sample(_NAMES, chance.choice((1, 1, 1, 2))))
        case "phrase":
            return phrase(chance, 1, 5)
        case "long":
            return phrase(chance, 6, 26) + chance.choice(("", "."))
        case "sign":
            return chance.choice(("+", "-", "x", "Yes", "No", "•", "++"))
        case "code":
            return (
                "".join(chance.choices("ACGT", k=chance.randint(10, 22)))
                if chance.random() < 0.5
                else f"[{chance.randrange(99)}]"
            )
        case _:
            return str(chance.randint(1950, 2024))
