"""The registry: every declared class by name, built in or from a plug-in's entry point."""

from collections.abc import Iterator
from functools import cache, cached_property
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, Generic, TypeVar

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError, hint

T = TypeVar("T", bound=Declared)


@cache
def plugins(group: str) -> EntryPoints:
    """Return the entry points of a group that the installed packages have."""
    plugins: EntryPoints = _installed().select(group=group)
    return plugins


@cache
def _installed() -> Any:
    """All entry points, read once: to look through the installed packages takes longer than to count a small table."""
    return entry_points()


class Registry(Generic[T]):
    """All declared classes of one kind. Plug-ins are found once, when first asked for."""

    def __init__(self, kind: str, builtin: tuple[type[T] | EntryPoint, ...], group: str) -> None:
        """`kind` is the word used in errors; `group` the entry-point group of plug-ins.

        What is built in is a class, or the place of one, which is then loaded when it is asked for.
        """
        self.kind = kind
        self._builtin, self._group = builtin, group

    @cached_property
    def _known(self) -> dict[str, type[T] | EntryPoint]:
        known: dict[str, type[T] | EntryPoint] = {}
        added = tuple(point.load() for point in plugins(self._group))
        for declared in self._builtin + added:
            if declared.name in known:
                raise ParameterError("declared.name-used-twice", kind=self.kind, name=declared.name)
            known[declared.name] = declared
        return known

    def __iter__(self) -> Iterator[type[T]]:
        return map(self._loaded, self._known)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all that are known."""
        return tuple(self._known)

    def __getitem__(self, name: str) -> type[T]:
        """Return the class of that name, or say which name is nearest."""
        try:
            return self._loaded(name)
        except KeyError:
            near = hint(name, self.names)
            raise ParameterError("declared.unknown-name", kind=self.kind, name=name, hint=near) from None

    def _loaded(self, name: str) -> type[T]:
        declared = self._known[name]
        if isinstance(declared, EntryPoint):
            declared = self._known[name] = declared.load()
        return declared

    def make(self, name: str, parameters: dict[str, Any]) -> T:
        """Make one by name from the parameters of a project file."""
        return self[name].parse(parameters)
