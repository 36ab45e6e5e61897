"""Web tables and tables of articles as drafts: `pages`, `xmltables`, `hitab-top`.

In: folders of corpora. Out: drafts with gold. Tables of `pages` are read by this program from the saved page and laid
over their gold by the texts of cells, since reading leaves out empty lines. `xmltables` gives the heads that publishers
marked, the spans of which make the upper tree; its stubs and row trees are not known. `hitab-top` gives trees.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from tabellion.interpret.targets import GROUP, HEAD, LEVEL, VALUE
from tabellion.learn.interpret.corpora import cell_at, lay_gold, read_golds, read_sheet
from tabellion.learn.interpret.draft import Cell, Draft, draft_of
from tabellion.locate import locate_regions
from tabellion.model.document import MarkupRegion
from tabellion.model.markup import MarkupPage
from tabellion.read import read_document
from tabellion.recognise import recognise_grid

_ALIKE = 0.9  # share of a table's texts that lie where the gold's do, from which on nothing is moved


def page_drafts(folder: Path) -> Iterator[tuple[Draft, dict[str, Any]]]:
    """The tables of `pages`, as this program reads them, with their gold laid over them."""
    by_file: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for gold in read_golds(folder):
        if gold.get("tables"):
            by_file[gold["file"]].append(gold)
    for file, golds in by_file.items():
        regions = {
            region.place.table_index: region
            for page in read_document(folder / "pages" / file).pages
            if isinstance(page, MarkupPage)
            for region in locate_regions(page)
        }
        for gold in golds:
            region = regions.get(gold["table_index"])
            if isinstance(region, MarkupRegion):
                own = draft_of(recognise_grid(region))
                draft = _laid_over(own, gold)
                draft.name = f"{folder.name}/{file}"
                lay_gold(draft, gold)
                yield draft, gold


def _squeezed(text: str) -> str:
    """The letters and digits of a text: signs of money and percent may be cells of their own, or not."""
    return "".join(re.findall(r"\w", text)).lower()


def _laid_over(draft: Draft, gold: Mapping[str, Any]) -> Draft:
    """The draft with its lines at the gold's, found by the texts of the cells; what is not found there is left out."""
    own = {cell: _squeezed(text) for cell, (text, _) in draft.cells.items()}
    wanted = {cell_at(one): _squeezed(text) for one, text in gold["texts"].items() if text.strip()}
    if sum(wanted.get(cell) == text for cell, text in own.items() if text) >= _ALIKE * sum(map(bool, own.values())):
        return draft
    mine, theirs = _lines(own), _lines(wanted)
    match = SequenceMatcher(None, list(mine.values()), list(theirs.values()), autojunk=False)
    names = list(mine), list(theirs)
    rows = {names[0][b.a + k]: names[1][b.b + k] for b in match.get_matching_blocks() for k in range(b.size)}
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for (row, column), text in own.items():
        for (other, at), it in wanted.items():
            if text and other == rows.get(row) and it == text:
                votes[column][at] += 1
    columns = {column: max(count, key=lambda at: (count[at], -abs(at - column))) for column, count in votes.items()}
    moved = Draft(draft.medium, draft.found)

    def place(cell: Cell) -> Cell | None:
        return (rows[cell[0]], columns[cell[1]]) if cell[0] in rows and cell[1] in columns else None

    for cell, held in draft.cells.items():
        if (spot := place(cell)) is not None:
            moved.cells[spot] = held
            if cell in draft.spans:
                down, across = draft.spans[cell]
                end = place((cell[0] + down - 1, cell[1] + across - 1))
                moved.spans[spot] = (end[0] - spot[0] + 1, end[1] - spot[1] + 1) if end and end >= spot else (1, 1)
    return moved


def _lines(texts: Mapping[Cell, str]) -> dict[int, str]:
    lines: dict[int, str] = defaultdict(str)
    for cell in sorted(texts):
        lines[cell[0]] += texts[cell]
    return dict(sorted(lines.items()))


def article_drafts(folder: Path, each: int = 1) -> Iterator[Draft]:
    """Every so many tables of `xmltables`: their heads and spans as the publishers marked them."""
    import msgspec

    lines = (folder / "tables.jsonl").read_bytes().splitlines()
    for line in lines[::each]:
        gold = msgspec.json.decode(line)
        page = read_document(gold["html"].encode()).pages[0]
        regions = locate_regions(page) if isinstance(page, MarkupPage) else []
        if not regions or not gold["head_rows"]:
            continue
        draft = draft_of(recognise_grid(regions[0]))
        draft.name = f"xmltables/{gold['article']}"
        if len(draft.cells) < 600 and _lay_heads(draft, gold["head_rows"]):
            yield draft


def _lay_heads(draft: Draft, head_rows: int) -> bool:
    """Heads, and what spans them above; whether the table has the rows for them."""
    rows = sorted({row for row, _ in draft.cells})
    width = max((column for _, column in draft.cells), default=0) + 1
    if len(rows) <= head_rows + 1 or width < 2:
        return False
    head = set(range(head_rows))
    over: dict[int, list[Cell]] = defaultdict(list)
    for cell in sorted(draft.cells):
        if cell[0] in head:
            for column in range(cell[1], cell[1] + draft.spans.get(cell, (1, 1))[1]):
                over[column].append(cell)
    for cell in draft.cells:
        draft.table[cell] = 0
        in_row = sum(row == cell[0] for row, _ in draft.cells) if cell[1] == 0 else 2
        if cell[0] in head:
            if cell[1] == 0:
                draft.role[cell] = LEVEL
                continue
            draft.role[cell] = HEAD
            above = [one for one in over[cell[1]] if one[0] < cell[0]]
            draft.parent[cell] = above[-1] if above and draft.role.get(above[-1], HEAD) == HEAD else None
        elif in_row == 1 and draft.spans.get(cell, (1, 1))[1] >= width - 1:
            draft.role[cell] = GROUP
        elif cell[1] >= width // 2:  # surely a value; what is a stub nobody marked
            draft.role[cell] = VALUE
            draft.head[cell] = over[cell[1]][-1] if over[cell[1]] else None
    return True


def hitab_drafts(folder: Path) -> Iterator[Draft]:
    """The sheets of `hitab-top`: heads, stubs and both trees."""
    for gold in read_golds(folder):
        draft = read_sheet(folder / "inputs" / gold["file"], None)
        if draft is None or len(draft.cells) > 1_500:
            continue
        last = max(row for row, _ in draft.cells), max(column for _, column in draft.cells)
        if min(draft.cells)[0] or min(column for _, column in draft.cells):
            continue
        draft.name = f"hitab-top/{gold['file']}"
        letters = _letters(last[1])
        lay_gold(
            draft,
            {
                "tables": [
                    {
                        "range": f"A1:{letters}{last[0] + 1}",
                        "header_rows": gold["header_rows"],
                        "stub_columns": gold["header_columns"],
                        "top": gold["top"],
                        "left": [[cell_at(one)[0] + 1, cell_at(other)[0] + 1] for one, other in gold["left"]],
                        "level_names": [],
                    }
                ]
            },
        )
        for cell, role in draft.role.items():
            if role == HEAD and cell[1] < gold["header_columns"]:
                draft.role[cell] = LEVEL
                draft.parent.pop(cell, None)
        draft.rows_judged = False
        yield draft


def _letters(column: int) -> str:
    found = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(65 + rest) + found
    return found
