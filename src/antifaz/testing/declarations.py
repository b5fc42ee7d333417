"""What everything that is declared once must be."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from antifaz.core.declaration import Declared
from antifaz.core.errors import ParameterError
from antifaz.privacy.model import PrivacyModel
from antifaz.testing.broken import refused, require
from antifaz.testing.examples import examples

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def check_declaration(cls: type[Declared], instances: Sequence[Declared] | None = None) -> None:
    """Check the words, the parameters and the derived forms of a declared class."""
    _check_words(cls)
    _check_fields(cls)
    _check_schema(cls)
    made = list(instances) if instances is not None else examples(cls)
    require(made, f"{cls.__name__} must have an example.")
    for instance in made:
        _check_round_trip(cls, instance)
        _check_frozen(cls, instance)
    _check_unknown(cls, made[0])
    _check_primary(cls, made[0])


def _check_words(cls: type[Declared]) -> None:
    who = cls.__name__
    name = getattr(cls, "name", "")
    require(_NAME.fullmatch(name), f"{who}.name must be in lower case, words joined by hyphens, not {name!r}.")
    summary = getattr(cls, "summary", "")
    require(summary.strip() and "\n" not in summary, f"{who}.summary must be one line.")
    require(len(summary) <= 120, f"{who}.summary must have at most 120 characters.")
    require(summary.endswith((".", "*")), f"{who}.summary must be a sentence.")
    require(cls.details.strip(), f"{who}.details must say when to use it.")
    require((cls.__doc__ or "").strip(), f"{who} must have a docstring.")
    if issubclass(cls, PrivacyModel):
        require(cls.formula.strip(), f"{who}.formula must say the condition.")
        require(cls.source.strip(), f"{who}.source must say where the model comes from.")


def _check_fields(cls: type[Declared]) -> None:
    for name, field in cls.model_fields.items():
        require(field.description, f"{cls.__name__}: the parameter {name!r} must have a description.")
    if cls.primary:
        require(cls.primary in cls.model_fields, f"{cls.__name__}.primary must be a parameter, not {cls.primary!r}.")


def _check_schema(cls: type[Declared]) -> None:
    schema = json.loads(json.dumps(cls.model_json_schema()))
    for name in cls.model_fields:
        require(name in schema["properties"], f"{cls.__name__}: the JSON Schema must have the parameter {name!r}.")
    require(schema.get("additionalProperties") is False, f"{cls.__name__}: unknown parameters must be forbidden.")


def _check_round_trip(cls: type[Declared], instance: Declared) -> None:
    parameters = instance.parameters()
    again = cls.parse(json.loads(json.dumps(parameters, allow_nan=False)))
    require(again == instance, f"{cls.__name__}: parse(parameters()) must give the same.")
    require(again.parameters() == parameters, f"{cls.__name__}: parameters() must be the same after a round trip.")
    require(repr(instance).startswith(f"{cls.__name__}("), f"repr() of {cls.__name__} must say what it is.")


def _check_frozen(cls: type[Declared], instance: Declared) -> None:
    for name in cls.model_fields:
        before = getattr(instance, name)
        try:
            setattr(instance, name, before)
        except Exception:  # noqa: S112 - whatever it raises, it refuses
            continue
        require(False, f"{cls.__name__}: the parameter {name!r} must not be changeable.")


def _check_unknown(cls: type[Declared], instance: Declared) -> None:
    near = max(cls.model_fields, key=len, default="")
    wrong = f"{near}x" if near else "something"
    given: dict[str, Any] = {**instance.parameters(), wrong: 1}
    error = refused(ParameterError, lambda: cls.parse(given), f"{cls.__name__}: the parameter {wrong!r} is unknown")
    require(repr(wrong) in str(error), f"{cls.__name__}: the error must name the unknown parameter.")
    # A name of one letter is like too many others to be guessed.
    if len(near) > 1:
        require(repr(near) in str(error), f"{cls.__name__}: the error must name the nearest parameter, {near!r}.")


def _check_primary(cls: type[Declared], instance: Declared) -> None:
    if not cls.primary:
        refused(ParameterError, lambda: cls(1), f"{cls.__name__} takes nothing without a name")
        return
    parameters = instance.parameters()
    if cls.primary in parameters:
        main = parameters.pop(cls.primary)
        require(
            cls(main, **parameters) == instance, f"{cls.__name__}({cls.primary}) must be the same as with the name."
        )
