"""What everything that is declared once must be, and which classes were declared and then forgotten."""

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint
from pkgutil import walk_packages
from types import ModuleType
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
    schema = json.loads(json.dumps(cls.model_json_schema()))
    for name, field in cls.model_fields.items():
        require(field.description, f"{cls.__name__}: the parameter {name!r} must have a description.")
        require(name in schema["properties"], f"{cls.__name__}: the JSON Schema must have the parameter {name!r}.")
    require(schema.get("additionalProperties") is False, f"{cls.__name__}: unknown parameters must be forbidden.")
    made = list(instances) if instances is not None else examples(cls)
    require(made, f"{cls.__name__} must have an example.")
    for instance in made:
        _check_instance(cls, instance)
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


def _check_instance(cls: type[Declared], instance: Declared) -> None:
    who, parameters = cls.__name__, instance.parameters()
    again = cls.parse(json.loads(json.dumps(parameters, allow_nan=False)))
    require(again == instance, f"{who}: parse(parameters()) must give the same.")
    require(again.parameters() == parameters, f"{who}: parameters() must be the same after a round trip.")
    require(repr(instance).startswith(f"{who}("), f"repr() of {who} must say what it is.")
    for name in cls.model_fields:
        try:
            setattr(instance, name, getattr(instance, name))
        except Exception:  # noqa: S112 - whatever it raises, it refuses
            continue
        require(False, f"{who}: the parameter {name!r} must not be changeable.")


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
    who, primary, parameters = cls.__name__, cls.primary, instance.parameters()
    if not primary:
        refused(ParameterError, lambda: cls(1), f"{who} takes nothing without a name")
        return
    require(primary in cls.model_fields, f"{who}.primary must be a parameter, not {primary!r}.")
    if primary in parameters:
        first = parameters.pop(primary)
        require(cls(first, **parameters) == instance, f"{who}({primary}) must be the same as with the name.")


def forgotten(package: ModuleType, besides: Sequence[type] = ()) -> list[type]:
    """Return the declared classes of a package that are complete but not in its `BUILTIN`, by name.

    Classes that are abstract, or whose name begins with an underscore, are not meant to be there; `besides` names
    others that are left out on purpose.
    """
    known = {one.load() if isinstance(one, EntryPoint) else one for one in (*package.BUILTIN, *besides)}
    modules = [import_module(info.name) for info in walk_packages(package.__path__, f"{package.__name__}.")]
    missing = {cls for module in (package, *modules) for cls in _declared(module) if cls not in known}
    return sorted(missing, key=lambda cls: cls.__name__)


def _declared(module: ModuleType) -> Iterator[type]:
    for name, cls in vars(module).items():
        ours = isinstance(cls, type) and issubclass(cls, Declared) and cls.__module__ == module.__name__
        if ours and not name.startswith("_") and not inspect.isabstract(cls):
            yield cls
