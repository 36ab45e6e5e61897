"""Printed specimens: pages made as HTML, printed by Chromium, with the place of every cell.

In: a number of documents and a folder to keep them in. Out: for each document its pages and its tables laid over their
words, as `gold` gives for real documents. Needs Chromium (`chromium` on the path).

Specimen pages: tables among real text, as HTML to be printed. In: a random generator. Out: the HTML of a document of
some pages in one of many styles (ruled, three-line, borderless, shaded; one and two columns; justified or not), with
what tables are confused with around them: lists, contents with leaders, equations, charts, references, addresses. Every
cell's text is inside a link whose address says table, row and column, so that the printed PDF tells where each cell is.
"""

from __future__ import annotations

import html
import random
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from tabellion.errors import MissingExtraError, TabellionError
from tabellion.learn.corpora import corpus_folder, spread
from tabellion.learn.printed.gold import GoldCell, GoldTable, Laid
from tabellion.learn.printed.specimen_tables import Specimen, draw_table, phrase
from tabellion.model.printed import PrintedPage
from tabellion.read.pdf.document import PrintedPages

HOST = "http://specimen.test/"
_FONTS = (
    "Liberation Serif", "Liberation Serif", "Liberation Sans", "Liberation Sans", "DejaVu Sans", "DejaVu Serif", "FreeSerif",
    "FreeSans", "Carlito", "Caladea", "Latin Modern Roman", "Latin Modern Sans", "TeX Gyre Termes", "TeX Gyre Heros",
    "TeX Gyre Pagella", "Linux Libertine O", "Liberation Sans Narrow", "Liberation Mono",
)  # fmt: skip
_FRAMES = (
    "grid",
    "grid",
    "three-line",
    "three-line",
    "three-line",
    "none",
    "head-line",
    "rows",
    "zebra",
    "box",
    "columns",
    "shaded",
)
_LABELS = (
    "Table {n}. ",
    "Table {n}: ",
    "Table {n} ",
    "TABLE {n}. ",
    "<b>Table {n}.</b> ",
    "<b>Table {n}</b> ",
    "Tab. {n}: ",
    "Table {n} – ",
    "",
)
_LONG = 38  # letters from which a text is wrapped where others are not
_RAISED = re.compile(r"\{\^([^}]*)\}")


def write_document(seed: int) -> tuple[str, list[Specimen]]:
    """The HTML of a specimen document, and its tables in the order of their numbers."""
    chance = random.Random(seed)  # noqa: S311
    tables: list[Specimen] = []
    parts: list[str] = []
    two = chance.random() < 0.35
    for _ in range(chance.randint(2, 5)):
        parts += [_filler(chance) for _ in range(chance.randint(0, 4))]
        table = draw_table(chance)
        parts.append(_write_table(chance, table, len(tables), two))
        tables.append(table)
    parts += [_filler(chance) for _ in range(chance.randint(0, 3))]
    return _page(chance, two, "\n".join(parts)), tables


@lru_cache(maxsize=1)
def _paragraphs() -> tuple[str, ...]:
    """Paragraphs of saved pages."""
    folder = corpus_folder("webtables")
    if folder is None:
        raise TabellionError("corpus webtables not found")
    found: list[str] = []
    for path in sorted((folder / "pages").iterdir())[:200]:
        text = path.read_text(encoding="utf-8", errors="replace")
        for inner in re.findall(r"<p\b[^>]*>(.*?)</p>", text, re.S | re.I)[:25]:
            plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inner)).split())
            if 120 < len(plain) < 1200 and "{" not in plain:
                found.append(plain)
    return tuple(found)


def _page(chance: random.Random, two: bool, body: str) -> str:
    size = chance.choice(("A4", "A4", "letter", "letter", "A5", "A4 landscape"))
    font = chance.choice(_FONTS)
    points = chance.choice((8, 9, 9.5, 10, 10, 11, 12))
    boxes = ""
    if chance.random() < 0.6:
        edge = chance.choice(("top-left", "top-center", "top-right"))
        boxes += f"@{edge}{{content:'{phrase(chance, 2, 6)}';font-size:80%}}"
    if chance.random() < 0.7:
        edge = chance.choice(("bottom-left", "bottom-center", "bottom-right"))
        boxes += f"@{edge}{{content:'{phrase(chance, 1, 3)}   ' counter(page);font-size:80%}}"
    columns = "column-count:2;column-gap:18pt;" if two else ""
    justify = "justify" if chance.random() < 0.6 else "left"
    return (
        f"<!doctype html><meta charset=utf-8><style>@page{{size:{size};margin:{chance.randint(40, 80)}pt {chance.randint(36, 80)}pt;{boxes}}}"
        f'body{{font:{points}pt/{chance.choice((1.1, 1.2, 1.3, 1.5))} "{font}";margin:0}}'
        f"a{{color:inherit;text-decoration:none}} p{{text-align:{justify};hyphens:auto;margin:0 0 {chance.choice((0, 4, 8))}pt;"
        f"text-indent:{chance.choice((0, 0, 12))}pt}} .flow{{{columns}}} sup{{font-size:70%;line-height:0}}"
        ".wide{column-span:all} figure,.keep{break-inside:avoid;margin:8pt 0} svg text{font-size:8px}"
        ".leader{display:flex}.leader i{flex:1;border-bottom:1px dotted;margin:0 3pt}"
        ".eq{text-align:center;font-style:italic;margin:6pt 0} td,th{font-weight:normal}"
        f'</style><html lang=en><body><div class="flow">{body}</div>'
    )


