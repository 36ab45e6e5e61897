"""Writes the hashes of all files that the pins of constraints.txt may be installed from: .ci/pins.txt.

    make pins                                                  # after constraints.txt was made anew
    pip install --require-hashes --no-deps -r .ci/pins.txt     # what continuous integration installs

The index that pip asks says them. Kept are source archives, and wheels for any platform or for Linux on x86-64 and the
versions of Python that are tested: whatever else a server hands out under these names is refused.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename
from packaging.version import Version
from pip._internal.models.index import PyPI

ROOT = Path(__file__).parents[1]
PYTHONS = ("cp311", "cp312", "cp313")
_LINK = re.compile(r'href="([^"]+#sha256=([0-9a-f]{64}))"')
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$")


def read_pins(text: str) -> list[tuple[str, str]]:
    """The names and versions of a file of constraints."""
    return [(found[1], found[2]) for line in text.splitlines() if (found := _PIN.match(line.strip()))]


def fits(file: str, version: str) -> bool:
    """Whether a file is of a version, and may be installed where this is tested."""
    try:
        if not file.endswith(".whl"):
            return parse_sdist_filename(file)[1] == Version(version)
        _, told, _, tags = parse_wheel_filename(file)
    except (InvalidSdistFilename, InvalidWheelFilename):
        return False
    return told == Version(version) and any(
        (tag.platform == "any" or ("linux" in tag.platform and "musl" not in tag.platform and "x86_64" in tag.platform))
        and (tag.interpreter in (*PYTHONS, "py3", "py2") or tag.abi == "abi3")
        for tag in tags
    )


def find_hashes(page: str, version: str) -> list[str]:
    """The hashes that a page of the index says of a version's files."""
    found = {
        digest for link, digest in _LINK.findall(page) if fits(unquote(urlsplit(link).path.rpartition("/")[2]), version)
    }
    return sorted(found)


def main() -> int:
    lines = ["# Made by .ci/hash_pins.py from constraints.txt: `make pins`."]
    with httpx.Client(follow_redirects=True, timeout=60, headers={"Accept": "text/html"}) as client:
        for name, version in read_pins((ROOT / "constraints.txt").read_text(encoding="utf-8")):
            page = client.get(f"{PyPI.simple_url}/{name}/").raise_for_status().text
            if not (hashes := find_hashes(page, version)):
                sys.stderr.write(f"{name}=={version}: the index has no file of it\n")
                return 1
            lines.append(" \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{one}" for one in hashes)]))
    (ROOT / ".ci" / "pins.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
