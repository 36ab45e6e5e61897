"""The public names, and what they cost to import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, get_type_hints

import pytest
from tests.building import build_extraction, smoking

import tabellion
from printing import PdfPage, write_pdf
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


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("rows", "nonsense", "rows='nonsense' is not known; choose one of boosted, crf, paper"),
        ("parents", None, "parents=None is not known; choose one of boosted, svm"),
        ("genuine", "forest", "choose one of boosted, tree, svm"),
        ("headers", "", "choose one of boosted, ontominer"),
        ("frames", "drawn", "choose one of arranged, gridded, ventex"),
        ("render", "sometimes", "choose one of never, always, auto"),
        ("pages", "9-3", "'9-3' is not a range of pages; write 7 or 3-9"),
        ("pages", "all", "'all' is not a range of pages"),
        ("pages", (0, 2), "is not a range of pages"),
        ("pages", 1.5, "is not a range of pages"),
        ("limits", {"cels": 5}, "there is no limit 'cels'; the limits are bytes,"),
        ("limits", {"cells": "many"}, "the limit cells is a number over 0, not 'many'"),
        ("limits", {"cells": 0}, "the limit cells is a number over 0, not 0"),
        ("limits", 5, "give a tabellion.Limits or a dict of them"),
    ],
)
def test_a_wrong_setting_is_one_clear_error(setting: str, value: object, reason: str) -> None:
    wrong: dict[str, Any] = {setting: value}
    with pytest.raises(tabellion.TabellionError) as raised:
        tabellion.extract("examples/smoking.xlsx", **wrong)
    assert isinstance(raised.value, UsageError)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_pages_and_limits_are_taken_in_the_forms_that_people_write() -> None:
    leaves = [PdfPage() for _ in range(3)]
    for leaf in leaves:
        leaf.text(72, 100, "Hello")
    printed = write_pdf(leaves)
    by_range = tabellion.extract(printed, pages="1-2").document
    assert [page.number for page in by_range.pages] == [1, 2]
    assert [page.number for page in tabellion.extract(printed, pages=3).document.pages] == [3]
    with pytest.raises(tabellion.UnreadableError, match=r"raise Limits\.cells"):
        tabellion.extract("examples/smoking.xlsx", limits={"cells": 3})


def test_a_settings_struct_is_checked_too() -> None:
    with pytest.raises(UsageError, match="rows='nonsense'"):
        tabellion.Settings(rows="nonsense")  # type: ignore[arg-type]


def test_type_checkers_see_real_signatures() -> None:
    typed = inspect.signature(tabellion.extract)
    assert not [one for one in typed.parameters.values() if one.kind is inspect.Parameter.VAR_KEYWORD]
    left_out = {"limits", "weights", "sheet", "pages"}  # of other types, which are read into those of the struct
    for name, kind in get_type_hints(tabellion.Settings).items():
        assert name in typed.parameters
        if name not in left_out:
            assert get_type_hints(tabellion.extract)[name] == kind
            assert typed.parameters[name].default == getattr(tabellion.Settings(), name)


def test_tables_are_a_sequence_with_the_document_and_its_doubts() -> None:
    tables = Tables(build_extraction(smoking()))
    assert len(tables) == len(list(tables)) == 1
    assert tables[0].id == "t1"
    assert tables[:1][0] is tables[0]
    assert tables.document.source == "some/report.xlsx"
    assert tables.issues == ()
    assert "Cigarette" in repr(tables)
    assert "Cigarette" in tables._repr_html_()
