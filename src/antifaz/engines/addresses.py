"""Where a database is: an address taken apart into fields, and the password, which is shown nowhere.

Addresses are put together again from their fields, never from text; of the options in an address only those that say
how the connection is encrypted are taken, because drivers have others that read files or run statements.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.parse import quote as percent

from antifaz.core.asking import ASK
from antifaz.core.errors import DataError, ParameterError, hint

#: The kinds of databases by the name that an address begins with.
KINDS = {
    "mariadb": "mysql", "mysql": "mysql", "postgresql": "postgresql", "postgres": "postgresql", "sqlite": "sqlite",
    "duckdb": "duckdb",
}  # fmt: skip
#: Drivers that people write behind the name, and that are the ones used anyway.
_DRIVERS = {"mysql": ("pymysql",), "postgresql": ("psycopg",), "sqlite": ("pysqlite",), "duckdb": ()}
_PORTS = {"mysql": 3306, "postgresql": 5432}
#: Options by the driver's name for them; each is also known by the other database's name.
_OPTIONS: dict[str, dict[str, str]] = {
    "mysql": {
        "ssl_ca": "ssl_ca", "ssl_cert": "ssl_cert", "ssl_key": "ssl_key", "ssl_verify_cert": "ssl_verify_cert",
        "ssl_verify_identity": "ssl_verify_identity", "sslrootcert": "ssl_ca", "sslcert": "ssl_cert",
        "sslkey": "ssl_key",
    },
    "postgresql": {
        "sslmode": "sslmode", "sslrootcert": "sslrootcert", "sslcert": "sslcert", "sslkey": "sslkey",
        "sslcrl": "sslcrl", "ssl_ca": "sslrootcert", "ssl_cert": "sslcert", "ssl_key": "sslkey",
    },
    "sqlite": {},
    "duckdb": {},
}  # fmt: skip
_YES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_SWITCHES = ("ssl_verify_cert", "ssl_verify_identity")
#: The variable that holds the password where none is named.
PASSWORD = "ANTIFAZ_PASSWORD"  # noqa: S105 - the name of a variable
#: Under what name a keyring has passwords.
SERVICE = "antifaz"


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a database is and who asks; the password is in no representation of it."""

    kind: str
    scheme: str
    user: str | None = None
    host: str | None = None
    port: int | None = None
    #: The database's name, or the path of its file.
    database: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    password: str | None = field(default=None, repr=False, compare=False)

    @property
    def in_file(self) -> bool:
        """Whether the database is a file of this machine."""
        return self.kind in ("sqlite", "duckdb")

    @property
    def shown(self) -> str:
        """The address without its password and options."""
        if self.in_file:
            return f"{self.scheme}:///{Path(self.database).name}"
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.host}:{self.port}/{self.database}"

    def __str__(self) -> str:
        """Return the address without its password."""
        return self.shown


def is_address(place: Any) -> bool:
    """Say whether a place is the address of a database."""
    return isinstance(place, str) and "://" in place and place.partition("://")[0].partition("+")[0].lower() in KINDS


def has_password(place: str) -> bool:
    """Say whether an address has a password in it."""
    try:
        return urlsplit(place).password is not None
    except ValueError:
        return ":" in place.partition("://")[2].rpartition("@")[0]


def parse(place: str) -> Address:
    """Take an address apart; what is wrong is said without repeating it, because it may hold a password."""
    scheme, _, driver = place.partition("://")[0].lower().partition("+")
    kind = KINDS.get(scheme)
    if kind is None:
        raise ParameterError("database.unknown-kind", scheme=scheme, hint=hint(scheme, KINDS))
    if driver and driver not in _DRIVERS[kind]:
        raise ParameterError("database.address-names-driver", scheme=scheme)
    try:
        parts = urlsplit(place)
        port = parts.port
    except ValueError:
        raise ParameterError("database.address-unreadable", scheme=scheme) from None
    options = _options(kind, parts.query)
    if kind in ("sqlite", "duckdb"):
        if parts.netloc or not parts.path.strip("/"):
            raise ParameterError("database.address-of-file", scheme=scheme)
        return Address(kind=kind, scheme=scheme, database=unquote(parts.path[1:]), options=options)
    name = unquote(parts.path.strip("/"))
    if not name:
        raise ParameterError("database.address-without-database", scheme=scheme)
    return Address(
        kind=kind,
        scheme=scheme,
        user=unquote(parts.username) if parts.username else None,
        host=parts.hostname or "localhost",
        port=port or _PORTS[kind],
        database=name,
        options=options,
        password=unquote(parts.password) if parts.password is not None else None,
    )


def placed(place: str, folder: Path) -> str:
    """Return an address with the path of a database file seen from a folder."""
    scheme, _, rest = place.partition(":///")
    if KINDS.get(scheme.lower()) not in ("sqlite", "duckdb") or not rest:
        return place
    path, sign, options = rest.partition("?")
    return f"{scheme}:///{percent(str(folder / unquote(path)))}{sign}{options}"


def known_password(address: Address, given: str | None, variable: str | None) -> str | None:
    """Return the password that is at hand without asking: given, in the address, or in the environment."""
    if given is not None or address.password is not None:
        return given if given is not None else address.password
    if variable is not None and variable not in os.environ:
        raise DataError("database.password-variable-not-set", variable=variable, address=address.shown)
    return os.environ.get(variable or PASSWORD)


def further_passwords(address: Address) -> Iterator[str]:
    """Yield passwords to try where the server wants one: from the keyring, then from a person."""
    with suppress(Exception):  # a machine without a keyring says so in many ways
        import keyring

        kept = keyring.get_password(SERVICE, address.shown)
        if kept is not None:
            yield kept
    ask = ASK.get()
    if ask is not None:
        yield ask(f"Password of {address.shown}")


def _options(kind: str, query: str) -> dict[str, Any]:
    known, taken = _OPTIONS[kind], {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            raise ParameterError("database.unknown-address-option", name=name, hint=hint(name, known))
        if known[name] in _SWITCHES and value.lower() not in _YES:
            raise ParameterError("database.address-option-not-true-or-false", name=name)
        taken[known[name]] = _YES[value.lower()] if known[name] in _SWITCHES else value
    return taken
