"""Nothing that tabellion needs is under a licence that would bind its users, and a build says what is in it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PERMISSIVE = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|ISC|Python Software Foundation|PSF|Zlib|Unlicense|CC0|HPND|BSL|Boost|"
    r"Mozilla Public License|MPL|Historical Permission|Public Domain|CNRI)\b",
    re.I,
)
BINDING = re.compile(r"\b(AGPL|GPL|Affero|GNU General|SSPL|Commons Clause|BUSL)\b", re.I)


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / ".ci" / "bill_of_materials.py"))


def test_every_package_is_under_a_licence_that_is_allowed(script: dict[str, Any]) -> None:
    needed = script["needed"]()
    assert {"numpy", "lxml", "duckdb", "fastapi", "pypdfium2"} <= set(needed)
    told = {name: script["licence_of"](held) for name, held in needed.items()}
    assert {name: said for name, said in told.items() if BINDING.search(said) or not PERMISSIVE.search(said)} == {}


def test_the_bill_of_materials_names_every_package_with_its_version(script: dict[str, Any]) -> None:
    bill = script["bill"]()
    assert bill["bomFormat"] == "CycloneDX" and bill["metadata"]["component"]["name"] == "tabellion"
    assert {one["name"].lower() for one in bill["components"]} >= {"numpy", "httpx", "msgspec"}
    assert all(one["version"] and one["licenses"] for one in bill["components"])
