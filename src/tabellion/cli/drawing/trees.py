"""Header trees and tuples drawn for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text
from rich.tree import Tree

from tabellion.cli.drawing.sheet import QUIET, ROLE_STYLES, ROW_WORDS, shown_lines
from tabellion.model.table import Table, Tuple
from tabellion.model.tree import HeaderNode, HeaderTree

MOST_NODES = 48  # headers drawn of one tree: a tall terminal window
MOST_CHILDREN = 16  # headers drawn below one parent; fewer where the tree is too large even so


def draw_trees(table: Table, *, sure: bool = False, width: int = 100) -> RenderableType:
    """Both header trees, side by side where there is room; `sure` adds how sure each parent is."""
    top, left = draw_tree(table, table.top, "top", sure), draw_tree(table, table.left, "left", sure)
    if width < 72:
        both = Grid.grid(padding=(0, 0, 1, 0))
        both.add_row(top)
        both.add_row(left)
        return both
    both = Grid.grid(padding=(0, 4, 0, 0))
    both.add_row(left, top)
    return both


def draw_tree(table: Table, tree: HeaderTree, name: str, sure: bool) -> Tree:
    """One header tree with the address of each header."""
    count = len(tree.nodes)
    size = f"  {count} header{'s' if count != 1 else ''}, {tree.depth()} deep" if count else "  none"
    title = Text.assemble((f" {name} ", ROLE_STYLES["header" if name == "top" else "stub"]), (size, QUIET))
    root = Tree(title, guide_style="dim")
    children: dict[int | None, list[HeaderNode]] = defaultdict(list)
    for node in tree.nodes:
        children[node.parent].append(node)
    most = MOST_CHILDREN
    while most > 2 and _drawn(None, children, most) > MOST_NODES:
        most -= 1
    branches: dict[int | None, Tree] = {None: root}
    todo: list[int | None] = [None]
    while todo:
        parent = todo.pop()
        below = children[parent]
        for position in shown_lines(len(below), most):
            if position is None:
                branches[parent].add(Text(f"… {len(below) - most + 1:,} more", QUIET))
                continue
            node = below[position]
            branches[node.id] = branches[parent].add(_node_text(node, table, sure))
            todo.append(node.id)
    return root


def _drawn(parent: int | None, children: dict[int | None, list[HeaderNode]], most: int) -> int:
    """How many headers are drawn below one if no more than so many children of each are."""
    below = children[parent]
    shown = [below[i] for i in shown_lines(len(below), most) if i is not None]
    return len(shown) + sum(_drawn(node.id, children, most) for node in shown)


def _node_text(node: HeaderNode, table: Table, sure: bool) -> Text:
    text = Text(" ".join(node.text.split()) or "(no text)")
    if len(text) > 60:
        text.truncate(60, overflow="ellipsis")
    if node.cells:
        text.append(f"  {table.grid.address(*node.cells[0])}", QUIET)
    if node.notes:
        text.append(f"  note {', '.join(node.notes)}", "italic dim")
    if sure:
        text.append(f"  {node.probability:.2f}", "green" if node.probability >= 0.8 else "yellow")
    return text


def draw_tuples(tuples: Sequence[Tuple], total: int) -> RenderableType:
    """Tuples as lines: the cell, its value and unit, its paths from the outermost label to the nearest."""
    lines = Grid(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    lines.add_column("cell", style="dim", no_wrap=True)
    lines.add_column("value", justify="right", no_wrap=True)
    lines.add_column("unit", style="dim")
    lines.add_column("left", style=ROW_WORDS["stub"])
    lines.add_column("top", style=ROW_WORDS["header"])
    lines.add_column("notes", style="dim italic", no_wrap=True, overflow="ellipsis", max_width=40)
    for one in tuples:
        lines.add_row(
            one.address,
            _value_text(one.value),
            one.unit or "",
            _path_text(one.left),
            _path_text(one.top),
            "; ".join(one.notes),
        )
    if len(tuples) < total:
        lines.caption = f"{total - len(tuples):,} more of {total:,}; --tuples {total} shows all"
        lines.caption_justify = "left"
    return lines


def _value_text(value: float | int | str | None) -> Text:
    """A value short enough to be read in a line of others."""
    if value is None:
        return Text("missing", "dim italic")
    text = f"{value:.7g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
    return Text(text[:30] + "…" if len(text) > 31 else text, "bold")


def _path_text(labels: Sequence[str]) -> str:
    """A path on one line, long labels cut."""
    return " › ".join(label[:47] + "…" if len(label) > 48 else label for label in labels)
