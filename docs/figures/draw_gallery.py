"""Draws the documents of the gallery as they are read, and writes docs/gallery.md. Run by `make figures`.

Each document has some values whose headers are known; the page shows how they are read. A document that is read wrong
is fixed by the corrections beside it, and read again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tabellion
from tabellion.library import open_library
from tabellion.model.table import Tuple
from tabellion.read.chromium.process import find_chromium
from tabellion.repair.session import Repair

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
Paths = tuple[tuple[str, ...], tuple[str, ...]]
HEAD = """# Gallery

Twelve documents and what tabellion reads in them. The documents are in `examples/` and `docs/gallery/`; all but the
first two are invented. `python docs/figures/draw_gallery.py` makes this page: each reading is compared with known
headers, and the last three, which are read wrong, are fixed with the code below them.
"""


class Exhibit(NamedTuple):
    """A document, what is hard about it, and values with their headers: by address, in the table of a number."""

    name: str
    title: str
    hard: str
    known: dict[str, Paths]
    table: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    width: int = 90
    text: str = ""  # of the known values, where it is what is hard
    fixes: tuple[str, ...] = ()  # calls of a `Repair` called `session`


EXHIBITS = (
    Exhibit(
        "examples/smoking.xlsx",
        "Row headers by leading dots",
        "Four levels of row headers share one column. Leading dots, blanks and nothing else show the level.",
        {"B10": (("Total smokers", "Male, total", "White, total", "65 years and over"), ("1990",))},
    ),
    Exhibit(
        "examples/pilots.xlsx",
        "Column headers of three levels",
        "Merged headers span two, three and six columns; one header has no level below it.",
        {"E7": (("Alaska",), ("Airplane pilots", "Certificate held", "Commercial"))},
        width=100,
    ),
    Exhibit(
        "docs/gallery/energy.xlsx",
        "Two levels on both sides",
        "Years span three sources each; regions are bold, districts indented. The unit is in the title.",
        {"G8": (("North", "Fen"), ("2024", "Wind"))},
    ),
    Exhibit(
        "examples/budget.ods",
        "Groups and totals",
        "Two rows without values head the rows below them, and each group ends with its total.",
        {"B7": (("Income", "Donations"), ("Budget",))},
    ),
    Exhibit(
        "examples/side_by_side.xlsx",
        "Two tables side by side",
        "One blank column separates two tables with titles of their own.",
        {"G3": (("Lighthouse",), ("April",))},
        table=1,
    ),
    Exhibit(
        "examples/lakes.html",
        "A web page with spans and groups",
        "Header cells span rows and columns, group rows span the whole table, a mark leads to a note.",
        {"C5": (("Alps", "Constance"), ("Size", "Depth (m)"))},
    ),
    Exhibit(
        "docs/gallery/walks.html",
        "A table without a table element",
        "The markup has only boxes of a CSS grid. `--render` reads them as a browser draws them.",
        {"B2": (("Lighthouse",), ("Length",))},
        options={"render": "always"},
    ),
    Exhibit(
        "examples/report.pdf",
        "A table on two pages",
        "Table 2 continues on the next page, with its header repeated. Table 1 has three rules and no lattice.",
        {"D3": (("3 March",), ("Visitors",))},
        table=1,
    ),
    Exhibit(
        "docs/gallery/harbours.pdf",
        "A printed table without a lattice",
        "Headers span two columns each, groups are marked by indents alone, the unit is in the caption.",
        {"E8": (("Islands", "Lark Isle"), ("Departures", "2024"))},
    ),
    Exhibit(
        "docs/gallery/branches.xlsx",
        "Only italics separate two levels",
        "Branches and their mobile stops alternate in one column without an indent.",
        {
            "B5": (("Abbey Branch", "Abbey Street 36"), ("Spring",)),
            "B107": (("West Branch", "West Street 29"), ("Spring",)),
        },
        fixes=('session.move_header("A5", under="A4")',),
    ),
    Exhibit(
        "docs/gallery/dwellings.csv",
        "A row without its values",
        "One row has no values and looks like a group, though its indent is that of the rows around it.",
        {"C6": (("Dwellings", "Boats"), ("2024",)), "C7": (("Dwellings", "Caravans"), ("2024",))},
        fixes=('session.move_header("A6", under="A3")',),
    ),
    Exhibit(
        "docs/gallery/duties.pdf",
        "Wrapped rows without rules",
        "Texts of two lines, and hardly more space between two rows than between two lines.",
        {"C2": (("Warden",), ("Duties",))},
        text="opens and closes the hall, and keeps the keys and the book of all its visitors",
        fixes=('session.merge_rows("2", "3")', 'session.merge_rows("4", "5")', 'session.merge_rows("6", "7")'),
    ),
)


def main() -> None:
    pages = [HEAD]
    with tempfile.TemporaryDirectory() as folder:
        for number, exhibit in enumerate(EXHIBITS, 1):
            draw(exhibit)
            pages.append("\n".join(describe(number, exhibit, Path(folder))))
    PAGE.write_text("\n".join(pages), encoding="utf-8")


def describe(number: int, exhibit: Exhibit, folder: Path) -> Iterator[str]:
    """The lines of a document's part of the page."""
    tables = tabellion.extract(ROOT / exhibit.name, **exhibit.options)
    at = tables[exhibit.table].tuples.at
    link = f"../{exhibit.name}" if exhibit.name.startswith("examples/") else exhibit.name.removeprefix("docs/")
    yield f"## {number}. {exhibit.title}\n"
    yield f"[{Path(exhibit.name).name}]({link}). {exhibit.hard}\n"
    yield f"![{exhibit.title}: the reading](images/{picture(exhibit).name})\n"
    yield f"```text\n{show(exhibit, at)}\n```\n"
    if is_right(exhibit, at):
        yield "Read right.\n"
        return
    yield f"**Read wrong.** {'These lines fix it:' if exhibit.fixes else ''}\n"
    if exhibit.fixes:
        calls = "\n".join(f"    {call}" for call in exhibit.fixes)
        yield (
            "```python\nfrom tabellion.library import open_library\n\n"
            f'with open_library("shelf", create=True) as library:\n    library.add("{exhibit.name}")\n'
            f'    session = library.repair("{Path(exhibit.name).stem}")\n{calls}\n```\n'
        )
        yield f"```text\n{fixed(exhibit, folder / Path(exhibit.name).stem)}\n```\n"


