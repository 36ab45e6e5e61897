"""Bytes of a page on the web, fetched by its address.

In: an `http` or `https` address. Out: the bytes, the address it was found at, and the character set the server named.
Time, size and redirects are limited; a server that stalls or drips is given up. Fails where a page needs a login or
scripts.
"""

from __future__ import annotations

import time

import httpx
import msgspec

from tabellion.errors import SourceMissingError, TooLargeError, UnreadableError
from tabellion.read.limits import Limits
from tabellion.read.web.transport import TimedTransport

_AGENT = "tabellion (table extraction)"
_MISSING = (404, 410)


class Fetched(msgspec.Struct, frozen=True):
    """What a server gave."""

    address: str
    data: bytes
    charset: str | None


def fetch_page(
    address: str, limits: Limits, transport: httpx.BaseTransport | None = None, *, private: bool = True
) -> Fetched:
    """Fetch one page; without `private`, from the public network only."""
    timeout = httpx.Timeout(min(30.0, limits.fetch_seconds))
    deadline = time.monotonic() + limits.fetch_seconds
    if transport is None:
        transport = TimedTransport(private=private)
        transport.start(limits.fetch_seconds)
    client = httpx.Client(
        follow_redirects=True,
        max_redirects=limits.redirects,
        timeout=timeout,
        headers={"User-Agent": _AGENT, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"},
        transport=transport,
    )
    try:
        with client, client.stream("GET", address) as response:
            if response.status_code in _MISSING:
                raise SourceMissingError(f"{address}: no such page (status {response.status_code})")
            if response.status_code >= 400:
                raise UnreadableError(f"{address}: the server refused with status {response.status_code}")
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > limits.bytes:
                    raise TooLargeError(
                        f"{address}: over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it"
                    )
                if time.monotonic() > deadline:
                    raise UnreadableError(
                        f"{address}: not fetched within {limits.fetch_seconds:g} seconds; raise Limits.fetch_seconds"
                    )
            return Fetched(str(response.url), bytes(data), response.charset_encoding)
    except httpx.TooManyRedirects:
        raise UnreadableError(f"{address}: more than {limits.redirects} redirects") from None
    except httpx.TimeoutException:
        if time.monotonic() < deadline:
            raise UnreadableError(f"{address}: the server did not answer in time") from None
        raise UnreadableError(
            f"{address}: not fetched within {limits.fetch_seconds:g} seconds; raise Limits.fetch_seconds"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise UnreadableError(f"{address}: cannot be fetched ({error})") from error
