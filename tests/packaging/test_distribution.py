"""What is published: the wheel and the source distribution are complete and well formed."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run("build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


def run(module: str, *arguments: str | Path) -> None:
    ran = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stdout + ran.stderr


def test_twine_finds_nothing_to_say(built: Path) -> None:
    run("twine", "check", "--strict", *sorted(built.iterdir()))


def test_the_source_distribution_holds_all_that_is_tracked(built: Path) -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    with tarfile.open(next(built.glob("*.tar.gz"))) as packed:
        held = {name.partition("/")[2] for name in packed.getnames()}
    assert sorted(name for name in listed.stdout.splitlines() if (ROOT / name).is_file() and name not in held) == []


def test_the_wheel_holds_the_package_with_its_weights_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as packed:
        held = set(packed.namelist())
    source = ROOT / "src"
    package = {
        str(path.relative_to(source))
        for path in (source / "tabellion").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert package == {name for name in held if ".dist-info/" not in name}
    assert any(name.endswith("licenses/LICENSE") for name in held)


def test_the_extra_all_holds_every_feature() -> None:
    extras = PROJECT["optional-dependencies"]
    [together] = extras["all"]
    named = set(together.removeprefix("tabellion[").removesuffix("]").split(","))
    assert named == set(extras) - {"all", "bench", "dev", "docs"}


def test_every_package_that_development_needs_is_pinned() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(line.partition("==")[0]) for line in pins if not line.startswith("#")}
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(each for extra in set(extras) - {"bench"} for each in extras[extra])]
    assert sorted(_needed([Requirement(each) for each in wanted]) - pinned) == []


def _needed(todo: list[Requirement]) -> set[str]:
    """The names of all packages that some need, and those that these need in turn, where they are installed."""
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        wanted = todo.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if name == "tabellion" or (name, extras) in seen:
            continue
        seen.add((name, extras))
        with contextlib.suppress(PackageNotFoundError):
            further = map(Requirement, distribution(name).requires or [])
            todo += [
                each
                for each in further
                if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
            ]
    return {name for name, _ in seen}


def test_every_pin_has_its_hashes() -> None:
    pinned = re.findall(r"^(\S+==\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    said = (ROOT / ".ci" / "pins.txt").read_text(encoding="utf-8")
    hashed = re.findall(r"^(\S+==\S+) \\\n    --hash=sha256:[0-9a-f]{64}", said, re.MULTILINE)
    assert hashed == pinned != [], "constraints.txt has changed: `make pins`"
