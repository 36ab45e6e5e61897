"""`python -m tabellion.learn train | stale | measure | repairs`: make weights from the corpora, and score the flow.

`train` makes all parts, shipped and by fold, and measures both; `--part NAME` makes one part of the shipped weights;
`--folds DIR` makes weights by fold only, `DIR/fold0` and so on, each without the documents of that fold. `stale` names
the parts whose code is newer than their weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tabellion.errors import TabellionError
from tabellion.learn.corpora import FOLDS
from tabellion.learn.parts import PARTS, stale_weights
from tabellion.learn.training import default_folds, fold_targets, train_parts, train_shipped
from tabellion.weights import SHIPPED


def main() -> None:
    options = _parser().parse_args()
    try:
        sys.exit(_run(options))
    except TabellionError as error:
        sys.stderr.write(f"tabellion.learn: {error}\n")
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tabellion.learn", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="make weights files from the corpora")
    training.add_argument("--folds", type=Path, metavar="DIR", help="only weights by fold, one folder each")
    training.add_argument("--part", action="append", choices=list(PARTS), help="only this part (may be repeated)")
    training.add_argument("--jobs", type=int, metavar="N", help="processes; as many as there are processors by default")
    commands.add_parser("stale", help="name the parts whose code is newer than their weights")
    measuring = commands.add_parser("measure", help="score the flow on documents that its weights have not seen")
    measuring.add_argument("corpus", nargs="*", help="corpora; all where none is named")
    measuring.add_argument("--folds", type=Path, metavar="DIR", help="weights by fold; trained there where missing")
    measuring.add_argument("--rows", choices=["boosted", "crf", "paper"], default="boosted")
    measuring.add_argument("--parents", choices=["boosted", "svm"], default="boosted")
    measuring.add_argument("--render", action="store_true", help="render the pages of every web corpus")
    measuring.add_argument("--frames", choices=["arranged", "gridded", "ventex"], default="arranged")
    repairing = commands.add_parser("repairs", help="count the strokes of a simulated user")
    repairing.add_argument("--folds", type=Path, metavar="DIR", help="weights by fold; trained there where missing")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.command == "stale":
        return _tell_stale()
    folds: Path = options.folds or default_folds()
    if options.command == "train":
        _train(options, folds)
        return 0
    if not (folds / f"fold{FOLDS - 1}").exists():
        train_parts(list(PARTS), fold_targets(folds))
    if options.command == "repairs":
        from tabellion.learn.repair.simulated_user import print_strokes

        print_strokes(folds)
    else:
        _measure(options, folds)
    return 0


def _train(options: argparse.Namespace, folds: Path) -> None:
    names = options.part or list(PARTS)
    if options.folds is not None:
        train_parts(names, fold_targets(folds), options.jobs)
        return
    if not options.part:
        train_parts(names, fold_targets(folds), options.jobs)
    train_shipped(names, folds, options.jobs)


def _tell_stale() -> int:
    found = list(stale_weights(SHIPPED))
    for one in found:
        sys.stdout.write(f"{one.weights}: {one.why}; python -m tabellion.learn train --part {one.part}\n")
    return 1 if found else 0


def _measure(options: argparse.Namespace, folds: Path) -> None:
    from tabellion.learn.printed.cases import PRINTED_CORPORA
    from tabellion.learn.printed.measure import print_printed_figures
    from tabellion.learn.sheets.measure import print_figures
    from tabellion.learn.web.cases import WEB_CORPORA
    from tabellion.learn.web.measure import RENDERED_CORPORA, print_web_figures

    sheets = [corpus for corpus in options.corpus if corpus not in (*WEB_CORPORA, *RENDERED_CORPORA, *PRINTED_CORPORA)]
    if sheets or not options.corpus:
        print_figures(sheets, folds, options.rows, options.parents)
    pages = (*WEB_CORPORA, *RENDERED_CORPORA)
    chosen = [corpus for corpus in pages if corpus in options.corpus or not options.corpus]
    print_web_figures(chosen, folds, options.frames, rendered=options.render)
    print_printed_figures(
        [corpus for corpus in PRINTED_CORPORA if corpus in options.corpus or not options.corpus], folds
    )


if __name__ == "__main__":
    main()
