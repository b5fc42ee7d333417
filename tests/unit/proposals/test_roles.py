"""Proposed roles: right for the columns people have, whatever language and spelling their names are in."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from antifaz.core.profile import ColumnProfile, Profile
from antifaz.core.roles import Role
from antifaz.core.types import DataType
from antifaz.core.verdicts import Proposal
from antifaz.proposals.names import name_words
from antifaz.proposals.roles import roles

TEXT, INTEGER, DECIMAL, DATE = DataType.TEXT, DataType.INTEGER, DataType.DECIMAL, DataType.DATE


def names(text: str) -> list[str]:
    return text.split()


def propose(name: str, kind: DataType = TEXT, distinct: int = 40, rows: int = 1000, **known: Any) -> Proposal:
    column = ColumnProfile(name=name, type=kind, rows=rows, missing=known.pop("missing", 0), distinct=distinct, **known)
    return roles(Profile(rows=rows, columns=(column,)))[name]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("patientId", ("patient", "id")),
        ("DNIPaciente", ("dni", "paciente")),
        ("education-num", ("education", "num")),
        ("Código_Postal", ("codigo", "postal")),
        ("Straße 2", ("strasse",)),
        ("col·legi", ("collegi",)),
        ("customerid", ("customer", "id")),
        ("idcliente", ("id", "cliente")),
        ("E-Mail", ("e", "mail")),
        ("年齢", ("年齢",)),
        ("ZIP5", ("zip",)),
        ("dateofbirth", ("date", "birth")),
        ("medu", ("mother", "edu")),
        ("42", ()),
    ],
)
def test_names_are_read_as_words(name: str, words: tuple[str, ...]) -> None:
    assert name_words(name) == words


@pytest.mark.parametrize(
    "name",
    names(
        "id name dni NIF passport_number ssn iban phone e-mail surname apellidos cognoms nachname prénom sobrenome "
        "patient_id customerId numCliente full_name nombre nom_alumne first-name teléfono correo_electronico adreça "
        "home_address passeport IBAN_pago telefonnummer userid"
    ),
)
def test_identifiers_by_name(name: str) -> None:
    assert propose(name).value == Role.IDENTIFIER


@pytest.mark.parametrize(
    "name",
    names(
        "diagnosis disease income salary religion Krankheit dolencia ingresos salaire Einkommen enfermedad malaltia "
        "maladie doença religião blood_pressure salary-class"
    ),
)
def test_sensitive_by_name(name: str) -> None:
    assert propose(name).value == Role.SENSITIVE
    assert propose(name, INTEGER, distinct=1000).value == Role.SENSITIVE


@pytest.mark.parametrize(
    "name",
    names(
        "age edad idade Alter Âge sex sexo Geschlecht gender birthYear fecha_nacimiento zip postcode cod_postal "
        "codi-postal PLZ city ciutat país education marital-status estado_civil occupation race nationality "
        "native-country age_at_diagnosis city_id fnac"
    ),
)
def test_quasi_identifiers_by_name(name: str) -> None:
    assert propose(name).value == Role.QUASI_IDENTIFIER
    assert propose(name, INTEGER, distinct=900).value == Role.QUASI_IDENTIFIER


@pytest.mark.parametrize("name", names("garbage valid image package essex idle nominal sinful whip message covalid"))
def test_a_word_inside_another_says_nothing(name: str) -> None:
    assert propose(name, DECIMAL, distinct=900).reason.code == "reason.exact-numbers"


@pytest.mark.parametrize(
    ("name", "kind", "distinct", "role"),
    [
        ("alias", TEXT, 990, Role.IDENTIFIER),  # every record its own
        ("comment", TEXT, 600, Role.SENSITIVE),
        ("store_id", INTEGER, 40, Role.QUASI_IDENTIFIER),  # numbers shops, not people
        ("order_id", INTEGER, 1000, Role.IDENTIFIER),
        ("code", INTEGER, 1000, Role.IDENTIFIER),
        ("", INTEGER, 1000, Role.IDENTIFIER),
        ("Unnamed: 0", INTEGER, 1000, Role.IDENTIFIER),
        ("product_name", TEXT, 40, Role.DECIDE),
        ("nombre_enfants", INTEGER, 6, Role.QUASI_IDENTIFIER),
        ("fnlwgt", INTEGER, 700, Role.SENSITIVE),  # exact: never harmless
        ("glucose", DECIMAL, 1000, Role.SENSITIVE),
        ("height_cm", DECIMAL, 1000, Role.QUASI_IDENTIFIER),
        ("group", TEXT, 4, Role.QUASI_IDENTIFIER),
        ("rating", INTEGER, 5, Role.SENSITIVE),
        ("visit", DATE, 900, Role.QUASI_IDENTIFIER),
        ("diagnosis_date", DATE, 900, Role.QUASI_IDENTIFIER),
        ("smoker", DataType.BOOLEAN, 2, Role.SENSITIVE),
        ("telephone", TEXT, 2, Role.QUASI_IDENTIFIER),  # yes or no
        ("source", TEXT, 1, Role.INSENSITIVE),
        ("xyz", TEXT, 7, Role.DECIDE),
    ],
)
def test_counts_decide_where_names_do_not(name: str, kind: DataType, distinct: int, role: Role) -> None:
    assert propose(name, kind, distinct).value == role


def test_patterns_of_the_values() -> None:
    assert propose("contact", patterns=(("email", 0.97),)).value == Role.IDENTIFIER
    assert propose("call", patterns=(("phone", 0.9),)).value == Role.IDENTIFIER
    assert propose("call", patterns=(("phone", 0.3), ("words", 0.7))).value == Role.SENSITIVE
    assert propose("measured", DECIMAL, 900, patterns=(("phone", 1.0),)).value == Role.SENSITIVE


def test_numbers_that_run_on_are_an_index() -> None:
    assert propose("x", INTEGER, 1000, low="50", high="950").value == Role.IDENTIFIER
    assert propose("weight", INTEGER, 1000, low="50", high="950").value == Role.QUASI_IDENTIFIER
    assert propose("xyz", INTEGER, 800, low="1200", high="90000").value == Role.SENSITIVE


def test_missing_values_do_not_hide_an_identifier() -> None:
    assert propose("alias", distinct=100, missing=900).value == Role.IDENTIFIER
    assert propose("phone", distinct=2, missing=998).value == Role.IDENTIFIER
    assert propose("alias", distinct=0, missing=1000).value == Role.INSENSITIVE
    assert propose("flag", distinct=1, missing=900).value == Role.SENSITIVE


def test_every_column_has_one_reason_in_order() -> None:
    columns = tuple(
        ColumnProfile(name=name, type=TEXT, rows=9, missing=0, distinct=3) for name in ("dni", "edad", "renta", "z")
    )
    proposed = roles(Profile(rows=9, columns=columns))
    assert list(proposed) == ["dni", "edad", "renta", "z"]
    assert [p.value for p in proposed.values()] == ["identifier", "quasi-identifier", "sensitive", "decide"]
    for proposal in proposed.values():
        assert proposal.reason[0].isupper()
        assert proposal.reason.endswith(".")
    assert proposed["edad"].reason.startswith("Its name says 'edad'")
    assert roles(Profile(rows=0, columns=())) == {}


def test_proposals_load_no_data_libraries() -> None:
    script = "import sys, antifaz.proposals; print({'pandas', 'duckdb', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("pattern", "hipaa"),
    [("url", 14), ("ip", 15), ("mac", 13), ("uuid", 18), ("iban", 10), ("dni", 18), ("ssn", 7), ("plate", 12)],
)
def test_what_values_look_like_decides(pattern: str, hipaa: int) -> None:
    proposal = propose("x", patterns=((pattern, 0.9), ("phone", 0.9)))
    assert (proposal.value, proposal.details["hipaa"]) == (Role.IDENTIFIER, hipaa)
    assert propose("xyz", patterns=((pattern, 0.5),)).value == Role.DECIDE


@pytest.mark.parametrize(("name", "hipaa"), [("fax", 5), ("num_historia_clinica", 8), ("foto", 17), ("cognoms", 1)])
def test_names_that_hipaa_lists(name: str, hipaa: int) -> None:
    assert propose(name).details["hipaa"] == hipaa


def test_a_number_whose_letter_is_wrong_is_no_dni() -> None:
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"
    numbers = [10_000_000 + 7 * i // 3 for i in range(300)]
    table = pa.table(
        {
            "right": [f"{n}{letters[n % 23]}" for n in numbers],
            "wrong": [f"{n}{letters[(n + 1) % 23]}" for n in numbers],
            "group": ["a", "b", "c"] * 100,
        }
    )
    proposed = roles(table)
    assert "DNI" in proposed["right"].reason
    assert "DNI" not in proposed["wrong"].reason
    assert proposed["wrong"].value == Role.IDENTIFIER  # everybody has another one
    assert proposed["group"].value == Role.QUASI_IDENTIFIER


def test_names_of_people_are_recognized_by_the_names_in_them() -> None:
    given = ("María", "Jordi", "Anne-Marie", "JOSÉ", "Emily", "Xymphora", "Hans", "Núria", "Ahmed", "Quentyn")
    family = ("Pérez", "O'Neill", "Vidal i Roca", "de la Cruz")
    everybody = [(one, other) for one in given for other in family] * 5
    table = pa.table(
        {
            "c1": [f"{one} {other}" for one, other in everybody],
            "c2": [f"{other}, {one}" for one, other in everybody],
            "c3": [one for one, _ in everybody],
            "city": [("Victoria", "Sofia", "Marta", "Leon", "Anna Bay")[i % 5] for i in range(200)],
            "c4": [("Rio Grande", "San José", "New York", "Saint Paul", "Los Angeles")[i % 5] for i in range(200)],
            "c5": [f"Anna {i}" for i in range(200)],
        }
    )
    proposed = roles(table)
    for name in ("c1", "c2", "c3"):
        assert proposed[name].reason == "Its values look like names of people."
        assert proposed[name].value == Role.IDENTIFIER
    for name in ("city", "c4", "c5"):
        assert "names of people" not in proposed[name].reason
