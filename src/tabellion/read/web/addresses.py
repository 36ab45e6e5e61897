"""Addresses as pages write them, put together and taken apart; one that is none (`//[`) is no error."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit

NOWHERE = "about:invalid"


def join_address(base: str, written: str, otherwise: str = NOWHERE) -> str:
    """An address as it is seen from another; `otherwise` where it is none.

    >>> join_address("http://a.example/b/", "../c"), join_address("http://a.example/", "//[")
    ('http://a.example/c', 'about:invalid')
    """
    try:
        return urljoin(base, written)
    except ValueError:
        return otherwise


def take_apart(address: str) -> SplitResult:
    """The parts of an address; of one that is none its whole text is the path.

    >>> take_apart("http://[/x").path
    'http://[/x'
    """
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "", address, "", "")
