"""Declare once: a method, model, measure or builder is one class, and every face is derived from it."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from antifaz.core.errors import ParameterError, hint
from antifaz.core.expectations import expected
from antifaz.core.messages import Message

if TYPE_CHECKING:

    class _Model:
        """What type checkers see: from a pydantic model they would derive constructors that refuse `KAnonymity(5)`."""

        model_fields: ClassVar[dict[str, Any]]
        model_fields_set: set[str]

        def __init__(self, **parameters: Any) -> None: ...

        def model_dump(self, **options: Any) -> dict[str, Any]: ...

        def model_copy(self, *, update: dict[str, Any]) -> Self: ...

        @classmethod
        def model_json_schema(cls, **options: Any) -> dict[str, Any]: ...
else:
    _Model = BaseModel


class Declared(_Model):
    """A frozen, typed set of parameters with a name, its help, its formula and its source.

    Parameters are fields with bounds and a description. The class attributes below are what the project schema, the
    command line, the page and the reference documentation show.
    """

    # Built when first made: a run makes a few of all that are declared.
    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, hide_input_in_errors=True, defer_build=True
    )

    #: The name in project files: lower case, words joined by hyphens.
    name: ClassVar[str]
    #: One line: what it does.
    summary: ClassVar[str]
    #: A few sentences: when to use it, what to watch for, the edge cases.
    details: ClassVar[str] = ""
    formula: ClassVar[str] = ""
    source: ClassVar[str] = ""
    #: The parameter that may be given without its name: `KAnonymity(5)`.
    primary: ClassVar[str] = ""
    #: Whether errors may quote what was given; not where that may be a key, or values of people.
    quotable: ClassVar[bool] = True

    def __init__(self, *args: Any, **parameters: Any) -> None:
        """Check every parameter and say in one sentence what is wrong with the first bad one."""
        if args:
            if not self.primary or len(args) > 1 or self.primary in parameters:
                allowed = Message("declared.only", name=self.primary) if self.primary else Message("declared.nothing")
                raise ParameterError("declared.parameter-without-name", name=self.name, allowed=allowed)
            parameters = {self.primary: args[0], **parameters}
        try:
            super().__init__(**parameters)
            return
        except ValidationError as error:
            message = self._sentence(error)
        # Not from within: what pydantic says, and Python would keep beside ours, quotes what was given.
        raise ParameterError(message)

    @classmethod
    def _sentence(cls, error: ValidationError) -> str:
        first = error.errors(include_url=False)[0]
        # The keys of a table are values of people.
        named = takewhile(lambda part: not part.startswith("dict["), map(str, first["loc"]))
        where = ".".join(named) or cls.primary or "parameters"
        if first["type"] == "extra_forbidden":
            return Message("declared.unknown-parameter", model=cls.name, name=where, hint=hint(where, cls.model_fields))
        if first["type"] == "missing":
            return Message("declared.parameter-needed", name=cls.name, where=where)
        about = {"name": cls.name, "where": where, "what": expected(first)}
        if not cls.quotable:
            return Message("declared.parameter-wrong-unquoted", **about)
        return Message("declared.parameter-wrong", **about, input=first["input"])

    @classmethod
    def parse(cls, parameters: dict[str, Any]) -> Self:
        """Make one from the parameters of a project file."""
        return cls(**parameters)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters as JSON-ready data; what was left at None is not said."""
        return self.model_dump(mode="json", exclude_none=True)
