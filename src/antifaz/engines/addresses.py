"""Where a database is: an address taken apart into fields, and the password, which is shown nowhere.

Addresses are put together again from their fields, never from text; of the options in an address only those that say
how the connection is encrypted are taken, because drivers have others that read files or run statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.parse import quote as percent

from antifaz.core.errors import ParameterError, hint
from antifaz.engines.dialects import dialect_of, schemes

if TYPE_CHECKING:
    from antifaz.engines.dialects.dialect import SQLDialect

_YES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_SWITCHES = ("ssl_verify_cert", "ssl_verify_identity")


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where a database is and who asks; the password is in no representation of it."""

    scheme: str
    user: str | None = None
    host: str | None = None
    port: int | None = None
    #: The database's name, or the path of its file.
    database: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    password: str | None = field(default=None, repr=False, compare=False)

    @property
    def dialect(self) -> SQLDialect:
        """How statements are written there."""
        return dialect_of(self.scheme)

    @property
    def in_file(self) -> bool:
        """Whether the database is a file of this machine."""
        return not self.dialect.port

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells one database from another, whoever asks; this machine has several names."""
        if self.in_file:
            return self.dialect.name, str(Path(self.database).resolve())
        here = self.host in ("localhost", "127.0.0.1", "::1")
        return self.dialect.name, "localhost" if here else self.host, self.port, self.database

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
    scheme, sign, _ = place.partition("://") if isinstance(place, str) else ("", "", "")
    return bool(sign) and scheme.partition("+")[0].lower() in schemes()


def has_password(place: str) -> bool:
    """Say whether an address has a password in it."""
    try:
        return urlsplit(place).password is not None
    except ValueError:
        return ":" in place.partition("://")[2].rpartition("@")[0]


def parse(place: str) -> Address:
    """Take an address apart; what is wrong is said without repeating it, because it may hold a password."""
    scheme, _, driver = place.partition("://")[0].lower().partition("+")
    if scheme not in schemes():
        raise ParameterError("database.unknown-kind", scheme=scheme, hint=hint(scheme, schemes()))
    dialect = dialect_of(scheme)
    if driver and driver not in dialect.driver.split("+")[1:]:
        raise ParameterError("database.address-names-driver", scheme=scheme)
    try:
        parts = urlsplit(place)
        port = parts.port
    except ValueError:
        raise ParameterError("database.address-unreadable", scheme=scheme) from None
    options = _options(dialect, parts.query)
    if not dialect.port:
        if parts.netloc or not parts.path.strip("/"):
            raise ParameterError("database.address-of-file", scheme=scheme)
        return Address(scheme=scheme, database=unquote(parts.path[1:]), options=options)
    name = unquote(parts.path.strip("/"))
    if not name:
        raise ParameterError("database.address-without-database", scheme=scheme)
    return Address(
        scheme=scheme, user=unquote(parts.username) if parts.username else None, host=parts.hostname or "localhost",
        port=port or dialect.port, database=name, options=options,
        password=unquote(parts.password) if parts.password is not None else None,
    )  # fmt: skip


def placed(place: str, folder: Path) -> str:
    """Return an address with the path of a database file seen from a folder."""
    scheme, _, rest = place.partition(":///")
    if not rest or scheme.lower() not in schemes() or dialect_of(scheme.lower()).port:
        return place
    path, sign, options = rest.partition("?")
    return f"{scheme}:///{percent(str(folder / unquote(path)))}{sign}{options}"


def _options(dialect: SQLDialect, query: str) -> dict[str, Any]:
    known, options = dialect.options, {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in known:
            raise ParameterError("database.unknown-address-option", name=name, hint=hint(name, known))
        if known[name] in _SWITCHES and value.lower() not in _YES:
            raise ParameterError("database.address-option-not-true-or-false", name=name)
        options[known[name]] = _YES[value.lower()] if known[name] in _SWITCHES else value
    return options
