"""The looks of an old workbook: one `Style` an extended format (XF), equal ones only once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.model.style import PLAIN, Style
from tabellion.read.biff import BiffBook
from tabellion.read.number_format import BUILT_IN

_ACROSS = (None, "left", "center", "right", "fill", "justify", "center", "justify")
_DOWN = ("top", "center", None, "justify", "justify")  # bottom is where text stands anyhow
_DEFAULT_LOOK = 15  # the extended format of cells that nobody formatted
_BOLD_WEIGHT = 600


class Looks(NamedTuple):
    """The distinct styles, that of unformatted cells first, and the style of each extended format."""

    styles: tuple[Style, ...]
    style_of_look: NDArray[np.int32]


def read_looks(book: BiffBook) -> Looks:
    """The looks of a workbook, or of its only sheet in the oldest versions."""
    looks = [_style(book, look) for look in book.xf_list]
    first = looks[_DEFAULT_LOOK] if len(looks) > _DEFAULT_LOOK else PLAIN
    known: dict[Style, int] = {first: 0}
    of_look = [known.setdefault(style, len(known)) for style in looks]
    return Looks(tuple(known), np.array(of_look or [0], dtype=np.int32))


def is_bold(font: Any) -> bool:
    """Whether a font of xlrd's is bold: by weight, or by a flag in the oldest versions."""
    return bool(font.weight >= _BOLD_WEIGHT if font.weight else font.bold)


def _style(book: BiffBook, look: Any) -> Style:
    alignment, border, background = look.alignment, look.border, look.background
    fonts = book.font_list
    font = fonts[look.font_index] if look.font_index < len(fonts) else None
    return Style(
        bold=font is not None and is_bold(font),
        italic=font is not None and bool(font.italic),
        underline=font is not None and bool(font.underline_type or font.underlined),
        size=font.height / 20 if font is not None and font.height else PLAIN.size,
        colour=_colour(book, font.colour_index) if font is not None else None,
        fill=_colour(book, background.pattern_colour_index) if background.fill_pattern else None,
        align=_ACROSS[alignment.hor_align],
        valign=_DOWN[alignment.vert_align] if alignment.vert_align < len(_DOWN) else None,
        indent=float(alignment.indent_level),
        border_top=bool(border.top_line_style),
        border_bottom=bool(border.bottom_line_style),
        border_left=bool(border.left_line_style),
        border_right=bool(border.right_line_style),
        wrap=bool(alignment.text_wrapped),
        number_format=_format_code(book, look.format_key),
    )


def _colour(book: BiffBook, index: int) -> str | None:
    rgb = book.colour_map.get(index)
    return "#{:02X}{:02X}{:02X}".format(*rgb) if rgb else None


def _format_code(book: BiffBook, key: int) -> str | None:
    known = book.format_map.get(key)
    code = (known.format_str if known is not None else None) or BUILT_IN.get(key)
    return None if not code or code.lower() == "general" else code
