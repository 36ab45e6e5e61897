"""Helpers of these tests and of those of libraries, for the processes that tests start, too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "library")]
