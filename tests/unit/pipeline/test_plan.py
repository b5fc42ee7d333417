"""What a plan says of hierarchies that don't fit."""

import pyarrow as pa
import pytest

import antifaz as az
from failing import failing


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The hierarchy of 'age': 2 value(s) are not ISO dates."),
        ("es", "La jerarquía de 'age': 2 valor(es) no son fechas ISO."),
        ("ca", "La jerarquia de 'age': 2 valor(s) no són dates ISO."),
    ],
)
def test_an_error_of_a_hierarchy_names_its_column_in_every_language(language: str, text: str) -> None:
    with failing("plan.hierarchy-of-column") as caught:
        az.anonymize(
            pa.table({"age": [1, 1, 2, 2]}),
            roles={"age": "quasi-identifier"},
            hierarchies={"age": az.hierarchy.dates("year")},
            privacy=az.KAnonymity(2),
        )
    assert caught.value.message.text(language) == text
    assert caught.value.values == ("1", "2")
