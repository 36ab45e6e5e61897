"""`make demo`: reads the documents of this folder and shows the results."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Lines
from rich.text import Text

from tabellion.cli.drawing.stages import View, draw_extraction
from tabellion.cli.query import draw_answer
from tabellion.library import open_library
from tabellion.pipeline import Extraction, extract_document

FOLDER = Path(__file__).parent
ENDINGS = (".xlsx", ".ods", ".csv", ".html", ".pdf")
QUESTION = """select medium, name as "table", count(*) as "values", max(value) as largest,
       arg_max(array_to_string("left" || top, ' › '), value) as "which is"
from tuples join tables using (table_id) join documents on documents.document_id = tables.document_id
group by medium, name order by medium, name"""


def main() -> None:
    console = Console(highlight=False)
    start = time.perf_counter()
    read = {path.name: extract_document(path) for path in sorted(FOLDER.iterdir()) if path.suffix in ENDINGS}
    seconds = time.perf_counter() - start
    console.print(Text("A sheet made for people, and how tabellion reads it", "bold"))
    for drawn in draw_extraction(read["smoking.xlsx"], View(width=min(console.width, 110))):
        console.print(drawn)
    console.print(tell_cell(read["smoking.xlsx"], "B10"))
    console.print(Text(f"\nAll {len(read)} examples, read in {seconds:.2f} seconds\n", "bold"))
    console.print(overview(read))
    show_library(console)
    console.print(Text("\nNext: tabellion show examples/pilots.xlsx --tuples", "bold"))
    console.print("      tabellion extract examples/ --format csv")
    console.print("      tabellion add examples/ && tabellion search smoking")


def show_library(console: Console) -> None:
    """Keep all examples in a library, search it, and ask one question across all media that are there."""
    with TemporaryDirectory() as folder, open_library(f"{folder}/library", create=True) as library:
        library.add(*sorted(path for path in FOLDER.iterdir() if path.suffix in ENDINGS))
        found = library.search("smoking white women")
        best = found.hits[0]
        console.print(Text("\nAll in a library. Search for: smoking white women\n", "bold"))
        console.print(Text(f"{best.title}  ({Path(best.source).name} {best.place.get('range', '')})"))
        for field, pieces in best.highlights.items():
            console.print(Text(f"  {field}: {'; '.join(pieces)}", "dim"))
        console.print(Text("\nOne SQL query over all documents\n", "bold"))
        console.print(Text(QUESTION, "dim"))
        with library.ask(QUESTION) as answer:
            draw_answer(answer)


def tell_cell(extraction: Extraction, address: str) -> Text:
    """One value in words."""
    for table in extraction.tables:
        found = table.tuples.at(address)
        if found:
            return Text.assemble(
                f"\n{address} says ",
                (f"{found.text} {found.unit or ''}".strip(), "bold"),
                ": ",
                (" › ".join(found.left), "#7fd0ff"),
                ", ",
                (" › ".join(found.top), "#7fb2ff"),
            )
    return Text(f"{address} holds no value")


def overview(read: dict[str, Extraction]) -> Lines:
    """A line for each document: what it is and what was found."""
    lines = Lines("document", "is a", "tables", "tuples", "for example", box=None, pad_edge=False, header_style="bold")
    for name, extraction in read.items():
        kinds = ", ".join(dict.fromkeys(labelled.kind for labelled in extraction.labelled))
        tuples = sum(len(table.tuples) for table in extraction.tables)
        example = ""
        if extraction.tables and len(extraction.tables[-1].tuples):
            one = extraction.tables[-1].tuples[-1]
            example = f"{' › '.join((*one.left, *one.top))} = {one.text}"
        lines.add_row(name, kinds, str(len(extraction.tables) or ""), str(tuples or ""), Text(example, "dim"))
    return lines


if __name__ == "__main__":
    main()
