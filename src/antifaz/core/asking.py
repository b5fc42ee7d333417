"""How a person is asked for a password: set by a face that has somebody in front of it, else nobody is asked."""

from collections.abc import Callable
from contextvars import ContextVar

#: Gets what the password is for, and returns it; None where nobody can be asked.
ASK: ContextVar[Callable[[str], str] | None] = ContextVar("ASK", default=None)