def _filler(chance: random.Random) -> str:
    """Something that is no table."""
    kind = chance.random()
    if kind < 0.62:
        return f"<p>{html.escape(chance.choice(_paragraphs()))}</p>"
    if kind < 0.72:
        return f"<h{chance.choice((2, 3, 4))}>{html.escape(phrase(chance, 2, 7))}</h3>"
    if kind < 0.8:
        tag = chance.choice(("ul", "ol"))
        items = "".join(f"<li>{html.escape(phrase(chance, 2, 22))}</li>" for _ in range(chance.randint(2, 7)))
        return f"<{tag}>{items}</{tag}>"
    if kind < 0.84:
        return "".join(
            f'<div class="leader"><span>{html.escape(phrase(chance, 2, 6))}</span><i></i><span>{chance.randint(1, 300)}</span></div>'
            for _ in range(chance.randint(3, 9))
        )
    if kind < 0.89:
        letters = chance.sample("xyzabcnkpq", 4)
        return (
            f'<div class="eq">{letters[0]} = {letters[1]}<sub>{chance.randint(1, 9)}</sub> + {letters[2]} / '
            f"(1 − {letters[3]}) &nbsp;&nbsp;&nbsp;({chance.randint(1, 20)})</div>"
        )
    if kind < 0.95:
        return _chart(chance)
    return "".join(
        f"<p>[{n}] {html.escape(chance.choice(_paragraphs())[: chance.randint(60, 200)])} {chance.randint(1980, 2024)}; "
        f"{chance.randint(1, 90)}({chance.randint(1, 12)}): {chance.randint(1, 900)}.</p>"
        for n in range(1, chance.randint(3, 9))
    )


def _chart(chance: random.Random) -> str:
    """A bar or line chart with ticks, labels and a legend."""
    count = chance.randint(3, 9)
    heights = [chance.randint(10, 110) for _ in range(count)]
    step = 240 // count
    bars = "".join(
        f'<rect x="{40 + k * step}" y="{130 - h}" width="{step * 0.6:.0f}" height="{h}" fill="#{chance.randrange(0x1000000):06x}"/>'
        f'<text x="{40 + k * step}" y="142">{chance.choice((2000 + k, phrase(chance, 1, 1)))}</text>'
        f'<text x="{40 + k * step}" y="{126 - h}">{h}</text>'
        for k, h in enumerate(heights)
    )
    ticks = "".join(
        f'<text x="10" y="{130 - t}">{t}</text><line x1="36" x2="290" y1="{130 - t}" y2="{130 - t}" stroke="#ccc"/>'
        for t in range(0, 121, 20)
    )
    caption = f"Figure {chance.randint(1, 9)}. {html.escape(phrase(chance, 4, 16))}"
    return f'<figure><svg width="300" height="150">{ticks}{bars}</svg><figcaption>{caption}</figcaption></figure>'


def _text(text: str) -> str:
    return _RAISED.sub(r"<sup>\1</sup>", html.escape(text))


