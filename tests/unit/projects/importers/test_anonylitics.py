"""The JSON project of Anonylitics: everything in it is taken over, or refused by its key."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
import yaml

import antifaz as az
from antifaz.core.errors import InputError, ProjectError
from antifaz.methods import METHODS
from antifaz.projects.importers.anonylitics import import_project, write_import
from antifaz.projects.importers.anonylitics_format import anonylitics_schema
from antifaz.projects.tables import LoadedTables, read_project
from failing import Like, failing, like


def _column(name: str, kind: str, role: str, operation: Any = None, **more: Any) -> dict[str, Any]:
    said = {"column_name": name, "data_type": kind, "attribute_type": role, **more}
    return said if operation is None else {**said, "operation": operation}


CITIES = [
    {"Cali": [{"level": 1, "value": "Valle"}, {"level": 2, "value": "Colombia"}]},
    {"Buga": [{"level": 1, "value": "Valle"}, {"level": 2, "value": "Colombia"}]},
    {"Tunja": [{"level": 2, "value": "Colombia"}, {"level": 1, "value": "Boyacá"}]},
]
#: As Figure 17 has it, its parts as Figures 18 and 19 have them.
PROJECT: dict[str, Any] = {
    "user": "aortiz",
    "project_name": "banco",
    "anonymization_type": "Completa",
    "connection": {
        "ip": "10.0.0.7", "port": 3306, "database": "banco", "username": "ana", "password": "s3cret-word",
    },
    "tables": [
        {
            "table_name": "clientes",
            "table_schema": "banco",
            "anonymized_table_name": "clientes_anon",
            "anonymized_table_schema": "salida",
            "columns": [
                _column("cedula", "Categórico", "Identificador", {"name": "Cifrar"}),
                _column("nombre", "Categórico", "Identificador", {"name": "Suprimir", "parametrization": []}),
                _column("edad", "Numérico", "Cuasi-identificador", {"name": "Generalizar"}, keep_data_type=True),
                _column("ingreso", "Numérico", "Sensible", {"name": "N/A"}, keep_data_type=True),
                _column("estado", "Categórico", "Común", {
                    "name": "Sustituir",
                    "parametrization": [
                        {"origin_val": "soltero", "target_val": "A"}, {"initial_val": "casado", "target_val": "B"},
                    ],
                }),
            ],
        },
        {
            "table_name": "cuentas",
            "columns": [
                _column("titular", "Categórico", "Identificador", {"name": "Cifrar"}),
                _column("ciudad", "Categórico", "Cuasi-identificador",
                        {"name": "Generalizar", "parametrization": CITIES}),
                _column("saldo", "Numérico", "Sensible"),
            ],
        },
    ],
    "repeated_attributes": [
        [{"column_name": "cedula", "table_name": "clientes"}, {"column_name": "titular", "table_name": "cuentas"}]
    ],
    "principles": [
        {"principle_name": "k-anonymity", "principle_value": 10},
        {"principle_name": "t-closeness", "principle_value": 1},
    ],
}  # fmt: skip


def _json(folder: Path, project: Any) -> Path:
    path = folder / "anonylitics.json"
    path.write_text(json.dumps(project, indent=1, ensure_ascii=False), encoding="utf-8")
    return path


def _with(place: str, value: Any) -> dict[str, Any]:
    """The project with one thing changed; None takes the key out."""
    made = copy.deepcopy(PROJECT)
    at: Any = made
    *way, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    for part in way:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return made


def test_everything_is_taken_over(tmp_path):
    made = import_project(_json(tmp_path, PROJECT))
    project = yaml.safe_load(made.text)
    encrypt = {"name": "encrypt", "key": "keys/banco.key"}
    assert project == {
        "antifaz": 1,
        "name": "banco",
        "owner": "aortiz",
        "kind": "complete",
        "source": {"url": "mariadb://ana@10.0.0.7:3306/banco"},
        "others": "release",
        "tables": {
            "clientes": {
                "source": {"table": "clientes", "schema": "banco"},
                "attributes": {
                    "cedula": {"role": "identifier", "type": "text"},
                    "nombre": {"role": "identifier", "type": "text", "operation": {"name": "suppress"}},
                    "edad": {"role": "quasi-identifier"},
                    "ingreso": {"role": "sensitive"},
                    "estado": {
                        "role": "insensitive",
                        "type": "text",
                        "operation": {"name": "substitute", "table": {"soltero": "A", "casado": "B"}},
                    },
                },
                "privacy": [
                    {"model": "k-anonymity", "k": 10},
                    {"model": "t-closeness", "t": 1.0, "attribute": "ingreso"},
                ],
                "method": {"name": "mondrian", "split": "distribution", "release": "mode"},
                "release": {"table": "clientes_anon", "schema": "salida"},
            },
            "cuentas": {
                "source": {"table": "cuentas"},
                "attributes": {
                    "titular": {"role": "identifier", "type": "text"},
                    "ciudad": {
                        "role": "quasi-identifier",
                        "type": "text",
                        "hierarchy": {
                            "table": [
                                ["Cali", "Valle", "Colombia"],
                                ["Buga", "Valle", "Colombia"],
                                ["Tunja", "Boyacá", "Colombia"],
                            ]
                        },
                    },
                    "saldo": {"role": "sensitive"},
                },
                "privacy": [
                    {"model": "k-anonymity", "k": 10},
                    {"model": "t-closeness", "t": 1.0, "attribute": "saldo"},
                ],
                "method": {"name": "full-domain"},
            },
        },
        "repeated": [{"name": "cedula", "columns": {"clientes": "cedula", "cuentas": "titular"}, "operation": encrypt}],
    }


def test_check_33_no_password_is_in_the_file_and_it_is_said_where_it_comes_from(tmp_path):
    made = write_import(_json(tmp_path, PROJECT), tmp_path / "project.yaml")
    text = (tmp_path / "project.yaml").read_text("utf-8")
    assert "s3cret-word" not in text
    assert any("ANTIFAZ_PASSWORD" in note for note in made.notes)
    assert all(f"# {note}\n" in text for note in made.notes)
    assert isinstance(read_project(tmp_path / "project.yaml"), LoadedTables)
    with failing("file.exists-already", InputError):
        write_import(_json(tmp_path, PROJECT), tmp_path / "project.yaml")


def test_one_table_makes_a_project_of_one_table(tmp_path):
    made = _with("repeated_attributes", [])
    made["tables"] = made["tables"][1:]
    project = yaml.safe_load(import_project(_json(tmp_path, made)).text)
    assert project["source"] == {"url": "mariadb://ana@10.0.0.7:3306/banco", "table": "cuentas"}
    assert "tables" not in project and set(project["attributes"]) == {"titular", "ciudad", "saldo"}


def test_a_light_project_has_no_models(tmp_path):
    made = _with("anonymization_type", "Ligera") | {"principles": []}
    made["tables"][0]["columns"][2] = _column("edad", "Numérico", "Cuasi-identificador", {"name": "Suprimir"})
    made["tables"][1]["columns"][1] = _column("ciudad", "Categórico", "Común", {"name": "Sustituir"})
    project = yaml.safe_load(import_project(_json(tmp_path, made)).text)
    assert project["kind"] == "light"
    assert all("privacy" not in table and "method" not in table for table in project["tables"].values())
    assert project["tables"]["cuentas"]["attributes"]["ciudad"]["operation"] == {"name": "substitute", "made": True}


def test_numbers_that_need_not_stay_numbers_become_intervals(tmp_path):
    project = yaml.safe_load(import_project(_json(tmp_path, _with(f"{COLUMN}.keep_data_type", False))).text)
    assert project["tables"]["clientes"]["method"]["release"] == "interval"


def test_each_number_stays_one_or_becomes_an_interval_as_its_column_says(tmp_path):
    columns = [
        _column("edad", "Numérico", "Cuasi-identificador", keep_data_type=True),
        _column("hijos", "Numérico", "Cuasi-identificador"),
    ]
    given = _json(tmp_path, _with("tables.0.columns", [*columns, *PROJECT["tables"][0]["columns"][:1]]))
    project = yaml.safe_load(import_project(given).text)
    method = project["tables"]["clientes"]["method"]
    made = az.anonymize(
        pa.table({"edad": [30, 31, 40, 41], "hijos": [0, 1, 2, 3]}),
        roles={"edad": "quasi-identifier", "hijos": "quasi-identifier"},
        privacy=az.KAnonymity(2),
        method=METHODS.make(method.pop("name"), method),
    ).frame
    assert sorted(zip(*made.to_pydict().values(), strict=True)) == [(30, "[0, 2]")] * 2 + [(40, "[2, 4]")] * 2


def test_the_port_or_the_person_says_the_kind_of_database(tmp_path):
    postgres = yaml.safe_load(import_project(_json(tmp_path, _with("connection.port", 5432))).text)
    assert postgres["source"]["url"].startswith("postgresql://ana@10.0.0.7:5432/")
    odd = _json(tmp_path, _with("connection.port", 1521))
    with failing(
        "project.key-not-taken-over", ProjectError, key="connection.port", what=like("import.unknown-database")
    ):
        import_project(odd)
    assert "mariadb://ana@10.0.0.7:1521/" in import_project(odd, dialect="mariadb").text


COLUMN = "tables.0.columns.2"


def _not_taken(key: str, what: str, **values: Any) -> Like:
    return like("project.key-not-taken-over", key=key, what=like(what, **values))


def _wrong(key: str, what: str) -> Like:
    return like("project.key-of-format-wrong", key=key, what=what)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("project_name", None, like("project.key-needed", key="project_name")),
        (
            "connection.db",
            "x",
            like(
                "project.unknown-key-of-format",
                key="connection.db",
                hint=like("hint.known", names=["database", "ip", "password", "port", "username"]),
            ),
        ),
        ("connection.port", "many", _wrong("connection.port", "a whole number")),
        ("anonymization_type", "Media", _wrong("anonymization_type", "'Completa' or 'Ligera'")),
        ("anonymization_type", "Ligera", _not_taken("principles", "import.not-empty-for-light")),
        ("principles", [], _not_taken("principles", "import.no-principles")),
        (
            "principles.0.principle_name",
            "l-diversity",
            _wrong("principles.0.principle_name", "'k-anonymity' or 't-closeness'"),
        ),
        ("principles.0.principle_value", 2.5, _not_taken("principles.0.principle_value", "import.k-below-1")),
        ("principles.1.principle_value", 15, _not_taken("principles.1.principle_value", "import.t-out-of-bounds")),
        (f"{COLUMN}.data_type", "Fecha", _wrong(f"{COLUMN}.data_type", "'Numérico' or 'Categórico'")),
        (
            f"{COLUMN}.attribute_type",
            "Raro",
            _wrong(f"{COLUMN}.attribute_type", "'Identificador', 'Sensible', 'Cuasi-identificador' or 'Común'"),
        ),
        (
            f"{COLUMN}.operation.name",
            "Ofuscar",
            _wrong(f"{COLUMN}.operation.name", "'Sustituir', 'Suprimir', 'Generalizar', 'Cifrar' or 'N/A'"),
        ),
        (
            f"{COLUMN}.attribute_type",
            "Común",
            _not_taken(f"{COLUMN}.operation.name", "import.generalize-only", why=like("import.of-quasi-identifier")),
        ),
        (f"{COLUMN}.weight", 3, like("project.unknown-key-of-format", key=f"{COLUMN}.weight")),
        (
            "tables.1.columns.1.keep_data_type",
            True,
            _not_taken("tables.1.columns.1.keep_data_type", "import.operation-for-numbers"),
        ),
        (
            "tables.0.anonymized_table_name",
            None,
            _not_taken("tables.0.anonymized_table_schema", "import.needs-table-name"),
        ),
        (
            "tables.0.columns.0.operation.parametrization",
            [{"a": 1}],
            _not_taken(
                "tables.0.columns.0.operation.parametrization", "import.not-empty-for-operation", operation="Cifrar"
            ),
        ),
        (
            "tables.0.columns.4.operation.parametrization.0",
            {"target_val": "A"},
            like("project.key-needed", key="tables.0.columns.4.operation.parametrization.0.origin_val"),
        ),
        (
            "tables.0.columns.4.operation.parametrization.1.initial_val",
            "soltero",
            _not_taken("tables.0.columns.4.operation.parametrization.1", "import.second-replacement"),
        ),
        (
            "tables.1.columns.1.operation.parametrization.0",
            {"Cali": [{"level": 2, "value": "Valle"}]},
            _not_taken("tables.1.columns.1.operation.parametrization.0", "import.levels-with-gaps"),
        ),
        (
            "tables.1.columns.1.operation.parametrization.0",
            {"Cali": [{"level": 1, "value": "Valle"}]},
            _not_taken("tables.1.columns.1.operation.parametrization", "import.levels-of-different-number"),
        ),
        (
            "repeated_attributes.0.1.column_name",
            "nadie",
            _not_taken("repeated_attributes.0.1", "import.unknown-column"),
        ),
        (
            "repeated_attributes.0.1",
            {"column_name": "nombre", "table_name": "clientes"},
            like("project.key-not-taken-over", what=like("import.two-columns-of-one-table")),
        ),
        (
            "tables.1.columns.0.operation",
            {"name": "Suprimir"},
            like("project.key-not-taken-over", what=like("import.operations-differ")),
        ),
    ],
)
def test_what_can_not_be_taken_over_is_refused_by_its_key(tmp_path, place, value, words):
    with failing(words, ProjectError) as caught:
        import_project(_json(tmp_path, _with(place, value)))
    said = str(caught.value)
    assert said.startswith("anonylitics.json:") and "\n" not in said
    # Values of tables of substitution are those of people; passwords are nobody's.
    assert not any(word in said for word in ("soltero", "Cali", "s3cret-word"))


def test_the_published_schema_takes_the_project_and_refuses_a_wrong_one():
    schema = anonylitics_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validate = jsonschema.Draft202012Validator(schema).validate
    validate(PROJECT)
    for place, value in (("project_name", None), ("connection.port", "x"), (f"{COLUMN}.operation.name", "Ofuscar")):
        with pytest.raises(jsonschema.ValidationError):
            validate(_with(place, value))


def test_words_without_accents_and_capitals_are_understood(tmp_path):
    made = _with(f"{COLUMN}.data_type", "numerico")
    made["tables"][0]["columns"][2]["attribute_type"] = "CUASI-IDENTIFICADOR"
    assert import_project(_json(tmp_path, made)).text == import_project(_json(tmp_path, PROJECT)).text
