"""The editor on a terminal: keys in, the window out. Without a terminal the table is drawn once.

What the editor shows: the header tree and the grid around the cursor, what a stroke would change, and a status line.

In: an editor and the size of the window. Out: lines of coloured text.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text

from tabellion.cli.drawing.sheet import QUIET, ROW_WORDS, look_by_role
from tabellion.cli.editor import Editor
from tabellion.errors import MissingExtraError, TabellionError
from tabellion.model.place import column_letters
from tabellion.model.table import Table
from tabellion.repair.session import Repair

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyPressEvent

    from tabellion.library.repairing import Elsewhere

CELL = 11  # letters of a column of the grid, and of the first
FIRST = 28
CURSOR = Style(reverse=True)


def draw_editor(editor: Editor, width: int, height: int) -> list[Text]:
    """The whole window."""
    try:
        table = editor.bench.table
    except TabellionError:
        return [Text(editor.message), Text("u undoes the last correction, q quits")]
    room = max(height - 3, 4)
    told = [Text(line[:width], "bold") for line in editor.told][: room // 2]
    room -= len(told)
    upper = max(room // 2, 2) if editor.focus == "grid" else max(room * 2 // 3, 2)
    lines = [_title(editor, table, width)]
    if editor.focus == "tree":
        lines += [*_window(list(_tree(editor, table)), editor.node, upper), *_grid(editor, table, width, room - upper)]
    else:
        lines += [*_grid(editor, table, width, upper), *_window(list(_tree(editor, table)), editor.node, room - upper)]
    return [*lines[: height - 2 - len(told)], *told, _status(editor, width)]


def _title(editor: Editor, table: Table, width: int) -> Text:
    where = " ".join(part for part in (table.place.sheet, table.place.range) if part)
    preview = ", preview" if editor.previewing else ""
    text = (
        f" {table.id} {where}: {table.title or 'untitled'}, {table.orientation}, {len(table.tuples):,} values{preview}"
    )
    return Text(set_cell_size(text, width), "reverse")


def _status(editor: Editor, width: int) -> Text:
    said = f":{editor.command}" if editor.command is not None else editor.message or "? shows the keys"
    return Text(set_cell_size(said, width), "bold" if editor.command is not None else QUIET)


def _tree(editor: Editor, table: Table) -> Iterator[Text]:
    tree = table.left if editor.side == "left" else table.top
    nodes = editor.nodes
    if not nodes:
        yield Text(f"no {editor.side} header", QUIET)
    for number, node in enumerate(nodes):
        depth = len(tree.path(node.id)) - 1
        where = table.grid.address(*node.cells[0])
        line = Text().append(f"{where:>6} ", QUIET).append("  " * depth)
        line.append(" ".join(node.text.split()) or "(no text)")
        if editor.carried == where:
            line.append("  picked up", "bold yellow")
        if number == editor.node and editor.focus == "tree":
            line.stylize(CURSOR)
        yield line


def _window(lines: list[Text], at: int, room: int) -> list[Text]:
    """The lines around one of them."""
    first = min(max(at - room // 2, 0), max(len(lines) - room, 0))
    return lines[first : first + max(room, 0)]


def _grid(editor: Editor, table: Table, width: int, room: int) -> list[Text]:
    grid = table.grid
    alike = [one for one in editor.bench.extraction.tables if one.grid is grid]
    look = look_by_role(grid, alike)
    shown = max((width - 16 - FIRST) // CELL + 1, 1)
    left = min(max(editor.column - shown + 1, 0), max(grid.shape[1] - shown, 0))
    columns = range(left, min(left + shown, grid.shape[1]))
    head = Text(" " * 15, QUIET)
    for column in columns:
        head.append(set_cell_size(column_letters(int(grid.column_of[column])), _width(column)), QUIET)
    lines = []
    rows = range(grid.shape[0])
    first = min(max(editor.row - room // 2, 0), max(len(rows) - room + 1, 0))
    for row in rows[first : first + max(room - 1, 0)]:
        role = table.frame.labels.roles[row]
        line = (
            Text().append(f"{int(grid.row_of[row]) + 1:>5} ", QUIET).append(f"{role:<8} ", ROW_WORDS.get(role, QUIET))
        )
        for column in columns:
            here = (row, column) == (editor.row, editor.column) and editor.focus == "grid"
            style = look(row, column) + CURSOR if here else look(row, column)
            line.append(set_cell_size(" ".join(str(grid.text[row, column]).split()), _width(column) - 1), style).append(
                " "
            )
        lines.append(line)
    return [head, *lines]


def _width(column: int) -> int:
    return FIRST if column == 0 else CELL


NAMES = {
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "enter": "enter",
    "escape": "escape",
    "tab": "tab",
    " ": "space",
    "backspace": "backspace",
}
QUICK = 0.05  # seconds that an escape waits for the rest of a key


def edit_table(bench: Repair, elsewhere: Callable[[], Iterable[Elsewhere]] = tuple) -> None:
    """Repair a table at the terminal; `elsewhere` finds the like of the last stroke in other documents."""
    editor = Editor(bench, elsewhere)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stdout.write(_painted(editor, 120, 60, colour=False) + "\n")
        return
    build_screen(editor).run()


def build_screen(editor: Editor, **ends: Any) -> Application[None]:
    """The application; `ends` are another input and output than the terminal's."""
    try:
        from prompt_toolkit.application import Application
        from prompt_toolkit.data_structures import Point
        from prompt_toolkit.formatted_text import ANSI
        from prompt_toolkit.key_binding import KeyBindings
        from prompt_toolkit.layout import Layout, Window
        from prompt_toolkit.layout.controls import FormattedTextControl
    except ModuleNotFoundError as error:
        raise MissingExtraError("prompt-toolkit is not installed: pip install 'tabellion[library]'") from error
    keys = KeyBindings()

    def paint() -> ANSI:
        size = screen.output.get_size()
        return ANSI(_painted(editor, size.columns, size.rows, colour=True))

    @keys.add("<any>")
    def typed(event: KeyPressEvent) -> None:
        for letter in event.data:
            editor.press(NAMES.get(letter, letter))
        if editor.done:
            event.app.exit()

    for code, name in NAMES.items():
        if len(code) > 1:

            @keys.add(code, eager=True)
            def named(event: KeyPressEvent, name: str = name) -> None:
                editor.press(name)

    @keys.add("c-c")
    @keys.add("c-d")
    def leave(event: KeyPressEvent) -> None:
        event.app.exit()

    control = FormattedTextControl(paint, focusable=True, show_cursor=False, get_cursor_position=lambda: Point(0, 0))
    screen: Application[None] = Application(
        layout=Layout(Window(control, wrap_lines=False)), key_bindings=keys, full_screen=True, **ends
    )
    screen.timeoutlen = screen.ttimeoutlen = QUICK
    return screen


def _painted(editor: Editor, width: int, height: int, *, colour: bool) -> str:
    from tabellion.cli.messages import open_console

    paper = io.StringIO()
    console = open_console(file=paper, width=width, force_terminal=colour, color_system="256" if colour else None)
    for line in draw_editor(editor, width, height):
        console.print(line, no_wrap=True, overflow="crop", crop=True)
    return paper.getvalue().rstrip("\n")
