"""What would have been right, in every language; the kinds of errors are those that pydantic itself raises."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

from antifaz.core.expectations import expected
from antifaz.core.messages import Message


class Wanted(BaseModel):
    whole: int = Field(default=1, ge=1, lt=10)
    share: float = Field(default=0.5, gt=0, le=0.5, allow_inf_nan=False)
    flag: bool = True
    word: str = Field(default="a", min_length=1, max_length=3)
    names: list[str] = Field(default=["a"], min_length=1, max_length=2)
    table: dict[str, int] = {}
    way: Literal["left", "right", "both"] = "left"
    only: Literal["this"] = "this"
    own: int = 0
    plugin: int = 0

    @field_validator("own")
    @classmethod
    def _own(cls, value: int) -> int:
        if value:
            raise ValueError(Message("expected.above-low"))
        return value

    @field_validator("plugin")
    @classmethod
    def _plugin(cls, value: int) -> int:
        if value:
            raise ValueError("what a plug-in says")
        return value


def _wrong(name: str, value: Any) -> str:
    with pytest.raises(ValidationError) as raised:
        Wanted(**{name: value})
    return expected(raised.value.errors(include_url=False)[0])


@pytest.mark.parametrize(
    ("name", "value", "english", "spanish", "catalan"),
    [
        ("whole", 0, "greater than or equal to 1", "mayor o igual que 1", "més gran o igual que 1"),
        ("whole", 10, "less than 10", "menor que 10", "més petit que 10"),
        ("whole", "x", "a whole number", "un número entero", "un nombre enter"),
        ("whole", 1.5, "a whole number", "un número entero", "un nombre enter"),
        ("share", 0, "greater than 0", "mayor que 0", "més gran que 0"),
        ("share", 0.75, "less than or equal to 0.5", "menor o igual que 0,5", "més petit o igual que 0,5"),
        ("share", "x", "a number", "un número", "un nombre"),
        ("share", float("inf"), "a finite number", "un número finito", "un nombre finit"),
        ("flag", "perhaps", "true or false", "true o false", "true o false"),
        ("word", "", "not empty", "no vacío", "no buit"),
        ("word", "abcd", "text of at most 3 characters", "texto de como mucho 3 caracteres", None),
        ("word", 1, "text", "texto", "text"),
        ("names", [], "not empty", "no vacío", "no buit"),
        ("names", ["a", "b", "c"], "a list of at most 2 items", "una lista de como mucho 2 elementos", None),
        ("names", 1, "a list", "una lista", "una llista"),
        ("table", 1, "a mapping of keys to values", "un mapa de claves a valores", "un mapa de claus a valors"),
        ("way", "up", "'left', 'right' or 'both'", "'left', 'right' o 'both'", "'left', 'right' o 'both'"),
        ("only", "that", "'this'", "'this'", "'this'"),
        ("own", 1, "above low", "mayor que low", "més gran que low"),
        ("plugin", 1, "what a plug-in says", "what a plug-in says", "what a plug-in says"),
    ],
)
def test_what_would_have_been_right(name: str, value: Any, english: str, spanish: str, catalan: str | None) -> None:
    right = _wrong(name, value)
    whole = Message("declared.parameter-wrong", name="x", where="y", what=right, input=1)
    assert right == english
    assert whole.text("es") == f"x: y debería ser {spanish} (se ha dado 1)."
    if catalan is not None:
        assert whole.text("ca") == f"x: y hauria de ser {catalan} (s’ha donat 1)."
