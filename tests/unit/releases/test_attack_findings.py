"""What those may conclude who know the method, and what helps where differential privacy leaves many out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import antifaz as az

ROLES = {"age": "quasi-identifier", "illness": "sensitive"}


def people(rows: int = 400) -> pa.Table:
    ages = np.repeat([20, 30, 40, 50], rows // 4)
    return pa.table({"age": ages, "illness": np.resize(["flu", "asthma", "gout", "none"], rows)})


def test_what_knowing_the_method_adds_is_said_where_something_is_promised_of_illnesses() -> None:
    made = az.anonymize(
        people(), roles=ROLES, hierarchies={"age": az.hierarchy.intervals(10)}, method=az.LocalSuppression(),
        privacy=[az.KAnonymity(5)], seed=1,
    )  # fmt: skip
    assert "method-known" not in {one["code"] for one in made.verdict["findings"]}  # nothing is promised of illnesses
    made = az.anonymize(
        people(), roles=ROLES, method=az.Mondrian(), seed=1,
        privacy=[az.KAnonymity(5), az.LDiversity(2, attribute="illness")],
    )  # fmt: skip
    [finding] = [one for one in made.verdict["findings"] if one["code"] == "method-known"]
    assert finding["weight"] == "yes" and finding["measured"] == {"promised": 50, "surest": 100}
    assert finding["remedy"]["line"] == "hardened: true"


def test_differential_privacy_that_leaves_many_out_is_not_told_to_try_methods_that_it_refuses() -> None:
    ages = np.repeat([20, 30, 40, 50, 60, 70, 80], [3000, *[90] * 6])  # small ones are below the k of such an epsilon
    made = az.anonymize(
        pa.table({"age": ages}), roles={"age": "quasi-identifier"},
        hierarchies={"age": az.hierarchy.intervals(10, 40)}, seed=1,
        privacy=[az.DifferentialPrivacy(epsilon=0.5, delta=1e-4)],
        method=az.FullDomain(levels={"age": 1}, suppression=1.0),
    )  # fmt: skip
    [finding] = [one for one in made.verdict["findings"] if one["code"] == "many-left-out"]
    assert finding["remedy"]["change"] is None
    assert finding["remedy"]["words"].startswith("Allow a larger epsilon")
