"""Lines of the output contract, made for scoring: one per document, with weights that have not seen it.

In: files, each with its settings. Out: the lines, which are also kept in a file for a look. A document that cannot be
read gives a line with `error`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tabellion.errors import TabellionError
from tabellion.export import error_json, to_json
from tabellion.learn.corpora import without
from tabellion.learn.scoring.readings import Json, read_lines
from tabellion.pipeline import Settings, extract_document
from tabellion.weights import SHIPPED

Job = tuple[Path, Settings]


def weights_for(folds: Path | None, fold: int, left_out: str | None = None) -> str:
    """The weights that have not seen a fold, or a whole corpus; the shipped ones where there are none of that kind.

    A corpus that nothing is learned from has no weights of its own: the shipped ones have not seen it.
    """
    if folds is None:
        return str(SHIPPED)
    if left_out is None:
        return str(folds / f"fold{fold}")
    folder = folds / without(left_out)
    return str(folder if folder.is_dir() else SHIPPED)


def predict(jobs: Sequence[Job], kept: Path, workers: int | None = None) -> dict[str, Json]:
    """What is read of each file, by its name; the lines are kept in a file."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        kept.write_bytes(b"".join(map(predict_line, jobs)))
    else:
        with kept.open("wb") as file, ProcessPoolExecutor(max_workers=workers) as pool:
            for line in pool.map(predict_line, jobs, chunksize=4):
                file.write(line)
    with kept.open(encoding="utf-8") as lines:
        return read_lines(lines)


def predict_line(job: Job) -> bytes:
    """The line of one document."""
    path, settings = job
    try:
        return to_json(extract_document(path, settings), every=True) + b"\n"
    except TabellionError as error:
        return error_json(str(path), error.kind, str(error)) + b"\n"
