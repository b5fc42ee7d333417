"""Every class in a registry passes the checks of its kind, and none is forgotten."""

from __future__ import annotations

import json

import jsonschema
import pytest

from antifaz import hierarchies, methods, privacy, utility
from antifaz.hierarchies import BUILDERS, ExistingHierarchy
from antifaz.methods import METHODS
from antifaz.methods.operations import mask as masking
from antifaz.methods.operations import perturb as perturbation
from antifaz.methods.operations.mask import OPERATIONS
from antifaz.methods.operations.perturb import PERTURBATIONS
from antifaz.privacy import MODELS
from antifaz.privacy.people import ByPeople, CountsPeople
from antifaz.releases.gate import model_as_data
from antifaz.releases.verifier.models import _MODELS as VERIFIED
from antifaz.testing import (
    check_builder,
    check_declaration,
    check_method,
    check_model,
    check_perturbation,
    check_quality,
    examples,
    forgotten,
)
from antifaz.utility import QUALITIES

DECLARED = [*MODELS, *METHODS, *BUILDERS, *QUALITIES, *OPERATIONS, *PERTURBATIONS, masking.Sample]


def _named(classes):
    return [pytest.param(cls, id=cls.name) for cls in classes]


@pytest.mark.parametrize("cls", _named(DECLARED))
def test_every_declaration(cls):
    check_declaration(cls)


@pytest.mark.parametrize("cls", _named(DECLARED))
def test_the_schema_of_a_class_takes_its_own_parameters(cls):
    for instance in examples(cls):
        jsonschema.validate(json.loads(json.dumps(instance.parameters())), cls.model_json_schema())


@pytest.mark.parametrize("cls", _named(MODELS))
def test_every_model(cls):
    check_model(cls)


@pytest.mark.parametrize("cls", _named(METHODS))
def test_every_method(cls):
    check_method(cls)


@pytest.mark.parametrize("cls", _named(BUILDERS))
def test_every_builder(cls):
    check_builder(cls)


@pytest.mark.parametrize("cls", _named(QUALITIES))
def test_every_quality_model(cls):
    check_quality(cls)


@pytest.mark.parametrize("cls", _named(PERTURBATIONS))
def test_every_perturbation(cls):
    check_perturbation(cls)


@pytest.mark.parametrize("cls", _named(MODELS))
def test_check_01_the_second_verifier_knows_every_model(cls):
    # Otherwise the gate could never let a release through that asks for it.
    for model in examples(cls):
        assert cls.name in VERIFIED
        assert set(model_as_data(model)) - {"model"} <= set(VERIFIED[cls.name][1])


@pytest.mark.parametrize(
    ("package", "besides"),
    [
        (privacy, (ByPeople, CountsPeople)),  # nobody asks for them: they carry another model
        (methods, (*masking.BUILTIN, masking.Sample, *perturbation.BUILTIN)),
        (utility, ()),
        (hierarchies, (ExistingHierarchy,)),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_no_class_is_forgotten(package, besides):
    assert forgotten(package, besides) == []


def test_a_forgotten_class_is_found():
    assert forgotten(hierarchies) == [ExistingHierarchy]


def test_every_kind_has_several_examples_where_it_has_choices():
    kinds = {model.kind for model in examples(MODELS["l-diversity"])}
    assert kinds == {"distinct", "entropy", "recursive"}
