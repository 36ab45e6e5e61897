"""Draws the pictures of docs/images from the documents in examples/, by `tabellion show`. Run by `make figures`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = {
    "show-smoking": ("smoking.xlsx", "--width", "110", "--svg"),
    "show-pilots-nest": ("pilots.xlsx", "--width", "100", "--stage", "nest", "--svg"),
    "show-side-by-side": ("side_by_side.xlsx", "--width", "90", "--svg"),
    "show-lakes": ("lakes.html", "--width", "90", "--svg"),
    "show-report": ("report.pdf", "--picture"),
}


def main() -> None:
    for name, (document, *options) in PICTURES.items():
        picture = ROOT / "docs" / "images" / f"{name}.svg"
        command = [sys.executable, "-c", "from tabellion.cli import main; main()", "show"]
        subprocess.run(  # noqa: S603 - our own program, on our own documents
            [*command, f"examples/{document}", *options, str(picture)], cwd=ROOT, check=True, capture_output=True
        )


if __name__ == "__main__":
    main()
