"""Tables as Markdown for people: title, the table as laid out with one head row of whole paths, notes."""

from __future__ import annotations

from collections.abc import Iterator

from tabellion.export.frames import lay_out
from tabellion.model.table import Table
from tabellion.model.tree import HeaderNode
from tabellion.pipeline import Extraction

_STEP = "&emsp;"  # one level of the stub


def to_markdown(extraction: Extraction) -> bytes:
    """All tables of a document, under its name."""
    parts = [f"# {_plain(extraction.document.title or extraction.document.source)}"]
    parts += [table_markdown(table) for table in extraction.tables] or ["No table of data found."]
    return ("\n\n".join(parts) + "\n").encode()


def table_markdown(table: Table) -> str:
    """One table with its title and its notes."""
    caption, notes = table.metadata.affiliated.caption, table.metadata.affiliated.footnotes
    where = " ".join(part for part in (table.place.sheet, table.place.range) if part)
    parts = [f"## {_plain(caption or where or table.id)}"]
    if caption and where:
        parts.append(f"*{_plain(where)}*")
    parts.append("\n".join(_lines(table)))
    if notes:
        parts.append("\n".join(f"- {_plain(note)}" for note in notes))
    return "\n\n".join(parts)


def _lines(table: Table) -> Iterator[str]:
    laid, grid = lay_out(table, groups=True), table.grid
    depths = _depths(table)
    stub = laid.stub_columns
    yield _row([*map(_cell, laid.stub_heads), *(_cell(" / ".join(path)) for path in laid.column_paths)])
    aligns = table.metadata.layout.alignment
    first = table.frame.rect.left
    yield _row([_rule(aligns[c - first] if c - first < len(aligns) else "left") for c in (*stub, *laid.columns)])
    for row in laid.rows:
        labels = [_STEP * depths.get((row, c), 0) + _cell(str(grid.label[row, c])) for c in stub]
        yield _row([*labels, *(_cell(str(grid.text[row, c]).strip()) for c in laid.columns)])


def _depths(table: Table) -> dict[tuple[int, int], int]:
    """How deep each stub label stands below those of its own column."""
    found: dict[tuple[int, int], int] = {}
    nodes = table.left.nodes
    for node in nodes:
        parent: HeaderNode | None = nodes[node.parent] if node.parent is not None else None
        above = found.get(parent.cells[0], 0) + 1 if parent and parent.cells else 0
        for cell in node.cells:
            found[cell] = above
    return found


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rule(align: str) -> str:
    return {"right": "---:", "center": ":---:"}.get(align, "---")


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """One line without signs that Markdown would read as markup."""
    line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "["):
        line = line.replace(sign, f"\\{sign}")
    return line.replace("&", "&amp;").replace("<", "&lt;")  # not all readers of Markdown know a backslash before these
