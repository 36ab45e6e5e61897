"""Colours of roles, and drawings of the terminal as SVG pictures.

The colour of each role, the same wherever a table is drawn for people. Both text and ground are set, so that a drawing
reads well on a dark and on a light terminal.

A drawing of the terminal as an SVG picture that needs nothing from the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

_GROUND, _TEXT = (24, 27, 31), (226, 229, 233)
_THEME = TerminalTheme(
    _GROUND,
    _TEXT,
    [
        (75, 78, 85), (204, 85, 90), (152, 200, 121), (217, 178, 95),
        (96, 138, 177), (152, 114, 159), (104, 160, 179), (217, 217, 217),
    ],
)  # fmt: skip

# rich's own template fetches its font; this one takes what the reader has
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; white-space: pre; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""  # noqa: E501


def write_picture(console: Console, path: Path, title: str) -> None:
    """Write what a recording console has printed."""
    text = console.export_svg(title=title, theme=_THEME, code_format=_FORMAT, unique_id="tabellion")
    path.write_text(text, encoding="utf-8")


ROLE_STYLES = {
    "title": Style.parse("bold #ffd58a on #3b3222"),
    "header": Style.parse("bold #ffffff on #2a5a9c"),
    "stub": Style.parse("#c4e4ff on #18405c"),
    "group": Style.parse("bold #f3ccff on #4b2a63"),
    "value": Style.parse("#e8ecef on #222d37"),
    "derived": Style.parse("bold #b9f6b2 on #1f4d2e"),
    "note": Style.parse("italic #b9b4a6 on #2e2c28"),
    "other": Style.parse("#9aa0a6 on #242424"),
}
CONTENT_STYLES = {
    "text": ROLE_STYLES["stub"],
    "number": ROLE_STYLES["derived"],
    "date": ROLE_STYLES["group"],
    "missing": ROLE_STYLES["note"],
    "link": ROLE_STYLES["header"],
}
BLANK = Style.null()
QUIET = Style.parse("dim")
ROW_WORDS = {role: Style(color=style.color) for role, style in ROLE_STYLES.items()}
ROW_WORDS |= {"data": ROW_WORDS["value"], "header": Style.parse("#7fb2ff"), "note": Style.parse("#b9b4a6")}


def draw_legend(styles: Mapping[str, Style] = ROLE_STYLES) -> Text:
    """One line that names every colour."""
    legend = Text()
    for name, style in styles.items():
        legend.append(f" {name} ", style).append(" ")
    return legend
