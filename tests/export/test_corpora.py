"""On a sample of the corpora every export holds; bench/exports.py looks at all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.export.round_trips import round_trips

from tabellion.learn.corpora import corpus_folder
from tabellion.pipeline import extract_document

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SAMPLE = {"troy200": ("inputs", 25), "webtables": ("pages", 29), "icdar2013": ("pdf", 14)}  # every so many files
LARGEST = 250_000  # bytes of a document of the sample


def documents() -> list[Path]:
    found: list[Path] = []
    for corpus, (part, step) in SAMPLE.items():
        folder = corpus_folder(corpus)
        paths = sorted((folder / part).iterdir())[::step] if folder else []
        found += [path for path in paths if path.stat().st_size < LARGEST]
    return found


def test_every_export_of_a_sample_holds() -> None:
    paths = documents()
    if not paths:
        pytest.skip("the corpora are not at hand")
    broken = [(path.name, what) for path in paths for what, holds in round_trips(extract_document(path)) if not holds]
    assert broken == []
