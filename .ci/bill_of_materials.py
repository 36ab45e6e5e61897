"""Writes what tabellion is built with as a CycloneDX document: every package it may need, its version and licence.

    python .ci/bill_of_materials.py dist/tabellion.cdx.json

What is listed is what is installed here of `tabellion[all]` and of all that those packages need in turn.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement


def needed(name: str = "tabellion", extras: tuple[str, ...] = ("all",)) -> dict[str, Distribution]:
    """The packages that one needs, with these extras, and all that they need in turn; by name, itself left out."""
    found: dict[str, Distribution] = {}
    todo = [(name, extras)]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while todo:
        name, extras = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, extras) in seen:
            continue
        seen.add((key, extras))
        try:
            held = distribution(name)
        except PackageNotFoundError:  # for another platform, or not installed here
            continue
        found[key] = held
        for text in held.requires or ():
            wanted = Requirement(text)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": one}) for one in (*extras, "")):
                todo.append((wanted.name, tuple(sorted(wanted.extras))))
    found.pop("tabellion", None)
    return found


def licence_of(held: Distribution) -> str:
    """What a package says its licence is: an expression, else what its classifiers or its own words say."""
    told = held.metadata
    if expression := told.get("License-Expression"):
        return str(expression)
    classed = [one.rpartition(" :: ")[2] for one in told.get_all("Classifier") or () if one.startswith("License ::")]
    named = [one for one in classed if one != "OSI Approved"]
    if named:
        return "; ".join(named)
    return " ".join(str(told.get("License") or "unknown").split())[:200]


def bill() -> dict[str, Any]:
    """The document."""
    parts = [
        {
            "type": "library",
            "name": held.metadata["Name"],
            "version": held.version,
            "purl": f"pkg:pypi/{name}@{held.version}",
            "licenses": [{"license": {"name": licence_of(held)}}],
        }
        for name, held in sorted(needed().items())
    ]
    about = {"type": "application", "name": "tabellion", "version": distribution("tabellion").version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": about},
        "components": parts,
    }


if __name__ == "__main__":
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "dist/tabellion.cdx.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill(), indent=2) + "\n", encoding="utf-8")
