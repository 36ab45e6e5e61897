"""Many documents on many machines: a run over files, lists of addresses and web archives, into one library.

The unit of work is one pure function, `read_documents` (places and settings in, readings out). Dask calls it here;
docs/scale.md shows the same with other engines. Start with `run_sources`.
"""

from tabellion.scale.driver import RunReport, run_sources
from tabellion.scale.sources import DocumentPlace, expand_places
from tabellion.scale.work import ReadDocument, WorkSettings, read_documents

__all__ = [
    "DocumentPlace",
    "ReadDocument",
    "RunReport",
    "WorkSettings",
    "expand_places",
    "read_documents",
    "run_sources",
]
