"""The public names, and what they cost to import."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.building import build_extraction, smoking

import tabellion
from tabellion.api import Tables
from tabellion.errors import UsageError


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, tabellion; print(sorted({'numpy', 'msgspec', 'lxml', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_there() -> None:
    for name in tabellion.__all__:
        assert getattr(tabellion, name) is not None
        assert name in dir(tabellion)
    assert tabellion.__version__
    with pytest.raises(AttributeError):
        _ = tabellion.nothing_of_the_kind


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(UsageError, match="unknown setting colour"):
        tabellion.extract("report.xlsx", colour="red")


def test_tables_are_a_sequence_with_the_document_and_its_doubts() -> None:
    tables = Tables(build_extraction(smoking()))
    assert len(tables) == len(list(tables)) == 1
    assert tables[0].id == "t1"
    assert tables[:1][0] is tables[0]
    assert tables.document.source == "some/report.xlsx"
    assert tables.issues == ()
    assert "Cigarette" in repr(tables)
    assert "Cigarette" in tables._repr_html_()
