"""Which database servers the workers of a service may reach, and which secret belongs to which.

Where people share a service, one could otherwise name a host of their own and be sent the operator's password, or look
which ports of the operator's network are open. So with accounts only listed servers are reached, and a secret goes to
the server that it is listed with and to no other.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from antifaz.core.errors import InputError, ParameterError
from antifaz.engines.addresses import Address, is_address, parse
from antifaz.ledger.ledger import VARIABLE as LEDGER
from antifaz.service.errors import NotAllowed

_ENTRY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?(?:=(?P<variable>\w+))?")


class AllowedHosts:
    """The listed servers: `HOST[:PORT][=VARIABLE]`, the variable of the environment that holds the password."""

    def __init__(self, listed: Sequence[str] = (), *, only_listed: bool = False) -> None:
        """Read the list; `only_listed` says that no other server may be reached."""
        self._only_listed = only_listed
        self._passwords: dict[tuple[str, int | None], str | None] = {}
        for entry in listed:
            match = _ENTRY.fullmatch(entry)
            if match is None:
                raise InputError("service.allowed-host-wrong", entry=entry.partition("=")[0])
            variable = match["variable"]
            if variable is not None and not os.environ.get(variable):
                raise InputError("service.allowed-host-without-secret", variable=variable)
            place = _host(match["host"].strip("[]")), int(match["port"]) if match["port"] else None
            self._passwords[place] = None if variable is None else os.environ[variable]

    def check(self, url: str) -> None:
        """Refuse an address whose server is not listed, before anything is sent there."""
        address = parse(url)
        if self._only_listed and not address.in_file and self._match(address) is None:
            raise NotAllowed("service.host-not-allowed")

    def password(self, url: str) -> str | None:
        """Return the secret that is listed with the server of an address."""
        place = self._match(parse(url))
        return None if place is None else self._passwords[place]

    def secrets(self, *documents: Any) -> dict[str, str]:
        """Check every address in documents, and return the secrets of those that have one."""
        passwords: dict[str, str] = {}
        for url in {url for document in documents for url in addresses_in(document)}:
            self.check(url)
            with suppress(ParameterError):
                password = self.password(url)
                passwords |= {} if password is None else {url: password}
        return passwords

    def ledger_entry(self) -> str | None:
        """Return the entry of a password file for the ledger, where that is on a listed server."""
        place = os.environ.get(LEDGER, "")
        if not is_address(place) or (password := self.password(place)) is None:
            return None
        address = parse(place)
        fields = (address.host, address.port, address.database, address.user or "*", password)
        return ":".join(re.sub(r"([\\:])", r"\\\1", str(field)) for field in fields)

    def _match(self, address: Address) -> tuple[str, int | None] | None:
        """Return the entry of an address; one without a port means the usual port of such databases."""
        if address.in_file or address.host is None:
            return None
        host = _host(address.host)
        usual = address.port == address.dialect.port
        endpoints: list[tuple[str, int | None]] = [(host, address.port), *([(host, None)] if usual else [])]
        return next((place for place in endpoints if place in self._passwords), None)


def addresses_in(document: Any) -> Iterator[str]:
    """Give the addresses of databases in a document, wherever they are."""
    if isinstance(document, Mapping):
        url = document.get("url")
        if isinstance(url, str) and is_address(url):
            yield url
        for part in document.values():
            yield from addresses_in(part)
    elif isinstance(document, list):
        for part in document:
            yield from addresses_in(part)


def _host(name: str) -> str:
    return name.lower().rstrip(".")
