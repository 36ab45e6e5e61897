"""A relation of any size put into a library as a table with one stub and one column, for joins."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tabellion.library.holdings import ColumnFacts, Details, document_id
from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import SCHEMA, Reading, TableReading
from tabellion.library.writing import write_readings
from tabellion.model.place import Place
from tabellion.model.table import Metadata


def add_relation(library: Library, name: str, column: str, items: pa.Array, values: NDArray[np.float64]) -> None:
    """Keep items and values as a table called `name`."""
    address, count = f"/made/{name}.csv", len(items)
    identity, data = document_id(address), name.encode()
    lists = pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32)), items)
    rows = np.arange(1, count + 1, dtype=np.int32)
    table = pa.table(
        [
            pa.repeat(f"{identity}-t1", count),
            pa.repeat(identity, count),
            rows,
            pa.array(np.ones(count, np.int32)),
            pa.array([f"B{row + 1}" for row in rows.tolist()]),
            pa.array(values).cast(pa.string()),
            pa.array(values),
            pa.nulls(count, pa.string()),
            pa.array([[column]], pa.list_(pa.string())).take(pa.array(np.zeros(count, np.int32))),
            lists,
            pa.array([[]], pa.list_(pa.string())).take(pa.array(np.zeros(count, np.int32))),
            pa.array(np.ones(count)),
            pa.array([[0]], pa.list_(pa.int32())).take(pa.array(np.zeros(count, np.int32))),
        ],
        schema=SCHEMA,
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        stream.write_table(table)
    details = Details(
        place=Place(range=f"A1:B{count + 1}"),
        stub=(ColumnFacts(0, "item", ("item",)),),
        columns=(ColumnFacts(1, column, (column,), number=True),),
        metadata=Metadata(),
        left_depth=1,
        rows_are_tuples=True,
    )
    held = TableReading("t1", name, None, "column", count + 1, 2, 1.0, 1.0, "numerical", count, details)
    sha256 = hashlib.sha256(data).hexdigest()
    store_original(library.folder.originals, data, sha256)
    reading = Reading(
        identity, address, address, "spreadsheet", "csv", sha256, len(data), None, (), "english", (), (held,),
        sink.getvalue().to_pybytes(),
    )  # fmt: skip
    write_readings(library.folder, library.catalogue, [reading])
