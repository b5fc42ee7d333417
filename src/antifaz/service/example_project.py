"""The example project: made-up people with roles, hierarchies and k = 5, to try with one click."""

from __future__ import annotations

from typing import Any

from antifaz.datasets.people_trees import COUNTRY, EDUCATION, MARITAL_STATUS, OCCUPATION
from antifaz.projects.demo import ROLES
from antifaz.service.datasets import Datasets
from antifaz.service.examples import example, example_id
from antifaz.service.projects import Desk
from antifaz.service.vault import Vault

ROWS = 2_000
_HIERARCHIES: dict[str, Any] = {
    "age": {"intervals": [5, 10, 20, 40]},
    "sex": {"flat": True},
    "postcode": {"masking": 1},
    "education": {"table": EDUCATION},
    "marital_status": {"table": MARITAL_STATUS},
    "occupation": {"table": OCCUPATION},
    "country": {"table": COUNTRY},
}


def example_document() -> dict[str, Any]:
    """Return what the project file says."""
    return {
        "antifaz": 1,
        "attributes": {
            name: {"role": role} | ({"hierarchy": _HIERARCHIES[name]} if name in _HIERARCHIES else {})
            for name, role in ROLES.items()
        },
        "privacy": [
            {"model": "k-anonymity", "k": 5},
            {"model": "l-diversity", "kind": "distinct", "l": 2, "attribute": "diagnosis"},
        ],
        "method": {"name": "full-domain", "quality": "loss", "suppression": 0.05},
        "seed": 1,
    }


def make_example(desk: Desk, datasets: Datasets, vault: Vault, owner: str) -> dict[str, Any]:
    """Make the data set and the project; a second one gets a number behind its name."""
    place = example(vault, "people", ROWS)
    made = datasets.add(owner, "people.csv", "example", place, id=example_id("people", ROWS))
    return desk.make(desk.free_name("Example: people"), dataset=made["id"], document=example_document())
