"""A profile says what a column is like and shows nobody."""

from __future__ import annotations

import pyarrow as pa
import pytest

from antifaz.core.profile import COMMON
from antifaz.core.types import DataType
from antifaz.engines.local.data import LocalData, open_local


@pytest.fixture
def data() -> LocalData:
    n = 1000
    return open_local(
        pa.table(
            {
                "id": [f"P{i:05d}" for i in range(n)],
                "age": ["123456"] + [str(20 + i % 50) for i in range(n - 1)],
                "sex": ["Male", "Female"] * (n // 2),
                "rare": ["Kanarienvogel"] * (COMMON - 1) + [None] * (n - COMMON + 1),
                "mail": [f"p{i}@example.org" for i in range(n)],
                "born": [f"19{50 + i % 50}-03-{1 + i % 28:02d}" for i in range(n)],
                "wage": [f"{i / 8}" for i in range(n)],
                "number": pa.array(range(n), pa.int32()),
                "phone": [f"+34 600 100 {i:03d}" for i in range(n)],
            }
        )
    )


def test_counts(data: LocalData) -> None:
    found = data.profile()
    assert found.rows == 1000
    assert [c.name for c in found] == list(data.schema.names)
    assert (found["rare"].missing, found["rare"].distinct) == (1000 - COMMON + 1, 1)
    assert (found["sex"].distinct, found["sex"].shortest, found["sex"].longest) == (2, 4, 6)
    assert found["sex"].common == (("Female", 500), ("Male", 500))
    assert found["age"].type is DataType.INTEGER


def test_no_rare_value_shows(data: LocalData) -> None:
    found = data.profile()
    assert "Kanarienvogel" not in repr(found)
    assert "123456" not in repr(found)
    for name in ("id", "mail", "number", "phone"):
        assert found[name].common == ()
    assert all(count >= COMMON for column in found for _, count in column.common)


def test_ends_are_rounded_percentiles(data: LocalData) -> None:
    found = data.profile()
    assert (found["age"].low, found["age"].high) == ("22", "67")
    assert (found["number"].low, found["number"].high) == ("40", "950")
    assert (found["wage"].low, found["wage"].high) == ("0", "120")
    assert (found["born"].low, found["born"].high) == ("1952-03", "1997-03")
    assert found["sex"].low is None


def test_patterns(data: LocalData) -> None:
    found = data.profile()
    assert dict(found["mail"].patterns) == {"email": 1.0}
    assert dict(found["sex"].patterns) == {"words": 1.0}
    assert dict(found["id"].patterns) == {"code": 1.0}
    assert dict(found["phone"].patterns) == {"phone": 1.0}
    assert dict(found["number"].patterns)["digits"] == 1.0
    assert found["rare"].patterns == (("words", 1.0),)


def test_small_and_empty_tables() -> None:
    with open_local(pa.table({"a": ["1", "2"], "b": [None, None]})) as small:
        found = small.profile()
        assert found["a"].low is None
        assert found["a"].common == ()
        assert (found["b"].missing, found["b"].distinct) == (2, 0)
    with open_local(pa.table({"a": pa.array([], pa.string())})) as empty:
        assert empty.profile()["a"].rows == 0


def test_infinite_and_nan_numbers() -> None:
    values = [float("nan"), float("inf"), -float("inf")] + [float(i) for i in range(400)]
    with open_local(pa.table({"a": values})) as data:
        assert (data.profile()["a"].low, data.profile()["a"].high) == ("10", "380")


def test_the_same_every_time(data: LocalData) -> None:
    assert data.profile() == data.profile()
    data.close()
    data.close()
    assert "1000 rows" in repr(data)
