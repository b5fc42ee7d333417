"""How the password of a place is found: given, in the environment, in a keyring, or asked of a person."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar

from antifaz.core.errors import DataError

#: Gets what the password is for, and returns it. A face with somebody in front of it sets this; else nobody is asked.
ASK: ContextVar[Callable[[str], str] | None] = ContextVar("ASK", default=None)
#: The variable that holds the password where none is named.
PASSWORD = "ANTIFAZ_PASSWORD"  # noqa: S105 - the name of a variable
#: Under what name a keyring has passwords.
_SERVICE = "antifaz"


def known_password(place: str, given: str | None, variable: str | None) -> str | None:
    """Return the password that is at hand without asking: given, or in the environment."""
    if given is not None:
        return given
    if variable is not None and variable not in os.environ:
        raise DataError("database.password-variable-not-set", variable=variable, address=place)
    return os.environ.get(variable or PASSWORD)


def further_passwords(place: str) -> Iterator[str]:
    """Yield passwords to try where the server wants one: from the keyring, then from a person."""
    with suppress(Exception):  # a machine without a keyring says so in many ways
        import keyring

        stored = keyring.get_password(_SERVICE, place)
        if stored is not None:
            yield stored
    if ask := ASK.get():
        yield ask(f"Password of {place}")
