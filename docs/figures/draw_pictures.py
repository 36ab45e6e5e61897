"""Draws the pictures of docs/images from the documents in examples/. Run by `make figures`.

Most are drawn by `tabellion show`; others show what a command prints, or the editor of `tabellion repair`.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from tabellion import open_library
from tabellion.cli.drawing.sheet import write_picture
from tabellion.cli.editor import Editor
from tabellion.cli.editor_screen import draw_editor

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SHOWN = {
    "show-smoking": ("smoking.xlsx", "--width", "96", "--svg"),
    "show-pilots-nest": ("pilots.xlsx", "--width", "100", "--stage", "nest", "--svg"),
    "show-side-by-side": ("side_by_side.xlsx", "--width", "90", "--svg"),
    "show-lakes": ("lakes.html", "--width", "90", "--svg"),
    "show-report": ("report.pdf", "--picture"),
}
PRINTED = {
    "search": ("search", "smoking white women", "--limit", "1", "--preview", "4"),
    "segment": ("segment", "examples/site/pie.html"),
}


def run(*arguments: str, **environment: str) -> str:
    """What a command prints, with its colours."""
    ran = subprocess.run(  # noqa: S603 - our own program, on our own documents
        [sys.executable, "-c", "from tabellion.cli import main; main()", *arguments],
        cwd=ROOT,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "96", **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def draw(name: str, title: str, lines: Iterable[Text]) -> None:
    """Lines as a picture of a terminal."""
    console = Console(width=96, record=True, file=io.StringIO(), highlight=False)
    for line in lines:
        console.print(line)
    write_picture(console, IMAGES / f"{name}.svg", title)


def main() -> None:
    subprocess.run([sys.executable, str(Path(__file__).with_name("draw_pdf_pages.py"))], check=True)  # noqa: S603
    for name, (document, *options) in SHOWN.items():
        run("show", f"examples/{document}", *options, str(IMAGES / f"{name}.svg"))
    with TemporaryDirectory() as folder:
        place = f"{folder}/library"
        run("add", "examples/", TABELLION_LIBRARY=place)
        for name, arguments in PRINTED.items():
            said = " ".join(f"'{each}'" if " " in each else each for each in arguments)
            printed = run(*arguments, TABELLION_LIBRARY=place)
            draw(name, f"tabellion {said}", [Text.from_ansi(line) for line in printed.splitlines()])
        with open_library(place) as library:
            editor = Editor(library.repair("smoking"))
            for key in ("down", "down", "m"):
                editor.press(key)
            draw("repair", "tabellion repair smoking", draw_editor(editor, 96, 30))


if __name__ == "__main__":
    main()
