"""Title and authors of a PDF: what its information says where the first page bears it out, else the first page.

Goes in: the first page, the stated title and authors. Comes out: both as far as they are known. A stated title counts
if its words stand on the page ("Microsoft Word - draft.docx" does not); else the title is the text set largest in the
upper part. Authors are the names in the lines after the title. Fails where the title is no larger than the text, or
is a picture.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import NamedTuple

from tabellion.model.printed import PrintedPage, Shift

_UPPER_PART = 0.62  # of the page: a title stands in it
_LONGEST_TITLE, _SHORTEST_TITLE = 400, 8
_LARGER = 1.12  # times the size of most text: a title is set so
_SHARE_ON_PAGE = 0.75  # of a stated title's words
_MOST_AUTHOR_LINES = 40
_MOST_LINES_BELOW = 60  # of a title, in which authors are looked for
_MOST_CUT = 3  # words of a line that holds a part of one name
_TALLEST = 1.25  # type sizes that a line of a title is high, whatever its font says
_COLUMN_GAP = 1.6  # type sizes between two texts side by side
_LINES_TO_AFFILIATION = 8
_PARTICLES = re.compile(r"de|d[aei]|d[ao]s?|del(?:la)?|de[rn]|v[ao]n|zur?|l[ae]|[ae]l|bin|ibn|ben|e|y|te[rn]", re.I)
_DEGREES = re.compile(
    r"\b(?:Ph\.?\s?D|M\.?D|M\.?Sc|B\.?Sc|MPH|MBBS|MDS|BDS|Dr|Prof(?:essor)?|Jr|Sr|FRCP|RN|MBA)\b\.?", re.I
)
_NO_NAME = re.compile(
    r"@|https?:|www\.|\b(?:universit|universidad|department|dept|institut|faculty|college|school|hospital|centre|center|laborator|"
    r"abstract|received|accepted|published|correspond|academic editor|editor|address|introduction|keywords|"
    r"open access|copyright|"
    r"volume|journal|doi\s*[:.]|doi\s*10|citation|research article|original article|review article|department)",
    re.I,
)
_RUBRIC = re.compile(
    r"(?:(?:original|research|review|short|case|brief|full|technical)\s+)*(?:article|paper|report|communication|review|note)s?|"
    r"open\s+access|editorial|corrigendum|erratum|research|review",
    re.I,
)
_PARTING = re.compile(r"(?:(?<!\s)\s+)?(?:,|;|•|·|\||&|\band\b|\bund\b|\bet\b)\s*")
_AFFILIATION = re.compile(
    r"@|\b(?:universi|department|dept|institut|faculty|college|school|hospital|cent(?:re|er)|laborator|correspond|"
    r"academy|clinic|orcid|address|e-?mail)",
    re.I,
)
_END_OF_FRONT = re.compile(r"\s*(?:abstract|summary|introduction|background|contents|zusammenfassung|résumé)\b", re.I)
_ROLE = re.compile(
    r"fellow|professor|lecturer|director|scientist|student|manager|officer|engineer|analyst|editor", re.I
)
_DEGREE = re.compile(r"(?:[A-Z][a-z]?\.?){2,4}")  # MB, PhD, M.Sc.
_INNER_CAPITAL = re.compile(r"[a-z]{1,3}['’]?[A-Z]\w+")  # dePamphilis, d'Arcy
_RAISED, _GLUED = int(Shift.RAISED), int(Shift.GLUED)
_INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,4}$")


class _Line(NamedTuple):
    """A line without its raised marks, and where it stands."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float


