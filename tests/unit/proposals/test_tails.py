"""Proposed top- and bottom-coding: what few people have far from all others."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pytest

import antifaz as az
from antifaz.projects.actions import init, inspect
from antifaz.proposals.tails import wide_tails


def found(numbers: list[Any], k: int = 5, codes: tuple[str, ...] = ()) -> list[tuple[str, Decimal, dict[str, Any]]]:
    with az.open(pa.table({"income": numbers})) as data:
        tails = wide_tails(data, data.profile(), k, ["income"], {"income": codes}).get("income", [])
    return [(tail.operation, tail.at, dict(tail.reason.values)) for tail in tails]


def test_three_rich_people_among_many() -> None:
    # 1,000 incomes from 10,000 to 49,960 and three far above: the fifth from the top has 49,920.
    numbers = [10_000 + 40 * i for i in range(1000)] + [900_000, 950_000, 1_000_000]
    ((operation, at, told),) = found(numbers)
    assert (operation, at) == ("top-code", 49_000)
    assert told["few"] == 4  # strictly above the number at which there are five
    assert told["share"] == pytest.approx((1_000_000 - 49_920) / 990_000)
    assert told["together"] == sum(number >= 49_000 for number in numbers) >= 5


def test_both_ends_and_decimals() -> None:
    numbers = [0.1 * i for i in range(1000)] + [-300.5, 700.25]
    told = {operation: at for operation, at, _ in found(numbers)}
    assert told == {"bottom-code": Decimal("1"), "top-code": Decimal("99")}


@pytest.mark.parametrize(
    "numbers",
    [
        list(range(1000)),  # the last few take no more of the range than others
        [1] * 500 + [2] * 500,
        [1, 2, 3, 1000],  # all of a small table is a tail
        [None] * 1000,
        [7] * 1000,
        [1] * 999 + [10**6],  # nothing lies between
        [*range(500), *range(500), *([10_000] * 5)],  # five share the end: nobody is known by it
    ],
)
def test_nothing_is_proposed(numbers: list[Any]) -> None:
    assert found(numbers) == []


def test_codes_of_missing_values_are_no_tail() -> None:
    numbers = [i % 90 for i in range(1000)] + [-999, -999]
    assert [operation for operation, _, _ in found(numbers)] == ["bottom-code"]
    assert found(numbers, codes=("-999",)) == []


def test_columns_that_are_not_named_are_not_looked_at() -> None:
    with az.open(pa.table({"id": [*range(1000), 10**9]})) as data:
        assert wide_tails(data, data.profile(), 5, [], {}) == {}


def test_init_and_inspect_propose_it_and_tell_no_rare_value(tmp_path: Path) -> None:
    rich = [10_000 + 40 * i for i in range(1000)] + [900_000, 950_000, 1_000_000]
    csv.write_csv(pa.table({"income": rich, "sex": ["f", "m", "f"] * 334 + ["f"]}), tmp_path / "people.csv")
    init(tmp_path / "people.csv", tmp_path / "project.yaml")
    text = (tmp_path / "project.yaml").read_text()
    assert "operation: {name: top-code, at: 49000}" in " ".join(text.replace("#", " ").split())
    (income,) = [column for column in inspect(tmp_path / "people.csv")["columns"] if column["name"] == "income"]
    assert [(tail["operation"], tail["at"]) for tail in income["tails"]] == [("top-code", "49000")]
    # No value that a few people have is told.
    assert not any(str(number) in text for number in rich[-10:])
