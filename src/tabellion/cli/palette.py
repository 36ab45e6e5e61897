"""The colour of each role, the same wherever a table is drawn for people.

Both text and ground are set, so that a drawing reads well on a dark and on a light terminal.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from rich.text import Text

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
