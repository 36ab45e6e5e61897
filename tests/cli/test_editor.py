"""The editor in the terminal: each key does what its help says, and what it shows is the table as it is now."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tabellion.cli.editor import HELP, Editor
from tabellion.cli.editor_screen import build_screen, draw_editor
from tabellion.library import open_library
from tabellion.read import read_document
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Repair

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def editor() -> Editor:
    return Editor(Repair(Rereading(read_document(EXAMPLES / "smoking.xlsx"), follow=False), "t1"))


def press(editor: Editor, *keys: str) -> None:
    for key in keys:
        editor.press(key)


def shown(editor: Editor) -> str:
    return "\n".join(line.plain for line in draw_editor(editor, 110, 40))


def left(editor: Editor, address: str) -> tuple[str, ...]:
    found = editor.bench.table.tuples.at(address)
    assert found is not None
    return found.left


def go(editor: Editor, row: int, column: int) -> None:
    press(editor, "tab")
    press(editor, *["up"] * 40, *["left"] * 10, *["down"] * row, *["right"] * column)


def test_a_header_is_picked_up_and_put_under_another(editor: Editor) -> None:
    press(editor, "down", "down", "down", "m")
    assert "picked up" in shown(editor)
    press(editor, "up", "up", "enter")
    assert left(editor, "B8") == ("Total smokers", "Male, total", "18 to 24 years")
    press(editor, "u")
    assert left(editor, "B8") == ("Total smokers", "Male, total", "White, total", "18 to 24 years")


def test_headers_go_in_and_out_and_to_the_root(editor: Editor) -> None:
    press(editor, "down", "down", "down", "left")
    assert left(editor, "B8") == ("Total smokers", "Male, total", "18 to 24 years")
    press(editor, "right")
    assert left(editor, "B8") == ("Total smokers", "Male, total", "White, total", "18 to 24 years")
    press(editor, "0")
    assert left(editor, "B8") == ("18 to 24 years",)


def test_rows_columns_and_edges_are_told_by_one_key(editor: Editor) -> None:
    go(editor, 7, 0)
    press(editor, "n")
    assert editor.bench.table.frame.labels.roles[7] == "note"
    press(editor, "right", "c")
    assert 1 in editor.bench.table.frame.stub_columns
    press(editor, "u", *["down"] * 10, "B")
    assert editor.bench.table.frame.rect.bottom == 17
    press(editor, "o")
    assert editor.bench.table.orientation == "column"


def test_a_preview_shows_what_would_change_and_changes_nothing(editor: Editor) -> None:
    press(editor, "p", "down", "down", "down", "left")
    assert "becomes under 'Male, total'" in shown(editor)
    assert not editor.bench.log
    press(editor, "escape")
    assert not editor.bench.log
    press(editor, "left", "enter")
    assert left(editor, "B8") == ("Total smokers", "Male, total", "18 to 24 years")


def test_look_alikes_are_shown_and_accepted(editor: Editor) -> None:
    press(editor, "down", "down", "down", "left", "a")
    assert "A9 '25 to 34 years'" in shown(editor)
    assert len(editor.bench.log) == 1
    press(editor, "enter")
    assert left(editor, "B9") == ("Total smokers", "Male, total", "25 to 34 years")


def test_words_are_typed_as_commands(editor: Editor) -> None:
    press(editor, ":", *"title Smoker", "backspace", *"rs", "enter")
    assert editor.bench.table.title == "Smokers"
    press(editor, ":", *"unit percent B6:B9", "enter")
    assert editor.bench.table.tuples.at("B8").unit == "percent"  # type: ignore[union-attr]
    press(editor, ":", *"nonsense", "enter")
    assert "no such command" in editor.message


def test_what_does_not_fit_is_said_and_the_editor_goes_on(editor: Editor) -> None:
    press(editor, "0")
    assert "so already" in editor.message
    press(editor, "?")
    assert HELP[1] in shown(editor)
    go(editor, 0, 0)
    press(editor, "N")
    assert "undo" in shown(editor)
    press(editor, "u")
    assert "Total smokers" in shown(editor)


def test_the_terminal_hands_keys_to_the_editor(editor: Editor) -> None:
    with create_pipe_input() as pipe:
        pipe.send_text("\x1b[B\x1b[B\x1b[B" + "m" + "\x1b[A\x1b[A" + "\r" + ":title Smokers\r" + "q")
        build_screen(editor, input=pipe, output=DummyOutput()).run()
    assert left(editor, "B8") == ("Total smokers", "Male, total", "18 to 24 years")
    assert editor.bench.table.title == "Smokers"
    assert editor.done


def test_other_documents_are_shown_and_mended_when_accepted(tmp_path: Path) -> None:
    other = tmp_path / "other.xlsx"
    other.write_bytes((EXAMPLES / "smoking.xlsx").read_bytes())
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", other)
        editor = Editor(library.repair("smoking"), lambda: library.alike("smoking"))
        press(editor, "down", "down", "down", "left", "A")
        assert "other.xlsx" in shown(editor)
        assert not library.repair("other").log
        press(editor, "enter")
        assert library.repair("other").log
