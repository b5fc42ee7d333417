"""Sensible instances of any declared class, made from its fields."""

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError

T = TypeVar("T", bound=Declared)

#: The name of the sensitive attribute in everything that is made here.
SENSITIVE = "diagnosis"
#: The values that the hierarchies below cover, and what a made-up column of that name holds.
COLOURS = ("blue", "green", "orange", "red")
_GROUPS = {"cold": ["blue", "green"], "warm": ["orange", "red"]}
_ROWS = [[colour, label, "*"] for label, colours in _GROUPS.items() for colour in colours]
_TREE = {
    "value": "*",
    "children": [
        {"value": label, "children": [{"value": colour} for colour in colours]} for label, colours in _GROUPS.items()
    ],
}
#: Parameters that can't be told from a field's type and bounds.
_GIVEN: Mapping[str, tuple[dict[str, Any], ...]] = {
    "file": ({"path": Path(__file__).with_name("colours.csv")},),
    "table": ({"rows": _ROWS}, {"rows": {row[0]: row[1:] for row in _ROWS}}),
    "tree": ({"root": _TREE},),
    "groups": ({"groups": [_GROUPS]}, {"groups": _GROUPS, "suppression": True}),
    "intervals": ({"widths": [5, 10]}, {"widths": ["0.5"], "origin": 1, "low": 0, "high": 90}),
    "masking": ({}, {"step": 2, "character": "#"}),
    "dates": ({}, {"levels": ["year"]}),
    "k-map": ({"k": 3, "fraction": 0.5}, {"k": 3, "population": "people.csv"}),
    "population-uniqueness": (
        {"threshold": 0.02, "population_size": 100_000},
        {"threshold": 0.1, "country": "ES", "estimator": "pitman"},
        {"threshold": 0.05, "population_size": 100_000, "estimator": "zayatz"},
        {"threshold": 0.001, "population_size": 40_000, "estimator": "snb"},
    ),
    "no-attack": ({"gain": 30, "cost": 10}, {"gain": 0.9, "cost": 0.3, "population": "people.csv"}),
    "profitability": (
        {"benefit": 10, "loss": 40, "gain": 30, "cost": 5},
        {"benefit": 10, "loss": 40, "gain": 30, "cost": 2, "population": "people.csv"},
    ),
    "publisher-payout": ({"benefit": 10, "loss": 40, "gain": 30, "cost": 5},),
    "delta-presence": ({"population": "people.csv", "low": 0.2, "high": 0.6},),
}


def examples(cls: type[T]) -> list[T]:
    """Return instances of a class: what it says itself in `examples`, else one for every way its fields suggest.

    A required number gets a small one within its bounds, `attribute` the sensitive attribute of the made-up tables,
    and every choice of a field with a few choices gets an instance of its own.
    """
    given = cls.__dict__.get("examples") or _GIVEN.get(cls.name)
    if given is not None:
        return [cls.parse(dict(parameters)) for parameters in given]
    needed = {name: _value(field) for name, field in cls.model_fields.items() if field.is_required()}
    if "attribute" in cls.model_fields:
        needed["attribute"] = SENSITIVE
    fields = cls.model_fields.items()
    further = [
        (name, choice) for name, field in fields for choice in _choices(field.annotation) if choice != field.default
    ]
    made = [_example(cls, {**needed, name: choice}) for name, choice in further]
    return [cls.parse(needed), *(instance for instance in made if instance is not None)]


def _example(cls: type[T], parameters: dict[str, Any]) -> T | None:
    """Make one; where it asks for more, give also what may be left out. None where that does not help."""
    optional = {
        name: _value(field)
        for name, field in cls.model_fields.items()
        if name not in parameters and field.default is None and _is_number(field.annotation)
    }
    for given in (parameters, parameters | optional):
        try:
            return cls.parse(given)
        except ParameterError:
            continue
    return None


def _choices(annotation: Any) -> tuple[Any, ...]:
    if annotation is bool:
        return (False, True)
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _is_number(annotation: Any) -> bool:
    return any(kind in (int, float) for kind in _kinds(annotation))


def _value(field: Any) -> Any:
    """A value for a field: a small number within its bounds, the first choice, or a word."""
    kinds = _kinds(field.annotation)
    for kind in kinds:
        if _choices(kind):
            return _choices(kind)[0]
    if not _is_number(field.annotation):
        return "example"
    low = max((float(bound) for bound in _bounds(field, "ge", "gt")), default=0.0)
    high = min((float(bound) for bound in _bounds(field, "le", "lt")), default=None)
    number = low + 1 if high is None else (low + high) / 2
    return int(number) if int in kinds else number


def _bounds(field: Any, *names: str) -> list[Any]:
    return [getattr(rule, name) for rule in field.metadata for name in names if getattr(rule, name, None) is not None]
