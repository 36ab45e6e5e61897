"""Loaded by the process that commands are forked from: documents have been read there, so that weights are at hand."""

from __future__ import annotations

from tabellion import extract

TABLE = b"Place,1990,1991\nYork,1,2\nRipon,3,4\n"
PAGE = b"<h1>Como</h1><table><tr><th>Depth<th>Area<tr><td>410 m<td>146 km<tr><td>346 m<td>370 km</table>"

for document in (TABLE, PAGE):
    extract(document)
