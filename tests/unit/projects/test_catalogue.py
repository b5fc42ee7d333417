"""The catalogue: everything that is declared is in it, as data that a form can be made from."""

import json

import jsonschema
import pytest

from antifaz.hierarchies import BUILDERS
from antifaz.methods import METHODS
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.privacy import MODELS
from antifaz.projects.catalogue import catalogue
from antifaz.utility import QUALITIES

REGISTRIES = {
    "models": MODELS, "methods": METHODS, "operations": OPERATIONS, "perturbations": PERTURBATIONS,
    "hierarchies": BUILDERS, "qualities": QUALITIES,
}  # fmt: skip


@pytest.mark.parametrize("key", REGISTRIES)
def test_everything_declared_is_there_with_a_schema(key):
    found = json.loads(json.dumps(catalogue()))[key]
    assert [one["name"] for one in found] == list(REGISTRIES[key].names)
    for one in found:
        jsonschema.Draft202012Validator.check_schema(one["parameters"])
        assert one["summary"]
        assert one["title"]


def test_titles_are_in_the_language_that_is_asked_for():
    titles = {tongue: {one["name"]: one["title"] for one in catalogue(tongue)["models"]} for tongue in ("en", "es")}
    assert titles["es"]["k-anonymity"] == "k-anonimato"
    assert titles["en"]["k-anonymity"] == "k-anonymity"
