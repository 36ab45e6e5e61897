"""`python -m tabellion.learn train | measure`: make every weights file anew from the corpora, and score the flow.

Without `--folds` the weights that are shipped, trained on everything (and by fold as well: how far a reading can be
trusted is learned from readings of documents that were not seen). With `--folds DIR` one folder per fold,
`DIR/fold0` and so on, each with weights that have not seen the documents of that fold. Parts are trained in the order
of `TRAINERS`, so that a later one may stand on an earlier one's weights in the same folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tabellion.learn.corpora import FOLDS, corpora_root
from tabellion.learn.printed.cases import PRINTED_CORPORA
from tabellion.learn.printed.headers import train_printed_headers
from tabellion.learn.printed.locate import train_printed_locate
from tabellion.learn.printed.measure import print_printed_figures
from tabellion.learn.printed.structure import train_printed_structure
from tabellion.learn.repair.simulated_user import print_strokes
from tabellion.learn.sheets.columns import train_columns
from tabellion.learn.sheets.confidence import train_confidence
from tabellion.learn.sheets.edges import train_edges
from tabellion.learn.sheets.measure import print_figures
from tabellion.learn.sheets.parents import train_parents
from tabellion.learn.sheets.rows import train_rows
from tabellion.learn.web.cases import WEB_CORPORA
from tabellion.learn.web.genuine import train_genuine, train_genuine_drawn
from tabellion.learn.web.genuine_paper import train_genuine_paper
from tabellion.learn.web.headers import train_web_headers
from tabellion.learn.web.measure import RENDERED_CORPORA, print_web_figures
from tabellion.weights import SHIPPED

Trainer = Callable[[Path, int | None], None]
"""Writes its weights and cards into a folder; the number is the fold whose documents it must not see."""

TRAINERS: dict[str, Trainer] = {
    "rows": train_rows,
    "edges": train_edges,
    "columns": train_columns,
    "parents": train_parents,
    "genuine": train_genuine,
    "genuine-drawn": train_genuine_drawn,
    "genuine-paper": train_genuine_paper,
    "web-headers": train_web_headers,
    "printed-locate": train_printed_locate,
    "printed-structure": train_printed_structure,
    "printed-headers": train_printed_headers,
}


def train(folds: Path | None, parts: list[str]) -> None:
    """Train the given parts, by fold where `folds` names a folder."""
    targets = [(SHIPPED, None)] if folds is None else [(folds / f"fold{fold}", fold) for fold in range(FOLDS)]
    for folder, left_out in targets:
        folder.mkdir(parents=True, exist_ok=True)
        for part in parts:
            start = time.monotonic()
            TRAINERS[part](folder, left_out)
            sys.stderr.write(f"{folder}: {part} in {time.monotonic() - start:.0f} s\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tabellion.learn", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="make weights files from the corpora")
    training.add_argument("--folds", type=Path, metavar="DIR", help="one folder of weights a fold, for measuring")
    training.add_argument("--part", action="append", choices=list(TRAINERS), help="only this part (may be repeated)")
    measuring = commands.add_parser("measure", help="score the flow on documents that its weights have not seen")
    measuring.add_argument("corpus", nargs="*", help="corpora; all where none is named")
    measuring.add_argument("--folds", type=Path, metavar="DIR", help="weights by fold; trained there where missing")
    measuring.add_argument("--rows", choices=["boosted", "crf", "paper"], default="boosted")
    measuring.add_argument("--parents", choices=["boosted", "svm"], default="boosted")
    measuring.add_argument("--render", action="store_true", help="render the pages of every web corpus")
    measuring.add_argument("--frames", choices=["arranged", "gridded", "ventex"], default="arranged")
    repairing = commands.add_parser("repairs", help="count the strokes of a simulated user")
    repairing.add_argument("--folds", type=Path, metavar="DIR", help="weights by fold; trained there where missing")
    options = parser.parse_args()
    if options.command == "train":
        train(options.folds, options.part or list(TRAINERS))
        if options.folds is None and not options.part:
            train(default_folds(), list(TRAINERS))
            train_confidence(SHIPPED, default_folds())
        return
    folds = options.folds or default_folds()
    if not (folds / f"fold{FOLDS - 1}").exists():
        train(folds, list(TRAINERS))
    if options.command == "repairs":
        print_strokes(folds)
        return
    sheets = [corpus for corpus in options.corpus if corpus not in (*WEB_CORPORA, *RENDERED_CORPORA, *PRINTED_CORPORA)]
    if sheets or not options.corpus:
        print_figures(sheets, folds, options.rows, options.parents)
    pages = (*WEB_CORPORA, *RENDERED_CORPORA)
    chosen = [corpus for corpus in pages if corpus in options.corpus or not options.corpus]
    print_web_figures(chosen, folds, options.frames, rendered=options.render)
    print_printed_figures(
        [corpus for corpus in PRINTED_CORPORA if corpus in options.corpus or not options.corpus], folds
    )


def default_folds() -> Path:
    """Where weights by fold are kept between runs."""
    return corpora_root().parent / "folds"


if __name__ == "__main__":
    main()