def _write_table(chance: random.Random, table: Specimen, number: int, two: bool) -> str:
    """One table with caption and notes."""
    columns = max(c + a for _, c, _, a, _ in table.cells)
    wide = two and (columns > 5 or chance.random() < 0.4)
    frame = chance.choice(_FRAMES)
    scale = chance.choice((70, 75, 80, 85, 90, 100))
    label = chance.choice(_LABELS).format(n=number + 1)
    title = _text(table.title or phrase(chance, 3, 15))
    caption = (
        f'<div class="keep"><a href="{HOST}{number}/caption">{label}{title}</a></div>' if chance.random() < 0.8 else ""
    )
    notes = "".join(f'<div><a href="{HOST}{number}/note">{_text(n)}</a></div>' for n in table.notes)
    below = chance.random() < 0.15
    width = chance.choice(("auto", "auto", "100%", "100%", f"{chance.randint(60, 95)}%"))
    style = f"font-size:{scale}%;line-height:{chance.choice((1.0, 1.1, 1.2, 1.35))}"
    tag = f"t{number}"
    body = (
        f"<style>{_table_style(chance, tag, frame, width)}</style>"
        f'<table class="{tag}">{_rows(chance, table, number, tag)}</table>'
    )
    inner = f"{'' if below else caption}{body}{caption if below else ''}"
    font = f'font-family:"{chance.choice(_FONTS)}";' if chance.random() < 0.3 else ""
    classes = ("wide " if wide else "") + ("keep" if len(table.cells) < 200 and chance.random() < 0.7 else "")
    return (
        f'<div class="{classes}" style="{font}{style};margin:{chance.choice((4, 8, 12, 18))}pt 0">{inner}'
        f'<div style="font-size:90%;margin-top:{chance.choice((0, 2, 4))}pt">{notes}</div></div>'
    )


def _table_style(chance: random.Random, tag: str, frame: str, width: str) -> str:
    pad_y, pad_x = chance.choice((0, 0.5, 1, 2, 3, 5)), chance.choice((1, 2, 3, 4, 6, 9))
    pen = f"{chance.choice((0.4, 0.5, 0.75, 1))}pt solid #{chance.choice(('000', '000', '000', '888', '369'))}"
    numbers = chance.choice(("right", "right", "center", "center", "left"))
    valign = chance.choice(("top", "top", "middle", "middle", "bottom", "baseline"))
    head_weight = chance.choice(("bold", "bold", "normal"))
    layout = chance.choice(("auto", "auto", "auto", "fixed"))
    wrap = chance.choice(("normal", "nowrap"))
    margin = chance.choice(("0", "0 auto"))
    rules = [
        f".{tag}{{border-collapse:collapse;width:{width};table-layout:{layout};margin:{margin}}}",
        f".{tag} td,.{tag} th{{padding:{pad_y}pt {pad_x}pt;vertical-align:{valign};text-align:left}}",
        f".{tag} .n{{text-align:{numbers}}}",
        f".{tag} td:not(.l){{white-space:{wrap}}}",
        f".{tag} thead th{{font-weight:{head_weight};vertical-align:{chance.choice(('bottom', 'middle', 'top'))};"
        f"text-align:{chance.choice(('center', 'center', 'left'))}}}",
        f".{tag} tr.g td{{font-weight:{chance.choice(('bold', 'bold', 'normal'))};font-style:{chance.choice(('normal', 'italic'))}}}",
    ]
    lines = {
        "grid": f".{tag} td,.{tag} th{{border:{pen}}}",
        "three-line": f".{tag}{{border-top:{pen};border-bottom:{pen}}} .{tag} tr.h td,.{tag} tr.h th{{border-bottom:{pen}}}",
        "head-line": f".{tag} tr.h th,.{tag} tr.h td{{border-bottom:{pen}}}",
        "rows": f".{tag} td,.{tag} th{{border-bottom:{pen}}} .{tag}{{border-top:{pen}}}",
        "zebra": f".{tag} tbody tr:nth-child(even){{background:#eee}} .{tag} thead{{background:#{chance.choice(('cde', 'ddd', '246'))}}}",
        "box": f".{tag}{{border:{pen}}} .{tag} tr.h th{{border-bottom:{pen}}}",
        "columns": f".{tag} td+td,.{tag} th+th{{border-left:{pen}}} .{tag} tr.h th{{border-bottom:{pen}}}",
        "shaded": f".{tag} td,.{tag} th{{border:1pt solid #fff;background:#{chance.choice(('def', 'eee', 'fed'))}}}",
    }
    rules.append(lines.get(frame, ""))
    if frame in ("three-line", "head-line", "box") and chance.random() < 0.7:
        rules.append(f".{tag} th.s>span{{display:block;border-bottom:{pen};margin:0 2pt}}")
    if chance.random() < 0.3:
        rules.append(f".{tag} td:first-child{{width:{chance.randint(12, 40)}%}}")
    if chance.random() < 0.3:
        rules.append(f".{tag} td:last-child{{width:{chance.randint(10, 45)}%}}")
    return "".join(rules)