def read_front(
    page: PrintedPage, stated_title: str | None, stated_authors: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """The document's title and authors."""
    lines = _lines(page)
    block = _title_block(page, lines)
    printed = " ".join(line.text for line in block)
    title = stated_title if stated_title and _stands_on(page, stated_title) else None
    if title is None and _SHORTEST_TITLE <= len(printed) <= _LONGEST_TITLE:
        title = re.sub(r"(?<=[a-z])- (?=[a-z])", "", printed)
    authors = _authors_below(lines, _printed_title(lines, title, block), stated_authors or "") if title else ()
    if not authors and stated_authors and _stands_on(page, stated_authors):
        authors = _names(stated_authors)
    return title, authors


def read_authors(page: PrintedPage, title: str, stated_authors: str | None) -> tuple[str, ...]:
    """The authors that stand below a known title: on the page after a cover that names none."""
    lines = _lines(page)
    upper = [line for line in lines if line.top < _UPPER_PART * page.height]
    return _authors_below(lines, _printed_title(upper, title, []), stated_authors or "")


def _lines(page: PrintedPage) -> list[_Line]:
    """The lines of a page; a raised mark parts names as a comma does."""
    pieces, shift, said = page.pieces, page.words.shift.tolist(), page.words.text
    order, boxes, sizes = pieces.order.tolist(), pieces.box.tolist(), pieces.size.tolist()
    result: list[_Line] = []
    for k, (start, end) in enumerate(pieces.words.tolist()):
        texts: list[str] = []
        for w in order[start:end]:
            if shift[w] & _RAISED:
                texts.append(",")
                continue
            glued = not texts or (shift[w] & _GLUED and texts[-1] != ",")
            texts.append(said[w] if glued else f" {said[w]}")
        left, top, right, bottom = boxes[k]
        result.append(_Line("".join(texts), left, top, right, bottom, sizes[k]))
    return result


def _title_block(page: PrintedPage, lines: list[_Line]) -> list[_Line]:
    """The lines set largest in the upper part of the page, larger than most text, that follow one another."""
    by_size: dict[int, list[_Line]] = {}
    letters: Counter[int] = Counter()
    for line in lines:
        letters[round(line.size * 2)] += len(line.text)
        if line.top < _UPPER_PART * page.height and not _RUBRIC.fullmatch(line.text.strip()):
            by_size.setdefault(round(line.size * 2), []).append(line)
    for size in sorted(by_size, reverse=True):
        if size < _LARGER * letters.most_common(1)[0][0]:
            break
        runs: list[list[_Line]] = []
        for line in sorted(by_size[size], key=lambda line: line.top):
            if runs and line.top - runs[-1][-1].bottom < 0.9 * line.size:
                runs[-1].append(line)
            else:
                runs.append([line])
        best = max(runs, key=lambda r: sum(len(line.text) for line in r))
        if sum(len(line.text.split()) for line in best) >= 3 and sum(len(line.text) for line in best) >= 20:
            return best
    return []


def _stands_on(page: PrintedPage, text: str) -> bool:
    """Whether most words of a text are on the page."""
    wanted = re.findall(r"[^\W\d_]{3,}", _plain(text))
    there = set(re.findall(r"\w+", _plain(" ".join(page.pieces.text.tolist()))))
    return len(wanted) >= 2 and sum(w in there for w in wanted) >= _SHARE_ON_PAGE * len(wanted)


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in folded if not unicodedata.combining(c))


def _printed_title(lines: list[_Line], title: str | None, block: list[_Line]) -> list[_Line]:
    """The lines that the title is printed on."""
    wanted = set(re.findall(r"\w+", _plain(title or "")))
    found: list[_Line] = []
    for line in lines:
        words = re.findall(r"\w+", _plain(line.text))
        if len(line.text) > 5 and words and sum(w in wanted for w in words) >= 0.8 * len(words):
            found.append(line)
    largest = max((line.size for line in found), default=0.0)
    return [line for line in found if line.size >= 0.95 * largest] or block


def _authors_below(lines: list[_Line], title: list[_Line], stated: str) -> tuple[str, ...]:
    """The names in the lines after a title, where anything bears out that they are its authors'."""
    if not title:
        return ()
    left, right = min(line.left for line in title), max(line.right for line in title)
    bottom = max(min(line.bottom, line.top + _TALLEST * line.size) for line in title)
    below = _whole_lines([line for line in lines if line.top > bottom - 2 and line.left < right and line.right > left])
    below = [line for line in below[:_MOST_LINES_BELOW] if any(c.isalpha() for c in line.text)]
    taken: list[_Line] = []
    for line in below:
        if _END_OF_FRONT.match(line.text) or len(taken) >= _MOST_AUTHOR_LINES:
            break
        away = taken and (
            line.top - taken[-1].bottom > 1.6 * line.size or abs(line.size - taken[-1].size) > 0.15 * line.size
        )
        named = _mostly_names(line.text) or (bool(taken) and _may_be_cut(line.text))
        if _NO_NAME.search(line.text) or away or not named:
            if taken:
                break
            continue
        taken.append(line)
    text = ""
    for line in taken:
        text = f"{text}, {line.text}" if text and _is_whole(text, line.text) else f"{text} {line.text}"
    return _names(text) if taken and _are_authors(text, taken, below, stated) else ()


