"""Reading under a fuzzer that is guided by coverage: atheris, where it is installed (`pip install atheris`).

    python tests/fuzz.py html -max_total_time=600       # any format of tests/soak.py; the rest goes to libFuzzer

Documents are read in this process, so that the fuzzer sees what they reach; an exception that is none of ours ends it
with the document that raised it. It pays for text: of a packed file nearly every mutant is a damaged archive.
`tests/soak.py` tries mutants without a guide, inside packed parts too, in workers, under hard bounds.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parent


def main() -> None:
    import atheris

    sys.path[:0] = [str(TESTS), str(TESTS / "library"), str(TESTS.parent)]
    with atheris.instrument_imports(include=["tabellion"]):
        from tabellion.errors import TabellionError
        from tabellion.pipeline import extract_document
        from tabellion.read.limits import Limits
        from tabellion.settings import Settings
    from soak import samples

    settings = Settings(limits=Limits(seconds=5.0, cells=200_000, unpacked_bytes=2**26, part_bytes=2**26))

    def read(data: bytes) -> None:
        try:
            extract_document(data, settings)
        except TabellionError:
            return

    kind, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"sample.{kind}").write_bytes(samples()[kind])
        atheris.Setup([sys.argv[0], folder, "-timeout=30", "-rss_limit_mb=4096", *options], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
