"""The tables and plots of the figures are those of docs/figures/figures.json."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "figures" / "write_figures.py"))


def test_pages_and_plots_are_up_to_date(script: dict[str, Any]) -> None:
    figures = script["read_figures"]()
    for name, text in (script["write_pages"](figures) | script["plots"](figures)).items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name} shows other figures: run `make figures`"


def test_lists_of_commands_and_requests_are_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "figures" / "write_reference.py"))
    for name, text in script["write_pages"]().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name} shows other options: run `make figures`"


def test_the_readme_names_the_figure_of_each_medium(script: dict[str, Any]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert script["unseen_table"]() in readme
    assert len(script["unseen_table"]().splitlines()) == 6


def test_ours_is_bold_only_where_none_is_better(script: dict[str, Any]) -> None:
    line = {"corpus": "c", "figure": "F1", "tabellion": ".90", "known": [["other", ".95"]]}
    assert "| .90 |" in script["full_table"]([line])
    assert "| **.90** |" in script["full_table"]([line | {"known": [["other", ".85"]]}])
    assert "| **.90** |" in script["full_table"]([line | {"figure": "errors, fewer is better"}])


def test_a_bar_is_as_long_as_its_figure(script: dict[str, Any]) -> None:
    drawn = script["draw_plot"]([{"corpus": "c", "figure": "read", "tabellion": "50 %", "known": [["other", ".25"]]}])
    assert f"width='{script['WIDE'] / 2}'" in drawn
    assert f"width='{script['WIDE'] / 4}'" in drawn
