"""`python -m tabellion.learn`: make weights from the corpora (train, stale), score readings (measure, score, repairs).

`train` makes all parts, shipped and by fold, and measures both; `--part NAME` makes one part of the shipped weights;
`--folds DIR` makes weights by fold only, `DIR/fold0` and so on, each without the documents of that fold. `stale` names
the parts whose code is newer than their weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tabellion.errors import TabellionError, UsageError
from tabellion.learn.corpora import MEASURED, find_corpus
from tabellion.learn.parts import PARTS, SHEETS, stale_weights
from tabellion.learn.scoring import score_file
from tabellion.learn.training import default_folds, fold_targets, train_missing, train_parts, train_shipped
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
    measuring.add_argument("--shipped", action="store_true", help="with the shipped weights, which have seen all")
    measuring.add_argument("--rows", choices=["boosted", "crf", "paper"], default="boosted")
    measuring.add_argument("--parents", choices=["boosted", "svm"], default="boosted")
    measuring.add_argument("--render", action="store_true", help="render the pages of every web corpus")
    measuring.add_argument("--frames", choices=["arranged", "gridded", "ventex"], default="arranged")
    scoring = commands.add_parser("score", help="score lines of the output contract, whoever made them")
    scoring.add_argument("corpus", help="the name of a corpus, or its folder")
    scoring.add_argument("predictions", type=Path, metavar="FILE", help="of `tabellion extract --all --format jsonl`")
    repairing = commands.add_parser("repairs", help="count the strokes of a simulated user")
    repairing.add_argument("--folds", type=Path, metavar="DIR", help="weights by fold; trained there where missing")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.command == "stale":
        return _tell_stale()
    if options.command == "score":
        for line in score_file(options.corpus, options.predictions):
            sys.stdout.write(f"{line}\n")
        return 0
    folds: Path = options.folds or default_folds()
    if options.command == "train":
        _train(options, folds)
        return 0
    if options.command == "measure":
        _measure(options, None if options.shipped else folds)
    else:
        from tabellion.learn.repair.simulated_user import print_strokes

        find_corpus("troy200")
        train_missing([SHEETS], folds)
        print_strokes(folds)
    return 0


def _train(options: argparse.Namespace, folds: Path) -> None:
    names = options.part or list(PARTS)
    if options.folds is not None:
        train_parts(names, fold_targets(folds), options.jobs)
        return
    if options.part:
        train_shipped(names, folds, options.jobs)
        return
    find_corpus("troy200")
    train_parts(names, fold_targets(folds), options.jobs)
    train_shipped(names, folds, options.jobs)
    for weights in ([], ["--shipped"]):
        sys.stdout.write(f"== {'shipped weights' if weights else 'weights by fold'}\n")
        _run(_parser().parse_args(["measure", *weights]))


def _tell_stale() -> int:
    found = list(stale_weights(SHIPPED))
    for one in found:
        sys.stdout.write(f"{one.weights}: {one.why}; python -m tabellion.learn train --part {one.part}\n")
    return 1 if found else 0


def _measure(options: argparse.Namespace, folds: Path | None) -> None:
    """Print the figures of the corpora that are named, of all where none is."""
    chosen = options.corpus or [name for names in MEASURED.values() for name in names]
    unknown = [name for name in chosen if not any(name in names for names in MEASURED.values())]
    if unknown:
        known = ", ".join(name for names in MEASURED.values() for name in names)
        raise UsageError(f"{unknown[0]} is not measured here; these are: {known}")
    for name in chosen:
        find_corpus(name)
    if folds is not None:
        train_missing([group for group, names in MEASURED.items() if set(names) & set(chosen)], folds)
    sheets, pages, prints, sites = ([name for name in chosen if name in names] for names in MEASURED.values())
    if sheets:
        from tabellion.learn.sheets.measure import print_figures

        print_figures(sheets, folds, options.rows, options.parents)
    if pages:
        from tabellion.learn.web.measure import print_web_figures

        print_web_figures(pages, folds, options.frames, rendered=options.render)
    if prints:
        from tabellion.learn.printed.measure import print_printed_figures

        print_printed_figures(prints, folds)
    if sites:
        from tabellion.learn.web.sites import print_site_figures

        print_site_figures(sites)


if __name__ == "__main__":
    main()
