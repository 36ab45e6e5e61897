"""`python -m tabellion.learn`: make weights from the corpora (train, stale), score readings (measure, score, repairs).

`train` makes all parts, by fold, by corpus left out and shipped, and measures all. A part that cannot be made here (a
corpus or Chromium is missing) keeps its weights, and so does one that `--without` names; what was left is told at the
end, and the exit status is 1 where it was not asked for. `--resume` keeps what the same commit has made. `--part NAME`
makes one part of the shipped weights. `stale` names the parts whose code is newer than their weights.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tabellion.errors import TabellionError, UsageError
from tabellion.learn.corpora import MEASURED, corpus_folder, find_corpus
from tabellion.learn.measuring import Methods, Way, measurable, measure
from tabellion.learn.parts import PARTS, SHEETS, Target, stale_weights
from tabellion.learn.scoring import score_file
from tabellion.learn.training import (
    code_state,
    corpus_targets,
    default_folds,
    fold_targets,
    train_all,
    train_missing,
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
    known = list(PARTS)
    listed = f"only this part (may be repeated): {', '.join(known)}"
    training.add_argument("--part", action="append", choices=known, metavar="PART", help=listed)
    training.add_argument(
        "--without", action="append", choices=known, metavar="PART", default=[], help="all parts but this one"
    )
    training.add_argument(
        "--only",
        action="append",
        choices=list(TARGETS),
        help="shipped weights, those by fold, or those without a corpus each; by default all, with --part the shipped",
    )
    training.add_argument("--folds", type=Path, metavar="DIR", help="where weights by fold and without a corpus go")
    training.add_argument("--jobs", type=int, metavar="N", help="processes; as many as there are processors by default")
    training.add_argument("--resume", action="store_true", help="keep the files that this commit has made already")
    training.add_argument("--no-measure", action="store_true", help="do not measure what was made")
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
    repairing = commands.add_parser("repairs", help="count the corrections of a simulated user")
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
        return _train(options, folds)
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


TARGETS: dict[str, Way] = {"shipped": "shipped", "folds": "folds", "left-out": "corpus"}
"""What may be trained, and the way in which it is measured."""


def _targets(kinds: list[str], folds: Path) -> list[Target]:
    """The folders of weights, those that take part in others first."""
    made: dict[str, list[Target]] = {
        "folds": fold_targets(folds),
        "left-out": corpus_targets(folds),
        "shipped": [(SHIPPED, None)],
    }
    return [target for kind, targets in made.items() if kind in kinds for target in targets]


def _train(options: argparse.Namespace, folds: Path) -> int:
    if not code_state():
        raise UsageError("no checkout here, so cards cannot name the commit: set TABELLION_COMMIT")
    if not any(corpus_folder(name) for names in MEASURED.values() for name in names):
        find_corpus("troy200")  # which says how to come by it
    kinds: list[str] = options.only or (["shipped"] if options.part else list(TARGETS))
    names = [name for name in options.part or PARTS if name not in options.without]
    left = train_all(names, _targets(kinds, folds), folds, options.jobs, resume=options.resume)
    told = [f"{name}: --without" for name in options.without] + [str(one) for one in left]
    told = [f"left as it was: {line}" for line in told]
    if not options.part and not options.no_measure:
        _write_lines(told)  # measuring takes long, and may be ended
        there, absent = measurable()
        measure(there, folds, [TARGETS[kind] for kind in kinds], train=False)
        told += [f"not measured: {corpus}: {why}" for corpus, why in absent.items()]
    _write_lines(told)
    return 1 if left else 0


def _write_lines(lines: list[str]) -> None:
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _tell_stale() -> int:
    found = list(stale_weights(SHIPPED))
    for one in found:
        sys.stdout.write(f"{one.weights}: {one.why}; python -m tabellion.learn train --part {one.part}\n")
    return 1 if found else 0


if __name__ == "__main__":
    main()
