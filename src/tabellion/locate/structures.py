"""What boxes in rows and columns are that are no table: lists, aligned graphics, forms (VENTex, section 3, figure 3).

In: a candidate that was judged to be no table. Out: a word for what it seems to be. By plain rules, for want of
labelled ones: a form has fields, aligned graphics are mostly pictures, a list is a series of items of one kind (links,
or boxes of the same few lines); what is left only places things.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from tabellion.model.region import MarkupRegion

Structure = Literal["list", "aligned graphics", "form", "layout"]
_MANY = 0.5  # the share of cells that makes the whole
_SOME = 0.2  # the share of cells with fields that makes a form: half of its cells are their names


def tell_structure(region: MarkupRegion) -> Structure:
    """What a candidate that is no table seems to be."""
    cells, candidate = region.page.cells, region.candidate
    part = slice(candidate.first, candidate.last)
    shown = (cells.length[part] > 0) | (cells.images[part] > 0) | (cells.forms[part] > 0)
    if not shown.any():
        return "layout"
    if (cells.forms[part][shown] > 0).mean() > _SOME:
        return "form"
    if ((cells.images[part] > 0) & (cells.length[part] == 0))[shown].mean() > _MANY:
        return "aligned graphics"
    linked = (cells.linked[part] * 2 > cells.length[part])[shown].mean()
    lines = np.array([text.count("\n") for text in cells.text[part].tolist()])[shown]
    alike = bool(len(lines) > 2 and (lines == np.bincount(lines).argmax()).mean() > _MANY and lines.max() > 0)
    return "list" if linked > _MANY or alike else "layout"
