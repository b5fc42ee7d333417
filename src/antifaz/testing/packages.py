"""Finds classes that were declared and then forgotten."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

from antifaz.core.declaration import Declared


def forgotten(package: ModuleType, besides: Sequence[type] = ()) -> list[type]:
    """Return the declared classes of a package that are complete but not in its `BUILTIN`, by name.

    Classes that are abstract, or whose name begins with an underscore, are not meant to be there; `besides` names
    others that are left out on purpose.
    """
    builtin = set(package.BUILTIN) | set(besides)
    found = {cls for module in _modules(package) for cls in _declared(module) if cls not in builtin}
    return sorted(found, key=lambda cls: cls.__name__)


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for info in walk_packages(package.__path__, f"{package.__name__}."):
        yield import_module(info.name)


def _declared(module: ModuleType) -> Iterator[type]:
    for name, cls in vars(module).items():
        ours = isinstance(cls, type) and issubclass(cls, Declared) and cls.__module__ == module.__name__
        if ours and not name.startswith("_") and not inspect.isabstract(cls):
            yield cls
