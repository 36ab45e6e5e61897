"""One command makes weights from the corpora: the same ones each time, however many processes make them, and it says
what it could not make.

It runs as a person would run it, on corpora of a few documents each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tabellion.learn.parts import PARTS
from tabellion.learn.web.cases import WEB_CORPORA
from tabellion.weights import CARD

DOCUMENTS = {"webtables": 24, "t2dv2": 6, "wiki-headers": 6}
PART, OTHER = "web-headers", "genuine-paper"
COMMAND = (  # without the archives that may lie beside the checkout
    "from tabellion.learn import __main__, corpora; corpora.archive_candidates = lambda name: (); __main__.main()"
)


@pytest.fixture(scope="module")
def few(corpora: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpora of web pages with a few documents each."""
    root = tmp_path_factory.mktemp("corpora")
    for name in WEB_CORPORA:
        whole = corpora(name)
        (root / name / "pages").mkdir(parents=True)
        lines = (whole / "gold.jsonl").read_text(encoding="utf-8").splitlines()
        lines = lines[:: len(lines) // DOCUMENTS[name]]
        assert len(lines) >= DOCUMENTS[name]
        (root / name / "gold.jsonl").write_text("\n".join(lines), encoding="utf-8")
        (root / name / "README.md").symlink_to(whole / "README.md")
        for file in {json.loads(line)["file"] for line in lines}:
            (root / name / "pages" / file).symlink_to(whole / "pages" / file)
    return root


def train(corpora: Path, folder: Path, *words: str, **around: str) -> subprocess.CompletedProcess[str]:
    """The command, outside any checkout, with nothing remembered from before; weights by fold go to a folder."""
    told = {"TABELLION_CORPORA": str(corpora), "TABELLION_LEARNED": "0", "GIT_DIR": "/nowhere"}
    command = [sys.executable, "-c", COMMAND, "train", "--folds", str(folder), *words]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=corpora, env=os.environ | told | around
    )


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_documents_give_the_same_files_and_what_is_made_is_kept(few: Path, tmp_path: Path) -> None:
    words = ("--part", PART, "--only", "folds", "--only", "left-out")
    one, many = tmp_path / "one", tmp_path / "many"
    first = train(few, one, *words, "--jobs", "1", TABELLION_COMMIT="abc123")
    assert first.returncode == 0, first.stderr
    second = train(few, many, *words, "--jobs", "3", TABELLION_COMMIT="abc123")
    assert second.returncode == 0, second.stderr
    made = files(one)
    assert made == files(many)
    assert {name.partition("/")[0] for name in made} == {
        *(f"fold{fold}" for fold in range(5)), "without-webtables", "without-t2dv2", "without-wiki-headers",
    }  # fmt: skip
    card = json.loads(made[f"fold3/{PARTS[PART].weights[0]}{CARD}"])
    assert (card["commit"], card["left_out"]) == ("abc123", 3)
    assert set(card["corpora"]) == set(WEB_CORPORA)

    lost = one / "fold2" / f"{PARTS[PART].weights[1]}.npz"
    lost.unlink()
    again = train(few, one, *words, "--jobs", "1", "--resume", TABELLION_COMMIT="abc123")
    assert again.returncode == 0
    assert again.stderr.count(f": {PART} in ") == 1
    assert files(one) == made
    other = train(few, one, *words[:2], "--only", "left-out", "--jobs", "1", "--resume", TABELLION_COMMIT="def456")
    assert other.stderr.count(f": {PART} in ") == len(WEB_CORPORA)


def test_a_part_that_cannot_be_made_is_named_and_the_others_are_made(few: Path, tmp_path: Path) -> None:
    words = [word for name in PARTS if name not in (OTHER, "genuine-drawn", "rows") for word in ("--without", name)]
    nowhere = tmp_path / "no-chromium"
    ran = train(
        few, tmp_path / "made", *words, "--only", "folds", "--no-measure", "--jobs", "2",
        TABELLION_COMMIT="abc123", TABELLION_CHROMIUM=str(nowhere),
    )  # fmt: skip
    assert ran.returncode == 1
    lines = ran.stderr.splitlines()
    assert "left as it was: mined-facts: --without" in lines
    assert any(line.startswith("left as it was: genuine-drawn: no Chromium") for line in lines)
    assert any(line.startswith("left as it was: rows: no corpus troy200 nor ") for line in lines)
    assert {path.name.partition(".")[0] for path in (tmp_path / "made").rglob("*.npz")} == set(PARTS[OTHER].weights)


def test_a_part_that_fails_ends_no_other(few: Path, tmp_path: Path) -> None:
    """Gold that does not tell headers is enough to tell genuine tables by the paper."""
    broken = tmp_path / "corpora"
    broken.mkdir()
    for name in WEB_CORPORA:
        (broken / name).mkdir()
        for path in (few / name).iterdir():
            (broken / name / path.name).symlink_to(path)
    gold = broken / "webtables" / "gold.jsonl"
    told = gold.read_text(encoding="utf-8").replace('"header_rows"', '"heads"')
    gold.unlink()
    gold.write_text(told, encoding="utf-8")
    words = ("--part", PART, "--part", OTHER, "--only", "folds", "--jobs", "1")
    ran = train(broken, tmp_path / "made", *words, TABELLION_COMMIT="abc123")
    assert ran.returncode == 1
    assert ran.stderr.count(f"left as it was: {PART} for ") == 5
    assert "KeyError: 'header_rows'" in ran.stderr
    made = {path.name.partition(".")[0] for path in (tmp_path / "made").rglob("*.npz")}
    assert made == set(PARTS[OTHER].weights)


def test_without_git_the_commit_has_to_be_said(few: Path, tmp_path: Path) -> None:
    ran = train(few, tmp_path, "--part", PART, PATH="/nowhere", TABELLION_COMMIT="")
    assert ran.returncode == 1
    assert ran.stderr == ("tabellion.learn: no checkout here, so cards cannot name the commit: set TABELLION_COMMIT\n")
