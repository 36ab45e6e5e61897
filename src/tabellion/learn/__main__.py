"""`python -m tabellion.learn`: make weights from the corpora (train, stale), score readings (measure, score, repairs).

`train` makes all parts, shipped, by fold and by corpus left out, and measures all; `--part NAME` makes one part of the
shipped weights; `--folds DIR` makes only `DIR/fold0` and so on, each without the documents of that fold, and
`DIR/without-NAME`, each without that corpus. `stale` names the parts whose code is newer than their weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tabellion.errors import TabellionError
from tabellion.learn.corpora import find_corpus
from tabellion.learn.measuring import Methods, Way, measure
from tabellion.learn.parts import PARTS, SHEETS, stale_weights
from tabellion.learn.scoring import score_file
from tabellion.learn.training import (
    corpus_targets,
    default_folds,
    fold_targets,
    train_from_readings,
    train_missing,
    train_parts,
    train_shipped,
)
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
    measuring.add_argument("--left-out", action="store_true", help="only with weights that have not seen the corpus")
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
        ways: list[Way] = ["shipped"] if options.shipped else ["corpus"] if options.left_out else ["folds", "corpus"]
        methods = Methods(options.rows, options.parents, options.frames, options.render)
        measure(options.corpus, folds, ways, methods)
    else:
        from tabellion.learn.repair.simulated_user import print_strokes

        find_corpus("troy200")
        train_missing([SHEETS], fold_targets(folds))
        print_strokes(folds)
    return 0


def _train(options: argparse.Namespace, folds: Path) -> None:
    names = options.part or list(PARTS)
    find_corpus("troy200")
    if options.part and options.folds is None:
        train_shipped(names, folds, options.jobs)
        return
    targets = [*fold_targets(folds), *corpus_targets(folds)]
    if options.folds is None:
        targets.append((SHIPPED, None))
    train_parts(names, targets, options.jobs)
    train_from_readings(names, targets, folds, options.jobs)
    if options.folds is None:
        measure([], folds, ["shipped", "folds", "corpus"])


def _tell_stale() -> int:
    found = list(stale_weights(SHIPPED))
    for one in found:
        sys.stdout.write(f"{one.weights}: {one.why}; python -m tabellion.learn train --part {one.part}\n")
    return 1 if found else 0


if __name__ == "__main__":
    main()
