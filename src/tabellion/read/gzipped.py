"""A document packed with gzip (`.html.gz`, `.csv.gz`), unpacked within limits."""

from __future__ import annotations

import zlib

from tabellion.errors import HostileError, TooLargeError, TruncatedError
from tabellion.read.limits import Limits

_MAGIC = b"\x1f\x8b"
_STEP = 2**20


def unpack_gzip(data: bytes, limits: Limits) -> bytes:
    """The bytes inside; the same bytes where they are not packed."""
    if not data.startswith(_MAGIC):
        return data
    unpacked = bytearray()
    most = min(limits.bytes, int(limits.unpacked_ratio * max(len(data), _STEP)))
    rest = data
    try:
        while rest.startswith(_MAGIC):
            inflater = zlib.decompressobj(wbits=31)
            while not inflater.eof:
                piece = inflater.decompress(rest, _STEP)
                rest = inflater.unconsumed_tail or inflater.unused_data
                if not piece and not inflater.eof:
                    raise TruncatedError("the gzip archive is cut short; fetch the file again")
                unpacked += piece
                _check_size(len(unpacked), most, limits)
    except zlib.error as error:
        raise TruncatedError(f"the gzip archive is damaged ({error}); fetch the file again") from error
    return bytes(unpacked)


def _check_size(size: int, most: int, limits: Limits) -> None:
    if size <= most:
        return
    if most < limits.bytes:
        raise HostileError(f"the gzip archive unpacks to more than {limits.unpacked_ratio:g} times its size")
    raise TooLargeError(f"unpacked over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it")