def fixed(exhibit: Exhibit, place: Path) -> str:
    """The values after the corrections."""
    with open_library(str(place), create=True) as library:
        library.add(ROOT / exhibit.name)
        session = library.repair(Path(exhibit.name).stem)
        for call in exhibit.fixes:
            eval(call, {"session": session})  # noqa: S307 - our own calls above
        at = _finder(session)
        if not is_right(exhibit, at):
            raise SystemExit(f"{exhibit.name}: the corrections do not fix it\n{show(exhibit, at)}")
        return show(exhibit, at)


def _finder(session: Repair) -> Callable[[str], Tuple | None]:
    tables = session.extraction.tables
    return lambda address: next((found for table in tables if (found := table.tuples.at(address))), None)


def is_right(exhibit: Exhibit, at: Callable[[str], Tuple | None]) -> bool:
    """Whether all known values are read with their headers, and the known text."""
    values = {address: at(address) for address in exhibit.known}
    return all(
        value is not None
        and (value.left, value.top) == exhibit.known[address]
        and (not exhibit.text or value.text == exhibit.text)
        for address, value in values.items()
    )


def show(exhibit: Exhibit, at: Callable[[str], Tuple | None]) -> str:
    """The known values as they are read, a line each."""
    lines = []
    for address in exhibit.known:
        value = at(address)
        if value is None:
            lines.append(f"{address}: no value")
            continue
        unit = f" {value.unit}" if value.unit and value.unit not in value.text else ""
        lines.append(f"{address}: {value.text}{unit} | {' / '.join(value.left)} | {' / '.join(value.top)}")
    return "\n".join(lines)


def picture(exhibit: Exhibit) -> Path:
    return ROOT / "docs" / "images" / f"gallery-{Path(exhibit.name).stem}.svg"


def draw(exhibit: Exhibit) -> None:
    """The picture of a document: its pages, or its sheets in the terminal."""
    file = str(picture(exhibit))
    options = ["--picture", file] if exhibit.name.endswith(".pdf") else ["--svg", file, "--width", str(exhibit.width)]
    options += ["--lines", "18"] + (["--render"] if exhibit.options else [])
    subprocess.run(  # noqa: S603 - our own program, on our own documents
        [sys.executable, "-c", "from tabellion.cli import main; main()", "show", exhibit.name, *options],
        cwd=ROOT,
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(exhibit.width)},
        check=True,
        capture_output=True,
    )


if __name__ == "__main__":
    find_chromium()  # an error that says what to install, before anything is drawn
    main()
