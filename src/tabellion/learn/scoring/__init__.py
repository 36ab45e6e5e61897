"""Scoring: what lines of the output contract are worth, held against the gold of a corpus.

`score_file` is the way in for a file of lines, whoever made them. How each figure is counted is said in the docstrings
of `sheets`, `trees`, `web`, `printed`, `articles`, `metadata`, `sites` and `site_concepts`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tabellion.errors import UsageError
from tabellion.learn.corpora import MEASURED, find_corpus, load_gold


def score_file(corpus: str, predictions: Path) -> Iterator[str]:
    """The figures of a corpus (its name or its folder) by a file of lines, one line each, all together as JSON last."""
    from tabellion.learn.scoring.readings import read_lines, rounded

    folder = _folder(corpus)
    about = folder / "corpus.json"
    kind = json.loads(about.read_text(encoding="utf-8"))["corpus"] if about.exists() else "jats"
    if kind in MEASURED["sites"]:
        from tabellion.learn.web.measure import describe_sites

        yield from describe_sites(folder, predictions)
        return
    with predictions.open(encoding="utf-8") as lines:
        docs = read_lines(lines)
    if kind in MEASURED["sheets"]:
        from tabellion.learn.scoring.sheets import describe, score

        result = score(folder, docs)
        yield from describe(result)
    elif kind in MEASURED["web"]:
        from tabellion.learn.scoring import web

        result = web.measure(kind, load_gold(folder), docs)
        yield from web.describe(result)
    else:
        from tabellion.learn.scoring import articles, printed

        result = articles.evaluate(printed.load_gold(folder), docs)
        yield from articles.describe(result)
    yield json.dumps({"name": folder.name, **rounded(result)})


def _folder(corpus: str) -> Path:
    """The folder of a corpus, by its name or as it is given."""
    if any(corpus in names for names in MEASURED.values()):
        return find_corpus(corpus)
    folder = Path(corpus)
    if not ((folder / "corpus.json").exists() or (folder / "gold").is_dir()):
        raise UsageError(f"{corpus} is no corpus; these have a name: {', '.join(sum(MEASURED.values(), ()))}")
    return folder
