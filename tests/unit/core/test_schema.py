"""Columns with their roles and types, verdicts, randomness and progress."""

from __future__ import annotations

import pytest

from antifaz.core.errors import SchemaError
from antifaz.core.progress import Progress
from antifaz.core.randomness import fresh_seed, generator, shuffle_key
from antifaz.core.roles import Role
from antifaz.core.schema import Column, Schema
from antifaz.core.types import DataType
from antifaz.core.verdicts import Verdict

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
            "Column 'age' can't have the role 'quasi' (known: identifier, insensitive, quasi-identifier, sensitive).",
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


def test_every_role_explains_itself() -> None:
    assert len({role.help for role in Role}) == len(Role) == 4


def test_which_types_are_numbers_and_which_have_an_order() -> None:
    assert [kind for kind in DataType if kind.is_number] == [DataType.INTEGER, DataType.DECIMAL]
    assert [kind for kind in DataType if kind.is_ordered and not kind.is_number] == [DataType.DATE, DataType.DATETIME]


def test_a_verdict_as_evidence_says_it() -> None:
    verdict = Verdict(model="m", parameters={"k": 2}, achieved=3, holds=True)
    assert verdict.as_dict() == {"model": "m", "k": 2, "achieved": 3, "holds": True, "failing": 0}
    noted = Verdict(model="m", parameters={}, achieved=None, holds=False, failing=4, note="why")
    assert noted.as_dict() == {"model": "m", "achieved": None, "holds": False, "failing": 4, "note": "why"}


def test_one_seed_one_sequence() -> None:
    assert generator(7).integers(0, 1000, 20).tolist() == generator(7).integers(0, 1000, 20).tolist()
    assert generator(7).integers(0, 1000, 20).tolist() != generator(8).integers(0, 1000, 20).tolist()
    assert len({fresh_seed() for _ in range(20)}) == 20


def test_the_order_of_rows_depends_on_the_seed_and_on_the_data() -> None:
    assert shuffle_key(1, b"a") == shuffle_key(1, b"a")
    assert len({shuffle_key(seed, data) for seed in (1, 2, -1, 2**63 - 1) for data in (b"a", b"b")}) == 8
    assert all(0 <= shuffle_key(seed, b"x") < 2**63 for seed in range(100))


def test_steps_add_up_and_tell() -> None:
    told: list[tuple[str, float | None, str]] = []
    progress = Progress(lambda *said: told.append(said))
    with progress.step("outer", "begins"):
        with progress.step("inner"):
            progress.tell(0.5, "half")
        progress.tell(None)
    with pytest.raises(ValueError, match="x"), progress.step("inner"):
        raise ValueError("x")
    assert told == [
        ("outer", None, "begins"),
        ("inner", None, ""),
        ("inner", 0.5, "half"),
        ("outer", None, ""),
        ("inner", None, ""),
    ]
    assert set(progress.seconds) == {"outer", "inner"}
    with progress.step("inner"):
        pass
    Progress().tell(1.0)  # without a listener nothing happens
