"""Shared fixtures: the labelled corpora, where they are there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.learn.corpora import corpus_folder


@pytest.fixture(scope="session")
def corpora() -> Callable[[str], Path]:
    """The folder of a labelled corpus by name; skips where there is none, and fails in continuous integration."""

    def find(name: str) -> Path:
        folder = corpus_folder(name)
        if folder is None:
            message = f"corpus {name} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        return folder

    return find
