"""How much memory mining takes as a site grows: made sites of 1,000 and 10,000 pages, each mined in its own process.

    python bench/mine_memory.py [PAGES...]

Prints for each size the peak of the process and the pages per second. Pages are made as they are loaded.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

from tabellion.mine.ontology import SitePages, mine_sites
from tabellion.model.markup import PageTree
from tabellion.read.web.page_tree import parse_page_tree

SECTIONS = [f"section{n}" for n in range(40)]
MENU = "".join(f"<li><a href=/{name}/>{name.title()}</a>" for name in SECTIONS)


def made_page(number: int) -> str:
    """An article with a menu, facts, a text and links to others."""
    part = SECTIONS[number % len(SECTIONS)]
    facts = "".join(f"<tr><td>Fact {n}<td>value {number * n}" for n in range(12))
    text = "".join(
        f"<p>Sentence {n} of the article {number} goes on for a while and says little.</p>" for n in range(12)
    )
    links = "".join(
        f"<li><a href=/{part}/a-story-about-number-{other}.html>A story about the number {other}</a>"
        for other in range(number + 1, number + 11)
    )
    name = f"Story {number}"
    return f"<title>{name}</title><ul>{MENU}</ul><h1>{name}</h1><table>{facts}</table>{text}<ul>{links}</ul>"


def load(source: str) -> PageTree:
    number = int(source)
    part = SECTIONS[number % len(SECTIONS)]
    return parse_page_tree(made_page(number), f"https://site.example/{part}/a-story-about-number-{number}.html")


def mine(pages: int) -> None:
    start = time.process_time()
    ontology = mine_sites([SitePages("site.example", tuple(map(str, range(pages))), load)])
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = sum(len(each.instance.attributes) for each in ontology.instances)
    print(
        f"{pages} pages, {told} attributes: {peak:.0f} MB at most, {pages / seconds:.0f} pages per second", flush=True
    )


if __name__ == "__main__":
    if len(sys.argv) == 2:
        mine(int(sys.argv[1]))
    else:
        for size in sys.argv[1:] or ("1000", "10000"):
            subprocess.run([sys.executable, __file__, size], check=True)
