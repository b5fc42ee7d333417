"""Microaggregation against its definition in plain Python, and by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antifaz
from antifaz.core.errors import DataError, ParameterError, PrivacyNotReached
from antifaz.methods.clustering.mdav import Mdav
from antifaz.methods.operations.perturb import microaggregate
from antifaz.privacy import KAnonymity, LDiversity
from antifaz.testing import check_declaration
from failing import Like, failing, like

METHODS = ("mdav", "single", "pca")


# -- the groups


# -- the function


# -- the method


def test_the_declaration_is_complete() -> None:
    check_declaration(Mdav)
    assert Mdav().release == "mean"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keep_type", [False, True])
def test_salaries_are_released_in_groups_of_k(method: str, keep_type: bool) -> None:
    people = antifaz.datasets.salaries(600, seed=1)
    people = people.append_column("row", pa.array(range(600)))
    release = antifaz.anonymize(
        people,
        roles={"age": "quasi-identifier", "salary": "quasi-identifier", "row": "insensitive"},
        others="drop",
        privacy=KAnonymity(5),
        method=Mdav(method=method, keep_type=keep_type),
        seed=1,
    )
    rows = release.frame.sort_by("row")
    assert rows.num_rows == 600
    alike = Counter(zip(rows["age"].to_pylist(), rows["salary"].to_pylist(), strict=True))
    assert min(alike.values()) >= 5
    known = microaggregate(people, columns=["age", "salary"], k=5, method=method)  # type: ignore[arg-type]
    for name in ("age", "salary"):
        found = np.array(rows[name].to_pylist(), np.float64)
        np.testing.assert_allclose(found, known[name].to_numpy(), rtol=1e-9, atol=0.5 if keep_type else 1e-9)


def test_optimal_and_other_releases_go_through_the_gate() -> None:
    people = antifaz.datasets.salaries(300, seed=2).select(["salary"])
    for method in (Mdav(method="optimal"), Mdav(release="interval"), Mdav(release="median")):
        release = antifaz.anonymize(
            people, roles={"salary": "quasi-identifier"}, privacy=KAnonymity(4), method=method, seed=1
        )
        assert min(Counter(release.frame["salary"].to_pylist()).values()) >= 4


@pytest.mark.parametrize(
    ("method", "qis", "privacy", "error", "words"),
    [
        (
            Mdav(),
            ["age", "city"],
            KAnonymity(2),
            ParameterError,
            like("method.quasi-identifier-not-numbers", column="city", kind="text"),
        ),
        (Mdav(), ["gap"], KAnonymity(2), DataError, like("method.column-has-missing-numbers", column="gap", missing=1)),
        (
            Mdav(method="optimal"),
            ["age", "pay"],
            KAnonymity(2),
            ParameterError,
            like("method.optimal-needs-one-quasi-identifier", columns=2),
        ),
        (Mdav(), ["age"], KAnonymity(7), PrivacyNotReached, like("method.no-grouping-satisfies-k", k=7)),
        (
            Mdav(),
            ["age"],
            [KAnonymity(2), LDiversity(2, attribute="city")],
            PrivacyNotReached,
            like("method.no-groups-satisfy-model", model="l-diversity"),
        ),
    ],
)
def test_the_method_says_what_it_can_not_do(
    method: Mdav, qis: list[str], privacy: Any, error: Any, words: str | Like
) -> None:
    frame = pa.table({"age": [1, 2, 30, 40], "pay": [1, 2, 3, 5], "city": ["a", "a", "b", "b"], "gap": [1, 2, None, 4]})
    roles = dict.fromkeys(qis, "quasi-identifier")
    if not isinstance(privacy, KAnonymity):
        roles["city"] = "sensitive"
    with failing(words, error):
        antifaz.anonymize(frame, roles=roles, privacy=privacy, method=method, seed=1, others="drop")
