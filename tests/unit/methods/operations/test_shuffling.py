"""Data shuffling: marginals exactly, rank correlations nearly, and nothing of a row's own value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import antifaz as az
from antifaz.core.errors import DataError, ParameterError, SchemaError
from failing import failing, like

N = 3_000
SEEDS = range(6)


def people(n: int = N) -> pa.Table:
    """Two confidential columns that go with age, and with each other beyond that; far from normal."""
    random = np.random.default_rng(5)
    age, own, other = random.normal(size=(3, n))
    income = np.exp(0.7 * age + 0.5 * own)
    savings = (0.4 * age + 0.6 * own + 0.7 * other) ** 3
    return pa.table({"age": age, "income": income, "savings": savings, "row": np.arange(n)})


def spearman(frame: pa.Table, *names: str) -> np.ndarray:
    return np.asarray(stats.spearmanr(np.column_stack([frame[name].to_numpy() for name in names])).statistic)


def test_marginals_are_kept_exactly_and_rank_correlations_nearly() -> None:
    frame = people()
    before = spearman(frame, "age", "income", "savings")
    for seed in SEEDS:
        made = az.perturb.shuffle(frame, columns=["income", "savings"], given="age", seed=seed)
        assert made.schema.equals(frame.schema)
        for name in ("income", "savings"):
            np.testing.assert_array_equal(np.sort(made[name].to_numpy()), np.sort(frame[name].to_numpy()))
        assert made.select(["age", "row"]).equals(frame.select(["age", "row"]))
        # The standard error of a rank correlation is about 1/√n.
        assert np.abs(spearman(made, "age", "income", "savings") - before).max() < 5 / np.sqrt(N)


def test_a_value_tells_of_its_own_row_only_what_the_given_columns_tell() -> None:
    frame = people()
    scores = [stats.norm.ppf(stats.rankdata(frame[name].to_numpy()) / (N + 1)) for name in ("age", "income")]
    for seed in SEEDS:
        made = az.perturb.shuffle(frame, columns="income", given="age", seed=seed)
        new = stats.norm.ppf(stats.rankdata(made["income"].to_numpy()) / (N + 1))
        left = [y - np.polyval(np.polyfit(scores[0], y, 1), scores[0]) for y in (scores[1], new)]
        assert abs(np.corrcoef(left)[0, 1]) < 5 / np.sqrt(N)


def test_without_given_columns_rows_mean_nothing_and_columns_still_go_together() -> None:
    frame = people()
    made = az.perturb.shuffle(frame, columns=["income", "savings"], seed=1)
    assert abs(spearman(made, "income", "savings") - spearman(frame, "income", "savings")) < 5 / np.sqrt(N)
    assert abs(spearman(made, "income", "age")) < 5 / np.sqrt(N)


def test_categories_may_be_given() -> None:
    random = np.random.default_rng(6)
    group = random.integers(0, 3, N)
    frame = pa.table(
        {"group": np.array(["a", "b", "c"])[group], "pay": random.normal(size=N) + np.array([0, 3, 1])[group]}
    )
    made = az.perturb.shuffle(frame, columns="pay", given=["group"], seed=1)
    for code, label in enumerate("abc"):
        here = group == code
        old, new = frame["pay"].to_numpy()[here], made["pay"].to_numpy()[here]
        # Of the overall spread of about 1.6, so much does the mean of a thousand vary.
        assert abs(old.mean() - new.mean()) < 5 * 1.6 / np.sqrt(here.sum()), label


def test_types_ties_constants_and_small_tables() -> None:
    frame = pa.table({"age": pa.array([20, 30, 20, 40] * 50, pa.int8()), "same": [7] * 200, "x": np.arange(200) % 7})
    made = az.perturb.shuffle(frame, columns=["age", "same"], given="x", seed=1)
    assert made.schema.equals(frame.schema)
    assert sorted(made["age"].to_pylist()) == sorted(frame["age"].to_pylist())
    assert made["same"].equals(frame["same"])
    for rows in (0, 1, 2):
        part = frame.slice(0, rows)
        shuffled = az.perturb.shuffle(part, columns=["age", "same"], given="x", seed=1)
        assert sorted(shuffled["age"].to_pylist()) == sorted(part["age"].to_pylist())


@pytest.mark.parametrize(
    ("columns", "given", "error", "words"),
    [
        ("age", "age", ParameterError, like("operation.column-in-two-parameters", column="age", role="given")),
        ("age", "income", SchemaError, like("column.unknown", name="income")),
        ("word", "age", SchemaError, like("operation.column-not-numbers", name="word", type="string")),
        ("gap", "age", DataError, like("operation.column-missing-values", who="shuffle", name="gap", count=1)),
        ("age", "gap", DataError, like("operation.column-missing-values", who="shuffle", name="gap", count=1)),
        ("age", "hole", DataError, like("operation.column-missing-values", who="shuffle", name="hole", count=1)),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(
    columns: str, given: str, error: type[Exception], words: str
) -> None:
    frame = pa.table({"age": [1, 2, 3], "word": ["a", "b", "c"], "gap": [1, None, 3], "hole": ["a", None, "c"]})
    with failing(words, error):
        az.perturb.shuffle(frame, columns=columns, given=given)
