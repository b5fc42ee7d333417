"""The engines there are: ours, and those of other packages under the entry point `antifaz.engines`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from antifaz.core.errors import ParameterError, hint
from antifaz.engines.engine import Engine

#: Ours, by module and class; the last one opens what no other does.
_OWN = (
    "antifaz.engines.database.registration:DatabaseEngine",
    "antifaz.engines.spark.registration:SparkEngine",
    "antifaz.engines.local.registration:LocalEngine",
)


@cache
def engines() -> tuple[Engine, ...]:
    """Return all engines, those of other packages first."""
    others = [entry.load()() for entry in entry_points(group="antifaz.engines")]
    return (*others, *(_loaded(name) for name in _OWN))


def engine_named(name: str) -> Engine:
    """Return the engine that project files call so."""
    names = [known for engine in engines() for known in engine.names]
    found = next((engine for engine in engines() if name in engine.names), None)
    if found is None:
        raise ParameterError("engine.unknown", name=name, hint=hint(name, names))
    return found


def engine_of(place: Any) -> Engine:
    """Return the engine that opens a place."""
    return next(engine for engine in engines() if engine.opens(place))


def _loaded(name: str) -> Engine:
    module, _, kind = name.partition(":")
    made: Engine = getattr(import_module(module), kind)()
    return made
