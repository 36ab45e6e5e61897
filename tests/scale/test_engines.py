"""The other engines that the documentation shows read the same; where their packages are not here, that is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from archives import EXAMPLES, contents

from tabellion.library import open_library

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.mark.parametrize(("engine", "package"), [("Ray", "ray"), ("Spark", "pyspark")])
def test_the_engine_of_the_documentation_reads_the_same(engine: str, package: str, tmp_path: Path) -> None:
    pytest.importorskip(package, reason=f"{engine} is not installed: pip install {package}")
    shown = re.search(rf"### {engine}\n\n```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert len(shown[1].splitlines()) <= 20
    (tmp_path / "examples").mkdir()
    for path in sorted(EXAMPLES.glob("*.xlsx"))[:3]:
        (tmp_path / "examples" / path.name).write_bytes(path.read_bytes())
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {
        "PYTHONPATH": paths,
        "PYSPARK_PYTHON": sys.executable,
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    done = subprocess.run(
        [sys.executable, "-c", shown[1]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with open_library(str(tmp_path / "shelf")) as library, open_library(str(tmp_path / "added"), create=True) as added:
        added.add(*sorted((tmp_path / "examples").iterdir()))
        assert contents(library) == contents(added) != []