def _are_authors(text: str, taken: list[_Line], below: list[_Line], stated: str) -> bool:
    """Whether names are borne out: marks behind them, an affiliation soon after, who is stated, several right below."""
    after = below[below.index(taken[-1]) + 1 :][:_LINES_TO_AFFILIATION]
    families = {name.split()[-1] for name in map(_plain, _names(text))}
    return (
        ",," in text.replace(" ", "")
        or any(c in text for c in "*∗†‡✉")
        or any(_AFFILIATION.search(line.text) for line in after)
        or bool(families & set(re.findall(r"\w+", _plain(stated))))
        or (taken[0] is below[0] and len(_names(text)) > 1)
    )


def _whole_lines(pieces: list[_Line]) -> list[_Line]:
    """Pieces that stand close on one line as one."""
    rows: list[list[_Line]] = []
    for piece in sorted(pieces, key=lambda line: line.top):
        if rows and min(piece.bottom, rows[-1][0].bottom) - piece.top > 0.5 * (piece.bottom - piece.top):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    result: list[_Line] = []
    for row in rows:
        row.sort(key=lambda line: line.left)
        start = 0
        for end in range(1, len(row) + 1):
            if end == len(row) or row[end].left - row[end - 1].right > _COLUMN_GAP * row[end].size:
                result.append(_joined(row[start:end]))
                start = end
    return result


def _joined(row: list[_Line]) -> _Line:
    lead = max(row, key=lambda line: len(line.text))
    return _Line(" ".join(line.text for line in row), row[0].left, lead.top, row[-1].right, lead.bottom, lead.size)


def _is_whole(text: str, line: str) -> bool:
    """Whether a name ends with a line, and another begins with the next."""
    last = [p for p in _PARTING.split(_clean(text)) if p]
    first = [p for p in _PARTING.split(_clean(line)) if p]
    return bool(last and first) and _is_name(last[-1]) and _is_name(first[0]) and not text.rstrip().endswith("-")


def _mostly_names(line: str) -> bool:
    """Whether a line consists of names; the first and the last may be cut."""
    parts = [p for p in _PARTING.split(_clean(line)) if p and not _DEGREE.fullmatch(p) and not _ROLE.search(p)]
    cut = {0, len(parts) - 1}
    good = sum(
        _is_name(p) or (k in cut and p[:1].isupper() and _is_part(p) and len(parts) > 1) for k, p in enumerate(parts)
    )
    return good >= 0.7 * len(parts) and any(map(_is_name, parts))


def _is_part(text: str) -> bool:
    """Whether a text is one word of a name, with particles or without: "Hans ter"."""
    return all(_PARTICLES.fullmatch(word) for word in text.split()[1:])


def _may_be_cut(line: str) -> bool:
    """Whether a line among names may be the end or the beginning of one that is parted: "Hans ter", "Chakarvarty"."""
    words = _clean(line).replace("|", " ").strip(" ,").split()
    return 0 < len(words) <= _MOST_CUT and all(w[:1].isupper() or _PARTICLES.fullmatch(w) for w in words)


def _clean(text: str) -> str:
    text = re.sub(r"(?<=[^\W\dA-Z_])ID\b", "", _DEGREES.sub("", text))  # the mark of ORCID, read as letters
    text = re.sub(r"[\d*†‡§¶#∗✉©\[\]()]+", " ", text)
    text = re.sub(r"[^\w\s.,;&'’‐‑|•·-]", " ", text)
    return " ".join(re.sub(r"(?:(?<!\s)\s+)?,(?:\s*,)*", ",", text).split())


def _names(text: str) -> tuple[str, ...]:
    """The names in a text.

    >>> _names("Cheryl A. Murphy 1,*, Bryan L. Foster 2 and Cuilan Gao")
    ('Cheryl A. Murphy', 'Bryan L. Foster', 'Cuilan Gao')
    """
    parts = [p.strip(" .-") if not _INITIALS.search(p.strip()) else p.strip() for p in _PARTING.split(_clean(text))]
    return tuple(dict.fromkeys(p for p in parts if _is_name(p)))


def _is_name(text: str) -> bool:
    """Whether a text looks like a person's name: two to six words, capitalised but for particles."""
    words = text.split()
    if not 2 <= len(words) <= 7 or len(text) > 60 or len(set(words)) < 2:
        return False
    if _ROLE.search(text) or any(w.endswith(("'s", "’s")) for w in words):
        return False
    capital = [w for w in words if w[:1].isupper() or _INNER_CAPITAL.fullmatch(w)]
    if not all(w in capital or _PARTICLES.fullmatch(w) for w in words) or len(capital) < 2:
        return False
    full = [w for w in capital if len(w.strip(".")) > 1]
    return bool(full) and not any(c.isdigit() for c in text) and any(any(c.islower() for c in w) for w in full)
