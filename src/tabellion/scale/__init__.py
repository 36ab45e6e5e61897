"""Many documents on many machines: a run over files, lists of addresses and web archives, into one library.

The unit of work is one function, `read_batch` (places and settings in, a batch out), which keeps nothing between two
calls. Dask calls it here; docs/scale.md shows the same with Ray and Spark. Start with `run_sources`.
"""

from tabellion.scale.driver import plan_batches, prepare_work, run_sources
from tabellion.scale.manifest import Manifest, RunReport, name_run
from tabellion.scale.places import DocumentPlace, expand_places
from tabellion.scale.work import Batch, ReadDocument, WorkSettings, read_batch

__all__ = [
    "Batch",
    "DocumentPlace",
    "Manifest",
    "ReadDocument",
    "RunReport",
    "WorkSettings",
    "expand_places",
    "name_run",
    "plan_batches",
    "prepare_work",
    "read_batch",
    "run_sources",
]