def _rows(chance: random.Random, table: Specimen, number: int, tag: str) -> str:
    """The rows of a table, its header in `thead`."""
    height = max(r + d for r, _, d, _, _ in table.cells)
    width = max(c + a for _, c, _, a, _ in table.cells)
    at = {(r, c): (d, a, t) for r, c, d, a, t in table.cells}
    covered = {(r + i, c + j) for r, c, d, a, _ in table.cells for i in range(d) for j in range(a)} - set(at)
    step = chance.choice((6, 9, 14))
    rows: list[str] = []
    for r in range(height):
        head = r < table.header_rows
        cells: list[str] = []
        for c in range(width):
            if (r, c) in covered:
                continue
            down, across, text = at.get((r, c), (1, 1, ""))
            name = "th" if head else "td"
            link = f'<a href="{HOST}{number}/{r}/{c}">{_text(text)}</a>' if text else ""
            classes = "n" if not head and re.match(r"[\d$<(+\-–•x\[.]", text) else ("s" if head and across > 1 else "")
            classes += " l" if len(text) > _LONG else ""
            indent = f' style="padding-left:{step * table.indents[r]}pt"' if c == 0 and table.indents.get(r) else ""
            spans = (f" rowspan={down}" if down > 1 else "") + (f" colspan={across}" if across > 1 else "")
            cells.append(f'<{name} class="{classes}"{spans}{indent}><span>{link}</span></{name}>')
        kind = "h" if r == table.header_rows - 1 else "g" if r in table.groups else ""
        rows.append(f'<tr class="{kind}">{"".join(cells)}</tr>')
    heads = "".join(rows[: table.header_rows])
    return f"<thead>{heads}</thead><tbody>{''.join(rows[table.header_rows :])}</tbody>"


_SECONDS = 60  # for one document


def print_specimens(folder: Path, count: int, first: int = 0) -> None:
    """Print documents that the folder does not hold yet, each with its gold beside it: they are of one making."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise MissingExtraError("printing specimens needs Chromium on the path")
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        target = folder / f"{seed:05d}.pdf"
        gold = target.with_suffix(".json")
        if target.exists() and gold.exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            page = Path(scratch) / "page.html"
            text, tables = write_document(seed)
            page.write_text(text, encoding="utf-8")
            command = [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={scratch}/u",
                f"--print-to-pdf={target}", page.as_uri(),
            ]  # fmt: skip
            subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)  # noqa: S603
        if target.exists():
            gold.write_bytes(msgspec.json.encode(tables))


def read_specimens(folder: Path) -> list[tuple[str, list[PrintedPage], list[GoldTable]]]:
    """The name, the pages and the laid tables of each printed document."""
    return spread(_read_specimen, sorted(folder.glob("*.json")))


def _read_specimen(gold: Path) -> tuple[str, list[PrintedPage], list[GoldTable]]:
    path = gold.with_suffix(".pdf")
    tables = msgspec.json.decode(gold.read_bytes(), type=list[Specimen])
    pages = PrintedPages(path.read_bytes())
    views = list(pages)
    return path.stem, views, _lay(views, pages, tables)


def _lay(views: list[PrintedPage], pages: PrintedPages, tables: list[Specimen]) -> list[GoldTable]:
    """Each table's cells with the words that lie in their links."""
    words: list[dict[tuple[int, int], list[Laid]]] = [{} for _ in tables]
    notes: list[dict[str, list[Laid]]] = [{} for _ in tables]
    for k, view in enumerate(views):
        x = (view.words.box[:, 0] + view.words.box[:, 2]) / 2
        y = (view.words.box[:, 1] + view.words.box[:, 3]) / 2
        for address, (left, top, right, bottom) in pages.links(view.number):
            if not address.startswith(HOST):
                continue
            number, *rest = address.removeprefix(HOST).split("/")
            inside = np.flatnonzero((x > left - 0.5) & (x < right + 0.5) & (y > top - 1) & (y < bottom + 1))
            if not len(inside):
                continue
            place = Laid(k, tuple(inside.tolist()))
            if len(rest) == 2:
                words[int(number)].setdefault((int(rest[0]), int(rest[1])), []).append(place)
            else:
                notes[int(number)].setdefault(rest[0], []).append(place)
    return [_table(t, w, n) for t, w, n in zip(tables, words, notes, strict=True)]


def _table(table: Specimen, words: dict[tuple[int, int], list[Laid]], notes: dict[str, list[Laid]]) -> GoldTable:
    cells = tuple(GoldCell(*c) for c in table.cells if c[4].strip())
    places: list[Laid | None] = []
    for cell in cells:
        found = words.get((cell.row, cell.column), [])
        same = [f for f in found if f.view == found[0].view]
        places.append(Laid(found[0].view, tuple(sorted({w for f in same for w in f.words}))) if found else None)
    got = sum(p is not None for p in places) / max(len(places), 1)
    gold = {
        "cells": [
            {"row": c.row, "column": c.column, "row_span": c.row_span, "column_span": c.column_span, "text": c.text}
            for c in cells
        ],
        "header_rows": table.header_rows,
        "beside": notes,
    }
    return GoldTable(gold, cells, tuple(places), got)
