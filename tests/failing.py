"""What fails is known by its code and its values, not by its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from antifaz.core.errors import AntifazError
from antifaz.core.messages import Message


@dataclass(frozen=True, eq=False)
class Like:
    """Equals every message with this code that has, among others, these values; a value may be another `Like`."""

    code: str
    values: Mapping[str, Any]

    def __eq__(self, other: object) -> bool:
        """Compare what was given, and nothing else."""
        return (
            isinstance(other, Message)
            and other.code == self.code
            and all(name in other.values and other.values[name] == value for name, value in self.values.items())
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show it as it is written in a test; the names of parametrized tests are made of it."""
        return f"{self.code}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"


def like(code: str, /, **values: Any) -> Like:
    """Expect a message with this code and these values."""
    return Like(code, values)


def near(name: str) -> Like:
    """Expect the hint that somebody meant this name."""
    return like("hint.did-you-mean", name=name)


@contextmanager
def failing(
    expected: str | Like, kind: type[AntifazError] | tuple[type[AntifazError], ...] = AntifazError, /, **values: Any
) -> Iterator[pytest.ExceptionInfo[AntifazError]]:
    """Expect an error of this kind with this code and, among others, these values.

    An error that `AntifazError.place` put into another message, such as one that names the file, is known by its own
    code, too.
    """
    with pytest.raises(kind) as caught:
        yield caught
    message = caught.value.message
    wanted = like(expected, **values) if isinstance(expected, str) else expected
    assert any(part == wanted for part in _with_placed(message)), f"{message.code} {dict(message.values)}: {message}"


def _with_placed(message: Message) -> Iterator[Message]:
    yield message
    placed = message.values.get("error")
    if isinstance(placed, Message):
        yield from _with_placed(placed)
