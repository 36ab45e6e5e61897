"""What all tests share: the labelled corpora, where they are there; long tests first; no deadlines for properties."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tabellion.errors import MissingExtraError
from tabellion.learn.corpora import corpus_folder
from tabellion.read.chromium.process import find_chromium

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take minutes, so that no core waits for them at the end."""
    long_files = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long_files)


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


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Take interrupts, and let programs that are started take them, even where the test run itself ignores them.

    A shell starts background jobs with SIGINT ignored, and what is ignored stays so in the programs that they start.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is; skips where there is none, and fails in continuous integration."""
    try:
        return find_chromium()
    except MissingExtraError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
