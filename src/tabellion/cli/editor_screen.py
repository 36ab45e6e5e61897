"""The editor on a terminal: keys in, the window out. Without a terminal the table is drawn once."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tabellion.cli.editor import Editor
from tabellion.errors import MissingExtraError
from tabellion.repair.session import Repair

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyPressEvent

    from tabellion.library.repairing import Elsewhere

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
    from rich.console import Console

    from tabellion.cli.editor_view import draw_editor

    paper = io.StringIO()
    console = Console(
        file=paper,
        width=width,
        force_terminal=colour,
        color_system="256" if colour else None,
        highlight=False,
        emoji=False,
    )
    for line in draw_editor(editor, width, height):
        console.print(line, no_wrap=True, overflow="crop", crop=True)
    return paper.getvalue().rstrip("\n")
