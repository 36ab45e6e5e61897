"""How pages are fetched: with an end to each fetch that holds, and only from where it may be.

In: requests of httpx. Out: their answers. One deadline bounds names, connections, heads and bodies together, however
slowly bytes drip in. Where private addresses are not allowed, a connection is made only to an address of the public
network: the name is resolved here, every address it has is looked at, and the connection goes to one of those, so that
a name cannot change its meaning in between. Every redirect comes by here again. A proxy named in the environment is
used; what it may reach is then its own to say.

Bytes of a page on the web, fetched by its address.

In: an `http` or `https` address. Out: the bytes, the address it was found at, and the character set the server named.
Time, size and redirects are limited; a server that stalls or drips is given up. Fails where a page needs a login or
scripts.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx
import msgspec
from httpcore import NetworkBackend, NetworkStream
from httpcore._backends.sync import SyncBackend

from tabellion.errors import SourceMissingError, TooLargeError, UnreadableError
from tabellion.read.limits import Limits

_LEAST = 0.001  # seconds that a call is given where the time is just up
_TRANSLATED = [ipaddress.IPv6Network(one) for one in ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96")]
"""Networks of IPv6 whose addresses end in one of IPv4, which a translator may lead to."""
_LOCAL_TRANSLATED = ipaddress.IPv6Network("64:ff9b:1::/48")
_ERRORS: dict[type[Exception], type[httpx.TransportError]] = {
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.TimeoutException: httpx.ReadTimeout,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
    httpcore.ProtocolError: httpx.ProtocolError,
    httpcore.NetworkError: httpx.ReadError,
    httpcore.UnsupportedProtocol: httpx.UnsupportedProtocol,
}


class PrivateAddressError(UnreadableError):
    """An address of this computer or of its own network, where only the public one may be asked."""


class Clock:
    """When the fetch that is going on must be over."""

    def __init__(self) -> None:
        self.end: float | None = None

    def start(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def at_most(self, timeout: float | None) -> float | None:
        """A timeout, or what is left."""
        if self.end is None:
            return timeout
        left = max(_LEAST, self.end - time.monotonic())
        return left if timeout is None else min(timeout, left)

    @property
    def over(self) -> bool:
        return self.end is not None and time.monotonic() >= self.end


class TimedTransport(httpx.BaseTransport):
    """What an `httpx.Client` sends its requests by; `start` begins the time of the next fetch."""

    def __init__(self, *, private: bool = True) -> None:
        self.clock = Clock()
        backend = _Backend(self.clock, private=private)
        self._context = ssl.create_default_context()
        self._direct = httpcore.ConnectionPool(ssl_context=self._context, network_backend=backend)
        self._proxies = {
            scheme: httpcore.HTTPProxy(proxy, ssl_context=self._context, network_backend=_Backend(self.clock))
            for scheme, proxy in getproxies().items()
            if scheme in ("http", "https") and proxy.startswith("http://")
        }

    def start(self, seconds: float) -> None:
        self.clock.start(seconds)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        proxy = None if proxy_bypass(request.url.host) else self._proxies.get(request.url.scheme)
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = (proxy or self._direct).handle_request(asked)
        except Exception as error:
            raise _told(error) from error
        assert isinstance(answer.stream, Iterable)  # noqa: S101 - this is the side without async
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        for pool in (self._direct, *self._proxies.values()):
            pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except Exception as error:
            raise _told(error) from error

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


class _Backend(NetworkBackend):
    """Connections under a clock, to addresses that may be asked."""

    def __init__(self, clock: Clock, *, private: bool = True) -> None:
        self._clock, self._private, self._below = clock, private, SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> NetworkStream:
        last: Exception | None = None
        for address in [host] if self._private else public_addresses(host, port):
            try:
                stream = self._below.connect_tcp(
                    address, port, self._clock.at_most(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
                continue
            return _Stream(stream, self._clock)
        raise last or httpcore.ConnectError(f"{host} has no address")


class _Stream(NetworkStream):
    """A connection no call of which lasts longer than the clock says."""

    def __init__(self, below: NetworkStream, clock: Clock) -> None:
        self._below, self._clock = below, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._clock.over:
            raise httpcore.ReadTimeout("the time is up")
        return self._below.read(max_bytes, self._clock.at_most(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._below.write(buffer, self._clock.at_most(timeout))

    def close(self) -> None:
        self._below.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> NetworkStream:
        below = self._below.start_tls(ssl_context, server_hostname, self._clock.at_most(timeout))
        return _Stream(below, self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._below.get_extra_info(info)


def public_addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, all of the public network; an error where one is not."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(str(error)) from error
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    for address in addresses:
        if not is_public(address):
            raise PrivateAddressError(
                f"{host}: is an address of this computer or its network ({address}), which is not asked here; "
                "--private yes allows it"
            )
    return addresses


def all_public(host: str) -> bool:
    """Whether a host is of the public network."""
    try:
        return bool(public_addresses(host, 80))
    except (httpcore.ConnectError, PrivateAddressError):
        return False


def is_public(address: str) -> bool:
    """Whether an address is of the public network; one that stands for another counts as that.

    >>> [is_public(one) for one in ("93.184.216.34", "127.0.0.1", "169.254.1.1", "10.0.0.1", "::1", "::ffff:10.0.0.1")]
    [True, False, False, False, False, False]
    >>> [is_public(one) for one in ("64:ff9b::8.8.8.8", "64:ff9b::10.0.0.1", "::127.0.0.1", "fec0::1")]
    [True, False, False, False]
    """
    told = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(told, ipaddress.IPv6Address):
        if told.is_site_local or told in _LOCAL_TRANSLATED:
            return False
        if any(told in one for one in _TRANSLATED):
            told = ipaddress.IPv4Address(int(told) & 0xFFFFFFFF)
        else:
            told = told.ipv4_mapped or told.sixtofour or (told.teredo[1] if told.teredo else None) or told
    return told.is_global and not told.is_multicast


def _told(error: Exception) -> Exception:
    """What httpx says of an error of httpcore."""
    for kind, told in _ERRORS.items():
        if isinstance(error, kind):
            return told(str(error))
    return error


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
