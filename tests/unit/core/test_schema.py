"""Columns with their roles and types."""

from __future__ import annotations

import pytest

from antifaz.core.errors import SchemaError
from antifaz.core.roles import Role
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType

SCHEMA = Schema((Column(name="id"), Column(name="age", type=DataType.INTEGER), Column(name="disease")))


def test_columns_not_named_keep_their_role() -> None:
    schema = SCHEMA.with_roles({"age": "quasi-identifier", "disease": Role.SENSITIVE})
    assert schema.of(Role.QUASI_IDENTIFIER) == ("age",)
    assert schema.of(Role.SENSITIVE) == ("disease",)
    assert schema.of(Role.INSENSITIVE) == ("id",)
    assert schema["age"].type is DataType.INTEGER
    assert SCHEMA.of(Role.SENSITIVE) == ()


def test_types_can_be_told() -> None:
    schema = SCHEMA.with_types({"id": "text", "age": DataType.DECIMAL})
    assert [column.type for column in schema] == [DataType.TEXT, DataType.DECIMAL, DataType.TEXT]
    assert schema.names == ("id", "age", "disease")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: SCHEMA["aeg"], "There is no column 'aeg' (did you mean 'age'?)."),
        (lambda: SCHEMA.require(["age", "dissease"]), "There is no column 'dissease' (did you mean 'disease'?)."),
        (
            lambda: SCHEMA.with_roles({"age": "quasi"}),
            "Column 'age' can't have the role 'quasi' "
            "(known: decide, identifier, insensitive, person, quasi-identifier, sensitive).",
        ),
        (
            lambda: SCHEMA.with_roles({"age": "sensitiv"}),
            "Column 'age' can't have the role 'sensitiv' (did you mean 'sensitive'?).",
        ),
        (
            lambda: SCHEMA.with_types({"age": "intger"}),
            "Column 'age' can't have the type 'intger' (did you mean 'integer'?).",
        ),
        (lambda: SCHEMA.with_roles({"x": "sensitive"}), "There is no column 'x' (known: age, disease, id)."),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(call: object, said: str) -> None:
    with pytest.raises(SchemaError) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == said
