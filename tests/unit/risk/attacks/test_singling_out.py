"""Conditions taken from a release: what is remembered of them is what counting would say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import antifaz as az
from antifaz.risk.attacks.singling_out import PredicateFinder
from antifaz.risk.attacks.tables import read_tables

KNOWN = ("age", "sex", "postcode", "education")


class _Forgetful(set[int]):
    """Remembers nothing."""

    def add(self, _: int) -> None:
        return


@pytest.fixture(name="columns", params=[1, 2], ids=["raw", "in classes"])
def _columns(request):
    people = az.datasets.people(300, seed=1).select([*KNOWN, "income"])
    released = people
    if request.param == 2:
        ladders = {
            "age": az.hierarchy.intervals(20),
            "postcode": az.hierarchy.masking(3),
            "sex": az.hierarchy.flat(),
            "education": az.hierarchy.flat(),
        }
        roles = dict.fromkeys(KNOWN, "quasi-identifier") | {"income": "insensitive"}
        release = az.anonymize(people, roles=roles, hierarchies=ladders, privacy=[az.KAnonymity(3)], seed=1)
        released = release.frame
    return read_tables(people, released, dict.fromkeys(KNOWN, "quasi-identifier")).columns


@pytest.mark.parametrize("most", [1, 3])
def test_records_that_meet_a_condition_are_those_that_are_counted(columns, most):
    finder = PredicateFinder(columns, most)
    made = [one for one in finder.conditions(200, np.random.default_rng(1), several=True) if one is not None]
    assert made
    for condition in made:
        assert 1 <= finder.weight(condition) == finder.weight(replace(condition, records=None)) <= most


@pytest.mark.parametrize("most", [1, 3])
def test_a_crowd_is_remembered_without_changing_what_is_found(columns, most):
    known = columns[: len(KNOWN)]
    remembering, forgetful = PredicateFinder(known, most), PredicateFinder(known, most)
    forgetful._crowded = _Forgetful()
    found, counted = (
        finder.conditions(200, np.random.default_rng(2), several=True) for finder in (remembering, forgetful)
    )
    assert [one and (one.labels, one.ends) for one in found] == [one and (one.labels, one.ends) for one in counted]
