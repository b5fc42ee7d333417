"""The made-up census: same bytes for the same seed, and the dependencies a real one has."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from antifaz.core.errors import ParameterError
from antifaz.datasets import people, population
from antifaz.datasets.people_names import CULTURES, words
from antifaz.datasets.people_trees import TREES
from failing import failing


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people()


def digest(table: pa.Table) -> str:
    sums = hashlib.sha256()
    for column in table.columns:
        sums.update("\n".join(map(str, column.to_pylist())).encode())
    return sums.hexdigest()


def mean(table: pa.Table, column: str, **where: str) -> float:
    for name, value in where.items():
        table = table.filter(pc.equal(table[name], value))
    return float(pc.mean(table[column]).as_py())


def share(table: pa.Table, column: str, value: str) -> float:
    return float(pc.mean(pc.equal(table[column], value).cast("float64")).as_py())


def test_columns_and_types(table: pa.Table) -> None:
    assert table.num_rows == 30_000
    assert table.column_names == [
        "id_number", "name", "birth_date", "age", "sex", "postcode",
        "education", "marital_status", "occupation", "country", "income", "diagnosis",
    ]  # fmt: skip
    assert table.schema.field("birth_date").type == pa.date32()
    assert table.schema.field("age").type == table.schema.field("income").type == pa.int64()
    assert all(column.null_count == 0 for column in table.columns)


def test_the_bytes_are_those_of_every_machine() -> None:
    # If this changes, everyone's seeds mean something else: say so in the changelog.
    assert digest(people(2_000, seed=7)) == "05dbd4038f3968154f868bfd6cfcdd5757ac5895457c71261ee10db5a1075308"
    assert digest(people(2_000, seed=8)) != digest(people(2_000, seed=7))


def test_blocks_join_without_repeating(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(population, "_BLOCK", 1_000)
    table = people(2_500, seed=3)
    assert table.num_rows == 2_500
    assert pc.count_distinct(table["id_number"]).as_py() == 2_500
    assert table["income"].to_pylist()[:1_000] != table["income"].to_pylist()[1_000:2_000]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny(n: int) -> None:
    table = people(n)
    assert table.num_rows == n
    assert table.num_columns == 12


def test_bad_parameters() -> None:
    with failing("dataset.n-out-of-bounds", ParameterError):
        people(-1)
    with failing("dataset.n-out-of-bounds", ParameterError):
        people(10**8 + 1)
    with failing("dataset.seed-negative", ParameterError):
        people(1, seed=-1)


def test_id_numbers_are_unique_with_right_check_letters(table: pa.Table) -> None:
    ids = table["id_number"].to_pylist()
    assert len(set(ids)) == len(ids)
    assert all(len(i) == 9 and population.CHECK_LETTERS[int(i[:8]) % 23] == i[8] for i in ids)
    # Spread over the whole range, and in no order.
    assert min(ids) < "01" and max(ids) > "99"
    assert ids != sorted(ids)


def test_id_permutation_is_one() -> None:
    ids = population._id_numbers(0, 1_000_000, 5)
    assert pc.count_distinct(ids).as_py() == 1_000_000


def test_ages_fit_birth_dates(table: pa.Table) -> None:
    reference = population.REFERENCE
    for born, age in zip(table["birth_date"].to_pylist(), table["age"].to_pylist(), strict=True):
        assert isinstance(born, date)
        had_birthday = (reference.month, reference.day) >= (born.month, born.day)
        assert reference.year - born.year - (not had_birthday) == age


def test_income_rises_with_education(table: pa.Table) -> None:
    incomes = [mean(table, "income", education=level) for level in TREES["education"]]
    assert incomes == sorted(incomes)
    assert incomes[-1] > 3 * incomes[0]
    assert mean(table, "income", occupation="physician") > 2 * mean(table, "income", occupation="waiter")
    # A long tail to the right, as incomes have.
    assert mean(table, "income") > 1.15 * float(np.median(table["income"].to_numpy()))


def test_other_dependencies(table: pa.Table) -> None:
    assert mean(table, "age", marital_status="widowed") > mean(table, "age", marital_status="single") + 25
    assert mean(table, "age", education="no schooling") > mean(table, "age", education="master") + 15
    assert mean(table, "age", diagnosis="dementia") > mean(table, "age", diagnosis="asthma") + 20
    sick = table.filter(pc.equal(table["diagnosis"], "prostate cancer"))
    assert set(sick["sex"].to_pylist()) == {"male"}
    assert mean(table, "age", occupation="student") < 25 < 60 < mean(table, "age", occupation="retired")
    assert 0.7 < share(table, "country", "Spain") < 0.9


def test_postcodes_are_clustered_and_keep_their_zeros(table: pa.Table) -> None:
    codes = table["postcode"].to_pylist()
    assert all(len(code) == 5 and code.isdigit() for code in codes)
    assert "08001" in codes
    counts = sorted(np.unique(codes, return_counts=True)[1].tolist(), reverse=True)
    assert len(counts) > 500
    assert counts[0] > 10 * counts[len(counts) // 2]


def test_names_have_accents_and_cultures(table: pa.Table) -> None:
    names = set(table["name"].to_pylist())
    assert len(names) > 5_000
    assert any("Núñez" in name for name in names)
    assert not any("_" in name or "  " in name or name != name.strip() for name in names)
    chinese = table.filter(pc.equal(table["country"], "China"))["name"].to_pylist()
    families = set(words(CULTURES["Chinese and Filipino"][2]))
    assert all(name.split(" ", 1)[1] in families for name in chinese)


@pytest.mark.parametrize("column", list(TREES))
def test_trees_cover_the_data_and_are_balanced(table: pa.Table, column: str) -> None:
    tree = TREES[column]
    assert set(table[column].to_pylist()) <= set(tree)
    assert len({len(path) for path in tree.values()}) == 1
    assert {path[-1] for path in tree.values()} == {"*"}
    # A label of one level always has the same label above it.
    above = {(level, path[level], path[level + 1]) for path in tree.values() for level in range(len(path) - 1)}
    assert len(above) == len({(level, label) for level, label, _ in above})


def test_importing_costs_nothing() -> None:
    code = "import sys, antifaz.datasets; sys.exit('numpy' in sys.modules or 'pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
