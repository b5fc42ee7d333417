"""Requests to web servers, whose way stays encrypted."""

import netrc
import ssl
import urllib.request
from base64 import b64encode
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from antifaz.core.errors import ParameterError
from antifaz.sources.place_address import HERE, Place


class _Encrypted(urllib.request.HTTPRedirectHandler):
    """Follows a server that sends on to another place, as long as the way stays encrypted."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        parts = urlsplit(newurl)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in HERE):
            fp.close()
            raise ParameterError("place.not-encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def open_address(place: Place, timeout: float) -> Any:
    """Ask a web server for a file, with the name and word that the user's `.netrc` has for it."""
    context = urllib.request.HTTPSHandler(context=ssl.create_default_context())
    return urllib.request.build_opener(_Encrypted(), context).open(_request(place), timeout=timeout)


def _request(place: Place) -> urllib.request.Request:
    address = place.shown + (f"?{place.query}" if place.query else "")
    request = urllib.request.Request(address, headers={"User-Agent": "antifaz"})  # noqa: S310 - https, or this machine
    with suppress(OSError, netrc.NetrcParseError):
        login = netrc.netrc().authenticators(urlsplit(address).hostname or "")
        if login:
            word = b64encode(f"{login[0]}:{login[2]}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {word}")
    return request
