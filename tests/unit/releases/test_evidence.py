"""The evidence of every kind of run fits the models, says nothing that they do not declare, and keeps its bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
import yaml
from pydantic import BaseModel, ValidationError

import antifaz as az
from antifaz.releases.evidence import Evidence, TablesEvidence, evidence_schema

ROLES = {"name": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier", "diagnosis": "sensitive"}
HIERARCHIES = {"age": az.hierarchy.intervals(5, 10, 20, 40), "sex": az.hierarchy.flat()}
DIVERSE = [az.KAnonymity(3), az.LDiversity(2, attribute="diagnosis")]
Runs = dict[str, Callable[[Path], dict[str, Any]]]


def people(rows: int = 200) -> pa.Table:
    return az.datasets.people(rows, seed=3).select(list(ROLES))


def released(
    folder: Path, method: az.Method | None = None, saved: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    asked = {"roles": ROLES, "hierarchies": HIERARCHIES, "privacy": [az.KAnonymity(3)], "seed": 1, **changes}
    made = az.anonymize(changes.pop("data", people()), method=method or az.FullDomain(suppression=0.1), **asked)
    made.save(folder / "out", **{"attacks": 20, "recipient": "Hospital"} | (saved or {}))
    return made.evidence


def project(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    path = folder / "project.yaml"
    path.write_text(yaml.safe_dump({"antifaz": 1, "seed": 1, "release": {"path": "out"}, **content}, sort_keys=False))
    return az.run(path)


def light(folder: Path) -> dict[str, Any]:
    pyarrow.csv.write_csv(people(), folder / "people.csv")
    attributes = {
        "name": {"role": "identifier"},
        "age": {"operation": [{"name": "bottom-code", "percentile": 50}, {"name": "round", "base": 10}]},
    }
    said = {"kind": "light", "source": {"path": "people.csv"}, "attributes": attributes, "others": "release"}
    return project(folder, said)


def perturbed(folder: Path) -> dict[str, Any]:
    random = np.random.default_rng(11)
    columns = {"age": random.integers(20, 80, 300), "income": random.lognormal(10, 0.4, 300)}
    pyarrow.csv.write_csv(pa.table(columns | {"team": random.choice(["a", "b"], 300)}), folder / "people.csv")
    attributes = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20, 60]}},
        "income": {"role": "sensitive", "operation": {"name": "additive-noise", "p": 0.2}},
        "team": {"role": "insensitive", "operation": {"name": "pram"}},
    }
    steps = [{"name": "rank-swap", "columns": ["income"]}]
    return project(
        folder,
        {
            "source": {"path": "people.csv"},
            "attributes": attributes,
            "privacy": [{"model": "k-anonymity", "k": 3}],
            "perturbation": steps,
        },
    )


def tables(folder: Path) -> dict[str, Any]:
    clients = {"name": list("abcdef"), "town": ["111", "111", "112", "112", "121", "121"], "number": list("uvwxyz")}
    pyarrow.csv.write_csv(pa.table(clients), folder / "clients.csv")
    accounts = {"place": ["111", "111", "112", "112", "121", "121"], "client": list("uuvwwx")}
    pyarrow.csv.write_csv(pa.table(accounts), folder / "accounts.csv")
    masked = {"role": "quasi-identifier", "hierarchy": {"masking": 1}}
    model = [{"model": "k-anonymity", "k": 2}]
    return project(
        folder,
        {
            "name": "bank",
            "tables": {
                "clients": {
                    "source": {"path": "clients.csv"},
                    "attributes": {"name": {"role": "identifier"}, "town": masked, "number": {"role": "insensitive"}},
                    "privacy": model,
                },
                "accounts": {
                    "source": {"path": "accounts.csv"},
                    "attributes": {"place": masked, "client": {"role": "insensitive"}},
                    "privacy": model,
                },
            },
            "repeated": [
                {"name": "town", "columns": {"clients": "town", "accounts": "place"}},
                {"name": "client", "columns": {"clients": "number", "accounts": "client"}},
            ],
        },
    )


def with_ledger(folder: Path) -> dict[str, Any]:
    ledger = folder / "ledger.db"
    first = {"ledger": ledger, "attacks": 0}
    released(folder / "first", saved=first)
    changed = az.Mondrian()
    return released(folder / "second", changed, saved=first | {"despite": "a test of what is written then"})


def population(folder: Path) -> dict[str, Any]:
    pyarrow.csv.write_csv(people(2000), folder / "everybody.csv")
    return released(folder, privacy=[az.KMap(5, population=str(folder / "everybody.csv"))])


def in_memory(folder: Path) -> dict[str, Any]:
    made = az.anonymize(people(), roles=ROLES, hierarchies=HIERARCHIES, privacy=az.KAnonymity(3), seed=1)
    assert made.frame.num_rows
    return made.evidence


RUNS: Runs = {
    "full-domain": released,
    "mondrian": lambda folder: released(folder, az.Mondrian(), privacy=DIVERSE),
    "k-members": lambda folder: released(folder, az.KMembers()),
    "specialization": lambda folder: released(folder, az.Specialization()),
    "local-suppression": lambda folder: released(folder, az.LocalSuppression()),
    "hardened": lambda folder: released(folder, privacy=DIVERSE, hardened=True),
    "light": light,
    "perturbed": perturbed,
    "several tables": tables,
    "ledger": with_ledger,
    "population": population,
    "in memory": in_memory,
}  # fmt: skip


@pytest.fixture(scope="module", params=list(RUNS))
def document(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("run")
    for name in ("first", "second"):
        (folder / name).mkdir()
    return RUNS[request.param](folder)


def test_it_fits_the_published_schema(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(evidence_schema()).validate(json.loads(json.dumps(document)))


def read_evidence(document: dict[str, Any]) -> Evidence | TablesEvidence:
    return (TablesEvidence if "tables" in document else Evidence).model_validate(document)


def test_the_model_gives_the_same_bytes(document: dict[str, Any]) -> None:
    written = json.dumps(document, indent=2, ensure_ascii=False)
    assert json.dumps(read_evidence(json.loads(written)).document(), indent=2, ensure_ascii=False) == written


def undeclared(part: Any, where: str = "") -> list[str]:
    """The keys that a part has beyond what is declared, where others than makers of methods and models add some."""
    if isinstance(part, BaseModel):
        own = [f"{where}.{key}" for key in part.model_extra or {}] if type(part).__name__ not in OPEN else []
        return own + [
            key for name in type(part).model_fields for key in undeclared(getattr(part, name), f"{where}.{name}")
        ]
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [key for each in inside for key in undeclared(each, where)]


#: Parts whose makers choose their keys.
OPEN = {"MethodEvidence", "VerdictEvidence", "OperationEvidence"}


def test_every_key_is_declared(document: dict[str, Any]) -> None:
    assert undeclared(read_evidence(document)) == []


def test_a_key_that_nobody_declared_is_refused() -> None:
    document = in_memory(Path())
    with pytest.raises(ValidationError, match=r"rows\.stray"):
        read_evidence(document | {"rows": document["rows"] | {"stray": 1}})


def test_every_field_says_what_it_is() -> None:
    for name, part in evidence_schema()["$defs"].items():
        assert part.get("description"), name
        for key, field in part["properties"].items():
            assert "description" in field, f"{name}.{key}"
