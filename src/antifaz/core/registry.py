"""The registry: every declared class by name, built in or from a plug-in's entry point."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError, hint

T = TypeVar("T", bound=Declared)


class Registry(Generic[T]):
    """All declared classes of one kind. Plug-ins are found once, when first asked for."""

    def __init__(self, kind: str, builtin: tuple[type[T], ...], group: str) -> None:
        """`kind` is the word used in errors; `group` the entry-point group of plug-ins."""
        self.kind = kind
        self._builtin = builtin
        self._group = group
        self._known: dict[str, type[T]] | None = None

    def _all(self) -> dict[str, type[T]]:
        if self._known is None:
            known: dict[str, type[T]] = {}
            plugins = tuple(point.load() for point in entry_points(group=self._group))
            for declared in self._builtin + plugins:
                if declared.name in known:
                    raise ParameterError("declared.name-used-twice", kind=self.kind, name=declared.name)
                known[declared.name] = declared
            self._known = known
        return self._known

    def __iter__(self) -> Iterator[type[T]]:
        """Go through the declared classes in the order of their declaration."""
        return iter(self._all().values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that are known."""
        return tuple(self._all())

    def __getitem__(self, name: str) -> type[T]:
        """Return the class of that name, or say which name is nearest."""
        try:
            return self._all()[name]
        except KeyError:
            raise ParameterError(
                "declared.unknown-name", kind=self.kind, name=name, hint=hint(name, self.names)
            ) from None

    def make(self, name: str, parameters: dict[str, Any]) -> T:
        """Make one by name from the parameters of a project file."""
        return self[name].parse(parameters)
