"""All hand-read sheets as drafts, in one file for training.

    python -m tabellion.learn.interpret.gather CORPORA drafts.pkl.xz

In: the folder of corpora. Out: a pickle of drafts by corpus, each with what is held out together with it (publisher or
family). Labels of our own (`own_labels/`: addresses, no text) are laid over the workbooks that they speak of.
"""

from __future__ import annotations

import argparse
import lzma
import pickle
from pathlib import Path
from typing import Any

import msgspec

from tabellion.learn.interpret.corpora import sheet_drafts
from tabellion.learn.interpret.draft import Draft
from tabellion.learn.interpret.web_corpora import article_drafts, hitab_drafts, page_drafts

OWN_LABELS = Path(__file__).parent / "own_labels"
Gathered = dict[str, list[tuple[Draft, str]]]


def gather(corpora: Path) -> Gathered:
    """The drafts of each corpus."""
    return {
        "office-make": [(draft, draft.name) for draft, _ in sheet_drafts(corpora / "office-make")],
        "published-make": [
            (draft, str(gold.get("origin") or draft.name)) for draft, gold in sheet_drafts(corpora / "published-make")
        ],
        "office-own": [*_own(corpora, "office-unlabelled"), *_own(corpora, "office-make")],
        "published-own": [
            *_own(corpora, "published-make"),
            *_own(corpora, "fuste"),
            *_own(corpora, "statsheets"),
        ],
        "pages-make": [(draft, str(gold["family"])) for draft, gold in page_drafts(corpora / "pages-make")],
        "hitab-top": [(draft, draft.name) for draft in hitab_drafts(corpora / "hitab-top")],
        "xmltables": [(draft, draft.name) for draft in article_drafts(corpora / "xmltables", 2)],
    }


def _own(corpora: Path, name: str) -> list[tuple[Draft, str]]:
    """Sheets of a corpus that have labels of our own."""
    path = OWN_LABELS / f"{name}.jsonl"
    golds: list[dict[str, Any]] = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    return [(draft, draft.name) for draft, _ in sheet_drafts(corpora / name, golds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    gathered = gather(args.corpora)
    with lzma.open(args.out, "wb", preset=2) as file:
        pickle.dump(gathered, file)
    print({name: len(drafts) for name, drafts in gathered.items()})


if __name__ == "__main__":
    main()
