"""Processor time from the call to the first answer: `tabellion extract` of a small sheet, a web page and a PDF.

    python bench/start.py [--repeats N]

Prints the least processor time of some runs, each in a process of its own, beside that of an empty Python and of the
imports that are not ours. The first run writes the bytecode and is not counted.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
MAIN = "import sys; from tabellion.cli import main; sys.argv[0] = 'tabellion'; main()"
EMPTY = {"python alone": "pass", "numpy, typer and pydantic": "import numpy, typer, pydantic"}


def processor_time(arguments: list[str]) -> float:
    """Seconds of the processor that one child process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    calls = {name: ["-c", code] for name, code in EMPTY.items()}
    for kind in ("smoking.xlsx", "*.html", "*.pdf"):
        found = sorted(EXAMPLES.glob(kind))
        calls |= {f"extract {path.name}": ["-c", MAIN, "extract", str(path)] for path in found[:1]}
    for name, arguments in calls.items():
        processor_time(arguments)
        print(f"{name:32} {min(processor_time(arguments) for _ in range(repeats)):.2f} s")


if __name__ == "__main__":
    main()
