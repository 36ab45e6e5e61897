"""What a server sent, as a web archive has it: in chunks and packed, or not. In: a body and its head. Out: its bytes.

Heads say much that is not so: crawlers unpack a body and leave its head as it was, servers write `none`, `utf-8` or
words of their own. What does not begin as its head says, or is packed in no known way, is taken as it is.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import Any

_BEGINS = {  # how a body begins that is packed so
    "chunked": re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*(;[^\r\n]*)?\r?\n"),
    "gzip": re.compile(rb"\x1f\x8b"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_READERS = {"chunked": "ChunkedReader", "gzip": "GzipReader", "zstd": "ZstdReader", "br": "BrotliReader"}


def unpack_answer(body: bytes, head: Any, most: int) -> bytes:
    """The bytes of a body, `most` at most; what it raises where they are damaged is what FastWARC raises."""
    said = [(head.get(name) or "").lower() for name in ("Transfer-Encoding", "Content-Encoding")] if head else []
    for words in said:
        for word in reversed(words.split(",")):  # the last was done last
            body = _unpacked(body, word.strip().removeprefix("x-"), most)
    return body


def _unpacked(body: bytes, packing: str, most: int) -> bytes:
    if packing == "deflate":
        return _inflated(body, most)
    if packing in _BEGINS and _BEGINS[packing].match(body):
        return _read(body, packing, most)
    if packing == "br":  # nothing tells it
        try:
            return _read(body, packing, most)
        except (OSError, ValueError):
            return body
    return body


def _read(body: bytes, packing: str, most: int) -> bytes:
    import fastwarc.stream_io

    return bytes(getattr(fastwarc.stream_io, _READERS[packing])(io.BytesIO(body)).read(most))


def _inflated(body: bytes, most: int) -> bytes:
    """What was packed by deflate, with a head or, as many servers do, without; as it is where it was not."""
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        unpacker = zlib.decompressobj(bits)
        try:
            found = unpacker.decompress(body, most)
        except zlib.error:
            continue
        if unpacker.eof or len(found) == most:
            return found
    return body
