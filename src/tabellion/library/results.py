"""The rows of a query in the forms that people and programs take: a drawn table, CSV, JSON, Parquet.

In: an answer. Out: bytes written to a file, some rows at a time; only a drawn table is held whole, and is cut off.
"""

from __future__ import annotations

import csv
import io
from typing import Any, BinaryIO

import msgspec
import pyarrow.parquet as pq

from tabellion.library.query import Answer

SEPARATOR = " | "  # between the labels of a path in CSV, as in `tabellion extract --format csv`
DRAWN = 200  # rows of a drawn table


def write_csv(answer: Answer, file: BinaryIO) -> None:
    """One line a row under a line of names; lists joined by " | "."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(answer.schema.names)
        for batch in answer.batches():
            columns = [column.to_pylist() for column in batch.columns]
            writer.writerows([[plain_text(value) for value in row] for row in zip(*columns, strict=True)])
        text.flush()
    finally:
        text.detach()


def write_json(answer: Answer, file: BinaryIO) -> None:
    """A list with an object a row."""
    names = once(answer.schema.names)
    file.write(b"[")
    first = True
    for batch in answer.batches():
        columns = [column.to_pylist() for column in batch.columns]
        for row in zip(*columns, strict=True):
            file.write(b"\n" if first else b",\n")
            file.write(msgspec.json.encode(dict(zip(names, map(json_value, row), strict=True))))
            first = False
    file.write(b"\n]\n")


def write_parquet(answer: Answer, file: BinaryIO) -> None:
    """A Parquet file."""
    with pq.ParquetWriter(file, answer.schema, compression="zstd") as writer:
        for batch in answer.batches():
            writer.write_batch(batch)


def first_rows(answer: Answer, most: int = DRAWN) -> tuple[list[list[str]], bool]:
    """The first rows as text, and whether there are more."""
    rows: list[list[str]] = []
    for batch in answer.batches():
        for row in zip(*[column.to_pylist() for column in batch.columns], strict=True):
            if len(rows) == most:
                return rows, True
            rows.append([plain_text(value) for value in row])
    return rows, False


def plain_text(value: Any) -> str:
    """A value as it is read.

    >>> plain_text(["Male", "White"]), plain_text(25.0), plain_text(None)
    ('Male | White', '25', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return SEPARATOR.join(plain_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)


def json_value(value: Any) -> Any:
    """A value as JSON can say it; what it cannot, such as a number of more than 64 bits, as text.

    >>> json_value(2**80), json_value([1.5, None, {"a": 2**80}])
    ('1208925819614629174706176', [1.5, None, {'a': '1208925819614629174706176'}])
    """
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def once(names: list[str]) -> list[str]:
    """Column names, of which a query may give the same twice."""
    return [name if names.index(name) == at else f"{name}_{at + 1}" for at, name in enumerate(names)]
