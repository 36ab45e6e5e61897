"""Rows to blocks: which rows form one table with its titles and notes.

In: labelled rows. Out: blocks in order, each with title, header, body and note rows. Frames that stack are several
blocks (Chen and Cafarella 2013, section 3.1: "there may be multiple data frames in a spreadsheet, but they only stack
in the vertical dimension"): a head of its own starts the next one. Without a head a title or a note inside a body parts
nothing: it groups the rows below it, as does a lone label over the columns ("Percent distribution"), the first of which
may stand right below the head.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.edge_laws import comes_again
from tabellion.model.arrays import distinct
from tabellion.model.frame import RowLabels, RowRole
from tabellion.model.grid import EMPTY, NUMBER, TEXT, Content, Grid
from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon, words_for


class BlockSettings(msgspec.Struct, frozen=True):
    """When rows below a body are a head that starts a table."""

    least_heads: int = 2  # distinct cells over the values
    covered: float = 0.4  # share of the value columns that have one
    repeated: float = 0.6  # share of a row's cells that an earlier head holds in the same columns
    long_head: int = 12  # rows above a late head that may belong to it: "Unit", "Series ID" and the like
    record: float = 0.6  # share of the columns in which a row under a head is like the body, and of those with numbers
    head_numbers: float = 0.4  # share of such rows' cells that may be numbers
    looked_at: int = 1000  # rows of a body in which the words of a head may come again
    whole_head: float = 0.6  # share of the columns over which a row that heads all of them says something
    form_rows: int = 3  # of a form, at least
    form_mixed: float = 0.25  # share of what a form says that is words, at least, where the rest is none
    form_texts: int = 2  # the same, below its first row
    counted: int = 3  # rows below one of a head whose numbers go on with that of its own


SETTINGS = BlockSettings()
_IN_BRACKETS = lazy_pattern(r"\s?[(（].*")  # "Value (EUR)"
_ALL_IN_BRACKETS = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")


class Block(msgspec.Struct):
    """The rows of one table, by what they are for."""

    title: list[int] = []
    header: list[int] = []
    body: list[int] = []
    note: list[int] = []
    lead: tuple[float, float] = (0.0, 0.0)  # by how much its upper and lower edge fit better than others


class Run(msgspec.Struct):
    """Rows of one part in a row: title, header, body or note; and what comes below them."""

    part: str
    rows: list[int]
    follows: str | None = None  # whether a header or a body comes next
    rest: int = 0  # body rows further down


def split_blocks(labels: RowLabels) -> list[Block]:
    """The blocks of a grid; rows before the first and after the last belong to the nearest."""
    grid = labels.grid
    roles, repeats = _promoted(labels)
    runs = _runs(roles, repeats)
    blocks: list[Block] = []
    block = Block()
    for run in runs:
        if block.body and (run.rows[0] in repeats or _parts(grid, block, run)):
            blocks.append(block)
            block = Block()
        if run.part == "header" and block.body and _is_late_head(grid, block, run):
            block = Block(title=block.title, header=block.header + block.body + run.rows)
        else:
            _take(block, run)
    blocks.append(block)
    return _settle(blocks)


def _take(block: Block, run: Run) -> None:
    """Add a run to the block it belongs to."""
    if block.body:
        to_body = run.part in ("body", "header") or run.follows == "body"
        (block.body if to_body else block.note).extend(run.rows)
    elif run.part == "body":
        block.body.extend(run.rows)
    elif run.part == "header" or (run.part == "title" and block.header):
        block.header.extend(run.rows)
    else:
        block.title.extend(run.rows)


def _parts(grid: Grid, block: Block, run: Run) -> bool:
    """Whether a run below a body starts the next block."""
    if run.part == "header":
        apart = bool(block.note) or _gap_before(grid, run.rows[0])
        return apart and _heads(grid, block.body, run.rows)
    return run.part == "title" and run.follows != "body"


def _heads(grid: Grid, body: list[int], rows: list[int]) -> bool:
    """Whether rows cover the value columns of a body as a head does."""
    content = grid.content[body]
    filled = np.maximum((content != EMPTY).sum(axis=0), 1)
    valued = np.isin(content, (Content.NUMBER, Content.DATE, Content.MISSING)).sum(axis=0) > 0.5 * filled
    said = grid.content.ravel()[grid.home[rows]] != EMPTY
    over = said.any(axis=0) & valued
    heads = len(distinct(grid.home[rows][said & valued]))
    return heads >= SETTINGS.least_heads and bool(over.sum() >= SETTINGS.covered * valued.sum())


def _is_late_head(grid: Grid, block: Block, run: Run) -> bool:
    """Whether a head right below a short body without many numbers shows that the body was head as well."""
    short = bool(block.header) and len(block.body) <= min(SETTINGS.long_head, run.rest)
    below = list(range(run.rows[-1] + 1, min(run.rows[-1] + 1 + SETTINGS.looked_at, grid.shape[0])))
    if not short or not (_heads(grid, block.body, run.rows) or _heads(grid, below, run.rows)):
        return False
    content = grid.content[block.body][:, 1:]
    numbers = np.isin(content, (Content.NUMBER, Content.MISSING)).sum()
    return bool(numbers < SETTINGS.head_numbers * (content != EMPTY).sum())


def _gap_before(grid: Grid, row: int) -> bool:
    return row > 0 and not (grid.content[row - 1] != EMPTY).any()


def _promoted(labels: RowLabels) -> tuple[list[RowRole], set[int]]:
    """The roles, with heads that come again made headers and a lone label above a later head a title.

    The second part holds the rows where a repeated head begins.
    """
    grid, roles = labels.grid, list(labels.roles)
    first_body = next((i for i, role in enumerate(roles) if _part(role) == "body"), len(roles))
    heads = [row for row in range(first_body) if roles[row] == "header"]
    starts = set()
    later = [row for row in range(first_body, len(roles) - 1) if roles[row] == "header"]
    again = [found for head in later for found in _repeats(grid, [head], head + 1)]
    for row, height in (*_repeats(grid, heads, first_body), *again):
        start = row
        while row - start < height and start - 1 > first_body and roles[start - 1] != "blank":
            start -= 1
        for at in range(start, row + 1):
            if _part(roles[at]) == "body":
                roles[at] = "header"
        starts.add(start)
    for row in (*_heads_after_gaps(grid, roles, first_body), *_heads_by_labels(grid, roles)):
        roles[row] = "header"
    for row in (row for row, role in enumerate(roles) if role == "header" and row >= first_body + 2):
        above = row - 1
        lone = _part(roles[above]) == "body" and (grid.content[above] != EMPTY).sum() == 1
        if lone and _gap_before(grid, above):
            roles[above] = "title"
    return roles, starts


def _heads_after_gaps(grid: Grid, roles: list[RowRole], first_body: int) -> list[int]:
    """Rows of a body, after a blank one, with texts alone over most columns that hold numbers above and right below."""
    blank = ~(grid.content != EMPTY).any(axis=1)
    after_gaps = [row + 1 for row in np.flatnonzero(blank).tolist() if first_body < row < len(roles) - 2]
    if not after_gaps:
        return []
    number = grid.content == NUMBER
    text = grid.content == TEXT
    found = []
    for row in after_gaps:
        if roles[row] not in ("data", "group") or text[row].sum() <= SETTINGS.least_heads:
            continue
        below = number[row + 1]
        over = text[row] & below
        plain = text[row].sum() == (grid.content[row] != EMPTY).sum()
        many = over.sum() >= max(SETTINGS.least_heads, SETTINGS.repeated * below.sum())
        if plain and many and number[first_body:row, below].any(axis=0).mean() >= SETTINGS.repeated:
            found.append(row)
    return found


def _heads_by_labels(grid: Grid, roles: list[RowRole]) -> list[int]:
    """Rows after a blank one with the same labels right below them, to the next blank one, as a head has below it.

    Blocks of one pattern are told together: a head of years or doses that differ from the first block's is a head too.
    """
    said = np.asarray(grid.filled.any(axis=1))
    starts = (np.flatnonzero(said[1:] & ~said[:-1]) + 1).tolist()
    if not starts or "header" not in roles:
        return []
    starts = [0, *starts] if said[0] else starts
    stub = int(grid.filled.any(axis=0).argmax())
    labels = [str(label) if grid.content[row, stub] == TEXT else "" for row, label in enumerate(grid.label[:, stub])]
    blocks: list[tuple[int, list[str]]] = []  # the last row of a head, or the first of a block, and the labels below it
    for start, after in zip(starts, [*starts[1:], len(roles)], strict=True):
        end = next((row for row in range(start, after) if not said[row]), after)
        head = max((row for row in range(start, end) if roles[row] == "header"), default=start)
        blocks.append((head, labels[head + 1 : end]))
    known = [below for head, below in blocks if roles[head] == "header" and len(below) > 1 and all(below)]
    widths = np.asarray(grid.filled.sum(axis=1))
    found = [row for row, below in blocks if roles[row] in ("data", "group") and below in known]
    return [row for row in found if widths[row] >= SETTINGS.repeated * widths[row + 1] and widths[row] > 1]


def _repeats(grid: Grid, heads: list[int], start: int) -> Iterator[tuple[int, int]]:
    """Rows below `start` that hold, column by column, what a head row holds, and how many heads stand above that.

    Where two such rows stand together it is no head: the columns have few different texts.
    """
    for height, head in enumerate(heads):
        columns = np.flatnonzero(grid.content[head] != EMPTY)
        same = grid.label[start:, columns] == grid.label[head, columns]
        filled = (grid.content[start:] != EMPTY).sum(axis=1)
        matches = same.sum(axis=1)
        repeated = (matches >= SETTINGS.least_heads) & (matches >= SETTINGS.repeated * np.maximum(filled, 1))
        if not (repeated[1:] & repeated[:-1]).any():
            yield from ((start + row, height) for row in np.flatnonzero(repeated).tolist())


_PARTS: dict[RowRole, str] = {"title": "title", "header": "header", "note": "note", "blank": "blank"}  # no body


def _runs(roles: list[RowRole], starts: set[int]) -> list[Run]:
    """Rows of one part in a row; a repeated head starts a run of its own."""
    runs: list[Run] = []
    before: str | None = None
    for row, role in enumerate(roles):
        part = _part(role)
        if part == "blank":
            continue
        if before != part or row in starts:
            runs.append(Run(part, []))
            before = part
        runs[-1].rows.append(row)
    for run, below in zip(runs[-2::-1], runs[:0:-1], strict=True):
        run.follows = below.part if below.part in ("header", "body") else below.follows
        run.rest = below.rest + (len(below.rows) if below.part == "body" else 0)
    return runs


def _part(role: RowRole) -> str:
    return _PARTS.get(role, "body")


def _settle(blocks: list[Block]) -> list[Block]:
    """Blocks that have a body; rows of those without one go to the block after (as titles) or before (as notes)."""
    found: list[Block] = []
    waiting: list[int] = []
    for block in blocks:
        if block.body:
            block.title = sorted(waiting + block.title)
            waiting = []
            found.append(block)
        else:
            waiting += sorted(block.title + block.header + block.note)
    if found and waiting:
        found[-1].note = sorted(found[-1].note + waiting)
    return found


def settle_banners(grid: Grid, blocks: list[Block]) -> list[Block]:
    """Blocks whose heads end before a label over the values like others inside the body: it groups what follows."""
    for block in blocks:
        columns = np.flatnonzero(grid.filled[[*block.header, *block.body]].any(axis=0))
        while len(block.header) > 1 and (banner := _banner(grid, block.header[-1], columns)):
            if all(_banner(grid, row, columns) != banner for row in block.body):
                break
            block.body.insert(0, block.header.pop())
    return blocks


def settle_heads(grid: Grid, blocks: list[Block]) -> list[Block]:
    """Blocks whose heads end before a row of numbers that is like the body in every column, below a row of texts, and
    before one with whose number the rows of the body count on, or whose numbers and words they say again: it is the
    first of them. A form has no head at all; rows that pair labels with what they say, above a head, are titles.

    A row of years, or one that numbers the columns, has no number over the stub. A lone label at the left that looks as
    one before another part of the body does groups the first part.
    """
    for block in blocks:
        columns = np.flatnonzero(grid.filled[[*block.header, *block.body]].any(axis=0))
        if pairs := _pairs_above(grid, block, columns):
            block.title, block.header = [*block.title, *block.header[:pairs]], block.header[pairs:]
        while len(block.header) > 1 and (_is_record(grid, block, columns) or _is_group(grid, block, columns)):
            block.body.insert(0, block.header.pop())
        while block.header and len(block.body) > 1 and _is_bracketed(grid, block, columns):
            block.header.append(block.body.pop(0))
        if block.header and len(columns) > 1 and _is_counted(grid, block, columns):
            block.body.insert(0, block.header.pop())
        below = np.array(block.body[: SETTINGS.looked_at])
        if len(block.header) == 1 and comes_again(grid, block.header[0], below, columns):
            block.body.insert(0, block.header.pop())
        if block.header and _is_form(grid, block, columns):
            block.header, block.body = [], [*block.header, *block.body]
    return blocks


def _pairs_above(grid: Grid, block: Block, columns: NDArray[np.intp]) -> int:
    """How many rows of a head only pair a label with what it says ("Date | 2020-01-01"), above the row that heads all
    columns. Several do, or one that a gap, its kind or its word tells from a label over the columns.
    """
    if len(columns) <= SETTINGS.least_heads:
        return 0
    filled = grid.filled[block.header][:, columns]
    whole = np.flatnonzero((filled.mean(axis=1) >= SETTINGS.whole_head) & filled[:, :2].all(axis=1))
    above = filled[: whole[0]] if len(whole) else filled[:0]
    rows = np.array(block.header[: len(above)], dtype=np.intp)
    second = int(columns[1])
    unspanned = np.array([grid.span_at.get((row, second), (1, 1))[1] == 1 for row in rows.tolist()], dtype=bool)
    pair = (above.sum(axis=1) == 2) & above[:, :2].all(axis=1) & (grid.content[rows, columns[0]] == TEXT) & unspanned
    if not pair.any() or not (pair | ((above.sum(axis=1) == 1) & above[:, 0])).all():
        return 0
    last = rows[pair][-1]
    apart = block.header[len(above)] - last > 1 or grid.content[last, second] not in (TEXT, NUMBER)
    said = str(grid.label[last, columns[0]]).casefold().rstrip(" :") in words_for("source", "note", "unit")
    return len(above) if pair.sum() > 1 or apart or said else 0


def _is_form(grid: Grid, block: Block, columns: NDArray[np.intp]) -> bool:
    """Whether a block has two columns, of labels and of what they say, and no head: "Name | Acme", "Staff | 120".

    The labels all end with a colon, or what they say is of several kinds; a head that looks otherwise, or names the
    columns in words that are of no row ("Field | Value"), is one.
    """
    rows = np.array([*block.header, *block.body])
    if len(columns) != 2 or len(rows) < SETTINGS.form_rows or not grid.filled[rows[:, None], columns].all():
        return False
    labels = [str(label) for label in grid.label[rows, columns[0]]]
    if len(set(labels)) < len(labels) or not (grid.content[rows, columns[0]] == TEXT).all():
        return False
    if all(str(text).rstrip().endswith((":", "：")) for text in grid.text[rows, columns[0]]):
        return True
    heads = (_IN_BRACKETS.sub("", str(label)).removeprefix("The ") for label in grid.label[rows[0], columns])
    if any(map(lexicon("list head").fills, heads)):
        return False
    look = grid.style[rows][:, columns]
    if not (look[: len(block.header)] == look[-1]).all():
        return False
    texts = grid.content[rows[1:], columns[1]] == TEXT
    return bool(texts.sum() >= SETTINGS.form_texts and SETTINGS.form_mixed <= texts.mean() < 1)


def _is_bracketed(grid: Grid, block: Block, columns: NDArray[np.intp]) -> bool:
    """Whether the first row of a body only says what its heads mean, in brackets: "(in grams)", "(at birth)"."""
    explained = [
        [_explains(str(grid.text[row, column]).strip()) for column in columns if grid.filled[row, column]]
        for row in block.body[:2]
    ]
    covered = len(explained[0]) >= max(SETTINGS.least_heads, SETTINGS.whole_head * len(columns))
    return covered and all(explained[0]) and not any(explained[1])


def _explains(text: str) -> bool:
    return _ALL_IN_BRACKETS.fullmatch(text) is not None and any(map(str.isalpha, text))


def _is_counted(grid: Grid, block: Block, columns: NDArray[np.intp]) -> bool:
    """Whether the last row of a head has a number in the first column, and the rows below it those after it."""
    rows = [block.header[-1], *block.body[: SETTINGS.counted]]
    numbers = grid.number[rows, columns[0]]
    whole = (grid.content[rows, columns[0]] == NUMBER).all() and (numbers == np.floor(numbers)).all()
    across = grid.number[rows[0], columns[:2]]
    numbered = (grid.content[rows[0], columns[:2]] == NUMBER).all() and abs(across[1] - across[0]) == 1
    return bool(len(rows) > SETTINGS.counted and whole and (np.diff(numbers) == 1).all() and not numbered)


def _is_group(grid: Grid, block: Block, columns: NDArray[np.intp]) -> bool:
    """Whether the last row of a head says one thing, at the left, as a row of the body after a blank one does."""
    last, filled = block.header[-1], grid.filled[:, columns]
    if filled[last].sum() != 1 or not filled[last, 0] or grid.covered[last, columns].any():
        return False
    lone = [row for row in block.body if filled[row].sum() == 1 and filled[row, 0] and not filled[row - 1].any()]
    look = (grid.style[last, columns[0]], grid.indent[last, columns[0]])
    return any((grid.style[row, columns[0]], grid.indent[row, columns[0]]) == look for row in lone)


def _is_record(grid: Grid, block: Block, columns: NDArray[np.intp]) -> bool:
    """Whether the last row of a head says the same kind of thing in each column as the body, under texts alone."""
    numeric = np.isin(grid.content, (Content.NUMBER, Content.MISSING))
    last, body = numeric[block.header[-1], columns], numeric[block.body][:, columns]
    above = grid.content[block.header[:-1]][:, columns]
    headed = (above == TEXT).any(axis=0).all() and np.isin(above, (Content.TEXT, Content.EMPTY)).all()
    filled = grid.filled[block.header[-1], columns]
    usual = 2 * body.sum(axis=0) > grid.filled[block.body][:, columns].sum(axis=0)
    alike = last[0] and usual[0] and min(last.mean(), (last == usual).mean()) > SETTINGS.record
    return bool(len(columns) > 1 and headed and filled.all() and alike)


def _banner(grid: Grid, row: int, columns: NDArray[np.intp]) -> tuple[int, int] | None:
    """Where the one text of a row stands, and how far it reaches; None where it says more, or labels the row."""
    said = columns[grid.filled[row, columns]]
    if len(said) != 1 or said[0] == columns[0] or grid.content[row, said[0]] != TEXT:
        return None
    return int(said[0]), grid.span_at.get((row, int(said[0])), (1, 1))[1]
