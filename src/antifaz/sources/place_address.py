"""Addresses of files elsewhere, taken apart: s3://, gs://, hdfs:// and https://.

An address holds no right to read or write; what stands behind its question mark, where signed addresses have their
signature, is shown nowhere.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from antifaz.core.errors import ParameterError

#: Of these, https is only read; http is understood for this machine alone.
SCHEMES = ("s3", "gs", "hdfs", "https", "http")
#: The names of this machine.
HERE = ("localhost", "127.0.0.1", "::1")
#: Names of what gives a right in a signed address.
_SECRET = re.compile(r"(^|[-_])(sig|signature|token|key|secret|password|passwd|pwd|auth|credential)s?([-_]|$)", re.I)


@dataclass(frozen=True)
class Place:
    """An address, taken apart; only `shown` of it is in messages."""

    scheme: str
    #: The bucket, or the host with its port.
    host: str
    #: What follows it, without the first slash.
    path: str
    query: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """The address without what may be secret."""
        return f"{self.scheme}://{self.host}/{self.path}"

    @property
    def name(self) -> str:
        """What the file or folder is called."""
        last = self.path.rstrip("/").rpartition("/")[2]
        return unquote(last) if self.scheme.startswith("http") else last

    @property
    def inner(self) -> str:
        """The path as the store's file system says it."""
        return f"/{self.path}" if self.scheme == "hdfs" else f"{self.host}/{self.path}".rstrip("/")


def is_place(place: Any) -> bool:
    """Say whether something is an address that is opened here."""
    return isinstance(place, str) and place.partition("://")[0].lower() in SCHEMES and "://" in place


def without_end(place: str | Path) -> str | Path:
    """Return a place without the slash at its end, which tells nothing: a ledger knows releases by their places."""
    return str(place).rstrip("/") if is_place(place) else place


def parse_place(address: str) -> Place:
    """Take an address apart; what is wrong is said without repeating it, because it may hold a password."""
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    query = ""
    if scheme.startswith("http"):
        rest = rest.partition("#")[0]
        rest, _, query = rest.partition("?")
    host, _, path = rest.partition("/")
    # A secret may hold a slash: what looks like a user with a password is one.
    if "@" in host or (":" in host and scheme in ("s3", "gs")):
        raise ParameterError("place.login-in-address", scheme=scheme)
    if not host or not path.strip("/"):
        raise ParameterError("place.without-path", scheme=scheme)
    if scheme == "http" and urlsplit(f"//{host}").hostname not in HERE:
        raise ParameterError("place.not-encrypted")
    return Place(scheme, host, path, query)


def has_secret(address: str) -> bool:
    """Say whether an address holds a login, or a signature as signed addresses do."""
    query = address.partition("?")[2].partition("#")[0] if address.lower().startswith("http") else ""
    host = address.partition("://")[2].partition("/")[0]
    return "@" in host or any(_SECRET.search(name) for name, _ in parse_qsl(query, keep_blank_values=True))
