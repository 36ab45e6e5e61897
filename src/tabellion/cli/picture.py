"""A drawing of the terminal as an SVG picture that needs nothing from the network."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme

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
