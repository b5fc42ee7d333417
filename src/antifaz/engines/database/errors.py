"""Errors of databases and their drivers as one sentence of ours that quotes no cell and no password."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import pyarrow as pa

from antifaz.core.errors import DataError, MissingExtra, silence
from antifaz.core.messages import Message
from antifaz.engines.dialects import databases

_LOST = Message("database.connection-lost")
_DENIED = Message("database.not-permitted")
_FULL = Message("database.disk-full")
_DOWN = Message("database.server-not-reached")
LOGIN = Message("database.login-wrong")
_BUSY = Message("database.locked")
_TIME_LIMIT = Message("database.time-limit")
#: What MariaDB's and MySQL's numbers mean.
_NUMBERS = {
    1045: LOGIN, 1698: LOGIN, 2003: _DOWN, 2002: _DOWN, 2005: _DOWN, 2006: _LOST, 2013: _LOST, 1927: _LOST,
    1317: _LOST, 1053: _LOST, 1044: _DENIED, 1142: _DENIED, 1143: _DENIED, 1227: _DENIED, 1370: _DENIED,
    1021: _FULL, 1114: _FULL, 1205: _BUSY, 1213: _BUSY, 1049: Message("database.no-database"),
    1146: Message("database.table-gone"), 1050: Message("database.table-name-taken"),
    1118: Message("database.row-too-long"), 1290: Message("database.server-read-only"), 1969: _TIME_LIMIT,
    4031: Message("database.idle-timeout"),
}  # fmt: skip
#: What PostgreSQL's codes mean; the first two signs name a class.
_STATES = {
    "28": LOGIN, "08": _LOST, "57": _LOST, "42501": _DENIED, "3D": Message("database.no-database"),
    "3F": Message("database.no-schema"), "42P01": Message("database.table-gone"), "53": _FULL,
    "42P07": Message("database.table-name-taken"), "40": Message("database.data-changed-meanwhile"),
    "55": _BUSY, "2BP01": Message("database.table-needed-by-others"),
    "22021": Message("database.text-not-utf-8"), "25006": Message("database.server-read-only"),
    "25P03": Message("database.idle-timeout"), "25P04": _TIME_LIMIT, "57014": _TIME_LIMIT,
}  # fmt: skip
_WORDS = (
    (("connection refused", "could not connect", "connection timeout", "could not translate"), _DOWN),
    (("no password supplied", "password authentication failed", "authentication"), LOGIN),
    (("server closed the connection", "terminating connection", "connection is closed", "is closed"), _LOST),
    (("does not exist",), Message("database.no-database")),
    (("database is locked", "database table is locked"), _BUSY),
    (("readonly", "read-only"), Message("database.read-only")),
    (("unable to open",), Message("database.file-not-opened")),
    (("not a database", "malformed"), Message("database.file-of-other-kind")),
    (("disk is full", "No space left"), _FULL),
    (("Could not set lock",), _BUSY),
)  # fmt: skip


def needed(module: str) -> Any:
    """Import a package of the extra, or say how to install it."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra("database.package-missing", module=module.partition(".")[0]) from None


@contextmanager
def database_errors(what: str | None = None) -> Iterator[None]:
    """Turn errors of SQLAlchemy and the drivers into a `DataError`; the words of the original are emptied."""
    try:
        yield
    except _kinds() as error:
        why = reason(error)
        empty(error)
        raise DataError("source.failed", what=what or Message("database.could-not-be-used"), reason=why) from None


def _kinds() -> tuple[type[BaseException], ...]:
    kinds: list[type[BaseException]] = [sqlite3.Error, pa.ArrowException, OSError, UnicodeError, MemoryError]
    places = {"sqlalchemy.exc:SQLAlchemyError", *(dialect.driver_error for dialect in databases().values())}
    for module, _, name in (place.partition(":") for place in places if place):
        with suppress(ImportError, AttributeError):  # a plug-in may name what there is not: the error must be reworded
            kinds.append(getattr(import_module(module), name))
    return tuple(kinds)


def reason(error: BaseException) -> str:
    """Say what is known about an error without repeating its text."""
    driver = getattr(error, "orig", None) or error
    state = getattr(driver, "sqlstate", None) or ""
    for sign in (state, state[:2]):
        if sign in _STATES:
            return _STATES[sign]
    number = driver.args[0] if getattr(driver, "args", None) else None
    if isinstance(number, int) and number in _NUMBERS:
        return _NUMBERS[number]
    text = f"{driver} {error}"
    for signs, words in _WORDS:
        if any(sign.lower() in text.lower() for sign in signs):
            return words
    code = state or (number if isinstance(number, int) else "")
    return Message("database.stopped", type=type(driver).__name__, told=f" {code}" if code else "")


def empty(error: BaseException) -> None:
    """Take the words out of an error and out of those that it carries along: Python keeps them, and tools log them."""
    seen: list[BaseException | None] = [error, getattr(error, "orig", None), error.__cause__, error.__context__]
    for one in seen:
        if one is not None:
            silence(one)
            for name, nothing in (("statement", None), ("params", None), ("detail", [])):
                with suppress(AttributeError, TypeError):
                    setattr(one, name, nothing)
