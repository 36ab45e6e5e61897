"""The files that people and forges look for say what is true of this project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def load(name: str) -> dict[str, object]:
    found = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_the_citation_is_of_this_version_and_licence() -> None:
    citation = load("CITATION.cff")
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])


def test_the_workflow_runs_make_test() -> None:
    assert "run: make test" in (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    assert load(".github/workflows/test.yml")["jobs"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem
)
def test_an_issue_template_asks_for_something(path: Path) -> None:
    template = load(str(path.relative_to(ROOT)))
    assert {"name", "description", "body"} <= set(template)


def test_pre_commit_calls_tools_that_development_installs() -> None:
    tools = set(re.findall(r"\.venv/bin/([\w-]+)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert tools == {"ruff", "mypy", "lint-imports"}
    assert all(f"$(BIN)/{tool}" in makefile for tool in tools)


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_somewhere(page: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (ROOT / target).exists()] == []
